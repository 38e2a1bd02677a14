// The lines at the top and the bottom, frames and what describes a probe.
// Must not know graphs or tables.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/graph.h"
#include "ui/keys.h"
#include "ui/panel.h"

void
panel_init(struct panel *p, const struct session *s, struct ui *u)
{
	bool ascii = u->ascii;
	*p = (struct panel){.s = s, .u = u, .ascii = ascii, .cs = draw_charset(ascii)};
	p->probe = u->probe >= 0 && u->probe < s->probes ? u->probe : session_main_probe(s);
}

double
panel_period_ns(const struct session_probe *p)
{
	const struct probe_facts *f = &p->facts;
	return f->rate && f->period_frames ? f->period_frames * 1e9 / f->rate : NAN;
}

double
panel_buffer_ns(const struct session_probe *p)
{
	const struct probe_facts *f = &p->facts;
	if (!f->rate)
		return NAN;
	if (f->buffer_frames)
		return f->buffer_frames * 1e9 / f->rate;
	return f->periods && f->period_frames
		   ? (double)f->periods * f->period_frames * 1e9 / f->rate
		   : NAN;
}

enum role
panel_late_role(const struct session_probe *p, double ns, enum role other)
{
	if (ns >= panel_buffer_ns(p))
		return ROLE_BUFFER;
	return ns >= panel_period_ns(p) ? ROLE_PERIOD : other;
}

void
panel_plots(struct panel *p, int w, int gutter)
{
	bool limits = p->probe >= 0 && panel_period_ns(&p->s->probe[p->probe]) > 0;
	int per = graph_columns(p->u->glyphs);
	p->left = gutter;
	p->right = limits && w >= 50 ? 8 : p->frames ? 1 : 0;
	int cells = w - p->left - p->right - (p->frames ? 2 : 0);
	if (cells > GRAPH_DOTS / per) {
		p->left += cells - GRAPH_DOTS / per;
		cells = GRAPH_DOTS / per;
	}
	time_axis_init(&p->axis, p->u->window_ns, p->u->end_tick, cells, per);
}

struct rect
panel_frame(
    struct grid *g, struct rect r, const struct panel *p, struct line *left, struct line *right)
{
	if (!p->frames) {
		line_draw_ends(g, r.x, r.y, r.w, left, right);
		return (struct rect){r.x, r.y + 1, r.w, r.h - 1};
	}
	draw_box(g, r, p->cs);
	line_add(left, ROLE_TEXT, 0, " ");
	if (right->n)
		line_add(right, ROLE_TEXT, 0, " ");
	line_draw_ends(g, r.x + 2, r.y, r.w - 3, left, right);
	return (struct rect){r.x + 1, r.y + 1, r.w - 2, r.h - 2};
}

enum role
panel_load_role(int load)
{
	return (enum role)(ROLE_LOAD1 + load % 6);
}

bool
panel_spoilt(const struct session *s, int probe)
{
	for (int i = 0; i < s->warnings; i++)
		if (s->warning[i].severity == WARN_SPOILT && s->warning[i].probe == probe)
			return true;
	return false;
}

int
panel_slot(const struct session *s, int64_t tick)
{
	for (int64_t i = s->events - 1; i >= 0 && i >= s->events - EVENTS_KEPT; i--) {
		const struct event *e = &s->event[i % EVENTS_KEPT];
		// A negative value is no beginning and no end: a slot was emptied (session/slot.h).
		if (e->kind == EVENT_SLOT && e->value >= 0 && e->t_ns / TICK_NS <= tick)
			return e->value > 0 && (e->which == 0 || e->which == 1) ? e->which : -1;
	}
	return -1;
}

static void
rate_text(char *buf, size_t size, unsigned rate)
{
	if (rate % 1000)
		snprintf(buf, size, "%u.%uk", rate / 1000, rate % 1000 / 100);
	else
		snprintf(buf, size, "%uk", rate / 1000);
}

void
panel_probe_title(struct line *l, const struct panel *p, const struct session_probe *pr)
{
	const struct probe_facts *f = &pr->facts;
	char asked[24], got[24];
	line_add(l, ROLE_TITLE, 0, "%s", pr->label);
	if (*f->device)
		line_add(
		    l, ROLE_TEXT, 3, " %.40s", strcmp(f->device, "none") ? f->device : "no card");
	if (f->rate && f->period_frames) {
		unsigned periods =
		    f->buffer_frames ? f->buffer_frames / f->period_frames : f->periods;
		rate_text(got, sizeof got, f->rate);
		line_add(l, ROLE_TEXT, 2, " %u%s%u", periods, p->cs->times, f->period_frames);
		line_add(l, ROLE_TEXT, 4, " @ %s", got);
	}
	if (!f->effective_known)
		return;
	policy_text(asked, sizeof asked, f->asked);
	policy_text(got, sizeof got, f->effective);
	if (f->doubts & DOUBT_POLICY)
		line_add(l, ROLE_WARN, 1, "%sasked %s, got %s", p->cs->sep, asked, got);
	else
		line_add(l, ROLE_TEXT, 5, "%s%s", p->cs->sep, got);
}

void
panel_top(struct grid *g, struct rect r, const struct panel *p)
{
	const struct host *h = &p->s->host;
	struct line left = {0}, right = {0};
	char clock[16], size[FIGURE];
	if (r.h < 1)
		return;
	line_add(&left, ROLE_TITLE, 0, " stutter");
	if (*h->name)
		line_add(&left, ROLE_TEXT, 2, "  %.40s", h->name);
	if (*h->kernel)
		line_add(&left, ROLE_TEXT, 3, "%sLinux %.40s", p->cs->sep, h->kernel);
	if (*h->preempt)
		line_add(&left, ROLE_TEXT, 4, " %s%.40s",
		    strcmp(h->preempt, "unknown") ? "" : "preemption ", h->preempt);
	if (h->cpus > 0)
		line_add(&left, ROLE_TEXT, 5, "%s%d CPU%s", p->cs->sep, h->cpus,
		    h->cpus == 1 ? "" : "s");
	if (*h->hypervisor)
		line_add(&left, ROLE_DIM, 6, "%s%.30s", p->cs->sep, h->hypervisor);
	if (*p->s->record_error) {
		line_add(&right, ROLE_FAILED, 0, "REC failed ");
	} else if (p->s->recording) {
		line_add(&right, ROLE_RECORD, 0, "%s REC ", p->ascii ? "*" : "●");
		line_add(&right, ROLE_DIM, 7, "%s ",
		    text_bytes(size, sizeof size, (double)p->s->record_bytes));
	} else if (p->s->replay || *p->s->replay_text) {
		line_add(&right, ROLE_RECORD, 0, "%s ",
		    *p->s->replay_text ? p->s->replay_text : "replay");
	}
	if (!*p->s->replay_text || p->s->recording || *p->s->record_error)
		line_add(&right, ROLE_BRIGHT, 0, "%s ",
		    text_clock(clock, sizeof clock, p->s->elapsed_ns));
	line_draw_ends(g, r.x, r.y, r.w, &left, &right);
}

void
panel_warn(struct grid *g, struct rect r, const struct panel *p)
{
	static const enum role roles[] = {ROLE_DIM, ROLE_WARN, ROLE_SPOILT};
	const struct session *s = p->s;
	if (r.h < 1 || s->warnings < 1)
		return;
	// As many as fit whole, then how many there are besides.
	char tail[48];
	int x = grid_printf(
		g, r.x, r.y, r.w, roles[s->warning[0].severity], p->ascii ? " ! " : " ▲ "),
	    n = 0;
	for (; n < s->warnings; n++) {
		int rest = s->warnings - n - 1;
		snprintf(tail, sizeof tail, "  +%d more  ? explains ", rest);
		int w = draw_width(s->warning[n].text) + (n ? 3 : 0);
		if (n && x + w + draw_width(rest ? tail : "  ? explains ") > r.w)
			break;
		if (n)
			x +=
			    grid_text(g, r.x + x, r.y, r.w - x, ROLE_DIM, p->ascii ? " , " : " · ");
		x += grid_text(
		    g, r.x + x, r.y, r.w - x, roles[s->warning[n].severity], s->warning[n].text);
	}
	struct line l = {0};
	if (s->warnings > n)
		line_add(&l, ROLE_DIM, 0, "  +%d more", s->warnings - n);
	line_add(&l, ROLE_KEY, 1, "  ?");
	line_add(&l, ROLE_DIM, 1, " explains");
	if (line_fit(&l, r.w - x) <= r.w - x)
		line_draw(g, r.x + x, r.y, r.w - x, &l);
}

void
panel_keys(struct grid *g, struct rect r, const struct panel *p)
{
	const struct ui *u = p->u;
	if (r.h < 1)
		return;
	if (u->hint && p->s->loads && p->s->load[0].key && r.w >= 40) {
		struct line l = {0};
		line_add(&l, ROLE_TEXT, 0, " press");
		line_add(&l, ROLE_KEY, 0, " %c", p->s->load[0].key);
		line_add(&l, ROLE_TEXT, 0, " to load the %s", p->s->load[0].name);
		line_add(&l, ROLE_TEXT, 1, " and watch the graph");
		line_add(&l, ROLE_KEY, 2, "   ?");
		line_add(&l, ROLE_TEXT, 2, " help");
		line_add(&l, ROLE_KEY, 2, "   q");
		line_add(&l, ROLE_TEXT, 2, " quit");
		line_draw(g, r.x, r.y, r.w, &l);
	} else {
		keys_bar(g, u, r.x, r.y, r.w);
	}
}
