// Areas, lines and stacks in cells.
// Must not know where values come from.
#include "ui/graph.h"

#include <math.h>
#include <string.h>

// What a dot's column holds, in dots from the bottom; a line is a range, as it joins its left
// neighbour. -1: nothing.
struct column {
	int top, low, high, low2, high2;
	bool over;
};

int
graph_rows(enum glyphs glyphs)
{
	return glyphs == GLYPHS_BRAILLE ? 4 : glyphs == GLYPHS_BLOCK ? 8 : 3;
}

int
graph_columns(enum glyphs glyphs)
{
	return glyphs == GLYPHS_BRAILLE ? 2 : 1;
}

static int
at(const struct scale *s, float v)
{
	if (!(v >= 0))
		return -1;
	int dot = scale_dot(s, (double)v);
	return dot < s->dots ? dot : s->dots - 1;
}

static void
join(int here, int before, int *low, int *high)
{
	*low = *high = here;
	if (here >= 0 && before >= 0 && before < here)
		*low = before + 1;
	if (here >= 0 && before > here)
		*high = before - 1;
}

static void
column_make(struct column *c, const struct scale *s, const struct graph_dot *d,
    const struct graph_dot *before)
{
	c->top = at(s, d->area);
	c->over = d->area >= 0 && scale_dot(s, (double)d->area) >= s->dots;
	join(at(s, d->line), before ? at(s, before->line) : -1, &c->low, &c->high);
	join(at(s, d->second), before ? at(s, before->second) : -1, &c->low2, &c->high2);
}

// The dots LOW..HIGH of a column that fall into the cell whose lowest dot is BASE.
static uint32_t
dots_between(int column, int low, int high, int base)
{
	static const uint8_t bit[2][4] = {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}};
	uint32_t m = 0;
	low -= base;
	high -= base;
	for (int i = low < 0 ? 0 : low; i < 4 && i <= high; i++)
		m |= bit[column][i];
	return m;
}

// Where a line crosses, the area makes room for it, so that it is seen without colours too.
static void
cell_braille(struct grid *g, int x, int y, int base, const struct column c[2], int n,
    const struct graph_look *look, enum role area)
{
	uint32_t fill = 0, line = 0, second = 0, tip = 0;
	for (int i = 0; i < n; i++) {
		if (c[i].top >= 0) {
			fill |= dots_between(i, 0, c[i].top, base);
			tip |= dots_between(i, c[i].top, c[i].top, base);
		}
		if (c[i].low >= 0)
			line |= dots_between(i, c[i].low, c[i].high, base);
		if (c[i].low2 >= 0)
			second |= dots_between(i, c[i].low2, c[i].high2, base);
	}
	if (line)
		grid_put(g, x, y, 0x2800 | line | second | tip, look->line);
	else if (second)
		grid_put(g, x, y, 0x2800 | second | tip, look->second);
	else if (fill)
		grid_put(g, x, y, 0x2800 | fill, area);
}

static bool
crosses(int low, int high, int base, int rows)
{
	return low >= 0 && low < base + rows && high >= base;
}

static void
cell_block(struct grid *g, int x, int y, int base, const struct column *c,
    const struct graph_look *look, enum role area)
{
	int fill = c->top - base + 1;
	if (c->top < 0 || fill < 0)
		fill = 0;
	if (fill > 8)
		fill = 8;
	bool line = crosses(c->low, c->high, base, 8), second = crosses(c->low2, c->high2, base, 8);
	enum role role = line ? look->line : second ? look->second : area;
	if ((line || second) && fill == 8) {
		int low = line ? c->low : c->low2, high = line ? c->high : c->high2;
		int mid = low < base && high >= base + 8 ? 4
			  : low >= base                  ? low - base
							 : high - base;
		uint32_t ch = low < base && high >= base + 8 ? 0x2503
			      : mid < 3                      ? 0x2581
			      : mid < 5                      ? 0x2501
							     : 0x2594;
		grid_put(g, x, y, ch, role);
		grid_back(g, (struct rect){x, y, 1, 1}, area);
	} else if (line || second || fill) {
		grid_put(g, x, y, look->cs->eighth[fill ? fill : 1], role);
	}
}

static void
cell_ascii(struct grid *g, int x, int y, int base, const struct column *c,
    const struct graph_look *look, enum role area)
{
	static const char level[4] = {' ', '.', ':', '|'};
	int fill = c->top < 0 ? 0 : c->top - base + 1;
	if (crosses(c->low, c->high, base, 3))
		grid_put(g, x, y, '*', look->line);
	else if (crosses(c->low2, c->high2, base, 3))
		grid_put(g, x, y, '+', look->second);
	else if (fill > 0)
		grid_put(g, x, y, (uint32_t)level[fill > 3 ? 3 : fill], area);
}

void
graph_area(struct grid *g, struct rect r, enum glyphs glyphs, const struct scale *s,
    const struct graph_look *look, const struct graph_dot *d, int dots)
{
	int per = graph_columns(glyphs), rows = graph_rows(glyphs);
	struct column c[2];
	for (int x = 0; x < r.w; x++) {
		int n = 0;
		bool dim = false, over = false;
		for (; n < per && x * per + n < dots; n++) {
			int i = x * per + n;
			column_make(&c[n], s, &d[i], i ? &d[i - 1] : NULL);
			dim |= d[i].dim;
			over |= c[n].over;
		}
		if (!n)
			break;
		enum role area = dim ? ROLE_DIM : look->area;
		for (int y = 0; y < r.h; y++) {
			int base = (r.h - 1 - y) * rows;
			if (glyphs == GLYPHS_BRAILLE)
				cell_braille(g, r.x + x, r.y + y, base, c, n, look, area);
			else if (glyphs == GLYPHS_BLOCK)
				cell_block(g, r.x + x, r.y + y, base, c, look, area);
			else
				cell_ascii(g, r.x + x, r.y + y, base, c, look, area);
		}
		if (over)
			grid_put(g, r.x + x, r.y, look->cs->over, ROLE_WARN);
	}
}

// Tops of the shares in eighths of a cell; what there is at all is seen.
static int
stack_tops(const float pct[GRAPH_SHARES], int height, int top[GRAPH_SHARES])
{
	double sum = 0;
	bool any = false;
	for (int k = 0; k < GRAPH_SHARES; k++) {
		if (pct[k] >= 0) {
			sum += (double)pct[k];
			any = true;
		}
		double t = sum / 100 * height + 0.5;
		top[k] = t > height ? height : (int)t;
	}
	int most = 0;
	for (int k = 1; k < GRAPH_SHARES; k++)
		if (pct[k] > pct[most] || !(pct[most] >= 0))
			most = k;
	if (any && sum > 0 && top[GRAPH_SHARES - 1] < 1)
		for (int k = most; k < GRAPH_SHARES; k++)
			top[k] = 1;
	return any ? top[GRAPH_SHARES - 1] : 0;
}

// Which share holds eighth E.
static int
share_at(const int top[GRAPH_SHARES], int e)
{
	int k = 0;
	while (k < GRAPH_SHARES - 1 && e >= top[k])
		k++;
	return k;
}

// Which share has the most of the eighths FROM .. TO - 1, by what it really is and not as it was
// rounded.
static int
most_between(const float pct[GRAPH_SHARES], int height, double from, double to)
{
	double sum = 0, best = -1;
	int which = 0;
	for (int k = 0; k < GRAPH_SHARES; k++) {
		double low = sum, high = sum + (pct[k] > 0 ? (double)pct[k] / 100 * height : 0);
		double in = (high < to ? high : to) - (low > from ? low : from);
		if (in > best) {
			best = in;
			which = k;
		}
		sum = high;
	}
	return which;
}

void
graph_stack(struct grid *g, int x, int y, int h, bool ascii, const float pct[GRAPH_SHARES],
    const enum role role[GRAPH_SHARES])
{
	static const char letter[GRAPH_SHARES] = {'#', '=', '.', '+', '%'};
	int top[GRAPH_SHARES], total = stack_tops(pct, h * 8, top);
	for (int row = 0; row * 8 < total; row++) {
		int base = row * 8, fill = total - base > 8 ? 8 : total - base,
		    yy = y + h - 1 - row;
		if (ascii) {
			int most = most_between(pct, h * 8, base, base + fill);
			grid_put(g, x, yy, (uint32_t)letter[most], role[most]);
			continue;
		}
		// A cell has two colours: the lowest share in it, and the one that holds most of
		// the rest.
		int low = share_at(top, base), edge = 1;
		while (edge < fill && share_at(top, base + edge) == low)
			edge++;
		if (edge == fill || fill < 8) {
			int most = fill < 8 ? most_between(pct, h * 8, base, base + fill) : low;
			grid_put(g, x, yy, draw_charset(false)->eighth[fill], role[most]);
		} else {
			grid_put(g, x, yy, draw_charset(false)->eighth[edge], role[low]);
			grid_back(g, (struct rect){x, yy, 1, 1},
			    role[share_at(top, base + (edge + 7) / 2)]);
		}
	}
}
