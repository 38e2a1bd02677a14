// Load `process`: each worker is a ring of processes, forked and exec'd, joined by one-way pipes, around which a few
// chunks are passed (irman: N processes, M << N chunks). Must not know other loads.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "load/member.h"
#include "load/table.h"
#include "load/worker.h"

#define RING 32  // processes in a worker's ring, itself one of them
#define CHUNKS 8 // on their way round it
#define CHUNK_BYTES 256
#define COUNT_EVERY 16

// "ring:IN:OUT:PARENT:WORKER"
bool
member_is(const char *arg)
{
	return strncmp(arg, "ring:", 5) == 0;
}

// Passes on whatever comes, each chunk whole, and counts each. Returns when a neighbour is gone.
static void
pass_on(int in, int out, struct load_slot *slot)
{
	char chunk[CHUNK_BYTES];
	for (uint64_t hops = 1;; hops++) {
		ssize_t n = read(in, chunk, sizeof chunk);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0 || write(out, chunk, (size_t)n) != n)
			return;
		// all members share the counter: the first hops at once, then not so often that they wait for each other
		if (hops <= COUNT_EVERY)
			atomic_fetch_add_explicit(&slot->work, 1, memory_order_relaxed);
		else if (hops % COUNT_EVERY == 0)
			atomic_fetch_add_explicit(&slot->work, COUNT_EVERY, memory_order_relaxed);
	}
}

int
member_main(const char *arg)
{
	int in, out, parent, worker;
	if (sscanf(arg, "ring:%d:%d:%d:%d", &in, &out, &parent, &worker) != 4 || worker < 0 ||
	    worker >= LOAD_LEVEL_MAX)
		return 2;
	load_tie_to_parent(parent);
	struct load_shared *sh =
	    mmap(NULL, sizeof *sh, PROT_READ | PROT_WRITE, MAP_SHARED, CHILD_SHARED_FD, 0);
	if (sh == MAP_FAILED)
		return 1;
	pass_on(in, out, &sh->slot[worker]);
	return 0;
}

static pid_t
start_member(int in, int out, int *all, int fds, int worker)
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
	fcntl(CHILD_SHARED_FD, F_SETFD, 0);
	snprintf(arg, sizeof arg, "ring:%d:%d:%d:%d", in, out, (int)parent, worker);
	execl("/proc/self/exe", program_invocation_name, "load", arg, (char *)NULL);
	_exit(1);
}

static int
process_work(struct load_run *r, int index, struct err *e)
{
	int fd[2 * RING];
	for (int i = 0; i < RING; i++)
		if (pipe2(fd + 2 * i, O_CLOEXEC) == -1)
			return err_set(e, "no pipe for process %d of a ring of %d:", i + 1, RING);
	signal(SIGPIPE, SIG_IGN);
	// there before the members, so that the first to come has work
	char chunk[CHUNK_BYTES] = {0};
	for (int i = 0; i < CHUNKS; i++)
		if (write(fd[1], chunk, sizeof chunk) != sizeof chunk)
			return err_set(e, "a ring is broken:");
	// member i reads pipe i - 1 and writes pipe i; we are member 0
	for (int i = 1; i < RING; i++)
		if (start_member(fd[2 * i - 2], fd[2 * i + 1], fd, 2 * RING, index) == -1)
			return err_set(e, "only %d of a ring's %d processes started:", i, RING);
	int in = fd[2 * RING - 2], out = fd[1];
	for (int i = 0; i < 2 * RING; i++)
		if (fd[i] != in && fd[i] != out)
			close(fd[i]);
	pass_on(in, out, r->slot);
	return err_set(e, "a process of a ring is gone");
}

const struct load_kind load_process = {
    .name = "process",
    .key = '3',
    .does = "rings of processes, forked and exec'd, pass chunks around through one-way pipes",
    .unit = "hops",
    .source = "irman",
    .level = 2,
    .work = process_work,
};
