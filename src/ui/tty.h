// The terminal's file descriptors: modes, writing that never blocks, and giving it back in every way a program ends.
// Must not know of curses or grids.
#ifndef UI_TTY_H
#define UI_TTY_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct tty {
	int in, out;           // out: a description of our own that does not block, where one could be had
	bool blocks;           // it is the shell's: write only what it has room for
	struct termios before, during;
	int stderr_before;     // -1: standard error was left alone
	char *pending;
	size_t begin, end, room;
};

// Opens what belongs to standard input and output; changes no mode yet.
void tty_open(struct tty *t);
// Keys one by one, no echo; standard error to nowhere, so that no library can write over the picture. RESTORE is what
// the terminal must be sent at the end: from now on crashes send it too.
void tty_take(struct tty *t, const char *restore, size_t len);
// Modes, standard error and RESTORE back; waits at most a second for a terminal that is stuck.
void tty_give_back(struct tty *t);
void tty_close(struct tty *t);
// Takes LEN bytes to be sent. -1: no memory, none of them taken.
int tty_queue(struct tty *t, const char *bytes, size_t len);
// Sends what it takes now; true where nothing waits any more.
bool tty_flush(struct tty *t);
void tty_size(const struct tty *t, int *w, int *h);

#endif
