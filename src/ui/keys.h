// The one table of keys: the dispatcher, the bottom bar, the help view, `stutter list keys` and the manual read it.
// Must not know of curses.
#ifndef UI_KEYS_H
#define UI_KEYS_H

#include "ui/screen.h"

// Keys beyond characters; characters are their code points (Tab is '\t', Enter '\n').
enum ui_key {
	UI_ESCAPE = 27,
	UI_UP = 0x200000, UI_DOWN, UI_LEFT, UI_RIGHT, UI_HOME, UI_END, UI_PAGE_UP, UI_PAGE_DOWN, UI_BACKSPACE, UI_DELETE,
	UI_MOUSE,      // where: struct term_event
	UI_WHEEL_UP, UI_WHEEL_DOWN,
	UI_OTHER,      // a key that nobody has a use for
	UI_NONE,       // none is waiting
	UI_GONE        // the terminal is gone
};

#define KEY_CODES 11

struct key_row {
	int key[KEY_CODES];    // all that do this, ends with 0
	const char *keys;      // as a person reads them: "Up Down"
	const char *name;      // "load-select"
	const char *does;      // one line for help, list and manual
	const char *bar;       // in the bottom bar: "level"; NULL: not there
	const char *bar_keys;  // and its key there: "+/-"
	void (*action)(struct screen *sc, int key);
};

extern const struct key_row key_rows[]; // in the order of the help; ends with name NULL

// The row that KEY belongs to, or NULL.
const struct key_row *key_find(int key);
// The load whose own key this is, or -1. A load's key goes before the table's, but never takes q, x or ? away.
int key_load(const struct session *s, int key);
// Does what KEY does, in this order: the source's own keys, loads' keys, the view's own, the table.
void key_press(struct screen *sc, int key);
// A click at X, Y.
void key_click(struct screen *sc, int x, int y);
// Draws the bottom bar into one row from X, at most W columns: as many keys as fit, most wanted first.
void keys_bar(struct grid *g, const struct ui *u, int x, int y, int w);

// What keys do; a key's code is given. Each says in the message line what it did or why it could not.
// In action_*.c, by what they are about.
void action_load_number(struct screen *sc, int key);
void action_load_select(struct screen *sc, int key);
void action_load_toggle(struct screen *sc, int key);
void action_load_level(struct screen *sc, int key);
void action_loads_off(struct screen *sc, int key);
void action_view(struct screen *sc, int key);      // l h t c
void action_help(struct screen *sc, int key);
void action_back(struct screen *sc, int key);      // Escape
void action_probe(struct screen *sc, int key);
void action_scale(struct screen *sc, int key);
void action_window(struct screen *sc, int key);
void action_scroll(struct screen *sc, int key);
void action_freeze(struct screen *sc, int key);
void action_theme(struct screen *sc, int key);
void action_glyphs(struct screen *sc, int key);
void action_big(struct screen *sc, int key);
void action_redraw(struct screen *sc, int key);
void action_quit(struct screen *sc, int key);
void action_reset(struct screen *sc, int key);
void action_mark(struct screen *sc, int key);
void action_buffer(struct screen *sc, int key);    // < >
void action_device(struct screen *sc, int key);    // D
void action_record(struct screen *sc, int key);    // R
void action_slot(struct screen *sc, int key);      // a b
void action_slot_fill(struct screen *sc, int key); // A B
void action_knob(struct screen *sc, int key);      // k
void action_blind(struct screen *sc, int key);     // K
void action_suite(struct screen *sc, int key);     // S

// Switches load I on or off, or off where it failed, and says so.
void load_flip(struct screen *sc, int i);

#endif
