// The grid of cells that views draw into: clipping, UTF-8 and one column a character.
// Must not know of views, themes' colours or terminals.
#include "ui/grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct range {
	uint32_t from, to;
};

// What takes two columns on every terminal (Unicode's East Asian Width W and F, in whole blocks), and what takes none.
// Our own, as wcwidth() answers by locale and the grid must not.
static const struct range wide[] = {
    {0x1100, 0x115f}, {0x231a, 0x231b}, {0x23e9, 0x23ec}, {0x2614, 0x2615}, {0x26a1, 0x26a1},
    {0x2728, 0x2728}, {0x2753, 0x2755}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xa960, 0xa97f},
    {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff01, 0xff60}, {0xffe0, 0xffe6},
    {0x16fe0, 0x18cff}, {0x1b000, 0x1b2ff}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f19a}, {0x1f200, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb},
    {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
};
static const struct range zero[] = {
    {0x00ad, 0x00ad}, {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},
    {0x064b, 0x065f}, {0x0900, 0x0902}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
    {0x2028, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0x1d167, 0x1d169}, {0xe0000, 0xe0fff},
};

static bool
in_ranges(const struct range *r, size_t n, uint32_t cp)
{
	for (size_t i = 0; i < n; i++)
		if (cp >= r[i].from && cp <= r[i].to)
			return true;
	return false;
}

// A code point that takes exactly one column: CP, '?' for what cannot stand in a cell, 0 for what takes no column.
static uint32_t
one_column(uint32_t cp)
{
	if (cp < 0x7f)
		return cp >= ' ' ? cp : '?';
	if (cp < 0xa0)
		return '?';
	if (cp < 0x300)
		return cp == 0xad ? 0 : cp;
	if (in_ranges(zero, sizeof zero / sizeof *zero, cp))
		return 0;
	if (in_ranges(wide, sizeof wide / sizeof *wide, cp))
		return '?';
	if (cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return '?';
	return cp;
}

int
grid_size(struct grid *g, int w, int h)
{
	w = w < 1 ? 1 : w > 4096 ? 4096 : w;
	h = h < 1 ? 1 : h > 4096 ? 4096 : h;
	if (!g->cell || w != g->w || h != g->h) {
		struct cell *c = realloc(g->cell, (size_t)w * (size_t)h * sizeof *c);
		if (!c)
			return -1;
		*g = (struct grid){.w = w, .h = h, .cell = c};
	}
	grid_clear(g);
	return 0;
}

void
grid_free(struct grid *g)
{
	free(g->cell);
	*g = (struct grid){0};
}

void
grid_clear(struct grid *g)
{
	const struct cell blank = {.ch = ' ', .role = ROLE_TEXT, .back = ROLE_BACK};
	for (int i = 0; i < g->w * g->h; i++)
		g->cell[i] = blank;
}

static struct cell *
cell_at(const struct grid *g, int x, int y)
{
	if (x < 0 || y < 0 || x >= g->w || y >= g->h)
		return NULL;
	return &g->cell[y * g->w + x];
}

void
grid_put(struct grid *g, int x, int y, uint32_t ch, enum role role)
{
	struct cell *c = cell_at(g, x, y);
	if (!c)
		return;
	uint32_t one = ch ? one_column(ch) : ' ';
	c->ch = one ? one : ' ';
	c->role = (uint8_t)role;
}

int
grid_text(struct grid *g, int x, int y, int w, enum role role, const char *text)
{
	int used = 0;
	uint32_t cp;
	for (int n; used < w && (n = text_utf8(text, &cp)) > 0; text += n) {
		uint32_t one = one_column(cp);
		if (one)
			grid_put(g, x + used++, y, one, role);
	}
	return used;
}

int
grid_printf(struct grid *g, int x, int y, int w, enum role role, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	return n < 0 ? 0 : grid_text(g, x, y, w, role, buf);
}

void
grid_fill(struct grid *g, struct rect r, uint32_t ch, enum role role)
{
	for (int y = r.y < 0 ? 0 : r.y; y < r.y + r.h && y < g->h; y++)
		for (int x = r.x < 0 ? 0 : r.x; x < r.x + r.w && x < g->w; x++)
			grid_put(g, x, y, ch, role);
}

void
grid_back(struct grid *g, struct rect r, enum role back)
{
	for (int y = r.y < 0 ? 0 : r.y; y < r.y + r.h && y < g->h; y++)
		for (int x = r.x < 0 ? 0 : r.x; x < r.x + r.w && x < g->w; x++)
			cell_at(g, x, y)->back = (uint8_t)back;
}

int
grid_encode(char *buf, uint32_t cp)
{
	int n = 0;
	if (cp < 0x80) {
		buf[n++] = (char)cp;
		return n;
	}
	if (cp < 0x800) {
		buf[n++] = (char)(0xc0 | cp >> 6);
	} else if (cp < 0x10000) {
		buf[n++] = (char)(0xe0 | cp >> 12);
		buf[n++] = (char)(0x80 | (cp >> 6 & 0x3f));
	} else {
		buf[n++] = (char)(0xf0 | cp >> 18);
		buf[n++] = (char)(0x80 | (cp >> 12 & 0x3f));
		buf[n++] = (char)(0x80 | (cp >> 6 & 0x3f));
	}
	buf[n++] = (char)(0x80 | (cp & 0x3f));
	return n;
}

// A role's letter in a dump: a..z, then A..; a blank cell shows only a background of its own.
static uint32_t
role_letter(const struct cell *c)
{
	bool blank = !c->ch || c->ch == ' ';
	if (blank && c->back == ROLE_BACK)
		return ' ';
	unsigned r = blank ? c->back : c->role;
	return r < 26 ? 'a' + r : 'A' + (r - 26) % 26;
}

static char *
dump_block(char *p, const struct grid *g, bool roles)
{
	for (int y = 0; y < g->h; y++) {
		char *end = p;
		for (int x = 0; x < g->w; x++) {
			const struct cell *c = cell_at(g, x, y);
			uint32_t ch = roles ? role_letter(c) : c->ch ? c->ch : ' ';
			p += grid_encode(p, ch);
			if (ch != ' ')
				end = p;
		}
		p = end;
		*p++ = '\n';
	}
	return p;
}

char *
grid_dump(const struct grid *g, bool roles)
{
	size_t block = (size_t)g->h * ((size_t)g->w * 4 + 1);
	char *buf = malloc(2 * block + 2);
	if (!buf)
		return NULL;
	char *p = dump_block(buf, g, false);
	if (roles) {
		*p++ = '\n';
		p = dump_block(p, g, true);
	}
	*p = '\0';
	return buf;
}
