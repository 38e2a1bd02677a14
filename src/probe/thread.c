// Starts, looks after and ends a measuring thread.
// Must not know which probe it runs; nothing here is called from its measuring cycle but the sleep.
#include "probe/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define STACK_BYTES (256 * 1024)
#define STACK_LOCKED (32 * 1024)   // what a measuring cycle, libasound's included, may use
#define SLICE_NS (100 * NS_PER_MS) // a stop is seen within this
#define STALL_NS (250 * NS_PER_MS) // the main thread looks after its probes more often than this

struct thread {
	struct thread_ask ask;
	pthread_t id;
	_Atomic uint32_t stop;    // a futex
	_Atomic uint32_t done;    // a futex
	_Atomic int users;        // the thread and who started it: the last frees this
	int schedstat;            // of the thread, opened by itself; -1: the kernel has none
	_Atomic int64_t delay_ns; // time it was ready but did not run, when last tended
	_Atomic int64_t beats[2]; // the two last times it was tended
};

int
thread_lock(void *p, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *c = p; // others may write to it at the same time
	for (size_t i = 0; i < bytes; i += page)
		__atomic_fetch_or(&c[i], 0, __ATOMIC_RELAXED);
	if (bytes)
		__atomic_fetch_or(&c[bytes - 1], 0, __ATOMIC_RELAXED);
	return mlock(p, bytes);
}

// Locks, as they are touched, the pages of code that a cycle may run: this program's and its
// libraries'.
static int
lock_code(struct dl_phdr_info *info, size_t size, void *failed)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X) ||
		    strstr(info->dlpi_name, "linux-vdso"))
			continue;
		if (mlock2((void *)(info->dlpi_addr + h->p_vaddr), h->p_memsz, MLOCK_ONFAULT))
			*(bool *)failed = true;
	}
	return 0;
}

static __attribute__((noinline)) int
lock_stack(void)
{
	unsigned char deep[STACK_LOCKED];
	memset(deep, 0, sizeof deep);
	__asm__ volatile("" : : "r"(deep) : "memory");
	return mlock(deep, sizeof deep);
}

static bool
lock_all(const struct thread_ask *a)
{
	bool failed = lock_stack() != 0;
	if (thread_lock(a->live, sizeof *a->live))
		failed = true;
	if (a->data_bytes && thread_lock(a->data, a->data_bytes))
		failed = true;
	if (a->ring && mlock(a->ring, ring_bytes(a->ring->capacity, a->ring->size)))
		failed = true;
	dl_iterate_phdr(lock_code, &failed);
	return !failed;
}

static bool
is_pinned(pid_t tid, int cpu)
{
	cpu_set_t set;
	return !sched_getaffinity(tid, sizeof set, &set) && CPU_COUNT(&set) == 1 &&
	       CPU_ISSET(cpu, &set);
}

static void
pin(pid_t tid, int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	if (cpu < CPU_SETSIZE) {
		CPU_SET(cpu, &set);
		sched_setaffinity(tid, sizeof set, &set);
	}
}

static void
set_doubt(struct probe_live *live, unsigned doubt, bool on)
{
	if (on)
		atomic_fetch_or(&live->doubts, doubt);
	else
		atomic_fetch_and(&live->doubts, ~doubt);
}

static void
drop(struct thread *t)
{
	if (atomic_fetch_sub(&t->users, 1) > 1)
		return;
	if (t->schedstat >= 0)
		close(t->schedstat);
	free(t);
}

static void *
enter(void *arg)
{
	struct thread *t = arg;
	const struct thread_ask *a = &t->ask;
	struct probe_live *live = a->live;
	prctl(PR_SET_NAME, a->name);
	if (a->need.cpu >= 0)
		pin(0, a->need.cpu);
	unsigned doubts = lock_all(a) ? 0 : DOUBT_UNLOCKED;
	struct policy got;
	policy_apply(a->policy, a->need, &got, &doubts);
	pid_t tid = (pid_t)syscall(SYS_gettid);
	if (a->need.cpu >= 0 && !is_pinned(tid, a->need.cpu))
		doubts |= DOUBT_AFFINITY;
	char path[64];
	snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int)tid);
	t->schedstat = open(path, O_RDONLY | O_CLOEXEC);
	atomic_store(&live->priority, got.priority);
	atomic_store(&live->policy, (int)got.kind);
	atomic_fetch_or(&live->doubts, doubts);
	atomic_store(&live->tid, (int)tid);
	a->main(t, a->data);
	atomic_store(&t->done, 1);
	syscall(SYS_futex, &t->done, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	drop(t);
	return NULL;
}

struct thread *
thread_start(const struct thread_ask *ask, struct err *e)
{
	struct thread *t = calloc(1, sizeof *t);
	if (!t) {
		err_set(e, "no memory for a measuring thread");
		return NULL;
	}
	t->ask = *ask;
	t->schedstat = -1;
	t->users = 2;
	pthread_attr_t attr;
	sigset_t all, before;
	sigfillset(&all);
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL,
	    SIGABRT}; // must reach the handler that restores the terminal
	for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
		sigdelset(&all, crashes[i]);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&t->id, &attr, enter, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (error) {
		free(t);
		errno = error;
		err_set(e, "cannot start a measuring thread:");
		return NULL;
	}
	return t;
}

bool
thread_should_stop(const struct thread *t)
{
	return atomic_load_explicit(&t->stop, memory_order_acquire) != 0;
}

const _Atomic uint32_t *
thread_stop_flag(const struct thread *t)
{
	return &t->stop;
}

int64_t
thread_sleep_until(struct thread *t, int64_t ns)
{
	while (ns - clock_now_ns() > SLICE_NS) {
		struct timespec until = clock_timespec(ns - SLICE_NS / 2);
		syscall(SYS_futex, &t->stop, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, NULL,
		    FUTEX_BITSET_MATCH_ANY);
		if (thread_should_stop(t))
			return clock_now_ns();
	}
	clock_sleep_until(ns);
	return clock_now_ns();
}

// The time in ns that the thread was ready to run but waited for a CPU; -1: unknown.
static int64_t
run_delay_ns(const struct thread *t)
{
	char buf[96];
	ssize_t n = t->schedstat < 0 ? -1 : pread(t->schedstat, buf, sizeof buf - 1, 0);
	if (n <= 0)
		return -1;
	buf[n] = '\0';
	char *end;
	strtoull(buf, &end, 10);
	return (int64_t)strtoull(end, NULL, 10);
}

bool
thread_was_stopped(const struct thread *t, int64_t asked_ns, int64_t now_ns)
{
	if (now_ns - asked_ns < STALL_NS)
		return false;
	int64_t before = atomic_load(&t->delay_ns), after = run_delay_ns(t);
	if (before < 0 || after < 0 || after - before > (now_ns - asked_ns) / 4)
		return false;
	for (int i = 0; i < 2; i++) {
		int64_t beat = atomic_load(&t->beats[i]);
		if (!beat || (beat > asked_ns + STALL_NS / 2 && beat < now_ns - STALL_NS / 10))
			return false;
	}
	return true;
}

void
thread_tend(struct thread *t)
{
	struct probe_live *live = t->ask.live;
	pid_t tid = atomic_load(&live->tid);
	if (tid <= 0 || atomic_load(&t->done))
		return;
	struct policy got;
	if (!policy_read(tid, &got)) {
		atomic_store(&live->priority, got.priority);
		atomic_store(&live->policy, (int)got.kind);
		set_doubt(live, DOUBT_POLICY, !policy_met(t->ask.policy, got));
	}
	if (t->ask.need.cpu >= 0 && !is_pinned(tid, t->ask.need.cpu))
		pin(tid, t->ask.need.cpu); // it may have been offline
	if (t->ask.need.cpu >= 0)
		set_doubt(live, DOUBT_AFFINITY, !is_pinned(tid, t->ask.need.cpu));
	clockid_t clock;
	struct timespec ts;
	if (!pthread_getcpuclockid(t->id, &clock) && !clock_gettime(clock, &ts))
		atomic_store(&live->busy_ns, clock_from_timespec(&ts));
	atomic_store(&t->delay_ns, run_delay_ns(t));
	int64_t now = clock_now_ns(), last = atomic_load(&t->beats[0]);
	if (now - last <
	    STALL_NS / 5) // two beats side by side would say nothing of the time before
		return;
	atomic_store(&t->beats[1], last);
	atomic_store(&t->beats[0], now);
}

bool
thread_stop(struct thread *t, int timeout_ms)
{
	atomic_store_explicit(&t->stop, 1, memory_order_release);
	syscall(SYS_futex, &t->stop, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	int64_t until_ns = clock_now_ns() + timeout_ms * NS_PER_MS;
	struct timespec until = clock_timespec(until_ns);
	while (!atomic_load(&t->done) && clock_now_ns() < until_ns)
		syscall(SYS_futex, &t->done, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, NULL,
		    FUTEX_BITSET_MATCH_ANY);
	if (!atomic_load(&t->done)) {
		pthread_detach(t->id);
		drop(t);
		return false;
	}
	pthread_join(t->id, NULL);
	drop(t);
	return true;
}
