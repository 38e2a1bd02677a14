// Starts parts of stutter as processes of their own and ties their lives, and those of all their descendants, to ours.
// Must not know what a child does, nor wait for any process but its own by number.
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define NAME "stutter:" // argv[0] of a child: a process list shows "stutter: load memory"
#define KILLED_WITHIN_NS (5 * NS_PER_S) // SIGKILL to ended: 150 ms where much dirty memory goes

extern char **environ;

// What the parent tells every child, behind the caller's bytes.
struct trailer {
	pid_t parent;
};

static volatile sig_atomic_t asked_to_stop; // the SIGTERM handler's

static size_t
trailer_offset(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

bool
child_is(int argc, char **argv, const char **role, const char **arg)
{
	if (argc < 2 || strcmp(argv[0], NAME) != 0)
		return false;
	*role = argv[1];
	*arg = argc > 2 ? argv[2] : "";
	return true;
}

// The part below runs in signal handlers as well: system calls and the stack only.

// The parent of process NAME of the folder PROC, or -1.
static pid_t
parent_of(int proc, const char *name)
{
	char path[32], buf[512];
	size_t n = strlen(name);
	if (n > sizeof path - sizeof "/stat")
		return -1;
	memcpy(path, name, n + 1);
	memcpy(path + n, "/stat", sizeof "/stat");
	int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return -1;
	ssize_t got = read(fd, buf, sizeof buf - 1);
	close(fd);
	if (got <= 0)
		return -1;
	buf[got] = '\0';
	// "pid (name) state ppid": the name may hold anything, also parentheses
	const char *p = strrchr(buf, ')');
	if (!p || strlen(p) < 5)
		return -1;
	pid_t parent = 0;
	for (p += 4; *p >= '0' && *p <= '9'; p++)
		parent = parent * 10 + (*p - '0');
	return parent;
}

struct dirent_head {
	uint64_t ino;
	int64_t off;
	unsigned short len;
	unsigned char type;
	char name[];
};

static void
kill_children(void)
{
	_Alignas(8) char buf[8192];
	pid_t me = getpid();
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc == -1)
		return;
	long n;
	while ((n = syscall(SYS_getdents64, proc, buf, sizeof buf)) > 0) {
		for (long at = 0; at < n;) {
			struct dirent_head *d = (struct dirent_head *)(buf + at);
			at += d->len;
			if (d->name[0] < '1' || d->name[0] > '9' || parent_of(proc, d->name) != me)
				continue;
			pid_t pid = 0;
			for (const char *p = d->name; *p >= '0' && *p <= '9'; p++)
				pid = pid * 10 + (*p - '0');
			kill(pid, SIGKILL);
		}
	}
	close(proc);
}

void
child_end_descendants(void)
{
	// We are their subreaper: whoever loses its parent becomes our child, so this ends.
	for (int64_t until = clock_now_ns() + KILLED_WITHIN_NS; clock_now_ns() < until;) {
		pid_t pid;
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid == -1 && errno == ECHILD)
			return;
		kill_children();
		struct timespec ms = clock_timespec(NS_PER_MS);
		nanosleep(&ms, NULL);
	}
}

static void
on_parent_death(int sig)
{
	(void)sig;
	child_end_descendants();
	if (getpgrp() == getpid())
		kill(0, SIGKILL);
	_exit(1);
}

static void
on_term(int sig)
{
	(void)sig;
	asked_to_stop = 1;
}

static void
be_ordinary(void)
{
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
	if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE)
		sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
	if (getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd != -1) {
		// where it is refused, nothing else can be done
		if (write(fd, "1000", 4) == -1)
			errno = 0;
		close(fd);
	}
}

void *
child_enter(size_t bytes)
{
	size_t at = trailer_offset(bytes), all = at + sizeof(struct trailer);
	struct stat st;
	void *shared = MAP_FAILED;
	if (fstat(CHILD_SHARED_FD, &st) == 0 && (size_t)st.st_size == all)
		shared = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, CHILD_SHARED_FD, 0);
	if (shared == MAP_FAILED)
		_exit(2);
	fcntl(CHILD_SHARED_FD, F_SETFD, FD_CLOEXEC);
	fcntl(CHILD_LIFE_FD, F_SETFD, FD_CLOEXEC);
	syscall(SYS_close_range, CHILD_LIFE_FD + 1, ~0U, 0);
	// Not SIGKILL: descendants that left our group, or whose own parent is no part of stutter, would stay.
	sigaction(SIGHUP, &(struct sigaction){.sa_handler = on_parent_death}, NULL);
	sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_term}, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGHUP);
	const struct trailer *t = (const void *)((const char *)shared + at);
	if (getppid() != t->parent)
		_exit(1);
	be_ordinary();
	return shared;
}

bool
child_should_stop(void)
{
	struct pollfd p = {.fd = CHILD_LIFE_FD, .events = POLLIN};
	return asked_to_stop || poll(&p, 1, 0) == 1;
}

// In the parent.

static int
spawn(struct child *c, int memory, int life, const char *role, const char *arg)
{
	char *argv[] = {(char *)NAME, (char *)role, *arg ? (char *)arg : NULL, NULL};
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t none, all;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&fa);
	posix_spawnattr_init(&at);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&fa, fd, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&fa, memory, CHILD_SHARED_FD);
	posix_spawn_file_actions_adddup2(&fa, life, CHILD_LIFE_FD);
	posix_spawnattr_setflags(
	    &at, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&at, 0);
	posix_spawnattr_setsigmask(&at, &none);
	posix_spawnattr_setsigdefault(&at, &all);
	int r = posix_spawn(&c->pid, "/proc/self/exe", &fa, &at, argv, environ);
	posix_spawnattr_destroy(&at);
	posix_spawn_file_actions_destroy(&fa);
	return r;
}

// Moves FD above the numbers that a child's own descriptors have. -1 with errno.
static int
lift(int fd)
{
	if (fd == -1 || fd > 9)
		return fd;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, 10);
	close(fd);
	return high;
}

static void *
shared_memory(int fd, size_t bytes)
{
	size_t all = trailer_offset(bytes) + sizeof(struct trailer);
	if (fd == -1 || ftruncate(fd, (off_t)all) == -1)
		return NULL;
	void *m = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (m == MAP_FAILED)
		return NULL;
	((struct trailer *)((char *)m + trailer_offset(bytes)))->parent = getpid();
	return m;
}

int
child_start(struct child *c, const char *role, const char *arg, size_t bytes,
    void (*prepare)(void *shared, void *data), void *data, struct err *e)
{
	*c = (struct child){.life = -1, .bytes = bytes};
	int life[2] = {-1, -1}, r = 0;
	int memory = lift(memfd_create("stutter", MFD_CLOEXEC));
	c->shared = shared_memory(memory, bytes);
	if (!c->shared || pipe2(life, O_CLOEXEC) == -1 || (life[0] = lift(life[0])) == -1 ||
	    (life[1] = lift(life[1])) == -1) {
		r = errno;
	} else {
		if (prepare)
			prepare(c->shared, data);
		r = spawn(c, memory, life[0], role, arg);
	}
	if (memory != -1)
		close(memory);
	if (life[0] != -1)
		close(life[0]);
	c->life = life[1];
	if (!r)
		return 0;
	c->pid = 0;
	child_close(c, 0);
	errno = r;
	return err_set(e, "cannot start a process:");
}

void
child_stop(struct child *c)
{
	if (c->pid > 0)
		kill(c->pid, SIGTERM);
	if (c->life > 0)
		close(c->life);
	c->life = -1;
}

void
child_kill(struct child *c)
{
	if (c->pid > 0)
		kill(-c->pid, SIGKILL);
}

bool
child_reap(struct child *c, int *status)
{
	siginfo_t si = {0};
	if (c->pid <= 0 || waitid(P_PID, (id_t)c->pid, &si, WEXITED | WNOHANG | WNOWAIT) == -1 ||
	    si.si_pid != c->pid)
		return false;
	// whoever of its group is left; the unreaped leader keeps the number from being used again
	kill(-c->pid, SIGKILL);
	int st = 0;
	waitpid(c->pid, &st, 0);
	c->pid = 0;
	if (status)
		*status = st;
	return true;
}

static bool
reap_within(struct child *c, int64_t ns)
{
	int64_t until = clock_now_ns() + ns;
	int fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	while (c->pid > 0 && !child_reap(c, NULL)) {
		int64_t left = until - clock_now_ns();
		if (left <= 0)
			break;
		int ms = (int)(left / NS_PER_MS) + 1;
		struct pollfd p = {.fd = fd, .events = POLLIN};
		poll(&p, 1, fd == -1 && ms > 5 ? 5 : ms);
	}
	if (fd != -1)
		close(fd);
	return c->pid <= 0;
}

void
child_close(struct child *c, int timeout_ms)
{
	if (c->pid > 0) {
		child_stop(c);
		if (!reap_within(c, timeout_ms * NS_PER_MS)) {
			child_kill(c);
			reap_within(c, KILLED_WITHIN_NS);
		}
	}
	if (c->life > 0)
		close(c->life);
	if (c->shared)
		munmap(c->shared, trailer_offset(c->bytes) + sizeof(struct trailer));
	*c = (struct child){.life = -1};
}
