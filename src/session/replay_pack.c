// Takes packs apart.
// Must not know of files.
#include "session/replay_pack.h"

int
parse_pack(struct parser *p, json_t *j, int64_t end_ns)
{
	(void)p;
	(void)j;
	(void)end_ns;
	return -1;
}
