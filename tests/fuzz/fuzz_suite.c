// A suite's file from anyone: no crash, steps and options within bounds, names that are safe on a screen.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/suite.h"

static void
check_name(const char *s, size_t room)
{
	if (!memchr(s, '\0', room))
		abort();
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			abort();
}

static void
check(const struct suite *su)
{
	if (su->steps < 1 || su->steps > SUITE_STEPS || su->options < 0 || su->options > SUITE_OPTIONS || su->jobs < 0 ||
	    su->jobs > SUITE_JOBS || su->each_ns < 0 || su->settle_ns < 0)
		abort();
	check_name(su->title, sizeof su->title);
	for (int i = 0; i < su->steps; i++) {
		const struct suite_step *st = &su->step[i];
		check_name(st->name, sizeof st->name);
		if (st->loads < 0 || st->loads > 16)
			abort();
		for (int k = 0; k < st->loads; k++)
			if (!memchr(st->load[k], '\0', sizeof st->load[k]))
				abort();
	}
	for (int i = 0; i < su->options; i++)
		if (strncmp(su->option[i], "--", 2) != 0 || !memchr(su->option[i], '\0', sizeof su->option[i]))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static struct suite su;
	struct err e = {""};
	char path[40];
	if (fd == -1)
		fd = memfd_create("suite", 0);
	if (fd == -1 || ftruncate(fd, 0) == -1 || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (suite_load(&su, path, &e) == 0)
		check(&su);
	else if (!*e.text)
		abort();
	return 0;
}
