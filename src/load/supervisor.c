// A load's own process: prepares, forks the workers, follows the level, counts what the kernel charged to them and ends
// them all. Must not know any kind of load by name, nor who looks at the figures.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "load/cgroup.h"
#include "load/family.h"
#include "load/member.h"
#include "load/pass.h"
#include "load/table.h"

#define COUNT_NS (200 * NS_PER_MS)
#define HISTORY 4 // CPU% is over as many counts
#define END_MS 20000

struct supervisor {
	struct load_shared *sh;
	const struct load_kind *kind;
	struct load_run run;
	struct family family;
	pid_t pid[LOAD_LEVEL_MAX];
	bool sent_away[LOAD_LEVEL_MAX]; // by a lower level: its end is no failure
	bool finished[LOAD_LEVEL_MAX];  // has done all its passes
	bool paused, stop;
	int signals;
	uint64_t oom_kills;
	int64_t count_at_ns;
	struct {
		int64_t ns, cpu_ns;
	} history[HISTORY];
	int counts;
};

static void
set_oom_score(const char *score)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd == -1)
		return;
	// where it is refused, nothing else can be done
	if (write(fd, score, strlen(score)) == -1)
		errno = 0;
	close(fd);
}

// Processes that the kernel has killed for want of memory since it started, or 0 where it doesn't say.
static uint64_t
oom_kills(void)
{
	char line[128];
	unsigned long long n = 0;
	FILE *f = fopen("/proc/vmstat", "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof line, f) && sscanf(line, "oom_kill %llu", &n) != 1)
		;
	fclose(f);
	return n;
}

static void
take_signals(struct supervisor *s)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGURG);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_SETMASK, &set, NULL);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void
worker_main(struct supervisor *s, int index, pid_t parent)
{
	struct err e = {0};
	sigset_t none;
	setpgid(0, 0);
	load_tie_to_parent(parent);
	close(s->signals);
	close(CHILD_LIFE_FD);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpriority(PRIO_PROCESS, 0, 0);
	set_oom_score("1000");
	s->run.index = index;
	s->run.slot = &s->sh->slot[index];
	s->run.seed = ((uint64_t)clock_wall_ns() + ((uint64_t)index << 40)) * 2654435761u | 1;
	int r = s->kind->work(&s->run, index, &e);
	if (r == 0)
		_exit(0);
	snprintf(s->run.slot->reason, sizeof s->run.slot->reason, "%s", e.text);
	_exit(1);
}

static int
workers_alive(const struct supervisor *s)
{
	int n = 0;
	for (int i = 0; i < LOAD_LEVEL_MAX; i++)
		n += s->pid[i] && !s->sent_away[i];
	return n;
}

static int64_t
own_cpu_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return clock_from_timespec(&ts);
}

// Publishes the number of workers and, where it is time, all that the kernel has counted.
static void
count(struct supervisor *s, bool now)
{
	int64_t t = clock_now_ns();
	struct family_figures ff;
	struct load_figures f = s->sh->figures;
	f.workers = workers_alive(s);
	if (now || t >= s->count_at_ns) {
		int64_t cpu = own_cpu_ns();
		family_count(&s->family, &ff);
		int old = s->counts < HISTORY ? 0 : s->counts % HISTORY;
		double dt = (double)(t - s->history[old].ns);
		if (s->counts && dt > 0)
			f.cpu_pct = fmax(0, 100 * (double)(ff.cpu_ns - s->history[old].cpu_ns) / dt);
		else
			f.cpu_pct = NAN;
		s->history[s->counts % HISTORY].ns = t;
		s->history[s->counts++ % HISTORY].cpu_ns = ff.cpu_ns;
		// someone between two parents, or rounding, is no step back
		f.cpu_ns = ff.cpu_ns > f.cpu_ns ? ff.cpu_ns : f.cpu_ns;
		f.majflt = ff.majflt > f.majflt ? ff.majflt : f.majflt;
		f.minflt = ff.minflt > f.minflt ? ff.minflt : f.minflt;
		f.rss_bytes = ff.rss_bytes;
		f.processes = ff.processes;
		int64_t cost = own_cpu_ns() - cpu;
		s->count_at_ns = t + (50 * cost > COUNT_NS ? 50 * cost : COUNT_NS);
	}
	seq_write_begin(&s->sh->figures_seq);
	s->sh->figures = f;
	seq_write_end(&s->sh->figures_seq);
}

static void
end_all(struct supervisor *s)
{
	for (int i = 0; i < LOAD_LEVEL_MAX; i++) {
		if (s->pid[i] && !s->finished[i])
			pass_cut_short(&s->sh->slot[i]);
		if (s->pid[i])
			kill(-s->pid[i], SIGKILL);
	}
	family_end(&s->family, END_MS);
	memset(s->pid, 0, sizeof s->pid);
	cgroup_remove(s->run.cgroup);
	count(s, true);
	family_free(&s->family);
}

static int
finish(struct supervisor *s, enum load_phase phase)
{
	end_all(s);
	atomic_store(&s->sh->phase, phase);
	return phase == PHASE_FAILED;
}

static int
fail(struct supervisor *s, const char *reason)
{
	load_note(&s->run, "%s", reason);
	return finish(s, PHASE_FAILED);
}

// Starts the workers that are missing and sends away those that are too many. 0, or -1: the load has failed.
static int
follow_level(struct supervisor *s, struct err *e)
{
	int level = load_level(&s->run);
	for (int i = 0; i < LOAD_LEVEL_MAX; i++) {
		if (i >= level && s->pid[i] && !s->sent_away[i]) {
			s->sent_away[i] = true;
			// a command's own descendants are known to its worker only
			kill(s->kind == &load_user ? s->pid[i] : -s->pid[i],
			    s->kind == &load_user ? SIGTERM : SIGKILL);
		}
		if (i >= level || s->pid[i] || s->finished[i])
			continue;
		pid_t parent = getpid(), pid = fork();
		if (pid == 0)
			worker_main(s, i, parent);
		if (pid == -1)
			return err_set(e, "only %d of %d workers started:", workers_alive(s), level);
		setpgid(pid, pid);
		s->pid[i] = pid;
		s->sent_away[i] = false;
	}
	return 0;
}

static int
worker_ended(struct supervisor *s, int i, int status, struct err *e)
{
	struct load_slot *slot = &s->sh->slot[i];
	bool away = s->sent_away[i];
	kill(-s->pid[i], SIGKILL);
	s->pid[i] = 0;
	s->sent_away[i] = false;
	pass_cut_short(slot);
	if (away)
		return 0;
	if (WIFSIGNALED(status)) {
		bool oom = WTERMSIG(status) == SIGKILL && oom_kills() > s->oom_kills;
		return err_set(e, oom ? "out of memory: the kernel killed worker %d" : "worker %d was killed (signal %d)",
		    i + 1, WTERMSIG(status));
	}
	if (WEXITSTATUS(status) != 0)
		return err_set(e, "%s", slot->reason[0] ? slot->reason : "a worker failed");
	if (!s->run.params->passes)
		return err_set(e, "worker %d ended by itself", i + 1);
	s->finished[i] = true;
	return 0;
}

static int
reap(struct supervisor *s, struct err *e)
{
	int status, r = 0;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (int i = 0; i < LOAD_LEVEL_MAX; i++)
			if (s->pid[i] == pid && worker_ended(s, i, status, r ? NULL : e) == -1)
				r = -1;
	return r;
}

static bool
all_passes_done(const struct supervisor *s)
{
	int finished = 0;
	for (int i = 0; i < LOAD_LEVEL_MAX; i++)
		finished += s->finished[i];
	return finished && !workers_alive(s);
}

static void
follow_pause(struct supervisor *s)
{
	bool paused = atomic_load(&s->sh->paused);
	if (paused != s->paused)
		family_signal(&s->family, paused ? SIGSTOP : SIGCONT);
	s->paused = paused;
}

static void
wait_for_news(struct supervisor *s)
{
	struct signalfd_siginfo si;
	struct pollfd p[2] = {{.fd = s->signals, .events = POLLIN}, {.fd = CHILD_LIFE_FD, .events = POLLIN}};
	int64_t left = s->count_at_ns - clock_now_ns();
	poll(p, 2, left > 0 ? (int)(left / NS_PER_MS) + 1 : 0);
	while (read(s->signals, &si, sizeof si) == sizeof si)
		s->stop |= si.ssi_signo == SIGTERM || si.ssi_signo == SIGHUP;
	s->stop |= p[1].revents != 0;
}

static int
supervise(struct supervisor *s)
{
	struct err e = {0};
	while (!s->stop) {
		if (reap(s, &e) == -1)
			return fail(s, e.text);
		if (all_passes_done(s))
			return finish(s, PHASE_DONE);
		if (follow_level(s, &e) == -1)
			return fail(s, e.text);
		follow_pause(s);
		count(s, false);
		wait_for_news(s);
	}
	return finish(s, PHASE_DONE);
}

int
load_child_main(const char *arg)
{
	if (member_is(arg))
		return member_main(arg);
	struct supervisor s = {.sh = child_enter(sizeof(struct load_shared))};
	struct err e = {0};
	take_signals(&s);
	// it does little, and that little must go on under its own load
	setpriority(PRIO_PROCESS, 0, -10);
	// the workers first
	set_oom_score("950");
	s.kind = s.sh->user.name[0] ? &load_user : load_find(s.sh->kind);
	s.run = (struct load_run){.sh = s.sh, .params = &s.sh->params, .fd = {-1, -1, -1, -1}, .seed = 1};
	s.oom_kills = oom_kills();
	if (!s.kind)
		return fail(&s, "no such load");
	if (s.kind->prepare && s.kind->prepare(&s.run, &e) == -1)
		return fail(&s, e.text);
	atomic_store(&s.sh->phase, PHASE_RUNNING);
	return supervise(&s);
}
