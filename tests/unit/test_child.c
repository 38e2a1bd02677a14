// Children of stutter: they start from a busy program with threads, are ordinary processes, and never outlive it, nor
// does anything that they started.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/child.h"
#include "base/clock.h"

#define FAMILY 8

struct page {
	int question; // by the parent, before the start
	_Atomic int ready;
	pid_t pid, family[FAMILY];
	int answer, policy, nice, oom, subreaper, descriptors, group_leader;
	bool signals_as_new, stdin_null;
	char arg[32];
};

static int
open_descriptors(void)
{
	int n = 0;
	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return n;
}

static bool
lives(pid_t pid)
{
	char path[40], state = 'Z';
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	fclose(f);
	return state != 'Z';
}

// Polls with a deadline that only a broken program reaches.
#define eventually(cond) \
	do { \
		bool is_; \
		for (int64_t until_ = clock_now_ns() + 30 * NS_PER_S; !(is_ = (cond)) && clock_now_ns() < until_;) \
			usleep(2000); \
		assert_true(is_); \
	} while (0)

// The roles.

static int
tell(struct page *p, const char *arg)
{
	sigset_t set;
	struct sigaction sa;
	struct stat st;
	p->pid = getpid();
	p->answer = p->question * 2;
	p->policy = sched_getscheduler(0);
	p->nice = getpriority(PRIO_PROCESS, 0);
	prctl(PR_GET_CHILD_SUBREAPER, &p->subreaper);
	p->group_leader = getpgrp() == getpid();
	p->descriptors = open_descriptors();
	sigprocmask(SIG_SETMASK, NULL, &set);
	p->signals_as_new = sigismember(&set, SIGUSR1) == 0 && sigaction(SIGUSR2, NULL, &sa) == 0 &&
	    sa.sa_handler == SIG_DFL;
	p->stdin_null = fstat(0, &st) == 0 && S_ISCHR(st.st_mode);
	snprintf(p->arg, sizeof p->arg, "%s", arg);
	FILE *f = fopen("/proc/self/oom_score_adj", "r");
	if (!f || fscanf(f, "%d", &p->oom) != 1)
		p->oom = -1;
	if (f)
		fclose(f);
	atomic_store(&p->ready, 1);
	while (!child_should_stop())
		usleep(1000);
	return 7;
}

static void
stay(struct page *p, int i)
{
	p->family[i] = getpid();
	for (;;)
		pause();
}

// One child that ignores what it can, a chain of three, a daemon of its own session, one in a group of its own.
static int
raise_family(struct page *p)
{
	if (fork() == 0) {
		signal(SIGHUP, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		stay(p, 0);
	}
	if (fork() == 0) {
		if (fork() == 0) {
			if (fork() == 0)
				stay(p, 1);
			stay(p, 2);
		}
		stay(p, 3);
	}
	if (fork() == 0) {
		setsid();
		if (fork() == 0)
			stay(p, 4);
		_exit(0);
	}
	if (fork() == 0) {
		setpgid(0, 0);
		stay(p, 5);
	}
	for (int i = 0; i < 6; i++)
		while (!*(volatile pid_t *)&p->family[i])
			usleep(1000);
	atomic_store(&p->ready, 1);
	while (!child_should_stop())
		usleep(1000);
	child_end_descendants();
	return 0;
}

// Stands for stutter itself: has a family, tells who they are, and waits to be killed.
static int
be_parent(struct page *p)
{
	struct child c;
	if (child_start(&c, "family", "", sizeof(struct page), NULL, NULL, NULL) == -1)
		return 1;
	struct page *theirs = c.shared;
	while (!atomic_load(&theirs->ready))
		usleep(1000);
	memcpy(p->family, theirs->family, sizeof p->family);
	p->family[6] = c.pid;
	if (p->question == SIGSEGV)
		signal(SIGSEGV, SIG_DFL); // a sanitizer's handler would print
	atomic_store(&p->ready, 1);
	for (;;)
		pause();
}

static int
be_child(const char *role, const char *arg)
{
	struct page *p = child_enter(sizeof *p);
	if (strcmp(role, "tell") == 0)
		return tell(p, arg);
	if (strcmp(role, "family") == 0)
		return raise_family(p);
	if (strcmp(role, "parent") == 0)
		return be_parent(p);
	if (strcmp(role, "deaf") == 0) {
		signal(SIGTERM, SIG_IGN);
		atomic_store(&p->ready, 1);
		for (;;)
			pause();
	}
	if (strcmp(role, "orphans") == 0) { // ends, and forgets one of its group
		pid_t other = fork();
		if (other == 0)
			for (;;)
				pause();
		p->family[0] = other;
		_exit(3);
	}
	return 9;
}

// The tests.

static void
ask(void *shared, void *data)
{
	((struct page *)shared)->question = *(int *)data;
}

static void
a_child_is_an_ordinary_process(void **state)
{
	(void)state;
	struct child c;
	struct err e;
	int question = 21, status = 0;
	// what ours is like must not rub off
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR2, SIG_IGN);
	int leak = open("/dev/null", O_RDONLY);
	setpriority(PRIO_PROCESS, 0, -5);
	struct sched_param sp = {.sched_priority = 1};
	bool real_time = sched_setscheduler(0, SCHED_FIFO, &sp) == 0;
	assert_int_equal(child_start(&c, "tell", "some:thing", sizeof(struct page), ask, &question, &e), 0);
	if (real_time)
		sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
	setpriority(PRIO_PROCESS, 0, 0);
	close(leak);
	struct page *p = c.shared;
	eventually(atomic_load(&p->ready));
	assert_int_equal(p->pid, c.pid);
	assert_int_equal(p->answer, 42);
	assert_string_equal(p->arg, "some:thing");
	assert_int_equal(p->policy, SCHED_OTHER);
	assert_int_equal(p->nice, 0);
	assert_int_equal(p->oom, 1000);
	assert_int_equal(p->subreaper, 1);
	assert_int_equal(p->group_leader, 1);
	assert_int_equal(p->descriptors, 5);
	assert_true(p->signals_as_new);
	assert_true(p->stdin_null);
	char path[40], name[64] = "";
	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)c.pid);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(name, 1, sizeof name - 1, f) > 0);
	fclose(f);
	assert_string_equal(name, "stutter:");
	assert_string_equal(name + 9, "tell");
	assert_false(child_reap(&c, &status));
	child_stop(&c);
	eventually(child_reap(&c, &status));
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	assert_false(child_reap(&c, &status)); // once
	assert_int_equal(p->answer, 42);       // still mapped
	child_close(&c, 0);
	assert_null(c.shared);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void
the_end_of_the_pipe_stops_it(void **state)
{
	(void)state;
	struct child c;
	int status = 0;
	assert_int_equal(child_start(&c, "tell", "", sizeof(struct page), NULL, NULL, NULL), 0);
	eventually(atomic_load(&((struct page *)c.shared)->ready));
	close(c.life);
	c.life = -1;
	eventually(child_reap(&c, &status));
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	child_close(&c, 0);
}

static void
all_descendants_end_with_it(void **state)
{
	(void)state;
	struct child c;
	assert_int_equal(child_start(&c, "family", "", sizeof(struct page), NULL, NULL, NULL), 0);
	struct page *p = c.shared, seen;
	eventually(atomic_load(&p->ready));
	seen = *p;
	for (int i = 0; i < 6; i++)
		assert_true(lives(seen.family[i]));
	child_close(&c, 20000);
	for (int i = 0; i < 6; i++)
		assert_false(lives(seen.family[i]));
}

static void
however_the_parent_dies_all_of_them_die(void **state)
{
	(void)state;
	static const int how[] = {SIGKILL, SIGSEGV, SIGTERM};
	for (size_t i = 0; i < 3; i++) {
		struct child c;
		int question = how[i], status = 0;
		assert_int_equal(child_start(&c, "parent", "", sizeof(struct page), ask, &question, NULL), 0);
		struct page *p = c.shared;
		eventually(atomic_load(&p->ready));
		for (int k = 0; k < 7; k++)
			assert_true(lives(p->family[k]));
		kill(c.pid, how[i] == SIGTERM ? SIGHUP : how[i]);
		eventually(child_reap(&c, &status));
		for (int k = 0; k < 7; k++)
			eventually(!lives(p->family[k]));
		child_close(&c, 0);
	}
}

static void
who_does_not_obey_is_killed(void **state)
{
	(void)state;
	struct child c;
	assert_int_equal(child_start(&c, "deaf", "", sizeof(struct page), NULL, NULL, NULL), 0);
	eventually(atomic_load(&((struct page *)c.shared)->ready));
	pid_t pid = c.pid;
	child_close(&c, 50);
	assert_false(lives(pid));
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	child_close(&c, 50); // again does nothing
	struct child zero = {0};
	child_close(&zero, 50);
	assert_int_equal(fcntl(0, F_GETFD), 0);
}

static void
who_is_left_of_its_group_is_killed(void **state)
{
	(void)state;
	struct child c;
	int status = 0;
	pid_t mine = fork(); // no business of child_reap
	if (mine == 0)
		_exit(5);
	assert_int_equal(child_start(&c, "orphans", "", sizeof(struct page), NULL, NULL, NULL), 0);
	eventually(child_reap(&c, &status));
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	pid_t left = ((struct page *)c.shared)->family[0];
	assert_true(left > 0);
	eventually(!lives(left));
	assert_int_equal(waitpid(mine, &status, 0), mine);
	assert_int_equal(WEXITSTATUS(status), 5);
	child_close(&c, 0);
}

static atomic_bool enough;

static void *
allocate(void *arg)
{
	(void)arg;
	while (!enough) {
		void *volatile m = malloc(5000);
		free(m);
		FILE *f = fopen("/dev/null", "r");
		if (f)
			fclose(f);
	}
	return NULL;
}

static void
a_hundred_starts_amid_busy_threads_leave_nothing(void **state)
{
	(void)state;
	pthread_t thread[4];
	int before = open_descriptors();
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, allocate, NULL), 0);
	for (int i = 0; i < 100; i++) {
		struct child c;
		assert_int_equal(child_start(&c, "tell", "x", sizeof(struct page), NULL, NULL, NULL), 0);
		if (i % 2)
			eventually(atomic_load(&((struct page *)c.shared)->ready));
		child_close(&c, i % 3 ? 20000 : 0);
	}
	enough = true;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void
no_descriptors_left_is_an_error_and_nothing_more(void **state)
{
	(void)state;
	struct rlimit old, tight;
	struct child c;
	struct err e;
	getrlimit(RLIMIT_NOFILE, &old);
	int before = open_descriptors();
	for (rlim_t n = 3; n < 16; n++) {
		tight = (struct rlimit){.rlim_cur = n, .rlim_max = old.rlim_max};
		setrlimit(RLIMIT_NOFILE, &tight);
		int r = child_start(&c, "tell", "", sizeof(struct page), NULL, NULL, &e);
		setrlimit(RLIMIT_NOFILE, &old);
		if (r == -1)
			assert_non_null(strstr(e.text, "cannot start a process: "));
		child_close(&c, 20000);
		assert_int_equal(open_descriptors(), before);
		if (n == 3)
			assert_int_equal(r, -1);
	}
}

static void
only_a_child_is_one(void **state)
{
	(void)state;
	const char *role = NULL, *arg = NULL;
	assert_false(child_is(1, (char *[]){(char *)"stutter", NULL}, &role, &arg));
	assert_false(child_is(2, (char *[]){(char *)"stutter", (char *)"load", NULL}, &role, &arg));
	assert_false(child_is(0, (char *[]){NULL}, &role, &arg));
	assert_true(child_is(2, (char *[]){(char *)"stutter:", (char *)"load", NULL}, &role, &arg));
	assert_string_equal(role, "load");
	assert_string_equal(arg, "");
}

int
main(int argc, char **argv)
{
	const char *role, *arg;
	if (child_is(argc, argv, &role, &arg))
		return be_child(role, arg);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_child_is_an_ordinary_process),
	    cmocka_unit_test(the_end_of_the_pipe_stops_it),
	    cmocka_unit_test(all_descendants_end_with_it),
	    cmocka_unit_test(however_the_parent_dies_all_of_them_die),
	    cmocka_unit_test(who_does_not_obey_is_killed),
	    cmocka_unit_test(who_is_left_of_its_group_is_killed),
	    cmocka_unit_test(a_hundred_starts_amid_busy_threads_leave_nothing),
	    cmocka_unit_test(no_descriptors_left_is_an_error_and_nothing_more),
	    cmocka_unit_test(only_a_child_is_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
