// A memory cgroup of a load's own, v1 or v2, where this process may make one.
// Must not know what the load does in it.
#ifndef LOAD_CGROUP_H
#define LOAD_CGROUP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

// Makes one that may hold LIMIT bytes; its folder to PATH. Takes away any that a killed stutter left there.
// See Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst of the kernel. -1 with the reason.
int cgroup_make(char *path, size_t size, uint64_t limit, struct err *e);
// Moves this process into it.
int cgroup_join(const char *path, struct err *e);
// Takes it away; nobody may be in it any more. "" is no cgroup.
void cgroup_remove(const char *path);

#endif
