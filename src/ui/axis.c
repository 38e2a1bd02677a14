// Axes of graphs.
// Must not know sessions or drawing.
#include "ui/axis.h"

#include <math.h>
#include <stdio.h>

#include "session/tick.h"
#include "ui/draw.h"

void
time_axis_init(struct time_axis *a, int64_t window_ns, int64_t end_tick, int cells, int per_cell)
{
	a->ticks = window_ns / TICK_NS;
	if (a->ticks < 1)
		a->ticks = 1;
	if (a->ticks > 100000000)
		a->ticks = 100000000;
	a->cells = cells < 1 ? 1 : cells;
	a->per_cell = per_cell;
	a->end = end_tick < -1                    ? -1
		 : end_tick > INT64_MAX / 1000000 ? INT64_MAX / 1000000
						  : end_tick;
	a->last = ((a->end + 1) * a->cells - 1) / a->ticks;
	if (a->end < 0)
		a->last = 0;
}

// First tick of dot number N, counted from the session's start.
static int64_t
dot_start(const struct time_axis *a, int64_t n)
{
	int64_t dots = (int64_t)a->cells * a->per_cell;
	int64_t whole = n / dots, rest = n % dots;
	return whole * a->ticks + rest * a->ticks / dots;
}

void
time_axis_dot(const struct time_axis *a, int dot, int64_t *from, int64_t *to)
{
	int64_t n = (a->last - a->cells + 1) * a->per_cell + dot;
	if (n < 0) {
		*from = *to = 0;
		return;
	}
	*from = dot_start(a, n);
	*to = dot_start(a, n + 1);
	if (*to == *from) // more dots than ticks: a tick is drawn in each dot that it covers
		*to = *from + 1;
	if (*to > a->end + 1)
		*to = a->end + 1;
	if (*to < *from)
		*to = *from;
}

void
time_axis_cell(const struct time_axis *a, int cell, int64_t *from, int64_t *to)
{
	int64_t ignore;
	time_axis_dot(a, cell * a->per_cell, from, to);
	if (a->per_cell > 1)
		time_axis_dot(a, cell * a->per_cell + a->per_cell - 1, &ignore, to);
	if (*to < *from)
		*to = *from;
}

int64_t
time_axis_at(const struct time_axis *a, int64_t tick)
{
	int64_t dots = (int64_t)a->cells * a->per_cell;
	if (tick < 0)
		return -1;
	int64_t whole = tick / a->ticks, rest = tick % a->ticks;
	int64_t n = whole * dots +
		    ((rest + 1) * dots - 1) / a->ticks; // the last dot that starts at or before it
	return n - (a->last - a->cells + 1) * a->per_cell;
}

#define LOG_LOW 4.0  // 10 us
#define LOG_HIGH 8.0 // 100 ms

static void
choose_log(struct scale *s, const struct extent *e)
{
	double lo = LOG_LOW, hi = LOG_HIGH;
	double low = e->low > 1000 ? log10(e->low) : 3, high = e->high > 0 ? log10(e->high) : 0;
	if (!(e->low >= 0))
		low = LOG_LOW;
	if (e->limit > 0 && log10(e->limit) > high)
		high = log10(e->limit);
	if (low < 3.9) // well below 10 us
		lo = 3;
	else if (low >= 7) // slow things: whole jobs
		lo = floor(low);
	if (high > hi)
		hi = ceil(high - 1e-9);
	if (hi > 15)
		hi = 15;
	if (hi - lo < 3)
		lo = hi - 3;
	s->lo = lo;
	s->hi = hi;
}

// The next round number at or above V.
static double
round_up(double v)
{
	static const double round[] = {1, 1.5, 2, 3, 4, 5, 6, 8, 10};
	double p = pow(10, floor(log10(v)));
	size_t i = 0;
	while (i < sizeof round / sizeof *round - 1 && v > round[i] * p * (1 + 1e-9))
		i++;
	return round[i] * p;
}

// Into how many equal parts a linear axis up to HI is labelled: at most MOST, each a round number.
static int
parts(double hi, double most)
{
	for (int k = 5; k > 1; k--) {
		double step = hi / k, p = pow(10, floor(log10(step) + 1e-9));
		if (k <= most && fabs(step / p * 2 - round(step / p * 2)) < 1e-6)
			return k;
	}
	return 1;
}

void
scale_choose(struct scale *s, const struct ui *u, const struct extent *e, int dots)
{
	*s = (struct scale){.dots = dots < 1 ? 1 : dots};
	double high = e->high > 0 ? e->high : 0;
	if (e->limit > high)
		high = e->limit;
	if (u->scale == SCALE_LOG) {
		s->log = true;
		choose_log(s, e);
	} else if (u->scale == SCALE_FIXED && u->scale_top_ns > 0) {
		s->hi = (double)u->scale_top_ns;
	} else {
		s->hi = round_up(high > 1e5 ? high * 1.02 : 1e5);
	}
}

int
scale_dot(const struct scale *s, double ns)
{
	double v = s->log ? (ns > 1 ? log10(ns) : 0) : ns;
	double at = (v - s->lo) / (s->hi - s->lo) * (s->dots - 1);
	if (!(at > 0))
		return 0;
	if (v > s->hi * (1 + 1e-9))
		return s->dots;
	return (int)(at + 0.5);
}

static int
labels_log(const struct scale *s, int gap, bool ascii, struct scale_label *out, int max)
{
	// Finer divisions of a decade where there is room for them.
	static const struct {
		double at[3];
		int n, least; // part of a decade, in per cent, that the closest two are apart
	} steps[] = {{{1, 2, 5}, 3, 30}, {{1, 3}, 2, 47}, {{1}, 1, 0}};
	double decade = (s->dots - 1) / (s->hi - s->lo);
	int k = 0, n = 0, last = -1000000;
	while (k < 2 && decade * steps[k].least / 100 < 2 * gap)
		k++;
	for (int d = (int)s->lo; d <= (int)s->hi; d++)
		for (int i = 0; i < steps[k].n && n < max && (d < (int)s->hi || !i); i++) {
			double ns = steps[k].at[i] * pow(10, d);
			int dot = scale_dot(s, ns);
			if (dot - last < gap)
				continue;
			out[n].dot = last = dot;
			draw_round(out[n++].text, ns, ascii);
		}
	return n;
}

int
scale_labels(const struct scale *s, int gap, bool ascii, struct scale_label *out, int max)
{
	if (gap < 1)
		gap = 1;
	if (s->log)
		return labels_log(s, gap, ascii, out, max);
	double step = s->hi / parts(s->hi, (double)(s->dots - 1) / (2 * gap)); // one in two rows
	int n = 0;
	for (double v = 0; v <= s->hi * 1.000001 && n < max; v += step) {
		out[n].dot = scale_dot(s, v);
		draw_round(out[n++].text, v, ascii);
	}
	if (n)
		snprintf(out[0].text, sizeof out->text, "0");
	return n;
}
