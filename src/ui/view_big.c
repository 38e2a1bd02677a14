// The big view: two figures to be read from the back of a room.
// Must not know how figures are made.
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "ui/bigtext.h"
#include "ui/panel.h"

// Since when the second figure counts: the last flip of the knob or start of a slot, else the last
// reset.
static int64_t
since(const struct session *s, const char **what)
{
	int64_t from = s->reset_ns;
	*what = s->reset_ns > 0 ? "since the reset" : "since the start";
	for (int64_t i = s->events - 1; i >= 0 && i >= s->events - EVENTS_KEPT; i--) {
		const struct event *e = &s->event[i % EVENTS_KEPT];
		if (e->t_ns < from)
			break;
		if (e->kind == EVENT_KNOB || (e->kind == EVENT_SLOT && e->value > 0)) {
			*what = e->kind == EVENT_KNOB ? "since the flip" : "in this slot";
			return e->t_ns;
		}
	}
	return from;
}

// Which of A and B it is now: the slot that is being filled, else where the knob was flipped to;
// -1: neither.
static int
side(const struct session *s)
{
	int slot = panel_slot(s, s->now_tick);
	for (int64_t i = s->events - 1; slot < 0 && i >= 0 && i >= s->events - EVENTS_KEPT; i--) {
		const struct event *e = &s->event[i % EVENTS_KEPT];
		if (e->kind == EVENT_KNOB)
			return e->which == 0 || e->which == 1 ? e->which : -1;
	}
	return slot;
}

static double
worst(const struct session *s, const struct session_probe *pr, int64_t from_tick)
{
	int64_t from = from_tick > 0 ? from_tick : 0, to = s->now_tick + 1;
	struct bin b = pr->series[Q_LATE] && to > from ? series_get(pr->series[Q_LATE], from, to)
						       : (struct bin){0};
	return b.n ? (double)b.max : NAN;
}

static void
figure(struct grid *g, struct rect r, const struct panel *p, const struct session_probe *pr,
    double ns, const char *caption)
{
	char text[FIGURE];
	enum role role =
	    panel_spoilt(p->s, p->probe) ? ROLE_SPOILT : panel_late_role(pr, ns, ROLE_BRIGHT);
	int head = r.h >= 4;
	if (head) {
		int n = draw_width(caption);
		n = n < r.w ? n : r.w;
		grid_text(g, r.x + (r.w - n) / 2, r.y, n, ROLE_DIM, caption);
	}
	bigtext_draw(g, (struct rect){r.x, r.y + head, r.w, r.h - head - (r.h >= 9)}, role,
	    draw_ns(text, ns, p->ascii), p->ascii);
}

static void
draw(struct grid *g, const struct session *s, struct ui *u)
{
	struct panel p;
	const char *what;
	char caption[64], clock[16];
	panel_init(&p, s, u);
	int top = g->h >= 8, keys = g->h >= 12, strip = g->h >= 8 ? 1 : 0;
	struct rect r = {0, top, g->w, g->h - top - keys - strip};
	if (top)
		panel_top(g, (struct rect){0, 0, g->w, 1}, &p);
	if (strip)
		panel_strip(g, (struct rect){0, r.y + r.h, g->w, 1}, &p);
	if (keys)
		panel_keys(g, (struct rect){0, g->h - 1, g->w, 1}, &p);
	if (p.probe < 0)
		return;
	const struct session_probe *pr = &s->probe[p.probe];
	int slot = side(s);
	if (slot >= 0 && r.w >= 40) {
		struct rect letter = {1, r.y + 1, r.w / 6, r.h - 2};
		bigtext_draw(g, letter, slot ? ROLE_B : ROLE_A, slot ? "B" : "A", p.ascii);
		r.x += r.w / 6;
		r.w -= r.w / 6;
	}
	int64_t from = since(s, &what);
	snprintf(caption, sizeof caption, "worst %s, %s", what,
	    text_clock(clock, sizeof clock, s->elapsed_ns - from));
	struct rect now = r, all;
	if (r.h >= 6 && r.w < r.h * 6) {
		now.h = r.h / 2;
		all = (struct rect){r.x, r.y + now.h, r.w, r.h - now.h};
	} else if (r.w >= 40) {
		now.w = r.w / 2 - 1;
		all = (struct rect){r.x + r.w / 2 + 1, r.y, r.w - r.w / 2 - 1, r.h};
	} else {
		figure(g, r, &p, pr, worst(s, pr, s->now_tick - 9), "last second");
		return;
	}
	figure(g, now, &p, pr, worst(s, pr, s->now_tick - 9), "worst of the last second");
	figure(g, all, &p, pr, worst(s, pr, from / TICK_NS), caption);
}

const struct view view_big = {
    .name = "big",
    .does = "the worst of the last second and since the last flip, readable from afar",
    .draw = draw,
};
