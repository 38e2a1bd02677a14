// Reads /proc/self/mountinfo.
// Must not know what is looked for.
#include "sys/mounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The kernel writes a blank, tab, newline and backslash as \ooo.
static void
unescape(char *s)
{
	char *to = s;
	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] < '4' && s[2] >= '0' && s[2] < '8' && s[3] >= '0' &&
		    s[3] < '8') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

// "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [FIELD...] - TYPE SOURCE OPTIONS"
static bool
parse(char *line, struct mount *m)
{
	char *word[6] = {0}, *rest = line;
	for (int i = 0; i < 6; i++)
		if (!(word[i] = strsep(&rest, " ")))
			return false;
	char *tail = rest ? strncmp(rest, "- ", 2) == 0 ? rest - 1 : strstr(rest, " - ") : NULL;
	if (!tail)
		return false;
	tail += 3;
	char *type = strsep(&tail, " ");
	if (!strsep(&tail, " ") || !tail) // its source
		return false;
	unescape(word[3]);
	unescape(word[4]);
	tail[strcspn(tail, "\n")] = '\0';
	unescape(tail);
	*m = (struct mount){.root = word[3], .point = word[4], .type = type, .options = tail};
	return true;
}

bool
mounts_each(const char *root, bool (*fn)(const struct mount *m, void *data), void *data)
{
	char path[512], *line = NULL;
	size_t size = 0;
	bool found = false;
	struct mount m;
	snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && getline(&line, &size, f) > 0)
		found = parse(line, &m) && fn(&m, data);
	free(line);
	fclose(f);
	return found;
}

bool
path_is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	if (n == 1 && *folder == '/')
		return *path == '/';
	return strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]);
}
