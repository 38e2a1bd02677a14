// The table of probes: the last second, the rolling window and since reset; and the few figures of
// a tiny screen. Must not know graphs or loads.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/panel.h"

// A column shows one figure of one stretch of time. Those with a high `drop` go first where it is
// narrow.
enum figure { F_NOW, F_MIN, F_AVG, F_P50, F_P99, F_P999, F_MAX, F_1MS, F_2MS, F_XRUNS, FIGURES };
static const struct {
	const char *head;
	int w, drop;
} columns[FIGURES] = {
    [F_NOW] = {"now max", 9, 4},
    [F_MIN] = {"min", 8, 9},
    [F_AVG] = {"avg", 8, 5},
    [F_P50] = {"p50", 8, 6},
    [F_P99] = {"p99", 8, 1},
    [F_P999] = {"p99.9", 8, 7},
    [F_MAX] = {"max", 8, 0},
    [F_1MS] = {"1ms", 7, 3},
    [F_2MS] = {"2ms", 7, 8},
    [F_XRUNS] = {"xruns", 7, 2},
};

#define LABEL 14
#define BOTH 150 // from this width on the window and since-reset stand beside each other

struct table {
	bool show[FIGURES];
	int w;          // of one set
	bool both, two; // sets beside each other; below each other
	int set_x[2];
};

static bool
any_audio(const struct session *s)
{
	for (int i = 0; i < s->probes; i++)
		if (*s->probe[i].facts.device || s->probe[i].facts.rate)
			return true;
	return false;
}

static void
table_make(struct table *t, const struct session *s, int w)
{
	*t = (struct table){.both = w >= BOTH};
	int label = w < 50 ? LABEL - 1 : LABEL, have = label;
	for (int f = 0; f < FIGURES; f++) {
		t->show[f] = f != F_XRUNS || any_audio(s);
		have += t->show[f] ? columns[f].w : 0;
	}
	int room = t->both ? label + (w - label - 9 - 7) / 2 : w;
	for (int drop = 9; drop > 0 && have > room; drop--)
		for (int f = 0; f < FIGURES; f++)
			if (t->show[f] && columns[f].drop == drop && have > room) {
				t->show[f] = false;
				have -= columns[f].w;
			}
	t->w = have - label;
	t->set_x[0] = label;
	if (t->both) { // now and xruns are shown once
		int once = (t->show[F_NOW] ? columns[F_NOW].w : 0) +
			   (t->show[F_XRUNS] ? columns[F_XRUNS].w : 0);
		t->w -= once;
		t->set_x[0] = label + columns[F_NOW].w;
		t->set_x[1] = t->set_x[0] + t->w + 3;
	}
}

int
panel_probes_lines(const struct session *s, int w)
{
	return w >= BOTH ? s->probes : 2 * s->probes;
}

static bool
once(enum figure f)
{
	return f == F_NOW || f == F_XRUNS;
}

static void
figure_text(char *buf, const struct panel *p, const struct session_probe *pr, enum figure f,
    const struct dist *d)
{
	const struct sums *m = &d->s;
	bool any = m->samples > 0;
	double ns = NAN;
	switch (f) {
	case F_NOW:
		ns = panel_now_ns(p->s, pr);
		break;
	case F_MIN:
		ns = any ? (double)m->min_ns : NAN;
		break;
	case F_AVG:
		ns = sums_avg_ns(m);
		break;
	case F_P50:
		ns = (double)dist_percentile_ns(d, 0.5);
		break;
	case F_P99:
		ns = (double)dist_percentile_ns(d, 0.99);
		break;
	case F_P999:
		ns = (double)dist_percentile_ns(d, 0.999);
		break;
	case F_MAX:
		ns = any ? (double)m->max_ns : NAN;
		break;
	case F_1MS:
	case F_2MS:
		text_pct(buf, FIGURE, sums_within_pct(m, f == F_2MS));
		return;
	case F_XRUNS:
		if (pr->facts.rate)
			text_count(buf, FIGURE, (double)pr->xruns);
		else
			snprintf(buf, FIGURE, "%s", p->cs->none);
		return;
	case FIGURES:
		return;
	}
	draw_ns(buf, ns, p->ascii);
}

static enum role
figure_role(const struct session_probe *pr, enum figure f, const struct dist *d, bool spoilt)
{
	if (spoilt)
		return ROLE_SPOILT;
	switch (f) {
	case F_MAX:
		return panel_late_role(pr, d->s.samples ? (double)d->s.max_ns : NAN, ROLE_BRIGHT);
	case F_XRUNS:
		return pr->xruns ? ROLE_XRUN : ROLE_DIM;
	case F_P99:
	case F_NOW:
		return ROLE_BRIGHT;
	default:
		return ROLE_TEXT;
	}
}

// One set of figures from X on; SET 0: the window (or the only one, with what is shown once), 1:
// since reset.
static int
draw_set(struct grid *g, int x, int y, const struct panel *p, const struct table *t,
    const struct session_probe *pr, const struct dist *d, int set, bool spoilt)
{
	char text[FIGURE];
	for (int f = 0; f < FIGURES; f++) {
		if (!t->show[f] || (t->both && once(f)))
			continue;
		if (!(set && once(f))) {
			figure_text(text, p, pr, (enum figure)f, d);
			draw_right(g, x, y, columns[f].w,
			    figure_role(pr, (enum figure)f, d, spoilt), text);
		}
		x += columns[f].w;
	}
	return x;
}

static void
draw_head(struct grid *g, int x, int y, const struct panel *p, const struct table *t)
{
	char text[FIGURE];
	for (int f = 0; f < FIGURES; f++) {
		if (!t->show[f] || (t->both && once(f)))
			continue;
		bool within = f == F_1MS || f == F_2MS;
		snprintf(text, sizeof text, "%s%s", within ? p->cs->le : "", columns[f].head);
		draw_right(g, x, y, columns[f].w, ROLE_DIM, text);
		x += columns[f].w;
	}
}

// What belongs to a probe besides its latency, in the room right of the figures.
static void
draw_note(struct grid *g, int x, int y, int w, const struct panel *p,
    const struct session_probe *pr, int set)
{
	const struct probe_facts *f = &pr->facts;
	char a[FIGURE], b[24];
	struct line l = {0};
	if (w < 12)
		return;
	if (f->rate && !set) {
		line_add(&l, ROLE_TEXT, 0, "played %s",
		    text_clock(a, sizeof a, (int64_t)(pr->played_s >= 0 ? pr->played_s * 1e9 : 0)));
		line_add(&l, pr->silent_s > 0 ? ROLE_XRUN : ROLE_DIM, 1, "%ssilent %s", p->cs->sep,
		    draw_ns(b, pr->silent_s * 1e9, p->ascii));
	} else if (f->rate) {
		const struct dist *h = pr->total[Q_HEADROOM];
		if (h && h->s.samples)
			line_add(&l, ROLE_TEXT, 0, "headroom min %s",
			    draw_ns(a, (double)h->s.min_ns, p->ascii));
		if (!isnan(f->rate_ppm))
			line_add(&l, ROLE_DIM, 1, "%srate %+d ppm", l.n ? p->cs->sep : "",
			    (int)lround(f->rate_ppm));
	} else if (!set) {
		if (f->interval_ns > 0)
			line_add(&l, ROLE_DIM, 0, "every %s",
			    draw_round(a, (double)f->interval_ns, p->ascii));
		if (f->effective_known)
			line_add(&l, f->doubts & DOUBT_POLICY ? ROLE_WARN : ROLE_DIM, 1, "%s%s",
			    l.n ? p->cs->sep : "", policy_text(b, sizeof b, f->effective));
	} else if (!isnan(f->cpu_pct)) {
		line_add(&l, ROLE_DIM, 0, "takes %s of a CPU", text_pct(a, sizeof a, f->cpu_pct));
	}
	if (line_fit(&l, w) <= w)
		line_draw(g, x, y, w, &l);
}

static void
draw_label(struct grid *g, int x, int y, const struct panel *p, int i, bool spoilt)
{
	const struct session_probe *pr = &p->s->probe[i];
	bool down = pr->facts.state == PROBE_LOST || pr->facts.state == PROBE_FAILED;
	if (i == p->probe)
		grid_put(g, x + 1, y, p->cs->here, ROLE_KEY);
	if (spoilt)
		grid_put(g, x + 2, y, '!', ROLE_SPOILT);
	grid_text(g, x + 3, y, LABEL - 3,
	    down            ? ROLE_FAILED
	    : i == p->probe ? ROLE_BRIGHT
			    : ROLE_TEXT,
	    pr->label);
}

static void
draw_probe(struct grid *g, struct rect in, int y, const struct panel *p, const struct table *t,
    int i, int lines)
{
	const struct session_probe *pr = &p->s->probe[i];
	static const struct dist empty;
	struct dist d;
	bool spoilt = panel_spoilt(p->s, i),
	     down = pr->facts.state == PROBE_LOST || pr->facts.state == PROBE_FAILED;
	char text[FIGURE];
	draw_label(g, in.x, y, p, i, spoilt);
	const struct dist *total = pr->total[Q_LATE] ? pr->total[Q_LATE] : &empty;
	session_window(p->s, i, Q_LATE, p->u->window_ns, &d);
	int x = in.x + t->set_x[0], end = x;
	if (down && *pr->facts.reason)
		grid_text(g, x + 1, y, t->w - 1, ROLE_FAILED, pr->facts.reason);
	else
		end = draw_set(g, x, y, p, t, pr, &d, 0, spoilt);
	if (t->both) {
		figure_text(text, p, pr, F_NOW, &d);
		draw_right(g, x - columns[F_NOW].w, y, columns[F_NOW].w,
		    figure_role(pr, F_NOW, &d, spoilt), text);
		end = draw_set(g, in.x + t->set_x[1], y, p, t, pr, total, 1, spoilt);
		if (t->show[F_XRUNS]) {
			figure_text(text, p, pr, F_XRUNS, total);
			draw_right(g, end, y, columns[F_XRUNS].w,
			    figure_role(pr, F_XRUNS, total, false), text);
			end += columns[F_XRUNS].w;
		}
	} else if (lines > 1) {
		grid_text(g, in.x + 3, y + 1, t->set_x[0] - 3, ROLE_DIM, "since reset");
		end = draw_set(g, x, y + 1, p, t, pr, total, 1, spoilt);
		draw_note(g, end + 2, y + 1, in.x + in.w - end - 3, p, pr, 1);
	}
	draw_note(g, end + 2, y, in.x + in.w - end - 3, p, pr, 0);
}

static void
draw_heads(
    struct grid *g, struct rect r, struct rect in, const struct panel *p, const struct table *t)
{
	char text[FIGURE * 2], window[FIGURE], since[FIGURE];
	snprintf(
	    text, sizeof text, "last %s", draw_round(window, (double)p->u->window_ns, p->ascii));
	text_clock(since, sizeof since, (int64_t)(p->s->measured_s * 1e9));
	draw_head(g, in.x + t->set_x[0], in.y, p, t);
	if (!t->both)
		return;
	draw_head(g, in.x + t->set_x[1], in.y, p, t);
	draw_right(g, in.x + t->set_x[0] - columns[F_NOW].w, in.y, columns[F_NOW].w, ROLE_DIM,
	    columns[F_NOW].head);
	if (t->show[F_XRUNS])
		draw_right(g, in.x + t->set_x[1] + t->w, in.y, columns[F_XRUNS].w, ROLE_DIM,
		    columns[F_XRUNS].head);
	if (p->frames) {
		grid_printf(g, in.x + t->set_x[0] + 4, r.y, t->w, ROLE_TEXT, " %s ", text);
		grid_printf(
		    g, in.x + t->set_x[1] + 4, r.y, t->w, ROLE_TEXT, " since reset %s ", since);
	}
}

// Where there is no line for it: the shown probe's figures since reset.
static void
title_reset(struct line *l, const struct panel *p, const struct session_probe *pr)
{
	char a[FIGURE], b[FIGURE], c[FIGURE];
	const struct dist *d = pr->total[Q_LATE];
	if (!d || !d->s.samples)
		return;
	line_add(l, ROLE_DIM, 1, "%s%s since reset:", p->cs->sep, pr->label);
	line_add(
	    l, ROLE_TEXT, 2, " p99 %s", draw_ns(a, (double)dist_percentile_ns(d, 0.99), p->ascii));
	line_add(l, ROLE_TEXT, 1, " max %s", draw_ns(b, (double)d->s.max_ns, p->ascii));
	line_add(l, ROLE_TEXT, 3, " %s1ms %s", p->cs->le,
	    text_pct(c, sizeof c, sums_within_pct(&d->s, 0)));
}

void
panel_probes(struct grid *g, struct rect r, const struct panel *p)
{
	struct line left = {0}, right = {0};
	struct table t;
	char window[FIGURE];
	if (r.h < 2 || r.w < 20)
		return;
	table_make(&t, p->s, r.w - (p->frames ? 2 : 0));
	struct rect in = r;
	int rows = r.h - (p->frames ? 3 : 1), n = p->s->probes;
	if (p->frames) {
		line_add(&left, ROLE_TITLE, 0, " probes");
		if (!t.both && p->probe >= 0 && rows < n + 1)
			title_reset(&left, p, &p->s->probe[p->probe]);
		if (!t.both)
			line_add(&right, ROLE_DIM, 1, " window %s",
			    draw_round(window, (double)p->u->window_ns, p->ascii));
		in = panel_frame(g, r, p, &left, &right);
	}
	draw_heads(g, r, in, p, &t);
	int y = in.y + 1;
	// Two lines for each where there is room, else for the shown one only.
	bool all_two = !t.both && rows >= 2 * n, one_two = !t.both && !all_two && rows > n;
	int fit = all_two ? n : one_two ? rows - 1 : rows;
	int first = p->probe >= fit ? p->probe - fit + 1 : 0;
	for (int i = first; i < n && y < in.y + in.h; i++) {
		int lines = all_two || (one_two && i == p->probe) ? 2 : 1;
		draw_probe(g, in, y, p, &t, i, lines);
		y += lines;
	}
	if (first + fit < n && p->frames)
		grid_printf(g, r.x + 2, r.y + r.h - 1, r.w - 4, ROLE_DIM, " Tab: +%d more ",
		    n - first - fit);
}
