// The histogram view: how often each latency was seen, since reset and lately, with what matters
// marked. Must not know how distributions are drawn.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/histogram.h"
#include "ui/panel.h"

static void
mark(struct histogram *h, int i, const char *name, double ns, enum role role)
{
	h->mark[i].ns = ns >= 0 ? ns : NAN;
	h->mark[i].role = role;
	snprintf(h->mark[i].name, sizeof h->mark[i].name, "%s", name);
}

static void
titles(struct line *left, struct line *right, const struct panel *p, const struct session_probe *pr,
    const struct dist *d)
{
	char n[FIGURE], window[FIGURE];
	line_add(left, ROLE_TEXT, 0, " ");
	line_add(left, ROLE_TEXT, 9, "histogram%s", p->cs->sep);
	panel_probe_title(left, p, pr);
	line_add(right, ROLE_MAX, 0, " since reset");
	line_add(
	    right, ROLE_AVG, 1, "  last %s", draw_round(window, (double)p->u->window_ns, p->ascii));
	line_add(right, ROLE_DIM, 2, "  %s %ss", text_count(n, sizeof n, (double)sums_n(&d->s)),
	    pr->kind->unit);
}

// The figures under the picture, as many as fit.
static void
draw_figures(struct grid *g, struct rect r, const struct panel *p, const struct dist *d)
{
	static const struct {
		const char *name;
		double q;
		int drop;
	} at[] = {{"p50", .5, 2}, {"p90", .9, 5}, {"p99", .99, 1}, {"p99.9", .999, 3},
	    {"p99.99", .9999, 6}};
	char text[FIGURE];
	struct line l = {0};
	line_add(&l, ROLE_DIM, 4, " min %s",
	    draw_ns(text, d->s.samples ? (double)d->s.min_ns : NAN, p->ascii));
	line_add(&l, ROLE_AVG, 3, "  avg %s", draw_ns(text, sums_avg_ns(&d->s), p->ascii));
	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		line_add(&l, ROLE_TEXT, at[i].drop, "  %s %s", at[i].name,
		    draw_ns(text, (double)dist_percentile_ns(d, at[i].q), p->ascii));
	line_add(&l, ROLE_BRIGHT, 0, "  max %s",
	    draw_ns(text, d->s.samples ? (double)d->s.max_ns : NAN, p->ascii));
	line_add(&l, ROLE_TEXT, 7, "  %s1ms %s", p->cs->le,
	    text_pct(text, sizeof text, sums_within_pct(&d->s, 0)));
	line_draw(g, r.x, r.y, r.w, &l);
}

static void
draw(struct grid *g, const struct session *s, struct ui *u)
{
	struct panel p;
	struct line left = {0}, right = {0};
	static const struct dist empty;
	struct dist window;
	panel_init(&p, s, u);
	p.frames = g->w >= 40 && g->h >= 10;
	int top = g->h >= 8, keys = g->h >= 8, warn = g->h >= 14, figures = g->h >= 12;
	struct rect r = {0, top, g->w, g->h - top - keys - warn - figures};
	if (top)
		panel_top(g, (struct rect){0, 0, g->w, 1}, &p);
	if (keys)
		panel_keys(g, (struct rect){0, g->h - 1, g->w, 1}, &p);
	if (warn)
		panel_warn(g, (struct rect){0, g->h - 2, g->w, 1}, &p);
	if (p.probe < 0)
		return;
	const struct session_probe *pr = &s->probe[p.probe];
	const struct dist *d = pr->total[Q_LATE] ? pr->total[Q_LATE] : &empty;
	session_window(s, p.probe, Q_LATE, u->window_ns, &window);
	struct histogram h = {
	    .area = d, .line = &window, .area_role = ROLE_MAX, .line_role = ROLE_AVG};
	mark(&h, 0, "p50", (double)dist_percentile_ns(d, 0.5), ROLE_TEXT);
	mark(&h, 1, "p99", (double)dist_percentile_ns(d, 0.99), ROLE_TEXT);
	mark(&h, 2, "p99.9", (double)dist_percentile_ns(d, 0.999), ROLE_TEXT);
	mark(&h, 3, "max", d->s.samples ? (double)d->s.max_ns : NAN, ROLE_BRIGHT);
	mark(&h, 4, "period", panel_period_ns(pr), ROLE_PERIOD);
	mark(&h, 5, "buffer", panel_buffer_ns(pr), ROLE_BUFFER);
	titles(&left, &right, &p, pr, d);
	histogram_draw(g, panel_frame(g, r, &p, &left, &right), u->glyphs, p.ascii, &h);
	if (figures)
		draw_figures(g, (struct rect){0, r.y + r.h, g->w, 1}, &p, d);
}

const struct view view_histogram = {
    .name = "histogram",
    .does = "how often each latency was seen, on log scales, with percentiles",
    .draw = draw,
};
