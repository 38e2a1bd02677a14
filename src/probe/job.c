// The job probe: a fixed job over and over, as contest: wall time and CPU time of each run, all its
// processes included. Must not know who reads its samples.
#include "probe/job.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "probe/compile.h"
#include "probe/kinds.h"
#include "probe/process.h"
#include "probe/stall.h"

#define LOOK_MS 50         // a hold is seen within this
#define AGAIN_FIRST_MS 500 // after a job that failed
#define AGAIN_MOST_MS 30000

struct run {
	struct process_shared *shared;
	struct ring *ring;
	struct stall stall;
	pid_t pid;         // of the job, also its process group
	int pidfd, errors; // errors: read end of its standard error
	char last[96];     // the last line it said there
	size_t used;       // of it
	bool line_done;
	bool spoilt; // a hold or a suspend fell into it
	int64_t slept_ns;
	int again_ms;
};

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)ftw;
	if (flag == FTW_DNR)
		chmod(path, 0700);
	remove(path);
	return 0;
}

static void
remove_folder(const char *folder)
{
	if (folder[0])
		nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void
nothing(int sig)
{
	(void)sig;
}

// The job's first process.
static void __attribute__((noreturn))
be_job(const struct process_shared *s, pid_t parent, int errors)
{
	setsid(); // no terminal to write to
	signal(SIGHUP, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	dup2(errors, STDERR_FILENO);
	setenv("TMPDIR", s->folder, 1);
	if (s->command[0])
		execl("/bin/sh", "sh", "-c", s->command, NULL);
	else if (!chdir(s->folder))
		_exit(compile_all());
	_exit(127);
}

static int
start_job(struct run *r)
{
	struct process_shared *s = r->shared;
	int errors[2];
	snprintf(s->folder, sizeof s->folder, "%.255s/stutter-job-XXXXXX",
	    s->dir[0] ? s->dir : "/var/tmp");
	if (!mkdtemp(s->folder)) {
		snprintf(
		    s->words, sizeof s->words, "no folder in %.60s: %s", s->dir, strerror(errno));
		s->folder[0] = '\0';
		return -1;
	}
	if (pipe2(errors, O_CLOEXEC | O_NONBLOCK))
		return -1;
	pid_t parent = getpid();
	r->pid = fork();
	if (r->pid == 0)
		be_job(s, parent, errors[1]);
	close(errors[1]);
	r->errors = errors[0];
	r->pidfd = r->pid > 0 ? (int)syscall(SYS_pidfd_open, r->pid, 0) : -1;
	r->used = 0;
	r->last[0] = '\0';
	if (r->pid > 0) {
		atomic_store(&s->group, r->pid);
		return 0;
	}
	snprintf(s->words, sizeof s->words, "cannot start a process: %s", strerror(errno));
	close(r->errors);
	return -1;
}

// Keeps the last line of what the job says, of whatever length that is.
static void
read_errors(struct run *r)
{
	char buf[4096];
	ssize_t n;
	while ((n = read(r->errors, buf, sizeof buf)) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] == '\n') {
				r->line_done = true;
				continue;
			}
			if (r->line_done)
				r->used = 0;
			r->line_done = false;
			if (r->used < sizeof r->last - 1)
				r->last[r->used++] = buf[i];
			r->last[r->used] = '\0';
		}
}

// All processes of the job stand still while the probe is held.
static void
rest_while_held(struct run *r)
{
	int64_t slept;
	if (!stall_look(&r->stall, &r->shared->live, clock_now_ns(), &slept))
		return;
	r->spoilt = true;
	r->slept_ns += slept;
	kill(-r->pid, SIGSTOP);
	while (stall_held(&r->stall, &r->shared->live) && !child_should_stop())
		clock_sleep_until(clock_now_ns() + LOOK_MS * NS_PER_MS);
	kill(-r->pid, SIGCONT);
}

// Waits for the job's end: its time, or 0 where we are to stop.
static int64_t
wait_job(struct run *r)
{
	for (;;) {
		struct pollfd p[] = {
		    {.fd = r->pidfd, .events = POLLIN},
		    {.fd = r->errors, .events = POLLIN},
		    {.fd = CHILD_LIFE_FD, .events = POLLIN},
		};
		poll(p, 3, LOOK_MS);
		int64_t now = clock_now_ns();
		if (child_should_stop())
			return 0;
		siginfo_t si = {0};
		bool ended = p[0].revents ||
			     (r->pidfd == -1 &&
				 !waitid(P_PID, (id_t)r->pid, &si, WEXITED | WNOHANG | WNOWAIT) &&
				 si.si_pid == r->pid);
		read_errors(r);
		rest_while_held(r);
		if (ended)
			return now;
		if (p[1].revents & POLLHUP && !(p[1].revents & POLLIN)) {
			close(r->errors);
			r->errors = -1;
		}
	}
}

static int64_t
cpu_of_children(void)
{
	struct rusage u;
	getrusage(RUSAGE_CHILDREN, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NS_PER_S +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * NS_PER_US;
}

// Says why it failed, and waits before the next try.
static void
note_failure(struct run *r, int status)
{
	char said[80], words[120];
	text_safe(said, sizeof said, r->last);
	if (WIFSIGNALED(status))
		snprintf(words, sizeof words, "the job was killed by signal %d", WTERMSIG(status));
	else
		snprintf(words, sizeof words, "the job ended with status %d%s%s",
		    WEXITSTATUS(status), said[0] ? ": " : "", said);
	memcpy(r->shared->words, words, sizeof words);
	atomic_store(&r->shared->live.state, PROBE_LOST);
	struct pollfd p = {.fd = CHILD_LIFE_FD, .events = POLLIN};
	r->again_ms = r->again_ms ? r->again_ms * 2 : AGAIN_FIRST_MS;
	if (r->again_ms > AGAIN_MOST_MS)
		r->again_ms = AGAIN_MOST_MS;
	poll(&p, 1, r->again_ms);
}

static void
note_success(struct run *r, int64_t start, int64_t end, int64_t cpu)
{
	struct sample s = stall_sample(r->spoilt ? SAMPLE_GAP : SAMPLE_WAKE, end, 0);
	s.value[Q_LATE] = end - start + r->slept_ns;
	if (!r->spoilt)
		s.value[Q_CPU] = cpu;
	ring_push(r->ring, &s);
	r->again_ms = 0;
	atomic_store(&r->shared->live.state, PROBE_RUNNING);
}

// Runs it once. 0: go on; -1: stop.
static int
run_once(struct run *r)
{
	int64_t cpu = cpu_of_children(), start = clock_now_ns();
	r->spoilt = false;
	r->slept_ns = 0;
	if (start_job(r)) {
		remove_folder(r->shared->folder);
		return -1;
	}
	if (!r->again_ms)
		atomic_store(&r->shared->live.state, PROBE_RUNNING);
	int64_t end = wait_job(r);
	int status = 0;
	if (!end) {
		kill(r->pid, SIGKILL); // it may have no group of its own yet
		kill(-r->pid, SIGKILL);
	}
	waitpid(r->pid, &status, 0);
	atomic_store(&r->shared->group, 0);
	child_end_descendants();
	if (r->errors != -1)
		close(r->errors);
	if (r->pidfd != -1)
		close(r->pidfd);
	remove_folder(r->shared->folder);
	r->shared->folder[0] = '\0';
	if (!end)
		return -1;
	if (status)
		note_failure(r, status);
	else
		note_success(r, start, end, cpu_of_children() - cpu);
	return 0;
}

int
job_main(const char *arg)
{
	if (arg[0])
		return compile_one(arg);
	struct run r = {0};
	r.shared = process_enter(&r.ring);
	prctl(PR_SET_NAME, "stutter-job");
	// Instead of ending at once: the end of the life pipe ends us too, and there is a folder to
	// be removed.
	sigaction(SIGHUP, &(struct sigaction){.sa_handler = nothing}, NULL);
	signal(SIGPIPE, SIG_DFL);
	stall_init(&r.stall, &r.shared->live);
	while (!child_should_stop())
		if (run_once(&r))
			break;
	return child_should_stop() ? 0 : 1;
}

static int
start(struct probe *p, struct err *e)
{
	struct process *pr = calloc(1, sizeof *pr);
	if (!pr)
		return err_set(e, "no memory for the job probe");
	pr->role = "job";
	pr->clean = remove_folder;
	if (p->config.job && strlen(p->config.job) >= sizeof((struct process_shared *)0)->command) {
		free(pr);
		return err_set(e, "the job's command is longer than %zu bytes",
		    sizeof((struct process_shared *)0)->command - 1);
	}
	if (process_start(p, pr, e)) {
		free(pr);
		atomic_store(&p->live->state, PROBE_FAILED);
		return -1;
	}
	p->impl = pr;
	return 0;
}

static void
stop(struct probe *p)
{
	process_stop(p, p->impl);
	free(p->impl);
	p->impl = NULL;
}

static void
tend(struct probe *p)
{
	if (p->impl)
		process_tend(p, p->impl);
}

static void
reason(const struct probe *p, char *buf, size_t size)
{
	buf[0] = '\0';
	if (p->impl)
		process_reason(p, p->impl, buf, size);
}

const struct probe_kind probe_job = {
    .name = "job",
    .does = "wall time and CPU time of a fixed job, run over and over, as contest; --job COMMAND "
	    "or built in",
    .more = "a command runs where stutter was started, with TMPDIR a folder of its own; its output "
	    "is not shown",
    .quantities = 1u << Q_LATE | 1u << Q_CPU,
    .unit = "job",
    .start = start,
    .stop = stop,
    .tend = tend,
    .reason = reason,
};
