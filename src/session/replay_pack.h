// Packs: what the older part of a long recording is made of, many ticks in one line.
// Must not know of files.
#ifndef SESSION_REPLAY_PACK_H
#define SESSION_REPLAY_PACK_H

#include "session/replay_parse.h"

// Puts a pack into the session as the ticks that a graph at END_NS can still tell apart. 0, or -1: it made no sense or
// was an old one.
int parse_pack(struct parser *p, json_t *j, int64_t end_ns);

#endif
