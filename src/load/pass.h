// The sums over a load's passes, for those who own the load. A load's own file uses load/worker.h.
// Must not know what a pass does.
#ifndef LOAD_PASS_H
#define LOAD_PASS_H

#include "load/worker.h"

// Counts the pass that the dead worker of SLOT was in, if any, as invalid.
void pass_cut_short(struct load_slot *slot);
// Sums up the passes of all workers into ST: number, last, average and sample standard deviation.
void pass_collect(const struct load_shared *sh, struct load_status *st);

#endif
