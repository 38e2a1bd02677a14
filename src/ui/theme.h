// Themes: one table of roles, each a colour that a theme file may set and nothing else.
// Must not know of curses or views.
#ifndef UI_THEME_H
#define UI_THEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

// X(enum, key in the theme file, what it colours)
#define THEME_ROLES(X)                                                                                                \
	X(ROLE_TEXT, "text", "ordinary text")                                                                         \
	X(ROLE_BACK, "back", "the background")                                                                        \
	X(ROLE_DIM, "dim", "less important text, units")                                                              \
	X(ROLE_BRIGHT, "bright", "figures that matter")                                                               \
	X(ROLE_FRAME, "frame", "boxes")                                                                               \
	X(ROLE_TITLE, "heading", "titles of boxes, the top line")                                                     \
	X(ROLE_KEY, "key", "keys to press")                                                                           \
	X(ROLE_AXIS, "axis", "axes and their labels")                                                                 \
	X(ROLE_MAX, "max", "latency: the maximum")                                                                    \
	X(ROLE_AVG, "avg", "latency: the average")                                                                    \
	X(ROLE_BURN, "burn", "the CPU loop (latencytest's green line)")                                               \
	X(ROLE_PERIOD, "period", "reference line: one period")                                                        \
	X(ROLE_BUFFER, "buffer", "reference line: the whole buffer")                                                  \
	X(ROLE_XRUN, "xrun", "drop-outs")                                                                             \
	X(ROLE_USER, "cpu-user", "CPU: user")                                                                         \
	X(ROLE_SYSTEM, "cpu-system", "CPU: system")                                                                   \
	X(ROLE_IOWAIT, "cpu-iowait", "CPU: waiting for I/O")                                                          \
	X(ROLE_IRQ, "cpu-irq", "CPU: interrupts")                                                                     \
	X(ROLE_STEAL, "cpu-steal", "CPU: taken by the hypervisor")                                                    \
	X(ROLE_ON, "on", "a load that is on")                                                                         \
	X(ROLE_OFF, "off", "a load that is off")                                                                      \
	X(ROLE_FAILED, "failed", "a load or probe that failed")                                                       \
	X(ROLE_SELECT, "select", "the selected row")                                                                  \
	X(ROLE_WARN, "warn", "a doubt")                                                                               \
	X(ROLE_SPOILT, "spoilt", "a figure that must not be trusted")                                                 \
	X(ROLE_RECORD, "record", "the sign of a recording")                                                           \
	X(ROLE_A, "slot-a", "slot A")                                                                                 \
	X(ROLE_B, "slot-b", "slot B")                                                                                 \
	X(ROLE_LOAD1, "load-1", "bands of loads, in turn")                                                            \
	X(ROLE_LOAD2, "load-2", "bands of loads, in turn")                                                            \
	X(ROLE_LOAD3, "load-3", "bands of loads, in turn")                                                            \
	X(ROLE_LOAD4, "load-4", "bands of loads, in turn")                                                            \
	X(ROLE_LOAD5, "load-5", "bands of loads, in turn")                                                            \
	X(ROLE_LOAD6, "load-6", "bands of loads, in turn")

#define X(e, key, what) e,
enum role { THEME_ROLES(X) ROLE_COUNT };
#undef X

// A role's look. colour: 0xRRGGBB, or -1: the terminal's own.
struct style {
	int32_t colour;
	uint8_t bold, underline, reverse;
};

struct theme {
	char name[64];
	char title[80];        // from the file: "title = ..."
	struct style style[ROLE_COUNT];
};

struct role_row {
	const char *key, *what;
};
extern const struct role_row theme_roles[ROLE_COUNT]; // the one table: parser, `list roles`, manual

// Loads theme NAME: the user's folder ($XDG_CONFIG_HOME/stutter/themes), the installed one, the embedded. A path (with a
// '/') is read as it is. 0, or -1 with E.
int theme_load(struct theme *t, const char *name, struct err *e);
// Parses a theme from TEXT. Unknown keys and bad colours are errors that name the line.
int theme_parse(struct theme *t, const char *name, const char *text, struct err *e);
// Names of all themes there are, sorted, each once; ends with NULL; from malloc, free with theme_names_free.
char **theme_names(void);
void theme_names_free(char **names);

#endif
