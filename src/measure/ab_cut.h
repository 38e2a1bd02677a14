// How two sequences of stretches become groups: by rounds, or by equal lengths of time. Inside of measure/ab.
// Must not know what is in them.
#ifndef MEASURE_AB_CUT_H
#define MEASURE_AB_CUT_H

#include "measure/ab.h"

// The group of each block of A and B into GROUP[0] and GROUP[1] (room for each; -1: left out), and D. Fewer groups where
// the blocks are too long for as many. Returns the number of groups, 0: nothing to compare.
int ab_cut(const struct ab_side side[2], int *group[2], struct ab_design *d);

#endif
