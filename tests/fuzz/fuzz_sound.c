// A sound file from anyone: refused with a reason, or decoded within bounds.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/music.h"

static void
play(struct music *m)
{
	int n = 4096;
	const int16_t *at = m->data ? music_look(m, &n) : NULL;
	if (!at)
		return;
	if (n < 1 || n > 4096 || n > m->frames)
		abort();
	int sum = 0;
	for (int i = 0; i < n * (int)m->channels; i++)
		sum += at[i] & 1;
	if (sum < 0)
		abort();
	music_skip(m, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct err e = {""};
	atomic_bool stop = false;
	char path[40];
	if (fd == -1)
		fd = memfd_create("sound", 0);
	if (fd == -1 || ftruncate(fd, 0) == -1 || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	struct music *m = music_open(path, &e);
	if (!m && !*e.text)
		abort();
	if (!m)
		return 0;
	if (music_decode(m, path, &stop, &e) == -1 && !*e.text)
		abort();
	if (m->bytes > MUSIC_BYTES_MOST + 4096 || m->frames < 0)
		abort();
	for (int i = 0; i < 3; i++)
		play(m);
	music_free(m);
	return 0;
}
