// Loads of a settings file from anyone, a line each as "NAME KEY VALUE": bounded in number, names and texts, whole rows.
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "load/load.h"
#include "load/table.h"

static void
check(void)
{
	int n = user_load_count();
	if (n < 0 || n > 32)
		abort();
	for (int i = 0; i < n; i++) {
		const struct load_kind *k = user_load_kind(i);
		const struct user_load *u = user_load_of(k);
		if (!u || !k->name || !k->work || load_find(k->name) != k || !memchr(u->command, '\0', sizeof u->command) ||
		    !memchr(u->title, '\0', sizeof u->title) || !memchr(u->count, '\0', sizeof u->count))
			abort();
		for (const char *p = k->name; *p; p++)
			if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_')
				abort();
		if (k->key && !isprint((unsigned char)k->key))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *rest = text;
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (char *line; (line = strsep(&rest, "\n"));) {
		struct err e = {""};
		char *name = strsep(&line, " "), *key = line ? strsep(&line, " ") : NULL;
		int r = load_define(name, key ? key : "", line ? line : "", &e);
		if (r == 0 ? *e.text : !*e.text)
			abort();
	}
	check();
	free(text);
	return 0;
}
