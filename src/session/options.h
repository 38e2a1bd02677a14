// The one table of options: command line, settings file, --help, `stutter list options` and the manual check read it.
// Must not know what is done with the values.
#ifndef SESSION_OPTIONS_H
#define SESSION_OPTIONS_H

#include <stdio.h>

#include "base/err.h"
#include "session/config.h"

// Which commands take an option; bits.
enum option_mode {
	MODE_MONITOR = 1, MODE_RUN = 2, MODE_SUITE = 4, MODE_VIEW = 8, MODE_AB = 16, MODE_COMPARE = 32, MODE_REPORT = 64,
	MODE_EXPORT = 128, MODE_HEADROOM = 256, MODE_LIST = 512,
	MODE_LIVE = MODE_MONITOR | MODE_RUN | MODE_SUITE | MODE_AB | MODE_HEADROOM, // those that measure
	MODE_LOOK = MODE_MONITOR | MODE_VIEW | MODE_SUITE | MODE_AB,                // those that may draw
	MODE_ANY = 1023
};

struct option_row {
	const char *name;      // "interval"
	char letter;           // 'o', or 0
	const char *value;     // "T", or NULL: a switch
	const char *def;       // default, as text, or NULL
	unsigned modes;        // enum option_mode
	const char *does;      // one line
	int (*set)(struct config *c, const char *value, struct err *e); // 0 or -1 with E naming what is allowed
};

extern const struct option_row option_rows[]; // ends with name NULL

// Defaults into C.
void config_defaults(struct config *c);
// Defaults, then the settings file ($XDG_CONFIG_HOME/stutter/config), then ARGV[1..] for MODE. Arguments that are no
// options go to C->arg[]. Returns 0; 1: --help or --version was answered on standard output; -1 with E (exit 2).
int options_read(struct config *c, unsigned mode, int argc, char **argv, struct err *e);
// One option by its name, as a settings file would set it.
int options_set(struct config *c, const char *name, const char *value, struct err *e);
// The settings file's path into BUF: 0; 1 where there is no home; -1 with E.
int options_file_path(char *buf, size_t size, struct err *e);
void options_help(FILE *f, unsigned mode);

#endif
