// The way of a sample from a probe's ring into the figures, as session_tick goes it: pop, add, and for each tick a
// slice, the totals, the window and the graph. sample_cost.py counts the instructions.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/ring.h"
#include "measure/dist.h"
#include "measure/series.h"
#include "measure/window.h"
#include "probe/sample.h"

enum { CAPACITY = 4096 };

static const struct limits lim = {.centre_ns = 0, .limit_ns = {NS_PER_MS, 2 * NS_PER_MS}};
static struct dist open_tick, total;

// What a probe's thread does for a sample.
__attribute__((noipa)) static bool
record(struct ring *r, const struct sample *s)
{
	return ring_push(r, s);
}

// As a quiet machine's timer gives them, now and then a late one.
static void
fill(struct ring *r, int n, unsigned *seed)
{
	for (int i = 0; i < n; i++) {
		*seed = *seed * 1664525 + 1013904223;
		int64_t late = 13000 + (*seed >> 18);
		uint32_t missed = 0;
		if (*seed >> 22 == 7) {
			late += 3 * NS_PER_MS;
			missed = 3;
		}
		struct sample s = {.period_ns = NS_PER_MS, .value = {late, -1, -1, -1, -1}, .missed = missed};
		record(r, &s);
	}
}

// What the main thread does for each of them.
__attribute__((noipa)) static void
take_samples(struct ring *r, struct dist *d)
{
	struct sample s;
	while (ring_pop(r, &s))
		dist_add_late(d, s.value[Q_LATE], s.period_ns, s.missed);
}

static void
take_tick(struct ring *r, int tick, struct series *series, struct window *window)
{
	take_samples(r, &open_tick);
	struct slice *slice = dist_take_slice(&open_tick);
	if (!slice)
		return;
	dist_add_slice(&total, slice);
	window_add(window, tick, slice);
	series_add(series, tick, (double)slice->s.max_ns, slice->s.sum_ns, (uint32_t)sums_n(&slice->s));
	free(slice);
}

int
main(int argc, char **argv)
{
	int each = argc > 1 ? atoi(argv[1]) : 100, ticks = argc > 2 ? atoi(argv[2]) : 1000;
	size_t bytes = (ring_bytes(CAPACITY, sizeof(struct sample)) + 63) / 64 * 64;
	struct ring *r = ring_init(aligned_alloc(64, bytes), CAPACITY, sizeof(struct sample));
	struct series *series = series_new();
	struct window *window = window_new(lim);
	unsigned seed = 1;
	dist_reset(&total, lim);
	dist_reset(&open_tick, lim);
	for (int t = 0; t < ticks; t++) {
		fill(r, each, &seed);
		take_tick(r, t, series, window);
	}
	printf("%llu\n", (unsigned long long)total.s.samples);
	series_free(series);
	window_free(window);
	free(r);
	return 0;
}
