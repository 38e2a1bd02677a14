// A session made of seeded ticks: no thread, no terminal, no machine in it. For tests of screens.
#ifndef TESTS_SEEDED_H
#define TESTS_SEEDED_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "measure/dist.h"
#include "session/options.h"
#include "session/session.h"

#define SEED_TICKS 751

static uint64_t seed_state;

static double
seed_next(void)
{
	seed_state = seed_state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(seed_state >> 11) / 9007199254740992.0;
}

// A latency with a median and a tail; TAIL is how many decades one value in a thousand goes beyond
// it.
static int64_t
seed_latency(double median_us, double tail)
{
	double u = seed_next();
	double v = median_us * (0.7 + 0.6 * seed_next()) * pow(10, tail * pow(u, 12));
	return (int64_t)(v * 1000);
}

static void
seed_host(struct host *h)
{
	*h = (struct host){.cpus = 2,
	    .ram_bytes = 25769803776ull,
	    .rt_runtime_us = 950000,
	    .rt_period_us = 1000000};
	strcpy(h->name, "studio");
	strcpy(h->kernel, "6.18.44");
	strcpy(h->version, "#1 SMP");
	strcpy(h->preempt, "PREEMPT_DYNAMIC (lazy)");
	strcpy(h->model, "a processor");
	strcpy(h->clocksource, "tsc");
}

static const struct {
	const char *name, *unit;
	char key;
	double rate; // work a tick
} seed_loads[] = {
    {"memory", "lines", '1', 1.9e8},
    {"io", "operations", '2', 4120},
    {"process", "hops", '3', 9.1e4},
    {"x11", "operations", '4', 100},
    {"procfs", "files", '5', 3000},
    {"disk-write", "bytes", '6', 4.12e7},
    {"disk-copy", "bytes", '7', 2e7},
    {"disk-read", "bytes", '8', 4e7},
    {"mmap", "bytes", '9', 1e8},
    {"alloc", "bytes", '0', 1e8},
    {"burn", "loops", 0, 1e5},
    {"fork", "processes", 0, 300},
    {"list", "files", 0, 1e4},
};
#define SEED_LOADS ((int)(sizeof seed_loads / sizeof *seed_loads))

static void
seed_probe_facts(struct probe_facts *f, const char *name, double t_s, uint64_t xruns)
{
	*f = (struct probe_facts){.state = PROBE_RUNNING,
	    .effective_known = true,
	    .hardware = -1,
	    .interval_ns = 1000000};
	f->asked = f->effective = (struct policy){POLICY_FIFO, 80};
	f->cpu_pct = 1.13;
	f->played_s = f->silent_s = f->longest_silence_s = f->rate_ppm = NAN;
	if (!strcmp(name, "audio")) {
		strcpy(f->device, "hw:0");
		f->hardware = 1;
		f->rate = 48000;
		f->periods = 3;
		f->period_frames = 64;
		f->buffer_frames = 192;
		f->interval_ns = 1333333;
		f->xruns = xruns;
		f->silent_s = (double)xruns * 0.011;
		f->played_s = t_s - f->silent_s;
		f->rate_ppm = 12.4;
	} else if (!strcmp(name, "echo")) {
		f->effective = f->asked = (struct policy){POLICY_OTHER, 0};
		f->interval_ns = 10000000;
		f->cpu_pct = 0.4;
	}
}

static struct slice *
seed_slice(const char *name, int load)
{
	static struct dist d;
	int n = !strcmp(name, "echo") ? 10 : !strcmp(name, "audio") ? 75 : 100;
	double median = !strcmp(name, "echo") ? 90 : !strcmp(name, "audio") ? 18 : 14;
	double tail = load == 0 ? 2.6 : load == 5 ? 1.9 : 1.0;
	dist_reset(&d, (struct limits){0, {1000000, 2000000}});
	for (int i = 0; i < n; i++)
		dist_add(&d, seed_latency(load == 0 ? median * 1.6 : median, tail), 1);
	return dist_to_slice(&d);
}

// Loads of the story: 0 memory from 20 s, 5 disk-write from 45 s, none else. -1: none.
static int
seed_load_at(int64_t tick)
{
	return tick >= 200 && tick < 340 ? 0 : tick >= 450 && tick < 710 ? 5 : -1;
}

static void
seed_event(struct tick *t, enum event_kind kind, int which, int64_t value, const char *text)
{
	struct event *e = &t->event[t->events++];
	*e = (struct event){
	    .t_ns = t->t_ns - TICK_NS / 2, .kind = kind, .which = which, .value = value};
	snprintf(e->text, sizeof e->text, "%s", text);
}

static void
seed_load_tick(struct load_tick *l, int i, bool on)
{
	*l = (struct load_tick){.state = on ? LOAD_ON : LOAD_OFF, .level = 1};
	l->status.cpu_pct = NAN;
	if (i == 0)
		l->level = 2;
	if (i == 3) {
		l->state = LOAD_FAILED;
		strcpy(l->status.reason, "no X display: DISPLAY is not set");
	}
	if (on) {
		l->work = (uint64_t)(seed_loads[i].rate * (0.95 + 0.1 * seed_next()));
		l->cpu_ns = i == 0 ? 190000000 : 31000000;
		l->status.rss_bytes = 412000000;
		l->status.majflt = 41200;
		l->status.workers = l->level;
		if (i == 0)
			strcpy(l->status.reason, "dirty shared file in a memory cgroup of 512 MiB");
	}
	l->status.state = l->state;
	l->status.level = l->level;
}

static void
seed_cpu(struct tick *t, int load)
{
	double busy = load == 0 ? 90 : load == 5 ? 45 : 6;
	t->cpu_known = true;
	t->cpu = (struct cpu_pct){.user = busy * (0.5 + 0.15 * seed_next()),
	    .system = busy * (0.25 + 0.1 * seed_next()),
	    .iowait = load == 5 ? 9 + 8 * seed_next() : 0.2,
	    .irq = busy * 0.02,
	    .steal = 0.3};
	t->cpu.idle = 100 - cpu_busy(&t->cpu) - t->cpu.iowait;
	t->cpus = 2;
	t->each = calloc(2, sizeof *t->each);
	for (int i = 0; i < 2; i++) {
		t->each[i] = t->cpu;
		t->each[i].user *= i ? 0.6 : 1.2;
	}
}

// An empty session with the story's probes and loads. PROBES: names, comma between;
// "audio,timer,echo".
static struct session *
seed_session(const char *probes)
{
	static struct config c;
	char names[64], *save = NULL;
	config_defaults(&c);
	struct session *s = session_new(&c);
	seed_host(&s->host);
	snprintf(names, sizeof names, "%s", probes);
	for (char *n = strtok_r(names, ",", &save); n; n = strtok_r(NULL, ",", &save))
		session_add_probe(s, probe_find(n), !strcmp(n, "timer") ? 0 : -1,
		    !strcmp(n, "timer") ? "timer cpu0" : n);
	for (int i = 0; i < SEED_LOADS; i++)
		session_add_load(s, seed_loads[i].name, seed_loads[i].key, seed_loads[i].unit);
	seed_state = 42;
	return s;
}

static struct tick *
seed_tick(const struct session *s, int64_t n)
{
	struct tick *t = calloc(1, sizeof *t);
	int load = seed_load_at(n), before = n ? seed_load_at(n - 1) : -1;
	*t = (struct tick){.number = n,
	    .t_ns = n * TICK_NS,
	    .len_ns = TICK_NS,
	    .probes = s->probes,
	    .loads = s->loads};
	t->probe = calloc(PROBES_MAX, sizeof *t->probe);
	t->load = calloc(LOADS_MAX, sizeof *t->load);
	t->event = calloc(8, sizeof *t->event);
	t->warmup = n < 5 || (load != before ? true : n >= 5 && (seed_load_at(n - 5) != load));
	t->load_set = load >= 0 ? 1ull << load : 0;
	if (load != before)
		seed_event(t, load >= 0 ? EVENT_LOAD_ON : EVENT_LOAD_OFF, load >= 0 ? load : before,
		    -1, seed_loads[load >= 0 ? load : before].name);
	if (n == 231 || n == 262 || n == 263)
		seed_event(t, EVENT_XRUN, 0, 11000000, "audio");
	if (n == 80 || n == 210)
		seed_event(t, EVENT_SLOT, n == 210, 1, n == 210 ? "B" : "A");
	if (n == 180 || n == 330)
		seed_event(t, EVENT_SLOT, n == 330, 0, n == 330 ? "B" : "A");
	if (n == 400)
		seed_event(t, EVENT_MARK, -1, -1, "governor set to performance");
	uint64_t xruns = n < 231 ? 0 : n < 262 ? 1 : n < 263 ? 2 : 3;
	for (int i = 0; i < s->probes; i++) {
		const char *name = s->probe[i].kind->name;
		seed_probe_facts(&t->probe[i].facts, name, (double)n / 10, xruns);
		t->probe[i].slice[Q_LATE] = seed_slice(name, load);
	}
	for (int i = 0; i < s->loads; i++)
		seed_load_tick(&t->load[i], i, i == load);
	if (n % 5 == 0)
		seed_cpu(t, load);
	return t;
}

// Ticks FROM .. TO - 1 of the story.
static void
seed_run(struct session *s, int64_t from, int64_t to)
{
	for (int64_t n = from; n < to; n++) {
		struct tick *t = seed_tick(s, n);
		session_apply(s, t);
		tick_free(t);
		free(t);
	}
}

#endif
