// Load `process`: each worker is a ring of processes, forked and exec'd, joined by one-way pipes, around which a few
// chunks are passed (irman: N processes, M << N chunks). Must not know other loads.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load/member.h"
#include "load/table.h"
#include "load/worker.h"

#define RING 16  // processes in a worker's ring, itself one of them
#define CHUNKS 4 // on their way round it
#define CHUNK_BYTES 256

// "ring:IN:OUT:PARENT"
bool
member_is(const char *arg)
{
	return strncmp(arg, "ring:", 5) == 0;
}

// Passes on whatever comes, each chunk whole. Returns when a neighbour is gone.
static void
pass_on(int in, int out, struct load_run *r)
{
	char chunk[CHUNK_BYTES];
	for (;;) {
		ssize_t n = read(in, chunk, sizeof chunk);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0 || write(out, chunk, (size_t)n) != n)
			return;
		// a chunk that has come back has been handed over once by every member
		if (r)
			load_worked(r, RING);
	}
}

int
member_main(const char *arg)
{
	int in, out, parent;
	if (sscanf(arg, "ring:%d:%d:%d", &in, &out, &parent) != 3)
		return 2;
	load_tie_to_parent(parent);
	pass_on(in, out, NULL);
	return 0;
}

static pid_t
start_member(int in, int out, int *all, int fds)
{
	char arg[64];
	pid_t parent = getpid(), pid = fork();
	if (pid)
		return pid;
	load_tie_to_parent(parent);
	for (int i = 0; i < fds; i++)
		if (all[i] != in && all[i] != out)
			close(all[i]);
	fcntl(in, F_SETFD, 0);
	fcntl(out, F_SETFD, 0);
	snprintf(arg, sizeof arg, "ring:%d:%d:%d", in, out, (int)parent);
	execl("/proc/self/exe", program_invocation_name, "load", arg, (char *)NULL);
	_exit(1);
}

static int
process_work(struct load_run *r, int index, struct err *e)
{
	(void)index;
	int fd[2 * RING];
	for (int i = 0; i < RING; i++)
		if (pipe2(fd + 2 * i, O_CLOEXEC) == -1)
			return err_set(e, "no pipe for process %d of a ring of %d:", i + 1, RING);
	signal(SIGPIPE, SIG_IGN);
	// member i reads pipe i - 1 and writes pipe i; we are member 0
	for (int i = 1; i < RING; i++)
		if (start_member(fd[2 * i - 2], fd[2 * i + 1], fd, 2 * RING) == -1)
			return err_set(e, "only %d of a ring's %d processes started:", i, RING);
	int in = fd[2 * RING - 2], out = fd[1];
	for (int i = 0; i < 2 * RING; i++)
		if (fd[i] != in && fd[i] != out)
			close(fd[i]);
	char chunk[CHUNK_BYTES] = {0};
	for (int i = 0; i < CHUNKS; i++)
		if (write(out, chunk, sizeof chunk) != sizeof chunk)
			return err_set(e, "a ring is broken:");
	pass_on(in, out, r);
	return err_set(e, "a process of a ring is gone");
}

const struct load_kind load_process = {
    .name = "process",
    .key = '3',
    .does = "rings of processes, forked and exec'd, pass chunks around through one-way pipes",
    .unit = "hops",
    .source = "irman",
    .level = 4,
    .work = process_work,
};
