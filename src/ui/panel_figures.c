// The one to five figures of a tiny screen.
// Must not know graphs or tables.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/panel.h"

double
panel_now_ns(const struct session *s, const struct session_probe *pr)
{
	int64_t to = s->now_tick + 1;
	struct bin b = pr->series[Q_LATE] && to > 0
			   ? series_get(pr->series[Q_LATE], to > 10 ? to - 10 : 0, to)
			   : (struct bin){0};
	return b.n ? (double)b.max : NAN;
}

// A latency in at most W columns: as it is, without decimals, or as a level from low to high.
static void
draw_small(struct grid *g, int x, int y, int w, const struct panel *p, double ns, enum role role)
{
	char text[FIGURE], *dot;
	draw_ns(text, ns, p->ascii);
	if (draw_width(text) > w && (dot = strchr(text, '.'))) {
		size_t digits = strspn(dot + 1, "0123456789");
		memmove(dot, dot + 1 + digits, strlen(dot + 1 + digits) + 1);
	}
	if (draw_width(text) <= w) {
		grid_text(g, x, y, w, role, text);
		return;
	}
	int level = ns > 1e4 ? (int)((log10(ns) - 4) * 2 + 0.5) : 0; // 10 us .. 100 ms
	grid_put(g, x, y, p->cs->eighth[level < 1 ? 1 : level > 8 ? 8 : level], role);
}

void
panel_figures(struct grid *g, struct rect r, const struct panel *p)
{
	char text[FIGURE];
	if (r.h < 1 || r.w < 1 || p->probe < 0)
		return;
	const struct session_probe *pr = &p->s->probe[p->probe];
	static const struct dist empty;
	const struct dist *total = pr->total[Q_LATE] ? pr->total[Q_LATE] : &empty;
	double max = total->s.samples ? (double)total->s.max_ns : NAN;
	double now = panel_now_ns(p->s, pr);
	bool spoilt = panel_spoilt(p->s, p->probe), wide = r.w >= 10;
	// What goes first where there are few rows: max, average, drop-outs, the last second, the
	// probe's name.
	struct row {
		const char *name;
		double ns;
		enum role role;
		int rows;
	} row[] = {
	    {"now", now, panel_late_role(pr, now, ROLE_TEXT), 4},
	    {"max", max, spoilt ? ROLE_SPOILT : panel_late_role(pr, max, ROLE_BRIGHT), 1},
	    {"avg", sums_avg_ns(&total->s), ROLE_AVG, 2},
	};
	int y = r.y, end = r.y + r.h;
	if (r.h >= 5 && r.w >= 12) {
		struct line l = {0};
		panel_probe_title(&l, p, pr);
		line_draw(g, r.x, y++, r.w, &l);
	}
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		if (r.h < row[i].rows || (r.w < 7 && row[i].rows > 1))
			continue;
		if (wide)
			grid_text(g, r.x, y, 4, ROLE_DIM, row[i].name);
		draw_small(
		    g, r.x + (wide ? 4 : 0), y++, r.w - (wide ? 4 : 0), p, row[i].ns, row[i].role);
	}
	if (y < end && r.w >= 11 && pr->facts.rate)
		grid_printf(g, r.x, y++, r.w, pr->xruns ? ROLE_XRUN : ROLE_TEXT, "xruns %s",
		    text_count(text, sizeof text, (double)pr->xruns));
	else if (y < end && r.w >= 11)
		grid_printf(g, r.x, y++, r.w, ROLE_TEXT, "%s1ms %s", p->cs->le,
		    text_pct(text, sizeof text, sums_within_pct(&total->s, 0)));
}
