// The memory that a load's parent, its supervisor and its workers share: what is asked, what was done.
// Plain data and atomics, no pointers: each side maps it elsewhere.
#ifndef LOAD_SHARED_H
#define LOAD_SHARED_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "load/load.h"

enum load_phase { PHASE_PREPARING, PHASE_RUNNING, PHASE_DONE, PHASE_FAILED };

// Sums over the valid passes of one worker (Welford 1962: mean and sum of squared differences).
#define PASS_FIGURES 7
struct pass_sums {
	uint64_t valid, invalid;
	double mean[PASS_FIGURES], m2[PASS_FIGURES];
	struct load_pass last;
	int64_t last_ns; // when it ended
};

// One worker. Only it writes here while it lives.
struct load_slot {
	_Alignas(64) _Atomic uint64_t work;
	_Atomic bool in_pass;
	_Atomic uint32_t pass_seq; // odd while `passes` is being written
	struct pass_sums passes;
	char reason[120];          // why it could not go on
};

// What the supervisor found out, with the kernel's figures.
struct load_figures {
	double cpu_pct;
	int64_t cpu_ns;
	uint64_t rss_bytes, majflt, minflt;
	int workers;
	int processes;
};

// A load of the settings file; name[0] == 0: a built-in one.
struct user_load {
	char name[32], title[80], command[1024], count[256];
	char key;
};

struct load_shared {
	char kind[32];
	struct load_params params;
	struct user_load user;
	_Atomic int level;             // asked now
	_Atomic bool paused;           // asked now
	_Atomic int phase;             // enum load_phase
	_Atomic uint64_t pass_tickets; // passes begun
	_Atomic uint32_t note_seq;     // odd while `note` is being written
	char note[120];                // what kind of work it found possible, or why it failed
	_Atomic uint32_t figures_seq;
	struct load_figures figures;
	struct load_slot slot[LOAD_LEVEL_MAX + 1]; // the last: a helper of worker 0
};

// Readers' and writers' halves of a sequence lock with one writer.
static inline void
seq_write_begin(_Atomic uint32_t *seq)
{
	atomic_fetch_add_explicit(seq, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
}

static inline void
seq_write_end(_Atomic uint32_t *seq)
{
	atomic_fetch_add_explicit(seq, 1, memory_order_release);
}

// Copies N bytes at FROM that SEQ guards; gives up (and copies what is there) where the writer died in the middle.
void seq_read(const _Atomic uint32_t *seq, void *to, const void *from, size_t n);

#endif
