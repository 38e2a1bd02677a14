// Draws distributions over each other, log-log.
// Must not know sessions or where distributions come from.
#ifndef UI_HISTOGRAM_H
#define UI_HISTOGRAM_H

#include "measure/dist.h"
#include "ui/graph.h"

#define HISTOGRAM_MARKS 6

struct histogram {
	const struct dist *area, *line; // the second over the first; LINE may be NULL, either may be empty
	enum role area_role, line_role;
	bool share;                     // per cent of each one's own total: where the totals differ; else counts
	struct {
		double ns;              // NaN: none
		char name[8];           // "p99"
		enum role role;
	} mark[HISTOGRAM_MARKS];        // upright lines with name and value
};

// Latency from left to right, how often from bottom to top, with both axes' labels, into R.
void histogram_draw(struct grid *g, struct rect r, enum glyphs glyphs, bool ascii, const struct histogram *h);

#endif
