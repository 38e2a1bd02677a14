// What a load's own file may call, in the load's process: counting, sizes, temporary files, passes.
// A load never sees its parent, the supervisor or the other loads.
#ifndef LOAD_WORKER_H
#define LOAD_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"
#include "load/load.h"
#include "load/shared.h"

#define LOAD_FDS 4

struct load_run {
	struct load_shared *sh;
	const struct load_params *params;
	struct load_slot *slot; // of this worker; NULL in prepare()
	int index;
	uint64_t size;          // bytes, decided in prepare()
	int fd[LOAD_FDS];       // opened in prepare(), the workers have them too; -1: none
	void *mem;              // the load's own
	char cgroup[256];       // folder of a memory cgroup of its own, "" none
	uint64_t seed;          // of load_random()
	struct rusage pass_self, pass_children;
	int64_t pass_ns, look_ns; // look_ns: of the last look at the room
};

// Counts N units of work.
static inline void
load_worked(struct load_run *r, uint64_t n)
{
	atomic_store_explicit(&r->slot->work,
	    atomic_load_explicit(&r->slot->work, memory_order_relaxed) + n, memory_order_relaxed);
}

// How many workers are asked for now.
static inline int
load_level(const struct load_run *r)
{
	return atomic_load_explicit(&r->sh->level, memory_order_relaxed);
}

// Pseudo-random 64 bits (xorshift64*, Vigna 2016), another sequence in each worker.
static inline uint64_t
load_random(struct load_run *r)
{
	uint64_t x = r->seed;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	r->seed = x;
	return x * 2685821657736338717ull;
}

// Says what kind of work was found possible; shown while it is on. Only from prepare(), or worker 0.
void load_note(struct load_run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// The size asked for, or WANTED where none was: bytes.
uint64_t load_size_asked(const struct load_run *r, uint64_t wanted);
// Of AVAILABLE bytes of memory, what is to be left to the rest of the machine: 2 GiB, of little a quarter.
uint64_t load_reserve(uint64_t available);
// Ends this process where its parent has died meanwhile; every process that a load forks calls it first.
void load_tie_to_parent(pid_t parent);

// Fills BUF with N (a multiple of 8) pseudo-random bytes, so that no disk can make them small.
void load_fill(struct load_run *r, void *buf, size_t n);
// N bytes aligned for O_DIRECT, private to this process. NULL with the reason.
void *load_buffer(size_t n, struct err *e);

// Passes.

// Begins a pass. False where as many as asked were begun already: the worker returns 0.
bool load_pass_begin(struct load_run *r);
// Ends it: its times and faults are the kernel's, with those of processes that were waited for. A pass that did less than it should is not VALID.
void load_pass_end(struct load_run *r, uint64_t bytes, bool valid);

#endif
