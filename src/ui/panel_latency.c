// The latency graph: maximum and average over time, reference lines, marks, and when each load was
// on. Must not know how cells are filled or where values come from.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/graph.h"
#include "ui/marks.h"
#include "ui/panel.h"

struct picture {
	int dots;
	int silent; // dots at the right end without data
	double max, avg, second_max;
	struct extent extent;
	struct graph_dot dot[GRAPH_DOTS];
};

// How long before its time stamp a value already stood: a slow schedule's period, a whole job.
static double
reach_ns(const struct session_probe *pr, double value)
{
	double period = (double)pr->facts.interval_ns;
	if (!pr->kind->weighted && value > period)
		return value;
	return period > TICK_NS ? period : 0;
}

// Dots without data that belong to the value after them take it.
static void
hold_back(struct picture *pic, const struct panel *p, const struct session_probe *pr)
{
	int64_t at = -1, from, to;
	double reach = 0;
	for (int i = pic->dots - 1, with = -1; i >= 0; i--) {
		time_axis_dot(&p->axis, i, &from, &to);
		if (pic->dot[i].area >= 0) {
			with = i;
			at = to;
			reach = reach_ns(pr, (double)pic->dot[i].area);
		} else if (with >= 0 && to > from && (double)(at - to) * TICK_NS < reach) {
			pic->dot[i] = pic->dot[with];
		}
	}
}

static void
read_dots(struct picture *pic, const struct panel *p, const struct session_probe *pr)
{
	double sum = 0, count = 0;
	pic->dots = p->axis.cells * p->axis.per_cell;
	for (int i = 0; i < pic->dots; i++) {
		struct graph_dot *d = &pic->dot[i];
		int64_t from, to;
		*d = (struct graph_dot){NAN, NAN, NAN, false};
		time_axis_dot(&p->axis, i, &from, &to);
		if (to <= from)
			continue;
		struct bin b =
		    pr->series[Q_LATE] ? series_get(pr->series[Q_LATE], from, to) : (struct bin){0};
		if (!b.n)
			continue;
		d->area = b.max;
		d->line = b.sum / (float)b.n;
		sum += (double)b.sum;
		count += b.n;
		if (!(pic->max >= (double)b.max))
			pic->max = (double)b.max;
		if (!(pic->extent.low <= (double)d->line))
			pic->extent.low = (double)d->line;
		b = pr->series[Q_BURN] ? series_get(pr->series[Q_BURN], from, to) : (struct bin){0};
		if (!b.n)
			continue;
		d->second = b.max;
		if (!(pic->second_max >= (double)b.max))
			pic->second_max = (double)b.max;
	}
	pic->avg = count > 0 ? sum / count : NAN;
}

static void
picture_make(struct picture *pic, const struct panel *p, const struct marks *marks)
{
	pic->max = pic->avg = pic->second_max = NAN;
	pic->extent = (struct extent){NAN, NAN, NAN};
	pic->silent = pic->dots = 0;
	if (p->probe < 0)
		return;
	const struct session_probe *pr = &p->s->probe[p->probe];
	read_dots(pic, p, pr);
	while (pic->silent < pic->dots && !(pic->dot[pic->dots - 1 - pic->silent].area >= 0))
		pic->silent++;
	hold_back(pic, p, pr);
	for (int i = 0; i < pic->dots; i++)
		pic->dot[i].dim = marks->cell[i / p->axis.per_cell] & MARK_WARMUP;
	pic->extent.high = pic->second_max > pic->max ? pic->second_max : pic->max;
	pic->extent.limit = panel_buffer_ns(pr);
}

static void
draw_axis(struct grid *g, struct rect plot, const struct panel *p, const struct scale *scale)
{
	struct scale_label label[64];
	int rows = graph_rows(p->u->glyphs);
	int n = scale_labels(scale, rows, p->ascii, label, 64);
	for (int i = 0; i < n; i++) {
		int y = plot.y + plot.h - 1 - label[i].dot / rows;
		if (p->left < 3)
			continue;
		draw_right(g, plot.x - p->left, y, p->left - 1, ROLE_AXIS, label[i].text);
		grid_put(g, plot.x - 1, y, p->cs->tick, ROLE_AXIS);
	}
}

static int
row_of(const struct scale *scale, struct rect plot, const struct panel *p, double ns)
{
	return plot.y + plot.h - 1 - scale_dot(scale, ns) / graph_rows(p->u->glyphs);
}

// A dashed line at NS and its value in the right gutter.
static void
draw_limit(struct grid *g, struct rect plot, const struct panel *p, const struct scale *scale,
    double ns, enum role role)
{
	char text[FIGURE];
	if (!(ns > 0) || scale_dot(scale, ns) >= scale->dots)
		return;
	int y = row_of(scale, plot, p, ns);
	grid_fill(g, (struct rect){plot.x, y, plot.w, 1}, p->cs->dash, role);
	if (p->right < 4)
		return;
	grid_fill(g, (struct rect){plot.x + plot.w, y, p->right, 1}, ' ', role);
	draw_right(g, plot.x + plot.w, y, p->right, role, draw_ns(text, ns, p->ascii));
}

static void
draw_marks(
    struct grid *g, struct rect plot, const struct panel *p, const struct marks *marks, bool over)
{
	for (int x = 0; x < plot.w; x++) {
		unsigned m = marks->cell[x];
		if (over) {
			if (m & MARK_XRUN)
				grid_put(g, plot.x + x, plot.y, p->cs->xrun, ROLE_XRUN);
		} else if (m & (MARK_NOTE | MARK_KNOB | MARK_RESET | MARK_GAP)) {
			enum role role = m & MARK_GAP    ? ROLE_WARN
					 : m & MARK_KNOB ? ROLE_TITLE
							 : ROLE_DIM;
			grid_fill(
			    g, (struct rect){plot.x + x, plot.y, 1, plot.h}, p->cs->upright, role);
		}
	}
}

// The row of slots: A and B in their colours, with a letter where each begins. Returns the rows it
// takes: 1, or 0.
static int
draw_slot_band(struct grid *g, struct rect r, const struct panel *p, const struct marks *marks)
{
	unsigned before = 0, any = 0;
	for (int x = 0; x < r.w; x++)
		any |= marks->cell[x] & (MARK_SLOT_A | MARK_SLOT_B);
	if (!any || r.h < 3) // the loads go first
		return 0;
	grid_text(g, r.x - p->left, r.y, p->left - 1, ROLE_DIM, "slot");
	for (int x = 0; x < r.w; x++) {
		unsigned m = marks->cell[x] & (MARK_SLOT_A | MARK_SLOT_B);
		if (m & MARK_SLOT_B && before != MARK_SLOT_B)
			m = MARK_SLOT_B;
		else if (m == (MARK_SLOT_A | MARK_SLOT_B))
			m = MARK_SLOT_A;
		if (m)
			grid_put(g, r.x + x, r.y,
			    m == before        ? p->cs->band
			    : m == MARK_SLOT_A ? 'A'
					       : 'B',
			    m == MARK_SLOT_A ? ROLE_A : ROLE_B);
		before = m;
	}
	return 1;
}

static void
draw_band(struct grid *g, struct rect r, const struct panel *p, int load)
{
	for (int x = 0; x < r.w; x++) {
		bool half[2] = {false, false};
		int64_t from, to;
		for (int j = 0; j < p->axis.per_cell; j++) {
			time_axis_dot(&p->axis, x * p->axis.per_cell + j, &from, &to);
			struct bin b =
			    to > from ? series_get(p->s->load[load].on, from, to) : (struct bin){0};
			half[j] = b.n && b.max > 0.5f;
		}
		if (p->axis.per_cell == 1)
			half[1] = half[0];
		if (half[0] || half[1])
			grid_put(g, r.x + x, r.y,
			    half[0] && half[1] ? p->cs->band
			    : half[0]          ? p->cs->band_left
					       : p->cs->band_right,
			    panel_load_role(load));
	}
}

// Which loads were seen in the window, a row each as long as there is room.
static void
draw_bands(struct grid *g, struct rect r, const struct panel *p)
{
	int seen[LOADS_MAX], n = 0;
	int64_t from, to, ignore;
	time_axis_cell(&p->axis, 0, &from, &ignore);
	time_axis_cell(&p->axis, p->axis.cells - 1, &ignore, &to);
	for (int i = 0; i < p->s->loads; i++) {
		const struct series *on = p->s->load[i].on;
		struct bin b = on && to > from ? series_get(on, from, to) : (struct bin){0};
		if (b.n && b.max > 0.5f)
			seen[n++] = i;
	}
	for (int k = 0; k < n && k < r.h; k++) {
		int rest = k == r.h - 1 ? n - k : 1; // the last row is shared by all that are left
		if (rest > 1)
			grid_printf(
			    g, r.x - p->left, r.y + k, p->left - 1, ROLE_DIM, "%d more", rest);
		else
			grid_text(g, r.x - p->left, r.y + k, p->left - 1, panel_load_role(seen[k]),
			    p->s->load[seen[k]].name);
		for (int i = k + rest - 1; i >= k; i--)
			draw_band(g, (struct rect){r.x, r.y + k, r.w, 1}, p, seen[i]);
	}
}

// The column under the cursor: when, how late, under which loads, what happened.
static void
title_cursor(struct line *l, const struct panel *p, const struct picture *pic,
    const struct marks *marks, int cell)
{
	char max[FIGURE], avg[FIGURE], clock[16], name[96];
	int64_t from, to;
	float high = NAN;
	double sum = 0;
	int n = 0;
	for (int j = 0; j < p->axis.per_cell; j++) {
		const struct graph_dot *d = &pic->dot[cell * p->axis.per_cell + j];
		if (!(d->area >= 0))
			continue;
		high = high >= d->area ? high : d->area;
		sum += (double)d->line;
		n++;
	}
	time_axis_cell(&p->axis, cell, &from, &to);
	line_add(l, ROLE_KEY, 0, "%s ", text_clock(clock, sizeof clock, from * TICK_NS));
	line_add(l, ROLE_MAX, 0, " max %s", draw_ns(max, (double)high, p->ascii));
	line_add(l, ROLE_AVG, 1, "  avg %s", draw_ns(avg, n ? sum / n : NAN, p->ascii));
	uint64_t set = 0;
	for (int i = 0; i < p->s->loads && to > from; i++) {
		struct bin b =
		    p->s->load[i].on ? series_get(p->s->load[i].on, from, to) : (struct bin){0};
		if (b.n && b.max > 0.5f)
			set |= 1ull << i;
	}
	line_add(l, set ? ROLE_ON : ROLE_DIM, 3, "  %s",
	    set ? session_load_set_name(p->s, set, name, sizeof name) : "no load");
	if (marks->cell[cell] & MARK_XRUN)
		line_add(l, ROLE_XRUN, 2, "  drop-out");
	const struct event *e = marks_event(p->s, &p->axis, cell);
	if (e)
		line_add(l, ROLE_TEXT, 4, "  %s %.60s", event_name(e->kind), e->text);
}

static void
title_window(struct line *l, const struct panel *p, const struct picture *pic)
{
	char max[FIGURE], avg[FIGURE], back[16];
	const struct session_probe *pr = &p->s->probe[p->probe];
	int64_t ago = p->s->now_tick - p->u->end_tick;
	int64_t from, to, quiet = 0;
	if (pic->silent > 0 && pic->silent < pic->dots && !ago) {
		time_axis_dot(&p->axis, pic->dots - 1 - pic->silent, &from, &to);
		quiet = (p->u->end_tick + 1 - to) * TICK_NS;
	}
	if (p->u->frozen || ago > 0)
		line_add(l, ROLE_WARN, 1, "%s%s  ", p->u->frozen ? "frozen " : "back ",
		    text_clock(back, sizeof back, ago * TICK_NS));
	if (pr->facts.state == PROBE_LOST || pr->facts.state == PROBE_FAILED)
		line_add(
		    l, ROLE_FAILED, 0, "%s  ", pr->facts.state == PROBE_LOST ? "lost" : "failed");
	else if (pr->kind->weighted && quiet > 3 * pr->facts.interval_ns && quiet >= 5 * TICK_NS)
		line_add(l, ROLE_SPOILT, 0, "no %s for %s  ", pr->kind->unit,
		    draw_ns(back, (double)quiet, p->ascii));
	// The figures of the table: warming up is drawn, but counts in neither.
	struct dist d;
	double high = pic->max, mean = pic->avg;
	if (!p->u->frozen && !ago) {
		session_window(p->s, p->probe, Q_LATE, p->u->window_ns, &d);
		high = d.s.samples ? (double)d.s.max_ns : NAN;
		mean = sums_avg_ns(&d.s);
	}
	line_add(l, ROLE_MAX, 0, "max %s", draw_ns(max, high, p->ascii));
	line_add(l, ROLE_AVG, 2, "  avg %s", draw_ns(avg, mean, p->ascii));
	if (pic->second_max >= 0)
		line_add(l, ROLE_BURN, 4, "  cpu loop %s", draw_ns(avg, pic->second_max, p->ascii));
	if (pr->facts.rate)
		line_add(l, pr->xruns ? ROLE_XRUN : ROLE_DIM, 3, "  xruns %llu",
		    (unsigned long long)pr->xruns);
}

// The top edge in the colour of the slot that was filled then, where no title stands.
static void
draw_slots(
    struct grid *g, struct rect plot, int y, const struct panel *p, const struct marks *marks)
{
	for (int x = 0; x < plot.w; x++) {
		unsigned m = marks->cell[x] & (MARK_SLOT_A | MARK_SLOT_B);
		int gx = plot.x + x;
		if (!m || gx >= g->w || y >= g->h ||
		    (p->frames && g->cell[y * g->w + gx].ch != p->cs->across))
			continue;
		if (p->frames)
			grid_put(g, gx, y, p->cs->band, m & MARK_SLOT_A ? ROLE_A : ROLE_B);
	}
}

void
panel_latency(struct grid *g, struct rect r, const struct panel *p)
{
	struct line left = {0}, right = {0};
	struct marks marks;
	struct picture pic;
	int bands = r.h - (p->frames ? 2 : 1) > p->bands + 2 ? p->bands : 0;
	if (r.h < 1 || r.w < 1)
		return;
	marks_make(&marks, p->s, &p->axis, p->probe);
	picture_make(&pic, p, &marks);
	int cursor = p->u->cursor >= 0 && p->u->cursor < p->axis.cells ? p->u->cursor : -1;
	if (p->frames) {
		line_add(&left, ROLE_TEXT, 0, " ");
		line_add(&left, ROLE_TEXT, 9, "latency%s", p->cs->sep);
		line_add(&right, ROLE_TEXT, 0, " ");
	}
	if (p->probe < 0) {
		line_add(&left, ROLE_FAILED, 0, "no probe");
	} else {
		panel_probe_title(&left, p, &p->s->probe[p->probe]);
		if (cursor >= 0)
			title_cursor(&right, p, &pic, &marks, cursor);
		else
			title_window(&right, p, &pic);
	}
	struct rect in = panel_frame(g, r, p, &left, &right);
	struct rect plot = {in.x + p->left, in.y, p->axis.cells, in.h - bands};
	p->u->graph = plot;
	if (plot.h < 1)
		return;
	struct scale scale;
	struct graph_look look = {ROLE_MAX, ROLE_AVG, ROLE_BURN, p->cs};
	scale_choose(&scale, p->u, &pic.extent, plot.h * graph_rows(p->u->glyphs));
	draw_axis(g, plot, p, &scale);
	draw_marks(g, plot, p, &marks, false);
	if (p->probe >= 0) {
		draw_limit(
		    g, plot, p, &scale, panel_period_ns(&p->s->probe[p->probe]), ROLE_PERIOD);
		draw_limit(
		    g, plot, p, &scale, panel_buffer_ns(&p->s->probe[p->probe]), ROLE_BUFFER);
	}
	graph_area(g, plot, p->u->glyphs, &scale, &look, pic.dot, pic.dots);
	draw_marks(g, plot, p, &marks, true);
	draw_slots(g, plot, r.y, p, &marks);
	struct rect band = {plot.x, plot.y + plot.h, plot.w, bands};
	int slots = draw_slot_band(g, band, p, &marks);
	draw_bands(g, (struct rect){band.x, band.y + slots, band.w, band.h - slots}, p);
	if (cursor >= 0)
		draw_cursor(g, (struct rect){plot.x + cursor, plot.y, 1, plot.h + bands}, p->cs);
	if (p->frames && !p->joined)
		marks_times(g, plot.x, r.y + r.h - 1, p);
}
