// A part of stutter that runs as a process of its own: re-executed from /proc/self/exe, in its own process group,
// tied to its parent's life. Loads and the probes that stand for ordinary programs are such children.
// Must not know what the child does: main.c has the table of roles.
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

#define CHILD_SHARED_FD 3 // in the child: the memfd that both sides map
#define CHILD_LIFE_FD 4   // in the child: read end of a pipe; end of file means that the parent is gone

struct child {
	pid_t pid;     // also its process group; 0 where there is none
	int life;      // write end of the pipe; -1 where there is none
	void *shared;  // mapped here and there, zeroed before the start
	size_t bytes;
};

// What main.c asks first: was this process started as a child? If so *ROLE and *ARG say as what.
bool child_is(int argc, char **argv, const char **role, const char **arg);
// In the child, first thing: maps the shared memory (BYTES must be what the parent gave), becomes a child subreaper,
// sets oom_score_adj 1000 (where allowed), takes back any real-time policy and negative nice. From here on the
// parent's death (PR_SET_PDEATHSIG SIGHUP: leave that signal alone) ends it with all its descendants. Exits by itself
// where the parent is gone already. Standard input and outputs are /dev/null, signals as at the start of a program.
// A process that the child forks sets PR_SET_PDEATHSIG SIGKILL itself and checks getppid().
void *child_enter(size_t bytes);
// In the child: SIGKILL to all its descendants, whatever group or session they made for themselves, and reaps them.
void child_end_descendants(void);
// In the child: true once the parent has closed the pipe or died, or SIGTERM came (its handler sets a flag).
bool child_should_stop(void);
// Call it from the main thread: the child dies with the thread that started it.
// Starts this program again as ROLE with ARG (one word each; ARG may be ""), with BYTES of shared memory, which the
// caller fills through PREPARE (may be NULL) before the child runs. Returns 0 or -1 with E. Safe in a threaded parent.
int child_start(struct child *c, const char *role, const char *arg, size_t bytes,
    void (*prepare)(void *shared, void *data), void *data, struct err *e);
// Asks it to end: SIGTERM, and the pipe closed. Does not wait.
void child_stop(struct child *c);
// Ends it now, with its whole process group. Does not wait.
void child_kill(struct child *c);
// Reaps it where it has ended: true, with its wait status in *STATUS (may be NULL), once; it keeps `shared` mapped.
// Whoever of its group outlived it is killed.
bool child_reap(struct child *c, int *status);
// child_stop(), waits until it is reaped, at most TIMEOUT_MS, then kills and reaps it. Unmaps `shared`. C is as new after.
void child_close(struct child *c, int timeout_ms);

#endif
