// Makes ticks of what probes, loads and the machine say now.
// Must not know what figures are made of them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/ring.h"
#include "base/text.h"
#include "session/private.h"

#define CPU_EVERY 5                  // ticks between looks: the kernel counts in steps of 10 ms
#define SPIKE_NS (5 * NS_PER_MS)     // a new maximum from here on is worth an event
#define STALL_NS (120 * NS_PER_S)    // behind by more than this, we were not running at all
#define SUSPEND_NS (200 * NS_PER_MS) // CLOCK_BOOTTIME ahead by more than this: a suspend

void
session_event(struct session *s, enum event_kind k, int which, int64_t value, const char *text)
{
	struct session_private *o = s->own;
	if (s->replay)
		return;
	if (o->pendings == PENDING_MAX) {
		o->pendings_lost++;
		return;
	}
	struct event *e = &o->pending[o->pendings++];
	*e = (struct event){.t_ns = clock_now_ns() - s->start_ns, .kind = k, .which = which, .value = value};
	text_safe(e->text, sizeof e->text, text ? text : "");
}

// Does this wake belong to a time that must not count? Then its lateness is not latency.
static bool
in_gap(const struct session_private *o, const struct sample *m)
{
	int64_t late = m->value[Q_LATE] > 0 ? m->value[Q_LATE] : 0;
	return m->t_ns >= o->gap_from_ns && m->t_ns - late < o->gap_to_ns;
}

// A time from write to write counts for as many periods as it took: those that only catch up take none.
static void
add_interval(struct dist *d, int64_t ns, int64_t period_ns)
{
	int64_t periods = (ns + period_ns / 2) / period_ns;
	if (periods > 0)
		dist_add(d, ns, (uint64_t)periods);
}

static void
take_sample(struct session *s, int i, const struct sample *m)
{
	struct session_probe *p = &s->probe[i];
	if (m->kind == SAMPLE_XRUN) {
		session_event(s, EVENT_XRUN, i, m->value[Q_LATE], p->label);
		return;
	}
	if (m->kind == SAMPLE_GAP && in_gap(s->own, m))
		return; // said once for all probes
	if (m->kind == SAMPLE_GAP) {
		session_event(s, EVENT_GAP, i, m->value[Q_LATE], p->label);
		return;
	}
	if (in_gap(s->own, m))
		return;
	for (int q = 0; q < Q_COUNT; q++) {
		struct dist *d = p->open[q];
		if (!d || m->value[q] < 0)
			continue;
		if (q == Q_LATE && p->kind->weighted)
			dist_add_late(d, m->value[q], m->period_ns, m->missed);
		else if (q == Q_INTERVAL && m->period_ns > 0)
			add_interval(d, m->value[q], m->period_ns);
		else
			dist_add(d, m->value[q], 1 + (uint64_t)m->missed);
	}
}

// Takes the samples that were made before UNTIL; the first later one is held back.
static void
drain(struct session *s, int64_t until_ns)
{
	for (int i = 0; i < s->probes; i++) {
		struct session_probe *p = &s->probe[i];
		if (!p->probe)
			continue;
		for (int q = 0; q < Q_COUNT; q++)
			if (p->open[q] && !p->open[q]->s.samples)
				p->open[q]->lim = probe_limits(p->probe, (enum quantity)q);
		struct sample *held = &s->own->held[i];
		while (s->own->has_held[i] || ring_pop(p->probe->ring, held)) {
			s->own->has_held[i] = held->t_ns >= until_ns;
			if (s->own->has_held[i])
				break;
			take_sample(s, i, held);
		}
	}
}

static void
close_probe(struct session *s, int i, struct probe_tick *pt)
{
	struct session_probe *p = &s->probe[i];
	struct session_private *o = s->own;
	pt->facts = p->facts;
	if (!p->probe)
		return;
	for (int q = 0; q < Q_COUNT; q++)
		if (p->open[q] && p->open[q]->s.samples)
			pt->slice[q] = dist_take_slice(p->open[q]);
	enum probe_state before = p->facts.state;
	probe_read(p->probe, &pt->facts);
	pt->facts.cpu_pct = o->busy_pct[i];
	if (pt->facts.state != before && (pt->facts.state == PROBE_LOST || pt->facts.state == PROBE_FAILED || before == PROBE_LOST)) {
		char text[NOTE_MAX];
		snprintf(text, sizeof text, "%s: %s", p->label,
		    pt->facts.state == PROBE_RUNNING ? "back" : *pt->facts.reason ? pt->facts.reason : "lost");
		session_event(s, EVENT_PROBE, i, -1, text);
	}
	const struct slice *late = pt->slice[Q_LATE];
	const struct sums *total = p->total[Q_LATE] ? &p->total[Q_LATE]->s : NULL;
	if (late && total && total->samples && late->s.max_ns > total->max_ns && late->s.max_ns >= SPIKE_NS && strcmp(p->kind->name, "job"))
		session_event(s, EVENT_SPIKE, i, late->s.max_ns, p->label);
}

static void
warm_up(struct session *s, int64_t now_ns)
{
	if (s->own->warm_until_ns < now_ns + s->config.warmup_ns)
		s->own->warm_until_ns = now_ns + s->config.warmup_ns;
}

static void
close_load(struct session *s, int i, struct load_tick *lt, int64_t end_ns)
{
	struct session_load *l = &s->load[i];
	struct load_status *before = &s->own->before[i];
	if (!l->load)
		return;
	load_read(l->load, &lt->status);
	lt->state = lt->status.state;
	lt->level = lt->status.level;
	bool same_run = lt->status.work >= before->work && lt->status.cpu_ns >= before->cpu_ns;
	lt->work = same_run ? lt->status.work - before->work : lt->status.work;
	lt->cpu_ns = same_run ? lt->status.cpu_ns - before->cpu_ns : lt->status.cpu_ns;
	if (lt->state != before->state) {
		bool was = before->state == LOAD_ON, is = lt->state == LOAD_ON;
		if (lt->state == LOAD_FAILED) {
			char text[NOTE_MAX];
			snprintf(text, sizeof text, "%s: %s", l->name, lt->status.reason);
			session_event(s, EVENT_LOAD_FAILED, i, -1, text);
		} else if (was != is) {
			session_event(s, is ? EVENT_LOAD_ON : EVENT_LOAD_OFF, i, lt->level, l->name);
		}
		warm_up(s, end_ns);
	}
	*before = lt->status;
}

static void
look_at_cpu(struct session *s, struct tick *t)
{
	struct session_private *o = s->own;
	t->each = o->scratch.each;
	t->cpu_known = o->cpu && !cpu_sample(o->cpu, &t->cpu, t->each, CPUS_MAX, &t->cpus) && !isnan(t->cpu.idle);
	int64_t now = clock_now_ns(), span = now - o->busy_at_ns;
	for (int i = 0; i < s->probes; i++) {
		if (!s->probe[i].probe)
			continue;
		int64_t busy = atomic_load_explicit(&s->probe[i].probe->live->busy_ns, memory_order_relaxed);
		bool known = o->busy_ns[i] > 0 && busy >= o->busy_ns[i];
		o->busy_pct[i] = known ? 100.0 * (double)(busy - o->busy_ns[i]) / (double)span : NAN;
		o->busy_ns[i] = busy;
	}
	o->busy_at_ns = now;
}

// Ends the tick that is being filled at END (CLOCK_MONOTONIC) and puts it into every figure.
static void
close_tick(struct session *s, int64_t end_ns)
{
	struct session_private *o = s->own;
	struct tick t = {.t_ns = end_ns - s->start_ns, .len_ns = end_ns - o->last_close_ns};
	t.number = t.t_ns / TICK_NS;
	t.probe = o->scratch.probe;
	t.load = o->scratch.load;
	t.event = o->scratch.event;
	memset(&o->scratch, 0, sizeof o->scratch);
	t.warmup = o->last_close_ns < o->warm_until_ns;
	t.probes = s->probes;
	t.loads = s->loads;
	for (int i = 0; i < s->probes; i++)
		close_probe(s, i, &t.probe[i]);
	for (int i = 0; i < s->loads; i++) {
		bool was = o->before[i].state == LOAD_ON;
		close_load(s, i, &t.load[i], end_ns);
		if (was && t.load[i].state == LOAD_ON)
			t.load_set |= 1ull << i;
	}
	if (t.number % CPU_EVERY == 0 && t.number != s->now_tick)
		look_at_cpu(s, &t);
	t.events = o->pendings;
	memcpy(t.event, o->pending, (size_t)o->pendings * sizeof t.event[0]);
	o->pendings = 0;
	o->last_close_ns = end_ns;
	session_apply(s, &t);
	for (int i = 0; i < s->probes; i++)
		for (int q = 0; q < Q_COUNT; q++)
			free(t.probe[i].slice[q]);
}

// Ends the tick now, off the grid, so that what follows (a toggle, a reset) starts a tick of its own.
static void
cut(struct session *s)
{
	int64_t now = clock_now_ns();
	if (s->replay || now - s->own->last_close_ns < NS_PER_MS || now >= s->own->boundary_ns)
		return;
	drain(s, now);
	close_tick(s, now);
}

static void
gap(struct session *s, int64_t from_ns, int64_t to_ns, int64_t length_ns, const char *why)
{
	struct session_private *o = s->own;
	o->gap_from_ns = from_ns;
	o->gap_to_ns = to_ns;
	session_event(s, EVENT_GAP, -1, length_ns, why);
	drain(s, to_ns);
	o->last_close_ns = to_ns;
	o->boundary_ns = s->start_ns + ((to_ns - s->start_ns) / TICK_NS + 1) * TICK_NS;
	warm_up(s, to_ns);
}

bool
session_tick(struct session *s, int64_t now_ns)
{
	struct session_private *o = s->own;
	if (s->replay || o->suspended_ns)
		return false;
	int64_t offset = clock_boot_ns() - clock_now_ns();
	if (offset - o->boot_offset_ns > SUSPEND_NS) {
		gap(s, o->last_close_ns, now_ns, offset - o->boot_offset_ns, "suspended");
		o->boot_offset_ns = offset;
	}
	if (now_ns - o->boundary_ns > STALL_NS)
		gap(s, o->last_close_ns, now_ns, now_ns - o->last_close_ns, "not running");
	o->last_call_ns = now_ns;
	for (int i = 0; i < s->loads; i++)
		if (s->load[i].load)
			load_tend(s->load[i].load);
	for (int i = 0; i < s->probes; i++)
		if (s->probe[i].probe && s->probe[i].kind->tend)
			s->probe[i].kind->tend(s->probe[i].probe);
	bool closed = false;
	while (now_ns >= o->boundary_ns) {
		drain(s, o->boundary_ns);
		close_tick(s, o->boundary_ns);
		o->boundary_ns += TICK_NS;
		closed = true;
	}
	drain(s, now_ns);
	return closed;
}

int
session_load_switch(struct session *s, int load, bool on, struct err *e)
{
	if (load < 0 || load >= s->loads || !s->load[load].load)
		return err_set(e, s->replay ? "this is a recording: loads can't be switched" : "no such load");
	cut(s);
	warm_up(s, clock_now_ns());
	int r = 0;
	if (on)
		r = load_start(s->load[load].load, e);
	else
		load_stop(s->load[load].load);
	load_read(s->load[load].load, &s->load[load].status);
	return r;
}

int
session_load_level(struct session *s, int load, int level, struct err *e)
{
	if (load < 0 || load >= s->loads || !s->load[load].load)
		return err_set(e, s->replay ? "this is a recording: levels can't be changed" : "no such load");
	if (level < 1 || level > LOAD_LEVEL_MAX)
		return err_set(e, "level %d: allowed are 1 to %d", level, LOAD_LEVEL_MAX);
	cut(s);
	if (s->load[load].status.state == LOAD_ON)
		warm_up(s, clock_now_ns());
	load_set_level(s->load[load].load, level);
	load_read(s->load[load].load, &s->load[load].status);
	return 0;
}

void
session_loads_off(struct session *s)
{
	for (int i = 0; i < s->loads; i++)
		if (s->load[i].status.state != LOAD_OFF)
			session_load_switch(s, i, false, NULL);
}

void
session_reset(struct session *s)
{
	cut(s);
	for (int i = 0; i < s->probes; i++)
		if (s->probe[i].probe)
			probe_forget(s->probe[i].probe);
	session_event(s, EVENT_RESET, -1, -1, "");
}

void
session_mark(struct session *s, const char *note)
{
	session_event(s, EVENT_MARK, -1, -1, note);
}

void
session_settle(struct session *s, int64_t ns)
{
	cut(s);
	int64_t until = clock_now_ns() + ns;
	if (s->own->warm_until_ns < until)
		s->own->warm_until_ns = until;
}

int
session_buffer(struct session *s, int direction, struct err *e)
{
	int done = 0;
	for (int i = 0; i < s->probes; i++) {
		struct session_probe *p = &s->probe[i];
		if (!p->probe || !p->kind->change || strcmp(p->kind->name, "audio"))
			continue;
		struct probe_config c = p->probe->config;
		unsigned now = p->facts.period_frames ? p->facts.period_frames : c.period_frames;
		unsigned frames = 16;
		while (frames < now)
			frames *= 2;
		if (direction > 0)
			frames = frames == now ? frames * 2 : frames;
		else
			frames /= 2;
		if (frames < 16 || frames > 8192)
			return err_set(e, "%u frames a period: allowed are 16 to 8192", frames);
		c.period_frames = frames;
		cut(s);
		warm_up(s, clock_now_ns());
		if (p->kind->change(p->probe, &c, e))
			return -1;
		p->probe->config.period_frames = frames;
		done++;
	}
	return done ? 0 : err_set(e, "no audio probe runs: see --probe and --device");
}

void
session_suspend(struct session *s)
{
	if (s->replay || s->own->suspended_ns)
		return;
	cut(s);
	for (int i = 0; i < s->loads; i++)
		if (s->load[i].load)
			load_pause(s->load[i].load, true);
	for (int i = 0; i < s->probes; i++)
		if (s->probe[i].probe)
			probe_hold(s->probe[i].probe, true);
	s->own->suspended_ns = clock_now_ns();
}

void
session_resume(struct session *s)
{
	struct session_private *o = s->own;
	if (s->replay)
		return;
	int64_t from = o->suspended_ns ? o->suspended_ns : o->last_call_ns, now = clock_now_ns();
	o->suspended_ns = 0;
	for (int i = 0; i < s->loads; i++)
		if (s->load[i].load)
			load_pause(s->load[i].load, false);
	for (int i = 0; i < s->probes; i++)
		if (s->probe[i].probe && atomic_load(&s->probe[i].probe->live->hold) & 1)
			probe_hold(s->probe[i].probe, false);
	if (now - from > TICK_NS)
		gap(s, from, now, now - from, "stopped");
}
