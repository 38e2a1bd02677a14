// The kernel's list of mounts, in which any user may have chosen a name: whole fields or no mount.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/mounts.h"

static char root[64], path[128];

static void
tidy(void)
{
	static const char *const below[] = {"/proc/self/mountinfo", "/proc/self", "/proc", ""};
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof path, "%s%s", root, below[i]);
		remove(path);
	}
}

static bool
check(const struct mount *m, void *data)
{
	size_t *all = data, n = strlen(m->root) + strlen(m->point) + strlen(m->type) + strlen(m->options);
	*all += n;
	if (strchr(m->type, ' ') || (*m->point == '/' && !path_is_below(m->point, "/")))
		abort();
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t all = 0;
	if (!*root) {
		snprintf(root, sizeof root, "/dev/shm/stutter-fuzz-%d", (int)getpid());
		snprintf(path, sizeof path, "%s/proc", root);
		mkdir(root, 0700);
		mkdir(path, 0700);
		snprintf(path, sizeof path, "%s/proc/self", root);
		mkdir(path, 0700);
		snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
		atexit(tidy);
	}
	FILE *f = fopen(path, "we");
	if (!f)
		return 0;
	fwrite(data, 1, size, f);
	fclose(f);
	mounts_each(root, check, &all);
	if (all > size)
		abort();
	return 0;
}
