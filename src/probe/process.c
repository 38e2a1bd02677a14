// Both sides of a probe that is a process of its own.
// Must not know what it measures.
#include "probe/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "probe/policy.h"
#include "probe/stall.h"

#define WAIT_FIRST_NS (NS_PER_S / 2)
#define WAIT_MOST_NS (30 * NS_PER_S)
#define STEADY_NS (10 * NS_PER_S) // after so long it counts as sound again
#define STOP_MS 2000
#define ORDINARY_SLACK_NS 50000UL

static size_t
shared_bytes(void)
{
	return sizeof(struct process_shared) + ring_bytes(PROCESS_RING, sizeof(struct sample));
}

static int
read_oom_score_adj(void)
{
	FILE *f = fopen("/proc/self/oom_score_adj", "re");
	int v = 0;
	if (f && fscanf(f, "%d", &v) != 1)
		v = 0;
	if (f)
		fclose(f);
	return v;
}

struct preparing {
	struct probe *p;
	const struct process *pr;
};

// What went on before, so that nothing steps back: the hold, samples dropped, and the time without
// a process.
static void
prepare(void *shared, void *data)
{
	struct preparing *q = data;
	struct process_shared *s = shared;
	const struct probe_config *c = &q->p->config;
	s->oom_score_adj = read_oom_score_adj();
	if (c->job)
		snprintf(s->command, sizeof s->command, "%s", c->job);
	if (c->dir)
		snprintf(s->dir, sizeof s->dir, "%s", c->dir);
	struct ring *r = ring_init(s->ring, PROCESS_RING, sizeof(struct sample));
	atomic_store(&r->dropped, atomic_load(&q->p->ring->dropped));
	atomic_store(&s->live.hold, atomic_load(&q->p->live->hold));
	atomic_store(&s->live.state, PROBE_STARTING);
	atomic_store(&s->live.policy, -1);
	atomic_store(&s->live.hardware, -1);
	if (!q->pr->ended_ns)
		return;
	int64_t now = clock_now_ns();
	struct sample gap = stall_sample(SAMPLE_GAP, now, 0);
	gap.value[Q_LATE] = now - q->pr->ended_ns;
	ring_push(r, &gap);
}

static int
spawn(struct probe *p, struct process *pr, struct err *e)
{
	struct child fresh;
	struct preparing q = {p, pr};
	if (child_start(&fresh, pr->role, "", shared_bytes(), prepare, &q, e))
		return -1;
	child_close(&pr->child, 0);
	pr->child = fresh;
	struct process_shared *s = fresh.shared;
	p->live = &s->live;
	p->ring = (struct ring *)s->ring;
	pr->started_ns = clock_now_ns();
	return 0;
}

int
process_start(struct probe *p, struct process *pr, struct err *e)
{
	pr->own_live = p->live;
	pr->own_ring = p->ring;
	pr->wait_ns = WAIT_FIRST_NS;
	pr->child = (struct child){.life = -1};
	return spawn(p, pr, e);
}

// What the child ran in a group of its own, and what it left on the disk.
static void
end_group(const struct process_shared *s)
{
	int group = atomic_load(&s->group);
	if (group > 0)
		kill(-group, SIGKILL);
}

static void
clean_up(const struct process *pr)
{
	const struct process_shared *s = pr->child.shared;
	end_group(s);
	if (pr->clean)
		pr->clean(s->folder);
}

static void
note_end(struct probe *p, struct process *pr, int status)
{
	const struct process_shared *s = pr->child.shared;
	clean_up(pr);
	int64_t now = clock_now_ns();
	if (now - pr->started_ns > STEADY_NS)
		pr->wait_ns = WAIT_FIRST_NS;
	if (WIFSIGNALED(status))
		snprintf(pr->words, sizeof pr->words, "its process was killed by signal %d (%s)",
		    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (s->words[0])
		snprintf(pr->words, sizeof pr->words, "%.119s", s->words);
	else
		snprintf(pr->words, sizeof pr->words, "its process ended with status %d",
		    WEXITSTATUS(status));
	pr->ended_ns = now;
	pr->retry_ns = now + pr->wait_ns;
	pr->wait_ns = pr->wait_ns * 2 > WAIT_MOST_NS ? WAIT_MOST_NS : pr->wait_ns * 2;
	atomic_store(&p->live->tid, 0);
	atomic_store(&p->live->state, PROBE_LOST);
}

void
process_tend(struct probe *p, struct process *pr)
{
	int status;
	if (child_reap(&pr->child, &status))
		note_end(p, pr, status);
	if (pr->child.pid > 0 || clock_now_ns() < pr->retry_ns)
		return;
	struct err e;
	if (spawn(p, pr, &e)) {
		text_safe(pr->words, sizeof pr->words, e.text);
		pr->retry_ns = clock_now_ns() + pr->wait_ns;
	}
}

void
process_stop(struct probe *p, struct process *pr)
{
	int64_t until = clock_now_ns() + STOP_MS * NS_PER_MS;
	child_stop(&pr->child);
	end_group(pr->child.shared);
	atomic_store(&pr->own_ring->dropped, atomic_load(&p->ring->dropped));
	p->live = pr->own_live;
	p->ring = pr->own_ring;
	while (pr->child.pid > 0 && !child_reap(&pr->child, NULL) && clock_now_ns() < until)
		clock_sleep_until(clock_now_ns() + NS_PER_MS);
	if (pr->child.pid > 0)
		child_kill(&pr->child);
	clean_up(pr);
	child_close(&pr->child, STOP_MS);
	atomic_store(&p->live->state, PROBE_OFF);
}

void
process_reason(const struct probe *p, const struct process *pr, char *buf, size_t size)
{
	const struct process_shared *s = pr->child.shared;
	buf[0] = '\0';
	if (atomic_load(&p->live->state) != PROBE_LOST)
		return;
	char words[sizeof s->words];
	if (pr->child.pid > 0)
		memcpy(words, s->words, sizeof words);
	else
		memcpy(words, pr->words, sizeof words);
	words[sizeof words - 1] = '\0';
	text_safe(buf, size, words);
}

struct process_shared *
process_enter(struct ring **ring)
{
	struct process_shared *s = child_enter(shared_bytes());
	FILE *f = fopen("/proc/self/oom_score_adj", "we");
	if (f) {
		fprintf(f, "%d", s->oom_score_adj);
		fclose(f);
	}
	prctl(PR_SET_TIMERSLACK, ORDINARY_SLACK_NS);
	struct policy got = {.kind = POLICY_OTHER};
	policy_read(0, &got);
	atomic_store(&s->live.priority, got.priority);
	atomic_store(&s->live.policy, (int)got.kind);
	atomic_store(&s->live.tid, (int)getpid());
	*ring = (struct ring *)s->ring;
	return s;
}
