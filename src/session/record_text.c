// Turns a session's header, ticks, events and summary into lines of a recording.
// Must not know where they go.
#include "session/record_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "session/private.h"
#include "session/summary.h"

const char *const quantity_names[Q_COUNT] = {
    [Q_LATE] = "late",
    [Q_BURN] = "burn",
    [Q_INTERVAL] = "interval",
    [Q_HEADROOM] = "headroom",
    [Q_CPU] = "cpu",
};

static bool
differs(double a, double b)
{
	return isnan(a) != isnan(b) || (!isnan(a) && a != b);
}

static void
int_field(struct text_out *o, const char *key, int64_t now, int64_t before)
{
	if (now == before)
		return;
	out_key(o, key);
	out_int(o, now);
}

static void
real_field(struct text_out *o, const char *key, double now, double before)
{
	if (!differs(now, before))
		return;
	out_key(o, key);
	out_real(o, now);
}

static void
text_field(struct text_out *o, const char *key, const char *now, const char *before)
{
	if (!strcmp(now, before))
		return;
	out_key(o, key);
	out_string(o, now);
}

static void
policy_field(struct text_out *o, const char *key, struct policy p)
{
	char buf[24];
	out_key(o, key);
	out_string(o, policy_text(buf, sizeof buf, p));
}

// What of NOW is not as BEFORE; nothing at all where nothing is.
void
record_facts(struct text_out *o, const char *key, const struct probe_facts *now, const struct probe_facts *before)
{
	size_t start = o->len;
	out_key(o, key);
	out_char(o, '{');
	size_t empty = o->len;
	int_field(o, "state", now->state, before->state);
	text_field(o, "reason", now->reason, before->reason);
	int_field(o, "doubts", now->doubts, before->doubts);
	if (now->asked.kind != before->asked.kind || now->asked.priority != before->asked.priority)
		policy_field(o, "asked", now->asked);
	if (now->effective_known && (!before->effective_known || now->effective.kind != before->effective.kind ||
	        now->effective.priority != before->effective.priority))
		policy_field(o, "effective", now->effective);
	int_field(o, "interval_ns", now->interval_ns, before->interval_ns);
	int_field(o, "burn_ns", now->burn_ns, before->burn_ns);
	real_field(o, "cpu_pct", now->cpu_pct, before->cpu_pct);
	text_field(o, "device", now->device, before->device);
	int_field(o, "hardware", now->hardware, before->hardware);
	int_field(o, "rate", now->rate, before->rate);
	int_field(o, "periods", now->periods, before->periods);
	int_field(o, "period_frames", now->period_frames, before->period_frames);
	int_field(o, "buffer_frames", now->buffer_frames, before->buffer_frames);
	real_field(o, "played_s", now->played_s, before->played_s);
	real_field(o, "silent_s", now->silent_s, before->silent_s);
	real_field(o, "longest_silence_s", now->longest_silence_s, before->longest_silence_s);
	real_field(o, "rate_ppm", now->rate_ppm, before->rate_ppm);
	int_field(o, "xruns", (int64_t)now->xruns, (int64_t)before->xruns);
	int_field(o, "dropped", (int64_t)now->dropped, (int64_t)before->dropped);
	if (o->len == empty && !o->failed)
		o->len = start;
	else
		out_char(o, '}');
}

// The figures of one quantity, inside braces that are the caller's.
static void
put_slice(struct text_out *o, const struct slice *sl)
{
	const struct sums *s = &sl->s;
	uint64_t n = s->samples + s->missed;
	out_key(o, "n");
	out_int(o, (int64_t)s->samples);
	if (s->missed) {
		out_key(o, "missed");
		out_int(o, (int64_t)s->missed);
	}
	out_key(o, "min");
	out_int(o, s->min_ns);
	out_key(o, "avg");
	out_int(o, n ? llround(s->sum_ns / (double)n) : 0);
	out_key(o, "max");
	out_int(o, s->max_ns);
	out_key(o, "sum");
	out_real(o, s->sum_ns);
	out_key(o, "sumsq");
	out_real(o, s->sumsq_ns2);
	if (s->within[0] != n || s->within[1] != n) { // nearly always all of them
		out_key(o, "within");
		out_char(o, '[');
		out_int(o, (int64_t)s->within[0]);
		out_char(o, ',');
		out_int(o, (int64_t)s->within[1]);
		out_char(o, ']');
	}
	out_key(o, "hist");
	out_char(o, '[');
	for (uint32_t i = 0; i < sl->buckets; i++) {
		if (i)
			out_char(o, ',');
		out_int(o, sl->b[i].index);
		out_char(o, ',');
		out_int(o, sl->b[i].n);
	}
	out_char(o, ']');
}

void
record_limits(struct text_out *o, const struct session_probe *p, struct limits *known)
{
	for (int q = 0; q < Q_COUNT; q++) {
		const struct dist *d = p->open[q] ? p->open[q] : p->total[q];
		if (!d || !memcmp(&known[q], &d->lim, sizeof d->lim))
			continue;
		char key[32];
		known[q] = d->lim;
		snprintf(key, sizeof key, "limits_%s", quantity_names[q]);
		out_key(o, key);
		out_char(o, '[');
		out_int(o, d->lim.centre_ns);
		out_char(o, ',');
		out_int(o, d->lim.limit_ns[0]);
		out_char(o, ',');
		out_int(o, d->lim.limit_ns[1]);
		out_char(o, ']');
	}
}

static void
put_probe(struct text_out *o, const struct session *s, int i, const struct probe_tick *pt, struct record_state *st)
{
	out_char(o, '{');
	record_limits(o, &s->probe[i], st->lim[i]);
	if (pt->slice[Q_LATE] && pt->slice[Q_LATE]->s.samples)
		put_slice(o, pt->slice[Q_LATE]);
	for (int q = Q_LATE + 1; q < Q_COUNT; q++) {
		if (!pt->slice[q] || !pt->slice[q]->s.samples)
			continue;
		out_key(o, quantity_names[q]);
		out_char(o, '{');
		put_slice(o, pt->slice[q]);
		out_char(o, '}');
	}
	record_facts(o, "facts", &pt->facts, &st->facts[i]);
	out_char(o, '}');
	st->facts[i] = pt->facts;
}

static void
put_pass(struct text_out *o, const char *key, const struct load_pass *now, const struct load_pass *before)
{
	if (!memcmp(now, before, sizeof *now))
		return;
	out_key(o, key);
	out_char(o, '{');
	real_field(o, "user_s", now->user_s, NAN);
	real_field(o, "system_s", now->system_s, NAN);
	real_field(o, "elapsed_s", now->elapsed_s, NAN);
	real_field(o, "cpu_pct", now->cpu_pct, NAN);
	int_field(o, "majflt", (int64_t)now->majflt, 0);
	int_field(o, "minflt", (int64_t)now->minflt, 0);
	int_field(o, "bytes", (int64_t)now->bytes, 0);
	int_field(o, "valid", now->valid, 0);
	out_char(o, '}');
}

static void
put_status(struct text_out *o, const struct load_status *now, const struct load_status *before)
{
	int_field(o, "state", now->state, before->state);
	int_field(o, "level", now->level, before->level);
	text_field(o, "reason", now->reason, before->reason);
	int_field(o, "total", (int64_t)now->work, (int64_t)before->work);
	real_field(o, "cpu_pct", now->cpu_pct, before->cpu_pct);
	int_field(o, "total_cpu_ns", now->cpu_ns, before->cpu_ns);
	int_field(o, "rss_bytes", (int64_t)now->rss_bytes, (int64_t)before->rss_bytes);
	int_field(o, "majflt", (int64_t)now->majflt, (int64_t)before->majflt);
	int_field(o, "minflt", (int64_t)now->minflt, (int64_t)before->minflt);
	int_field(o, "workers", now->workers, before->workers);
	int_field(o, "passes", (int64_t)now->passes, (int64_t)before->passes);
	int_field(o, "invalid_passes", (int64_t)now->invalid_passes, (int64_t)before->invalid_passes);
	put_pass(o, "last", &now->last, &before->last);
	put_pass(o, "avg", &now->avg, &before->avg);
	put_pass(o, "sd", &now->sd, &before->sd);
}

void
record_loads(struct text_out *o, const struct tick *t, struct record_state *st)
{
	size_t start = o->len;
	out_key(o, "loads");
	out_char(o, '[');
	size_t empty = o->len;
	for (int i = 0; i < t->loads && i < LOADS_MAX; i++) {
		const struct load_tick *lt = &t->load[i];
		size_t from = o->len;
		out_text(o, o->len > empty ? ",{" : "{");
		out_key(o, "i");
		out_int(o, i);
		size_t bare = o->len;
		int_field(o, "work", (int64_t)lt->work, 0);
		int_field(o, "cpu_ns", lt->cpu_ns, 0);
		put_status(o, &lt->status, &st->load[i]);
		st->load[i] = lt->status;
		if (o->len == bare)
			o->len = from;
		else
			out_char(o, '}');
	}
	if (o->len == empty && !o->failed)
		o->len = start;
	else
		out_char(o, ']');
}

static void
put_cpu(struct text_out *o, const struct tick *t, struct record_state *st)
{
	if (!t->cpu_known)
		return;
	const double v[6] = {t->cpu.user, t->cpu.system, t->cpu.iowait, t->cpu.irq, t->cpu.steal, t->cpu.idle};
	out_key(o, "cpu_ticks");
	out_real(o, session_cpu_ticks(st->cpu_tick, t));
	st->cpu_tick = t->number;
	out_key(o, "cpu");
	for (int k = 0; k < 6; k++) {
		out_char(o, k ? ',' : '[');
		out_real(o, v[k]);
	}
	out_char(o, ']');
	if (!t->each || t->cpus < 1)
		return;
	out_key(o, "each"); // only shown, never counted: to a tenth
	for (int i = 0; i < t->cpus && i < CPUS_MAX; i++) {
		const struct cpu_pct *c = &t->each[i];
		const double e[6] = {c->user, c->system, c->iowait, c->irq, c->steal, c->idle};
		out_text(o, i ? ",[" : "[[");
		for (int k = 0; k < 6; k++) {
			if (k)
				out_char(o, ',');
			out_real(o, round(e[k] * 10) / 10);
		}
		out_char(o, ']');
	}
	out_char(o, ']');
}

// NS as seconds with as many decimals as it takes: exact.
static void
put_seconds(struct text_out *o, const char *key, int64_t ns)
{
	char buf[40];
	out_key(o, key);
	int n = snprintf(buf, sizeof buf, "%lld.%09lld", (long long)(ns / 1000000000), (long long)(ns % 1000000000));
	while (n > 1 && buf[n - 1] == '0' && buf[n - 2] != '.')
		buf[--n] = 0;
	out_text(o, buf);
}

void
record_tick_head(struct text_out *o, const char *type, const struct tick *t)
{
	out_text(o, "{\"type\":\"");
	out_text(o, type);
	out_char(o, '"');
	put_seconds(o, "t", t->t_ns);
	if (t->len_ns != TICK_NS) {
		out_key(o, "len_ns");
		out_int(o, t->len_ns);
	}
	if (t->warmup)
		out_text(o, ",\"warmup\":true");
	if (t->load_set) {
		out_key(o, "on");
		char c = '[';
		for (int i = 0; i < LOADS_MAX; i++)
			if (t->load_set & 1ull << i) {
				out_char(o, c);
				out_int(o, i);
				c = ',';
			}
		out_char(o, ']');
	}
}

void
record_tick(struct text_out *o, const struct session *s, const struct tick *t, struct record_state *st)
{
	record_tick_head(o, "tick", t);
	out_key(o, "probes");
	out_char(o, '[');
	for (int i = 0; i < t->probes && i < s->probes; i++) {
		if (i)
			out_char(o, ',');
		put_probe(o, s, i, &t->probe[i], st);
	}
	out_char(o, ']');
	put_cpu(o, t, st);
	record_loads(o, t, st);
	out_text(o, "}\n");
}

void
record_event(struct text_out *o, const struct event *e)
{
	out_text(o, "{\"type\":\"event\"");
	put_seconds(o, "t", e->t_ns);
	out_key(o, "event");
	out_string(o, event_name(e->kind));
	int_field(o, "which", e->which, -1);
	int_field(o, "value", e->value, -1);
	text_field(o, "text", e->text, "");
	out_text(o, "}\n");
}

static void
put_json(struct text_out *o, json_t *j)
{
	char *text = j ? json_dumps(j, SUMMARY_DUMP) : NULL;
	if (text)
		out_text(o, text);
	else
		o->failed = true;
	free(text);
	json_decref(j);
}

void
record_summary(struct text_out *o, const struct session *s)
{
	json_t *j = json_object(), *sum = summary_json(s);
	json_object_set_new(j, "type", json_string("summary"));
	json_object_update(j, sum);
	json_decref(sum);
	put_json(o, j);
	out_char(o, '\n');
}

static void
put_settings(struct text_out *o, const struct session *s)
{
	const struct config *c = &s->config;
	out_key(o, "settings");
	out_char(o, '{');
	int_field(o, "interval_ns", c->interval_ns, 0);
	policy_field(o, "policy", c->policy);
	int_field(o, "burn_pct", c->burn_pct, 0);
	int_field(o, "rate", c->rate, 0);
	int_field(o, "periods", c->periods, 0);
	int_field(o, "period_frames", c->period_frames, 0);
	int_field(o, "period_bytes", c->period_bytes, 0);
	text_field(o, "play", c->play, "");
	text_field(o, "job", c->job, "");
	text_field(o, "dir", c->dir, "");
	int_field(o, "warmup_ns", c->warmup_ns, 0);
	int_field(o, "dma_latency", c->dma_latency, 0);
	text_field(o, "dma_error", s->own->dma_error, "");
	text_field(o, "a", c->a, "");
	text_field(o, "b", c->b, "");
	text_field(o, "name_a", c->name_a, "");
	text_field(o, "name_b", c->name_b, "");
	for (int i = 0; i < c->size_count; i++) {
		char key[48], value[32];
		snprintf(key, sizeof key, "size%s%.31s", *c->size[i].name ? " " : "", c->size[i].name);
		if (c->size[i].pct_ram)
			snprintf(value, sizeof value, "%u%%ram", c->size[i].pct_ram);
		else
			snprintf(value, sizeof value, "%llu", (unsigned long long)c->size[i].bytes);
		out_char(o, ',');
		out_string(o, key);
		out_char(o, ':');
		out_string(o, value);
	}
	out_char(o, '}');
}

static void
put_kinds(struct text_out *o, const struct session *s, struct record_state *st)
{
	static const struct probe_facts none;
	out_key(o, "probes");
	out_char(o, '[');
	for (int i = 0; i < s->probes; i++) {
		const struct session_probe *p = &s->probe[i];
		out_text(o, i ? ",{" : "{");
		text_field(o, "name", p->kind->name, "");
		text_field(o, "label", p->label, "");
		int_field(o, "cpu", p->cpu, -1);
		record_limits(o, p, st->lim[i]);
		record_facts(o, "facts", &p->facts, &none);
		out_char(o, '}');
		st->facts[i] = p->facts;
	}
	out_char(o, ']');
	out_key(o, "loads");
	out_char(o, '[');
	for (int i = 0; i < s->loads; i++) {
		const struct session_load *l = &s->load[i];
		char key[2] = {l->key, 0};
		out_text(o, i ? ",{" : "{");
		text_field(o, "name", l->name, "");
		text_field(o, "key", key, "");
		text_field(o, "unit", l->unit, "");
		int_field(o, "level", l->status.level, 0);
		out_char(o, '}');
		st->load[i] = (struct load_status){.level = l->status.level, .cpu_pct = NAN};
	}
	out_char(o, ']');
}

void
record_header(struct text_out *o, const struct session *s, struct record_state *st)
{
	char when[32];
	time_t sec = (time_t)(s->start_wall_ns / 1000000000);
	struct tm tm;
	*st = (struct record_state){.cpu_tick = s->own->cpu_tick};
	strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&sec, &tm));
	out_text(o, "{\"type\":\"header\",\"stutter\":\"" STUTTER_VERSION "\"");
	out_key(o, "format");
	out_int(o, RECORD_FORMAT);
	text_field(o, "started", when, "");
	out_key(o, "start_wall_ns");
	out_int(o, s->start_wall_ns);
	put_seconds(o, "from", s->elapsed_ns);
	out_text(o, ",\"tick_s\":0.1,\"unit\":\"ns\"");
	text_field(o, "boot_id", s->host.boot_id, "");
	out_key(o, "host");
	put_json(o, summary_host(&s->host));
	put_settings(o, s);
	put_kinds(o, s, st);
	out_text(o, "}\n");
}
