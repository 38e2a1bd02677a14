// Reads the lines of a recording as from an enemy: bounds every number, makes every string safe, and puts what is left
// into a session.
// Must not know of files.
#include "session/replay_parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "session/options.h"
#include "session/private.h"
#include "session/record_text.h"
#include "session/slot.h"

#define TIME_MAX_NS (100LL * 365 * 24 * 3600 * 1000000000 / 12) // eight years
#define VALUE_MAX_NS (1LL << 45)                                // the histogram's last bucket
#define COUNT_MAX (1LL << 50)

enum line_kind
parse_line(const char *line, size_t len, json_t **j)
{
	static const struct {
		const char *type;
		enum line_kind kind;
	} kinds[] = {{"tick", LINE_TICK}, {"event", LINE_EVENT}, {"pack", LINE_PACK}, {"summary", LINE_SUMMARY}, {"header", LINE_HEADER},
	    {"redo", LINE_REDO}};
	*j = len && len <= REPLAY_LINE_MAX ? json_loadb(line, len, 0, NULL) : NULL;
	const char *type = json_string_value(json_object_get(*j, "type"));
	if (!type) {
		json_decref(*j);
		*j = NULL;
		return LINE_BAD;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(type, kinds[i].type))
			return kinds[i].kind;
	return LINE_OTHER;
}

bool
parse_real(json_t *j, const char *key, double lo, double hi, double *v)
{
	json_t *n = key ? json_object_get(j, key) : j;
	if (json_is_null(n)) {
		*v = NAN;
		return true;
	}
	if (!json_is_number(n))
		return false;
	double d = json_number_value(n);
	*v = d < lo ? lo : d > hi ? hi : d;
	return true;
}

bool
parse_int(json_t *j, const char *key, int64_t lo, int64_t hi, int64_t *v)
{
	json_t *n = key ? json_object_get(j, key) : j;
	int64_t i;
	if (json_is_integer(n)) {
		i = json_integer_value(n);
	} else if (json_is_real(n)) {
		double d = json_real_value(n);
		i = d > -9e18 && d < 9e18 ? llround(d) : d < 0 ? INT64_MIN : INT64_MAX;
	} else {
		return false;
	}
	*v = i < lo ? lo : i > hi ? hi : i;
	return true;
}

void
parse_text(json_t *j, const char *key, char *buf, size_t size)
{
	const char *s = json_string_value(json_object_get(j, key));
	if (s)
		text_safe(buf, size, s);
}

static void
parse_policy(json_t *j, const char *key, struct policy *p)
{
	const char *s = json_string_value(json_object_get(j, key));
	struct policy got;
	if (s && !policy_parse(s, &got, NULL))
		*p = got;
}

static void
int_of(json_t *j, const char *key, int64_t lo, int64_t hi, int *v)
{
	int64_t i;
	if (parse_int(j, key, lo, hi, &i))
		*v = (int)i;
}

static void
unsigned_of(json_t *j, const char *key, unsigned *v)
{
	int64_t i;
	if (parse_int(j, key, 0, 100000000, &i))
		*v = (unsigned)i;
}

static void
count_of(json_t *j, const char *key, uint64_t *v)
{
	int64_t i;
	if (parse_int(j, key, 0, INT64_MAX, &i))
		*v = (uint64_t)i;
}

void
parse_facts(struct probe_facts *f, json_t *j)
{
	int64_t v;
	double d;
	if (parse_int(j, "state", PROBE_OFF, PROBE_FAILED, &v))
		f->state = (enum probe_state)v;
	parse_text(j, "reason", f->reason, sizeof f->reason);
	unsigned_of(j, "doubts", &f->doubts);
	parse_policy(j, "asked", &f->asked);
	if (json_object_get(j, "effective")) {
		parse_policy(j, "effective", &f->effective);
		f->effective_known = true;
	}
	parse_int(j, "interval_ns", 0, VALUE_MAX_NS, &f->interval_ns);
	parse_int(j, "burn_ns", 0, VALUE_MAX_NS, &f->burn_ns);
	if (parse_real(j, "cpu_pct", 0, 1e6, &d))
		f->cpu_pct = d;
	parse_text(j, "device", f->device, sizeof f->device);
	int_of(j, "hardware", -1, 1, &f->hardware);
	unsigned_of(j, "rate", &f->rate);
	unsigned_of(j, "periods", &f->periods);
	unsigned_of(j, "period_frames", &f->period_frames);
	unsigned_of(j, "buffer_frames", &f->buffer_frames);
	parse_real(j, "played_s", 0, 1e9, &f->played_s);
	parse_real(j, "silent_s", 0, 1e9, &f->silent_s);
	parse_real(j, "longest_silence_s", 0, 1e9, &f->longest_silence_s);
	parse_real(j, "rate_ppm", -1e9, 1e9, &f->rate_ppm);
	count_of(j, "xruns", &f->xruns);
	count_of(j, "dropped", &f->dropped);
}

static void
parse_pass(json_t *j, const char *key, struct load_pass *p)
{
	json_t *o = json_object_get(j, key);
	if (!o)
		return;
	*p = (struct load_pass){0};
	parse_real(o, "user_s", 0, 1e9, &p->user_s);
	parse_real(o, "system_s", 0, 1e9, &p->system_s);
	parse_real(o, "elapsed_s", 0, 1e9, &p->elapsed_s);
	parse_real(o, "cpu_pct", 0, 1e6, &p->cpu_pct);
	count_of(o, "majflt", &p->majflt);
	count_of(o, "minflt", &p->minflt);
	count_of(o, "bytes", &p->bytes);
	p->valid = json_integer_value(json_object_get(o, "valid")) != 0;
}

void
parse_status(struct load_status *t, json_t *j)
{
	int64_t v;
	if (parse_int(j, "state", LOAD_OFF, LOAD_FAILED, &v))
		t->state = (enum load_state)v;
	int_of(j, "level", 0, 100000, &t->level);
	parse_text(j, "reason", t->reason, sizeof t->reason);
	count_of(j, "total", &t->work);
	parse_real(j, "cpu_pct", 0, 1e6, &t->cpu_pct);
	parse_int(j, "total_cpu_ns", 0, INT64_MAX, &t->cpu_ns);
	count_of(j, "rss_bytes", &t->rss_bytes);
	count_of(j, "majflt", &t->majflt);
	count_of(j, "minflt", &t->minflt);
	int_of(j, "workers", 0, 100000, &t->workers);
	count_of(j, "passes", &t->passes);
	count_of(j, "invalid_passes", &t->invalid_passes);
	parse_pass(j, "last", &t->last);
	parse_pass(j, "avg", &t->avg);
	parse_pass(j, "sd", &t->sd);
}

void
parse_limits(struct parser *p, int probe, json_t *j)
{
	char key[32];
	for (int q = 0; q < Q_COUNT; q++) {
		struct dist *d = p->s->probe[probe].open[q];
		snprintf(key, sizeof key, "limits_%s", quantity_names[q]);
		json_t *a = json_object_get(j, key);
		struct limits lim;
		if (d && a && parse_int(json_array_get(a, 0), NULL, 0, VALUE_MAX_NS, &lim.centre_ns) &&
		    parse_int(json_array_get(a, 1), NULL, 0, VALUE_MAX_NS, &lim.limit_ns[0]) &&
		    parse_int(json_array_get(a, 2), NULL, 0, VALUE_MAX_NS, &lim.limit_ns[1]))
			d->lim = lim;
	}
}

struct slice *
parse_slice(json_t *j)
{
	json_t *hist = json_object_get(j, "hist");
	size_t pairs = json_array_size(hist) / 2;
	int64_t n, missed = 0, a, b;
	struct sums s = {0};
	if (!parse_int(j, "n", 0, COUNT_MAX, &n) || n == 0 || pairs > 2 * HIST_BUCKETS)
		return NULL;
	parse_int(j, "missed", 0, COUNT_MAX, &missed);
	s.samples = (uint64_t)n;
	s.missed = (uint64_t)missed;
	if (!parse_int(j, "min", 0, VALUE_MAX_NS, &s.min_ns) || !parse_int(j, "max", 0, VALUE_MAX_NS, &s.max_ns) ||
	    s.min_ns > s.max_ns || !parse_real(j, "sum", 0, 1e30, &s.sum_ns) || !parse_real(j, "sumsq", 0, 1e50, &s.sumsq_ns2) ||
	    isnan(s.sum_ns) || isnan(s.sumsq_ns2))
		return NULL;
	json_t *within = json_object_get(j, "within");
	for (int k = 0; k < 2; k++) {
		int64_t w = n + missed;
		parse_int(json_array_get(within, (size_t)k), NULL, 0, n + missed, &w);
		s.within[k] = (uint64_t)w;
	}
	struct slice *sl = malloc(sizeof *sl + pairs * sizeof sl->b[0]);
	if (!sl)
		return NULL;
	sl->s = s;
	sl->buckets = 0;
	for (size_t i = 0; i < pairs; i++)
		if (parse_int(json_array_get(hist, 2 * i), NULL, 0, HIST_BUCKETS - 1, &a) &&
		    parse_int(json_array_get(hist, 2 * i + 1), NULL, 0, UINT32_MAX, &b) && b > 0)
			sl->b[sl->buckets++] = (struct bucket){(uint16_t)a, (uint32_t)b};
	return sl;
}

void
parse_cpu(json_t *j, struct cpu_pct *c, bool *known)
{
	double v[6];
	*known = json_array_size(j) >= 6;
	for (size_t k = 0; k < 6 && *known; k++)
		*known = parse_real(json_array_get(j, k), NULL, -100, 200, &v[k]);
	if (*known)
		*c = (struct cpu_pct){v[0], v[1], v[2], v[3], v[4], v[5]};
}

uint64_t
parse_set(const struct parser *p, json_t *on)
{
	uint64_t set = 0;
	size_t k;
	json_t *v;
	json_array_foreach(on, k, v) {
		int64_t i;
		if (parse_int(v, NULL, -1, LOADS_MAX, &i) && i >= 0 && i < p->loads && p->load[i] >= 0)
			set |= 1ull << p->load[i];
	}
	return set;
}

int64_t
parse_time(json_t *j)
{
	double t;
	if (!parse_real(j, "t", -1, TIME_MAX_NS / 1e9, &t) || isnan(t) || t < 0)
		return -1;
	return llround(t * 1e9);
}

int
parse_tick_room(const struct parser *p, struct tick *t)
{
	t->probes = p->s->probes;
	t->loads = p->s->loads;
	t->probe = calloc((size_t)t->probes + 1, sizeof *t->probe);
	t->load = calloc((size_t)t->loads + 1, sizeof *t->load);
	t->event = calloc(REPLAY_EVENTS_MAX, sizeof *t->event);
	if (t->probe && t->load && t->event)
		return 0;
	tick_free(t);
	return -1;
}

void
parse_take_events(struct parser *p, struct tick *t)
{
	int kept = 0;
	for (int i = 0; i < p->events; i++) {
		if (p->event[i].t_ns <= t->t_ns && t->events < REPLAY_EVENTS_MAX)
			t->event[t->events++] = p->event[i];
		else
			p->event[kept++] = p->event[i];
	}
	p->events = kept;
}

static void
tick_probes(struct parser *p, struct tick *t, json_t *probes)
{
	for (int i = 0; i < t->probes; i++)
		t->probe[i].facts = p->facts[i];
	for (int k = 0; k < p->probes; k++) {
		json_t *j = json_array_get(probes, (size_t)k);
		int i = p->probe[k];
		if (!j || i < 0)
			continue;
		struct probe_tick *pt = &t->probe[i];
		parse_limits(p, i, j);
		pt->slice[Q_LATE] = parse_slice(j);
		for (int q = Q_LATE + 1; q < Q_COUNT; q++)
			pt->slice[q] = parse_slice(json_object_get(j, quantity_names[q]));
		parse_facts(&pt->facts, json_object_get(j, "facts"));
		p->facts[i] = pt->facts;
	}
}

static void
tick_loads(struct parser *p, struct tick *t, json_t *loads)
{
	size_t k;
	json_t *j;
	json_array_foreach(loads, k, j) {
		int64_t i;
		if (!parse_int(j, "i", -1, LOADS_MAX, &i) || i < 0 || i >= p->loads || p->load[i] < 0)
			continue;
		struct load_tick *lt = &t->load[p->load[i]];
		count_of(j, "work", &lt->work);
		parse_int(j, "cpu_ns", 0, INT64_MAX, &lt->cpu_ns);
		parse_status(&p->status[p->load[i]], j);
	}
	for (int i = 0; i < t->loads; i++) {
		t->load[i].status = p->status[i];
		t->load[i].state = p->status[i].state;
		t->load[i].level = p->status[i].level;
	}
}

static void
tick_cpu(struct tick *t, json_t *j)
{
	parse_cpu(json_object_get(j, "cpu"), &t->cpu, &t->cpu_known);
	if (!parse_real(j, "cpu_ticks", 0, 1000, &t->cpu_ticks) || isnan(t->cpu_ticks))
		t->cpu_ticks = 0;
	json_t *each = json_object_get(j, "each");
	size_t n = json_array_size(each);
	if (!t->cpu_known || !n || n > CPUS_MAX || !(t->each = calloc(n, sizeof *t->each)))
		return;
	for (size_t i = 0; i < n; i++) {
		bool known;
		parse_cpu(json_array_get(each, i), &t->each[i], &known);
	}
	t->cpus = (int)n;
}

int
parse_tick(struct parser *p, json_t *j)
{
	struct tick t = {.t_ns = parse_time(j), .len_ns = TICK_NS};
	if (t.t_ns < 0 || t.t_ns <= p->last_ns || parse_tick_room(p, &t))
		return -1;
	t.number = t.t_ns / TICK_NS;
	parse_int(j, "len_ns", 0, TIME_MAX_NS, &t.len_ns);
	t.warmup = json_is_true(json_object_get(j, "warmup"));
	t.load_set = parse_set(p, json_object_get(j, "on"));
	tick_probes(p, &t, json_object_get(j, "probes"));
	tick_loads(p, &t, json_object_get(j, "loads"));
	tick_cpu(&t, j);
	t.events = p->events;
	memcpy(t.event, p->event, (size_t)p->events * sizeof t.event[0]);
	p->events = 0;
	p->last_ns = t.t_ns;
	session_apply(p->s, &t);
	tick_free(&t);
	return 0;
}

void
parse_event(struct parser *p, json_t *j)
{
	const char *name = json_string_value(json_object_get(j, "event"));
	struct event e = {.t_ns = parse_time(j), .kind = EVENT_COUNT, .which = -1, .value = -1};
	int64_t v;
	for (int k = 0; name && k < EVENT_COUNT; k++)
		if (!strcmp(name, event_name((enum event_kind)k)))
			e.kind = (enum event_kind)k;
	if (e.kind == EVENT_COUNT || e.t_ns < 0 || p->events == REPLAY_EVENTS_MAX)
		return;
	if (parse_int(j, "which", -1, PROBES_MAX, &v)) {
		bool of_load = e.kind == EVENT_LOAD_ON || e.kind == EVENT_LOAD_OFF || e.kind == EVENT_LOAD_FAILED;
		bool of_probe = e.kind == EVENT_XRUN || e.kind == EVENT_SPIKE || e.kind == EVENT_PROBE || e.kind == EVENT_GAP;
		e.which = of_load ? v >= 0 && v < p->loads ? p->load[v] : -1 : of_probe ? v >= 0 && v < p->probes ? p->probe[v] : -1 : (int)v;
	}
	parse_int(j, "value", SLOT_MARKED - SOUND_MARK_MAX, INT64_MAX / 4, &e.value);
	parse_text(j, "text", e.text, sizeof e.text);
	p->event[p->events++] = e;
}
