// The echo probe: irman's round trip of one character between two ordinary processes, every 10 ms,
// the answering one with a memory footprint of its own. What an ordinary program feels: neither
// locked nor real-time. Must not know who reads its samples.
#include "probe/echo.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "probe/kinds.h"
#include "probe/process.h"
#include "probe/schedule.h"
#include "probe/stall.h"

#define PERIOD_NS (10 * NS_PER_MS)
#define FOOTPRINT ((size_t)16 * 1024 * 1024)
#define STEP 4096  // one touch a page
#define TOUCHES 64 // an answer: the whole footprint in 64 answers
#define HOLD_LOOK_NS (20 * NS_PER_MS)
#define BUSY_EVERY 50 // answers between looks at the CPU time

struct pair {
	struct process_shared *shared;
	struct ring *ring;
	int ask, answer; // pipes: write end of the one, read end of the other
	pid_t answerer;
	struct stall stall;
	int64_t due_ns, asked_ns;
	unsigned answers;
};

// The answering process: its whole life.
static void
answer(int questions, int answers)
{
	unsigned char *memory = malloc(FOOTPRINT);
	if (!memory)
		_exit(3);
	memset(memory, 1, FOOTPRINT);
	size_t at = 0;
	char c;
	while (read(questions, &c, 1) == 1) {
		for (int i = 0; i < TOUCHES; i++) {
			memory[at]++;
			at = (at + STEP) % FOOTPRINT;
		}
		if (write(answers, &c, 1) != 1)
			break;
	}
	_exit(0);
}

static int
start_answerer(struct pair *p)
{
	int to[2], from[2];
	if (pipe(to) || pipe(from))
		return -1;
	pid_t parent = getpid();
	p->answerer = fork();
	if (p->answerer == -1)
		return -1;
	if (p->answerer == 0) {
		signal(SIGHUP, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "stutter-answer");
		if (getppid() != parent)
			_exit(1);
		close(to[1]);
		close(from[0]);
		answer(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	p->ask = to[1];
	p->answer = from[0];
	return 0;
}

// One question and its answer: 0, or -1 where nobody answers.
static int
exchange(struct pair *p)
{
	char c = 'x';
	return write(p->ask, &c, 1) == 1 && read(p->answer, &c, 1) == 1 ? 0 : -1;
}

static void
note_busy(struct pair *p)
{
	if (p->answers++ % BUSY_EVERY)
		return;
	struct timespec mine, its;
	clockid_t clock;
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mine) ||
	    clock_getcpuclockid(p->answerer, &clock) || clock_gettime(clock, &its))
		return;
	atomic_store(
	    &p->shared->live.busy_ns, clock_from_timespec(&mine) + clock_from_timespec(&its));
}

static void
push_gap(struct pair *p, int64_t now, int64_t length)
{
	struct sample s = stall_sample(SAMPLE_GAP, now, PERIOD_NS);
	s.value[Q_LATE] = length;
	ring_push(p->ring, &s);
}

int64_t
echo_round(
    int64_t *due_ns, int64_t period_ns, int64_t asked_ns, int64_t answered_ns, uint32_t *missed)
{
	int64_t from = asked_ns - *due_ns >= period_ns ? *due_ns : asked_ns;
	int64_t took = answered_ns > from ? answered_ns - from : 0;
	*missed = (uint32_t)(took / period_ns);
	*due_ns += ((answered_ns - *due_ns) / period_ns + 1) * period_ns;
	return took;
}

// Asks at DUE, once; -1 where nobody answers.
static int
ask(struct pair *p)
{
	int64_t asked = clock_now_ns(), slept;
	if (exchange(p))
		return -1;
	int64_t now = clock_now_ns();
	if (stall_look(&p->stall, &p->shared->live, now, &slept)) {
		while (stall_held(&p->stall, &p->shared->live) && !child_should_stop())
			clock_sleep_until(clock_now_ns() + HOLD_LOOK_NS);
		now = clock_now_ns();
		push_gap(p, now, now - p->asked_ns + slept);
		p->due_ns = now + PERIOD_NS;
		p->asked_ns = now;
		return 0;
	}
	p->asked_ns = asked;
	struct sample s = stall_sample(SAMPLE_WAKE, now, PERIOD_NS);
	s.value[Q_LATE] = echo_round(&p->due_ns, PERIOD_NS, asked, now, &s.missed);
	ring_push(p->ring, &s);
	note_busy(p);
	return 0;
}

int
echo_main(void)
{
	struct pair p = {0};
	p.shared = process_enter(&p.ring);
	prctl(PR_SET_NAME, "stutter-echo");
	signal(SIGPIPE, SIG_IGN);
	struct probe_live *live = &p.shared->live;
	if (start_answerer(&p) || exchange(&p)) {
		snprintf(p.shared->words, sizeof p.shared->words, "no second process: %s",
		    p.answerer > 0 ? "it ended at once" : strerror(errno));
		return 1;
	}
	stall_init(&p.stall, live);
	p.asked_ns = clock_now_ns();
	p.due_ns = p.asked_ns + PERIOD_NS;
	atomic_store(&live->period_ns, PERIOD_NS);
	atomic_store(&live->state, PROBE_RUNNING);
	int r = 0;
	while (!r && !child_should_stop()) {
		clock_sleep_until(p.due_ns);
		r = ask(&p);
	}
	bool asked_to = child_should_stop();
	if (!asked_to) {
		int status = 0;
		close(p.ask);
		waitpid(p.answerer, &status, 0);
		snprintf(p.shared->words, sizeof p.shared->words, "its answering process %s %d",
		    WIFSIGNALED(status) ? "was killed by signal" : "ended with status",
		    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		return 1;
	}
	kill(p.answerer, SIGKILL);
	waitpid(p.answerer, NULL, 0);
	return 0;
}

static int
start(struct probe *p, struct err *e)
{
	struct process *pr = calloc(1, sizeof *pr);
	if (!pr)
		return err_set(e, "no memory for the echo probe");
	pr->role = "echo";
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

const struct probe_kind probe_echo = {
    .name = "echo",
    .does = "round trip of one character between two ordinary processes every 10 ms, as irman",
    .more =
	"it stands for an ordinary program: neither locked nor real-time, and it is meant to be so",
    .quantities = 1u << Q_LATE,
    .weighted = true,
    .unit = "answer",
    .start = start,
    .stop = stop,
    .tend = tend,
    .reason = reason,
};
