// CPU over time, as a stack of who used it, and how busy each CPU is now.
// Must not know latency.
#include <math.h>
#include <stdio.h>

#include "ui/graph.h"
#include "ui/marks.h"
#include "ui/panel.h"

static const enum role share_role[GRAPH_SHARES] = {
    ROLE_USER, ROLE_SYSTEM, ROLE_IOWAIT, ROLE_IRQ, ROLE_STEAL};

static void
title(struct line *left, struct line *right, const struct panel *p)
{
	static const char *const name[GRAPH_SHARES] = {"user", "sys", "iowait", "irq", "steal"};
	static const int drop[GRAPH_SHARES] = {1, 2, 3, 5, 4};
	const struct cpu_pct *c = &p->s->cpu;
	const double pct[GRAPH_SHARES] = {c->user, c->system, c->iowait, c->irq, c->steal};
	char text[FIGURE];
	if (p->frames)
		line_add(left, ROLE_TITLE, 0, " ");
	line_add(left, ROLE_TITLE, 0, "cpu ");
	line_add(left, ROLE_BRIGHT, 0, "%4s ", draw_pct(text, p->s->cpu_known ? cpu_busy(c) : NAN));
	line_add(left, ROLE_DIM, 6, "busy");
	for (int k = 0; k < GRAPH_SHARES; k++)
		line_add(right, share_role[k], drop[k], "%s%s %3s", k ? "  " : " ", name[k],
		    draw_pct(text, p->s->cpu_known ? pct[k] : NAN));
}

// One character a CPU, on the upper edge between the titles: how busy it is now.
static void
draw_each(struct grid *g, int x, int y, int w, const struct panel *p)
{
	int n = p->s->cpus, used = 1;
	if (n < 2 || n + 8 > w || !p->s->cpu_known)
		return;
	used += grid_text(g, x + used, y, w, ROLE_DIM, "each ");
	for (int i = 0; i < n; i++) {
		double busy = cpu_busy(&p->s->each[i]);
		int level = busy >= 0 ? (int)(busy / 100 * 8 + 0.5) : 0;
		level = level > 8 ? 8 : level < 1 ? 1 : level;
		uint32_t ch =
		    p->ascii
			? (uint32_t) "0123456789"[busy >= 0 && busy < 100 ? (int)(busy / 10) : 9]
			: p->cs->eighth[level];
		grid_put(g, x + used++, y, ch, busy >= 90 ? ROLE_BRIGHT : ROLE_USER);
	}
	grid_put(g, x, y, ' ', ROLE_DIM);
	grid_put(g, x + used, y, ' ', ROLE_DIM);
}

static void
draw_plot(struct grid *g, struct rect plot, const struct panel *p)
{
	for (int x = 0; x < plot.w; x++) {
		float pct[GRAPH_SHARES];
		int64_t from, to;
		time_axis_cell(&p->axis, x, &from, &to);
		for (int k = 0; k < GRAPH_SHARES; k++) {
			struct bin b = to > from && p->s->cpu_series[k]
					   ? series_get(p->s->cpu_series[k], from, to)
					   : (struct bin){0};
			pct[k] = b.n ? b.sum / (float)b.n : NAN;
		}
		graph_stack(g, plot.x + x, plot.y, plot.h, p->ascii || p->u->glyphs == GLYPHS_ASCII,
		    pct, share_role);
	}
}

void
panel_cpu(struct grid *g, struct rect r, const struct panel *p)
{
	struct line left = {0}, right = {0};
	if (r.h < 2 || r.w < 12)
		return;
	title(&left, &right, p);
	struct rect in = panel_frame(g, r, p, &left, &right);
	struct rect plot = {in.x + p->left, in.y, p->axis.cells, in.h};
	if (plot.h < 1)
		return;
	for (int k = 0; k <= 2; k++) {
		if ((k == 1 && plot.h < 7) || (k == 2 && plot.h < 2))
			continue;
		int y = plot.y + plot.h - 1 - k * (plot.h - 1) / 2;
		draw_right(g, plot.x - p->left, y, p->left - 1, ROLE_AXIS,
		    k == 0   ? "0%"
		    : k == 1 ? "50%"
			     : "100%");
		grid_put(g, plot.x - 1, y, p->cs->tick, ROLE_AXIS);
	}
	draw_plot(g, plot, p);
	if (p->u->cursor >= 0 && p->u->cursor < plot.w)
		draw_cursor(g, (struct rect){plot.x + p->u->cursor, plot.y, 1, plot.h}, p->cs);
	if (p->joined) {
		grid_put(g, r.x, r.y, p->cs->join_left, ROLE_FRAME);
		grid_put(g, r.x + r.w - 1, r.y, p->cs->join_right, ROLE_FRAME);
		marks_times(g, plot.x, r.y + r.h - 1, p);
	}
	if (p->frames)
		draw_each(g, r.x + 2 + line_fit(&left, r.w), r.y,
		    r.w - 5 - line_fit(&left, r.w) - line_fit(&right, r.w), p);
}
