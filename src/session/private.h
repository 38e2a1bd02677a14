// What the files of the session share and nobody else sees.
// Must not be included outside src/session/.
#ifndef SESSION_PRIVATE_H
#define SESSION_PRIVATE_H

#include "session/session.h"

#define HOOKS_MAX 8
#define PENDING_MAX 64
#define RECENT 10 // ticks a second

struct recent {
	double work[RECENT], len_s[RECENT], cpu_s[RECENT];
};

struct devices;

struct session_private {
	struct session_hook hook[HOOKS_MAX];
	int hooks;
	struct recent recent[LOADS_MAX];    // of each load, by tick number
	int64_t probe_tick[PROBES_MAX][Q_COUNT]; // last tick with data, -1: none
	int64_t cpu_tick;                   // last tick with CPU figures, -1: none
	uint64_t xruns_base[PROBES_MAX];    // when the figures began
	double played_base[PROBES_MAX], silent_base[PROBES_MAX];
	bool based;                         // the bases were taken
	int64_t gaps, gap_ns;               // since reset
	int cpus_least;                     // since reset, while measuring; 0: not known
	unsigned doubts_seen[PROBES_MAX];   // since reset, while measuring
	struct recorder *recorder;          // session/record.c's, NULL: none
	struct slots *slots;                // session/slot.c's
	struct rounds *rounds;              // session/rounds.c's, NULL: no knob
	// live only
	struct devices *devices;            // session/device.c's, NULL: nobody has looked
	struct cpu_sampler *cpu;
	int64_t boundary_ns;                // CLOCK_MONOTONIC: end of the tick that is being filled
	int64_t last_close_ns;
	int64_t boot_offset_ns;             // CLOCK_BOOTTIME - CLOCK_MONOTONIC
	int64_t warm_until_ns;              // CLOCK_MONOTONIC
	int64_t suspended_ns;               // when we were stopped, 0: not
	int64_t last_call_ns;               // of session_tick
	int64_t gap_from_ns, gap_to_ns;     // the last time that must not count
	struct {                            // the tick that is being closed
		struct probe_tick probe[PROBES_MAX];
		struct load_tick load[LOADS_MAX];
		struct event event[PENDING_MAX];
		struct cpu_pct each[CPUS_MAX];
	} scratch;
	struct event pending[PENDING_MAX];           // of the tick that is being filled
	int pendings;
	uint64_t pendings_lost;
	struct sample held[PROBES_MAX];     // read from the ring, belongs to a later tick
	bool has_held[PROBES_MAX];
	struct load_status before[LOADS_MAX];
	int64_t busy_ns[PROBES_MAX];        // of the probe's thread, a second ago
	double busy_pct[PROBES_MAX];
	int64_t busy_at_ns;
	int dma_fd;
	char dma_error[120];
};

// Warnings anew from what the session now holds: the one place that decides what makes a figure doubtful.
void validity_check(struct session *s);
// How many ticks the CPU figures of T stand for, where the last ones before came at tick LAST (-1: none did).
double session_cpu_ticks(int64_t last, const struct tick *t);
// Puts T into the row of its set of loads.
void condition_apply(struct session *s, const struct tick *t);
void condition_clear(struct session *s);
// Allocates a probe's figures for the quantities of its kind. 0, -1: no memory.
int session_probe_figures(struct session_probe *p);
// Frees them.
void session_probe_forget(struct session_probe *p);
// Ends all that session_start began.
void live_end(struct session *s);

#endif
