// Load `disk-write`: writes a big file, again and again, as latencytest did. Buffered, but what is written reaches the
// disk before the file is begun anew. Must not know other loads.
#include <unistd.h>

#include "load/disk.h"
#include "load/table.h"

#define RENEW 4 // rounds until its blocks are given back, to be new ones again

static int
disk_write_prepare(struct load_run *r, struct err *e)
{
	return disk_size(r, DISK_FILE, 1, e);
}

static int
write_file(struct load_run *r, int fd, uint64_t *buf, struct err *e)
{
	for (uint64_t at = 0; at < r->size;) {
		buf[0] = at ^ r->seed;
		ssize_t n = pwrite(fd, buf, DISK_BLOCK, (off_t)at);
		if (n <= 0)
			return err_set(e, "writing in %s:", r->params->dir);
		at += (uint64_t)n;
		load_worked(r, (uint64_t)n);
		if (at % DISK_WINDOW == 0 && (disk_flush(fd, at, e) == -1 || load_disk_check(r, e) == -1))
			return -1;
	}
	return fdatasync(fd) == 0 ? 0 : err_set(e, "writing out in %s:", r->params->dir);
}

static int
disk_write_work(struct load_run *r, int index, struct err *e)
{
	(void)index;
	uint64_t *buf = load_buffer(DISK_BLOCK, e);
	int fd = load_temp_file(r, 0, e);
	if (!buf || fd == -1)
		return -1;
	load_fill(r, buf, DISK_BLOCK);
	for (int round = 1;; round++) {
		if (write_file(r, fd, buf, e) == -1)
			return -1;
		if (round % RENEW == 0 && ftruncate(fd, 0) == -1)
			return err_set(e, "truncating in %s:", r->params->dir);
	}
}

const struct load_kind load_disk_write = {
    .name = "disk-write",
    .key = '6',
    .does = "writes a big file, again and again",
    .unit = "bytes",
    .source = "latencytest",
    .level = 1,
    .on_disk = true,
    .stall_ms = 5000,
    .prepare = disk_write_prepare,
    .work = disk_write_work,
};
