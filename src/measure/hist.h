// A histogram of nanoseconds: 64 linear buckets in each power of two, so that a bucket's middle is within 1% of
// every value in it. Fixed size, never out of range. Pure.
#ifndef MEASURE_HIST_H
#define MEASURE_HIST_H

#include <stdint.h>

#define HIST_LINEAR 64    // buckets a power of two; below twice that each value has its own
#define HIST_BUCKETS 2560 // 0 .. 2^45 ns (9.7 hours); what is above counts in the last one

struct hist {
	uint64_t total;
	uint64_t count[HIST_BUCKETS];
};

// The bucket of a value in ns; a negative one counts as 0. Inline: it is on every sample's way.
static inline unsigned
hist_bucket(int64_t ns)
{
	if (ns < 2 * HIST_LINEAR)
		return ns < 0 ? 0 : (unsigned)ns;
	unsigned octave = 63U - (unsigned)__builtin_clzll((uint64_t)ns) - 6;
	unsigned b = octave * HIST_LINEAR + (unsigned)(ns >> octave);
	return b < HIST_BUCKETS ? b : HIST_BUCKETS - 1;
}
// A bucket's least value, the first value above it, and its middle, in ns.
int64_t hist_low(unsigned bucket);
int64_t hist_high(unsigned bucket);
int64_t hist_mid(unsigned bucket);
// Adds N times the value NS.
void hist_add(struct hist *h, int64_t ns, uint64_t n);
// Adds the ramp L, L-T, L-2T, ... of N values, all >= 0, in at most HIST_BUCKETS steps whatever N is.
void hist_add_ramp(struct hist *h, int64_t first_ns, int64_t step_ns, uint64_t n);
// The value in ns that a share Q (0..1) of all values does not exceed, within 1%. -1 where the histogram is empty.
// Rank: the ceil(Q * total)-th smallest, at least the first.
int64_t hist_percentile(const struct hist *h, double q);

#endif
