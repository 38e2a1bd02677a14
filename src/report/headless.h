// The loop of every command that measures without a screen: ticks, a bounded time, signals that end it in order.
// Must not know what is measured or printed.
#ifndef REPORT_HEADLESS_H
#define REPORT_HEADLESS_H

#include <stdbool.h>

#include "base/err.h"
#include "session/session.h"

struct headless {
	int signals, timer;
	int signal; // that asked for the end; 0: none
};

// Call before session_start(): blocks INT, TERM, HUP, TSTP and CONT for all threads to come and ignores PIPE. 0 or -1
// with E.
int headless_begin(struct headless *h, struct err *e);
// Waits for about a twentieth of a second, keeps S going. False: a signal asked for the end.
bool headless_turn(struct headless *h, struct session *s);
// Turns for NS of the session's time. False: a signal asked for the end.
bool headless_for(struct headless *h, struct session *s, int64_t ns);
void headless_end(struct headless *h);

// What all commands print where they could not: "stutter: WHY" on standard error, escape codes taken out. Returns STATUS.
int headless_fail(int status, const char *why);
// Ends standard output: 0, or 1 with a line on standard error where it could not be written (a reader that has gone is
// no error).
int headless_flush(void);

#endif
