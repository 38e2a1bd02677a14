// Rolling figures: the slices of the last while, kept at several lengths so that memory is bounded, and added up
// when asked. Pure.
#ifndef MEASURE_WINDOW_H
#define MEASURE_WINDOW_H

#include "measure/dist.h"

#define WINDOW_SLICES 600 // a level
#define WINDOW_LEVELS 3   // slices of 0.1 s, 1 s, 10 s: exact windows up to 1 min, 10 min, 100 min

struct window; // opaque

struct window *window_new(struct limits lim); // NULL: no memory
void window_free(struct window *w);
void window_reset(struct window *w, struct limits lim);
// Adds the slice of tick number TICK (copied).
void window_add(struct window *w, int64_t tick, const struct slice *s);
// All figures of ticks (NOW - TICKS, NOW] into OUT, from the finest level that reaches that far back; the start is
// then right to one slice of that level.
void window_get(const struct window *w, int64_t now, int64_t ticks, struct dist *out);

#endif
