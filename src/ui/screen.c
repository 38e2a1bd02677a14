// Opens and closes the screen, and draws one picture of a session on it.
// Must not know what feeds the session.
#include "ui/screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "ui/input.h"
#include "ui/keys.h"
#include "ui/loop.h"
#include "ui/term.h"

#define MESSAGE_NS (4 * NS_PER_S)

static enum glyphs
glyphs_for(const struct config *c, const struct terminal *t)
{
	if (!term_utf8(t) || !strcmp(c->glyphs, "ascii"))
		return GLYPHS_ASCII;
	if (!strcmp(c->glyphs, "braille"))
		return GLYPHS_BRAILLE;
	return !strcmp(c->glyphs, "block") || term_console(t) ? GLYPHS_BLOCK : GLYPHS_BRAILLE;
}

static void
first_choices(struct screen *sc, const struct config *c)
{
	struct ui *u = &sc->u;
	u->view = view_find("live");
	u->glyphs = glyphs_for(c, sc->term);
	u->ascii = u->glyphs == GLYPHS_ASCII;
	u->window_ns = c->window_ns > 0 ? c->window_ns : 60 * NS_PER_S;
	u->cursor = -1;
	int64_t top;
	if (!strcmp(c->scale, "linear")) {
		u->scale = SCALE_LINEAR;
	} else if (!text_parse_ns(c->scale, &top, NULL) && top > 0) {
		u->scale = SCALE_FIXED;
		u->scale_top_ns = top;
	}
	sc->frame_ns = NS_PER_S / (c->fps >= 1 && c->fps <= 60 ? c->fps : 10);
}

struct screen *
screen_open(const struct config *c, struct err *e)
{
	struct theme theme;
	struct screen *sc = NULL;
	if (theme_load(&theme, *c->theme ? c->theme : "stutter", e) || term_check(e))
		return NULL;
	if (!(sc = calloc(1, sizeof *sc)) || loop_signals_block(sc)) {
		free(sc);
		err_set(e, "the screen could not be set up:");
		return NULL;
	}
	if (!(sc->term = term_open(e))) {
		loop_signals_unblock(sc);
		free(sc);
		return NULL;
	}
	struct theme mono;
	bool plain = !term_colours(sc->term) && (!*c->theme || !strcmp(c->theme, "stutter"));
	sc->theme = plain && !theme_load(&mono, "mono", NULL) ? mono : theme;
	memcpy(sc->u.theme_name, sc->theme.name, sizeof sc->u.theme_name);
	term_theme(sc->term, &sc->theme);
	first_choices(sc, c);
	sc->start_ns = clock_now_ns();
	return sc;
}

void
screen_close(struct screen *sc)
{
	if (!sc)
		return;
	term_close(sc->term);
	// It is ending already: a second signal must not cut short what is written and put back after this.
	static const int ends[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		signal(ends[i], SIG_IGN);
	loop_signals_unblock(sc);
	view_compare_forget(&sc->u);
	grid_free(&sc->grid);
	free(sc);
}

void
screen_say(struct screen *sc, const char *fmt, ...)
{
	char buf[sizeof sc->u.message];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	text_safe(sc->u.message, sizeof sc->u.message, buf);
	sc->message_until_ns = clock_now_ns() + MESSAGE_NS;
	sc->dirty = true;
}

// What a key chose must stay within what the session has, whatever came and went since.
static void
settle_choices(struct screen *sc)
{
	struct ui *u = &sc->u;
	const struct session *s = sc->s;
	if (!u->probe_chosen || u->probe < 0 || u->probe >= s->probes)
		u->probe = s->probes ? session_main_probe(s) : 0;
	if (u->probe < 0)
		u->probe = 0;
	if (u->selected >= s->loads)
		u->selected = s->loads ? s->loads - 1 : 0;
	if (!u->frozen && !u->back_ticks)
		u->end_tick = s->now_tick;
	else if (u->back_ticks)
		u->back_ticks = s->now_tick - u->end_tick;
	if (!u->view)
		u->view = view_find("live");
}

// A message or a question goes over the last row of every view, also of those that know nothing of them.
static void
draw_last_row(struct screen *sc)
{
	struct grid *g = &sc->grid;
	struct rect row = {0, g->h - 1, g->w, 1};
	if (sc->prompt.answer) {
		prompt_draw(g, sc, 0, g->h - 1, g->w);
	} else if (sc->u.message[0] && g->h > 3) {
		grid_fill(g, row, ' ', ROLE_TEXT);
		grid_back(g, row, ROLE_BACK);
		grid_text(g, 1, g->h - 1, g->w - 1, ROLE_BRIGHT, sc->u.message);
	}
}

void
screen_draw(struct screen *sc, int64_t now_ns)
{
	int w, h;
	if (!term_flush(sc->term)) // it has not taken the last picture: this one would be old when it comes
		return;
	term_size(sc->term, &w, &h);
	if (grid_size(&sc->grid, w, h))
		return;
	if (sc->u.message[0] && now_ns > sc->message_until_ns)
		sc->u.message[0] = '\0';
	settle_choices(sc);
	sc->u.graph = (struct rect){0};
	memset(sc->u.load_row, 0, sizeof sc->u.load_row);
	if (view_blind_wanted(sc->s, &sc->u))
		view_blind_draw(&sc->grid, sc->s);
	else if (sc->u.big)
		view_big.draw(&sc->grid, sc->s, &sc->u);
	else if (sc->u.view)
		sc->u.view->draw(&sc->grid, sc->s, &sc->u);
	draw_last_row(sc);
	if (!term_draw(sc->term, &sc->grid, sc->whole))
		return;
	sc->dirty = sc->urgent = sc->whole = false;
	sc->drawn_ns = now_ns;
}
