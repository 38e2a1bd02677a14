// The one table of layouts.
// Must not know what the parts show.
#include "ui/layout.h"

struct size {
	int w, h; // from this size on
	bool frames;
	int top, side, strip, probes, warn,
	    keys;    // rows; side: columns of the list of loads; probes: most lines of its table
	int cpu_pct; // share of the graphs
	int bands, gutter;
};

// The first that fits is taken.
static const struct size sizes[] = {
    {150, 70, true, 1, 48, 0, 24, 1, 1, 32, 10, 12},
    {150, 40, true, 1, 48, 0, 24, 1, 1, 32, 5, 12},
    {104, 28, true, 1, 40, 0, 8, 1, 1, 34, 4, 12},
    {100, 20, true, 1, 0, 2, 4, 1, 1, 32, 2, 12},
    {60, 20, true, 1, 0, 2, 4, 1, 1, 32, 2, 7},
    {60, 14, false, 1, 0, 2, 0, 1, 1, 0, 2, 7},
    {30, 18, false, 1, 0, 3, 3, 1, 1, 30, 2, 7},
    {30, 11, false, 1, 0, 2, 0, 0, 1, 0, 1, 7},
    {24, 7, false, 0, 0, 1, 0, 0, 0, 0, 0, 7},
};

static const struct size *
find(int w, int h)
{
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (w >= sizes[i].w && h >= sizes[i].h)
			return &sizes[i];
	return NULL;
}

// Takes N rows from the top or, FROM_END, the bottom of what is left.
static struct rect
take(struct rect *left, int n, bool from_end)
{
	struct rect r = {left->x, left->y, left->w, n < left->h ? n : left->h};
	if (from_end)
		r.y = left->y + left->h - r.h;
	else
		left->y += r.h;
	left->h -= r.h;
	return r;
}

void
layout_make(struct layout *l, int w, int h, int probe_lines)
{
	const struct size *z = find(w, h);
	struct rect left = {0, 0, w, h};
	*l = (struct layout){.gutter = 7};
	if (!z) {
		if (h >= 3)
			l->strip = take(&left, h >= 6 ? 2 : 1, true);
		l->figures = left;
		return;
	}
	l->frames = z->frames;
	l->bands = z->bands;
	l->gutter = z->gutter;
	l->top = take(&left, z->top, false);
	l->keys = take(&left, z->keys, true);
	l->warn = take(&left, z->warn, true);
	l->strip = take(&left, z->strip + (z->strip == 1 && h >= 9), true);
	int lines = probe_lines < z->probes ? probe_lines : z->probes;
	if (lines > 0) {
		int box = z->frames ? 3 : 1;
		int most = left.h / 3;
		l->probes =
		    take(&left, lines + box < most || most < box + 1 ? lines + box : most, true);
	}
	if (z->side) {
		l->loads = (struct rect){w - z->side, left.y, z->side, left.h};
		left.w -= z->side;
	}
	if (z->cpu_pct) {
		int n = left.h * z->cpu_pct / 100;
		l->cpu = take(&left, n < 5 ? 5 : n, true);
		l->joined = z->frames && left.h < 12;
		left.h += l->joined; // the edge between them is drawn once
	}
	l->latency = left;
}
