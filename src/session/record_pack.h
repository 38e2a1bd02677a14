// Packs the ticks of up to a minute into one line: exact sums and histogram over all of it, and for each half second
// what a graph needs. The older part of a long recording is made of packs, so that a day stays small.
// Must not know of files.
#ifndef SESSION_RECORD_PACK_H
#define SESSION_RECORD_PACK_H

#include "session/record_text.h"

#define PACK_TICKS 600                          // at most, and begins on this grid
#define PACK_BIN 5                              // ticks
#define PACK_BINS (PACK_TICKS / PACK_BIN + 1)   // a pack may begin in the middle of a bin
#define PACK_DIGITS "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/"
#define PACK_LEVELS 63                          // 0 .. 100% of CPU in one digit

struct packer;

struct packer *packer_new(const struct record_state *at_start); // NULL: no memory
void packer_free(struct packer *p);
// Takes an event, then the tick it came with, as the recorder gets them.
void packer_event(struct packer *p, const struct session *s, const struct event *e);
void packer_tick(struct packer *p, const struct session *s, const struct tick *t);
// True right after a tick that ended a pack on the grid: what was taken so far may be replaced by the text of
// packer_text(), lines that end whole.
bool packer_even(const struct packer *p);
const struct text_out *packer_text(const struct packer *p);
void packer_forget_text(struct packer *p);

#endif
