// The guardian of a knob: runs its commands one at a time, each within a time limit, and puts back the state found at the
// start when its parent has gone, however that went. Must not know what is measured meanwhile.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "session/knob.h"
#include "session/knob_shared.h"


extern char **environ;

struct output {
	char *text;
	size_t size, used;
	int fd;
};

static void
output_read(struct output *o)
{
	char spill[512];
	for (;;) {
		size_t room = o->size - 1 - o->used;
		ssize_t n = read(o->fd, room ? o->text + o->used : spill, room ? room : sizeof spill);
		if (n <= 0) {
			if (n == 0 || errno != EAGAIN) {
				close(o->fd);
				o->fd = -1;
			}
			break;
		}
		if (room)
			o->used += (size_t)n;
	}
	o->text[o->used] = 0;
}

static pid_t
spawn(const char *command, const int out[2])
{
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t none, all;
	pid_t pid;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&fa);
	posix_spawnattr_init(&at);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out[0], 1);
	posix_spawn_file_actions_adddup2(&fa, out[1], 2);
	posix_spawnattr_setflags(&at, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&at, 0);
	posix_spawnattr_setsigmask(&at, &none);
	posix_spawnattr_setsigdefault(&at, &all);
	int r = posix_spawn(&pid, "/bin/sh", &fa, &at, argv, environ);
	posix_spawnattr_destroy(&at);
	posix_spawn_file_actions_destroy(&fa);
	errno = r;
	return r ? -1 : pid;
}

static bool
parent_gone(void)
{
	struct pollfd p = {.fd = CHILD_LIFE_FD};
	return poll(&p, 1, 0) > 0 && p.revents & POLLHUP;
}

// Waits for PID, taking its output. 0: ended; -1: out of time; -2: the parent has gone meanwhile (where WATCH).
static int
attend(pid_t pid, struct output out[2], int64_t timeout_ns, bool watch)
{
	int64_t until = clock_now_ns() + timeout_ns;
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int r = 0;
	for (;;) {
		siginfo_t si = {0};
		if (waitid(P_PID, (id_t)pid, &si, WEXITED | WNOHANG | WNOWAIT) == 0 && si.si_pid == pid)
			break;
		int64_t left = until - clock_now_ns();
		if (left <= 0 || (watch && parent_gone())) {
			r = left <= 0 ? -1 : -2;
			break;
		}
		struct pollfd p[4] = {{out[0].fd, POLLIN, 0}, {out[1].fd, POLLIN, 0}, {pidfd, POLLIN, 0}, {watch ? CHILD_LIFE_FD : -1, 0, 0}};
		int ms = (int)(left / NS_PER_MS) + 1;
		poll(p, 4, pidfd < 0 && ms > 20 ? 20 : ms);
		for (int i = 0; i < 2; i++)
			if (out[i].fd >= 0 && p[i].revents)
				output_read(&out[i]);
	}
	if (pidfd >= 0)
		close(pidfd);
	return r;
}

// The last line of a command's complaint.
static void
last_line(char *text)
{
	size_t n = strlen(text);
	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		text[--n] = 0;
	char *nl = strrchr(text, '\n');
	if (nl)
		memmove(text, nl + 1, strlen(nl + 1) + 1);
}

// Runs COMMAND, called NAME in errors; its output into TEXT (may be NULL). 0, or -1 with E.
static int
run(const struct knob_shared *s, const char *name, const char *command, char *text, size_t size, bool watch, struct err *e)
{
	char unused[64], complaint[512] = "", safe[120];
	int a[2], b[2], status = 0;
	if (pipe2(a, O_CLOEXEC))
		return err_set(e, "%s: cannot be run:", name);
	if (pipe2(b, O_CLOEXEC)) {
		close(a[0]);
		close(a[1]);
		return err_set(e, "%s: cannot be run:", name);
	}
	pid_t pid = spawn(command, (const int[]){a[1], b[1]});
	close(a[1]);
	close(b[1]);
	fcntl(a[0], F_SETFL, O_NONBLOCK);
	fcntl(b[0], F_SETFL, O_NONBLOCK);
	struct output out[2] = {{text ? text : unused, text ? size : sizeof unused, 0, a[0]}, {complaint, sizeof complaint, 0, b[0]}};
	int r = pid < 0 ? err_set(e, "%s: cannot be run:", name) : attend(pid, out, s->timeout_ns, watch);
	if (pid > 0) {
		if (r)
			kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	for (int i = 0; i < 2; i++)
		if (out[i].fd >= 0) {
			output_read(&out[i]);
			if (out[i].fd >= 0)
				close(out[i].fd);
		}
	if (pid < 0)
		return -1;
	last_line(complaint);
	text_safe(safe, sizeof safe, complaint);
	if (r == -1)
		return err_set(e, "%s did not end within %.3g s and was killed", name, (double)s->timeout_ns / 1e9);
	if (r)
		return err_set(e, "%s was cut short", name);
	if (WIFSIGNALED(status))
		return err_set(e, "%s was killed by signal %d", name, WTERMSIG(status));
	if (WEXITSTATUS(status))
		return err_set(e, "%s failed (exit status %d)%s%s", name, WEXITSTATUS(status), *safe ? ": " : "", safe);
	return 0;
}

static int
look(struct knob_shared *s, struct knob_value *v, bool watch, struct err *e)
{
	v->known = false;
	if (run(s, "the read command", s->read, v->text, sizeof v->text, watch, e))
		return -1;
	size_t n = strlen(v->text);
	while (n && strchr(" \t\r\n", v->text[n - 1]))
		v->text[--n] = 0;
	v->known = true;
	return 0;
}

static bool
same(const struct knob_value *a, const struct knob_value *b)
{
	return a->known && b->known && !strcmp(a->text, b->text);
}

static int
flip(struct knob_shared *s, int side, struct err *e)
{
	char name[80], value[60];
	snprintf(name, sizeof name, "command %s", side ? "B" : "A");
	if (strcmp(s->name[side], side ? "B" : "A")) {
		size_t n = strlen(name);
		snprintf(name + n, sizeof name - n, " (%.60s)", s->name[side]);
	}
	if (run(s, name, s->side[side], NULL, 0, true, e))
		return -1;
	if (!*s->read)
		return 0;
	if (look(s, &s->now, true, e))
		return -1;
	s->of[side] = s->now;
	if (same(&s->of[0], &s->of[1]))
		return err_set(e, "%s changes nothing: it still reads %s", name,
		    text_safe(value, sizeof value, *s->now.text ? s->now.text : "(empty)"));
	return 0;
}

static bool
is_back(struct knob_shared *s, struct err *e)
{
	return !look(s, &s->now, false, e) && same(&s->now, &s->start);
}

// By `restore`, which finds the state in $STATE.
static int
restore_by_command(struct knob_shared *s, struct err *e)
{
	if (s->start.known)
		setenv("STATE", s->start.text, 1);
	if (run(s, "the restore command", s->restore, NULL, 0, false, e))
		return -1;
	if (!s->start.known || is_back(s, e))
		return 0;
	return err_set(e, "after the restore command it reads otherwise than at the start");
}

// By the command that makes it read as it did at the start: the one known to, else each.
static int
restore_by_side(struct knob_shared *s, struct err *e)
{
	char was[80];
	int first = same(&s->of[1], &s->start) ? 1 : 0;
	struct err unused;
	for (int i = 0; i < 2; i++) {
		int side = i ? !first : first;
		if (s->of[side].known && !same(&s->of[side], &s->start))
			continue;
		if (!run(s, side ? "command B" : "command A", s->side[side], NULL, 0, false, &unused) && is_back(s, &unused))
			return 0;
	}
	return err_set(e, "neither A nor B makes it read %s as before: give a restore command",
	    text_safe(was, sizeof was, s->start.text));
}

static enum knob_restored
restore(struct knob_shared *s, bool touched)
{
	struct err e = {""};
	int r;
	if (!touched)
		return KNOB_UNTOUCHED;
	if (!*s->restore && !s->start.known)
		return KNOB_CANNOT;
	if (s->start.known && is_back(s, &e))
		return KNOB_PUT_BACK;
	r = *s->restore ? restore_by_command(s, &e) : restore_by_side(s, &e);
	snprintf(s->restore_error, sizeof s->restore_error, "%.199s", e.text);
	return r ? KNOB_NOT_PUT_BACK : KNOB_PUT_BACK;
}

static void
be_ordinary(void)
{
	// what it starts must neither end with the terminal nor run with our priority
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE};
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
	if (policy == SCHED_FIFO || policy == SCHED_RR)
		sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
	if (getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
	fcntl(CHILD_SHARED_FD, F_SETFD, FD_CLOEXEC);
	fcntl(CHILD_LIFE_FD, F_SETFD, FD_CLOEXEC);
	syscall(SYS_close_range, CHILD_LIFE_FD + 1, ~0U, 0);
}

int
knob_child_main(const char *arg)
{
	(void)arg;
	struct stat st;
	// not child_enter(): that would have this process die with its parent
	if (fstat(CHILD_SHARED_FD, &st) || (size_t)st.st_size < sizeof(struct knob_shared))
		return 2;
	struct knob_shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, CHILD_SHARED_FD, 0);
	if (s == MAP_FAILED)
		return 2;
	be_ordinary();
	bool touched = false;
	char request;
	for (ssize_t n; (n = read(CHILD_LIFE_FD, &request, 1)) != 0;) {
		if (n < 0)
			continue;
		struct err e = {""};
		int r;
		if (parent_gone())
			break;
		if (request == KNOB_LOOK) {
			r = look(s, &s->start, true, &e);
			s->now = s->start;
		} else {
			touched = true;
			r = flip(s, request == KNOB_TO_B, &e);
		}
		s->failed = r != 0;
		snprintf(s->error, sizeof s->error, "%.199s", e.text);
		atomic_fetch_add_explicit(&s->done, 1, memory_order_release);
	}
	int r = (int)restore(s, touched);
	atomic_store_explicit(&s->restored, r, memory_order_release);
	return r == KNOB_NOT_PUT_BACK;
}
