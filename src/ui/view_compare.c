// The compare view: slots A and B beside each other.
// Must not know how slots are filled.
#include "ui/panel.h"

static void
draw(struct grid *g, const struct session *s, struct ui *u)
{
	struct panel p;
	panel_init(&p, s, u);
	panel_top(g, (struct rect){0, 0, g->w, 1}, &p);
	grid_text(g, 1, 2, g->w - 1, ROLE_TEXT, "Nothing is captured yet.");
	grid_text(g, 1, 3, g->w - 1, ROLE_TEXT, "a starts and ends slot A, b slot B.");
	if (g->h > 5)
		panel_keys(g, (struct rect){0, g->h - 1, g->w, 1}, &p);
}

const struct view view_compare = {
    .name = "compare",
    .does = "slots A and B side by side",
    .draw = draw,
};
