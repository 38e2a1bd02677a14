// The parent's handle on a load: starts and stops its process, watches that it works, reads its figures.
// Must not know what any kind of load does.
#include "load/load.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/clock.h"
#include "load/pass.h"
#include "load/table.h"

#define STALL_MS 1500
#define OBEY_NS (5 * NS_PER_S) // from being asked to stop to being killed

struct load {
	const struct load_kind *kind;
	struct load_params params;
	struct child child;
	struct load_status status;
	bool restart;          // start again as soon as the old process is gone
	bool paused;
	int64_t asked_ns;      // when it was started, or asked to stop
	int64_t progress_ns;   // when it last did work
	int64_t level_ns;      // when its level was last changed
	uint64_t work_seen;
	int64_t cpu_seen_ns;
};

static int
level_clamp(int level)
{
	return level < 1 ? 1 : level > LOAD_LEVEL_MAX ? LOAD_LEVEL_MAX : level;
}

struct load *
load_new(const struct load_kind *kind, const struct load_params *p)
{
	struct load *l = calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->kind = kind;
	l->params = *p;
	l->params.level = level_clamp(p->level ? p->level : kind->level);
	l->child.life = -1;
	l->status = (struct load_status){.level = l->params.level, .cpu_pct = NAN};
	return l;
}

void
load_free(struct load *l)
{
	if (!l)
		return;
	child_close(&l->child, OBEY_NS / NS_PER_MS);
	free(l);
}

const struct load_kind *
load_kind(const struct load *l)
{
	return l->kind;
}

static bool
alive(const struct load *l)
{
	return l->child.pid > 0;
}

static void
fill(void *shared, void *data)
{
	const struct load *l = data;
	struct load_shared *sh = shared;
	const struct user_load *u = user_load_of(l->kind);
	snprintf(sh->kind, sizeof sh->kind, "%s", l->kind->name);
	sh->params = l->params;
	if (u)
		sh->user = *u;
	atomic_store(&sh->level, l->params.level);
	atomic_store(&sh->paused, l->paused);
	sh->figures.cpu_pct = NAN;
}

static int
begin(struct load *l, struct err *e)
{
	struct err why = {0};
	l->restart = false;
	l->asked_ns = l->progress_ns = l->level_ns = clock_now_ns();
	l->work_seen = 0;
	l->cpu_seen_ns = 0;
	l->status = (struct load_status){.state = LOAD_STARTING, .level = l->params.level, .cpu_pct = NAN};
	if (child_start(&l->child, "load", l->kind->name, sizeof(struct load_shared), fill, l, &why) == 0)
		return 0;
	l->status.state = LOAD_FAILED;
	snprintf(l->status.reason, sizeof l->status.reason, "%s", why.text);
	return err_set(e, "%s: %s", l->kind->name, why.text);
}

int
load_start(struct load *l, struct err *e)
{
	if (!alive(l))
		return begin(l, e);
	if (l->status.state == LOAD_STARTING || l->status.state == LOAD_ON)
		return 0;
	// the old process is on its way out, or does no work
	if (l->status.state != LOAD_STOPPING)
		l->asked_ns = clock_now_ns();
	child_stop(&l->child);
	l->restart = true;
	l->status.state = LOAD_STARTING;
	l->status.reason[0] = '\0';
	return 0;
}

void
load_stop(struct load *l)
{
	l->restart = false;
	if (!alive(l)) {
		l->status.state = LOAD_OFF;
		l->status.reason[0] = '\0';
		return;
	}
	if (l->status.state != LOAD_STOPPING)
		l->asked_ns = clock_now_ns();
	l->status.state = LOAD_STOPPING;
	child_stop(&l->child);
}

// Wakes the supervisor; a signal that is harmless where it comes too early or too late.
static void
wake(struct load *l)
{
	if (alive(l))
		kill(l->child.pid, SIGURG);
}

void
load_set_level(struct load *l, int level)
{
	struct load_shared *sh = l->child.shared;
	l->params.level = l->status.level = level_clamp(level);
	l->level_ns = clock_now_ns();
	if (sh)
		atomic_store(&sh->level, l->params.level);
	wake(l);
}

void
load_pause(struct load *l, bool paused)
{
	struct load_shared *sh = l->child.shared;
	l->paused = paused;
	l->progress_ns = l->level_ns = clock_now_ns();
	if (sh)
		atomic_store(&sh->paused, paused);
	wake(l);
}

static uint64_t
work_of(const struct load_shared *sh)
{
	uint64_t n = 0;
	for (int i = 0; i <= LOAD_LEVEL_MAX; i++)
		n += atomic_load_explicit(&sh->slot[i].work, memory_order_relaxed);
	return n;
}

static int
workers_that_work(const struct load *l)
{
	const struct load_shared *sh = l->child.shared;
	int n = 0;
	for (int i = 0; i < l->params.level; i++)
		n += atomic_load_explicit(&sh->slot[i].work, memory_order_relaxed) > 0;
	return n;
}

static void
collect(struct load *l)
{
	const struct load_shared *sh = l->child.shared;
	struct load_status *s = &l->status;
	struct load_figures f;
	seq_read(&sh->figures_seq, &f, &sh->figures, sizeof f);
	s->work = work_of(sh);
	s->cpu_pct = f.cpu_pct;
	s->cpu_ns = f.cpu_ns;
	s->rss_bytes = f.rss_bytes;
	s->majflt = f.majflt;
	s->minflt = f.minflt;
	s->workers = f.workers;
	if (l->kind->by_passes)
		pass_collect(sh, s);
}

static void
read_note(struct load *l)
{
	const struct load_shared *sh = l->child.shared;
	seq_read(&sh->note_seq, l->status.reason, sh->note, sizeof l->status.reason);
	l->status.reason[sizeof l->status.reason - 1] = '\0';
}

// Is all of it working? Decides between STARTING, ON and FAILED.
static void
judge(struct load *l)
{
	struct load_status *s = &l->status;
	int64_t now = clock_now_ns();
	int64_t stall = (l->kind->stall_ms ? l->kind->stall_ms : STALL_MS) * NS_PER_MS;
	bool by_cpu = l->kind->cpu_is_work && s->cpu_ns > l->cpu_seen_ns;
	bool worked = s->work || (l->kind->cpu_is_work && s->cpu_ns > 0);
	if (s->work != l->work_seen || by_cpu || l->paused)
		l->progress_ns = now;
	l->work_seen = s->work;
	l->cpu_seen_ns = s->cpu_ns;
	if (now - l->progress_ns > stall) {
		s->state = LOAD_FAILED;
		snprintf(s->reason, sizeof s->reason, "no work for %.1f s",
		    (double)(now - l->progress_ns) / NS_PER_S);
		return;
	}
	int working = l->kind->cpu_is_work ? s->workers : workers_that_work(l);
	if (working < l->params.level && now - l->level_ns > 2 * stall) {
		s->state = LOAD_FAILED;
		snprintf(s->reason, sizeof s->reason, "only %d of %d workers work", working, l->params.level);
		return;
	}
	if (worked && (working == l->params.level || s->state != LOAD_STARTING)) {
		s->state = LOAD_ON;
		read_note(l);
	}
}

static void
ended(struct load *l, int status)
{
	const struct load_shared *sh = l->child.shared;
	struct load_status *s = &l->status;
	int phase = atomic_load(&sh->phase);
	bool asked = s->state == LOAD_STOPPING;
	collect(l);
	s->workers = 0;
	s->rss_bytes = 0;
	s->cpu_pct = NAN;
	s->reason[0] = '\0';
	s->state = LOAD_OFF;
	if (phase == PHASE_DONE || asked) {
		if (!asked && l->params.passes)
			snprintf(s->reason, sizeof s->reason, "%llu passes done",
			    (unsigned long long)s->passes);
		return;
	}
	s->state = LOAD_FAILED;
	if (phase == PHASE_FAILED)
		read_note(l);
	else if (WIFSIGNALED(status))
		snprintf(s->reason, sizeof s->reason, "its process was killed (signal %d)", WTERMSIG(status));
	else
		snprintf(s->reason, sizeof s->reason, "its process ended (status %d)", WEXITSTATUS(status));
}

void
load_tend(struct load *l)
{
	int status;
	if (!alive(l))
		return;
	if (child_reap(&l->child, &status)) {
		bool again = l->restart;
		ended(l, status);
		child_close(&l->child, 0);
		if (again)
			begin(l, NULL);
		return;
	}
	collect(l);
	if (l->status.state == LOAD_STOPPING || l->restart) {
		if (clock_now_ns() - l->asked_ns > OBEY_NS)
			child_kill(&l->child);
		return;
	}
	judge(l);
}

void
load_read(const struct load *l, struct load_status *s)
{
	*s = l->status;
	if (alive(l) && l->child.shared && !l->restart)
		s->work = work_of(l->child.shared);
}
