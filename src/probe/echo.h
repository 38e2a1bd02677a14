// What the echo probe's process does.
// Must not know who reads its samples.
#ifndef PROBE_ECHO_H
#define PROBE_ECHO_H

#include <stdint.h>

// The process in the role "echo": its exit status.
int echo_main(void);
// The round trip in ns of a question due at *DUE_NS, asked at ASKED_NS, answered at ANSWERED_NS. An
// asker that was itself held up for a whole period or more counts from when it should have asked,
// as the questions of that time would have waited so long (without it, a stall of everything would
// hardly show: nobody asks meanwhile). *MISSED gets the whole periods in it; *DUE_NS the next time
// on the same grid.
int64_t echo_round(
    int64_t *due_ns, int64_t period_ns, int64_t asked_ns, int64_t answered_ns, uint32_t *missed);

#endif
