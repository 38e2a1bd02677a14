// How much memory and disk there is to use without harm: RAM, swap, cgroup limits (v1 and v2, parents too), free space.
// Must not know loads.
#ifndef SYS_LIMITS_H
#define SYS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct memory_room {
	uint64_t ram, available, swap_total, swap_free; // /proc/meminfo, through libproc2
	uint64_t cgroup_limit;  // the tightest above us; UINT64_MAX: none
	uint64_t cgroup_left;   // the least limit - usage on the way up; UINT64_MAX: none
};

int memory_room_read(struct memory_room *m, struct err *e);

struct disk_room {
	uint64_t free_bytes, total_bytes;
	char type[24];         // "ext4", "tmpfs", ...
	bool in_memory;        // tmpfs, ramfs, overlay upon such
	bool read_only;
};

int disk_room_read(const char *dir, struct disk_room *d, struct err *e);

#endif
