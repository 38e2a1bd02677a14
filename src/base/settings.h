// Reads `[section]` / `key = value` files (settings, themes, suites) through libinih, safely: size-bounded, each
// error with its file and line. Must not know what the keys mean.
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include "base/err.h"

// Called for each pair; SECTION is "" before the first header. Returns 0, or -1 with E (the place is added).
typedef int settings_fn(void *data, const char *section, const char *key, const char *value, struct err *e);

// The whole of file PATH into *TEXT, which the caller frees: 0; 1 where there is no such file; -1 with E where it can't be
// read, is no plain text file, or is larger than 1 MiB. *TEXT is NULL but for 0.
int settings_text(const char *path, char **text, struct err *e);
// Reads file PATH (at most 1 MiB). 0; 1 where there is no such file; -1 with E.
int settings_read_file(const char *path, settings_fn *fn, void *data, struct err *e);
// The same from TEXT, called NAME in errors.
int settings_read_text(const char *name, const char *text, settings_fn *fn, void *data, struct err *e);
// The same; a section without a pair is told of too, once, with KEY and VALUE "".
int settings_read_sections(const char *name, const char *text, settings_fn *fn, void *data, struct err *e);

#endif
