// A probe that is a process of its own (base/child.h): its live page and ring are in memory shared
// with it. Starts it and, where it dies, starts it again, ever more slowly. Must not know what it
// measures.
#ifndef PROBE_PROCESS_H
#define PROBE_PROCESS_H

#include <stdint.h>

#include "base/child.h"
#include "probe/probe.h"

#define PROCESS_RING 1024

// The memory that both sides have. The words are the child's, the rest is written before it starts.
struct process_shared {
	struct probe_live live;
	int oom_score_adj;  // of the parent: such a process is no victim of choice
	char command[1024]; // job; "": built in
	char dir[256];      // job: where it works
	char folder[288];   // job: its own folder while there is one; the child's
	_Atomic int group;  // job: its process group while it runs; the child's
	char words[120];    // why it is lost; the child's, set before the state
	_Alignas(64) unsigned char ring[];
};

struct process {
	struct child child;
	const char *role;
	struct probe_live *own_live; // the probe's, while no child runs
	struct ring *own_ring;
	int64_t started_ns, ended_ns, retry_ns, wait_ns;
	char words[120];                   // why it ended
	void (*clean)(const char *folder); // removes what a killed child left behind; may be NULL
};

// Starts ROLE for P, whose live and ring point to the shared memory from now on. 0 or -1 with E.
int process_start(struct probe *p, struct process *pr, struct err *e);
// Notices its end (PROBE_LOST with the reason in pr->words) and starts it again when it is time.
void process_tend(struct probe *p, struct process *pr);
// Ends it. P has its own live page and ring again.
void process_stop(struct probe *p, struct process *pr);
// Words for probe_kind's reason.
void process_reason(const struct probe *p, const struct process *pr, char *buf, size_t size);

// In the child: enters, takes the parent's oom_score_adj, says which process it is. *RING gets the
// ring.
struct process_shared *process_enter(struct ring **ring);

#endif
