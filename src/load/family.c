// All descendants of this process: finding them, what the kernel has counted for them, ending them.
// Must not know what they do, nor who asked.
#include "load/family.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

struct process {
	pid_t parent;
	char state;
	int threads;
	uint64_t minflt, majflt, ticks, rss_pages;
};

static ssize_t
read_small(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return -1;
	ssize_t n = read(fd, buf, size - 1);
	close(fd);
	if (n >= 0)
		buf[n] = '\0';
	return n;
}

static int
process_read(pid_t pid, struct process *p)
{
	char path[40], buf[1024];
	long long minflt, cminflt, majflt, cmajflt, rss;
	long long utime, stime, cutime, cstime;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (read_small(path, buf, sizeof buf) <= 0)
		return -1;
	// the name is in parentheses and may hold anything
	const char *s = strrchr(buf, ')');
	if (!s ||
	    sscanf(s + 1,
		" %c %d %*d %*d %*d %*d %*u %lld %lld %lld %lld %lld %lld %lld %lld %*d %*d %d %*d %*u %*u %lld",
		&p->state, &p->parent, &minflt, &cminflt, &majflt, &cmajflt, &utime, &stime, &cutime,
		&cstime, &p->threads, &rss) != 12)
		return -1;
	p->minflt = (uint64_t)(minflt + cminflt);
	p->majflt = (uint64_t)(majflt + cmajflt);
	p->ticks = (uint64_t)(utime + stime + cutime + cstime);
	p->rss_pages = (uint64_t)rss;
	return 0;
}

static void
add(struct family *f, pid_t pid)
{
	if (f->count == f->room) {
		int room = f->room ? 2 * f->room : 64;
		pid_t *p = realloc(f->pid, (size_t)room * sizeof *p);
		if (!p)
			return;
		f->pid = p;
		f->room = room;
	}
	f->pid[f->count++] = pid;
}

// Adds the children that the thread TID of PID forked. -1: the kernel has no such file.
static int
add_children_of(struct family *f, pid_t pid, pid_t tid)
{
	char path[64], buf[16384];
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return -1;
	size_t have = 0;
	ssize_t n;
	while ((n = read(fd, buf + have, sizeof buf - 1 - have)) > 0) {
		have += (size_t)n;
		buf[have] = '\0';
		char *s = buf, *end;
		// a number at the end of the buffer may go on in the next read
		while ((end = strchr(s, ' '))) {
			add(f, (pid_t)strtol(s, NULL, 10));
			s = end + 1;
		}
		have -= (size_t)(s - buf);
		memmove(buf, s, have);
	}
	close(fd);
	return 0;
}

static void
add_children_of_threads(struct family *f, pid_t pid)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	if (!d)
		return;
	for (struct dirent *de; (de = readdir(d));) {
		pid_t tid = (pid_t)strtol(de->d_name, NULL, 10);
		if (tid > 0)
			add_children_of(f, pid, tid);
	}
	closedir(d);
}

// Without the children files: everyone's parent, then whoever hangs below us.
static void
find_by_scan(struct family *f)
{
	struct family all = {0}, parent = {0};
	struct process p;
	DIR *d = opendir("/proc");
	if (!d)
		return;
	for (struct dirent *de; (de = readdir(d));) {
		pid_t pid = (pid_t)strtol(de->d_name, NULL, 10);
		if (pid > 0 && process_read(pid, &p) == 0) {
			add(&all, pid);
			add(&parent, p.parent);
		}
	}
	closedir(d);
	pid_t of = getpid();
	for (int next = 0;; of = f->pid[next++]) {
		for (int i = 0; i < all.count && i < parent.count; i++)
			if (parent.pid[i] == of && all.pid[i] != of)
				add(f, all.pid[i]);
		if (next == f->count)
			break;
	}
	family_free(&all);
	family_free(&parent);
}

void
family_find(struct family *f)
{
	f->count = 0;
	if (f->no_children_files || add_children_of(f, getpid(), getpid()) == -1) {
		f->no_children_files = true;
		f->count = 0;
		find_by_scan(f);
		return;
	}
	// the bound: a number used again meanwhile could close a circle
	for (int i = 0; i < f->count && f->count < 100000; i++) {
		struct process p;
		if (process_read(f->pid[i], &p) == -1)
			continue;
		if (p.threads > 1)
			add_children_of_threads(f, f->pid[i]);
		else
			add_children_of(f, f->pid[i], f->pid[i]);
	}
}

void
family_free(struct family *f)
{
	free(f->pid);
	*f = (struct family){0};
}

void
family_signal(struct family *f, int sig)
{
	family_find(f);
	for (int i = 0; i < f->count; i++)
		kill(f->pid[i], sig);
}

static int64_t
timeval_ns(struct timeval t)
{
	return t.tv_sec * NS_PER_S + t.tv_usec * NS_PER_US;
}

void
family_count(struct family *f, struct family_figures *out)
{
	long hz = sysconf(_SC_CLK_TCK), page = sysconf(_SC_PAGESIZE);
	struct process p;
	family_find(f);
	*out = (struct family_figures){0};
	for (int i = 0; i < f->count; i++) {
		if (process_read(f->pid[i], &p) == -1)
			continue;
		out->processes += p.state != 'Z';
		out->cpu_ns += (int64_t)p.ticks * (NS_PER_S / hz);
		out->majflt += p.majflt;
		out->minflt += p.minflt;
		out->rss_bytes += p.rss_pages * (uint64_t)page;
	}
	struct rusage ru;
	getrusage(RUSAGE_CHILDREN, &ru);
	out->cpu_ns += timeval_ns(ru.ru_utime) + timeval_ns(ru.ru_stime);
	out->majflt += (uint64_t)ru.ru_majflt;
	out->minflt += (uint64_t)ru.ru_minflt;
}

bool
family_end(struct family *f, int timeout_ms)
{
	int64_t until = clock_now_ns() + timeout_ms * NS_PER_MS;
	for (;;) {
		pid_t pid;
		family_signal(f, SIGKILL);
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid == -1 && errno == ECHILD)
			return true;
		if (clock_now_ns() > until)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
	}
}
