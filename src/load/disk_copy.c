// Load `disk-copy`: copies a big file to a second, as latencytest did. Buffered; the first comes from the disk each
// time, the second reaches it before it is begun anew. Must not know other loads.
#include <fcntl.h>
#include <unistd.h>

#include "load/disk.h"
#include "load/table.h"

static int
disk_copy_prepare(struct load_run *r, struct err *e)
{
	return disk_size(r, DISK_FILE, 2, e);
}

// Lets go of what the page cache holds of FD up to END: it is written out already.
static void
forget(int fd, uint64_t end)
{
	posix_fadvise(fd, 0, (off_t)end, POSIX_FADV_DONTNEED);
}

// Makes the next block of the file that is copied. What comes back later is read from the disk.
static int
make_source(struct load_run *r, int fd, uint64_t *buf, uint64_t at, struct err *e)
{
	load_fill(r, buf, 4096);
	if (pwrite(fd, buf, DISK_BLOCK, (off_t)at) != DISK_BLOCK)
		return err_set(e, "writing in %s:", r->params->dir);
	unsigned wait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	return sync_file_range(fd, (off_t)at, DISK_BLOCK, wait) == 0 ? 0 : err_set(e, "writing out:");
}

// Copies the whole, once; the first time the source is made on the way.
static int
copy_file(struct load_run *r, int from, int to, uint64_t *buf, bool first, struct err *e)
{
	for (uint64_t at = 0; at < r->size; at += DISK_BLOCK) {
		if (first && make_source(r, from, buf, at, e) == -1)
			return -1;
		if (first)
			forget(from, at + DISK_BLOCK);
		if (pread(from, buf, DISK_BLOCK, (off_t)at) != DISK_BLOCK)
			return err_set(e, "reading in %s:", r->params->dir);
		if (pwrite(to, buf, DISK_BLOCK, (off_t)at) != DISK_BLOCK)
			return err_set(e, "writing in %s:", r->params->dir);
		load_worked(r, DISK_BLOCK);
		if ((at + DISK_BLOCK) % DISK_WINDOW)
			continue;
		forget(from, at + DISK_BLOCK);
		if (disk_flush(to, at + DISK_BLOCK, e) == -1 || load_disk_check(r, e) == -1)
			return -1;
	}
	forget(from, r->size);
	return fdatasync(to) == 0 ? 0 : err_set(e, "writing out in %s:", r->params->dir);
}

static int
disk_copy_work(struct load_run *r, int index, struct err *e)
{
	(void)index;
	uint64_t *buf = load_buffer(DISK_BLOCK, e);
	int from = load_temp_file(r, 0, e), to = load_temp_file(r, 0, e);
	if (!buf || from == -1 || to == -1)
		return -1;
	posix_fadvise(from, 0, 0, POSIX_FADV_SEQUENTIAL);
	load_fill(r, buf, DISK_BLOCK);
	for (bool first = true;; first = false) {
		if (copy_file(r, from, to, buf, first, e) == -1)
			return -1;
		if (ftruncate(to, 0) == -1)
			return err_set(e, "truncating in %s:", r->params->dir);
	}
}

const struct load_kind load_disk_copy = {
    .name = "disk-copy",
    .key = '7',
    .does = "copies a big file to a second, again and again",
    .unit = "bytes",
    .source = "latencytest",
    .level = 1,
    .on_disk = true,
    .stall_ms = 5000,
    .prepare = disk_copy_prepare,
    .work = disk_copy_work,
};
