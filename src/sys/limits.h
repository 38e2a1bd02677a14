// How much memory and disk there is to use without harm: RAM, swap, cgroup limits (v1 and v2, parents too), free space.
// Must not know loads.
#ifndef SYS_LIMITS_H
#define SYS_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct memory_room {
	uint64_t ram, available, swap_total, swap_free; // /proc/meminfo, through libproc2
	uint64_t cgroup_limit;  // the tightest above us; UINT64_MAX: none
	uint64_t cgroup_left;   // the least limit - usage on the way up; UINT64_MAX: none. Idle file pages are not usage
};

// 0, or -1 with E.
int memory_room_read(struct memory_room *m, struct err *e);
// The two cgroup figures only, from files below the folder ROOT ("": this machine). The sources are cgroups(7) and the
// kernel's cgroup-v2 and memory documents; memory.high counts as a limit.
void cgroup_room_read(const char *root, struct memory_room *m);

struct disk_room {
	uint64_t free_bytes, total_bytes;
	char type[24];         // "ext4", "tmpfs", ...
	bool in_memory;        // tmpfs, ramfs, overlay upon such
	bool read_only;
};

// Of the file system that holds the folder DIR. 0, or -1 with E.
int disk_room_read(const char *dir, struct disk_room *d, struct err *e);
// Type of the file system that the absolute PATH is on ("unknown" where it can't be told) and whether that is memory,
// from the mounts below ROOT ("": this machine).
void mount_find(const char *root, const char *path, char *type, size_t size, bool *in_memory);

#endif
