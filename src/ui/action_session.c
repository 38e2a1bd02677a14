// What keys do to the measuring itself.
// Must not know how it is drawn.
#include "session/device.h"
#include "ui/input.h"
#include "ui/keys.h"

void
action_reset(struct screen *sc, int key)
{
	(void)key;
	if (sc->s->replay) {
		screen_say(sc, "this is a recording: its figures can't be reset");
		return;
	}
	session_reset(sc->s);
	screen_say(sc, "all figures begin anew");
}

static void
mark(struct screen *sc, const char *note)
{
	session_mark(sc->s, note);
	screen_say(sc, *note ? "marked: %s" : "marked", note);
}

void
action_mark(struct screen *sc, int key)
{
	(void)key;
	if (sc->s->replay)
		screen_say(sc, "this is a recording: marks can't be added");
	else
		prompt_ask(sc, "note", NULL, mark);
}

void
action_buffer(struct screen *sc, int key)
{
	struct err e;
	if (sc->s->replay)
		screen_say(sc, "this is a recording: its buffer can't be changed");
	else if (session_buffer(sc->s, key == '<' ? -1 : 1, &e))
		screen_say(sc, "%.150s", e.text);
	else
		screen_say(sc, "a %s audio buffer is asked for", key == '<' ? "smaller" : "larger");
}

void
action_device(struct screen *sc, int key)
{
	struct err e;
	(void)key;
	if (sc->s->replay)
		screen_say(sc, "this is a recording: its device can't be changed");
	else if (session_devices_look(sc->s, &e))
		screen_say(sc, "%.150s", e.text);
	else
		sc->u.view = view_find("devices");
}
