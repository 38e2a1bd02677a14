// The compare view: slots A and B beside each other, set of loads by set of loads, and what it comes to in a sentence.
// Must not know how slots are filled or figures compared.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "session/slot.h"
#include "session/verdict.h"
#include "ui/histogram.h"
#include "ui/keys.h"
#include "ui/panel.h"

#define AGAIN_NS (NS_PER_S) // while a capture runs it is compared anew at most this often

// What was last compared, kept behind struct ui: it costs too much to be made for each picture.
struct compare {
	struct verdict *v;
	unsigned version;
	int64_t at_ns;
	int row;
};

static struct compare *
state(struct ui *u)
{
	if (!u->compare)
		u->compare = calloc(1, sizeof(struct compare));
	return u->compare;
}

void
view_compare_forget(struct ui *u)
{
	struct compare *c = u->compare;
	if (c)
		verdict_free(c->v);
	free(c);
	u->compare = NULL;
}

static const struct verdict *
compared(struct compare *c, const struct session *s, const struct slots *sl)
{
	bool old = c->version != sl->version && (sl->open < 0 || s->elapsed_ns - c->at_ns >= AGAIN_NS || s->elapsed_ns < c->at_ns);
	if (!c->v || old) {
		verdict_free(c->v);
		c->v = verdict_make(&sl->slot[SLOT_A], &sl->slot[SLOT_B]);
		c->version = sl->version;
		c->at_ns = s->elapsed_ns;
		for (int i = 0; c->v && i < c->v->rows; i++)
			if (c->v->row[i].main && (c->row >= c->v->rows || !c->row)) {
				c->row = i;
				break;
			}
	}
	if (c->v && c->row >= c->v->rows)
		c->row = 0;
	return c->v;
}

static void
draw_slots(struct grid *g, int y, const struct panel *p, const struct slots *sl)
{
	struct line l = {0};
	for (int i = 0; i < SLOT_COUNT; i++) {
		const struct slot *t = &sl->slot[i];
		char length[FIGURE], letter[2] = {(char)('A' + i), 0};
		enum role role = i ? ROLE_B : ROLE_A;
		line_add(&l, role, 0, " %s %s", letter, *t->name && strcmp(t->name, letter) ? t->name : "");
		if (t->parts || sl->open == i)
			line_add(&l, ROLE_BRIGHT, 1, " %s", draw_ns(length, t->s * 1e9, p->ascii));
		else
			line_add(&l, ROLE_DIM, 1, "empty: press %c", 'a' + i);
		if (t->marked)
			line_add(&l, role, 2, " sound mark %d", t->sound_mark);
		if (sl->open == i)
			line_add(&l, ROLE_RECORD, 0, " capturing, %c ends", 'a' + i);
		line_add(&l, ROLE_DIM, 3, "%s%s  ", *t->kernel ? "  " : "", t->kernel);
	}
	line_draw(g, 0, y, g->w, &l);
}

static char *
value(char *buf, enum ab_figure f, double v, bool ascii)
{
	if (f == AB_WITHIN_1 || f == AB_WITHIN_2)
		return text_pct(buf, FIGURE, v);
	return draw_ns(buf, v, ascii);
}

static void
draw_change(struct grid *g, int y, int w, const char *name, const char *a, const char *b, const struct ab_change *c, bool lower_better)
{
	char change[64];
	bool sure = c->lack == AB_NONE && (c->lo > 0 || c->hi < 0);
	enum role role = !sure ? ROLE_DIM : (c->change < 0) == lower_better ? ROLE_B : ROLE_A;
	verdict_change(change, sizeof change, c);
	int first = w >= 60 ? 22 : 14;
	grid_text(g, 2, y, first - 2, ROLE_DIM, name);
	draw_right(g, first, y, 9, ROLE_A, a);
	draw_right(g, first + 10, y, 9, ROLE_B, b);
	if (w > first + 22)
		grid_text(g, first + 21, y, w - first - 21, role, c->lack == AB_EMPTY ? "" : change);
}

// The table of one row; returns the lines used.
static int
draw_figures(struct grid *g, int y, int w, int h, const struct panel *p, const struct verdict_row *r)
{
	char a[FIGURE], b[FIGURE], name[64];
	int n = 0, first = w >= 60 ? 22 : 14;
	if (h < 2)
		return 0;
	draw_right(g, first, y, 9, ROLE_A, "A");
	draw_right(g, first + 10, y, 9, ROLE_B, "B");
	if (w > first + 40)
		grid_text(g, first + 21, y, w - first - 21, ROLE_DIM, "change (95% interval)");
	n++;
	for (int i = 0; i < AB_FIGURES && n < h; i++)
		draw_change(g, y + n++, w, verdict_figure_name((enum ab_figure)i), value(a, (enum ab_figure)i, r->figure[i].a, p->ascii),
		    value(b, (enum ab_figure)i, r->figure[i].b, p->ascii), &r->figure[i], verdict_lower_better((enum ab_figure)i));
	if (n < h && !isnan(r->xruns.a))
		draw_change(g, y + n++, w, "drop-outs a min", text_count(a, sizeof a, r->xruns.a), text_count(b, sizeof b, r->xruns.b), &r->xruns, true);
	if (n < h)
		draw_change(g, y + n++, w, "cpu busy", text_pct(a, sizeof a, r->cpu.a), text_pct(b, sizeof b, r->cpu.b), &r->cpu, true);
	for (int i = 0; i < r->works && n < h; i++) {
		snprintf(name, sizeof name, "%.11s/s", r->work[i].name);
		draw_change(g, y + n++, w, name, text_count(a, sizeof a, r->work[i].change.a), text_count(b, sizeof b, r->work[i].change.b),
		    &r->work[i].change, false);
	}
	return n;
}

static void
draw_picture(struct grid *g, struct rect r, const struct panel *p, const struct verdict_row *row)
{
	struct line left = {0}, right = {0};
	char where[112];
	if (r.h < 7 || r.w < 30)
		return;
	line_add(&left, ROLE_TEXT, 0, " %s%s%s ", row->probe, p->cs->sep, verdict_load(where, sizeof where, row->load));
	line_add(&right, ROLE_A, 0, " A");
	line_add(&right, ROLE_B, 0, "  B ");
	struct histogram h = {.area = row->dist[SLOT_A], .line = row->dist[SLOT_B], .area_role = ROLE_A, .line_role = ROLE_B, .share = true};
	for (int i = 0; i < HISTOGRAM_MARKS; i++)
		h.mark[i].ns = NAN;
	static const struct dist empty;
	h.area = h.area ? h.area : &empty;
	for (int i = 0; i < SLOT_COUNT; i++)
		if (row->figure[AB_P99].lack != AB_EMPTY) {
			h.mark[i].ns = i ? row->figure[AB_P99].b : row->figure[AB_P99].a;
			h.mark[i].role = i ? ROLE_B : ROLE_A;
			snprintf(h.mark[i].name, sizeof h.mark[i].name, "p99 %c", 'A' + i);
		}
	histogram_draw(g, panel_frame(g, r, p, &left, &right), p->u->glyphs, p->ascii, &h);
}

// Folds TEXT at blanks into lines of W columns, at most H of them; returns the lines used.
static int
draw_folded(struct grid *g, int x, int y, int w, int h, enum role role, const char *text)
{
	int n = 0;
	while (*text && n < h && w > 0) {
		size_t len = strlen(text), cut = len;
		if ((int)len > w) { // bytes are at least columns
			cut = (size_t)w;
			while (cut && text[cut] != ' ')
				cut--;
			if (!cut)
				cut = (size_t)w;
			while (cut && ((unsigned char)text[cut] & 0xc0) == 0x80)
				cut--;
			if (!cut)
				break;
		}
		grid_printf(g, x, y + n++, w, role, "%.*s", (int)cut, text);
		for (text += cut; *text == ' ';)
			text++;
	}
	return n;
}

static int
draw_rows(struct grid *g, int y, int h, const struct panel *p, const struct verdict *v, int chosen)
{
	char say[VERDICT_MAX];
	int n = 0, from = chosen >= h ? chosen - h + 1 : 0;
	for (int i = from; i < v->rows && n < h; i++) {
		const struct verdict_row *r = &v->row[i];
		if (i == chosen)
			grid_put(g, 0, y + n, p->cs->here, ROLE_SELECT);
		int better = verdict_better(r);
		enum role role = better > 0 ? ROLE_B : better < 0 ? ROLE_A : *r->why_not ? ROLE_WARN : ROLE_TEXT;
		int x = 2 + grid_printf(g, 2, y + n, 16, ROLE_DIM, "%.15s", r->probe);
		x = x < 14 ? 14 : x + 1;
		n += draw_folded(g, x, y + n, g->w - x, h - n, role, verdict_say(say, sizeof say, r, p->ascii));
	}
	return n;
}

static void
draw(struct grid *g, const struct session *s, struct ui *u)
{
	struct panel p;
	panel_init(&p, s, u);
	p.frames = g->w >= 40 && g->h >= 10;
	int y = 0, end = g->h;
	if (g->h >= 6) {
		panel_top(g, (struct rect){0, y++, g->w, 1}, &p);
		panel_keys(g, (struct rect){0, --end, g->w, 1}, &p);
	}
	if (g->h >= 14)
		panel_warn(g, (struct rect){0, --end, g->w, 1}, &p);
	const struct slots *sl = session_slots(s);
	struct compare *c = state(u);
	if (!sl || !c)
		return;
	draw_slots(g, y++, &p, sl);
	const struct verdict *v = compared(c, s, sl);
	if (!v || !v->rows) {
		draw_folded(g, 1, y + 1, g->w - 2, end - y - 1, ROLE_TEXT,
		    "Nothing to compare yet: a starts and ends a capture into slot A, b into slot B. Switch loads while they run: each set of loads is "
		    "compared with itself. A and B take a recording too: press A or B here.");
		return;
	}
	int left = end - y, list = left > 24 ? left / 3 : left > 12 ? left / 2 - 3 : left;
	int used = draw_rows(g, y, list < 1 ? 1 : list, &p, v, c->row);
	y += used + (left > 24);
	const struct verdict_row *r = &v->row[c->row];
	if (g->w >= 130) {
		draw_figures(g, y, 74, end - y, &p, r);
		draw_picture(g, (struct rect){75, y, g->w - 75, end - y}, &p, r);
		return;
	}
	y += draw_figures(g, y, g->w, end - y, &p, r);
	if (*v->note && y < end)
		y += draw_folded(g, 2, y, g->w - 2, 2, ROLE_DIM, v->note);
	draw_picture(g, (struct rect){0, y, g->w, end - y}, &p, r);
}

static bool
press(int key, struct session *s, struct ui *u)
{
	(void)s;
	struct compare *c = state(u);
	int rows = c && c->v ? c->v->rows : 0;
	if (rows < 1 || (key != UI_UP && key != UI_DOWN))
		return false;
	c->row = (c->row + (key == UI_DOWN ? 1 : rows - 1)) % rows;
	return true;
}

const struct view view_compare = {
    .name = "compare",
    .does = "slots A and B side by side, with the change and how sure it is; Up and Down choose the row",
    .draw = draw,
    .key = press,
};
