// Events on the time axis.
// Must not know latency values.
#include "ui/marks.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

// Events belong to the tick that ends after them.
static int64_t
tick_of(const struct event *e)
{
	return e->t_ns / TICK_NS + 1;
}

static void
mark(struct marks *m, const struct time_axis *a, int64_t from_tick, int64_t to_tick, unsigned bits)
{
	if (from_tick > a->end || to_tick < from_tick)
		return;
	int64_t from = time_axis_at(a, from_tick < 0 ? 0 : from_tick);
	int64_t to = time_axis_at(a, to_tick > a->end ? a->end : to_tick);
	from = from < 0 ? 0 : from / a->per_cell;
	to = to < 0 ? -1 : to / a->per_cell;
	for (int64_t x = from; x <= to && x < a->cells && x < GRAPH_DOTS; x++)
		m->cell[x] |= (uint8_t)bits;
}

static int64_t
first_event(const struct session *s)
{
	return s->events > EVENTS_KEPT ? s->events - EVENTS_KEPT : 0;
}

void
marks_make(struct marks *m, const struct session *s, const struct time_axis *a, int probe)
{
	int64_t warm = s->config.warmup_ns / TICK_NS, slot_from = 0;
	int slot = -1;
	memset(m, 0, sizeof *m);
	if (warm > 0)
		mark(m, a, 0, warm, MARK_WARMUP);
	for (int64_t i = first_event(s); i < s->events; i++) {
		const struct event *e = &s->event[i % EVENTS_KEPT];
		int64_t t = tick_of(e);
		if ((e->kind == EVENT_LOAD_ON || e->kind == EVENT_LOAD_OFF) && warm > 0)
			mark(m, a, t, t + warm - 1, MARK_WARMUP);
		else if (e->kind == EVENT_GAP && e->value > 0)
			mark(m, a, t - e->value / TICK_NS, t, MARK_GAP);
		else if (e->kind == EVENT_XRUN && (probe < 0 || e->which == probe))
			mark(m, a, t, t, MARK_XRUN);
		else if (e->kind == EVENT_MARK)
			mark(m, a, t, t, MARK_NOTE);
		else if (e->kind == EVENT_KNOB)
			mark(m, a, t, t, MARK_KNOB);
		else if (e->kind == EVENT_RESET)
			mark(m, a, t, t, MARK_RESET);
		else if (e->kind == EVENT_SLOT && e->value >= 0) {
			if (slot >= 0)
				mark(m, a, slot_from, t, slot ? MARK_SLOT_B : MARK_SLOT_A);
			slot = e->value > 0 && (e->which == 0 || e->which == 1) ? e->which : -1;
			slot_from = t;
		}
	}
	if (slot >= 0)
		mark(m, a, slot_from, a->end, slot ? MARK_SLOT_B : MARK_SLOT_A);
}

const struct event *
marks_event(const struct session *s, const struct time_axis *a, int cell)
{
	static const int worth[EVENT_COUNT] = {
	    [EVENT_MARK] = 9,
	    [EVENT_KNOB] = 8,
	    [EVENT_GAP] = 7,
	    [EVENT_PROBE] = 6,
	    [EVENT_LOAD_FAILED] = 5,
	    [EVENT_SLOT] = 4,
	    [EVENT_RESET] = 3,
	    [EVENT_LOAD_ON] = 2,
	    [EVENT_LOAD_OFF] = 1,
	};
	const struct event *best = NULL;
	for (int64_t i = first_event(s); i < s->events; i++) {
		const struct event *e = &s->event[i % EVENTS_KEPT];
		if (e->kind < 0 || e->kind >= EVENT_COUNT || !worth[e->kind] ||
		    time_axis_at(a, tick_of(e)) / a->per_cell != cell)
			continue;
		if (!best || worth[e->kind] > worth[best->kind])
			best = e;
	}
	return best;
}

static void
ago_text(char *buf, size_t size, int64_t s)
{
	if (s < 60)
		snprintf(buf, size, " -%ds ", (int)s);
	else if (s < 3600 && s % 60)
		snprintf(buf, size, " -%dm%02d ", (int)(s / 60), (int)(s % 60));
	else if (s < 3600)
		snprintf(buf, size, " -%dm ", (int)(s / 60));
	else if (s % 3600)
		snprintf(buf, size, " -%dh%02d ", (int)(s / 3600), (int)(s % 3600 / 60));
	else
		snprintf(buf, size, " -%dh ", (int)(s / 3600));
}

void
marks_times(struct grid *g, int x, int y, const struct panel *p)
{
	static const int steps[] = {
	    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400};
	const struct time_axis *a = &p->axis;
	char text[24];
	size_t k = 0;
	if (a->cells < 24)
		return;
	while (k < sizeof steps / sizeof *steps - 1 &&
	       steps[k] * 10.0 * a->cells / (double)a->ticks < 12)
		k++;
	if (p->u->end_tick == p->s->now_tick)
		snprintf(text, sizeof text, " now ");
	else
		snprintf(text, sizeof text, " %s ",
		    text_clock((char[16]){0}, 16, p->u->end_tick * TICK_NS));
	int n = draw_width(text), free_to = x + a->cells - n + 1;
	grid_text(g, free_to, y, n, ROLE_AXIS, text);
	for (int64_t s = steps[k]; s * 10 <= a->ticks; s += steps[k]) {
		ago_text(text, sizeof text, s);
		n = draw_width(text);
		int at = x + a->cells - 1 - (int)(s * 10 * a->cells / a->ticks) - n / 2;
		if (at < x || at + n > free_to)
			continue;
		grid_text(g, at, y, n, ROLE_AXIS, text);
		free_to = at;
	}
}
