// The result of a suite as a table, in the manner of the program it is named after, and as JSON.
// Must not know how it ran.
#ifndef REPORT_SUITE_TABLE_H
#define REPORT_SUITE_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "session/suite.h"

void suite_print(FILE *f, const struct suite_run *r);
json_t *suite_json(const struct suite_run *r);

// Mean and sample standard deviation (NaN for fewer than two) of N values.
void suite_mean(const double *v, int n, double *mean, double *sd);
// vm: how well the music was heard, 0 .. 10: the share that was played, less for drop-outs.
double suite_sound_mark(const struct suite_row *w);

#endif
