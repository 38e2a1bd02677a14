// A question on the bottom line and its answer: one line of UTF-8, safe whatever is typed or pasted.
// Must not know of curses or what is asked for.
#include "ui/input.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/keys.h"

void
prompt_ask(struct screen *sc, const char *question, const char *initial,
    void (*answer)(struct screen *sc, const char *text))
{
	struct ui *u = &sc->u;
	snprintf(u->prompt, sizeof u->prompt, "%s", question);
	text_safe(u->input, sizeof u->input, initial ? initial : "");
	sc->prompt = (struct prompt){.answer = answer, .cursor = (int)strlen(u->input)};
}

static void
close_prompt(struct screen *sc)
{
	sc->prompt.answer = NULL;
	sc->u.prompt[0] = '\0';
}

static int
before(const char *text, int at)
{
	if (at > 0)
		do
			at--;
		while (at > 0 && (text[at] & 0xc0) == 0x80);
	return at;
}

static int
after(const char *text, int at)
{
	uint32_t cp;
	return at + text_utf8(text + at, &cp);
}

static void
erase(char *text, int from, int to)
{
	memmove(text + from, text + to, strlen(text + to) + 1);
}

static void
insert(struct screen *sc, int key)
{
	char bytes[5] = "", safe[8], *text = sc->u.input;
	if (key < ' ' || key > 0x10ffff || key == 0x7f)
		return;
	grid_encode(bytes, (uint32_t)key);
	text_safe(safe, sizeof safe, bytes);
	size_t n = strlen(safe), len = strlen(text), at = (size_t)sc->prompt.cursor;
	if (len + n >= sizeof sc->u.input)
		return;
	memmove(text + at + n, text + at, len - at + 1);
	memcpy(text + at, safe, n);
	sc->prompt.cursor += (int)n;
}

void
prompt_key(struct screen *sc, int key)
{
	char *text = sc->u.input, copy[NOTE_MAX];
	int *at = &sc->prompt.cursor;
	void (*answer)(struct screen *, const char *) = sc->prompt.answer;
	switch (key) {
	case '\n':
		close_prompt(sc);
		snprintf(copy, sizeof copy, "%s", text);
		answer(sc, copy);
		break;
	case UI_ESCAPE:
	case 'G' - '@':
		close_prompt(sc);
		break;
	case UI_LEFT: *at = before(text, *at); break;
	case UI_RIGHT: *at = after(text, *at); break;
	case UI_HOME:
	case 'A' - '@': *at = 0; break;
	case UI_END:
	case 'E' - '@': *at = (int)strlen(text); break;
	case UI_BACKSPACE: {
		int from = before(text, *at);
		erase(text, from, *at);
		*at = from;
		break;
	}
	case UI_DELETE: erase(text, *at, after(text, *at)); break;
	case 'U' - '@':
		erase(text, 0, *at);
		*at = 0;
		break;
	default: insert(sc, key);
	}
}

static int
columns_between(const char *text, int from, int to)
{
	int n = 0;
	for (int i = from; i < to; n++)
		i = after(text, i);
	return n;
}

void
prompt_draw(struct grid *g, const struct screen *sc, int x, int y, int w)
{
	const char *text = sc->u.input;
	int at = sc->prompt.cursor, from = 0, end = x + w;
	grid_fill(g, (struct rect){x, y, w, 1}, ' ', ROLE_TEXT);
	grid_back(g, (struct rect){x, y, w, 1}, ROLE_BACK);
	if (w > 20) {
		x += grid_text(g, x + 1, y, w / 2, ROLE_KEY, sc->u.prompt) + 1;
		x += grid_text(g, x, y, 2, ROLE_KEY, ": ");
	}
	int room = end - x - 1;
	while (columns_between(text, from, at) > room && room > 0)
		from = after(text, from);
	int cursor = x + columns_between(text, from, at);
	grid_text(g, x, y, end - x, ROLE_BRIGHT, text + from);
	grid_back(g, (struct rect){cursor, y, 1, 1}, ROLE_SELECT);
}
