// The table view.
// Must not know of curses.
#include "ui/panel.h"

static void
draw(struct grid *g, const struct session *s, struct ui *u)
{
	struct panel p;
	panel_init(&p, s, u);
	panel_top(g, (struct rect){0, 0, g->w, 1}, &p);
}

const struct view view_table = {.name = "table", .does = "one row a set of loads", .draw = draw};
