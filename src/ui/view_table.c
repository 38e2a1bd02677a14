// The table view: one row for each set of loads that was seen, as latencytest and irman printed
// them. Must not know how conditions are kept apart.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/panel.h"

enum column {
	C_TIME,
	C_MAX,
	C_AVG,
	C_STDDEV,
	C_P99,
	C_1MS,
	C_2MS,
	C_LOOP1,
	C_LOOP2,
	C_XRUNS,
	C_CPU,
	COLUMNS
};
static const struct {
	const char *head;
	int w, drop;
} columns[COLUMNS] = {
    [C_TIME] = {"time", 10, 5},
    [C_MAX] = {"max", 8, 0},
    [C_AVG] = {"avg", 8, 3},
    [C_STDDEV] = {"stddev", 8, 8},
    [C_P99] = {"p99", 8, 1},
    [C_1MS] = {"1ms", 7, 2},
    [C_2MS] = {"2ms", 7, 6},
    [C_LOOP1] = {"loop.1", 8, 9},
    [C_LOOP2] = {"loop.2", 8, 9},
    [C_XRUNS] = {"xruns", 7, 4},
    [C_CPU] = {"cpu", 6, 7},
};

struct table {
	bool show[COLUMNS];
	int name, work; // widths
};

static bool
sensible(const struct session *s, int probe, int column)
{
	const struct session_probe *pr = &s->probe[probe];
	if (column == C_XRUNS)
		return pr->facts.rate > 0;
	if (column == C_LOOP1 || column == C_LOOP2)
		return pr->facts.burn_ns > 0;
	return true;
}

static void
table_make(struct table *t, const struct panel *p, int w)
{
	*t = (struct table){.name = 8};
	for (int i = 0; i < p->s->conditions; i++) {
		int n = draw_width(p->s->condition[i].name);
		t->name = n > t->name ? n : t->name;
	}
	t->name = t->name > w / 3 ? w / 3 : t->name;
	int have = t->name + 3;
	for (int c = 0; c < COLUMNS; c++) {
		t->show[c] = sensible(p->s, p->probe, c);
		have += t->show[c] ? columns[c].w : 0;
	}
	for (int drop = 9; drop > 0 && have > w; drop--)
		for (int c = 0; c < COLUMNS; c++)
			if (t->show[c] && columns[c].drop == drop) {
				t->show[c] = false;
				have -= columns[c].w;
			}
	t->work = w - have - 2;
}

static const struct dist *
of(struct dist *const *d, int probe)
{
	return d && d[probe] && d[probe]->s.samples ? d[probe] : NULL;
}

static void
cell_text(char *buf, const struct panel *p, const struct condition *c, int column)
{
	const struct dist *d = of(c->late, p->probe), *burn = of(c->burn, p->probe);
	double ns = NAN;
	switch ((enum column)column) {
	case C_TIME:
		text_clock(buf, FIGURE, (int64_t)(c->elapsed_s * 1e9));
		return;
	case C_MAX:
		ns = d ? (double)d->s.max_ns : NAN;
		break;
	case C_AVG:
		ns = d ? sums_avg_ns(&d->s) : NAN;
		break;
	case C_STDDEV:
		ns = d ? sums_stddev_ns(&d->s) : NAN;
		break;
	case C_P99:
		ns = d ? (double)dist_percentile_ns(d, 0.99) : NAN;
		break;
	case C_1MS:
	case C_2MS:
		text_pct(buf, FIGURE, d ? sums_within_pct(&d->s, column == C_2MS) : NAN);
		return;
	case C_LOOP1:
	case C_LOOP2:
		text_pct(buf, FIGURE, burn ? sums_within_pct(&burn->s, column == C_LOOP2) : NAN);
		return;
	case C_XRUNS:
		text_count(buf, FIGURE, c->xruns ? (double)c->xruns[p->probe] : NAN);
		return;
	case C_CPU:
		draw_pct(buf, c->cpu_s > 0 ? cpu_busy(&c->cpu_sum) / c->cpu_s : NAN);
		return;
	case COLUMNS:
		return;
	}
	draw_ns(buf, ns, p->ascii);
}

// What the loads did a second, in their own units.
static void
draw_work(struct grid *g, int x, int y, int w, const struct panel *p, const struct condition *c)
{
	char n[FIGURE];
	struct line l = {0};
	for (int i = 0; i < p->s->loads && c->elapsed_s > 0; i++) {
		if (!(c->load_set & 1ull << i))
			continue;
		const struct session_load *load = &p->s->load[i];
		const char *unit = draw_rate(n, c->work[i] / c->elapsed_s, load->unit);
		bool many = c->load_set & (c->load_set - 1);
		line_add(&l, panel_load_role(i), l.n, "%s%s%s%s%s%s", l.n ? p->cs->sep : "",
		    many ? load->name : "", many ? " " : "", n, *unit == 'B' ? "" : " ", unit);
	}
	if (line_fit(&l, w) <= w)
		line_draw(g, x, y, w, &l);
}

static void
draw_row(struct grid *g, struct rect in, int y, const struct panel *p, const struct table *t,
    const struct condition *c)
{
	const struct dist *d = of(c->late, p->probe);
	bool now = c->load_set == p->s->load_set, spoilt = panel_spoilt(p->s, p->probe);
	char text[FIGURE];
	int x = in.x + 2;
	if (now)
		grid_put(g, in.x, y, p->cs->here, ROLE_KEY);
	grid_text(g, x, y, t->name, now ? ROLE_BRIGHT : ROLE_TEXT, c->name);
	x += t->name + 1;
	for (int k = 0; k < COLUMNS; k++) {
		if (!t->show[k])
			continue;
		enum role role = k == C_P99                  ? ROLE_BRIGHT
				 : k == C_TIME || k == C_CPU ? ROLE_DIM
							     : ROLE_TEXT;
		if (k == C_MAX)
			role = panel_late_role(
			    &p->s->probe[p->probe], d ? (double)d->s.max_ns : NAN, ROLE_BRIGHT);
		if (k == C_XRUNS && c->xruns && c->xruns[p->probe])
			role = ROLE_XRUN;
		if (spoilt && k != C_TIME && k != C_CPU)
			role = ROLE_SPOILT;
		cell_text(text, p, c, k);
		draw_right(g, x, y, columns[k].w, role, text);
		x += columns[k].w;
	}
	if (t->work > 8)
		draw_work(g, x + 2, y, t->work, p, c);
}

static void
draw_table(struct grid *g, struct rect in, const struct panel *p)
{
	struct table t;
	char text[FIGURE];
	table_make(&t, p, in.w);
	int x = in.x + 2, rows = in.h - 1, current = 0, n = p->s->conditions;
	grid_text(g, x, in.y, t.name, ROLE_DIM, "load");
	x += t.name + 1;
	for (int k = 0; k < COLUMNS; k++) {
		bool within = k == C_1MS || k == C_2MS;
		if (!t.show[k])
			continue;
		snprintf(text, sizeof text, "%s%s", within ? p->cs->le : "", columns[k].head);
		draw_right(g, x, in.y, columns[k].w, ROLE_DIM, text);
		x += columns[k].w;
	}
	if (t.work > 8)
		grid_text(g, x + 2, in.y, t.work, ROLE_DIM, "work");
	for (int i = 0; i < n; i++)
		if (p->s->condition[i].load_set == p->s->load_set)
			current = i;
	int first = current >= rows ? current - rows + 1 : 0;
	for (int i = first; i < n && i - first < rows; i++)
		draw_row(g, in, in.y + 1 + i - first, p, &t, &p->s->condition[i]);
	if (!n && rows > 0)
		grid_text(g, in.x + 2, in.y + 1, in.w - 2, ROLE_DIM, "nothing measured yet");
}

static void
draw(struct grid *g, const struct session *s, struct ui *u)
{
	struct panel p;
	struct line left = {0}, right = {0};
	char measured[16];
	panel_init(&p, s, u);
	p.frames = g->w >= 40 && g->h >= 10;
	int top = g->h >= 6, keys = g->h >= 6, warn = g->h >= 14, strip = g->h >= 16 ? 2 : 0;
	struct rect r = {0, top, g->w, g->h - top - keys - warn - strip};
	if (top)
		panel_top(g, (struct rect){0, 0, g->w, 1}, &p);
	if (strip)
		panel_strip(g, (struct rect){0, r.y + r.h, g->w, strip}, &p);
	if (warn)
		panel_warn(g, (struct rect){0, g->h - 2, g->w, 1}, &p);
	if (keys)
		panel_keys(g, (struct rect){0, g->h - 1, g->w, 1}, &p);
	if (p.probe < 0)
		return;
	line_add(&left, ROLE_TEXT, 0, " ");
	line_add(&left, ROLE_TEXT, 9, "table%s", p.cs->sep);
	panel_probe_title(&left, &p, &s->probe[p.probe]);
	line_add(&right, ROLE_DIM, 1, " since reset %s",
	    text_clock(measured, sizeof measured, (int64_t)(s->measured_s * 1e9)));
	draw_table(g, panel_frame(g, r, &p, &left, &right), &p);
}

const struct view view_table = {
    .name = "table",
    .does = "a row for each set of loads: latency, drop-outs, CPU, the loads' work",
    .draw = draw,
};
