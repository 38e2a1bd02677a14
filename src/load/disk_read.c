// Load `disk-read`: reads a big file from the disk, never from the page cache. The file grows while it is read, so that
// reading starts at once. Must not know other loads.
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "load/disk.h"
#include "load/table.h"

static int
disk_read_prepare(struct load_run *r, struct err *e)
{
	return disk_size(r, DISK_FILE, 1, e);
}

// Opens a file whose reads bypass the page cache. False in *DIRECT where the file system has no such thing.
static int
open_file(struct load_run *r, bool *direct, struct err *e)
{
	int fd = load_temp_file(r, O_DIRECT, NULL);
	*direct = fd != -1;
	return fd != -1 ? fd : load_temp_file(r, 0, e);
}

// Writes one more piece of the file; it is on the disk when this returns.
static int
grow(struct load_run *r, int fd, bool direct, char *buf, uint64_t at, struct err *e)
{
	load_fill(r, buf, 4096);
	if (pwrite(fd, buf, DISK_BLOCK, (off_t)at) != DISK_BLOCK)
		return err_set(e, "writing the file to read in %s:", r->params->dir);
	if (!direct && (fdatasync(fd) == -1 || posix_fadvise(fd, (off_t)at, DISK_BLOCK, POSIX_FADV_DONTNEED)))
		return err_set(e, "writing the file to read in %s:", r->params->dir);
	return load_disk_check(r, e);
}

static int
disk_read_work(struct load_run *r, int index, struct err *e)
{
	(void)index;
	bool direct;
	char *buf = load_buffer(DISK_BLOCK, e);
	int fd = open_file(r, &direct, e);
	if (!buf || fd == -1)
		return -1;
	load_fill(r, buf, DISK_BLOCK);
	uint64_t have = 0, at = 0;
	for (;;) {
		if (have < r->size) {
			if (grow(r, fd, direct, buf, have, e) == -1)
				return -1;
			have += DISK_BLOCK;
		}
		ssize_t n = pread(fd, buf, DISK_BLOCK, (off_t)at);
		if (n <= 0)
			return err_set(e, "reading in %s:", r->params->dir);
		if (!direct)
			posix_fadvise(fd, (off_t)at, n, POSIX_FADV_DONTNEED);
		load_worked(r, (uint64_t)n);
		at += (uint64_t)n;
		if (at >= have)
			at = 0;
	}
}

const struct load_kind load_disk_read = {
    .name = "disk-read",
    .key = '8',
    .does = "reads a big file from the disk, never from the page cache",
    .unit = "bytes",
    .source = "latencytest",
    .level = 1,
    .on_disk = true,
    .stall_ms = 5000,
    .prepare = disk_read_prepare,
    .work = disk_read_work,
};
