// Sums, extremes, shares and percentiles of one measured quantity, time-weighted.
// Must not know where the values come from.
#include "measure/dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
dist_reset(struct dist *d, struct limits lim)
{
	memset(d, 0, sizeof *d);
	d->lim = lim;
}

// The buckets that may hold something: [*FROM, *TO).
static void
used_buckets(const struct dist *d, unsigned *from, unsigned *to)
{
	*from = *to = 0;
	if (d->h.total) {
		*from = hist_bucket(d->s.min_ns);
		*to = hist_bucket(d->s.max_ns) + 1;
	}
}

static inline void
see(struct sums *s, int64_t ns)
{
	if (s->samples++ == 0) {
		s->min_ns = s->max_ns = ns;
		return;
	}
	if (ns < s->min_ns)
		s->min_ns = ns;
	if (ns > s->max_ns)
		s->max_ns = ns;
}

static inline bool
is_within(const struct limits *l, int which, int64_t ns)
{
	int64_t off = ns - l->centre_ns;
	return (off < 0 ? -off : off) <= l->limit_ns[which];
}

static inline void
add(struct dist *d, int64_t ns, uint64_t weight)
{
	double v = (double)ns, w = (double)weight;
	see(&d->s, ns);
	d->s.missed += weight - 1;
	d->s.sum_ns += v * w;
	d->s.sumsq_ns2 += v * v * w;
	for (int i = 0; i < 2; i++)
		if (is_within(&d->lim, i, ns))
			d->s.within[i] += weight;
	d->h.count[hist_bucket(ns)] += weight;
	d->h.total += weight;
}

void
dist_add(struct dist *d, int64_t ns, uint64_t weight)
{
	add(d, ns, weight);
}

// How many of LATE - k * PERIOD, k = 0 .. N - 1, are <= TOP.
static uint64_t
ramp_up_to(int64_t late, int64_t period, uint64_t n, int64_t top)
{
	if (late <= top)
		return n;
	uint64_t above = (uint64_t)((late - top - 1) / period) + 1;
	return above < n ? n - above : 0;
}

void
dist_add_late(struct dist *d, int64_t late_ns, int64_t period_ns, uint64_t missed)
{
	if (missed == 0) { // nearly always: kept short
		add(d, late_ns, 1);
		return;
	}
	if (period_ns <= 0) {
		add(d, late_ns, missed + 1);
		return;
	}
	// no wake is early: what a schedule cannot owe is not made up
	if (late_ns < 0)
		missed = 0;
	else if (missed > (uint64_t)(late_ns / period_ns))
		missed = (uint64_t)(late_ns / period_ns);
	if (missed == 0) {
		add(d, late_ns, 1);
		return;
	}
	uint64_t n = missed + 1;
	double l = (double)late_ns, t = (double)period_ns, m = (double)n;
	double k = m * (m - 1) / 2, kk = (m - 1) * m * (2 * m - 1) / 6;
	int64_t least = late_ns - (int64_t)missed * period_ns;
	see(&d->s, late_ns);
	if (least < d->s.min_ns)
		d->s.min_ns = least;
	d->s.missed += missed;
	d->s.sum_ns += m * l - t * k;
	d->s.sumsq_ns2 += m * l * l - 2 * l * t * k + t * t * kk;
	for (int i = 0; i < 2; i++) {
		int64_t c = d->lim.centre_ns, w = d->lim.limit_ns[i];
		d->s.within[i] += ramp_up_to(late_ns, period_ns, n, c + w) -
		    ramp_up_to(late_ns, period_ns, n, c - w - 1);
	}
	hist_add_ramp(&d->h, late_ns, period_ns, n);
}

void
sums_add(struct sums *to, const struct sums *from)
{
	if (from->samples == 0)
		return;
	if (to->samples == 0 || from->min_ns < to->min_ns)
		to->min_ns = from->min_ns;
	if (to->samples == 0 || from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
	to->samples += from->samples;
	to->missed += from->missed;
	to->sum_ns += from->sum_ns;
	to->sumsq_ns2 += from->sumsq_ns2;
	for (int i = 0; i < 2; i++)
		to->within[i] += from->within[i];
}

void
dist_add_slice(struct dist *d, const struct slice *s)
{
	if (s->s.samples == 0)
		return;
	sums_add(&d->s, &s->s);
	// every bucket lies between the extremes: a slice from a foreign recording may say otherwise
	unsigned least = hist_bucket(s->s.min_ns), most = hist_bucket(s->s.max_ns);
	for (uint32_t i = 0; i < s->buckets; i++) {
		unsigned b = s->b[i].index < least ? least : s->b[i].index > most ? most : s->b[i].index;
		d->h.count[b] += s->b[i].n;
		d->h.total += s->b[i].n;
	}
}

// Adds N values of bucket B to S, in as many rows as it takes: each carries 32 bits.
static void
append(struct slice *s, unsigned b, uint64_t n)
{
	for (; n > UINT32_MAX; n -= UINT32_MAX)
		s->b[s->buckets++] = (struct bucket){.index = (uint16_t)b, .n = UINT32_MAX};
	s->b[s->buckets++] = (struct bucket){.index = (uint16_t)b, .n = (uint32_t)n};
}

struct slice *
dist_to_slice(const struct dist *d)
{
	unsigned from, to;
	used_buckets(d, &from, &to);
	// at most: a row a value, a row a bucket, and those that large counts take
	uint64_t most = d->h.total < to - from ? d->h.total : to - from;
	most += d->h.total / UINT32_MAX;
	struct slice *s = malloc(sizeof *s + most * sizeof s->b[0]);
	if (!s)
		return NULL;
	s->s = d->s;
	s->buckets = 0;
	const uint64_t *n = d->h.count;
	for (unsigned b = from; b < to; b++) {
		// most are empty: four at a glance
		while (b + 4 < to && !(n[b] | n[b + 1] | n[b + 2] | n[b + 3]))
			b += 4;
		if (n[b])
			append(s, b, n[b]);
	}
	struct slice *fit = realloc(s, slice_bytes(s));
	return fit ? fit : s;
}

struct slice *
dist_take_slice(struct dist *d)
{
	struct slice *s = dist_to_slice(d);
	if (!s)
		return NULL;
	for (uint32_t i = 0; i < s->buckets; i++)
		d->h.count[s->b[i].index] = 0;
	d->h.total = 0;
	d->s = (struct sums){0};
	return s;
}

size_t
slice_bytes(const struct slice *s)
{
	return sizeof *s + s->buckets * sizeof s->b[0];
}

uint64_t
sums_n(const struct sums *s)
{
	return s->samples + s->missed;
}

double
sums_avg_ns(const struct sums *s)
{
	if (s->samples == 0)
		return NAN;
	// a sum of rounded parts may be a hair outside
	double avg = s->sum_ns / (double)sums_n(s);
	return fmin(fmax(avg, (double)s->min_ns), (double)s->max_ns);
}

double
sums_stddev_ns(const struct sums *s)
{
	double n = (double)sums_n(s);
	if (n < 2)
		return NAN;
	double var = (s->sumsq_ns2 - s->sum_ns * s->sum_ns / n) / (n - 1);
	return var > 0 ? sqrt(var) : 0;
}

double
sums_within_pct(const struct sums *s, int which)
{
	return s->samples ? 100.0 * (double)s->within[which] / (double)sums_n(s) : NAN;
}

int64_t
dist_percentile_ns(const struct dist *d, double q)
{
	int64_t v = d->s.samples ? hist_percentile(&d->h, q) : -1;
	if (v == -1)
		return -1;
	return v < d->s.min_ns ? d->s.min_ns : v > d->s.max_ns ? d->s.max_ns : v;
}
