// Reads a recording into a session of its own and takes its capture over.
// Must not know the format of recordings.
#include "session/slot_fill.h"

#include <string.h>

#include "session/replay.h"

int
slots_fill(struct session *s, enum slot_id which, const char *path, struct err *e)
{
	struct slots *to = session_slots(s);
	if (!to)
		return err_set(e, "no memory for slots");
	if (!strcmp(path, "-"))
		return err_set(e, "a slot is filled from a file");
	struct replay *r = replay_open(path, e);
	if (!r)
		return -1;
	struct session *from = replay_session(r);
	const char *name = strrchr(path, '/');
	slots_capture_all(from, which, name ? name + 1 : path);
	replay_run(r, INT64_MAX, 0);
	struct slots *sl = session_slots(from);
	if (sl)
		slots_move(to, which, sl, which);
	replay_close(r);
	return to->slot[which].parts ? 0 : err_set(e, "%.120s: nothing in it can be compared", path);
}
