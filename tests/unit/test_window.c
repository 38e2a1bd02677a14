// Rolling figures are those of the last while, no more and no less, in bounded memory.
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "measure/window.h"

static const struct limits lim = {.centre_ns = 0, .limit_ns = {NS_PER_MS, 2 * NS_PER_MS}};

// A slice of N values of VALUE ns.
static void
add(struct window *w, int64_t tick, int64_t value, int n)
{
	static struct dist d;
	dist_reset(&d, lim);
	for (int i = 0; i < n; i++)
		dist_add(&d, value, 1);
	struct slice *s = dist_to_slice(&d);
	window_add(w, tick, s);
	free(s);
}

static uint64_t
samples(const struct window *w, int64_t now, int64_t ticks)
{
	static struct dist d;
	window_get(w, now, ticks, &d);
	assert_int_equal(d.h.total, d.s.samples);
	return d.s.samples;
}

static void
short_windows_are_exact(void **state)
{
	(void)state;
	struct window *w = window_new(lim);
	for (int t = 0; t < 2000; t++) {
		add(w, t, 1000 + t, 1);
		for (int64_t back = 1; back <= 590 && back <= t + 1; back += 37) {
			static struct dist d;
			window_get(w, t, back, &d);
			assert_int_equal(d.s.samples, back);
			assert_int_equal(d.s.min_ns, 1000 + t - back + 1);
			assert_int_equal(d.s.max_ns, 1000 + t);
		}
	}
	assert_int_equal(samples(w, 1999, 0), 0);
	assert_int_equal(samples(w, 5000, 100), 0);
	assert_int_equal(samples(w, 1800, 100), 100); // looked at from the past
	window_free(w);
}

static void
long_windows_are_right_to_one_slice(void **state)
{
	(void)state;
	struct window *w = window_new(lim);
	int64_t end = 80000;
	for (int64_t t = 0; t < end; t++)
		add(w, t, 1000, 1);
	static const struct {
		int64_t ticks, slice;
	} row[] = {{600, 10}, {3000, 10}, {5800, 10}, {6000, 100}, {30000, 100}, {59000, 100}};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (int64_t now = end - 140; now < end; now++) {
			int64_t n = (int64_t)samples(w, now, row[i].ticks);
			assert_true(n >= row[i].ticks && n < row[i].ticks + row[i].slice);
		}
	// more than is kept: all that is kept, at least 100 minutes less one slice
	assert_true(samples(w, end - 1, end) >= 59900);
	window_free(w);
}

static void
a_spike_leaves_the_window_when_its_time_is_over(void **state)
{
	(void)state;
	static struct dist d;
	struct window *w = window_new(lim);
	for (int t = 0; t < 5000; t++)
		add(w, t, t == 777 ? 50 * NS_PER_MS : 20000, 10);
	window_get(w, 4999, 4999 - 777 + 1, &d);
	assert_int_equal(d.s.max_ns, 50 * NS_PER_MS);
	assert_int_equal(d.s.within[0], d.s.samples - 10);
	window_get(w, 4999, 4999 - 777 - 10, &d);
	assert_int_equal(d.s.max_ns, 20000);
	window_free(w);
}

static void
gaps_are_no_data(void **state)
{
	(void)state;
	struct window *w = window_new(lim);
	for (int t = 0; t < 95; t++)
		add(w, t, 1000, 1);
	add(w, 100000, 2000, 3);
	assert_int_equal(samples(w, 100000, 100), 3);
	assert_int_equal(samples(w, 100000, 50000), 3);
	assert_int_equal(samples(w, 100050, 50), 0);
	add(w, 100000, 2000, 4); // the same tick again adds up
	assert_int_equal(samples(w, 100000, 1), 7);
	add(w, 99999, 2000, 4); // back in time: refused
	assert_int_equal(samples(w, 100000, 2), 7);
	window_reset(w, lim);
	assert_int_equal(samples(w, 100000, 100000), 0);
	add(w, 3, 2000, 1); // time may begin anew after a reset
	assert_int_equal(samples(w, 3, 10), 1);
	window_free(w);
	window_free(NULL);
}

// Figures of a probe at 1 ms for a simulated month: every tick has its own values, each level its most.
static void
thirty_days_take_bounded_memory(void **state)
{
	(void)state;
	struct window *w = window_new(lim);
	enum { KINDS = 64 };
	struct slice *kind[KINDS];
	static struct dist d;
	srand48(5);
	for (int k = 0; k < KINDS; k++) {
		dist_reset(&d, lim);
		for (int i = 0; i < 100; i++)
			dist_add(&d, (int64_t)(13000 + drand48() * drand48() * drand48() * 5e6), 1);
		kind[k] = dist_to_slice(&d);
	}
	size_t first = 0, last = 0;
	// the first days and the last tick by tick, those between with gaps
	for (int64_t t = 0, day = 864000, step = 1; t < 30 * day; t += step) {
		window_add(w, t, kind[t % KINDS]);
		step = t > day && t < 29 * day ? 45 : 1;
		if (t == day - 1)
			first = mallinfo2().uordblks;
	}
	last = mallinfo2().uordblks;
	assert_true(last < first + 256 * 1024);
	assert_true(last < 8 * 1024 * 1024);
	window_get(w, 30LL * 864000 - 1, 600, &d);
	assert_true(d.s.samples >= 60000 && d.s.samples < 61000);
	for (int k = 0; k < KINDS; k++)
		free(kind[k]);
	window_free(w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(short_windows_are_exact),
	    cmocka_unit_test(long_windows_are_right_to_one_slice),
	    cmocka_unit_test(a_spike_leaves_the_window_when_its_time_is_over),
	    cmocka_unit_test(gaps_are_no_data),
	    cmocka_unit_test(thirty_days_take_bounded_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
