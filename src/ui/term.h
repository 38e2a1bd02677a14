// The terminal: takes it, puts grids on it, reads keys from it, gives it back. Its .c is the only file with curses.
// Must not know of sessions or views.
#ifndef UI_TERM_H
#define UI_TERM_H

#include <stdbool.h>

#include "base/err.h"
#include "ui/grid.h"
#include "ui/theme.h"

struct terminal;

struct term_event {
	int key;               // enum ui_key or a code point
	int x, y;              // UI_MOUSE and the wheel
};

// Standard input and output are a terminal of a known type that can move its cursor: 0, or -1 with E. Changes nothing.
int term_check(struct err *e);
// Takes the terminal: full screen, keys one by one, mouse. NULL with E.
struct terminal *term_open(struct err *e);
// Gives it back as it was, within a second whatever state it is in.
void term_close(struct terminal *t);
bool term_utf8(const struct terminal *t);   // by LC_CTYPE
bool term_console(const struct terminal *t);// the kernel's own: its font has blocks but no braille
int term_colours(const struct terminal *t); // 0, 8, 16, 256, 1 << 24
void term_theme(struct terminal *t, const struct theme *theme);
// Its size now, each at least 1.
void term_size(struct terminal *t, int *w, int *h);
// Sends what changed since the last grid; all of it where WHOLE. False, and nothing is sent, while the terminal has not
// taken the last picture yet.
bool term_draw(struct terminal *t, const struct grid *g, bool whole);
// Sends on what is still waiting; true where all is sent. Never blocks.
bool term_flush(struct terminal *t);
int term_input_fd(const struct terminal *t);
int term_output_fd(const struct terminal *t);
// The next key, without waiting: UI_NONE where there is none, UI_GONE where the terminal is gone.
struct term_event term_key(struct terminal *t);
// Before stutter stops itself, and after it goes on.
void term_pause(struct terminal *t);
void term_resume(struct terminal *t);

#endif
