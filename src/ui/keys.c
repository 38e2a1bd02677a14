// The one table of keys, and who gets a key that was pressed.
// Must not know of curses.
#include "ui/keys.h"

#include <string.h>

#include "base/text.h"
#include "ui/input.h"

const struct key_row key_rows[] = {
    {{'1', '2', '3', '4', '5', '6', '7', '8', '9', '0'}, "1-9 0", "load-number", "switch the load of that number on or off", "load", "1-0",
     action_load_number},
    {{UI_UP, UI_DOWN}, "Up Down", "load-select", "select a load", NULL, NULL, action_load_select},
    {{' '}, "Space", "load-toggle", "switch the selected load on or off", NULL, NULL, action_load_toggle},
    {{'+', '-', '='}, "+ -", "load-level", "more or fewer workers for the selected load", "level", "+/-", action_load_level},
    {{'x'}, "x", "loads-off", "all loads off", "all off", "x", action_loads_off},
    {{'a', 'b'}, "a b", "slot", "start or end a capture into slot A or B", "slot A/B", "a/b", action_slot},
    {{'A', 'B'}, "A B", "slot-fill", "name slot A or B, or fill it from a recording", NULL, NULL, action_slot_fill},
    {{'c'}, "c", "compare", "compare view: slot A against slot B", "compare", "c", action_view},
    {{'h'}, "h", "histogram", "histogram view", "histogram", "h", action_view},
    {{'t'}, "t", "table", "table view: a row for each set of loads", "table", "t", action_view},
    {{'l'}, "l", "live", "live view", "live", "l", action_view},
    {{'R'}, "R", "record", "start or end a recording", "record", "R", action_record},
    {{'s'}, "s", "scale", "latency axis: log, linear, fixed top", "scale", "s", action_scale},
    {{'[', ']'}, "[ ]", "window", "a shorter or longer time axis", "window", "[ ]", action_window},
    {{'\t'}, "Tab", "probe", "next probe", "probe", "Tab", action_probe},
    {{UI_LEFT, UI_RIGHT, UI_HOME, UI_END, UI_WHEEL_UP, UI_WHEEL_DOWN}, "Left Right", "scroll",
     "scroll in time; Home: the start, End: now", NULL, NULL, action_scroll},
    {{'p'}, "p", "freeze", "freeze the picture; measuring goes on", "freeze", "p", action_freeze},
    {{'r'}, "r", "reset", "begin all figures anew", "reset", "r", action_reset},
    {{'m'}, "m", "mark", "mark this moment, with a note", "mark", "m", action_mark},
    {{'k'}, "k", "knob", "flip the knob", "knob", "k", action_knob},
    {{'K'}, "K", "blind", "rounds of A and B with the knob, blind or open", NULL, NULL, action_blind},
    {{'S'}, "S", "suite", "run a suite of loads", NULL, NULL, action_suite},
    {{'<', '>'}, "< >", "buffer", "a smaller or larger audio buffer", "buffer", "< >", action_buffer},
    {{'D'}, "D", "device", "pick the audio device", NULL, NULL, action_device},
    {{'T'}, "T", "theme", "next theme", "theme", "T", action_theme},
    {{'g'}, "g", "glyphs", "draw with braille, blocks or ASCII", NULL, NULL, action_glyphs},
    {{'z'}, "z", "big", "big figures, to be read from afar", "big", "z", action_big},
    {{'L' - '@'}, "Ctrl-L", "redraw", "draw the whole screen anew", NULL, NULL, action_redraw},
    {{UI_ESCAPE}, "Esc", "back", "back: to now, then to the live view", NULL, NULL, action_back},
    {{'?'}, "?", "help", "this help, and what to do about each warning", "help", "?", action_help},
    {{'q'}, "q", "quit", "quit", "quit", "q", action_quit},
    {{0}, NULL, NULL, NULL, NULL, NULL, NULL},
};

const struct key_row *
key_find(int key)
{
	for (const struct key_row *r = key_rows; r->name; r++)
		for (int i = 0; i < KEY_CODES && r->key[i]; i++)
			if (r->key[i] == key)
				return r;
	return NULL;
}

int
key_load(const struct session *s, int key)
{
	if (key <= ' ' || key > '~' || key == 'q' || key == 'x' || key == '?')
		return -1;
	for (int i = 0; i < s->loads; i++)
		if (s->load[i].key == key)
			return i;
	return -1;
}

void
key_press(struct screen *sc, int key)
{
	struct ui *u = &sc->u;
	sc->dirty = sc->urgent = true;
	sc->touched = true;
	u->hint = false;
	if (sc->prompt.answer) {
		prompt_key(sc, key);
		return;
	}
	u->message[0] = '\0';
	if (key != 'q' && view_blind_wanted(sc->s, u) && view_blind_key(sc->s, u, key))
		return;
	const struct key_row *row = key_find(key);
	if (key != 'q' && sc->source && sc->source->key && sc->source->key(sc->source->data, sc, key))
		return;
	int load = key_load(sc->s, key);
	if (load >= 0) {
		load_flip(sc, load);
		return;
	}
	bool always = key == 'q' || key == 'x' || key == '?';
	if (!always && u->view->key && u->view->key(key, sc->s, u))
		return;
	if (row)
		row->action(sc, key);
}

static bool
inside(const struct rect *r, int x, int y)
{
	return x >= r->x && y >= r->y && x < r->x + r->w && y < r->y + r->h;
}

void
key_click(struct screen *sc, int x, int y)
{
	struct ui *u = &sc->u;
	sc->dirty = sc->urgent = sc->touched = true;
	u->hint = false;
	if (sc->prompt.answer)
		return;
	for (int i = 0; i < sc->s->loads && i < LOADS_MAX; i++)
		if (inside(&u->load_row[i], x, y)) {
			u->selected = i;
			load_flip(sc, i);
			return;
		}
	if (inside(&u->graph, x, y))
		u->cursor = u->cursor == x - u->graph.x ? -1 : x - u->graph.x;
}

// What stays when the room gets small: the first in this list goes last.
static const char *const wanted[] = {"quit", "help", "load-number", "loads-off", "load-level", "slot", "compare", "record",
    "histogram", "table", "scale", "window", "probe", "theme", "freeze", "reset", "mark", "live", "big", "buffer", "knob"};

static int
bar_width(const struct key_row *r)
{
	return (int)(strlen(r->bar_keys) + strlen(r->bar)) + 3;
}

void
keys_bar(struct grid *g, const struct ui *u, int x, int y, int w)
{
	bool show[64] = {false};
	int left = w - 1;
	(void)u;
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		for (int k = 0; key_rows[k].name && k < 64; k++)
			if (!strcmp(key_rows[k].name, wanted[i]) && bar_width(&key_rows[k]) <= left) {
				show[k] = true;
				left -= bar_width(&key_rows[k]);
			}
	int end = x + w;
	x++;
	for (int k = 0; key_rows[k].name && k < 64; k++) {
		const struct key_row *r = &key_rows[k];
		if (!show[k])
			continue;
		x += grid_text(g, x, y, end - x, ROLE_KEY, r->bar_keys) + 1;
		x += grid_text(g, x, y, end - x, ROLE_DIM, r->bar) + 2;
	}
}
