// Reads `[section]` / `key = value` files (settings, themes, suites) through libinih, safely: size-bounded, each
// error with its file and line. Must not know what the keys mean.
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include "base/err.h"

// Called for each pair; SECTION is "" before the first header. Returns 0, or -1 with E (the place is added).
typedef int settings_fn(void *data, const char *section, const char *key, const char *value, struct err *e);

// Reads file PATH (at most 1 MiB). 0; 1 where there is no such file; -1 with E.
int settings_read_file(const char *path, settings_fn *fn, void *data, struct err *e);
// The same from TEXT, called NAME in errors.
int settings_read_text(const char *name, const char *text, settings_fn *fn, void *data, struct err *e);

#endif
