// Distributions, log-log.
// Must not know sessions or where distributions come from.
#include "ui/histogram.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct plane {
	struct rect plot;
	int dots, rows;    // dots across and up
	double x_lo, x_hi; // log10 of ns
	double y_lo, y_hi; // log10 of what is counted
};

static double
across(const struct plane *pl, double ns)
{
	double at = (log10(ns < 1 ? 1 : ns) - pl->x_lo) / (pl->x_hi - pl->x_lo) * pl->dots;
	return at < 0 ? 0 : at > pl->dots ? pl->dots : at;
}

// What falls into each dot's range of latencies. A bucket wider than a dot is shared out evenly.
static void
spread(const struct plane *pl, const struct dist *d, double *sum)
{
	for (int i = 0; i < pl->dots; i++)
		sum[i] = 0;
	for (unsigned b = 0; d && b < HIST_BUCKETS; b++) {
		if (!d->h.count[b])
			continue;
		double from = across(pl, (double)hist_low(b)),
		       to = across(pl, (double)hist_high(b));
		double n = (double)d->h.count[b];
		if (!(to - from > 1e-6)) {
			int at = (int)from;
			sum[at < pl->dots ? at : pl->dots - 1] += n;
			continue;
		}
		for (int i = (int)from; i < pl->dots && i < to; i++) {
			double a = i > from ? i : from, z = i + 1 < to ? i + 1 : to;
			sum[i] += n * (z - a) / (to - from);
		}
	}
}

static void
span(struct plane *pl, const struct dist *d)
{
	if (!d || !d->s.samples)
		return;
	double lo = floor(log10(d->s.min_ns > 1 ? (double)d->s.min_ns : 1));
	double hi = ceil(log10(d->s.max_ns > 1 ? (double)d->s.max_ns : 1) + 1e-9);
	if (lo < pl->x_lo)
		pl->x_lo = lo;
	if (hi > pl->x_hi)
		pl->x_hi = hi;
}

static double
per_cent(const struct histogram *h, const struct dist *d)
{
	return h->share && d && d->h.total ? 100.0 / (double)d->h.total : 1;
}

static void
span_up(struct plane *pl, const struct histogram *h, const double *a, const double *b)
{
	double most = 0;
	for (int i = 0; i < pl->dots; i++) {
		most = fmax(most, a[i] * per_cent(h, h->area));
		most = fmax(most, b[i] * per_cent(h, h->line));
	}
	double least = fmin(per_cent(h, h->area), per_cent(h, h->line));
	pl->y_lo = floor(log10(least)) - 0.25; // one of them is seen above nothing
	pl->y_hi = most > least ? ceil(log10(most) - 1e-9) : pl->y_lo + 1.25;
	if (pl->y_hi - pl->y_lo < 1.25)
		pl->y_hi = pl->y_lo + 1.25;
}

static float
height(const struct plane *pl, double v, double least)
{
	if (!(v > 0))
		return NAN;
	double at = (log10(fmax(v, least)) - pl->y_lo) / (pl->y_hi - pl->y_lo) * (pl->rows - 1);
	return (float)(at < 0 ? 0 : at);
}

static void
labels_up(struct grid *g, const struct plane *pl, const struct histogram *h, int per_row,
    const struct charset *cs)
{
	static const char *const prefix[] = {"", "k", "M", "G", "T", "P", "E"};
	char text[FIGURE];
	int last = -1000;
	for (int d = (int)ceil(pl->y_lo); d <= (int)pl->y_hi; d++) {
		int dot = (int)((d - pl->y_lo) / (pl->y_hi - pl->y_lo) * (pl->rows - 1) + 0.5);
		int y = pl->plot.y + pl->plot.h - 1 - dot / per_row;
		if (dot - last < per_row)
			continue;
		last = dot;
		if (h->share)
			snprintf(text, sizeof text, "%g%%", pow(10, d));
		else
			snprintf(text, sizeof text, "%s%s",
			    d % 3 == 0   ? "1"
			    : d % 3 == 1 ? "10"
					 : "100",
			    prefix[d < 0 ? 0 : d / 3 % 7]);
		draw_right(g, pl->plot.x - 7, y, 6, ROLE_AXIS, text);
		grid_put(g, pl->plot.x - 1, y, cs->tick, ROLE_AXIS);
	}
}

static void
labels_across(struct grid *g, const struct plane *pl, bool ascii)
{
	static const int parts[] = {1, 2, 5};
	char text[FIGURE];
	int per = pl->dots / pl->plot.w, free_from = pl->plot.x, y = pl->plot.y + pl->plot.h;
	double decade = pl->plot.w / (pl->x_hi - pl->x_lo);
	for (int d = (int)pl->x_lo; d <= (int)pl->x_hi; d++)
		for (size_t k = 0; k < (decade > 30 ? 3 : 1); k++) {
			double ns = parts[k] * pow(10, d);
			if (log10(ns) > pl->x_hi + 1e-9)
				continue;
			draw_round(text, ns, ascii);
			int n = draw_width(text),
			    x = pl->plot.x + (int)across(pl, ns) / per - n / 2;
			if (x + n > pl->plot.x + pl->plot.w)
				x = pl->plot.x + pl->plot.w - n;
			if (x < pl->plot.x)
				x = pl->plot.x;
			if (x < free_from)
				continue;
			grid_text(g, x, y, n, ROLE_AXIS, text);
			free_from = x + n + 1;
		}
}

// Upright lines where nothing is drawn, their names in the rows above the plot, beside each other
// where they fit.
static void
draw_marks(struct grid *g, const struct plane *pl, const struct histogram *h, bool ascii, int rows,
    bool names)
{
	int taken[4] = {0, 0, 0, 0}, per = pl->dots / pl->plot.w;
	const struct charset *cs = draw_charset(ascii);
	for (int i = 0; i < HISTOGRAM_MARKS; i++) {
		char text[FIGURE * 2], value[FIGURE];
		if (!(h->mark[i].ns >= 0))
			continue;
		int x = pl->plot.x + (int)(across(pl, h->mark[i].ns) / per);
		x = x >= pl->plot.x + pl->plot.w ? pl->plot.x + pl->plot.w - 1 : x;
		if (!names) {
			grid_fill(g, (struct rect){x, pl->plot.y - rows, 1, pl->plot.h + rows},
			    cs->upright, h->mark[i].role);
			continue;
		}
		snprintf(text, sizeof text, "%s %s", h->mark[i].name,
		    draw_ns(value, h->mark[i].ns, ascii));
		int n = draw_width(text), at = x + 1 + n > pl->plot.x + pl->plot.w ? x - n : x + 1;
		for (int k = 0; k < rows && k < 4; k++)
			if (at >= taken[k] && at >= pl->plot.x) {
				grid_text(g, at, pl->plot.y - rows + k, n, h->mark[i].role, text);
				taken[k] = at + n + 1;
				break;
			}
	}
}

void
histogram_draw(
    struct grid *g, struct rect r, enum glyphs glyphs, bool ascii, const struct histogram *h)
{
	int per = graph_columns(glyphs), rows = r.h >= 20   ? 4
						: r.h >= 16 ? 3
						: r.h >= 9  ? 2
						: r.h >= 6  ? 1
							    : 0;
	int left = r.w >= 24 ? 7 : 0, under = r.h >= 5;
	struct plane pl = {.plot = {r.x + left, r.y + rows, r.w - left, r.h - rows - under},
	    .x_lo = 99,
	    .x_hi = -99};
	struct graph_dot dot[GRAPH_DOTS];
	double a[GRAPH_DOTS], b[GRAPH_DOTS];
	if (pl.plot.w < 1 || pl.plot.h < 1)
		return;
	if (pl.plot.w > GRAPH_DOTS / per)
		pl.plot.w = GRAPH_DOTS / per;
	pl.dots = pl.plot.w * per;
	pl.rows = pl.plot.h * graph_rows(glyphs);
	span(&pl, h->area);
	span(&pl, h->line);
	if (pl.x_hi - pl.x_lo < 1) {
		pl.x_lo = pl.x_hi < -50 ? 4 : pl.x_lo;
		pl.x_hi = pl.x_lo + (pl.x_hi < -50 ? 4 : 1);
	}
	spread(&pl, h->area, a);
	spread(&pl, h->line, b);
	span_up(&pl, h, a, b);
	for (int i = 0; i < pl.dots; i++) {
		double pa = per_cent(h, h->area), pb = per_cent(h, h->line);
		dot[i] = (struct graph_dot){
		    height(&pl, a[i] * pa, pa), height(&pl, b[i] * pb, pb), NAN, false};
	}
	struct scale scale = {.lo = 0, .hi = pl.rows - 1 > 0 ? pl.rows - 1 : 1, .dots = pl.rows};
	struct graph_look look = {h->area_role, h->line_role, ROLE_TEXT, draw_charset(ascii)};
	draw_marks(g, &pl, h, ascii, rows, false);
	graph_area(g, pl.plot, glyphs, &scale, &look, dot, pl.dots);
	draw_marks(g, &pl, h, ascii, rows, true);
	if (left)
		labels_up(g, &pl, h, graph_rows(glyphs), draw_charset(ascii));
	if (under)
		labels_across(g, &pl, ascii);
}
