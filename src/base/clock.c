// Reads clocks and sleeps on an absolute schedule.
// Must not know of probes or sessions.
#include "base/clock.h"

#include <errno.h>

struct timespec
clock_timespec(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

int64_t
clock_from_timespec(const struct timespec *ts)
{
	return (int64_t)ts->tv_sec * NS_PER_S + ts->tv_nsec;
}

static int64_t
read_clock(clockid_t id)
{
	struct timespec ts;
	clock_gettime(id, &ts);
	return clock_from_timespec(&ts);
}

int64_t
clock_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t
clock_boot_ns(void)
{
	return read_clock(CLOCK_BOOTTIME);
}

int64_t
clock_wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

int
clock_sleep_until(int64_t ns)
{
	struct timespec ts = clock_timespec(ns);
	int r;
	while ((r = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL)) == EINTR)
		;
	return r;
}
