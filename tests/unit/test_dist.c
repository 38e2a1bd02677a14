// Figures are counted by time: a probe that is stuck must not look good because it takes few samples.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "measure/dist.h"

static const struct limits late = {.centre_ns = 0, .limit_ns = {NS_PER_MS, 2 * NS_PER_MS}};

#define assert_close(a, b, rel) assert_true(fabs((double)(a) - (double)(b)) <= (rel) * fabs((double)(b)))

static void
a_cpu_held_300_ms_of_each_second_is_seen_as_such(void **state)
{
	(void)state;
	static struct dist d;
	dist_reset(&d, late);
	for (int second = 0; second < 100; second++) {
		// at 1 ms: 699 wakes in time, then one late by 300 ms that stands for 301 periods
		for (int i = 0; i < 699; i++)
			dist_add_late(&d, 0, NS_PER_MS, 0);
		dist_add_late(&d, 300 * NS_PER_MS, NS_PER_MS, 300);
	}
	assert_int_equal(d.s.samples, 70000);
	assert_int_equal(d.s.missed, 30000);
	assert_int_equal(sums_n(&d.s), 100000);
	assert_true(fabs(sums_within_pct(&d.s, 0) - 70) < 0.2);
	assert_close(sums_avg_ns(&d.s), 45.15e6, 1e-9);
	assert_int_equal(d.s.max_ns, 300 * NS_PER_MS);
	assert_int_equal(d.s.min_ns, 0);
	assert_int_equal(dist_percentile_ns(&d, 0.5), 0);
	assert_close(dist_percentile_ns(&d, 0.85), 150e6, 0.02);
	assert_close(dist_percentile_ns(&d, 0.99), 290e6, 0.02);
}

static void
assert_same(const struct dist *a, const struct dist *b)
{
	assert_int_equal(a->s.samples + a->s.missed, b->s.samples + b->s.missed);
	assert_int_equal(a->s.min_ns, b->s.min_ns);
	assert_int_equal(a->s.max_ns, b->s.max_ns);
	assert_close(a->s.sum_ns, b->s.sum_ns, 1e-12);
	assert_close(a->s.sumsq_ns2, b->s.sumsq_ns2, 1e-12);
	assert_int_equal(a->s.within[0], b->s.within[0]);
	assert_int_equal(a->s.within[1], b->s.within[1]);
	assert_memory_equal(&a->h, &b->h, sizeof a->h);
}

static void
the_closed_form_is_the_same_as_one_by_one(void **state)
{
	(void)state;
	static struct dist a, b;
	srand48(3);
	for (int round = 0; round < 300; round++) {
		// off-centre limits too: audio intervals are judged around one period
		struct limits lim = {.centre_ns = round % 3 ? 0 : (int64_t)(drand48() * 5e6),
		    .limit_ns = {(int64_t)(drand48() * 2e6), (int64_t)(drand48() * 4e6)}};
		dist_reset(&a, lim);
		dist_reset(&b, lim);
		for (int i = 0; i < 5; i++) {
			int64_t period = 10000 + (int64_t)(drand48() * 2e6);
			uint64_t missed = (uint64_t)(drand48() * drand48() * 500);
			int64_t l = (int64_t)missed * period + (int64_t)(drand48() * (double)period);
			if (i == 4) { // exactly on limits
				period = lim.limit_ns[0] + 1;
				l = lim.centre_ns + lim.limit_ns[0] + (int64_t)missed * period;
			}
			dist_add_late(&a, l, period, missed);
			for (uint64_t k = 0; k <= missed; k++)
				dist_add(&b, l - (int64_t)k * period, 1);
		}
		assert_same(&a, &b);
	}
}

static void
weights_count_as_so_many_periods(void **state)
{
	(void)state;
	static struct dist a, b;
	dist_reset(&a, late);
	dist_reset(&b, late);
	dist_add(&a, 5000, 7);
	for (int i = 0; i < 7; i++)
		dist_add(&b, 5000, 1);
	assert_int_equal(a.s.samples, 1);
	assert_int_equal(a.s.missed, 6);
	assert_same(&a, &b);
}

static void
more_missed_than_it_was_late_is_not_believed(void **state)
{
	(void)state;
	static struct dist d;
	dist_reset(&d, late);
	dist_add_late(&d, 2500, 1000, 1000000);
	assert_int_equal(sums_n(&d.s), 3);
	assert_int_equal(d.s.min_ns, 500);
	dist_add_late(&d, -5, 1000, 3);
	assert_int_equal(sums_n(&d.s), 4);
	dist_add_late(&d, 100, 0, 0);
	assert_int_equal(sums_n(&d.s), 5);
	assert_int_equal(d.h.total, 5);
}

static void
no_data_is_never_zero(void **state)
{
	(void)state;
	static struct dist d;
	dist_reset(&d, late);
	assert_true(isnan(sums_avg_ns(&d.s)));
	assert_true(isnan(sums_stddev_ns(&d.s)));
	assert_true(isnan(sums_within_pct(&d.s, 0)));
	assert_int_equal(dist_percentile_ns(&d, 0.5), -1);
	dist_add(&d, 12345, 1);
	assert_true(sums_avg_ns(&d.s) == 12345);
	assert_true(isnan(sums_stddev_ns(&d.s)));
	for (double q = 0; q <= 1; q += 0.125)
		assert_int_equal(dist_percentile_ns(&d, q), 12345);
}

static void
the_deviation_is_the_sample_deviation(void **state)
{
	(void)state;
	static struct dist d;
	dist_reset(&d, late);
	static const int64_t v[] = {2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000};
	for (int i = 0; i < 8; i++)
		dist_add(&d, v[i], 1);
	assert_close(sums_stddev_ns(&d.s), 2138.089935, 1e-9);
	// equal values far from 0: rounding must not make it NaN
	dist_reset(&d, late);
	dist_add(&d, 123456789012345, 1000);
	assert_true(sums_stddev_ns(&d.s) < 1e6);
	assert_true(sums_avg_ns(&d.s) >= (double)d.s.min_ns && sums_avg_ns(&d.s) <= (double)d.s.max_ns);
}

static void
fill(struct dist *d, int n)
{
	for (int i = 0; i < n; i++)
		dist_add_late(d, (int64_t)(exp(drand48() * 16) * 100), NS_PER_MS, (uint64_t)(i % 9 == 0));
}

static void
slices_add_up_to_the_whole(void **state)
{
	(void)state;
	static struct dist whole, part, sum;
	dist_reset(&whole, late);
	dist_reset(&sum, late);
	struct sums s = {0};
	for (int i = 0; i < 20; i++) {
		dist_reset(&part, late);
		long seed = i;
		srand48(seed);
		fill(&part, i * 50); // the first is empty
		srand48(seed);
		fill(&whole, i * 50);
		struct slice *sl = dist_to_slice(&part);
		assert_non_null(sl);
		for (uint32_t k = 1; k < sl->buckets; k++)
			assert_true(sl->b[k].index > sl->b[k - 1].index);
		dist_add_slice(&sum, sl);
		sums_add(&s, &sl->s);
		free(sl);
	}
	assert_same(&whole, &sum);
	assert_int_equal(s.samples, whole.s.samples);
	assert_int_equal(s.missed, whole.s.missed);
	assert_int_equal(s.min_ns, whole.s.min_ns);
	assert_int_equal(s.max_ns, whole.s.max_ns);
}

static void
a_count_beyond_32_bits_survives_a_slice(void **state)
{
	(void)state;
	static struct dist a, b;
	dist_reset(&a, late);
	dist_reset(&b, late);
	dist_add(&a, 1000, 3 * (uint64_t)UINT32_MAX + 5);
	dist_add(&a, INT64_MAX / 4, 1);
	struct slice *s = dist_to_slice(&a);
	assert_int_equal(s->buckets, 5);
	assert_int_equal(slice_bytes(s), sizeof *s + 5 * sizeof s->b[0]);
	dist_add_slice(&b, s);
	assert_same(&a, &b);
	s->b[4].index = UINT16_MAX; // from a hostile recording
	dist_add_slice(&b, s);
	free(s);
}

static void
figures_keep_their_order(void **state)
{
	(void)state;
	static const double q[] = {0, 0.5, 0.9, 0.99, 0.999, 1};
	static struct dist d;
	srand48(11);
	for (int round = 0; round < 200; round++) {
		dist_reset(&d, late);
		fill(&d, 1 + round % 30);
		double avg = sums_avg_ns(&d.s);
		assert_true((double)d.s.min_ns <= avg && avg <= (double)d.s.max_ns);
		int64_t last = d.s.min_ns;
		for (size_t i = 0; i < sizeof q / sizeof *q; i++) {
			int64_t v = dist_percentile_ns(&d, q[i]);
			assert_true(v >= last && v <= d.s.max_ns);
			last = v;
		}
		assert_true(d.s.within[0] <= d.s.within[1] && d.s.within[1] <= sums_n(&d.s));
		assert_int_equal(d.h.total, sums_n(&d.s));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_cpu_held_300_ms_of_each_second_is_seen_as_such),
	    cmocka_unit_test(the_closed_form_is_the_same_as_one_by_one),
	    cmocka_unit_test(weights_count_as_so_many_periods),
	    cmocka_unit_test(more_missed_than_it_was_late_is_not_believed),
	    cmocka_unit_test(no_data_is_never_zero),
	    cmocka_unit_test(the_deviation_is_the_sample_deviation),
	    cmocka_unit_test(slices_add_up_to_the_whole),
	    cmocka_unit_test(a_count_beyond_32_bits_survives_a_slice),
	    cmocka_unit_test(figures_keep_their_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
