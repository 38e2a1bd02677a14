// A folder that stands for the root of a machine, for tests of what reads /proc and /sys.
#ifndef TESTS_FAKE_ROOT_H
#define TESTS_FAKE_ROOT_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A new empty one, in ROOT (at least 64 bytes).
static inline void
root_new(char *root)
{
	const char *tmp = getenv("TMPDIR");
	snprintf(root, 128, "%s/root.XXXXXX", tmp && strlen(tmp) < 100 ? tmp : "/var/tmp");
	if (!mkdtemp(root))
		abort();
}

static inline int
root_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void
root_remove(const char *root)
{
	nftw(root, root_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

// Its file PATH with all folders above it; N bytes of TEXT.
static inline void
root_put_bytes(const char *root, const char *path, const char *text, size_t n)
{
	char whole[512];
	snprintf(whole, sizeof whole, "%s%s", root, path);
	for (char *p = whole + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		mkdir(whole, 0700);
		*p = '/';
	}
	FILE *f = fopen(whole, "w");
	if (!f)
		abort();
	fwrite(text, 1, n, f);
	fclose(f);
}

static inline void
root_put(const char *root, const char *path, const char *text)
{
	root_put_bytes(root, path, text, strlen(text));
}

#endif
