// A suite live on the screen: the monitor, with the suite switching the loads.
// Must not know what suites are made of.
#include <stdio.h>

#include "base/text.h"
#include "command.h"
#include "session/session.h"
#include "session/suite.h"
#include "ui/keys.h"
#include "ui/screen.h"

static bool
suite_tick(void *data, struct session *s, int64_t now_ns)
{
	struct suite_run *r = data;
	char left[16];
	double left_s;
	bool changed = session_tick(s, now_ns);
	suite_turn(r);
	double share = suite_progress(r, &left_s);
	snprintf(s->replay_text, sizeof s->replay_text, "%.14s %.0f%% %s left", r->suite.name, 100 * share,
	    text_clock(left, sizeof left, (int64_t)(left_s * 1e9)));
	return changed;
}

static bool
suite_done(void *data, const struct session *s)
{
	(void)s;
	return ((struct suite_run *)data)->over;
}

// The suite owns the loads; all else works as in the monitor.
static bool
suite_key(void *data, struct screen *sc, int key)
{
	(void)data;
	if (key != ' ' && key != '+' && key != '-' && key != '=' && key != 'r' && key != 'S' && key != 'x' && key_load(sc->s, key) < 0)
		return false;
	screen_say(sc, "a suite is running: it switches the loads (q ends it)");
	return true;
}

struct screen *
suite_screen_open(const struct config *c, struct err *e)
{
	return screen_open(c, e);
}

void
suite_screen_run(struct screen *sc, struct suite_run *run, struct session *s)
{
	struct ui_source source = {.data = run, .fd = -1, .tick = suite_tick, .key = suite_key, .done = suite_done};
	if (run)
		screen_run(sc, s, &source);
	screen_close(sc);
}
