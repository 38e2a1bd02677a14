// The histogram: every value is counted, and every percentile is within 1% of the true one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measure/hist.h"

static uint64_t
sum(const struct hist *h)
{
	uint64_t n = 0;
	for (unsigned b = 0; b < HIST_BUCKETS; b++)
		n += h->count[b];
	return n;
}

static void
buckets_follow_each_other_without_gaps(void **state)
{
	(void)state;
	assert_int_equal(hist_low(0), 0);
	for (unsigned b = 0; b < HIST_BUCKETS; b++) {
		assert_int_equal(hist_bucket(hist_low(b)), b);
		assert_int_equal(hist_bucket(hist_high(b) - 1), b);
		if (b + 1 < HIST_BUCKETS)
			assert_int_equal(hist_bucket(hist_high(b)), b + 1);
		assert_true(hist_low(b) <= hist_mid(b) && hist_mid(b) < hist_high(b));
		// the middle is within 1% of both ends
		assert_true((double)(hist_mid(b) - hist_low(b)) <= 0.01 * (double)hist_low(b));
		assert_true((double)(hist_high(b) - 1 - hist_mid(b)) <= 0.01 * (double)(hist_high(b) - 1));
	}
	assert_int_equal(hist_high(HIST_BUCKETS - 1), 1LL << 45);
}

static void
what_is_off_scale_is_counted(void **state)
{
	(void)state;
	assert_int_equal(hist_bucket(-1), 0);
	assert_int_equal(hist_bucket(INT64_MIN), 0);
	assert_int_equal(hist_bucket(1LL << 45), HIST_BUCKETS - 1);
	assert_int_equal(hist_bucket(INT64_MAX), HIST_BUCKETS - 1);
	static struct hist h;
	h = (struct hist){0};
	hist_add(&h, -5, 2);
	hist_add(&h, INT64_MAX, 3);
	assert_int_equal(h.total, 5);
	assert_int_equal(sum(&h), 5);
	assert_int_equal(hist_percentile(&h, 0.4), 0);
	assert_int_equal(hist_percentile(&h, 1), hist_mid(HIST_BUCKETS - 1));
}

static void
a_ramp_is_the_same_as_its_values_one_by_one(void **state)
{
	(void)state;
	static const int64_t first[] = {0, 1, 63, 64, 127, 128, 999, 1000, 300000000, 1LL << 44, 1LL << 46};
	static const int64_t step[] = {1, 2, 7, 64, 1000, 1000000, 1LL << 40};
	static struct hist a, b;
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		for (size_t k = 0; k < sizeof step / sizeof *step; k++) {
			uint64_t most = (uint64_t)(first[i] / step[k]) + 1;
			for (uint64_t n = 1; n <= most && n <= 3000; n = n < most && n * 3 > most ? most : n * 3) {
				a = b = (struct hist){0};
				for (uint64_t m = 0; m < n; m++)
					hist_add(&a, first[i] - (int64_t)m * step[k], 1);
				hist_add_ramp(&b, first[i], step[k], n);
				assert_memory_equal(&a, &b, sizeof a);
			}
		}
	// and its cost does not grow: ten years at 10 us
	b = (struct hist){0};
	hist_add_ramp(&b, 315360000LL * 1000000000, 10000, 31536000000000ULL);
	assert_int_equal(b.total, 31536000000000ULL);
	assert_int_equal(sum(&b), b.total);
}

static int
by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static void
percentiles_are_within_one_per_cent(void **state)
{
	(void)state;
	static const double q[] = {0, 0.001, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};
	static int64_t v[20000];
	static struct hist h;
	srand48(7);
	for (int round = 0; round < 40; round++) {
		int n = round < 5 ? round + 1 : (int)(drand48() * 19999) + 1;
		h = (struct hist){0};
		for (int i = 0; i < n; i++) {
			// from nanoseconds to hours, heavy-tailed
			double octave = drand48() * drand48() * 44;
			v[i] = (int64_t)((1 + drand48()) * (double)(1LL << (int)octave));
			hist_add(&h, v[i], 1);
		}
		qsort(v, (size_t)n, sizeof *v, by_size);
		for (size_t k = 0; k < sizeof q / sizeof *q; k++) {
			int rank = (int)(q[k] * n);
			if (rank < q[k] * n)
				rank++;
			int64_t want = v[rank > 0 ? rank - 1 : 0], got = hist_percentile(&h, q[k]);
			assert_true(llabs(got - want) <= 0.01 * (double)want);
		}
	}
}

static void
no_data_is_no_percentile(void **state)
{
	(void)state;
	static const struct hist h;
	assert_int_equal(hist_percentile(&h, 0.5), -1);
	static struct hist one;
	hist_add(&one, 0, 1);
	assert_int_equal(hist_percentile(&one, 0), 0);
	assert_int_equal(hist_percentile(&one, 1), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(buckets_follow_each_other_without_gaps),
	    cmocka_unit_test(what_is_off_scale_is_counted),
	    cmocka_unit_test(a_ramp_is_the_same_as_its_values_one_by_one),
	    cmocka_unit_test(percentiles_are_within_one_per_cent),
	    cmocka_unit_test(no_data_is_no_percentile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
