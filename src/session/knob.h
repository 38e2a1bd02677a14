// A knob: two commands that set A and B, and how what they change is read and put back. A guardian process runs the
// commands and outlives this one, so that the state found at the start comes back whatever way it ends.
// Must not know of slots, rounds or screens.
#ifndef SESSION_KNOB_H
#define SESSION_KNOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "session/config.h"

enum knob_state {
	KNOB_BUSY,    // a command is running
	KNOB_READY,
	KNOB_FAILED   // see knob_error(); it is put back when it is closed
};

struct knob; // opaque

// Is there a knob at all, on the command line or in the settings file? 1 or 0; -1 with E: half of one, or a wrong one.
int knob_wanted(const struct config *c, struct err *e);
// Starts the guardian, which reads the state to come back to; returns at once. The commands of C, or of [knob NAME] of
// the settings file, the first there is where C names none. NULL with E.
struct knob *knob_open(const struct config *c, struct err *e);
// Has it flipped to SIDE (0: A, 1: B); returns at once. 0, or -1 with E: still busy, or failed.
int knob_flip(struct knob *k, int side, struct err *e);
// Looks whether the command has ended; call it now and then.
enum knob_state knob_tend(struct knob *k);
// The side it was last flipped to, -1: none yet.
int knob_side(const struct knob *k);
// Why it failed, or "".
const char *knob_error(const struct knob *k);
const char *knob_title(const struct knob *k);
const char *knob_name(const struct knob *k, int side);
// What `read` printed after the last flip, or "".
const char *knob_value(const struct knob *k);
// Puts back what was found at the start and ends the guardian; bounded by the commands' time limits. 0; 1: it could not
// be put back as it can't be read (E says so); -1 with E: it should have been put back and was not.
int knob_close(struct knob *k, struct err *e);

// In the child: main.c's role "guardian". Returns the exit status.
int knob_child_main(const char *arg);

#endif
