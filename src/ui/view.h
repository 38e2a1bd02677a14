// Views: one file and one row each; all draw into a grid from a const session and the state of the screen.
// Must not know of curses.
#ifndef UI_VIEW_H
#define UI_VIEW_H

#include "session/session.h"
#include "ui/grid.h"
#include "ui/theme.h"

enum glyphs { GLYPHS_BRAILLE, GLYPHS_BLOCK, GLYPHS_ASCII };
enum scale_kind { SCALE_LOG, SCALE_LINEAR, SCALE_FIXED };

// What a person has chosen on the screen; nothing of it is measured data.
struct ui {
	const struct view *view;
	enum glyphs glyphs;
	bool ascii;            // no character beyond ASCII anywhere (also "us" for "µs")
	enum scale_kind scale;
	int64_t scale_top_ns;  // SCALE_FIXED
	int64_t window_ns;     // width of the time axis
	int64_t back_ticks;    // how far it is scrolled back; 0: live
	int64_t end_tick;      // the right edge of the picture: the session's now, or where it was frozen or scrolled
	bool frozen;           // the picture; measuring goes on
	int selected;          // load row
	int probe;             // whose latency the graph shows
	bool probe_chosen;     // by a person; else it is the one that matters most
	int list_top;          // first visible row of the list of loads
	int help_top;          // of the help
	int device_row;        // of the picker of devices
	bool big;              // big figures
	int cursor;            // column of the graph that is read out; -1: none
	bool hint;             // nobody has pressed a key yet
	char prompt[64];       // a question being answered on the bottom line; "": none
	char input[NOTE_MAX];
	char message[160];     // what the last key did or why it could not; "" after a while
	struct rect graph;     // where the last drawing put the graph's plot area and the rows of loads: for the mouse
	struct rect load_row[LOADS_MAX];
	char theme_name[64];
	struct compare *compare; // what the compare view keeps from picture to picture; NULL: nothing
	int blind_end;         // the end of the blind test that was seen
};

struct view {
	const char *name;      // "live"
	const char *does;      // one line for help and manual
	void (*draw)(struct grid *g, const struct session *s, struct ui *u); // whole grid, any size >= 1x1
	// A key that only this view knows: true where it was used. May be NULL.
	bool (*key)(int key, struct session *s, struct ui *u);
};

extern const struct view *const views[]; // ends with NULL
const struct view *view_find(const char *name);

// The compare view's memory goes with the screen.
void view_compare_forget(struct ui *u);
// The blind test goes before every view while it runs and until its end was seen.
bool view_blind_wanted(const struct session *s, const struct ui *u);
void view_blind_draw(struct grid *g, const struct session *s);
bool view_blind_key(struct session *s, struct ui *u, int key); // true: it was used

extern const struct view view_live, view_histogram, view_table, view_compare, view_help, view_big, view_devices;

#endif
