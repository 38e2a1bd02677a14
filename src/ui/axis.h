// The two axes of every graph: time, anchored so that a column keeps its picture while it moves, and latency.
// Pure; must not know sessions or drawing.
#ifndef UI_AXIS_H
#define UI_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/view.h"

// Cells of equal time, counted from the session's start: cell K holds ticks [K * ticks / cells, (K + 1) * ticks / cells).
// The right one holds END; it moves on by whole cells, so nothing within a cell changes place as the picture scrolls.
struct time_axis {
	int64_t ticks;     // that the whole axis shows
	int cells;         // that show them
	int per_cell;      // dots beside each other in a cell: 1 or 2
	int64_t last;      // number of the right cell
	int64_t end;       // the newest tick that may be shown
};

void time_axis_init(struct time_axis *a, int64_t window_ns, int64_t end_tick, int cells, int per_cell);
// Ticks [*FROM, *TO) of dot DOT (0: the left one); an empty range where that is before the start or after the end.
void time_axis_dot(const struct time_axis *a, int dot, int64_t *from, int64_t *to);
// The same of a whole cell.
void time_axis_cell(const struct time_axis *a, int cell, int64_t *from, int64_t *to);
// The dot where tick TICK is drawn; negative or beyond the last where it is out of sight.
int64_t time_axis_at(const struct time_axis *a, int64_t tick);

// Latency to dots from the bottom.
struct scale {
	bool log;
	double lo, hi;     // log10 of ns, or ns
	int dots;
};

// What the data asks of a scale, all in ns, NaN where unknown.
struct extent {
	double low;        // the least average
	double high;       // the greatest maximum
	double limit;      // the greatest reference line
};

// Picks the range: whole decades (log), a round number (linear), or U's own top (fixed). It depends on the data shown
// only, and starts from 10 us .. 100 ms on a log scale, so that it changes seldom and pictures compare.
void scale_choose(struct scale *s, const struct ui *u, const struct extent *e, int dots);
// 0 .. dots-1; dots where it is above the top. NS >= 0.
int scale_dot(const struct scale *s, double ns);

struct scale_label {
	int dot;
	char text[16];
};

// Labels from bottom to top that are at least GAP dots apart; returns how many.
int scale_labels(const struct scale *s, int gap, bool ascii, struct scale_label *out, int max);

#endif
