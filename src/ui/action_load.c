// What keys do to loads.
// Must not know how they are drawn.
#include <string.h>

#include "ui/keys.h"

static bool
any_load(struct screen *sc)
{
	if (sc->s->loads < 1)
		screen_say(sc, "there are no loads here");
	return sc->s->loads > 0;
}

void
load_flip(struct screen *sc, int i)
{
	struct session_load *l = &sc->s->load[i];
	enum load_state st = l->status.state;
	bool on = st == LOAD_OFF || st == LOAD_FAILED || st == LOAD_STOPPING;
	struct err e;
	sc->u.selected = i;
	if (session_load_switch(sc->s, i, on, &e))
		screen_say(sc, "%s: %.120s", l->name, e.text);
	else
		screen_say(sc, "%s: %s", l->name, on ? "on" : "off");
}

void
action_load_number(struct screen *sc, int key)
{
	if (any_load(sc)) // the loads' own keys were asked before
		screen_say(sc, "no load has the key %c", key);
}

void
action_load_select(struct screen *sc, int key)
{
	if (!any_load(sc))
		return;
	int n = sc->u.selected + (key == UI_UP ? -1 : 1);
	sc->u.selected = n < 0 ? 0 : n >= sc->s->loads ? sc->s->loads - 1 : n;
}

void
action_load_toggle(struct screen *sc, int key)
{
	(void)key;
	if (any_load(sc))
		load_flip(sc, sc->u.selected);
}

void
action_load_level(struct screen *sc, int key)
{
	struct err e;
	if (!any_load(sc))
		return;
	struct session_load *l = &sc->s->load[sc->u.selected];
	int level = l->status.level + (key == '-' ? -1 : 1);
	if (session_load_level(sc->s, sc->u.selected, level, &e))
		screen_say(sc, "%s: %.120s", l->name, e.text);
	else
		screen_say(sc, "%s: level %d", l->name, level);
}

void
action_loads_off(struct screen *sc, int key)
{
	(void)key;
	session_loads_off(sc->s);
	screen_say(sc, "all loads off");
}
