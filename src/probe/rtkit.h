// RealtimeKit: real-time for a thread of an ordinary user's program, asked over the system D-Bus.
// libdbus is loaded only here and only when it is wanted. Must not know of probes.
#ifndef PROBE_RTKIT_H
#define PROBE_RTKIT_H

#include <sys/types.h>

#include "base/err.h"

// Makes thread TID of this process SCHED_RR with the highest priority that RealtimeKit allows, at
// most PRIORITY, having set the RLIMIT_RTTIME that it insists on. 0, or -1 with E: no library, no
// bus, no such service, refused. Takes at most a second. See the README of rtkit for its interface,
// org.freedesktop.RealtimeKit1.
int rtkit_raise(pid_t tid, int priority, struct err *e);

#endif
