// Graphs over any stretch: nothing is lost, nothing shows twice, and memory stays the same for ever.
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/series.h"

#define DAY (86400LL * 10) // ticks

static void
each_tick_is_as_it_was_added(void **state)
{
	(void)state;
	struct series *s = series_new();
	assert_int_equal(series_get(s, -10, 100).n, 0);
	for (int t = 0; t < 1000; t++)
		if (t % 10 != 3) // a hole: no data is not 0
			series_add(s, t, t, 2.0 * t, 2);
	for (int t = 0; t < 1000; t++) {
		struct bin b = series_get(s, t, t + 1);
		assert_int_equal(b.n, t % 10 == 3 ? 0 : 2);
		if (b.n) {
			assert_true(b.max == (float)t);
			assert_true(b.sum == (float)(2 * t));
		}
	}
	struct bin b = series_get(s, 100, 200);
	assert_int_equal(b.n, 180);
	assert_true(b.max == 199);
	assert_int_equal(series_get(s, 1000, 2000).n, 0);
	assert_int_equal(series_get(s, -500, 0).n, 0);
	assert_int_equal(series_get(s, 5, 5).n, 0);
	series_free(s);
}

static void
one_tick_adds_up(void **state)
{
	(void)state;
	struct series *s = series_new();
	series_add(s, 7, -5, -5, 1);
	series_add(s, 7, -9, -9, 1);
	series_add(s, 7, 0, 0, 0); // nothing
	struct bin b = series_get(s, 0, 100);
	assert_int_equal(b.n, 2);
	assert_true(b.max == -5); // a negative maximum is not lifted to 0
	assert_true(b.sum == -14);
	series_add(s, 6, 100, 100, 1); // back in time: refused
	assert_int_equal(series_get(s, 0, 100).n, 2);
	series_free(s);
}

// Side by side, the columns of a graph hold each value once.
static void
columns_hold_everything_once(void **state)
{
	(void)state;
	struct series *s = series_new();
	for (int64_t t = 0; t < 40000; t++)
		series_add(s, t, 1, 1, 1);
	static const int64_t column[] = {1, 3, 5, 7, 16, 25, 31, 100, 150};
	for (size_t i = 0; i < sizeof column / sizeof *column; i++) {
		// the newest 4000 ticks are kept tick by tick
		uint64_t n = 0;
		int64_t from = 40000 - 4000, to = from;
		for (; to < 40000; to += column[i])
			n += series_get(s, to, to + column[i]).n;
		assert_int_equal(n, 4000);
	}
	// older ones in bins of 25 ticks: columns of at least that width again hold each once
	uint64_t n = 0;
	for (int64_t t = 0; t < 40000; t += 125)
		n += series_get(s, t, t + 125).n;
	assert_int_equal(n, 40000);
	series_free(s);
}

static void
thirty_days_keep_a_spike_as_long_as_promised(void **state)
{
	(void)state;
	struct series *s = series_new();
	size_t before = mallinfo2().uordblks;
	int64_t end = 30 * DAY, spike = end - 4 * DAY;
	for (int64_t t = 0; t < end; t++)
		series_add(s, t, t == spike ? 1e9 : 1e4, 1e5, 10);
	assert_int_equal(mallinfo2().uordblks, before);
	// 4.3 days back in bins of 90 s
	struct bin b = series_get(s, spike - 900, spike + 900);
	assert_true(b.max == 1e9F);
	assert_true(series_get(s, spike + 900, end).max == 1e4F);
	// what has aged out is no data
	assert_int_equal(series_get(s, 0, end - 5 * DAY).n, 0);
	// and the sum over days is not worn away by rounding
	b = series_get(s, end - 4 * DAY, end);
	assert_true(b.n >= 4 * DAY * 10 - 9000 && b.n <= 4 * DAY * 10 + 9000);
	assert_true(b.sum / b.n > 0.99e4 && b.sum / b.n < 1.01e4);
	series_free(s);
}

static void
a_gap_of_any_length_is_a_gap(void **state)
{
	(void)state;
	static const int64_t gap[] = {1, 4095, 4096, 4097, 20000, 900 * 4096LL, 10000000000LL};
	for (size_t i = 0; i < sizeof gap / sizeof *gap; i++) {
		struct series *s = series_new();
		for (int64_t t = 0; t < 5000; t++)
			series_add(s, t, 5, 5, 1);
		int64_t end = 5000 + gap[i];
		series_add(s, end, 6, 6, 1);
		// the last old bin and the new one may reach 90 s into it
		assert_int_equal(series_get(s, 5000 + 900, end - 900).n, 0);
		assert_true(series_get(s, end, end + 1).max == 6);
		assert_true(series_get(s, end - 1000, end + 1).n <= 1001);
		series_free(s);
	}
}

static void
a_recording_may_begin_late(void **state)
{
	(void)state;
	struct series *s = series_new();
	series_add(s, 123456789, 3, 3, 1);
	assert_int_equal(series_get(s, 0, 123456789 - 900).n, 0);
	assert_int_equal(series_get(s, 123456789, 123456790).n, 1);
	series_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_tick_is_as_it_was_added),
	    cmocka_unit_test(one_tick_adds_up),
	    cmocka_unit_test(columns_hold_everything_once),
	    cmocka_unit_test(thirty_days_keep_a_spike_as_long_as_promised),
	    cmocka_unit_test(a_gap_of_any_length_is_a_gap),
	    cmocka_unit_test(a_recording_may_begin_late),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
