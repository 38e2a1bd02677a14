// A against B: a thousand seeded simulations of latency as machines make it, and answers known beforehand.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/ab.h"

#define TABLE 16384
#define BLOCKS 64

// What one side of a comparison may be: as it is, 20% more, under a drift of 50% over the run, both.
enum variant { PLAIN, MORE, DRIFT, DRIFT_MORE, VARIANTS };

struct random {
	uint64_t state;
};

static uint64_t
random_next(struct random *r)
{
	// splitmix64 (Steele, Lea, Flood 2014)
	uint64_t z = r->state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static double
random_share(struct random *r)
{
	return ((double)(random_next(r) >> 11) + 0.5) / 9007199254740992.0;
}

static double
random_normal(struct random *r)
{
	return sqrt(-2 * log(random_share(r))) * cos(2 * M_PI * random_share(r));
}

// A machine: quiet wakes and, for a tenth of the time in runs of about 5 ms, busy ones with a Pareto tail (exponent 3);
// all of it under a mood with a memory of 200 ms.
struct machine {
	struct random r;
	double mood;
	bool busy;
	int64_t quiet_ns[TABLE], busy_ns[TABLE];
};

static void
machine_make(struct machine *m)
{
	for (int i = 0; i < TABLE; i++) {
		double u = (i + 0.5) / TABLE;
		m->quiet_ns[i] = (int64_t)(20000 * pow(u / (1 - u), 0.17));
		m->busy_ns[i] = (int64_t)(100000 * pow(1 - u, -1 / 3.0));
	}
}

struct stretch {
	uint32_t count[HIST_BUCKETS];
	double sum;
};

// Adds one value a millisecond for S seconds to each variant's stretch; FACTOR: what this stretch has of its own.
static void
machine_run(struct machine *m, struct stretch out[VARIANTS], double s, double start, double whole, double factor)
{
	double f[VARIANTS] = {0};
	for (int i = 0; i < s * 1000; i++) {
		if (i % 10 == 0) {
			m->mood = 0.95 * m->mood + sqrt(1 - 0.95 * 0.95) * random_normal(&m->r);
			double mood = exp(0.2 * m->mood) * factor, drift = 1 + 0.5 * (start + i / 1000.0) / whole;
			f[PLAIN] = mood;
			f[MORE] = mood * 1.2;
			f[DRIFT] = mood * drift;
			f[DRIFT_MORE] = mood * drift * 1.2;
		}
		uint64_t bits = random_next(&m->r);
		double u = (double)(uint32_t)bits / 4294967296.0;
		m->busy = u < (m->busy ? 1 - 1 / 5.0 : 1 / 45.0);
		double ns = (double)(m->busy ? m->busy_ns : m->quiet_ns)[bits >> 40 & (TABLE - 1)];
		for (int v = 0; v < VARIANTS; v++) {
			double x = ns * f[v];
			out[v].count[hist_bucket((int64_t)x)]++;
			out[v].sum += x;
		}
	}
}

static struct slice *
slice_make(const uint32_t *count, double sum)
{
	uint32_t n = 0, k = 0;
	uint64_t total = 0;
	for (int i = 0; i < HIST_BUCKETS; i++) {
		n += count[i] > 0;
		total += count[i];
	}
	struct slice *s = calloc(1, sizeof *s + n * sizeof s->b[0]);
	assert_non_null(s);
	s->s = (struct sums){.samples = total, .sum_ns = sum, .max_ns = 1000000, .within = {total, total}};
	s->buckets = n;
	for (int i = 0; i < HIST_BUCKETS; i++)
		if (count[i])
			s->b[k++] = (struct bucket){(uint16_t)i, count[i]};
	return s;
}

struct run {
	struct ab_block block[VARIANTS][2][BLOCKS];
	int blocks[2];
};

static void
run_make(struct machine *m, struct run *run, uint64_t seed, int rounds, double each, bool turns)
{
	m->r.state = seed;
	m->mood = random_normal(&m->r);
	memset(run, 0, sizeof *run);
	for (int i = 0; i < 2 * rounds; i++) {
		static struct stretch out[VARIANTS];
		int side = turns ? (i % 2) ^ (i / 2 % 2) : i >= rounds;
		memset(out, 0, sizeof out);
		machine_run(m, out, each, i * each, 2 * rounds * each, exp(0.03 * random_normal(&m->r)));
		for (int v = 0; v < VARIANTS; v++)
			run->block[v][side][run->blocks[side]] = (struct ab_block){
			    .round = turns ? i / 2 : 0, .s = each, .slice = slice_make(out[v].count, out[v].sum)};
		run->blocks[side]++;
	}
}

static void
run_free(struct run *run)
{
	for (int v = 0; v < VARIANTS; v++)
		for (int k = 0; k < 2; k++)
			for (int i = 0; i < run->blocks[k]; i++)
				free((struct slice *)run->block[v][k][i].slice);
}

static struct ab_side
side_of(const struct run *run, enum variant v, int k)
{
	return (struct ab_side){run->block[v][k], run->blocks[k]};
}

static bool
differs(const struct ab_change *c)
{
	return c->lack == AB_NONE && (c->lo > 0 || c->hi < 0);
}

// How often, of N runs, mean and p99 were called different (and covered the truth), A being variant VA, B VB.
struct tally {
	int mean, p99, mean_right, p99_right;
};

static void
count_run(struct tally *t, const struct run *run, enum variant va, enum variant vb, double truth)
{
	struct ab_change c[AB_FIGURES];
	assert_int_equal(ab_compare(side_of(run, va, 0), side_of(run, vb, 1), c, NULL), 0);
	t->mean += differs(&c[AB_MEAN]);
	t->p99 += differs(&c[AB_P99]);
	t->mean_right += c[AB_MEAN].lo <= truth && truth <= c[AB_MEAN].hi;
	t->p99_right += c[AB_P99].lo <= truth && truth <= c[AB_P99].hi;
}

static void
print_tally(const char *name, const struct tally *t, int n)
{
	print_message("# %s: called different mean %.1f%% p99 %.1f%%, interval right mean %.1f%% p99 %.1f%%\n", name,
	    100.0 * t->mean / n, 100.0 * t->p99 / n, 100.0 * t->mean_right / n, 100.0 * t->p99_right / n);
}

static void
thousand_runs_of_ten_rounds(void **state)
{
	(void)state;
	enum { N = 1000 };
	static struct machine m;
	static struct run run;
	struct tally same = {0}, more = {0}, same_drift = {0}, more_drift = {0};
	machine_make(&m);
	for (int i = 0; i < N; i++) {
		run_make(&m, &run, (uint64_t)i, 10, 6, true);
		count_run(&same, &run, PLAIN, PLAIN, 0);
		count_run(&more, &run, PLAIN, MORE, 20);
		count_run(&same_drift, &run, DRIFT, DRIFT, 0);
		count_run(&more_drift, &run, DRIFT, DRIFT_MORE, 20);
		run_free(&run);
	}
	print_tally("A = B", &same, N);
	print_tally("B 20% more", &more, N);
	print_tally("A = B, drift of 50%", &same_drift, N);
	print_tally("B 20% more, drift of 50%", &more_drift, N);
	const struct tally *null[] = {&same, &same_drift}, *found[] = {&more, &more_drift};
	for (int i = 0; i < 2; i++) {
		assert_in_range(null[i]->mean, 0, N / 20);
		assert_in_range(null[i]->p99, 0, N / 20);
		assert_in_range(found[i]->mean, N * 9 / 10, N);
		assert_in_range(found[i]->p99, N * 9 / 10, N);
		assert_in_range(found[i]->mean_right, N * 95 / 100, N);
		assert_in_range(found[i]->p99_right, N * 95 / 100, N);
	}
}

static void
captures_one_after_the_other(void **state)
{
	(void)state;
	enum { N = 400 };
	static struct machine m;
	static struct run run;
	struct tally same = {0}, more = {0};
	machine_make(&m);
	for (int i = 0; i < N; i++) {
		run_make(&m, &run, 5000 + (uint64_t)i, 40, 1, false);
		count_run(&same, &run, PLAIN, PLAIN, 0);
		count_run(&more, &run, PLAIN, MORE, 20);
		run_free(&run);
	}
	print_tally("captures, A = B", &same, N);
	print_tally("captures, B 20% more", &more, N);
	assert_in_range(same.mean, 0, N / 20);
	assert_in_range(same.p99, 0, N / 20);
	assert_in_range(more.mean, N * 8 / 10, N);
}

// A slice of N times the value NS, and TAIL times TAIL_NS.
static struct slice *
simple(int64_t ns, uint32_t n, int64_t tail_ns, uint32_t tail)
{
	struct dist d;
	dist_reset(&d, (struct limits){0, {1000000, 2000000}});
	if (n)
		dist_add(&d, ns, n);
	if (tail)
		dist_add(&d, tail_ns, tail);
	struct slice *s = dist_to_slice(&d);
	assert_non_null(s);
	return s;
}

static void
hand_made_figures(void **state)
{
	(void)state;
	// A: 98 of 100 at 100 us, 2 at 10 ms: mean 298 us, p50 100 us, p99 10 ms, 98% within 1 ms. B: the tail at 1.5 ms.
	struct slice *a = simple(100000, 980, 10000000, 20), *b = simple(100000, 980, 1500000, 20);
	struct ab_block block[2][10];
	for (int i = 0; i < 10; i++) {
		block[0][i] = (struct ab_block){.round = i, .s = 1, .slice = a, .amount = 2, .per = 1};
		block[1][i] = (struct ab_block){.round = i, .s = 1, .slice = b, .amount = 3, .per = 1};
	}
	struct ab_side sa = {block[0], 10}, sb = {block[1], 10};
	struct ab_change c[AB_FIGURES], rate;
	struct ab_design d;
	assert_int_equal(ab_compare(sa, sb, c, &d), 0);
	assert_int_equal(d.groups, 10);
	assert_true(d.turns);
	assert_true(fabs(c[AB_MEAN].a - 298000) < 1 && fabs(c[AB_MEAN].b - 128000) < 1);
	assert_true(fabs(c[AB_MEAN].change + 57.05) < 0.01);
	assert_true(fabs(c[AB_P99].a - 10e6) < 1e5 && fabs(c[AB_P99].b - 1.5e6) < 1.5e4);
	assert_true(c[AB_P99].lo < -85 && c[AB_P99].hi > -85 && c[AB_P99].hi < -84);
	assert_true(c[AB_P50].lo < 0 && c[AB_P50].hi > 0);
	assert_true(c[AB_WITHIN_1].points && fabs(c[AB_WITHIN_1].a - 98) < 1e-9 && c[AB_WITHIN_1].change == 0);
	assert_true(fabs(c[AB_WITHIN_2].change - 2) < 1e-9 && c[AB_WITHIN_2].lo > 1.9);
	assert_true(c[AB_MAX].a == 10000000 && c[AB_MAX].b == 1500000);
	assert_int_equal(ab_rate(sa, sb, 60, false, &rate), 0);
	assert_true(rate.a == 120 && rate.b == 180 && fabs(rate.change - 50) < 1e-9 && rate.lo > 49.9);
	free(a);
	free(b);
}

static void
what_cannot_be_known(void **state)
{
	(void)state;
	struct slice *a = simple(100000, 100, 0, 0), *burst = simple(100000, 900, 50000000, 100);
	struct ab_block block[2][10];
	struct ab_change c[AB_FIGURES];
	struct ab_design d;
	for (int i = 0; i < 10; i++)
		block[0][i] = block[1][i] = (struct ab_block){.round = i, .s = 1, .slice = a};
	struct ab_side sa = {block[0], 10}, sb = {block[1], 10};
	ab_compare(sa, sb, c, &d);
	// 1,000 values: 10 beyond p99, one beyond p99.9; a maximum is one value
	assert_int_equal(c[AB_P99].lack, AB_NONE);
	assert_int_equal(c[AB_P999].lack, AB_TAIL_FEW);
	assert_true(isnan(c[AB_P999].lo) && c[AB_P999].a > 0);
	assert_int_equal(c[AB_MAX].lack, AB_EXTREME);
	// a tail that came in one moment is one event, however many values it has
	block[1][4].slice = burst;
	ab_compare(sa, sb, c, &d);
	assert_int_equal(c[AB_P99].lack, AB_TAIL_FEW);
	assert_true(c[AB_MEAN].lo <= 0);
	// five stretches
	sa.blocks = sb.blocks = 5;
	ab_compare(sa, sb, c, &d);
	assert_int_equal(c[AB_MEAN].lack, AB_SHORT);
	assert_true(isnan(c[AB_MEAN].lo) && c[AB_MEAN].p == 1);
	// nothing on one side
	sb.blocks = 0;
	ab_compare(sa, sb, c, &d);
	assert_int_equal(c[AB_MEAN].lack, AB_EMPTY);
	assert_true(isnan(c[AB_MEAN].change));
	free(a);
	free(burst);
}

static void
rounds_become_groups(void **state)
{
	(void)state;
	struct slice *a = simple(100000, 100, 0, 0);
	struct ab_block block[2][60];
	struct ab_change c[AB_FIGURES];
	struct ab_design d;
	static const struct {
		int rounds, each, groups;
	} t[] = {{6, 1, 6}, {10, 6, 10}, {12, 3, 12}, {20, 3, 10}, {24, 1, 12}, {30, 2, 7}, {3, 6, 9}, {2, 6, 8}, {1, 30, 8},
	    {1, 7, 7}, {3, 1, 3}};
	for (size_t k = 0; k < sizeof t / sizeof t[0]; k++) {
		int n = t[k].rounds * t[k].each;
		for (int i = 0; i < n; i++)
			block[0][i] = block[1][i] = (struct ab_block){.round = i / t[k].each, .s = 1, .slice = a};
		ab_compare((struct ab_side){block[0], n}, (struct ab_side){block[1], n}, c, &d);
		assert_int_equal(d.groups, t[k].groups);
		assert_int_equal(d.turns, t[k].rounds > 1);
	}
	// a round that only A has is left out
	for (int i = 0; i < 8; i++)
		block[0][i] = block[1][i] = (struct ab_block){.round = i, .s = 1, .slice = a};
	ab_compare((struct ab_side){block[0], 8}, (struct ab_side){block[1], 7}, c, &d);
	assert_int_equal(d.groups, 7);
	assert_true(d.s[0] == 7 && d.s[1] == 7);
	free(a);
}

static void
time_that_would_show(void **state)
{
	(void)state;
	// 10% is 0.0953 of log; nine times in ten needs a standard error of 0.0953 / 3.2416 = 0.0294
	struct ab_change c = {.se = 0.0588};
	assert_true(fabs(ab_more_s(&c, 120, 10) - 360) < 1);
	c.se = 0.02;
	assert_true(ab_more_s(&c, 120, 10) == 0);
	c.se = NAN;
	assert_true(isnan(ab_more_s(&c, 120, 10)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hand_made_figures),
	    cmocka_unit_test(what_cannot_be_known),
	    cmocka_unit_test(rounds_become_groups),
	    cmocka_unit_test(time_that_would_show),
	    cmocka_unit_test(captures_one_after_the_other),
	    cmocka_unit_test(thousand_runs_of_ten_rounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
