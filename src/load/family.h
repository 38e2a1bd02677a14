// All descendants of this process: finding them, what the kernel has counted for them, ending them.
// This process must be a child subreaper, or those whose parent died are not found. Must not know what they do.
#ifndef LOAD_FAMILY_H
#define LOAD_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct family {
	pid_t *pid;
	int count, room;
	bool no_children_files; // kernel without CONFIG_PROC_CHILDREN: the whole of /proc is read
};

struct family_figures {
	int processes;
	int64_t cpu_ns;           // user and system, with those that have ended and were waited for
	uint64_t majflt, minflt;  // likewise
	uint64_t rss_bytes;       // of the living
};

// Finds all living descendants (zombies too), parents before their children.
void family_find(struct family *f);
void family_free(struct family *f);
// Sends SIG to all of them.
void family_signal(struct family *f, int sig);
// Sums up for all of them, this process itself left out, from /proc/PID/stat (proc(5)) and getrusage(2).
void family_count(struct family *f, struct family_figures *out);
// SIGKILL to all, again and again until none is left, at most TIMEOUT_MS; reaps them. True: none is left.
bool family_end(struct family *f, int timeout_ms);

#endif
