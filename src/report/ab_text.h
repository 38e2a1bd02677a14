// A comparison of two slots as text for people and as JSON for programs.
// Must not know how they were captured.
#ifndef REPORT_AB_TEXT_H
#define REPORT_AB_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "session/verdict.h"

// One table a load and probe, at most 78 columns, each with its sentence; then what to bear in mind.
void ab_print(FILE *f, const struct verdict *v);
// {"a": {...}, "b": {...}, "comparisons": [...], "note"}; NULL: no memory.
json_t *ab_json(const struct verdict *v);

#endif
