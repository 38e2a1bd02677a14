// The probes' arithmetic, and a timer probe's life as the main thread sees it (run under
// ThreadSanitizer too).
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "probe/burn.h"
#include "probe/echo.h"
#include "probe/probe.h"
#include "probe/schedule.h"
#include "probe/stall.h"

#define PATIENCE_NS (30 * NS_PER_S)

static void
a_late_wake_stays_on_the_grid(void **state)
{
	(void)state;
	struct schedule s;
	uint32_t missed;
	schedule_start(&s, 1000, 10 * NS_PER_MS);
	int64_t first = s.next_ns;
	assert_int_equal(first, 1000 + 10 * NS_PER_MS);
	assert_int_equal(schedule_wake(&s, first + 20000, &missed), 20000);
	assert_int_equal(missed, 0);
	assert_int_equal(s.next_ns, first + 10 * NS_PER_MS);
	// held for 35 ms: three whole periods are missed, and no wake is due in the past
	assert_int_equal(schedule_wake(&s, s.next_ns + 35 * NS_PER_MS, &missed), 35 * NS_PER_MS);
	assert_int_equal(missed, 3);
	assert_int_equal((s.next_ns - first) % (10 * NS_PER_MS), 0);
	assert_int_equal(s.next_ns, first + 50 * NS_PER_MS);
	// exactly one period late
	assert_int_equal(schedule_wake(&s, s.next_ns + 10 * NS_PER_MS, &missed), 10 * NS_PER_MS);
	assert_int_equal(missed, 1);
	// never negative
	assert_int_equal(schedule_wake(&s, s.next_ns - 5, &missed), 0);
	assert_int_equal(missed, 0);
}

static void
the_longest_lateness_at_the_shortest_period_is_counted(void **state)
{
	(void)state;
	struct schedule s = {.next_ns = 0, .period_ns = 10000};
	uint32_t missed;
	int64_t day = 24 * 3600 * NS_PER_S;
	assert_int_equal(schedule_wake(&s, day, &missed), day);
	assert_int_equal(missed, UINT32_MAX);
	assert_int_equal(s.next_ns, day + 10000);
}

static void
only_lasting_greed_doubles_the_period(void **state)
{
	(void)state;
	struct governor g = {.allowed_pct = 80};
	int64_t t = 0, cpu = 0;
	int doubled = 0;
	for (int i = 0; i < 1000; i++) // 79% for ever, and 100% for one stretch
		doubled += governor_check(
		    &g, t += 50 * NS_PER_MS, cpu += (i == 500 ? 50 : 39) * NS_PER_MS);
	assert_int_equal(doubled, 0);
	for (int i = 0; i < 10 && !doubled; i++)
		doubled = governor_check(&g, t += 50 * NS_PER_MS, cpu += 45 * NS_PER_MS);
	assert_int_equal(doubled, 1);
}

static void
only_gaps_that_recur_are_throttling(void **state)
{
	(void)state;
	struct throttle t = {.gap_ns = 50 * NS_PER_MS, .period_ns = NS_PER_S};
	assert_false(throttle_gap(&t, 1 * NS_PER_S, 50 * NS_PER_MS));
	assert_false(throttle_gap(&t, 2 * NS_PER_S, 49 * NS_PER_MS));
	assert_false(throttle_gap(&t, 2500 * NS_PER_MS, 20 * NS_PER_MS)); // something else between
	assert_true(throttle_gap(&t, 3 * NS_PER_S, 51 * NS_PER_MS));
	struct throttle odd = {.gap_ns = 50 * NS_PER_MS, .period_ns = NS_PER_S};
	for (int i = 1; i < 20; i++)
		assert_false(throttle_gap(&odd, i * 700 * NS_PER_MS, 50 * NS_PER_MS));
	struct throttle none = {.gap_ns = 0, .period_ns = NS_PER_S};
	for (int i = 1; i < 20; i++)
		assert_false(throttle_gap(&none, i * NS_PER_S, 0));
}

static void
an_answer_counts_from_the_question_or_from_when_it_was_due(void **state)
{
	(void)state;
	const int64_t p = 10 * NS_PER_MS;
	uint32_t missed;
	int64_t due = p;
	// the asker's own small lateness (timer slack) is no part of the round trip
	assert_int_equal(echo_round(&due, p, p + 60000, p + 80000, &missed), 20000);
	assert_int_equal(missed, 0);
	assert_int_equal(due, 2 * p);
	// no answer for 35 ms
	assert_int_equal(
	    echo_round(&due, p, 2 * p, 2 * p + 35 * NS_PER_MS, &missed), 35 * NS_PER_MS);
	assert_int_equal(missed, 3);
	assert_int_equal(due, 6 * p);
	// nobody ran for 300 ms: all the questions of that time would have waited
	assert_int_equal(
	    echo_round(&due, p, 6 * p + 300 * NS_PER_MS, 6 * p + 300 * NS_PER_MS + 20000, &missed),
	    300 * NS_PER_MS + 20000);
	assert_int_equal(missed, 30);
	assert_int_equal(due, 37 * p);
}

static struct probe *
start_timer(struct probe_config c)
{
	struct err e;
	struct probe *p = probe_new(probe_find("timer"), &c, &e);
	assert_non_null(p);
	assert_int_equal(p->kind->start(p, &e), 0);
	return p;
}

static void
look(struct probe *p)
{
	p->kind->tend(p);
	clock_sleep_until(clock_now_ns() + 5 * NS_PER_MS);
}

// Pops until N wakes have come; gaps are counted in *GAPS.
static void
take_wakes(struct probe *p, int n, int *gaps, int64_t *gap_ns)
{
	struct sample s;
	int64_t last = 0;
	for (int64_t until = clock_now_ns() + PATIENCE_NS; n > 0;) {
		assert_true(clock_now_ns() < until);
		if (!ring_pop(p->ring, &s)) {
			look(p);
			continue;
		}
		assert_true(s.t_ns >= last);
		last = s.t_ns;
		if (s.kind == SAMPLE_GAP) {
			*gaps += 1;
			*gap_ns = s.value[Q_LATE];
			continue;
		}
		assert_true(s.value[Q_LATE] >= 0);
		assert_int_equal(s.missed, s.value[Q_LATE] / s.period_ns);
		n--;
	}
}

static const struct probe_config ordinary = {
    .interval_ns = NS_PER_MS, .policy = {POLICY_OTHER, 0}, .cpu = -1};

static void
a_timer_runs_and_says_what_it_got(void **state)
{
	(void)state;
	struct probe *p = start_timer(ordinary);
	int gaps = 0;
	int64_t gap_ns = 0;
	take_wakes(p, 200, &gaps, &gap_ns);
	assert_int_equal(gaps, 0);
	struct probe_facts f;
	do {
		look(p);
		probe_read(p, &f);
	} while (!atomic_load(&p->live->busy_ns));
	assert_int_equal(f.state, PROBE_RUNNING);
	assert_true(f.effective_known);
	assert_int_equal(f.effective.kind, POLICY_OTHER);
	assert_int_equal(f.interval_ns, NS_PER_MS);
	assert_int_equal(f.doubts & ~DOUBT_UNLOCKED, 0);
	assert_true(isnan(f.played_s));
	// a reset forgets what is over, and nothing that still holds
	atomic_fetch_or(&p->live->doubts, DOUBT_THROTTLED | DOUBT_BURN | DOUBT_INTERVAL);
	probe_forget(p);
	probe_read(p, &f);
	assert_int_equal(f.doubts & ~DOUBT_UNLOCKED, DOUBT_INTERVAL);
	probe_free(p);
}

static void
held_time_is_a_gap_and_no_latency(void **state)
{
	(void)state;
	struct probe *p = start_timer(ordinary);
	int gaps = 0;
	int64_t gap_ns = 0, held;
	take_wakes(p, 20, &gaps, &gap_ns);
	probe_hold(p, true);
	held = clock_now_ns();
	while (clock_now_ns() < held + 300 * NS_PER_MS)
		look(p);
	probe_hold(p, false);
	held = clock_now_ns() - held;
	take_wakes(p, 500, &gaps, &gap_ns);
	assert_int_equal(gaps, 1);
	assert_true(gap_ns >= held - 20 * NS_PER_MS);
	// a stop that was noticed only afterwards
	probe_hold(p, false);
	take_wakes(p, 500, &gaps, &gap_ns);
	assert_int_equal(gaps, 2);
	probe_free(p);
}

static void
it_stops_at_once_whatever_it_does(void **state)
{
	(void)state;
	static const struct {
		int64_t interval_ns;
		int burn_pct;
	} cases[] = {{10 * NS_PER_S, 0}, {10 * NS_PER_S, 90}, {10 * NS_PER_US, 0}, {NS_PER_MS, 90},
	    {NS_PER_S, 50}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct probe_config c = ordinary;
		c.interval_ns = cases[i].interval_ns;
		c.burn_pct = cases[i].burn_pct;
		struct probe *p = start_timer(c);
		int64_t until = clock_now_ns() + PATIENCE_NS;
		while (atomic_load(&p->live->state) != PROBE_RUNNING && clock_now_ns() < until)
			look(p);
		int64_t begin = clock_now_ns();
		p->kind->stop(p);
		assert_null(p->impl);
		assert_true(clock_now_ns() - begin < 5 * NS_PER_S);
		assert_int_equal(atomic_load(&p->live->state), PROBE_OFF);
		probe_free(p);
	}
}

static void
a_main_thread_late_by_half_a_second_loses_nothing(void **state)
{
	(void)state;
	struct probe_config c = ordinary;
	c.interval_ns = 10 * NS_PER_US;
	struct err e;
	struct probe *p = probe_new(probe_find("timer"), &c, &e);
	assert_non_null(p);
	assert_true(p->ring->capacity * c.interval_ns >= NS_PER_S / 2);
	probe_free(p);
	c.interval_ns = 10 * NS_PER_S;
	p = probe_new(probe_find("timer"), &c, &e);
	assert_non_null(p);
	assert_true(ring_bytes(p->ring->capacity, p->ring->size) <= 128 * 1024);
	probe_free(p);
}

static void
a_full_ring_is_counted(void **state)
{
	(void)state;
	struct probe_config c = ordinary;
	c.interval_ns = 100 * NS_PER_US;
	struct probe *p = start_timer(c);
	struct probe_facts f = {0};
	int64_t until = clock_now_ns() + PATIENCE_NS;
	while (!f.dropped && clock_now_ns() < until) {
		look(p); // and takes nothing
		probe_read(p, &f);
	}
	assert_true(f.dropped > 0);
	probe_free(p);
}

static void
limits_follow_the_schedule(void **state)
{
	(void)state;
	struct probe_config c = ordinary;
	c.burn_pct = 50;
	struct probe *p = start_timer(c);
	int gaps = 0;
	int64_t gap_ns;
	take_wakes(p, 5, &gaps, &gap_ns);
	struct limits late = probe_limits(p, Q_LATE), burn = probe_limits(p, Q_BURN),
		      interval = probe_limits(p, Q_INTERVAL);
	assert_int_equal(late.centre_ns, 0);
	assert_int_equal(late.limit_ns[0], NS_PER_MS);
	assert_int_equal(late.limit_ns[1], 2 * NS_PER_MS);
	assert_int_equal(burn.centre_ns, NS_PER_MS / 2);
	assert_int_equal(burn.limit_ns[0], 100 * NS_PER_US);
	assert_int_equal(burn.limit_ns[1], 200 * NS_PER_US);
	assert_int_equal(interval.centre_ns, NS_PER_MS);
	probe_free(p);
}

static void
the_loop_takes_what_was_asked(void **state)
{
	(void)state;
	struct burn b;
	burn_init(&b, 800 * NS_PER_US);
	// the machine may be busy, and its speed changes: what counts is the shortest loop since
	// the last calibration
	int64_t least = INT64_MAX, until = clock_now_ns() + PATIENCE_NS;
	for (int since = 0; since < 2 * BURN_RECENT && clock_now_ns() < until; since++) {
		int64_t took = burn_run(&b);
		least = took < least ? took : least;
		if (burn_check(&b, took)) {
			since = 0;
			least = INT64_MAX;
		}
	}
	double off = fabs((double)least - 800e3) / 800e3;
	if (off > 0.021)
		fail_msg("the shortest loop took %lld ns instead of 800000", (long long)least);
}

static void
a_changed_speed_is_noticed(void **state)
{
	(void)state;
	struct burn b;
	burn_init(&b, NS_PER_MS);
	b.iteration_ns = 2.0;
	b.want_ns = NS_PER_MS;
	b.iterations = NS_PER_MS / 2;
	b.recent = 0;
	b.least_ns = INT64_MAX;
	// preempted loops alone say nothing, one undisturbed among them is enough
	for (int i = 0; i < 10 * BURN_RECENT; i++)
		assert_false(
		    burn_check(&b, i % (BURN_RECENT / 2) ? 5 * NS_PER_MS : 1005 * NS_PER_US));
	// slower by a quarter for good
	bool changed = false;
	for (int i = 0; i < 2 * BURN_RECENT && !changed; i++)
		changed = burn_check(&b, 1250 * NS_PER_US);
	assert_true(changed);
	assert_true(fabs(b.iteration_ns - 2.5) < 0.01);
	assert_true(llabs((long long)b.iterations - 400000) < 1000);
	// nothing makes a loop faster but a faster CPU: once is enough
	assert_true(burn_check(&b, 800 * NS_PER_US));
	assert_true(fabs(b.iteration_ns - 2.0) < 0.01);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_late_wake_stays_on_the_grid),
	    cmocka_unit_test(the_longest_lateness_at_the_shortest_period_is_counted),
	    cmocka_unit_test(only_lasting_greed_doubles_the_period),
	    cmocka_unit_test(only_gaps_that_recur_are_throttling),
	    cmocka_unit_test(an_answer_counts_from_the_question_or_from_when_it_was_due),
	    cmocka_unit_test(a_timer_runs_and_says_what_it_got),
	    cmocka_unit_test(held_time_is_a_gap_and_no_latency),
	    cmocka_unit_test(it_stops_at_once_whatever_it_does),
	    cmocka_unit_test(a_main_thread_late_by_half_a_second_loses_nothing),
	    cmocka_unit_test(a_full_ring_is_counted),
	    cmocka_unit_test(limits_follow_the_schedule),
	    cmocka_unit_test(the_loop_takes_what_was_asked),
	    cmocka_unit_test(a_changed_speed_is_noticed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
