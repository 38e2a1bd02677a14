// Whether this is a virtual machine or a container, and of what kind.
// Must not know who asks.
#ifndef SYS_VIRT_H
#define SYS_VIRT_H

#include <stdbool.h>
#include <stddef.h>

// The hypervisor's name ("kvm"), a container's ("docker"), both ("kvm, docker") or "" into BUF; *VIRTUAL is true for a
// hypervisor only: a container's time is the machine's own. Files below ROOT; "" is this machine, which is also asked
// through CPUID.
void virt_find(const char *root, char *buf, size_t size, bool *virtual);

#endif
