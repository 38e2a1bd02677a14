// Figures made of blocks, as large as a rectangle allows.
// Must not know what they mean.
#ifndef UI_BIGTEXT_H
#define UI_BIGTEXT_H

#include <stdbool.h>

#include "ui/grid.h"

// TEXT (digits, units, A and B) in the middle of R; in plain characters where even the smallest blocks do not fit.
void bigtext_draw(struct grid *g, struct rect r, enum role role, const char *text, bool ascii);

#endif
