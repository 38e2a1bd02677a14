// The ladder of policies on a machine of our own making: what the kernel allows is decided here, as
// a machine of the project lets nobody have a part of real-time.
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "probe/policy.h"

struct fake_attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

// The machine: what it allows, and what the thread has.
static struct {
	rlim_t rtprio, rtprio_hard, rttime;
	bool root;
	int denied_nice_below; // other:N below it is refused
	struct fake_attr now;
	int tries;
} machine;

// The start of a sanitizer calls these before it is ready for them.
#define UNCHECKED __attribute__((no_sanitize("address", "thread", "undefined")))

UNCHECKED long
syscall(long number, ...)
{
	va_list ap;
	va_start(ap, number);
	va_arg(ap, int);
	struct fake_attr *a = va_arg(ap, struct fake_attr *);
	va_end(ap);
	if (number == SYS_gettid)
		return getpid();
	if (number == SYS_sched_getattr) {
		*a = machine.now;
		return 0;
	}
	if (number != SYS_sched_setattr) {
		errno = ENOSYS;
		return -1;
	}
	machine.tries++;
	bool real_time = a->policy == SCHED_FIFO || a->policy == SCHED_RR;
	bool allowed = machine.root || (real_time && a->priority <= machine.rtprio) ||
		       (a->policy == SCHED_OTHER && a->nice >= machine.denied_nice_below);
	if (!allowed) {
		errno = EPERM;
		return -1;
	}
	machine.now = *a;
	return 0;
}

UNCHECKED int
getrlimit(__rlimit_resource_t resource, struct rlimit *l)
{
	if (resource == RLIMIT_RTPRIO)
		*l = (struct rlimit){machine.rtprio, machine.rtprio_hard};
	else if (resource == RLIMIT_RTTIME)
		*l = (struct rlimit){machine.rttime, machine.rttime};
	else
		return prlimit(0, resource, NULL, l);
	return 0;
}

UNCHECKED int
setrlimit(__rlimit_resource_t resource, const struct rlimit *l)
{
	if (resource != RLIMIT_RTPRIO && resource != RLIMIT_RTTIME)
		return prlimit(0, resource, l, NULL);
	if (resource == RLIMIT_RTPRIO && l->rlim_cur <= machine.rtprio_hard)
		machine.rtprio = l->rlim_cur;
	return 0;
}

static const struct policy fifo80 = {POLICY_FIFO, 80};
static const struct policy_need small = {.period_ns = NS_PER_MS, .run_ns = 0, .cpu = -1};

static int
ordinary_user(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof machine);
	machine.rttime = RLIM_INFINITY;
	setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent", 1);
	return 0;
}

static void
got_is(struct policy asked, struct policy_need need, const char *want, unsigned want_doubts)
{
	struct policy got;
	unsigned doubts = 0;
	char buf[24];
	policy_apply(asked, need, &got, &doubts);
	assert_string_equal(policy_text(buf, sizeof buf, got), want);
	assert_int_equal(doubts, want_doubts);
}

static void
root_gets_what_it_asks(void **state)
{
	(void)state;
	machine.root = true;
	got_is(fifo80, small, "fifo:80", 0);
	assert_int_equal(machine.now.flags & 1, 1);
	got_is((struct policy){POLICY_RR, 7}, small, "rr:7", 0);
	got_is((struct policy){POLICY_OTHER, -5}, small, "other:-5", 0);
}

static void
a_lower_limit_gives_the_highest_priority_it_allows(void **state)
{
	(void)state;
	machine.rtprio = machine.rtprio_hard = 10;
	got_is(fifo80, small, "fifo:10", DOUBT_POLICY);
	got_is((struct policy){POLICY_RR, 99}, small, "rr:10", DOUBT_POLICY);
	got_is((struct policy){POLICY_FIFO, 5}, small, "fifo:5", 0);
}

static void
a_soft_limit_is_raised_to_the_hard_one(void **state)
{
	(void)state;
	machine.rtprio_hard = 95;
	got_is(fifo80, small, "fifo:80", 0);
}

static void
without_any_it_is_an_ordinary_thread_with_exact_timers(void **state)
{
	(void)state;
	prctl(PR_SET_TIMERSLACK, 50000UL);
	got_is(fifo80, small, "other", DOUBT_POLICY);
	assert_int_equal(prctl(PR_GET_TIMERSLACK), 1);
	machine.denied_nice_below = 0;
	got_is((struct policy){POLICY_OTHER, -5}, small, "other", DOUBT_POLICY);
}

static void
deadline_has_room_for_its_work_and_falls_to_fifo(void **state)
{
	(void)state;
	machine.root = true;
	struct policy deadline = {POLICY_DEADLINE, 0};
	got_is(deadline, (struct policy_need){NS_PER_MS, 800000, -1}, "deadline", 0);
	assert_int_equal(machine.now.period, NS_PER_MS);
	assert_true(machine.now.runtime >= 850000 && machine.now.runtime < machine.now.period);
	got_is(deadline, (struct policy_need){10 * NS_PER_US, 0, -1}, "deadline", 0);
	assert_int_equal(machine.now.period, 100 * NS_PER_US);
	got_is(deadline, (struct policy_need){10 * NS_PER_S, 0, -1}, "deadline", 0);
	assert_int_equal(machine.now.period, 4 * NS_PER_S);
	got_is(deadline, (struct policy_need){NS_PER_MS, 0, 1}, "fifo:80", DOUBT_POLICY);
}

// A real-time thread that would outlast RLIMIT_RTTIME is killed, and the whole program with it.
static void
a_loop_longer_than_rttime_is_not_real_time(void **state)
{
	(void)state;
	machine.root = true;
	machine.rttime = 200000;
	got_is(fifo80, (struct policy_need){NS_PER_S, 900 * NS_PER_MS, -1}, "other", DOUBT_POLICY);
	got_is(fifo80, (struct policy_need){10 * NS_PER_MS, 9 * NS_PER_MS, -1}, "fifo:80", 0);
}

static void
policies_are_read_as_they_are_written(void **state)
{
	(void)state;
	static const char *const good[] = {
	    "fifo:1", "fifo:99", "rr:50", "other", "other:-20", "other:19", "deadline"};
	static const char *const bad[] = {"", "fifo:0", "fifo:100", "fifo:", "fifo:8x", "fifo80",
	    "FIFO:1", "other:20", "deadline:1", "idle", "fifo:-1", "fifo:1:2", "\x1b[31m"};
	char buf[24];
	struct policy p;
	struct err e;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(policy_parse(good[i], &p, &e), 0);
		assert_string_equal(policy_text(buf, sizeof buf, p), good[i]);
	}
	assert_int_equal(policy_parse("rr", &p, &e), 0);
	assert_string_equal(policy_text(buf, sizeof buf, p), "rr:80");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(policy_parse(bad[i], &p, &e), -1);
		assert_non_null(strstr(e.text, "fifo:1..99"));
		assert_null(strchr(e.text, '\x1b'));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(root_gets_what_it_asks, ordinary_user),
	    cmocka_unit_test_setup(
		a_lower_limit_gives_the_highest_priority_it_allows, ordinary_user),
	    cmocka_unit_test_setup(a_soft_limit_is_raised_to_the_hard_one, ordinary_user),
	    cmocka_unit_test_setup(
		without_any_it_is_an_ordinary_thread_with_exact_timers, ordinary_user),
	    cmocka_unit_test_setup(deadline_has_room_for_its_work_and_falls_to_fifo, ordinary_user),
	    cmocka_unit_test_setup(a_loop_longer_than_rttime_is_not_real_time, ordinary_user),
	    cmocka_unit_test_setup(policies_are_read_as_they_are_written, ordinary_user),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
