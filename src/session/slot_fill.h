// Fills a slot from a recording: another kernel, another machine.
// Must not know of screens.
#ifndef SESSION_SLOT_FILL_H
#define SESSION_SLOT_FILL_H

#include "session/slot.h"

// Takes all of recording PATH as one capture into slot WHICH of S, called by the file's name. 0, or -1 with E.
int slots_fill(struct session *s, enum slot_id which, const char *path, struct err *e);

#endif
