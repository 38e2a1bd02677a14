// A against B: the change of each figure, with an interval that holds for what latency is: heavy-tailed and dependent
// in time. Whole stretches of time are resampled, never single samples. Pure; the same data give the same interval.
//
// Method. Both sides are cut into at most 12 groups: the rounds where A and B took turns, else stretches of equal
// length in their order. Every subset of the groups, both sides of a group together, gives a value of each figure's
// change: log(B/A), or B - A for shares. Those are typical values (Hartigan, "Using subsample values as typical values",
// JASA 64, 1969, 1303-1317): where A's and B's stretches differ only by chance their sign is a fair coin for each
// group, whatever the tails, so that the middle 95% of the values cover the true change. What a group shares (the
// machine's mood, a drift) cancels within it. Percentiles are read between the edges of a bucket, and their
// intervals are 1% wider each way than that, as a histogram's values are.
#ifndef MEASURE_AB_H
#define MEASURE_AB_H

#include <stdbool.h>

#include "measure/dist.h"

#define AB_GROUPS 12       // at most
#define AB_GROUPS_LEAST 6  // with fewer no 95% interval exists without an assumption about the tails
#define AB_TAIL 10         // values that must lie beyond a percentile

// One closed stretch of a side.
struct ab_block {
	int round;                 // turns: round 0, 1, ... of the same number belong together; captures: all 0
	double s;                  // how long it was
	const struct slice *slice; // its values, or NULL
	double amount, per;        // ab_rate(): the figure is the sum of amounts over the sum of per
};

struct ab_side {
	const struct ab_block *block; // in order of time
	int blocks;
};

enum ab_figure { AB_MEAN, AB_P50, AB_P99, AB_P999, AB_MAX, AB_WITHIN_1, AB_WITHIN_2, AB_FIGURES };

// Why a figure has no interval.
enum ab_lack {
	AB_NONE,    // it has one
	AB_EMPTY,   // no data on a side
	AB_SHORT,   // fewer than AB_GROUPS_LEAST stretches
	AB_TAIL_FEW,// too few values beyond the percentile, or all from a few moments
	AB_EXTREME  // a maximum: one value, no interval exists
};

struct ab_change {
	double a, b;           // the figures: ns, per cent, or amount per `per`; NaN: no data
	bool points;           // change, lo and hi are B - A; else per cent of A
	double change, lo, hi; // 95% interval; NaN where there is none
	double p;              // how often chance alone does as much, two-sided; 1 where there is no interval
	double se;             // standard error of log(B/A), or of B - A; NaN where there is none
	enum ab_lack lack;
};

// How the data were cut.
struct ab_design {
	int groups;
	bool turns;            // A and B took turns: a drift of the machine cancels
	double s[2];           // seconds used of A and B
};

// All figures of the blocks' slices. 0; -1: no memory.
int ab_compare(struct ab_side a, struct ab_side b, struct ab_change out[AB_FIGURES], struct ab_design *d);
// The figure SCALE * sum(amount) / sum(per), e.g. drop-outs a minute, work a second. POINTS: compared by difference.
int ab_rate(struct ab_side a, struct ab_side b, double scale, bool points, struct ab_change *out);
// How many more seconds (A and B together; MEASURED_S so far) would show a change of PCT per cent nine times in ten;
// 0: it would have been seen already; NaN: cannot be told.
double ab_more_s(const struct ab_change *c, double measured_s, double pct);

#endif
