// The screen of one session: what is drawn, what feeds it, what the person has chosen. One loop for the monitor, for
// recordings and for suites. Must not know of curses.
#ifndef UI_SCREEN_H
#define UI_SCREEN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "session/session.h"
#include "ui/grid.h"
#include "ui/theme.h"
#include "ui/view.h"

struct screen;
struct terminal;

// What feeds the session while the screen is up: the machine itself, or a recording, or a suite upon either.
struct ui_source {
	void *data;
	int fd;                // when it becomes readable, tick() is called as well; -1: none
	// At 10 Hz or more: brings S up to NOW_NS (CLOCK_MONOTONIC). True where something changed.
	bool (*tick)(void *data, struct session *s, int64_t now_ns);
	// Keys of its own, asked before all others but q: true where it was used. May be NULL.
	bool (*key)(void *data, struct screen *sc, int key);
	// True: end the screen now (a suite is over, --for has passed). May be NULL.
	bool (*done)(void *data, const struct session *s);
	// Has its fd anything to say still? False: it is not polled any more (end of a stream). May be NULL: always.
	bool (*open)(void *data);
};

extern const struct ui_source ui_live; // session_tick

// A question on the bottom line (ui/input.h).
struct prompt {
	void (*answer)(struct screen *sc, const char *text); // NULL: no question
	int cursor;            // bytes into ui.input
};

struct screen {
	struct session *s;
	const struct ui_source *source;
	struct ui u;
	struct theme theme;
	struct grid grid;
	struct terminal *term;
	struct prompt prompt;
	const struct view *before_help;
	int64_t start_ns, drawn_ns, message_until_ns;
	int64_t frame_ns;      // between pictures
	bool dirty;            // a new picture is wanted
	bool urgent;           // at once: a key was pressed
	bool whole;            // and all of it must be sent again
	bool touched;          // a key was pressed since the start
	bool quit;
	int signal;            // that ended it, or 0
	int signal_fd;
	sigset_t signals_before;
};

// Checks that there is a terminal that can show it, then takes it. Call it before anything is started. NULL with E.
struct screen *screen_open(const struct config *c, struct err *e);
// Draws S once, before it is fed: the first picture, while the rest starts up.
void screen_first(struct screen *sc, struct session *s);
// Draws and feeds S until the person, a signal or the source ends it. Returns the signal that ended it, or 0.
int screen_run(struct screen *sc, struct session *s, const struct ui_source *source);
// Gives the terminal back as it was.
void screen_close(struct screen *sc);

// All of it: screen_open ... screen_close around a session that is there already. 0, or -1 with E.
int ui_run(struct session *s, const struct ui_source *source, struct err *e);

// Says something in the message line for a few seconds.
void screen_say(struct screen *sc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
