// A value over time for graphs: bins of max, sum and count at several resolutions, a fixed amount of memory
// however long it runs. The finest bin is a tick (100 ms). Pure.
#ifndef MEASURE_SERIES_H
#define MEASURE_SERIES_H

#include <stdint.h>

#define SERIES_BINS 4096 // a level
#define SERIES_LEVELS 5
#define SERIES_TICK_NS 100000000LL

// Bin widths of the levels: 0.1 s, 0.5 s, 2.5 s, 15 s, 90 s (4096 bins: 6.8 min, 34 min, 2.8 h, 17 h, 4.3 days).
struct bin {
	float max;
	float sum;
	uint32_t n; // 0: no data
};

struct series; // opaque

struct series *series_new(void); // NULL: no memory. Bins are touched only as time goes on.
void series_free(struct series *s);
// Adds N values with this MAX and SUM at tick number TICK (time / SERIES_TICK_NS); ticks never go back.
void series_add(struct series *s, int64_t tick, double max, double sum, uint32_t n);
// What happened in ticks [FROM, TO): max over, sum and n of them; n is 0 where there is no data or it has aged out.
// Takes the finest level that still has FROM. S may be NULL: no data.
struct bin series_get(const struct series *s, int64_t from, int64_t to);

#endif
