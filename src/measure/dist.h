// All figures of one measured quantity over one stretch of time: `struct sums` without, `struct dist` with its
// histogram, `struct slice` as it is stored and sent (sparse). Time-weighted as DESIGN says. Pure.
#ifndef MEASURE_DIST_H
#define MEASURE_DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/hist.h"

// What "within" means: |value - centre| <= limit. Lateness: centre 0, 1 and 2 ms.
struct limits {
	int64_t centre_ns;
	int64_t limit_ns[2];
};

struct sums {
	uint64_t samples;   // real wakes
	uint64_t missed;    // periods that a late wake stands for besides its own
	int64_t min_ns;     // exact; meaningless where samples == 0
	int64_t max_ns;     // exact
	double sum_ns;      // of samples + missed values
	double sumsq_ns2;
	uint64_t within[2]; // values within the two limits, exact
};

struct dist {
	struct sums s;
	struct limits lim;
	struct hist h;
};

struct bucket {
	uint16_t index;
	uint32_t n;
};

// One closed stretch: its figures and the buckets that are not 0, ascending (one index may come twice).
struct slice {
	struct sums s;
	uint32_t buckets;
	struct bucket b[];
};

// Empties D and sets its limits.
void dist_reset(struct dist *d, struct limits lim);
// Adds one real value that stands for WEIGHT (>= 1) periods, each with that value.
void dist_add(struct dist *d, int64_t ns, uint64_t weight);
// Adds one real wake, late by LATE_NS, that missed MISSED whole periods of PERIOD_NS: it stands for LATE, LATE-PERIOD,
// ... (DESIGN: time-weighted). Closed form: its cost does not grow with MISSED.
void dist_add_late(struct dist *d, int64_t late_ns, int64_t period_ns, uint64_t missed);
// Adds all of slice S to D.
void dist_add_slice(struct dist *d, const struct slice *s);
// D as a slice from malloc (NULL: no memory), also where D is empty.
struct slice *dist_to_slice(const struct dist *d);
// The same, and D is empty after (its limits stay); where there was no memory D keeps what it has. The cheap way from tick
// to tick.
struct slice *dist_take_slice(struct dist *d);
size_t slice_bytes(const struct slice *s);
// TO += FROM; both without histogram.
void sums_add(struct sums *to, const struct sums *from);

// Figures. Each returns NaN (doubles) or -1 (ns) where there is no data.
uint64_t sums_n(const struct sums *s);       // samples + missed
double sums_avg_ns(const struct sums *s);
double sums_stddev_ns(const struct sums *s); // sample standard deviation; NaN for n < 2
double sums_within_pct(const struct sums *s, int which);
// Percentile Q (0..1), never outside [min, max].
int64_t dist_percentile_ns(const struct dist *d, double q);

#endif
