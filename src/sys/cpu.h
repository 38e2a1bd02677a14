// CPU time of the machine, through libproc2. All calls from one thread.
// Must not know probes, loads or sessions.
#ifndef SYS_CPU_H
#define SYS_CPU_H

#include <stdint.h>

#include "base/err.h"

// Per cent of the time since the last look, summing to 100; NaN where unknown. iowait is not busy.
struct cpu_pct {
	double user, system, iowait, irq, steal, idle; // nice is in user; softirq in irq
};

// Counters of /proc/stat, in ticks since boot.
struct cpu_ticks {
	uint64_t user, system, iowait, irq, steal, idle;
};

// Shares of the time between two looks; all NaN where no time went by.
void cpu_pct_between(const struct cpu_ticks *from, const struct cpu_ticks *to, struct cpu_pct *out);

struct cpu_sampler; // opaque

struct cpu_sampler *cpu_sampler_new(struct err *e); // NULL with E
void cpu_sampler_free(struct cpu_sampler *s);
// Looks again. TOTAL over all CPUs; EACH (room for MAX, may be NULL) by CPU number, *COUNT how many; NaN for one that
// is offline. Counters that step back count as no time. The first look knows nothing yet: NaN. 0, or -1: nothing read.
int cpu_sample(struct cpu_sampler *s, struct cpu_pct *total, struct cpu_pct *each, int max, int *count);
// Busy share: user + system + irq + steal.
double cpu_busy(const struct cpu_pct *c);

#endif
