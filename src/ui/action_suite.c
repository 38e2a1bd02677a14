// S: run a suite from the screen, or end the one that runs.
// Must not know what a suite is made of.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "session/suite.h"
#include "ui/input.h"
#include "ui/keys.h"

// A suite over the session that the screen shows already: the source it had goes on underneath.
struct running {
	struct ui_source source;
	const struct ui_source *before;
	struct suite_run *run;
	struct suite suite;
};

static void
finish(struct running *r, struct session *s)
{
	suite_free(r->run);
	r->run = NULL;
	s->replay_text[0] = 0;
}

static bool
running_tick(void *data, struct session *s, int64_t now_ns)
{
	struct running *r = data;
	char left[16];
	double left_s;
	bool changed = r->before->tick(r->before->data, s, now_ns);
	if (!r->run)
		return changed;
	if (!suite_turn(r->run)) {
		finish(r, s);
		return true;
	}
	double share = suite_progress(r->run, &left_s);
	snprintf(s->replay_text, sizeof s->replay_text, "%.14s %.0f%% %s left", r->suite.name, 100 * share,
	    text_clock(left, sizeof left, (int64_t)(left_s * 1e9)));
	return changed;
}

static bool
running_key(void *data, struct screen *sc, int key)
{
	struct running *r = data;
	if (!r->run)
		return r->before->key && r->before->key(r->before->data, sc, key);
	if (key == 'S' || key == 'x') {
		suite_stop(r->run);
		finish(r, sc->s);
		screen_say(sc, "suite ended early; t shows what it measured");
		return true;
	}
	if (key != ' ' && key != '+' && key != '-' && key != '=' && key != 'r' && key_load(sc->s, key) < 0)
		return r->before->key && r->before->key(r->before->data, sc, key);
	screen_say(sc, "a suite is running: it switches the loads (S ends it)");
	return true;
}

static bool
running_done(void *data, const struct session *s)
{
	struct running *r = data;
	return r->before->done && r->before->done(r->before->data, s);
}

static bool
running_open(void *data)
{
	struct running *r = data;
	return !r->before->open || r->before->open(r->before->data);
}

// The session goes, and the suite with it.
static void
running_end(void *data, struct session *s)
{
	struct running *r = data;
	if (r->run) {
		suite_stop(r->run);
		finish(r, s);
	}
	session_hook_remove(s, r);
	free(r);
}

static void
run_named(struct screen *sc, const char *name)
{
	struct err e;
	struct running *r = sc->source->tick == running_tick ? sc->source->data : NULL;
	if (!*name)
		return;
	if (!r) {
		r = calloc(1, sizeof *r);
		if (!r || session_hook_add(sc->s, (struct session_hook){.data = r, .end = running_end})) {
			free(r);
			screen_say(sc, "no room for a suite");
			return;
		}
		r->before = sc->source;
		r->source = (struct ui_source){.data = r, .fd = sc->source->fd, .tick = running_tick, .key = running_key, .done = running_done,
		    .open = running_open};
		sc->source = &r->source;
	}
	if (suite_load(&r->suite, name, &e) || !(r->run = suite_start(&r->suite, sc->s, &e))) {
		screen_say(sc, "%s", e.text);
		return;
	}
	screen_say(sc, "%s: %s; t: the table", r->suite.name, r->suite.title);
}

void
action_suite(struct screen *sc, int key)
{
	(void)key;
	if (sc->s->replay) {
		screen_say(sc, "this is a recording: suites need a live session");
		return;
	}
	// A name that is not there is answered with those that are.
	prompt_ask(sc, "run suite", "irman", run_named);
}
