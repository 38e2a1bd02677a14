// Flips a knob while measuring: by hand, or in turns A B B A ..., or blind. Each flip is marked on the time line, a while
// after it is left out, and the figures go to the right slot.
// Must not know who watches.
#ifndef SESSION_ROUNDS_H
#define SESSION_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/knob.h"
#include "session/session.h"

#define ROUNDS_MAX 1000

enum rounds_state {
	ROUNDS_BY_HAND,   // the knob turns when asked
	ROUNDS_FLIPPING,  // in turns: a command runs
	ROUNDS_MEASURING, // settling, then measuring
	ROUNDS_ASKING,    // blind: which felt better?
	ROUNDS_DONE,
	ROUNDS_FAILED     // see error; the knob is put back when the session ends
};

enum rounds_answer { FELT_UNSURE, FELT_FIRST, FELT_SECOND };

struct rounds {
	struct knob *knob;
	enum rounds_state state;
	bool blind;
	int rounds;                // asked
	int phase;                 // 0 .. 2 * rounds - 1: two a round
	int64_t each_ns, settle_ns;
	int64_t began_ns;          // the phase's measuring, of the session's time
	bool flipping;             // by hand: a command runs
	int flips;                 // done
	uint8_t first[ROUNDS_MAX]; // the side that came first in each round
	uint8_t felt[ROUNDS_MAX];  // enum rounds_answer
	int answers;
	char error[240];
};

// Takes knob K into S (one at a time): it is put back and closed with the session. 0, or -1 with E.
int rounds_attach(struct session *s, struct knob *k, struct err *e);
// What was attached, or NULL.
struct rounds *session_rounds(const struct session *s);
// Puts the knob back and closes it now. As knob_close(); 0 where there is none.
int rounds_detach(struct session *s, struct err *e);

// By hand: to the other side (A first). 0, or -1 with E.
int rounds_flip(struct session *s, struct err *e);
// Starts N rounds, with both slots empty. Blind ones in an order drawn from SEED. 0, or -1 with E.
int rounds_start(struct session *s, int n, bool blind, uint64_t seed, struct err *e);
// Ends them with what there is.
void rounds_stop(struct session *s);
// Blind, when asking: which phase of the round felt better.
void rounds_answer(struct session *s, enum rounds_answer a);
// Are rounds on their way?
bool rounds_running(const struct rounds *r);
// The side of phase I.
int rounds_side(const struct rounds *r, int i);
// Seconds still to go, without the time that commands and answers take.
double rounds_left_s(const struct rounds *r, const struct session *s);

// Of the answers that were not unsure: how many chose B, and how many there are.
int rounds_chose_b(const struct rounds *r, int *sure);
// How likely is it that somebody who guesses is right at least K times of N (binomial, one half)?
double rounds_chance(int n, int k);
// What the blind rounds came to, BETTER as verdict_better() says of the figures. BUF returned.
char *rounds_say(char *buf, size_t size, const struct rounds *r, int better);

#endif
