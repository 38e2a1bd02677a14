// Reads small files of /proc and /sys.
// Must not know what they say.
#include "sys/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

long
sys_read(const char *root, const char *path, char *buf, size_t size)
{
	char whole[4352];
	buf[0] = '\0';
	int n = snprintf(whole, sizeof whole, "%s%s", root, path);
	if (n < 0 || (size_t)n >= sizeof whole)
		return -1;
	int fd = open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd == -1)
		return -1;
	size_t used = 0;
	ssize_t got;
	while ((got = read(fd, buf + used, size - 1 - used)) > 0)
		used += (size_t)got;
	close(fd);
	if (used && buf[used - 1] == '\n')
		used--;
	buf[used] = '\0';
	return got == -1 && !used ? -1 : (long)used;
}

int
sys_read_int(const char *root, const char *path, int64_t *v)
{
	char buf[64], *end;
	if (sys_read(root, path, buf, sizeof buf) <= 0)
		return -1;
	errno = 0;
	long long n = strtoll(buf, &end, 10);
	if (end == buf || errno)
		return -1;
	*v = n;
	return 0;
}

bool
sys_exists(const char *root, const char *path)
{
	char whole[4352];
	int n = snprintf(whole, sizeof whole, "%s%s", root, path);
	return n > 0 && (size_t)n < sizeof whole && access(whole, F_OK) == 0;
}
