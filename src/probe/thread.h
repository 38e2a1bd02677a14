// A measuring thread: policy, CPU, locked memory, stop. What it measures is its caller's.
// Must not know which probe it runs.
#ifndef PROBE_THREAD_H
#define PROBE_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/policy.h"
#include "probe/probe.h"

struct thread;

struct thread_ask {
	const char *name; // as ps shows it, at most 15 characters
	struct policy policy;
	struct policy_need need; // need.cpu: pinned to it
	struct probe_live *live; // tid, policy, doubts, busy_ns: kept there; state: the caller's
	struct ring *ring;       // locked as well; may be NULL
	void *data;              // for MAIN
	size_t data_bytes;       // of DATA to be locked; 0: none
	// Measures until thread_should_stop(). Runs with all signals blocked, its stack prefaulted
	// and locked where allowed (else DOUBT_UNLOCKED), pinned where allowed (else
	// DOUBT_AFFINITY).
	void (*main)(struct thread *t, void *data);
};

// Starts one. NULL with E.
struct thread *thread_start(const struct thread_ask *ask, struct err *e);
// In MAIN: true once thread_stop() was called.
bool thread_should_stop(const struct thread *t);
// What thread_should_stop() looks at: not 0 once it was called. For burn.h.
const _Atomic uint32_t *thread_stop_flag(const struct thread *t);
// In MAIN: sleeps until NS of CLOCK_MONOTONIC; returns the time of the wake. When NS is further
// away than 100 ms, it returns early (before NS) as soon as thread_stop() is called; else at NS at
// the earliest.
int64_t thread_sleep_until(struct thread *t, int64_t ns);
// In MAIN, after a wake at NOW_NS that was asked for ASKED_NS: true where not the machine was late
// but this process was stopped (SIGSTOP, a debugger): for a quarter of a second or more neither it
// nor the main thread ran, and it was not waiting for a CPU. Costs nothing while nothing is late.
bool thread_was_stopped(const struct thread *t, int64_t asked_ns, int64_t now_ns);
// Main thread, now and then: reads policy, CPU and CPU time of the thread again and puts them in
// `live`, as somebody else may have changed them. Costs the thread itself nothing.
void thread_tend(struct thread *t);
// Main thread: asks it to end, waits at most TIMEOUT_MS. True: joined and freed. False: it hangs in
// a call of the system or a library and is left alone; what it may still touch (its data, live page
// and ring) must not be freed.
bool thread_stop(struct thread *t, int timeout_ms);
// Locks BYTES at P into memory (mlock), touching each page. 0, or -1: could not (they are touched
// all the same).
int thread_lock(void *p, size_t bytes);

#endif
