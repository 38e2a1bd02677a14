// What keys do to the look of the screen: views, axes, themes.
// Must not know how views draw.
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "ui/keys.h"
#include "ui/term.h"

void
action_view(struct screen *sc, int key)
{
	const char *name = key == 'h' ? "histogram" : key == 't' ? "table" : key == 'c' ? "compare" : "live";
	const struct view *v = view_find(name);
	if (!v) {
		screen_say(sc, "there is no %s view yet", name);
		return;
	}
	sc->u.view = v;
	sc->u.big = false;
	sc->u.cursor = -1;
}

void
action_help(struct screen *sc, int key)
{
	(void)key;
	const struct view *help = view_find("help"), *live = view_find("live");
	if (sc->u.view != help) {
		sc->before_help = sc->u.view;
		sc->u.view = help ? help : sc->u.view;
	} else {
		sc->u.view = sc->before_help ? sc->before_help : live;
	}
}

void
action_back(struct screen *sc, int key)
{
	(void)key;
	struct ui *u = &sc->u;
	const struct view *live = view_find("live");
	if (u->view == view_find("help"))
		action_help(sc, '?');
	else if (u->cursor >= 0)
		u->cursor = -1;
	else if (u->back_ticks || u->frozen)
		u->back_ticks = u->frozen = 0;
	else if (u->big)
		u->big = false;
	else if (live)
		u->view = live;
}

void
action_probe(struct screen *sc, int key)
{
	(void)key;
	if (sc->s->probes < 1)
		return;
	sc->u.probe = (sc->u.probe + 1) % sc->s->probes;
	sc->u.probe_chosen = true;
	screen_say(sc, "probe: %s", sc->s->probe[sc->u.probe].label);
}

// A round time that holds what the graph shows now.
static int64_t
fixed_top(const struct screen *sc)
{
	const struct session_probe *p = sc->s->probes ? &sc->s->probe[sc->u.probe] : NULL;
	const struct series *se = p ? p->series[Q_LATE] : NULL;
	int64_t end = sc->u.end_tick + 1, from = end - sc->u.window_ns / TICK_NS;
	struct bin b = se ? series_get(se, from < 0 ? 0 : from, end) : (struct bin){0};
	int64_t top = 100000;
	static const int step[] = {2, 5, 10};
	int64_t decade = 100000;
	for (int i = 0; b.n && (double)top < b.max && top < 100000000000; i++) {
		top = decade * step[i % 3];
		decade *= i % 3 == 2 ? 10 : 1;
	}
	return b.n ? top : 10000000;
}

void
action_scale(struct screen *sc, int key)
{
	(void)key;
	struct ui *u = &sc->u;
	char buf[24], *end;
	u->scale = (enum scale_kind)((u->scale + 1) % 3);
	int64_t asked;
	if (u->scale == SCALE_FIXED)
		u->scale_top_ns = !text_parse_ns(sc->s->config.scale, &asked, NULL) && asked > 0 ? asked : fixed_top(sc);
	end = text_ns(buf, sizeof buf, u->scale_top_ns, u->ascii);
	if (u->scale == SCALE_FIXED)
		screen_say(sc, "scale: fixed, up to %s", end);
	else
		screen_say(sc, "scale: %s", u->scale == SCALE_LOG ? "log" : "linear");
}

void
action_window(struct screen *sc, int key)
{
	static const int64_t steps_s[] = {5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400};
	enum { STEPS = sizeof steps_s / sizeof *steps_s };
	struct ui *u = &sc->u;
	int64_t now_s = u->window_ns / 1000000000, next = now_s;
	if (key == ']') {
		for (int i = STEPS - 1; i >= 0; i--)
			next = steps_s[i] > now_s ? steps_s[i] : next;
	} else {
		for (int i = 0; i < STEPS; i++)
			next = steps_s[i] < now_s ? steps_s[i] : next;
	}
	u->window_ns = next * 1000000000;
	u->cursor = -1;
	char buf[24];
	screen_say(sc, "window: %s", text_ns(buf, sizeof buf, u->window_ns, u->ascii));
}

void
action_scroll(struct screen *sc, int key)
{
	struct ui *u = &sc->u;
	int64_t window = u->window_ns / TICK_NS, step = window / 8 > 0 ? window / 8 : 1;
	int64_t first = window < sc->s->now_tick ? window : sc->s->now_tick;
	int64_t end = u->end_tick;
	if (key == UI_LEFT || key == UI_WHEEL_UP)
		end -= step;
	else if (key == UI_RIGHT || key == UI_WHEEL_DOWN)
		end += step;
	else
		end = key == UI_HOME ? first : sc->s->now_tick;
	end = end < first ? first : end;
	if (end >= sc->s->now_tick) {
		u->back_ticks = 0;
		u->frozen = false;
		screen_say(sc, "now");
		return;
	}
	u->end_tick = end;
	u->back_ticks = sc->s->now_tick - end;
	char buf[24];
	screen_say(sc, "%s back (End: now)", text_ns(buf, sizeof buf, u->back_ticks * TICK_NS, u->ascii));
}

void
action_freeze(struct screen *sc, int key)
{
	(void)key;
	sc->u.frozen = !sc->u.frozen;
	if (!sc->u.frozen)
		sc->u.back_ticks = 0;
	screen_say(sc, sc->u.frozen ? "picture frozen; measuring goes on" : "picture runs");
}

void
action_theme(struct screen *sc, int key)
{
	(void)key;
	char **names = theme_names();
	int n = 0, at = -1;
	for (; names && names[n]; n++)
		if (!strcmp(names[n], sc->u.theme_name))
			at = n;
	struct err e;
	struct theme t;
	for (int i = 1; i <= n; i++) { // past those that cannot be read
		const char *name = names[(at + i) % n];
		if (theme_load(&t, name, &e)) {
			screen_say(sc, "%s", e.text);
			continue;
		}
		sc->theme = t;
		memcpy(sc->u.theme_name, t.name, sizeof sc->u.theme_name);
		term_theme(sc->term, &t);
		screen_say(sc, "theme: %s%s", t.title, term_colours(sc->term) ? "" : " (this terminal has no colours)");
		break;
	}
	theme_names_free(names);
}

void
action_glyphs(struct screen *sc, int key)
{
	(void)key;
	static const char *const name[] = {"braille", "block", "ASCII"};
	struct ui *u = &sc->u;
	if (!term_utf8(sc->term)) {
		screen_say(sc, "this locale has ASCII only");
		return;
	}
	u->glyphs = (enum glyphs)((u->glyphs + 1) % 3);
	u->ascii = u->glyphs == GLYPHS_ASCII;
	screen_say(sc, "glyphs: %s", name[u->glyphs]);
}

void
action_big(struct screen *sc, int key)
{
	(void)key;
	sc->u.big = !sc->u.big;
}

void
action_redraw(struct screen *sc, int key)
{
	(void)key;
	sc->whole = true;
}

void
action_quit(struct screen *sc, int key)
{
	(void)key;
	sc->quit = true;
}
