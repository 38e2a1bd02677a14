// Packs: what the older part of a long recording is made of, many ticks in one line.
// Must not know of files.
#ifndef SESSION_REPLAY_PACK_H
#define SESSION_REPLAY_PACK_H

#include "session/replay_parse.h"

struct unpack; // opaque: a pack on its way into the session

// Begins to take a pack apart into the ticks that a graph which ends at END_NS can still tell apart. J is kept until
// the end. NULL: it made no sense, was an old one, or there is no memory.
struct unpack *unpack_new(struct parser *p, json_t *j, int64_t end_ns);
// Puts those ticks into the session that end until UNTIL_NS. True: that was all of it.
bool unpack_run(struct unpack *u, int64_t until_ns);
void unpack_free(struct unpack *u);

#endif
