// What this machine is: the header of every recording and the top line of the screen. Plain data.
// Must not know probes, loads or sessions.
#ifndef SYS_HOST_H
#define SYS_HOST_H

#include <stdbool.h>
#include <stdint.h>

struct host {
	char name[64];         // nodename, made safe
	char kernel[80];       // uname release: "6.18.44"
	char version[128];     // uname version
	char preempt[40];      // "PREEMPT_RT", "PREEMPT_DYNAMIC (lazy)", "voluntary", "unknown"
	char model[64];        // CPU
	int cpus;              // online
	uint64_t ram_bytes, swap_bytes;
	char governor[32];     // of CPU 0, "mixed", or "" unknown
	char clocksource[32];
	char hypervisor[32];   // "" on bare metal, "kvm", "container" ...
	bool is_virtual;
	int64_t rt_runtime_us, rt_period_us; // sched_rt_*: -1 runtime: no throttling; 0 period: unknown
	char boot_id[40];
	char idle_driver[32];
};

void host_read(struct host *h);

#endif
