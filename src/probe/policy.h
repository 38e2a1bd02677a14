// Scheduling policies of measuring threads: asks for the best that this user may have, and says
// what was got. Must not know what is measured.
#ifndef PROBE_POLICY_H
#define PROBE_POLICY_H

#include <stdint.h>
#include <sys/types.h>

#include "probe/probe.h"

// What a thread needs the CPU for: deadline's parameters, and what RLIMIT_RTTIME must leave.
struct policy_need {
	int64_t period_ns; // of its schedule
	int64_t run_ns;    // CPU time that it may use at one stretch
	int cpu;           // it will be pinned to, or -1 (a pinned thread cannot be deadline)
};

// Gives the calling thread ASKED, or the next best that is allowed: the highest priority that
// RLIMIT_RTPRIO allows, then what RealtimeKit gives, then an ordinary thread whose timer slack is 1
// ns (PR_SET_TIMERSLACK), so that its timers are as exact as an ordinary thread's can be. *GOT is
// read back from the kernel; *DOUBTS gets DOUBT_POLICY where it is not what was asked. Children of
// the thread are ordinary (SCHED_FLAG_RESET_ON_FORK). It may block for a second (D-Bus): call it
// before measuring.
void policy_apply(
    struct policy asked, struct policy_need need, struct policy *got, unsigned *doubts);
// What the kernel says of thread TID (0: the caller): sched_getattr(2). 0, or -1 where there is no
// such thread.
int policy_read(pid_t tid, struct policy *got);
// Whether GOT is as good as ASKED.
bool policy_met(struct policy asked, struct policy got);

#endif
