// The help view: what to do about each warning, then every key, from the table that the keys themselves come from.
// Must not know what keys do.
#include <string.h>

#include "ui/keys.h"

#define COLUMN 62 // of one column of keys

static int
draw_warnings(struct grid *g, const struct session *s, int y, int bottom)
{
	static const enum role role[] = {ROLE_DIM, ROLE_WARN, ROLE_SPOILT};
	for (int i = 0; i < s->warnings && y < bottom; i++) {
		const struct warning *w = &s->warning[i];
		int used = grid_text(g, 1, y, g->w - 1, role[w->severity], w->text);
		if (!w->advice[0]) {
			y++;
			continue;
		}
		if (used + (int)strlen(w->advice) + 4 > g->w)
			used = 2, y++;
		grid_text(g, 2 + used, y++, g->w - 2 - used, ROLE_TEXT, w->advice);
	}
	return s->warnings ? y + 1 : y;
}

static int
draw_row(struct grid *g, const struct session *s, const struct key_row *r, int x, int y, int w)
{
	int load = r->key[1] ? -1 : key_load(s, r->key[0]);
	grid_text(g, x, y, 11 < w ? 11 : w, ROLE_KEY, r->keys);
	if (load >= 0)
		grid_printf(g, x + 12, y, w - 12, ROLE_TEXT, "load %s (yours)", s->load[load].name);
	else
		grid_text(g, x + 12, y, w - 12, ROLE_TEXT, r->does);
	return y + 1;
}

static int
rows(void)
{
	int n = 0;
	while (key_rows[n].name)
		n++;
	return n;
}

// Keys in one or two columns; on a small screen the list is scrolled with Up and Down.
static void
draw_keys(struct grid *g, const struct session *s, struct ui *u, int y, int bottom)
{
	int n = rows(), room = bottom - y, wide = g->w >= 2 * COLUMN ? 2 : 1;
	int per_column = (n + wide - 1) / wide;
	int top = per_column - room > 0 ? per_column - room : 0;
	if (u->help_top > top)
		u->help_top = top;
	for (int i = 0; i < n; i++) {
		int row = i % per_column - u->help_top;
		if (row >= 0 && row < room)
			draw_row(g, s, &key_rows[i], 1 + i / per_column * COLUMN, y + row, wide > 1 ? COLUMN - 2 : g->w - 1);
	}
	if (u->help_top < top)
		grid_text(g, 1, bottom, g->w - 1, ROLE_DIM, "Down: more");
}

static void
help_draw(struct grid *g, const struct session *s, struct ui *u)
{
	int y = 0;
	if (g->h > 12)
		grid_text(g, 1, y++, g->w - 1, ROLE_TITLE, "stutter " STUTTER_VERSION ": keys. Press ? or Esc to go back.");
	if (g->h > 12)
		y++;
	y = draw_warnings(g, s, y, g->h / 2);
	draw_keys(g, s, u, y, g->h - 1);
	if (g->h > 12)
		grid_text(g, 14, g->h - 1, g->w - 14, ROLE_DIM, "Mouse: click a load to switch it, the graph to read a value.");
}

static bool
help_key(int key, struct session *s, struct ui *u)
{
	(void)s;
	if (key != UI_UP && key != UI_DOWN && key != UI_PAGE_UP && key != UI_PAGE_DOWN)
		return false;
	u->help_top += key == UI_UP ? -1 : key == UI_DOWN ? 1 : key == UI_PAGE_UP ? -10 : 10;
	if (u->help_top < 0)
		u->help_top = 0;
	return true;
}

const struct view view_help = {.name = "help", .does = "every key, and what to do about warnings", .draw = help_draw, .key = help_key};
