// a, b, k, K: slots, the knob, and the blind test of it.
// Must not know how figures are compared.
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "session/replay.h"
#include "session/rounds.h"
#include "session/slot.h"
#include "ui/input.h"
#include "ui/keys.h"

static void
mark(struct screen *sc, enum slot_id which, const char *text)
{
	int m, got = sound_mark_read(text, &m);
	if (got < 0)
		screen_say(sc, "a sound mark is a whole number from 0 to %d; none is kept", SOUND_MARK_MAX);
	if (got <= 0)
		return;
	slots_mark(sc->s, which, m);
	screen_say(sc, "slot %c: sound mark %d", 'A' + (int)which, m);
}

static void
mark_a(struct screen *sc, const char *text)
{
	mark(sc, SLOT_A, text);
}

static void
mark_b(struct screen *sc, const char *text)
{
	mark(sc, SLOT_B, text);
}

// Of a capture that has just ended, where there was something to be heard.
static void
ask_mark(struct screen *sc, int which)
{
	const struct session *s = sc->s;
	bool heard = false;
	for (int i = 0; i < s->probes; i++)
		heard |= *s->probe[i].facts.device != '\0';
	if (heard && which >= 0)
		prompt_ask(sc, "how did it sound? 0-10, Enter: no mark", NULL, which == SLOT_A ? mark_a : mark_b);
}

void
action_slot(struct screen *sc, int key)
{
	struct session *s = sc->s;
	enum slot_id which = key == 'a' ? SLOT_A : SLOT_B;
	struct slots *sl = session_slots(s);
	char letter = which == SLOT_A ? 'A' : 'B';
	struct rounds *o = session_rounds(s);
	if (!sl) {
		screen_say(sc, "no memory for slots");
		return;
	}
	if (s->replay) {
		screen_say(sc, "this is a recording: its captures are in the compare view, c");
		return;
	}
	if (o && rounds_running(o)) {
		screen_say(sc, "rounds are on their way: they fill the slots");
		return;
	}
	session_settle(s, 0);
	if (slots_asked(s) == (int)which) {
		slots_end(s);
		screen_say(sc, "slot %c ends; c compares", letter);
		ask_mark(sc, (int)which);
		return;
	}
	int other = slots_asked(s);
	if (sl->slot[which].parts)
		slots_clear(s, which);
	slots_begin(s, which, 0, which == SLOT_A ? s->config.name_a : s->config.name_b);
	screen_say(sc, "capturing into slot %c; %c ends it", letter, key);
	ask_mark(sc, other);
}

// A name for the slot, or the whole of a recording.
static void
fill(struct screen *sc, enum slot_id which, const char *text)
{
	struct slots *sl = session_slots(sc->s);
	struct err e;
	if (!sl || !*text)
		return;
	if (!strchr(text, '/') && !strchr(text, '.')) {
		snprintf(sl->slot[which].name, sizeof sl->slot[which].name, "%s", text);
		sl->version++;
		screen_say(sc, "slot %c is called %s", 'A' + (int)which, sl->slot[which].name);
		return;
	}
	struct replay *r = replay_open(text, &e);
	if (!r || replay_is_stream(r)) {
		screen_say(sc, "%s", r ? "a stream can't fill a slot" : e.text);
		replay_close(r);
		return;
	}
	const char *base = strrchr(text, '/');
	slots_capture_all(replay_session(r), which, base ? base + 1 : text);
	enum replay_state st = replay_run(r, INT64_MAX, 5 * NS_PER_S);
	slots_move(sl, which, session_slots(replay_session(r)), which);
	screen_say(sc, "slot %c: %.0f s from %s%s", 'A' + (int)which, sl->slot[which].s, text, st == REPLAY_MORE ? " (its first part)" : "");
	replay_close(r);
}

static void
fill_a(struct screen *sc, const char *text)
{
	fill(sc, SLOT_A, text);
}

static void
fill_b(struct screen *sc, const char *text)
{
	fill(sc, SLOT_B, text);
}

void
action_slot_fill(struct screen *sc, int key)
{
	if (key == 'A')
		prompt_ask(sc, "slot A: a name, or a recording's file: ", NULL, fill_a);
	else
		prompt_ask(sc, "slot B: a name, or a recording's file: ", NULL, fill_b);
}

static struct rounds *
the_knob(struct screen *sc)
{
	struct rounds *o = session_rounds(sc->s);
	if (!o)
		screen_say(sc, sc->s->replay ? "this is a recording: there is no knob" : "no knob: start with --a CMD --b CMD, or [knob NAME] in the settings file");
	return o;
}

void
action_knob(struct screen *sc, int key)
{
	(void)key;
	struct rounds *o = the_knob(sc);
	struct err e;
	if (!o)
		return;
	if (rounds_running(o)) {
		screen_say(sc, "rounds are on their way: they turn the knob");
		return;
	}
	int side = knob_side(o->knob) == 0;
	if (rounds_flip(sc->s, &e))
		screen_say(sc, "%s", e.text);
	else
		screen_say(sc, "to %c: %s", 'A' + side, knob_name(o->knob, side));
}

static void
begin_rounds(struct screen *sc, const char *text)
{
	struct err e;
	uint64_t seed = 0;
	bool blind = *text == 'b' || *text == 'B';
	if (!blind && *text != 'o' && *text != 'O')
		return;
	if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
		seed = (uint64_t)clock_wall_ns();
	if (rounds_start(sc->s, sc->s->config.rounds, blind, seed, &e))
		screen_say(sc, "%s", e.text);
	else if (!blind)
		screen_say(sc, "A B B A ..., %.0f s to go; c compares, K ends it", rounds_left_s(session_rounds(sc->s), sc->s));
}

void
action_blind(struct screen *sc, int key)
{
	(void)key;
	struct rounds *o = the_knob(sc);
	char question[64];
	if (!o)
		return;
	if (rounds_running(o)) {
		rounds_stop(sc->s);
		screen_say(sc, "the rounds end here");
		return;
	}
	snprintf(question, sizeof question, "%d rounds: b blind, o open, Enter no: ", sc->s->config.rounds);
	prompt_ask(sc, question, NULL, begin_rounds);
}
