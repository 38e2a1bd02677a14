// The arithmetic of an absolute schedule, and of gaps that recur as real-time throttling's do.
// Pure: time is an argument. Must not know of clocks, threads or probes.
#ifndef PROBE_SCHEDULE_H
#define PROBE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct schedule {
	int64_t next_ns;   // when the next wake is due
	int64_t period_ns; // > 0
};

// A schedule whose first wake is one period (at least 2 ms) after NOW_NS.
void schedule_start(struct schedule *s, int64_t now_ns, int64_t period_ns);
// A wake at NOW_NS: how late it is in ns (>= 0); *MISSED gets the whole periods that passed
// besides. The next wake is on the same grid, after NOW_NS.
int64_t schedule_wake(struct schedule *s, int64_t now_ns, uint32_t *missed);

// Share of the CPU, in ns a period, that a thread used; decides when its period is too short for
// the machine.
struct governor {
	int64_t since_ns, cpu_ns; // start of the stretch, and the CPU time then
	int over;                 // stretches in a row that used too much
	int allowed_pct;          // what it may use
};

// Told now and then the time and the CPU time of the thread: true where it has for long used more
// than it may: then the period must be doubled.
bool governor_check(struct governor *g, int64_t now_ns, int64_t cpu_ns);

struct throttle {
	int64_t gap_ns;    // length of the gap that throttling makes
	int64_t period_ns; // how often it makes one
	int64_t last_ns;   // end of the last such gap; 0: none yet
	int seen;          // such gaps in a row, each one period after the one before
};

// A gap of GAP_NS that ended at NOW_NS. True where it is the third or later of a row of such gaps
// as throttling makes.
bool throttle_gap(struct throttle *t, int64_t now_ns, int64_t gap_ns);

#endif
