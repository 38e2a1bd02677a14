// The summary of a session as JSON: what `run --json` prints and the last line of a recording.
// Must not know who prints it.
#ifndef SESSION_SUMMARY_H
#define SESSION_SUMMARY_H

#include <jansson.h>
#include <math.h>

#include "session/session.h"

// How every JSON of the program is written: figures are rounded before, so 15 digits bring each back exactly.
#define SUMMARY_DUMP (JSON_COMPACT | JSON_REAL_PRECISION(15))

// All figures since the last reset, under the names of the manual; what could not be had is null. NULL: no memory.
json_t *summary_json(const struct session *s);
// The machine, as in the summary and in a recording's header.
json_t *summary_host(const struct host *h);

// V rounded to a multiple of 1/PER_UNIT, as a JSON number; null where V is not a number.
json_t *summary_real(double v, double per_unit);
// NS as a JSON integer; null where it is negative.
json_t *summary_ns(int64_t ns);

#endif
