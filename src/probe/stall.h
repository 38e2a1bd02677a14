// Time that must not count: stutter was held (Ctrl-Z) or the machine was suspended.
// Must not know which probe asks; no lock, no allocation, no system call while nothing happened.
#ifndef PROBE_STALL_H
#define PROBE_STALL_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/probe.h"

struct stall {
	unsigned hold;        // probe_live's, as last seen
	int64_t suspended_ns; // CLOCK_BOOTTIME - CLOCK_MONOTONIC, as last seen
};

void stall_init(struct stall *s, const struct probe_live *live);
// At a wake at NOW_NS: true where since the last look the probe was held or the machine suspended,
// for *SLEPT_NS beside the time that CLOCK_MONOTONIC counted: then the wake is a gap.
bool stall_look(struct stall *s, const struct probe_live *live, int64_t now_ns, int64_t *slept_ns);
// True while the probe is held: it must rest.
bool stall_held(struct stall *s, const struct probe_live *live);
// A sample in which nothing is measured yet.
struct sample stall_sample(enum sample_kind kind, int64_t now_ns, int64_t period_ns);

#endif
