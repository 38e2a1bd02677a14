// A session fed with made-up ticks, the same for the same seed: recordings, tables and pages are tested on it.
#ifndef TESTS_FAKE_SESSION_H
#define TESTS_FAKE_SESSION_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "measure/dist.h"
#include "session/options.h"
#include "session/private.h"
#include "session/session.h"

struct fake {
	struct session *s;
	uint64_t rng;
	int64_t number;
	int64_t t_ns;
	struct probe_facts facts[3];
	struct load_status status[3];
	bool with_audio, quiet; // quiet: no events, loads or warm-up, as on a machine that is left alone
};

static inline double
fake_random(struct fake *f)
{
	f->rng = f->rng * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(f->rng >> 11) / 9007199254740992.0;
}

static inline void
fake_start(struct fake *f, uint64_t seed, bool with_audio)
{
	struct config c;
	config_defaults(&c);
	*f = (struct fake){.rng = seed * 7919 + 1, .with_audio = with_audio};
	f->s = session_new(&c);
	struct host *h = &f->s->host;
	snprintf(h->name, sizeof h->name, "studio");
	snprintf(h->kernel, sizeof h->kernel, "6.18.44");
	snprintf(h->preempt, sizeof h->preempt, "PREEMPT_DYNAMIC (lazy)");
	snprintf(h->clocksource, sizeof h->clocksource, "tsc");
	snprintf(h->governor, sizeof h->governor, "performance");
	h->cpus = 2;
	h->ram_bytes = 24ull << 30;
	f->s->start_wall_ns = 1796000000LL * NS_PER_S;
	int n = 0;
	session_add_probe(f->s, probe_find("timer"), -1, "timer");
	session_add_probe(f->s, probe_find("echo"), -1, "echo");
	if (with_audio)
		session_add_probe(f->s, probe_find("audio"), -1, "audio");
	session_add_load(f->s, "memory", '1', "lines");
	session_add_load(f->s, "disk-write", '6', "bytes");
	session_add_load(f->s, "odd \"one\"", 0, "things");
	for (n = 0; n < f->s->probes; n++) {
		struct probe_facts *p = &f->facts[n];
		*p = (struct probe_facts){.state = PROBE_RUNNING, .asked = {POLICY_FIFO, 80}, .effective = {POLICY_FIFO, 80},
		    .effective_known = true, .interval_ns = NS_PER_MS, .hardware = -1, .cpu_pct = 1.25, .played_s = NAN, .silent_s = NAN,
		    .longest_silence_s = NAN, .rate_ppm = NAN};
		for (int q = 0; q < Q_COUNT; q++)
			if (f->s->probe[n].open[q])
				f->s->probe[n].open[q]->lim = (struct limits){0, {NS_PER_MS, 2 * NS_PER_MS}};
	}
	if (with_audio) {
		struct probe_facts *p = &f->facts[2];
		snprintf(p->device, sizeof p->device, "hw:0");
		p->hardware = 1;
		p->rate = 48000;
		p->periods = 3;
		p->period_frames = 64;
		p->buffer_frames = 192;
		p->interval_ns = 1333333;
		p->played_s = p->silent_s = p->longest_silence_s = 0;
		p->rate_ppm = -3.25;
	}
	for (n = 0; n < f->s->probes; n++)
		f->s->probe[n].facts = f->facts[n];
	for (n = 0; n < 3; n++)
		f->status[n] = (struct load_status){.level = 1, .cpu_pct = NAN};
}

static inline struct slice *
fake_slice(struct fake *f, int i, int q, int wakes, int64_t typical_ns)
{
	struct dist *d = malloc(sizeof *d);
	dist_reset(d, f->s->probe[i].open[q]->lim);
	for (int k = 0; k < wakes; k++) {
		double u = fake_random(f) + fake_random(f) + fake_random(f);
		int64_t v = (int64_t)((double)typical_ns * (0.4 + 0.4 * u));
		if (fake_random(f) < 0.0005)
			v += (int64_t)(fake_random(f) * 5e6);
		if (q == Q_LATE && i == 0)
			dist_add_late(d, v, NS_PER_MS, (uint64_t)(v / NS_PER_MS));
		else
			dist_add(d, v, 1);
	}
	struct slice *sl = dist_to_slice(d);
	free(d);
	return sl;
}

static inline void
fake_load(struct fake *f, int i, bool on, struct load_tick *lt)
{
	struct load_status *t = &f->status[i];
	t->state = on ? LOAD_ON : LOAD_OFF;
	if (on) {
		lt->work = (uint64_t)(fake_random(f) * 1e6);
		lt->cpu_ns = (int64_t)(fake_random(f) * 9e7);
		t->work += lt->work;
		t->cpu_ns += lt->cpu_ns;
		t->cpu_pct = 100 * fake_random(f);
		t->workers = t->level;
		if (i == 2 && f->number % 50 == 0) {
			t->passes++;
			t->avg = t->last = (struct load_pass){1.5, 0.1 * fake_random(f), 2.5, 64, 12, 3400, 1u << 20, true};
		}
	}
	lt->state = t->state;
	lt->level = t->level;
	lt->status = *t;
}

static inline void
fake_events(struct fake *f, struct tick *t)
{
	if (f->quiet)
		return;
	if (t->number % 97 == 0)
		t->event[t->events++] = (struct event){t->t_ns - 5, EVENT_MARK, -1, -1, "a \"note\" \\ here"};
	if (t->number == 230)
		t->event[t->events++] = (struct event){t->t_ns - 4, EVENT_RESET, -1, -1, ""};
	if (t->number == 150)
		t->event[t->events++] = (struct event){t->t_ns - 3, EVENT_GAP, -1, 12345678, "stopped"};
	if (f->with_audio && t->number % 41 == 0) {
		t->event[t->events++] = (struct event){t->t_ns - 2, EVENT_XRUN, 2, 1500000, "audio"};
		f->facts[2].xruns++;
		f->facts[2].silent_s += 0.0015;
	}
}

// One tick of 100 ms.
static inline void
fake_tick(struct fake *f)
{
	f->number++;
	f->t_ns = f->number * TICK_NS;
	struct tick t = {.number = f->number, .t_ns = f->t_ns, .len_ns = TICK_NS, .probes = f->s->probes, .loads = 3};
	struct probe_tick pt[3] = {0};
	struct load_tick lt[3] = {0};
	struct event ev[8];
	struct cpu_pct each[2];
	bool on[3] = {!f->quiet && f->number / 60 % 3 == 1, !f->quiet && f->number / 60 % 3 == 2, !f->quiet && f->number / 60 % 4 == 2};
	t.probe = pt;
	t.load = lt;
	t.event = ev;
	t.warmup = !f->quiet && f->number % 60 < 5;
	if (f->number % 60 == 3 && !f->quiet)
		t.len_ns = TICK_NS - 1234567;
	fake_events(f, &t);
	pt[0].slice[Q_LATE] = fake_slice(f, 0, Q_LATE, 100, 40000);
	pt[1].slice[Q_LATE] = fake_slice(f, 1, Q_LATE, 10, 90000);
	if (f->with_audio) {
		pt[2].slice[Q_LATE] = fake_slice(f, 2, Q_LATE, 75, 30000);
		pt[2].slice[Q_INTERVAL] = fake_slice(f, 2, Q_INTERVAL, 75, 1333333);
		pt[2].slice[Q_HEADROOM] = fake_slice(f, 2, Q_HEADROOM, 75, 2600000);
		f->facts[2].played_s += 0.1 / 3;
	}
	f->facts[0].cpu_pct = f->number % 5 ? f->facts[0].cpu_pct : 1 + fake_random(f);
	for (int i = 0; i < t.probes; i++)
		pt[i].facts = f->facts[i];
	for (int i = 0; i < 3; i++) {
		fake_load(f, i, on[i], &lt[i]);
		t.load_set |= on[i] ? 1ull << i : 0;
	}
	if (f->number % 5 == 0) {
		double a = 30 * fake_random(f), b = 20 * fake_random(f), c = 10 * fake_random(f), d = fake_random(f);
		t.cpu_known = true;
		t.cpu = (struct cpu_pct){a, b, c, d, 0, 100 - a - b - c - d};
		each[0] = each[1] = t.cpu;
		t.each = each;
		t.cpus = 2;
	}
	session_apply(f->s, &t);
	for (int i = 0; i < t.probes; i++)
		for (int q = 0; q < Q_COUNT; q++)
			free(pt[i].slice[q]);
}

#endif
