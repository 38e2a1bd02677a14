// Turns the knob in time with the ticks.
// Must not run commands itself, nor know of screens.
#include "session/rounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "session/private.h"
#include "session/slot.h"

// Leaves out what comes now, from a hook: without ending the tick at hand, which has just begun.
static void
settle(struct session *s, int64_t ns)
{
	int64_t until = clock_now_ns() + ns;
	if (s->own->warm_until_ns < until)
		s->own->warm_until_ns = until;
}

int
rounds_side(const struct rounds *r, int i)
{
	return r->first[i / 2] ^ (i % 2);
}

bool
rounds_running(const struct rounds *r)
{
	return r && (r->state == ROUNDS_FLIPPING || r->state == ROUNDS_MEASURING || r->state == ROUNDS_ASKING);
}

static void
fail(struct session *s, struct rounds *r, const char *why)
{
	slots_end(s);
	if (r->state == ROUNDS_BY_HAND || !r->rounds)
		snprintf(r->error, sizeof r->error, "%s", why);
	else
		snprintf(r->error, sizeof r->error, "round %d of %d: %.200s", r->phase / 2 + 1, r->rounds, why);
	r->state = ROUNDS_FAILED;
	r->flipping = false;
	session_event(s, EVENT_KNOB, -1, -1, r->error);
}

static void
mark(struct session *s, struct rounds *r, int side)
{
	char text[NOTE_MAX];
	const char *value = knob_value(r->knob);
	if (*value)
		snprintf(text, sizeof text, "%s: %s (%.80s)", knob_title(r->knob), knob_name(r->knob, side), value);
	else
		snprintf(text, sizeof text, "%s: %s", knob_title(r->knob), knob_name(r->knob, side));
	session_event(s, EVENT_KNOB, side, -1, text);
}

static void
flip_phase(struct session *s, struct rounds *r)
{
	struct err e;
	r->state = ROUNDS_FLIPPING;
	if (knob_flip(r->knob, rounds_side(r, r->phase), &e))
		fail(s, r, e.text);
}

static void
measure(struct session *s, struct rounds *r, const struct tick *t)
{
	int side = rounds_side(r, r->phase);
	mark(s, r, side);
	settle(s, r->settle_ns);
	slots_begin(s, (enum slot_id)side, r->phase / 2, knob_name(r->knob, side));
	r->began_ns = t->t_ns + r->settle_ns;
	r->state = ROUNDS_MEASURING;
}

static void
next_phase(struct session *s, struct rounds *r)
{
	if (++r->phase < 2 * r->rounds) {
		flip_phase(s, r);
		return;
	}
	r->state = ROUNDS_DONE;
}

static void
tend_turns(struct session *s, struct rounds *r, const struct tick *t)
{
	enum knob_state k = knob_tend(r->knob);
	if (k == KNOB_FAILED) {
		fail(s, r, knob_error(r->knob));
	} else if (r->state == ROUNDS_FLIPPING && k == KNOB_READY) {
		if (knob_side(r->knob) == rounds_side(r, r->phase))
			measure(s, r, t);
		else
			flip_phase(s, r); // it was still reading when asked
	} else if (r->state == ROUNDS_MEASURING && t->t_ns >= r->began_ns + r->each_ns) {
		slots_end(s);
		if (r->blind && r->phase % 2)
			r->state = ROUNDS_ASKING;
		else
			next_phase(s, r);
	}
}

static void
tend_by_hand(struct session *s, struct rounds *r)
{
	enum knob_state k = knob_tend(r->knob);
	if (k == KNOB_FAILED) {
		fail(s, r, knob_error(r->knob));
		return;
	}
	if (!r->flipping || k != KNOB_READY)
		return;
	int side = knob_side(r->knob);
	r->flipping = false;
	mark(s, r, side);
	settle(s, r->settle_ns);
	if (!r->flips) {
		slots_clear(s, SLOT_A);
		slots_clear(s, SLOT_B);
	}
	slots_begin(s, (enum slot_id)side, r->flips / 2, knob_name(r->knob, side));
	r->flips++;
}

static void
on_tick(void *data, struct session *s, const struct tick *t)
{
	struct rounds *r = data;
	if (r->state == ROUNDS_BY_HAND)
		tend_by_hand(s, r);
	else if (rounds_running(r))
		tend_turns(s, r, t);
}

static void
on_end(void *data, struct session *s)
{
	struct rounds *r = data;
	s->own->rounds = NULL;
	knob_close(r->knob, NULL);
	free(r);
}

int
rounds_attach(struct session *s, struct knob *k, struct err *e)
{
	struct rounds *r = s->own->rounds || s->replay ? NULL : calloc(1, sizeof *r);
	if (!r)
		return err_set(e, s->replay ? "this is a recording: a knob can't be turned" : "there is a knob already");
	r->knob = k;
	r->each_ns = s->config.each_ns;
	r->settle_ns = s->config.settle_ns;
	if (session_hook_add(s, (struct session_hook){r, on_tick, NULL, on_end})) {
		free(r);
		return err_set(e, "too many at work on this session");
	}
	s->own->rounds = r;
	return 0;
}

struct rounds *
session_rounds(const struct session *s)
{
	return s->own->rounds;
}

int
rounds_detach(struct session *s, struct err *e)
{
	struct rounds *r = s->own->rounds;
	if (!r)
		return 0;
	slots_end(s);
	session_hook_remove(s, r);
	s->own->rounds = NULL;
	int closed = knob_close(r->knob, e);
	free(r);
	return closed;
}

int
rounds_flip(struct session *s, struct err *e)
{
	struct rounds *r = s->own->rounds;
	if (!r)
		return err_set(e, "no knob: give --a CMD and --b CMD, or [knob NAME] in the settings file");
	if (rounds_running(r))
		return err_set(e, "rounds are on their way: they turn it");
	if (r->state != ROUNDS_FAILED && r->state != ROUNDS_BY_HAND)
		r->flips = 0;
	if (r->state != ROUNDS_FAILED)
		r->state = ROUNDS_BY_HAND;
	if (knob_flip(r->knob, knob_side(r->knob) == 0, e))
		return -1;
	slots_end(s);
	r->flipping = true;
	return 0;
}

static uint64_t
random_next(uint64_t *state)
{
	// splitmix64 (Steele, Lea, Flood 2014)
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

int
rounds_start(struct session *s, int n, bool blind, uint64_t seed, struct err *e)
{
	struct rounds *r = s->own->rounds;
	if (!r)
		return err_set(e, "no knob: give --a CMD and --b CMD, or [knob NAME] in the settings file");
	if (rounds_running(r))
		return err_set(e, "rounds are on their way already");
	if (r->state == ROUNDS_FAILED)
		return err_set(e, "%s", r->error);
	if (n < 1 || n > ROUNDS_MAX)
		return err_set(e, "%d rounds: allowed are 1 to %d", n, ROUNDS_MAX);
	slots_end(s);
	slots_clear(s, SLOT_A);
	slots_clear(s, SLOT_B);
	r->rounds = n;
	r->blind = blind;
	r->phase = r->answers = 0;
	r->flipping = false;
	// A B, then B A, and so on: what drifts evenly falls on both alike
	for (int i = 0; i < n; i++)
		r->first[i] = (uint8_t)(blind ? random_next(&seed) >> 63 : (unsigned)i % 2);
	r->state = ROUNDS_FLIPPING;
	if (knob_tend(r->knob) != KNOB_BUSY || knob_side(r->knob) < 0)
		flip_phase(s, r); // else as soon as the last command has ended
	return r->state == ROUNDS_FAILED ? err_set(e, "%s", r->error) : 0;
}

void
rounds_stop(struct session *s)
{
	struct rounds *r = s->own->rounds;
	if (!rounds_running(r))
		return;
	slots_end(s);
	r->state = ROUNDS_DONE;
}

void
rounds_answer(struct session *s, enum rounds_answer a)
{
	struct rounds *r = s->own->rounds;
	if (!r || r->state != ROUNDS_ASKING)
		return;
	r->felt[r->answers++] = (uint8_t)a;
	next_phase(s, r);
}

double
rounds_left_s(const struct rounds *r, const struct session *s)
{
	if (!rounds_running(r))
		return 0;
	double phase_s = (double)(r->each_ns + r->settle_ns) / 1e9;
	double left = phase_s * (2 * r->rounds - r->phase);
	if (r->state == ROUNDS_MEASURING)
		left -= (double)(s->elapsed_ns - r->began_ns + r->settle_ns) / 1e9;
	else if (r->state == ROUNDS_ASKING)
		left -= phase_s;
	return left > 0 ? left : 0;
}

int
rounds_chose_b(const struct rounds *r, int *sure)
{
	int b = 0, n = 0;
	for (int i = 0; i < r->answers; i++) {
		if (r->felt[i] == FELT_UNSURE)
			continue;
		int second = r->felt[i] == FELT_SECOND;
		n++;
		b += (r->first[i] ^ second) == 1;
	}
	*sure = n;
	return b;
}

double
rounds_chance(int n, int k)
{
	double p = 0;
	for (int i = k < 0 ? 0 : k; i <= n; i++)
		p += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) - n * M_LN2);
	return p > 1 ? 1 : p;
}

static char *
share_text(char *buf, size_t size, double p)
{
	snprintf(buf, size, p < 0.0995 ? "%.2g%%" : "%.0f%%", 100 * fmin(p, 1));
	return buf;
}

char *
rounds_say(char *buf, size_t size, const struct rounds *r, int better)
{
	int sure, b = rounds_chose_b(r, &sure), unsure = r->answers - sure;
	char rest[48] = "", chance[16];
	if (unsure)
		snprintf(rest, sizeof rest, ", unsure in %d", unsure);
	if (!sure) {
		snprintf(buf, size, "no round was answered");
	} else if (better) {
		int right = better > 0 ? b : sure - b;
		snprintf(buf, size, "you were right in %d of %d rounds%s: by the figures %c is better; somebody who guesses does as well in %s of all tries",
		    right, sure, rest, better > 0 ? 'B' : 'A', share_text(chance, sizeof chance, rounds_chance(sure, right)));
	} else {
		int most = b > sure - b ? b : sure - b;
		snprintf(buf, size, "you preferred %s in %d of %d rounds%s; the figures see no difference; somebody who guesses is as sure in %s of all tries",
		    2 * b > sure ? "B" : 2 * b < sure ? "A" : "neither: B", 2 * b == sure ? b : most, sure, rest,
		    share_text(chance, sizeof chance, 2 * rounds_chance(sure, most)));
	}
	return buf;
}
