// A grid of cells that views draw into: a character and a theme role each. No terminal, no curses: tests read it as text.
#ifndef UI_GRID_H
#define UI_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/theme.h"

struct cell {
	uint32_t ch;           // code point, one column wide; 0 counts as a space
	uint8_t role;          // enum role: foreground
	uint8_t back;          // enum role: background (ROLE_BACK by default)
};

struct grid {
	int w, h;
	struct cell *cell;     // w * h, by rows
};

struct rect {
	int x, y, w, h;
};

int grid_size(struct grid *g, int w, int h); // 0 or -1: no memory; clears
void grid_free(struct grid *g);
void grid_clear(struct grid *g);
// Outside the grid nothing happens, so a caller need not clip.
void grid_put(struct grid *g, int x, int y, uint32_t ch, enum role role);
// UTF-8 text from X to at most X+W-1; returns columns used. Text that does not fit is cut after a whole character.
int grid_text(struct grid *g, int x, int y, int w, enum role role, const char *text);
int grid_printf(struct grid *g, int x, int y, int w, enum role role, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
void grid_fill(struct grid *g, struct rect r, uint32_t ch, enum role role);
void grid_back(struct grid *g, struct rect r, enum role back); // background of an area
// A code point as UTF-8 (1 to 4 bytes, no NUL); returns how many.
int grid_encode(char *buf, uint32_t cp);
// The grid as UTF-8 lines without trailing spaces, from malloc: golden tests. ROLES: a second block with a letter a role.
char *grid_dump(const struct grid *g, bool roles);

#endif
