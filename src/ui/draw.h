// What the views share for drawing: the two character sets, boxes, lines made of parts that fold away, figures.
// Must not know sessions or what a view shows.
#ifndef UI_DRAW_H
#define UI_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/grid.h"

// Characters that have an ASCII stand-in.
struct charset {
	uint32_t top_left, top_right, bottom_left, bottom_right, across, down, join_left, join_right;
	uint32_t tick;                       // an axis at a label
	uint32_t dash, upright;              // reference lines
	uint32_t band, band_left, band_right;// a load that was on for all, the first or the second half of a cell
	uint32_t on, off, failed, busy;      // states of a load
	uint32_t chosen, here;               // the selected load, the shown probe
	uint32_t xrun, over, record, warn;
	uint32_t eighth[9];                  // a level within a cell, from none to full
	const char *sep, *micro, *le, *times, *more, *none;
};

const struct charset *draw_charset(bool ascii);

// Columns that TEXT takes: one a character.
int draw_width(const char *text);
// TEXT against the right end of the W columns at X; where it does not fit a '-' stands for it: half a number is a lie.
void draw_right(struct grid *g, int x, int y, int w, enum role role, const char *text);
// A frame along the edges of R.
void draw_box(struct grid *g, struct rect r, const struct charset *cs);

// Marks a column of a graph: its dots stay.
void draw_cursor(struct grid *g, struct rect r, const struct charset *cs);

// A line of parts. Those with the highest `drop` go first where there is no room; 0: stays.
#define LINE_PARTS 20
struct line {
	int n;
	struct part {
		enum role role;
		int drop;
		char text[128];
	} part[LINE_PARTS];
};

void line_add(struct line *l, enum role role, int drop, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
// Drops parts until L takes at most W columns (what stays may still be wider); returns its width.
int line_fit(struct line *l, int w);
// Draws L, fitted to W columns, at X; returns the columns used. A part that must stay is cut as the last resort.
int line_draw(struct grid *g, int x, int y, int w, struct line *l);
// Two lines at both ends of the same row; the right one has the room first.
void line_draw_ends(struct grid *g, int x, int y, int w, struct line *left, struct line *right);

// Figures as text: "-" where there is no data. BUF is returned.
#define FIGURE 16
char *draw_ns(char buf[FIGURE], double ns, bool ascii);   // NaN or negative: no data
char *draw_round(char buf[FIGURE], double ns, bool ascii); // what people set: 1ms, 250us, 60s, 5m, 1m30
char *draw_pct(char buf[FIGURE], double pct);             // 31%, 0%, no decimals
// A rate in the unit of a load: number to BUF, its unit returned (short, from a table; "B/s" for bytes).
const char *draw_rate(char buf[FIGURE], double per_s, const char *unit);

#endif
