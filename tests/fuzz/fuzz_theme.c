// A theme from anyone: no crash, a title that is safe on a screen, colours in range, and on an error nothing changed.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ui/colour.h"
#include "ui/theme.h"

static void
check(const struct theme *t)
{
	if (!memchr(t->title, '\0', sizeof t->title))
		abort();
	for (const char *p = t->title; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			abort();
	for (int i = 0; i < ROLE_COUNT; i++) {
		int32_t c = t->style[i].colour;
		if (c < -1 || c > 0xffffff)
			abort();
		if (c < 0)
			continue;
		int wide = colour_256(c), few = colour_16(c, i & 1), least = colour_8(c, i & 1);
		if (wide < 16 || wide > 255 || few < 0 || few > 15 || least < 0 || least > 7)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {""};
	struct theme t, before;
	memset(&t, 0x55, sizeof t);
	before = t;
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (!theme_parse(&t, "f", text, &e))
		check(&t);
	else if (memcmp(&t, &before, sizeof t) || strncmp(e.text, "f:", 2) != 0)
		abort();
	free(text);
	return 0;
}
