// The timer probe: how late a thread wakes up on an absolute schedule, as cyclictest, and
// latencytest's CPU loop. Must not know who reads its samples.
#include "probe/kinds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "probe/burn.h"
#include "probe/schedule.h"
#include "probe/stall.h"
#include "probe/thread.h"

#define STOP_MS 2000
#define CHECK_NS (50 * NS_PER_MS)
#define SETTLE_NS (2 * NS_PER_S) // a CPU may change its speed as a loop begins: no doubt until then
#define HOLD_LOOK_NS (20 * NS_PER_MS)

struct timer {
	struct probe *p;
	struct thread *thread;
	int burn_pct;
	// the measuring thread's own
	struct thread *self;
	struct schedule schedule;
	struct burn burn;
	struct throttle throttle;
	struct governor governor;
	struct stall stall;
	int64_t started_ns, woke_ns, checked_ns;
};

static int64_t
read_us(const char *path, int64_t otherwise)
{
	FILE *f = fopen(path, "re");
	long long v;
	bool good = f && fscanf(f, "%lld", &v) == 1;
	if (f)
		fclose(f);
	return good ? v : otherwise;
}

// Fair servers of newer kernels hand out the same share where the throttling itself is switched
// off.
static void
throttle_init(struct throttle *t)
{
	int64_t period = read_us("/proc/sys/kernel/sched_rt_period_us", 1000000);
	int64_t runtime = read_us("/proc/sys/kernel/sched_rt_runtime_us", 950000);
	if (runtime < 0 || runtime >= period) {
		period = 1000000;
		runtime = 950000;
	}
	*t = (struct throttle){
	    .gap_ns = (period - runtime) * NS_PER_US, .period_ns = period * NS_PER_US};
}

static void
set_period(struct timer *m, int64_t now, int64_t period_ns)
{
	schedule_start(&m->schedule, now, period_ns);
	atomic_store(&m->p->live->period_ns, period_ns);
	if (!m->burn_pct)
		return;
	int64_t want = period_ns * m->burn_pct / 100;
	if (m->burn.iteration_ns > 0)
		burn_want(&m->burn, want);
	else
		burn_init(&m->burn, want);
	atomic_store(&m->p->live->burn_ns, want);
	schedule_start(&m->schedule, clock_now_ns(), period_ns);
}

static void
push_gap(struct timer *m, int64_t now, int64_t length)
{
	struct sample s = stall_sample(SAMPLE_GAP, now, m->schedule.period_ns);
	s.value[Q_LATE] = length > 0 ? length : 0;
	ring_push(m->p->ring, &s);
	schedule_start(&m->schedule, now, m->schedule.period_ns);
	m->woke_ns = now;
}

// True where the time since the last wake was no latency but a stop or a suspend: it has been said.
static bool
was_gap(struct timer *m, int64_t now)
{
	int64_t slept, since = m->woke_ns;
	if (stall_look(&m->stall, m->p->live, now, &slept)) {
		while (stall_held(&m->stall, m->p->live) && !thread_should_stop(m->self))
			now = thread_sleep_until(m->self, now + HOLD_LOOK_NS);
		push_gap(m, now, now - since + slept);
		return true;
	}
	if (!thread_was_stopped(m->self, m->schedule.next_ns, now))
		return false;
	push_gap(m, now, now - since);
	return true;
}

static void
doubt(struct timer *m, unsigned bit)
{
	atomic_fetch_or_explicit(&m->p->live->doubts, bit, memory_order_relaxed);
}

static void
run_burn(struct timer *m, struct sample *s)
{
	int64_t took = burn_run(&m->burn);
	s->value[Q_BURN] = took;
	if (burn_check(&m->burn, took) && s->t_ns - m->started_ns > SETTLE_NS)
		doubt(m, DOUBT_BURN);
	if (throttle_gap(&m->throttle, s->t_ns, took - m->burn.want_ns))
		doubt(m, DOUBT_THROTTLED);
}

// A period that leaves the machine no time for anything else is made longer, and that is said.
static void
check_share(struct timer *m, int64_t now)
{
	struct timespec ts;
	if (now - m->checked_ns < CHECK_NS || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts))
		return;
	m->checked_ns = now;
	if (governor_check(&m->governor, now, clock_from_timespec(&ts))) {
		doubt(m, DOUBT_INTERVAL);
		set_period(m, now, m->schedule.period_ns * 2);
	}
}

static void
wake(struct timer *m, int64_t now)
{
	struct sample s = stall_sample(SAMPLE_WAKE, now, m->schedule.period_ns);
	s.value[Q_LATE] = schedule_wake(&m->schedule, now, &s.missed);
	m->woke_ns = now;
	if (m->burn_pct)
		run_burn(m, &s);
	if (thread_should_stop(m->self))
		return; // the loop may have ended early
	ring_push(m->p->ring, &s);
	if (throttle_gap(&m->throttle, now, s.value[Q_LATE]))
		doubt(m, DOUBT_THROTTLED);
	check_share(m, now);
}

// Others must get something of a real-time CPU; a deadline thread that uses up its budget is held
// back by the kernel.
static int
allowed_pct(const struct timer *m)
{
	if (!m->burn_pct && atomic_load(&m->p->live->policy) == POLICY_DEADLINE)
		return 40;
	return 80 + m->burn_pct * 15 / 100;
}

static void
measure(struct thread *t, void *data)
{
	struct timer *m = data;
	m->self = t;
	throttle_init(&m->throttle);
	stall_init(&m->stall, m->p->live);
	m->started_ns = m->woke_ns = m->checked_ns = clock_now_ns();
	m->governor = (struct governor){.since_ns = m->started_ns, .allowed_pct = allowed_pct(m)};
	set_period(m, m->started_ns, m->p->config.interval_ns);
	m->burn.stop = thread_stop_flag(t);
	atomic_store(&m->p->live->state, PROBE_RUNNING);
	while (!thread_should_stop(t)) {
		int64_t now = thread_sleep_until(t, m->schedule.next_ns);
		if (now >= m->schedule.next_ns && !was_gap(m, now))
			wake(m, now);
	}
}

static int
start(struct probe *p, struct err *e)
{
	struct timer *m = calloc(1, sizeof *m);
	if (!m)
		return err_set(e, "no memory for the timer probe");
	m->p = p;
	m->burn_pct = p->config.burn_pct;
	p->impl = m;
	atomic_store(&p->live->state, PROBE_STARTING);
	int64_t period = p->config.interval_ns;
	struct thread_ask ask = {
	    .name = "stutter-timer",
	    .policy = p->config.policy,
	    .need = {.period_ns = period,
		.run_ns = period * m->burn_pct / 100,
		.cpu = p->config.cpu},
	    .live = p->live,
	    .ring = p->ring,
	    .data = m,
	    .data_bytes = sizeof *m,
	    .main = measure,
	};
	m->thread = thread_start(&ask, e);
	if (m->thread)
		return 0;
	atomic_store(&p->live->error, errno);
	atomic_store(&p->live->state, PROBE_FAILED);
	p->impl = NULL;
	free(m);
	return -1;
}

static void
stop(struct probe *p)
{
	struct timer *m = p->impl;
	if (!thread_stop(m->thread, STOP_MS))
		return;
	free(m);
	p->impl = NULL;
	atomic_store(&p->live->state, PROBE_OFF);
}

static void
tend(struct probe *p)
{
	struct timer *m = p->impl;
	if (m)
		thread_tend(m->thread);
}

const struct probe_kind probe_timer = {
    .name = "timer",
    .does = "lateness of a thread's wake-up on an absolute schedule, as cyclictest; with --burn "
	    "also a CPU loop",
    .more = "real-time: as root, or rtprio and memlock in /etc/security/limits.d, or rtkit; "
	    "--dma-latency",
    .quantities = 1u << Q_LATE | 1u << Q_BURN,
    .per_cpu = true,
    .weighted = true,
    .unit = "wake",
    .start = start,
    .stop = stop,
    .tend = tend,
};
