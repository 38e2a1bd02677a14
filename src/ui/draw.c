// Drawing helpers of all views.
// Must not know sessions or what a view shows.
#include "ui/draw.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct charset unicode = {
    .top_left = 0x256d,
    .top_right = 0x256e,
    .bottom_left = 0x2570,
    .bottom_right = 0x256f,
    .across = 0x2500,
    .down = 0x2502,
    .join_left = 0x251c,
    .join_right = 0x2524,
    .tick = 0x2524,
    .dash = 0x2504,
    .upright = 0x250a,
    .band = 0x2501,
    .band_left = 0x2578,
    .band_right = 0x257a,
    .on = 0x25cf,
    .off = 0x25cb,
    .failed = 0x2717,
    .busy = 0x25d0,
    .chosen = 0x258c,
    .here = 0x25b8,
    .xrun = 0x25bc,
    .over = 0x25b2,
    .record = 0x25cf,
    .warn = 0x25b2,
    .eighth = {' ', 0x2581, 0x2582, 0x2583, 0x2584, 0x2585, 0x2586, 0x2587, 0x2588},
    .sep = " · ",
    .micro = "µ",
    .le = "≤",
    .times = "×",
    .more = "▸",
    .none = "·",
};

static const struct charset ascii_only = {
    .top_left = '+',
    .top_right = '+',
    .bottom_left = '+',
    .bottom_right = '+',
    .across = '-',
    .down = '|',
    .join_left = '+',
    .join_right = '+',
    .tick = '+',
    .dash = '-',
    .upright = ':',
    .band = '=',
    .band_left = '=',
    .band_right = '=',
    .on = '*',
    .off = 'o',
    .failed = 'x',
    .busy = '~',
    .chosen = '>',
    .here = '>',
    .xrun = 'X',
    .over = '^',
    .record = '*',
    .warn = '!',
    .eighth = {' ', '.', '.', '.', ':', ':', ':', '#', '#'},
    .sep = ", ",
    .micro = "u",
    .le = "<",
    .times = "x",
    .more = ">",
    .none = ".",
};

const struct charset *
draw_charset(bool ascii)
{
	return ascii ? &ascii_only : &unicode;
}

int
draw_width(const char *text)
{
	int w = 0;
	uint32_t cp;
	for (int n; (n = text_utf8(text, &cp)) > 0; text += n)
		w++;
	return w;
}

void
draw_right(struct grid *g, int x, int y, int w, enum role role, const char *text)
{
	int n = draw_width(text);
	if (n <= w)
		grid_text(g, x + w - n, y, n, role, text);
	else if (w > 0)
		grid_put(g, x + w - 1, y, '-', ROLE_DIM);
}

void
draw_box(struct grid *g, struct rect r, const struct charset *cs)
{
	if (r.w < 2 || r.h < 2)
		return;
	int right = r.x + r.w - 1, bottom = r.y + r.h - 1;
	grid_fill(g, (struct rect){r.x + 1, r.y, r.w - 2, 1}, cs->across, ROLE_FRAME);
	grid_fill(g, (struct rect){r.x + 1, bottom, r.w - 2, 1}, cs->across, ROLE_FRAME);
	grid_fill(g, (struct rect){r.x, r.y + 1, 1, r.h - 2}, cs->down, ROLE_FRAME);
	grid_fill(g, (struct rect){right, r.y + 1, 1, r.h - 2}, cs->down, ROLE_FRAME);
	grid_put(g, r.x, r.y, cs->top_left, ROLE_FRAME);
	grid_put(g, right, r.y, cs->top_right, ROLE_FRAME);
	grid_put(g, r.x, bottom, cs->bottom_left, ROLE_FRAME);
	grid_put(g, right, bottom, cs->bottom_right, ROLE_FRAME);
}

void
draw_cursor(struct grid *g, struct rect r, const struct charset *cs)
{
	for (int y = r.y < 0 ? 0 : r.y; y < r.y + r.h && y < g->h && r.x >= 0 && r.x < g->w; y++) {
		uint32_t ch = g->cell[y * g->w + r.x].ch;
		grid_put(g, r.x, y, ch && ch != ' ' ? ch : cs->down, ROLE_SELECT);
	}
}

void
line_add(struct line *l, enum role role, int drop, const char *fmt, ...)
{
	if (l->n == LINE_PARTS)
		return;
	struct part *p = &l->part[l->n];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(p->text, sizeof p->text, fmt, ap);
	va_end(ap);
	if (n <= 0)
		return;
	p->role = role;
	p->drop = drop;
	l->n++;
}

static int
line_width(const struct line *l)
{
	int w = 0;
	for (int i = 0; i < l->n; i++)
		w += draw_width(l->part[i].text);
	return w;
}

int
line_fit(struct line *l, int w)
{
	int have = line_width(l);
	while (have > w) {
		int worst = 0;
		for (int i = 0; i < l->n; i++)
			if (l->part[i].drop > worst)
				worst = l->part[i].drop;
		if (!worst)
			break;
		int n = 0;
		for (int i = 0; i < l->n; i++)
			if (l->part[i].drop != worst)
				l->part[n++] = l->part[i];
		l->n = n;
		have = line_width(l);
	}
	return have;
}

int
line_draw(struct grid *g, int x, int y, int w, struct line *l)
{
	int used = 0;
	line_fit(l, w);
	for (int i = 0; i < l->n && used < w; i++)
		used += grid_text(g, x + used, y, w - used, l->part[i].role, l->part[i].text);
	return used;
}

void
line_draw_ends(struct grid *g, int x, int y, int w, struct line *left, struct line *right)
{
	int r = line_fit(right, w);
	if (r > w)
		r = right->n = 0;
	line_draw(g, x + w - r, y, r, right);
	int room = r ? w - r - 2 : w;
	if (line_fit(left, room) <= room || room >= 8) // a stump of a word says nothing
		line_draw(g, x, y, room, left);
}

char *
draw_ns(char buf[FIGURE], double ns, bool ascii)
{
	int64_t v = ns >= 0 && ns < 9e18 ? (int64_t)(ns + 0.5) : TEXT_NONE;
	return text_ns(buf, FIGURE, v, ascii);
}

char *
draw_round(char buf[FIGURE], double ns, bool ascii)
{
	int64_t s = ns > 0 && ns < 9e18 ? (int64_t)(ns / 1e9) : 0;
	if (!(ns >= 0))
		snprintf(buf, FIGURE, "-");
	else if (ns < 999.5)
		snprintf(buf, FIGURE, "%.4gns", ns);
	else if (ns < 999.5e3)
		snprintf(buf, FIGURE, "%.4g%ss", ns / 1e3, ascii ? "u" : "µ");
	else if (ns < 999.5e6)
		snprintf(buf, FIGURE, "%.4gms", ns / 1e6);
	else if (s < 120)
		snprintf(buf, FIGURE, "%.4gs", ns / 1e9);
	else if (s < 7200)
		snprintf(buf, FIGURE, s % 60 ? "%dm%02d" : "%dm", (int)(s / 60), (int)(s % 60));
	else if (s < 172800)
		snprintf(buf, FIGURE, s % 3600 ? "%dh%02d" : "%dh", (int)(s / 3600),
		    (int)(s % 3600 / 60));
	else
		snprintf(buf, FIGURE, "%.4gd", (double)s / 86400);
	return buf;
}

char *
draw_pct(char buf[FIGURE], double pct)
{
	if (!(pct >= 0 && pct < 1e6))
		snprintf(buf, FIGURE, "-");
	else
		snprintf(buf, FIGURE, "%d%%", (int)(pct + 0.5));
	return buf;
}

const char *
draw_rate(char buf[FIGURE], double per_s, const char *unit)
{
	static const struct {
		const char *unit, *rate;
	} units[] = {
	    {"bytes", "B/s"},
	    {"lines", "lines/s"},
	    {"cache lines", "lines/s"},
	    {"operations", "ops/s"},
	    {"ops", "ops/s"},
	    {"hops", "hops/s"},
	    {"files", "files/s"},
	    {"loops", "loops/s"},
	    {"processes", "procs/s"},
	    {"passes", "pass/s"},
	};
	const char *rate = "/s";
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(unit, units[i].unit))
			rate = units[i].rate;
	if (!(per_s >= 0))
		snprintf(buf, FIGURE, "-");
	else
		text_count(buf, FIGURE, per_s);
	return rate;
}
