// A question on the bottom line and its answer: one line of UTF-8, safe whatever is typed or pasted.
// Must not know of curses or what is asked for.
#ifndef UI_INPUT_H
#define UI_INPUT_H

#include "ui/screen.h"

// Asks QUESTION, with INITIAL (may be NULL) to be edited. ANSWER is called once on Enter, never on Escape.
void prompt_ask(struct screen *sc, const char *question, const char *initial,
    void (*answer)(struct screen *sc, const char *text));
// Takes a key while a question is open.
void prompt_key(struct screen *sc, int key);
// Draws question and answer into one row, W columns wide; the part at the cursor is always seen.
void prompt_draw(struct grid *g, const struct screen *sc, int x, int y, int w);

#endif
