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

static void
see(struct sums *s, int64_t ns)
{
	if (s->samples == 0 || ns < s->min_ns)
		s->min_ns = ns;
	if (s->samples == 0 || ns > s->max_ns)
		s->max_ns = ns;
	s->samples++;
}

static bool
is_within(const struct limits *l, int which, int64_t ns)
{
	int64_t off = ns - l->centre_ns;
	return (off < 0 ? -off : off) <= l->limit_ns[which];
}

void
dist_add(struct dist *d, int64_t ns, uint64_t weight)
{
	double v = (double)ns, w = (double)weight;
	see(&d->s, ns);
	d->s.missed += weight - 1;
	d->s.sum_ns += v * w;
	d->s.sumsq_ns2 += v * v * w;
	for (int i = 0; i < 2; i++)
		if (is_within(&d->lim, i, ns))
			d->s.within[i] += weight;
	hist_add(&d->h, ns, weight);
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
	if (missed == 0 || period_ns <= 0) {
		dist_add(d, late_ns, missed + 1);
		return;
	}
	// no wake is early: what a schedule cannot owe is not made up
	if (late_ns < 0)
		missed = 0;
	else if (missed > (uint64_t)(late_ns / period_ns))
		missed = (uint64_t)(late_ns / period_ns);
	if (missed == 0) {
		dist_add(d, late_ns, 1);
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
	sums_add(&d->s, &s->s);
	for (uint32_t i = 0; i < s->buckets; i++) {
		unsigned b = s->b[i].index < HIST_BUCKETS ? s->b[i].index : HIST_BUCKETS - 1;
		d->h.count[b] += s->b[i].n;
		d->h.total += s->b[i].n;
	}
}

// Rows that a count takes in a slice: each carries 32 bits.
static uint32_t
rows(uint64_t n)
{
	return (uint32_t)(n / UINT32_MAX + (n % UINT32_MAX != 0));
}

struct slice *
dist_to_slice(const struct dist *d)
{
	uint32_t used = 0;
	if (d->h.total)
		for (unsigned b = 0; b < HIST_BUCKETS; b++)
			used += rows(d->h.count[b]);
	struct slice *s = malloc(sizeof *s + used * sizeof s->b[0]);
	if (!s)
		return NULL;
	s->s = d->s;
	s->buckets = 0;
	for (unsigned b = 0; s->buckets < used; b++)
		for (uint64_t n = d->h.count[b]; n > 0;) {
			uint32_t here = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
			s->b[s->buckets++] = (struct bucket){.index = (uint16_t)b, .n = here};
			n -= here;
		}
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
