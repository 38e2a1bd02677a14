// The loads: a list with a row each, or a strip that folds.
// Must not know graphs.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/panel.h"

static bool
is_on(const struct session_load *l)
{
	return l->status.state == LOAD_ON || l->status.state == LOAD_STARTING;
}

static uint32_t
state_glyph(const struct panel *p, const struct session_load *l, enum role *role)
{
	switch (l->status.state) {
	case LOAD_ON:
		*role = ROLE_ON;
		return p->cs->on;
	case LOAD_STARTING:
	case LOAD_STOPPING:
		*role = ROLE_WARN;
		return p->cs->busy;
	case LOAD_FAILED:
		*role = ROLE_FAILED;
		return p->cs->failed;
	case LOAD_OFF:
		break;
	}
	*role = ROLE_OFF;
	return p->cs->off;
}

static void
rate_text(char *buf, size_t size, const struct session_load *l)
{
	char n[FIGURE];
	const char *unit = draw_rate(n, l->work_per_s, l->unit);
	if (isnan(l->work_per_s))
		snprintf(buf, size, "%s", "");
	else
		snprintf(buf, size, "%s%s%s", n, *unit == 'B' ? "" : " ", unit);
}

// One row: chosen, key, state, name, level, rate, CPU%.
static void
draw_row(struct grid *g, struct rect r, const struct panel *p, int i)
{
	const struct session_load *l = &p->s->load[i];
	enum role role;
	char text[FIGURE * 2];
	uint32_t glyph = state_glyph(p, l, &role);
	bool failed = l->status.state == LOAD_FAILED;
	if (i == p->u->selected) {
		grid_put(g, r.x, r.y, p->cs->chosen, ROLE_SELECT);
	}
	if (l->key)
		grid_put(g, r.x + 1, r.y, (uint32_t)(unsigned char)l->key, ROLE_KEY);
	grid_put(g, r.x + 3, r.y, glyph, role);
	int wide = r.w >= 44 ? 14 : 10, x = 5 + wide;
	grid_text(g, r.x + 5, r.y, wide,
	    i == p->u->selected ? ROLE_SELECT
	    : is_on(l)          ? panel_load_role(i)
	    : failed            ? ROLE_FAILED
				: ROLE_TEXT,
	    l->name);
	snprintf(text, sizeof text, "%d", l->status.level);
	if (l->status.level > 0)
		draw_right(g, r.x + x, r.y, 3, is_on(l) ? ROLE_TEXT : ROLE_DIM, text);
	x += 4;
	if (failed) {
		grid_text(g, r.x + x, r.y, r.w - x - 1, ROLE_FAILED, l->status.reason);
		return;
	}
	rate_text(text, sizeof text, l);
	draw_right(g, r.x + x, r.y, r.w - x - 6, ROLE_BRIGHT, text);
	if (!isnan(l->cpu_pct))
		draw_right(g, r.x + r.w - 6, r.y, 5, ROLE_DIM, draw_pct(text, l->cpu_pct));
}

// TEXT in lines of whole words; returns how many.
static int
draw_words(struct grid *g, struct rect r, enum role role, const char *text)
{
	int lines = 0;
	while (*text && lines < r.h) {
		char line[128];
		int n = (int)strlen(text), w = r.w < (int)sizeof line ? r.w : (int)sizeof line - 1;
		if (n > w) {
			for (n = w; n > 0 && text[n] != ' '; n--)
				;
			n = n ? n : w;
		}
		snprintf(line, sizeof line, "%.*s", n, text);
		grid_text(g, r.x, r.y + lines++, r.w, role, line);
		for (text += n; *text == ' ';)
			text++;
	}
	return lines;
}

// What the selected load says of itself, in the rows under the list.
static void
draw_detail(struct grid *g, struct rect r, const struct panel *p)
{
	const struct load_status *st = &p->s->load[p->u->selected].status;
	const struct session_load *l = &p->s->load[p->u->selected];
	char a[FIGURE], b[FIGURE];
	int y = r.y;
	if (r.h < 2)
		return;
	grid_fill(g, (struct rect){r.x, y++, r.w, 1}, p->cs->dash, ROLE_FRAME);
	grid_text(g, r.x + 1, y++, r.w - 2, ROLE_TITLE, l->name);
	if (*st->reason)
		y += draw_words(g, (struct rect){r.x + 1, y, r.w - 2, r.y + r.h - y},
		    st->state == LOAD_FAILED ? ROLE_FAILED : ROLE_TEXT, st->reason);
	else if (l->kind && !is_on(l))
		y += draw_words(
		    g, (struct rect){r.x + 1, y, r.w - 2, r.y + r.h - y}, ROLE_DIM, l->kind->does);
	if (y < r.y + r.h && is_on(l))
		grid_printf(g, r.x + 1, y++, r.w - 2, ROLE_DIM, "%s resident%s%s major faults",
		    text_bytes(a, sizeof a, (double)st->rss_bytes), p->cs->sep,
		    text_count(b, sizeof b, (double)st->majflt));
	if (y < r.y + r.h && st->passes)
		grid_printf(g, r.x + 1, y++, r.w - 2, ROLE_DIM, "%llu pass%s%slast %s%s",
		    (unsigned long long)st->passes, st->passes == 1 ? "" : "es", p->cs->sep,
		    draw_ns(a, st->last.elapsed_s * 1e9, p->ascii),
		    st->invalid_passes ? ", some invalid" : "");
}

void
panel_loads(struct grid *g, struct rect r, const struct panel *p)
{
	struct line left = {0}, right = {0};
	if (r.h < 3 || r.w < 24)
		return;
	line_add(&left, ROLE_TITLE, 0, " loads");
	line_add(&right, ROLE_KEY, 1, " x");
	line_add(&right, ROLE_DIM, 1, " all off");
	struct rect in = panel_frame(g, r, p, &left, &right);
	int n = p->s->loads, rows = in.h;
	int top = p->u->list_top;
	if (p->u->selected >= 0 && p->u->selected < n) {
		if (top > p->u->selected)
			top = p->u->selected;
		if (top < p->u->selected - rows + 1)
			top = p->u->selected - rows + 1;
	}
	if (top > n - rows)
		top = n - rows;
	p->u->list_top = top = top < 0 ? 0 : top;
	for (int k = 0; k < rows && top + k < n; k++) {
		struct rect row = {in.x, in.y + k, in.w, 1};
		draw_row(g, row, p, top + k);
		p->u->load_row[top + k] = row;
	}
	if (top + rows < n)
		grid_printf(
		    g, r.x + 2, r.y + r.h - 1, r.w - 4, ROLE_DIM, " +%d more ", n - top - rows);
	if (p->u->selected >= 0 && p->u->selected < n && rows > n + 3)
		draw_detail(g,
		    (struct rect){in.x, in.y + in.h - (rows - n - 1 < 6 ? rows - n - 1 : 6), in.w,
			rows - n - 1 < 6 ? rows - n - 1 : 6},
		    p);
}

// How much an entry of the strip says; from the most to the least.
enum detail { ALL_RATES, ALL_NAMES, ON_NAMES, KEYS, ONLY_ON, DETAILS };

static void
entry(char *buf, size_t size, const struct panel *p, int i, enum detail d, bool narrow)
{
	const struct session_load *l = &p->s->load[i];
	bool off = l->status.state == LOAD_OFF;
	char key[2] = {l->key, 0}, rate[FIGURE * 2] = "", level[8] = "";
	bool name = d <= ALL_NAMES || (d == ON_NAMES && !off) || !l->key;
	*buf = 0;
	if ((d == ONLY_ON && off) || (d >= ON_NAMES && narrow && !l->key && off))
		return;
	if (d == ALL_RATES && l->status.state == LOAD_ON)
		rate_text(rate, sizeof rate, l);
	if (d <= ALL_NAMES && is_on(l))
		snprintf(level, sizeof level, "%s%d", p->cs->times, l->status.level);
	snprintf(buf, size, "%s%s%s%s%s%s", key, name && *key ? " " : "", name ? l->name : "",
	    level, *rate ? " " : "", rate);
}

// Lays the strip out; draws it where G is given. Returns the rows it takes.
static int
strip(struct grid *g, struct rect r, const struct panel *p, enum detail d, int first)
{
	int x = 0, y = 0;
	bool tight = d >= KEYS && r.w < 24;
	for (int i = first; i < p->s->loads; i++) {
		char text[96];
		enum role role;
		uint32_t glyph = state_glyph(p, &p->s->load[i], &role);
		entry(text, sizeof text, p, i, d, r.w < 60);
		if (!*text)
			continue;
		int w = draw_width(text) + 1;
		if (x && x + w > r.w) {
			x = 0;
			y++;
		}
		if (g && y < r.h) {
			struct rect at = {r.x + x, r.y + y, w, 1};
			grid_put(g, at.x, at.y, glyph, role);
			bool chosen = i == p->u->selected && r.w >= 24;
			grid_text(g, at.x + 1, at.y, r.w - x - 1,
			    chosen             ? ROLE_SELECT
			    : role == ROLE_ON  ? panel_load_role(i)
			    : role == ROLE_OFF ? ROLE_TEXT
					       : role,
			    text);
			if (p->s->load[i].key)
				grid_put(g, at.x + 1, at.y,
				    (uint32_t)(unsigned char)p->s->load[i].key, ROLE_KEY);
			p->u->load_row[i] = at;
		}
		x += w + (tight ? 0 : d <= ALL_NAMES ? 2 : 1);
	}
	return x ? y + 1 : y;
}

void
panel_strip(struct grid *g, struct rect r, const struct panel *p)
{
	if (r.h < 1 || r.w < 1)
		return;
	if (r.w >= 24) {
		r.x++;
		r.w -= 2;
	}
	enum detail d = ALL_RATES;
	while (d < ONLY_ON && strip(NULL, r, p, d, 0) > r.h)
		d++;
	strip(g, r, p, d, 0);
}
