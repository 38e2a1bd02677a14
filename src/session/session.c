// THE model: takes in ticks and keeps every figure made of them; the same for live and replayed sessions.
// Must not know where ticks come from, nor of screens or files.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "session/device.h"
#include "session/private.h"
#include "session/slot.h"

struct session *
session_new(const struct config *c)
{
	struct session *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->own = calloc(1, sizeof *s->own);
	if (!s->own) {
		free(s);
		return NULL;
	}
	s->config = *c;
	s->replay = true;
	s->now_tick = -1;
	s->own->cpu_tick = -1;
	s->own->dma_fd = -1;
	for (int i = 0; i < PROBES_MAX; i++) {
		s->own->busy_pct[i] = NAN;
		for (int q = 0; q < Q_COUNT; q++)
			s->own->probe_tick[i][q] = -1;
	}
	for (int i = 0; i < 5; i++) {
		s->cpu_series[i] = series_new();
		if (!s->cpu_series[i]) {
			session_free(s);
			return NULL;
		}
	}
	if (slots_attach(s)) {
		session_free(s);
		return NULL;
	}
	return s;
}

int
session_probe_figures(struct session_probe *p)
{
	for (int q = 0; q < Q_COUNT; q++) {
		if (!(p->kind->quantities & 1u << q))
			continue;
		struct limits lim = p->probe ? probe_limits(p->probe, (enum quantity)q) : (struct limits){0};
		p->total[q] = calloc(1, sizeof *p->total[q]);
		p->open[q] = calloc(1, sizeof *p->open[q]);
		p->window[q] = window_new(lim);
		p->series[q] = series_new();
		if (!p->total[q] || !p->open[q] || !p->window[q] || !p->series[q])
			return -1;
		dist_reset(p->total[q], lim);
		dist_reset(p->open[q], lim);
	}
	return 0;
}

void
session_probe_forget(struct session_probe *p)
{
	for (int q = 0; q < Q_COUNT; q++) {
		free(p->total[q]);
		free(p->open[q]);
		window_free(p->window[q]);
		series_free(p->series[q]);
		p->total[q] = p->open[q] = NULL;
		p->window[q] = NULL;
		p->series[q] = NULL;
	}
}

int
session_add_probe(struct session *s, const struct probe_kind *kind, int cpu, const char *label)
{
	if (s->probes == PROBES_MAX)
		return -1;
	struct session_probe *p = &s->probe[s->probes];
	p->kind = kind;
	p->cpu = cpu;
	text_safe(p->label, sizeof p->label, label);
	p->facts.hardware = -1;
	p->facts.cpu_pct = p->facts.played_s = p->facts.silent_s = NAN;
	p->facts.longest_silence_s = p->facts.rate_ppm = NAN;
	if (session_probe_figures(p)) {
		session_probe_forget(p);
		memset(p, 0, sizeof *p);
		return -1;
	}
	return s->probes++;
}

int
session_add_load(struct session *s, const char *name, char key, const char *unit)
{
	if (s->loads == LOADS_MAX)
		return -1;
	struct session_load *l = &s->load[s->loads];
	l->kind = load_find(name);
	text_safe(l->name, sizeof l->name, name);
	text_safe(l->unit, sizeof l->unit, unit);
	l->key = key;
	l->work_per_s = l->cpu_pct = NAN;
	l->status.cpu_pct = NAN;
	return s->loads++;
}

void
session_free(struct session *s)
{
	if (!s)
		return;
	session_devices_free(s);
	for (int i = 0; i < s->own->hooks;) {
		struct session_hook h = s->own->hook[i];
		if (h.end)
			h.end(h.data, s);
		if (i < s->own->hooks && s->own->hook[i].data == h.data) // it may have taken itself away
			i++;
	}
	live_end(s);
	condition_clear(s);
	for (int i = 0; i < s->probes; i++)
		session_probe_forget(&s->probe[i]);
	for (int i = 0; i < s->loads; i++) {
		series_free(s->load[i].on);
		series_free(s->load[i].rate);
	}
	for (int i = 0; i < 5; i++)
		series_free(s->cpu_series[i]);
	free(s->own);
	free(s);
}

int
session_hook_add(struct session *s, struct session_hook h)
{
	if (s->own->hooks == HOOKS_MAX)
		return -1;
	s->own->hook[s->own->hooks++] = h;
	return 0;
}

void
session_hook_remove(struct session *s, void *data)
{
	struct session_private *o = s->own;
	for (int i = 0; i < o->hooks; i++)
		if (o->hook[i].data == data) {
			memmove(&o->hook[i], &o->hook[i + 1], (size_t)(o->hooks - i - 1) * sizeof o->hook[0]);
			o->hooks--;
			return;
		}
}

// A probe that was stuck gave nothing for some ticks, then one huge value: those ticks were late too.
static void
fill_back(struct session *s, int i, enum quantity q, const struct slice *sl, const struct tick *t)
{
	struct session_probe *p = &s->probe[i];
	int64_t last = s->own->probe_tick[i][q];
	if (last < 0 || !p->kind->weighted || sl->s.max_ns < TICK_NS)
		return;
	int64_t from = t->number - sl->s.max_ns / TICK_NS;
	for (int64_t n = from > last ? from : last + 1; n < t->number; n++) {
		int64_t late = sl->s.max_ns - (t->number - n) * TICK_NS;
		if (late > 0)
			series_add(p->series[q], n, (double)late, (double)late, 1);
	}
}

static void
apply_probe(struct session *s, int i, const struct tick *t)
{
	struct session_probe *p = &s->probe[i];
	const struct probe_tick *pt = &t->probe[i];
	for (int q = 0; q < Q_COUNT; q++) {
		const struct slice *sl = pt->slice[q];
		if (!sl || !sl->s.samples || !p->total[q])
			continue;
		if (q == Q_LATE)
			fill_back(s, i, Q_LATE, sl, t);
		uint64_t n = sums_n(&sl->s);
		series_add(p->series[q], t->number, (double)(q == Q_HEADROOM ? sl->s.min_ns : sl->s.max_ns),
		    sl->s.sum_ns, n > UINT32_MAX ? UINT32_MAX : (uint32_t)n);
		s->own->probe_tick[i][q] = t->number;
		if (t->warmup)
			continue;
		if (p->open[q])
			p->total[q]->lim = p->open[q]->lim;
		dist_add_slice(p->total[q], sl);
		window_add(p->window[q], t->number, sl);
	}
	if (!s->own->based) { // what counts begins where this tick begins, where that is known
		const struct probe_facts *base = t->warmup || isnan(p->facts.played_s) ? &pt->facts : &p->facts;
		s->own->xruns_base[i] = base->xruns;
		s->own->played_base[i] = base->played_s;
		s->own->silent_base[i] = base->silent_s;
	}
	p->facts = pt->facts;
	if (!t->warmup)
		s->own->doubts_seen[i] |= p->facts.doubts;
	p->xruns = p->facts.xruns >= s->own->xruns_base[i] ? p->facts.xruns - s->own->xruns_base[i] : p->facts.xruns;
	p->played_s = p->facts.played_s - (isnan(s->own->played_base[i]) ? 0 : s->own->played_base[i]);
	p->silent_s = p->facts.silent_s - (isnan(s->own->silent_base[i]) ? 0 : s->own->silent_base[i]);
}

static void
apply_load(struct session *s, int i, const struct tick *t)
{
	struct session_load *l = &s->load[i];
	const struct load_tick *lt = &t->load[i];
	struct recent *r = &s->own->recent[i];
	int at = (int)(t->number % RECENT);
	double len_s = t->len_ns / 1e9;
	bool on = lt->state == LOAD_ON;
	l->status = lt->status;
	r->work[at] = on ? (double)lt->work : 0;
	r->cpu_s[at] = on ? lt->cpu_ns / 1e9 : 0;
	r->len_s[at] = on ? len_s : 0;
	double work = 0, cpu = 0, len = 0;
	for (int k = 0; k < RECENT; k++) {
		work += r->work[k];
		cpu += r->cpu_s[k];
		len += r->len_s[k];
	}
	l->work_per_s = on && len > 0 ? work / len : NAN;
	l->cpu_pct = on && len > 0 ? 100 * cpu / len : NAN;
	if (on && !l->on) { // most loads are never on
		l->on = series_new();
		l->rate = series_new();
	}
	if (l->on)
		series_add(l->on, t->number, on, on, 1);
	if (l->rate && on && len_s > 0)
		series_add(l->rate, t->number, (double)lt->work / len_s, (double)lt->work / len_s, 1);
	if (!t->warmup && t->load_set & 1ull << i) {
		l->work += lt->work;
		if (__builtin_add_overflow(l->cpu_ns, lt->cpu_ns, &l->cpu_ns)) // only a forged recording gets here
			l->cpu_ns = INT64_MAX;
		l->on_s += len_s;
	}
}

double
session_cpu_ticks(int64_t last, const struct tick *t)
{
	if (t->cpu_ticks > 0)
		return t->cpu_ticks;
	return last < 0 || t->number - last > 20 || t->number == last ? 1 : (double)(t->number - last);
}

static void
apply_cpu(struct session *s, const struct tick *t)
{
	if (!t->cpu_known)
		return;
	double ticks = session_cpu_ticks(s->own->cpu_tick, t);
	int64_t from = t->number - llround(ticks) + 1;
	const double pct[5] = {t->cpu.user, t->cpu.system, t->cpu.iowait, t->cpu.irq, t->cpu.steal};
	for (int k = 0; k < 5; k++)
		for (int64_t n = from; n <= t->number; n++)
			series_add(s->cpu_series[k], n, pct[k], pct[k], 1);
	s->own->cpu_tick = t->number;
	s->cpu_known = true;
	s->cpu = t->cpu;
	s->cpus = t->cpus < CPUS_MAX ? t->cpus : CPUS_MAX;
	for (int i = 0; i < s->cpus && t->each; i++)
		s->each[i] = t->each[i];
	if (t->warmup)
		return;
	if (!s->own->cpus_least || s->cpus < s->own->cpus_least)
		s->own->cpus_least = s->cpus;
	double len_s = ticks * TICK_NS / 1e9;
	s->cpu_sum.user += t->cpu.user * len_s;
	s->cpu_sum.system += t->cpu.system * len_s;
	s->cpu_sum.iowait += t->cpu.iowait * len_s;
	s->cpu_sum.irq += t->cpu.irq * len_s;
	s->cpu_sum.steal += t->cpu.steal * len_s;
	s->cpu_sum.idle += t->cpu.idle * len_s;
	s->cpu_s += len_s;
}

static void
forget_figures(struct session *s)
{
	for (int i = 0; i < s->probes; i++) {
		struct session_probe *p = &s->probe[i];
		for (int q = 0; q < Q_COUNT; q++)
			if (p->total[q]) {
				dist_reset(p->total[q], p->total[q]->lim);
				window_reset(p->window[q], p->total[q]->lim);
			}
	}
	for (int i = 0; i < s->loads; i++) {
		s->load[i].work = 0;
		s->load[i].cpu_ns = 0;
		s->load[i].on_s = 0;
	}
	condition_clear(s);
	s->cpu_sum = (struct cpu_pct){0};
	s->cpu_s = 0;
	s->measured_s = 0;
	s->own->based = false;
	s->own->gaps = s->own->gap_ns = 0;
	s->own->cpus_least = 0;
	memset(s->own->doubts_seen, 0, sizeof s->own->doubts_seen);
}

static void
apply_event(struct session *s, const struct event *e)
{
	if (e->kind == EVENT_RESET) {
		forget_figures(s);
		s->reset_ns = e->t_ns;
	}
	if (e->kind == EVENT_GAP) {
		s->own->gaps++;
		s->own->gap_ns += e->value > 0 ? e->value : 0;
	}
	s->event[s->events++ % EVENTS_KEPT] = *e;
	for (int i = 0; i < s->own->hooks; i++)
		if (s->own->hook[i].event)
			s->own->hook[i].event(s->own->hook[i].data, s, e);
}

void
session_apply(struct session *s, const struct tick *t)
{
	for (int i = 0; i < t->events; i++)
		apply_event(s, &t->event[i]);
	s->now_tick = t->number;
	s->elapsed_ns = t->t_ns;
	s->load_set = t->load_set;
	if (!t->warmup) {
		condition_apply(s, t);
		s->measured_s += t->len_ns / 1e9;
	}
	for (int i = 0; i < t->probes && i < s->probes; i++)
		apply_probe(s, i, t);
	if (!t->warmup)
		s->own->based = true;
	for (int i = 0; i < t->loads && i < s->loads; i++)
		apply_load(s, i, t);
	apply_cpu(s, t);
	if (t->cpu_known || t->number % 5 == 0)
		validity_check(s);
	for (int i = 0; i < s->own->hooks; i++)
		if (s->own->hook[i].tick)
			s->own->hook[i].tick(s->own->hook[i].data, s, t);
}

int
session_main_probe(const struct session *s)
{
	static const char *const order[] = {"audio", "timer", "echo", "job"};
	for (int pass = 0; pass < 2; pass++)
		for (size_t k = 0; k < sizeof order / sizeof *order; k++)
			for (int i = 0; i < s->probes; i++)
				if (!strcmp(s->probe[i].kind->name, order[k]) &&
				    (pass || s->probe[i].facts.state == PROBE_RUNNING))
					return i;
	return s->probes ? 0 : -1;
}

void
session_window(const struct session *s, int probe, enum quantity q, int64_t window_ns, struct dist *out)
{
	const struct session_probe *p = probe >= 0 && probe < s->probes ? &s->probe[probe] : NULL;
	if (!p || !p->window[q]) {
		dist_reset(out, (struct limits){0});
		return;
	}
	window_get(p->window[q], s->now_tick, window_ns / TICK_NS + (window_ns % TICK_NS > 0), out);
}

const char *
session_load_set_name(const struct session *s, uint64_t set, char *buf, size_t size)
{
	size_t n = 0;
	buf[0] = 0;
	for (int i = 0; i < s->loads; i++) {
		if (!(set & 1ull << i))
			continue;
		int k = snprintf(buf + n, size - n, "%s%s", n ? "+" : "", s->load[i].name);
		if (k < 0 || (size_t)k >= size - n) {
			snprintf(buf + (size > 4 ? size - 4 : 0), 4, "...");
			break;
		}
		n += (size_t)k;
	}
	if (!set)
		snprintf(buf, size, "none");
	return buf;
}
