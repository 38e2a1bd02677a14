// Settings files, themes and suites from anyone: no crash, no endless loop, every error with its place.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"

static int
check(void *data, const char *section, const char *key, const char *value, struct err *e)
{
	size_t *pairs = data;
	// each is one line of text without controls
	for (const char *p = value; *p; p++)
		if ((unsigned char)*p < ' ' && *p != '\t')
			abort();
	if (strlen(section) > 49 || strlen(key) > 127 || strchr(value, '\n'))
		abort();
	if (++*pairs > 1 << 20)
		abort();
	return strcmp(key, "bad") == 0 ? err_set(e, "no such key") : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {""};
	size_t pairs = 0;
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (settings_read_text("f", text, check, &pairs, &e) == -1 && strncmp(e.text, "f:", 2) != 0)
		abort();
	free(text);
	return 0;
}
