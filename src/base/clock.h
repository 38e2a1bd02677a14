// Time as everything here knows it: int64_t nanoseconds of CLOCK_MONOTONIC.
// Must not know of probes or sessions.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_US 1000LL
#define NS_PER_MS 1000000LL
#define NS_PER_S 1000000000LL

// Now, in ns of CLOCK_MONOTONIC (clock_gettime(2)); it stands still while the machine is suspended.
int64_t clock_now_ns(void);
// Now, in ns of CLOCK_BOOTTIME: as above, but it goes on while suspended; the difference shows a suspend.
int64_t clock_boot_ns(void);
// Now, in ns since 1970 (CLOCK_REALTIME); for time stamps that people read, never for durations.
int64_t clock_wall_ns(void);
// ns as a struct timespec. ns >= 0.
struct timespec clock_timespec(int64_t ns);
// A struct timespec in ns.
int64_t clock_from_timespec(const struct timespec *ts);
// Sleeps until NS of CLOCK_MONOTONIC, through signals. Returns 0, or an errno value.
int clock_sleep_until(int64_t ns);

#endif
