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
	char preempt[48];      // "PREEMPT_RT", "PREEMPT_DYNAMIC (lazy)", "PREEMPT", "voluntary", "unknown"
	char model[64];        // CPU
	int cpus;              // online
	uint64_t ram_bytes, swap_bytes;
	char governor[32];     // of CPU 0, "mixed", or "" unknown
	char clocksource[32];
	char hypervisor[32];   // "" on bare metal, "kvm", "docker", "kvm, docker" ...
	bool is_virtual;       // a virtual machine; a container alone is none
	int64_t rt_runtime_us, rt_period_us; // sched_rt_*: -1 runtime: no throttling; 0 period: unknown
	char boot_id[40];
	char idle_driver[32];
};

// Reads it all; what can't be known stays "" or 0.
void host_read(struct host *h);
// The part that is in files, below the folder ROOT ("": this machine), with LOG, the kernel's log; H has kernel and
// version already and is otherwise zeroed.
void host_read_under(const char *root, const char *log, struct host *h);

#endif
