// Reads a recording, or a stream as it comes, into a session, tick by tick. What it reads is hostile input: every
// length, count and number is bounded, every string made safe, every line that makes no sense skipped and counted.
// Must not know of screens.
#ifndef SESSION_REPLAY_H
#define SESSION_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "session/session.h"

struct replay; // opaque

// Opens file PATH, or standard input where it is "-", and reads its header: S of the replay is then there, empty.
// NULL with E: not there, no recording. A stream is waited for as long as it takes.
struct replay *replay_open(const char *path, struct err *e);
void replay_close(struct replay *r); // and its session
// The session that it fills; the same one as long as the replay lives.
struct session *replay_session(struct replay *r);

// Fills the session up to UNTIL_NS of the recording's time (INT64_MAX: all there is), for at most BUDGET_NS of real
// time (0: as long as it takes).
enum replay_state {
	REPLAY_MORE,    // the budget is used up
	REPLAY_REACHED, // as far as asked
	REPLAY_WAITING, // a stream: nothing more for now
	REPLAY_END      // nothing more will come
};
enum replay_state replay_run(struct replay *r, int64_t until_ns, int64_t budget_ns);
// Empties the session and starts at the beginning again. Files only: 0, or -1.
int replay_rewind(struct replay *r);

bool replay_is_stream(const struct replay *r);
int replay_fd(const struct replay *r);          // to poll(), of a stream
int64_t replay_end_ns(const struct replay *r);  // time of the last tick: of the whole file, or seen so far
double replay_share(const struct replay *r);    // how much of the file was read, 0 .. 1
bool replay_cut(const struct replay *r);        // ended without a summary: it was cut off, or is being written
int64_t replay_bad_lines(const struct replay *r);

// All of it in one go: a session with every figure, or NULL with E. HOOK (may be NULL) sees each tick.
struct session *replay_load(const char *path, const struct session_hook *hook, struct err *e);

#endif
