// The one file with curses: it turns grids into the fewest bytes and bytes into keys. Curses writes into memory, and
// ui/tty.h sends that on without ever blocking. Must not know of sessions or views.
#include "ui/term.h"

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ui/colour.h"
#include "ui/keys.h"
#include "ui/tty.h"

#include <curses.h> // last, as it takes away many a name
#include <term.h>

#define PAIRS 1024

struct look {
	attr_t attr;
	int pair;
	bool known;
};

struct terminal {
	struct tty tty;
	SCREEN *screen;
	FILE *source;          // where curses reads keys from; NULL: standard input
	FILE *sink;            // where curses writes to: a file in memory
	int sink_fd;
	WINDOW *keys;          // a pad, so that reading a key draws nothing
	bool utf8, console;
	int colours;
	struct grid shown;     // what the terminal has been sent
	bool blank;            // nothing yet
	struct theme theme;
	struct look look[ROLE_COUNT][ROLE_COUNT];
	struct {
		int fg, bg;
	} pair[PAIRS];
	int pairs;
};

static const char *
term_name(void)
{
	const char *name = getenv("TERM");
	return name && *name ? name : NULL;
}

int
term_check(struct err *e)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(e, "standard %s is no terminal (without one: stutter run)",
		    isatty(STDIN_FILENO) ? "output" : "input");
	if (!term_name())
		return err_set(e, "TERM is not set: no way to draw on this terminal (without: stutter run)");
	int found = 0;
	if (setupterm(term_name(), STDOUT_FILENO, &found) != OK)
		return err_set(e, found < 0 ? "no terminfo database: cannot draw on terminal type %.60s"
		                            : "unknown terminal type %.60s (TERM): try TERM=xterm or TERM=vt100", term_name());
	bool able = cursor_address && clear_screen;
	del_curterm(cur_term);
	return able ? 0 : err_set(e, "terminal type %.60s cannot move its cursor (without: stutter run)", term_name());
}

// LC_CTYPE alone: numbers keep their decimal points. A UTF-8 locale that is not installed (it came over ssh) still says
// what the terminal understands.
static bool
locale_utf8(void)
{
	if (!setlocale(LC_CTYPE, "")) {
		const char *all = getenv("LC_ALL"), *ctype = getenv("LC_CTYPE"), *lang = getenv("LANG");
		const char *says = all && *all ? all : ctype && *ctype ? ctype : lang ? lang : "";
		if (strcasestr(says, "UTF-8") || strcasestr(says, "utf8"))
			setlocale(LC_CTYPE, "C.UTF-8");
	}
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

// Where the terminal says that it takes 24-bit colours, and terminfo knows how to say them to it.
static void
direct_name(char *buf, size_t size)
{
	const char *name = term_name(), *says = getenv("COLORTERM"), *end = strstr(name, "-256color");
	snprintf(buf, size, "%s", name);
	if (!end || !says || (strcmp(says, "truecolor") && strcmp(says, "24bit")))
		return;
	static const char *const suffix[] = {"-direct2", "-direct"};
	for (size_t i = 0; i < 2; i++) {
		char try[64];
		int found = 0;
		snprintf(try, sizeof try, "%.*s%s", (int)(end - name), name, suffix[i]);
		if (setupterm(try, STDOUT_FILENO, &found) != OK)
			continue;
		del_curterm(cur_term);
		snprintf(buf, size, "%s", try);
		return;
	}
}

static int
colours_known(void)
{
	const char *no = getenv("NO_COLOR");
	if ((no && *no) || !has_colors() || start_color() == ERR || COLOR_PAIRS < 2)
		return 0;
	if (COLORS >= 1 << 24 && tigetflag("RGB") > 0)
		return 1 << 24;
	return COLORS >= 256 ? 256 : COLORS >= 16 ? 16 : COLORS >= 8 ? 8 : 0;
}

// What curses has written since the last time, into the queue of the terminal, or into BUF where given.
static size_t
drain(struct terminal *t, char *buf, size_t size)
{
	fflush(t->sink);
	off_t n = lseek(t->sink_fd, 0, SEEK_CUR);
	if (n <= 0)
		return 0;
	char *all = buf ? buf : malloc((size_t)n);
	size_t want = buf && (size_t)n > size ? size : (size_t)n;
	ssize_t got = all ? pread(t->sink_fd, all, want, 0) : -1;
	lseek(t->sink_fd, 0, SEEK_SET);
	if (!buf && (got < 0 || tty_queue(&t->tty, all, (size_t)got)))
		t->blank = true; // lost for want of memory: send everything again
	if (!buf)
		free(all);
	return got > 0 ? (size_t)got : 0;
}

static void
set_modes(struct terminal *t)
{
	raw();
	noecho();
	nonl();
	curs_set(0);
	typeahead(-1);
	scrollok(stdscr, FALSE);
	leaveok(stdscr, TRUE);
	intrflush(stdscr, FALSE);
	set_escdelay(25);
	mouseinterval(0);
	mousemask(ALL_MOUSE_EVENTS, NULL); // an event that is not asked for would have curses wait for the next one
	keypad(t->keys, TRUE);
	nodelay(t->keys, TRUE);
	if (t->colours)
		use_default_colors();
}

static struct terminal *
open_failed(struct terminal *t, struct err *e, const char *why)
{
	err_set(e, "%s", why);
	if (t->source)
		fclose(t->source);
	if (t->sink)
		fclose(t->sink);
	else if (t->sink_fd >= 0)
		close(t->sink_fd);
	tty_close(&t->tty);
	free(t);
	return NULL;
}

// What curses reads keys from: the same terminal, opened anew so that reading never waits (the shell keeps its own open
// file as it is). Half a sequence must not hold up measuring or drawing. NULL: standard input must do.
static FILE *
open_source(void)
{
	char path[128];
	if (ttyname_r(STDIN_FILENO, path, sizeof path))
		return NULL;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	if (fd >= 0 && !f)
		close(fd);
	return f;
}

struct terminal *
term_open(struct err *e)
{
	if (term_check(e))
		return NULL;
	struct terminal *t = calloc(1, sizeof *t);
	if (!t) {
		err_set(e, "no memory for the screen");
		return NULL;
	}
	char name[64], restore[1024];
	t->utf8 = locale_utf8();
	t->console = !strncmp(term_name(), "linux", 5);
	t->blank = true;
	tty_open(&t->tty);
	t->sink_fd = memfd_create("stutter-screen", MFD_CLOEXEC);
	t->sink = t->sink_fd < 0 ? NULL : fdopen(t->sink_fd, "w");
	if (!t->sink)
		return open_failed(t, e, "no memory for the screen");
	direct_name(name, sizeof name);
	int w, h;
	tty_size(&t->tty, &w, &h);
	unsetenv("LINES"); // the terminal itself knows its size, also after a change
	unsetenv("COLUMNS");
	t->source = open_source();
	t->screen = newterm(name, t->sink, t->source ? t->source : stdin);
	t->keys = t->screen ? newpad(1, 1) : NULL;
	if (!t->keys)
		return open_failed(t, e, "the terminal could not be set up");
	t->colours = colours_known();
	resize_term(h, w);
	set_modes(t);
	// What it takes to leave, known before entering: a crash has no time to ask curses.
	drain(t, restore, sizeof restore);
	endwin();
	size_t len = drain(t, restore, sizeof restore);
	tty_take(&t->tty, restore, len);
	return t;
}

void
term_close(struct terminal *t)
{
	if (!t)
		return;
	tty_give_back(&t->tty);
	tty_close(&t->tty);
	endwin();
	delwin(t->keys);
	delscreen(t->screen);
	if (t->source)
		fclose(t->source);
	fclose(t->sink);
	grid_free(&t->shown);
	free(t);
}

bool
term_utf8(const struct terminal *t)
{
	return t->utf8;
}

bool
term_console(const struct terminal *t)
{
	return t->console;
}

int
term_colours(const struct terminal *t)
{
	return t->colours;
}

void
term_theme(struct terminal *t, const struct theme *theme)
{
	t->theme = *theme;
	memset(t->look, 0, sizeof t->look);
	t->pairs = 0;
	t->blank = true;
}

void
term_size(struct terminal *t, int *w, int *h)
{
	tty_size(&t->tty, w, h);
}

// RGB as curses counts colours here; -1 stays the terminal's own.
static int
nearest(const struct terminal *t, int32_t rgb)
{
	int32_t back = t->theme.style[ROLE_BACK].colour;
	int light = back >= 0 && colour_contrast(back, 0) > 10;
	if (rgb < 0)
		return -1;
	if (t->colours == 1 << 24)
		return rgb > 0 && rgb < 8 ? 8 : rgb; // 0..7 are the ANSI colours there
	return t->colours == 256 ? colour_256(rgb) : t->colours == 16 ? colour_16(rgb, light) : colour_8(rgb, light);
}

static int
pair_for(struct terminal *t, int32_t front, int32_t back)
{
	int fg = nearest(t, front), bg = nearest(t, back);
	if (fg == bg && fg >= 0 && front != back)
		fg = bg ? 0 : 7;
	if (fg < 0 && bg < 0)
		return 0;
	for (int i = 0; i < t->pairs; i++)
		if (t->pair[i].fg == fg && t->pair[i].bg == bg)
			return i + 1;
	if (t->pairs == PAIRS || t->pairs + 1 >= COLOR_PAIRS || init_extended_pair(t->pairs + 1, fg, bg) == ERR)
		return 0;
	t->pair[t->pairs].fg = fg;
	t->pair[t->pairs].bg = bg;
	return ++t->pairs;
}

// The theme's background, or black or white: whatever reads best on BACK.
static int32_t
readable(const struct theme *th, int32_t front, int32_t back)
{
	int32_t own = th->style[ROLE_BACK].colour;
	if (front >= 0 && colour_contrast(front, back) >= 4.5)
		return front;
	if (own >= 0 && colour_contrast(own, back) >= 4.5)
		return own;
	return colour_contrast(0, back) > colour_contrast(0xffffff, back) ? 0 : 0xffffff;
}

static struct look
look_for(struct terminal *t, unsigned role, unsigned back)
{
	if (role >= ROLE_COUNT)
		role = ROLE_TEXT;
	if (back >= ROLE_COUNT)
		back = ROLE_BACK;
	struct look *l = &t->look[role][back];
	if (l->known)
		return *l;
	const struct style *s = &t->theme.style[role];
	int32_t front = s->colour, behind = t->theme.style[ROLE_BACK].colour;
	l->attr = (s->bold ? A_BOLD : 0) | (s->underline ? A_UNDERLINE : 0) | (s->reverse ? A_REVERSE : 0);
	if (back != ROLE_BACK && t->colours && t->theme.style[back].colour >= 0) {
		behind = t->theme.style[back].colour;
		front = readable(&t->theme, front, behind);
	} else if (back != ROLE_BACK) {
		l->attr ^= A_REVERSE;
	}
	l->pair = t->colours ? pair_for(t, front, behind) : 0;
	l->known = true;
	return *l;
}

static void
put_cell(struct terminal *t, int x, int y, const struct cell *c)
{
	struct look l = look_for(t, c->role, c->back);
	uint32_t ch = c->ch ? c->ch : ' ';
	wchar_t text[2] = {(wchar_t)(ch > 0x7e && !t->utf8 ? '?' : ch), 0};
	cchar_t cc;
	setcchar(&cc, text, l.attr, 0, &l.pair);
	mvadd_wch(y, x, &cc);
}

bool
term_draw(struct terminal *t, const struct grid *g, bool whole)
{
	if (!tty_flush(&t->tty))
		return false;
	bool resized = g->w != t->shown.w || g->h != t->shown.h;
	if (resized && (resize_term(g->h, g->w) == ERR || grid_size(&t->shown, g->w, g->h)))
		return false;
	bool all = whole || resized || t->blank;
	t->blank = false;
	if (whole || resized) {
		clearok(curscr, TRUE);
		clearok(stdscr, TRUE);
	}
	for (int i = 0; i < g->w * g->h; i++) {
		const struct cell *c = &g->cell[i], *old = &t->shown.cell[i];
		if (all || c->ch != old->ch || c->role != old->role || c->back != old->back)
			put_cell(t, i % g->w, i / g->w, c);
	}
	memcpy(t->shown.cell, g->cell, (size_t)g->w * (size_t)g->h * sizeof *g->cell);
	refresh();
	drain(t, NULL, 0);
	tty_flush(&t->tty);
	return true;
}

bool
term_flush(struct terminal *t)
{
	return tty_flush(&t->tty);
}

int
term_input_fd(const struct terminal *t)
{
	return t->tty.in;
}

int
term_output_fd(const struct terminal *t)
{
	return t->tty.out;
}

static struct term_event
mouse_event(void)
{
	MEVENT m;
	if (getmouse(&m) == ERR)
		return (struct term_event){.key = UI_OTHER};
	int key = m.bstate & BUTTON4_PRESSED ? UI_WHEEL_UP : m.bstate & BUTTON5_PRESSED ? UI_WHEEL_DOWN :
	    m.bstate & BUTTON1_PRESSED ? UI_MOUSE : UI_OTHER;
	return (struct term_event){.key = key, .x = m.x, .y = m.y};
}

struct term_event
term_key(struct terminal *t)
{
	static const struct {
		int curses, ui;
	} map[] = {
	    {KEY_UP, UI_UP}, {KEY_DOWN, UI_DOWN}, {KEY_LEFT, UI_LEFT}, {KEY_RIGHT, UI_RIGHT}, {KEY_HOME, UI_HOME},
	    {KEY_END, UI_END}, {KEY_PPAGE, UI_PAGE_UP}, {KEY_NPAGE, UI_PAGE_DOWN}, {KEY_BACKSPACE, UI_BACKSPACE},
	    {KEY_DC, UI_DELETE}, {KEY_ENTER, '\n'},
	};
	wint_t ch;
	switch (wget_wch(t->keys, &ch)) {
	case OK:
		return (struct term_event){.key = ch == '\r' ? '\n' : ch == 127 || ch == 8 ? UI_BACKSPACE : (int)ch};
	case KEY_CODE_YES:
		if (ch == KEY_MOUSE)
			return mouse_event();
		for (size_t i = 0; i < sizeof map / sizeof *map; i++)
			if (map[i].curses == (int)ch)
				return (struct term_event){.key = map[i].ui};
		return (struct term_event){.key = UI_OTHER};
	default:
		return (struct term_event){.key = UI_NONE};
	}
}

void
term_pause(struct terminal *t)
{
	tty_give_back(&t->tty);
}

void
term_resume(struct terminal *t)
{
	char restore[1024];
	endwin(); // so that the next picture enters full screen again
	drain(t, restore, sizeof restore);
	endwin();
	size_t len = drain(t, restore, sizeof restore);
	tty_take(&t->tty, restore, len);
	t->blank = true;
}
