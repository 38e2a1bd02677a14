// The calibrated CPU loop: latencytest's green line. A fixed number of iterations that takes a
// wanted time on an undisturbed CPU, so that what it takes more was taken from it. Must not know of
// probes; no allocation, no system call but the clock.
#ifndef PROBE_BURN_H
#define PROBE_BURN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define BURN_RECENT 64

struct burn {
	int64_t want_ns;     // what one loop should take
	double iteration_ns; // as calibrated; 0: not yet
	uint64_t iterations; // of one loop
	int64_t least_ns;    // the shortest of the recent loops
	int recent;          // how many those are
	uint64_t x;          // keeps the compiler honest
	const _Atomic uint32_t
	    *stop; // where not 0, a long loop ends early; NULL: never. Set it after burn_init()
};

// Calibrates on the calling thread, with its policy and on its CPU: takes about 30 ms. WANT_NS is
// what one loop should take, > 0.
void burn_init(struct burn *b, int64_t want_ns);
// Another length of the loop from now on; keeps the calibration.
void burn_want(struct burn *b, int64_t want_ns);
// Runs one loop; returns the time it took in ns.
int64_t burn_run(struct burn *b);
// The running check, given each burn_run()'s result: nothing makes a loop faster but a faster CPU,
// and a slower CPU is one on which the shortest of many loops is too long. True where it calibrated
// again (more than 2% off): DOUBT_BURN.
bool burn_check(struct burn *b, int64_t took_ns);

#endif
