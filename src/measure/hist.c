// Log-linear buckets of nanoseconds and the percentiles read from them.
// Must not know what is measured, nor do I/O.
#include "measure/hist.h"

#include <math.h>

int64_t
hist_low(unsigned bucket)
{
	if (bucket < 2 * HIST_LINEAR)
		return bucket;
	unsigned octave = bucket / HIST_LINEAR - 1;
	return (int64_t)(bucket - octave * HIST_LINEAR) << octave;
}

int64_t
hist_high(unsigned bucket)
{
	return hist_low(bucket + 1);
}

int64_t
hist_mid(unsigned bucket)
{
	return hist_low(bucket) + (hist_high(bucket) - hist_low(bucket)) / 2;
}

void
hist_add(struct hist *h, int64_t ns, uint64_t n)
{
	h->count[hist_bucket(ns)] += n;
	h->total += n;
}

void
hist_add_ramp(struct hist *h, int64_t first_ns, int64_t step_ns, uint64_t n)
{
	if (step_ns <= 0) {
		hist_add(h, first_ns, n);
		return;
	}
	// down the ramp, all the values that fall into one bucket at a time
	for (int64_t v = first_ns; n > 0;) {
		unsigned b = hist_bucket(v);
		int64_t low = hist_low(b);
		uint64_t here = v <= low ? 1 : (uint64_t)((v - low) / step_ns) + 1;
		if (here > n || v <= 0)
			here = n;
		h->count[b] += here;
		h->total += here;
		n -= here;
		v -= (int64_t)here * step_ns;
	}
}

int64_t
hist_percentile(const struct hist *h, double q)
{
	if (h->total == 0)
		return -1;
	double want = ceil(q * (double)h->total);
	uint64_t rank = want < 1 ? 1 : want >= (double)h->total ? h->total : (uint64_t)want;
	uint64_t seen = 0;
	unsigned b = 0;
	for (; b < HIST_BUCKETS - 1; b++) {
		seen += h->count[b];
		if (seen >= rank)
			break;
	}
	return hist_mid(b);
}
