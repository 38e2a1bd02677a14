// Makes, reads and frees probes of every kind.
// Must not know what any of them measures beyond its row of the table.
#include "probe/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"

#define RING_LEAST 1024
#define RING_MOST 65536
#define RING_AUDIO 4096        // its period may be made shorter while it runs
#define RING_NS (8 * NS_PER_S) // longer than an ordinary main thread is ever kept from running
#define OTHER_PERIOD_NS (10 * NS_PER_MS)

struct owned {
	struct probe p;
	void *memory; // the first live page and ring
	size_t bytes;
};

const struct probe_kind *
probe_find(const char *name)
{
	for (int i = 0; probe_kinds[i]; i++)
		if (!strcmp(probe_kinds[i]->name, name))
			return probe_kinds[i];
	return NULL;
}

static bool
is_audio(const struct probe_kind *kind)
{
	return kind->quantities & 1u << Q_HEADROOM;
}

// Room for two seconds, so that a main thread that is late loses nothing; a power of two.
static uint32_t
ring_capacity(const struct probe_kind *kind, const struct probe_config *c)
{
	int64_t period = OTHER_PERIOD_NS;
	if (kind->per_cpu)
		period = c->interval_ns;
	else if (is_audio(kind) && c->rate)
		period = c->period_frames * NS_PER_S / c->rate;
	uint32_t n = is_audio(kind) ? RING_AUDIO : RING_LEAST;
	while (n < RING_MOST && period > 0 && n < RING_NS / period)
		n *= 2;
	return n;
}

struct probe *
probe_new(const struct probe_kind *kind, const struct probe_config *c, struct err *e)
{
	struct owned *o = calloc(1, sizeof *o);
	uint32_t capacity = ring_capacity(kind, c);
	size_t live = (sizeof(struct probe_live) + 63) / 64 * 64;
	size_t bytes = live + ring_bytes(capacity, sizeof(struct sample));
	void *m = o ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
		    : MAP_FAILED;
	if (m == MAP_FAILED) {
		free(o);
		err_set(e, "no memory for the %s probe:", kind->name);
		return NULL;
	}
	o->memory = m;
	o->bytes = bytes;
	o->p = (struct probe){.kind = kind, .config = *c, .live = m};
	if (!kind->per_cpu && !is_audio(kind)) // processes that stand for ordinary programs
		o->p.config.policy = (struct policy){.kind = POLICY_OTHER};
	o->p.ring = ring_init((char *)m + live, capacity, sizeof(struct sample));
	atomic_store(&o->p.live->policy, -1);
	atomic_store(&o->p.live->hardware, -1);
	return &o->p;
}

void
probe_free(struct probe *p)
{
	if (!p)
		return;
	struct owned *o = (struct owned *)p;
	if (p->impl)
		p->kind->stop(p);
	// A thread that hangs in a driver may still write there: its memory is left to it.
	if (!p->impl)
		munmap(o->memory, o->bytes);
	free(o);
}

static void
doubt_words(const struct probe *p, struct probe_facts *f)
{
	char asked[24], got[24];
	policy_text(asked, sizeof asked, f->asked);
	policy_text(got, sizeof got, f->effective);
	if (f->doubts & DOUBT_AFFINITY)
		snprintf(f->reason, sizeof f->reason, "CPU %d was refused", p->config.cpu);
	else if (f->doubts & DOUBT_POLICY)
		snprintf(f->reason, sizeof f->reason, "%s asked, %s granted", asked, got);
	else if (f->doubts & DOUBT_THROTTLED)
		snprintf(f->reason, sizeof f->reason,
		    "gaps of real-time throttling (sched_rt_runtime_us)");
	else if (f->doubts & DOUBT_INTERVAL)
		snprintf(f->reason, sizeof f->reason,
		    "the interval was too short for this machine: a longer one is used");
	else if (f->doubts & DOUBT_BURN)
		snprintf(f->reason, sizeof f->reason,
		    "the CPU's speed changed: the CPU loop was calibrated again");
	else if (f->doubts & DOUBT_UNLOCKED)
		snprintf(f->reason, sizeof f->reason, "memory could not be locked (ulimit -l)");
}

static void
read_reason(const struct probe *p, struct probe_facts *f)
{
	char buf[96];
	if (p->kind->reason)
		p->kind->reason(p, f->reason, sizeof f->reason);
	if (f->reason[0])
		return;
	int error = atomic_load(&p->live->error);
	if ((f->state == PROBE_LOST || f->state == PROBE_FAILED) && error)
		snprintf(f->reason, sizeof f->reason, "%s", strerror_r(error, buf, sizeof buf));
	else
		doubt_words(p, f);
}

static void
read_audio(const struct probe *p, struct probe_facts *f)
{
	const struct probe_live *l = p->live;
	f->rate = atomic_load(&l->rate);
	f->periods = atomic_load(&l->periods);
	f->period_frames = atomic_load(&l->period_frames);
	f->buffer_frames = atomic_load(&l->buffer_frames);
	f->hardware = atomic_load(&l->hardware);
	f->silent_s = (double)atomic_load(&l->silent_ns) / 1e9;
	f->longest_silence_s = (double)atomic_load(&l->longest_silence_ns) / 1e9;
	int64_t ppb = atomic_load(&l->rate_uhz_ppb);
	if (ppb)
		f->rate_ppm = (double)ppb / 1e3;
	f->xruns = atomic_load(&l->xruns);
	if (f->rate)
		f->played_s = (double)atomic_load(&l->played_frames) / f->rate;
	if (p->config.device)
		snprintf(f->device, sizeof f->device, "%s", p->config.device);
}

void
probe_read(const struct probe *p, struct probe_facts *f)
{
	const struct probe_live *l = p->live;
	*f = (struct probe_facts){
	    .state = (enum probe_state)atomic_load(&l->state),
	    .doubts = atomic_load(&l->doubts),
	    .asked = p->config.policy,
	    .cpu_pct = NAN,
	    .hardware = -1,
	    .played_s = NAN,
	    .silent_s = NAN,
	    .longest_silence_s = NAN,
	    .rate_ppm = NAN,
	    .interval_ns = atomic_load(&l->period_ns),
	    .burn_ns = atomic_load(&l->burn_ns),
	    .dropped = atomic_load(&p->ring->dropped),
	};
	int policy = atomic_load(&l->policy);
	f->effective_known = policy >= 0;
	if (f->effective_known)
		f->effective = (struct policy){
		    .kind = (enum policy_kind)policy, .priority = atomic_load(&l->priority)};
	if (is_audio(p->kind))
		read_audio(p, f);
	read_reason(p, f);
}

struct limits
probe_limits(const struct probe *p, enum quantity q)
{
	switch (q) {
	case Q_INTERVAL:
		return (struct limits){
		    atomic_load(&p->live->period_ns), {NS_PER_MS, 2 * NS_PER_MS}};
	case Q_BURN:
		return (struct limits){
		    atomic_load(&p->live->burn_ns), {100 * NS_PER_US, 200 * NS_PER_US}};
	default:
		return (struct limits){0, {NS_PER_MS, 2 * NS_PER_MS}};
	}
}

void
probe_hold(struct probe *p, bool held)
{
	unsigned now = atomic_load(&p->live->hold);
	if (held && !(now & 1))
		atomic_store(&p->live->hold, now + 1);
	else if (!held)
		atomic_store(&p->live->hold, now + (now & 1 ? 1 : 2));
}

void
probe_forget(struct probe *p)
{
	atomic_fetch_and(&p->live->doubts, ~(unsigned)(DOUBT_THROTTLED | DOUBT_BURN));
}
