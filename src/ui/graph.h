// Draws values over columns into cells: an area with lines over it, and a stack of shares; braille, block, ASCII.
// Must not know where values come from.
#ifndef UI_GRAPH_H
#define UI_GRAPH_H

#include "ui/axis.h"
#include "ui/draw.h"

#define GRAPH_DOTS 2048 // a wider picture stays empty at its left

// One dot's worth of time, in ns; NaN: no data, which is a gap and never 0.
struct graph_dot {
	float area;   // filled from the bottom: the maximum
	float line;   // the average
	float second; // a second line, under the first: the CPU loop
	bool dim;     // not part of any figure: warming up
};

struct graph_look {
	enum role area, line, second;
	const struct charset *cs;
};

// Dots above and beside each other in a cell.
int graph_rows(enum glyphs glyphs);
int graph_columns(enum glyphs glyphs);
// Draws DOTS dots into R (R.w * graph_columns() of them fit). A value has at least one dot, however small or short; one
// above the scale fills its column and is marked. Cells without anything are left as they were.
void graph_area(struct grid *g, struct rect r, enum glyphs glyphs, const struct scale *s, const struct graph_look *look,
    const struct graph_dot *d, int dots);

#define GRAPH_SHARES 5
// One cell column of a stack: PCT of 100 each, from the bottom; nothing where all are NaN.
void graph_stack(struct grid *g, int x, int y, int h, bool ascii, const float pct[GRAPH_SHARES],
    const enum role role[GRAPH_SHARES]);

#endif
