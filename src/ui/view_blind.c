// What a person sees during a blind test: no figures, only which turn it is and the question; at its end, how often they
// were right. Must not show anything that tells A from B.
#include <stdio.h>

#include "session/rounds.h"
#include "session/slot.h"
#include "session/verdict.h"
#include "ui/keys.h"
#include "ui/panel.h"
#include "ui/view.h"

static bool
over(const struct rounds *o)
{
	return o->state == ROUNDS_DONE || o->state == ROUNDS_FAILED;
}

bool
view_blind_wanted(const struct session *s, const struct ui *u)
{
	const struct rounds *o = session_rounds(s);
	return o && o->blind && (rounds_running(o) || (over(o) && u->blind_end < o->phase + 1));
}

static void
middle(struct grid *g, int y, enum role role, const char *text)
{
	int w = draw_width(text), x = w < g->w ? (g->w - w) / 2 : 0;
	grid_text(g, x, y, g->w - x, role, text);
}

static void
draw_end(struct grid *g, int y, const struct session *s, const struct rounds *o)
{
	char text[VERDICT_MAX];
	const struct slots *sl = session_slots(s);
	struct verdict *v = sl ? verdict_make(&sl->slot[SLOT_A], &sl->slot[SLOT_B]) : NULL;
	int better = 0;
	for (int i = 0; v && i < v->rows && !better; i++)
		better = v->row[i].main ? verdict_better(&v->row[i]) : 0;
	verdict_free(v);
	rounds_say(text, sizeof text, o, better);
	const char *p = text;
	for (int line = 0; *p && y + line < g->h - 2; line++) { // folded at blanks
		int n = 0, cut = 0;
		for (; p[n] && n < g->w - 4; n++)
			if (p[n] == ' ')
				cut = n;
		if (!p[n] || !cut)
			cut = n;
		char part[VERDICT_MAX];
		snprintf(part, sizeof part, "%.*s", cut, p);
		middle(g, y + line, ROLE_BRIGHT, part);
		for (p += cut; *p == ' ';)
			p++;
	}
	middle(g, g->h - 1, ROLE_DIM, "c shows the figures, any other key goes back");
}

void
view_blind_draw(struct grid *g, const struct session *s)
{
	const struct rounds *o = session_rounds(s);
	char text[160];
	int y = g->h / 2 - 1;
	if (o->state == ROUNDS_FAILED) {
		middle(g, y, ROLE_FAILED, o->error);
		middle(g, g->h - 1, ROLE_DIM, "any key goes back");
		return;
	}
	if (over(o)) {
		draw_end(g, y, s, o);
		return;
	}
	snprintf(text, sizeof text, "round %d of %d", o->phase / 2 + 1, o->rounds);
	middle(g, y - 2 > 0 ? y - 2 : 0, ROLE_DIM, text);
	if (o->state == ROUNDS_ASKING) {
		middle(g, y, ROLE_BRIGHT, "which felt better?");
		middle(g, y + 2, ROLE_KEY, "1 the first   2 the second   0 can't tell");
	} else {
		middle(g, y, ROLE_BRIGHT, o->phase % 2 ? "the second" : "the first");
		middle(g, y + 2, ROLE_DIM, o->state == ROUNDS_FLIPPING ? "changing" : "listen, watch, try the machine");
	}
	middle(g, g->h - 1, ROLE_DIM, "K ends the test, q quits");
}

bool
view_blind_key(struct session *s, struct ui *u, int key)
{
	struct rounds *o = session_rounds(s);
	if (over(o)) {
		u->blind_end = o->phase + 1;
		if (key == 'c')
			u->view = view_find("compare");
		return true;
	}
	if (key == 'K') {
		rounds_stop(s);
		return true;
	}
	if (o->state == ROUNDS_ASKING && key >= '0' && key <= '2')
		rounds_answer(s, key == '1' ? FELT_FIRST : key == '2' ? FELT_SECOND : FELT_UNSURE);
	return key != 'q' && key != 'x'; // figures stay hidden whatever else is pressed
}
