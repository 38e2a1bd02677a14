// What a probe says of one wake: the record in its ring. Plain data; must not know who reads it.
#ifndef PROBE_SAMPLE_H
#define PROBE_SAMPLE_H

#include <stdint.h>

// The quantities that a probe may measure, each with its own figures.
enum quantity {
	Q_LATE,     // lateness against the schedule; echo: round trip; job: wall time
	Q_BURN,     // the calibrated CPU loop
	Q_INTERVAL, // audio: write to write, as latencytest's white line
	Q_HEADROOM, // audio: time left before the buffer would have run dry, when we woke
	Q_CPU,      // job: CPU time of one job, user + system of all its processes
	Q_COUNT
};

enum sample_kind {
	SAMPLE_WAKE,
	SAMPLE_XRUN, // a drop-out: value[Q_LATE] is its length in ns (or -1 where unknown)
	SAMPLE_GAP,  // time that must not count (stopped, suspended, reconnected): value[Q_LATE] is its length
};

struct sample {
	int64_t t_ns;            // CLOCK_MONOTONIC, when it was taken
	int64_t period_ns;       // the schedule's period then
	int64_t value[Q_COUNT];  // ns; -1: not measured this time (headroom and lateness are never negative)
	uint32_t missed;         // whole periods missed before this wake
	uint32_t kind;           // enum sample_kind
};

#endif
