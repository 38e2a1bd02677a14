// Preloaded into the program: clocks jump. From the monotonic time JUMP_AT on (seconds), CLOCK_BOOTTIME and CLOCK_REALTIME
// are SLEPT seconds ahead, as after a suspend, and CLOCK_REALTIME is SET seconds ahead of that, as where someone sets it.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double at, slept, set;

static double
number(const char *name)
{
	const char *s = getenv(name);
	return s ? atof(s) : 0;
}

static void __attribute__((constructor))
begin(void)
{
	at = number("JUMP_AT");
	slept = number("SLEPT");
	set = number("SET");
}

static double
seconds(clockid_t clock)
{
	struct timespec ts = {0};
	syscall(SYS_clock_gettime, clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int
clock_gettime(clockid_t clock, struct timespec *ts)
{
	int r = (int)syscall(SYS_clock_gettime, clock, ts);
	if (r == 0 && (clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME) && seconds(CLOCK_MONOTONIC) >= at)
		ts->tv_sec += (time_t)(slept + (clock == CLOCK_REALTIME ? set : 0));
	return r;
}
