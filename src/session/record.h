// Writes a session to a file or a stream as JSON Lines: a header, a tick each 100 ms, events, a summary at the end.
// Must not know of screens; reading back is replay.h.
#ifndef SESSION_RECORD_H
#define SESSION_RECORD_H

#include "session/session.h"

// Begins a recording of S to PATH ("-": standard output). A thread of its own writes, so that a slow or full disk
// stalls nothing; what goes wrong later is s->record_error, said once, and what was written stays valid.
// 0, or -1 with E.
int record_start(struct session *s, const char *path, struct err *e);
// Writes the summary, ends the recording. Bounded in time, also on a disk that hangs. Nothing where none runs.
void record_stop(struct session *s);

#endif
