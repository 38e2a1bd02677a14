// The ladder of scheduling policies, from what was asked down to an ordinary thread, and what the
// kernel says of it. Must not know what is measured.
#include "probe/policy.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "probe/rtkit.h"

#define PRIORITY_DEFAULT 80
#define RESET_ON_FORK 1
#define RUNTIME_MOST_PCT 94               // the kernel admits 95% of each CPU
#define RTKIT_RUN_MAX_NS (80 * NS_PER_MS) // RealtimeKit's own RLIMIT_RTTIME is 200 ms
#define DEADLINE 6                        // SCHED_DEADLINE; not in every libc's sched.h
#define DEADLINE_PERIOD_MIN_NS                                                                     \
	(100 * NS_PER_US) // sched_deadline_period_min_us and _max_us of the kernel
#define DEADLINE_PERIOD_MAX_NS (4 * NS_PER_S)

// sched_setattr(2), first published size.
struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static const char *const kind_names[] = {
    [POLICY_OTHER] = "other",
    [POLICY_FIFO] = "fifo",
    [POLICY_RR] = "rr",
    [POLICY_DEADLINE] = "deadline",
};

static const uint32_t kind_number[] = {
    [POLICY_OTHER] = SCHED_OTHER,
    [POLICY_FIFO] = SCHED_FIFO,
    [POLICY_RR] = SCHED_RR,
    [POLICY_DEADLINE] = DEADLINE,
};

static bool
is_priority_kind(enum policy_kind k)
{
	return k == POLICY_FIFO || k == POLICY_RR;
}

int
policy_parse(const char *s, struct policy *p, struct err *e)
{
	size_t name = strcspn(s, ":");
	for (int k = POLICY_OTHER; k <= POLICY_DEADLINE; k++) {
		if (strlen(kind_names[k]) != name || strncmp(s, kind_names[k], name) != 0)
			continue;
		*p = (struct policy){
		    .kind = k, .priority = is_priority_kind(k) ? PRIORITY_DEFAULT : 0};
		if (!s[name])
			return 0;
		long lo = is_priority_kind(k) ? 1 : -20, hi = is_priority_kind(k) ? 99 : 19, n;
		if (k == POLICY_DEADLINE || text_parse_long(s + name + 1, lo, hi, &n, NULL))
			break;
		p->priority = (int)n;
		return 0;
	}
	char shown[64];
	return err_set(e,
	    "policy '%s' is not known; allowed: fifo:1..99, rr:1..99, other, other:-20..19 (nice), "
	    "deadline",
	    text_safe(shown, sizeof shown, s));
}

char *
policy_text(char *buf, size_t size, struct policy p)
{
	const char *name = (unsigned)p.kind <= POLICY_DEADLINE ? kind_names[p.kind] : "unknown";
	if (is_priority_kind(p.kind) || (p.kind == POLICY_OTHER && p.priority))
		snprintf(buf, size, "%s:%d", name, p.priority);
	else
		snprintf(buf, size, "%s", name);
	return buf;
}

static int
set(const struct attr *a)
{
	return (int)syscall(SYS_sched_setattr, 0, a, 0);
}

static int
set_policy(struct policy p)
{
	struct attr a = {.size = sizeof a, .policy = kind_number[p.kind], .flags = RESET_ON_FORK};
	if (is_priority_kind(p.kind))
		a.priority = (uint32_t)p.priority;
	else
		a.nice = p.priority;
	return set(&a);
}

static int
set_deadline(const struct policy_need *need)
{
	int64_t period =
	    need->period_ns < DEADLINE_PERIOD_MIN_NS ? DEADLINE_PERIOD_MIN_NS : need->period_ns;
	if (period > DEADLINE_PERIOD_MAX_NS)
		period = DEADLINE_PERIOD_MAX_NS;
	int64_t spare = period / 10 > 50 * NS_PER_US ? period / 10 : 50 * NS_PER_US;
	int64_t runtime = need->run_ns + need->run_ns / 10 + spare;
	if (runtime > period * RUNTIME_MOST_PCT / 100)
		runtime = period * RUNTIME_MOST_PCT / 100;
	struct attr a = {.size = sizeof a,
	    .policy = DEADLINE,
	    .flags = RESET_ON_FORK,
	    .runtime = (uint64_t)runtime,
	    .deadline = (uint64_t)period,
	    .period = (uint64_t)period};
	return set(&a);
}

static rlim_t
raised_limit(int resource)
{
	struct rlimit l;
	if (getrlimit(resource, &l))
		return 0;
	if (l.rlim_cur != l.rlim_max) {
		struct rlimit up = {.rlim_cur = l.rlim_max, .rlim_max = l.rlim_max};
		if (!setrlimit(resource, &up))
			return up.rlim_cur;
	}
	return l.rlim_cur;
}

// A real-time thread that runs longer than RLIMIT_RTTIME without a sleep is killed with its whole
// process.
static bool
fits_rttime(const struct policy_need *need)
{
	rlim_t us = raised_limit(RLIMIT_RTTIME);
	return us == RLIM_INFINITY || need->run_ns < (int64_t)(us / 2) * NS_PER_US;
}

static bool
climb(struct policy asked, const struct policy_need *need)
{
	if (asked.kind == POLICY_DEADLINE) {
		if (need->cpu < 0 && !set_deadline(need))
			return true;
		asked = (struct policy){.kind = POLICY_FIFO, .priority = PRIORITY_DEFAULT};
	}
	if (!fits_rttime(need))
		return false;
	if (!set_policy(asked))
		return true;
	rlim_t limit = raised_limit(RLIMIT_RTPRIO);
	if (limit > 0) {
		struct policy less = asked;
		if (limit < (rlim_t)asked.priority)
			less.priority = (int)limit;
		if (!set_policy(less))
			return true;
	}
	if (need->run_ns > RTKIT_RUN_MAX_NS)
		return false;
	struct err ignored;
	return !rtkit_raise((pid_t)syscall(SYS_gettid), asked.priority, &ignored);
}

void
policy_apply(struct policy asked, struct policy_need need, struct policy *got, unsigned *doubts)
{
	if (asked.kind == POLICY_OTHER || !climb(asked, &need)) {
		struct policy plain = {.kind = POLICY_OTHER, .priority = 0};
		if (asked.kind != POLICY_OTHER || set_policy(asked))
			set_policy(plain);
		prctl(PR_SET_TIMERSLACK, 1UL);
	}
	if (policy_read(0, got))
		*got = (struct policy){.kind = POLICY_OTHER};
	if (!policy_met(asked, *got))
		*doubts |= DOUBT_POLICY;
}

int
policy_read(pid_t tid, struct policy *got)
{
	struct attr a = {0};
	if (syscall(SYS_sched_getattr, tid, &a, sizeof a, 0))
		return -1;
	*got = (struct policy){.kind = POLICY_OTHER, .priority = a.nice};
	for (int k = POLICY_FIFO; k <= POLICY_DEADLINE; k++)
		if (a.policy == kind_number[k])
			*got = (struct policy){.kind = k, .priority = (int)a.priority};
	return 0;
}

bool
policy_met(struct policy asked, struct policy got)
{
	if (asked.kind != got.kind)
		return false;
	return is_priority_kind(asked.kind) ? got.priority >= asked.priority
					    : got.priority == asked.priority;
}
