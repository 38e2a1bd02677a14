// The screen's loop: one poll() over the terminal, a timer, signals and the source.
// Must not know of curses.
#ifndef UI_LOOP_H
#define UI_LOOP_H

#include "ui/screen.h"

// Signals that the loop takes one by one, blocked in this thread and in all that it starts from now on. 0 or -1, errno.
int loop_signals_block(struct screen *sc);
void loop_signals_unblock(struct screen *sc);
// Draws now, if the terminal has taken the last picture (ui/screen.c).
void screen_draw(struct screen *sc, int64_t now_ns);

#endif
