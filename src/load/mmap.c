// Load `mmap`: maps a file, writes every byte, msync, unmaps (mmap001). A pass is one file. What has reached the disk is
// given back on the way, so that neither the end of a pass nor of the load waits for gigabytes. Must not know other loads.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "load/disk.h"
#include "load/table.h"

#define FILE_BYTES 2048000000ull
#define LEAST (1u << 20)
#define HELD (128ull << 20) // of the file behind the place that is written: the most that is there at a time

static int
mmap_prepare(struct load_run *r, struct err *e)
{
	uint64_t level = (uint64_t)load_level(r), each = load_size_asked(r, FILE_BYTES), all = each * level;
	if (load_disk_fit(r, &all, LEAST * level, e) == -1)
		return -1;
	r->size = all / level < each ? all / level : each;
	return 0;
}

static int
make_file(struct load_run *r, struct err *e)
{
	int fd = load_temp_file(r, 0, e);
	if (fd == -1 || ftruncate(fd, (off_t)r->size) == 0)
		return fd;
	err_set(e, "a file of its size in %s:", r->params->dir);
	close(fd);
	return -1;
}

// Has the blocks of the window at AT: a full disk must be an error here and not a signal later. Gives back what is
// HELD behind it, which has reached the disk long ago.
static int
take_window(struct load_run *r, int fd, uint64_t at, struct err *e)
{
	uint64_t n = r->size - at < DISK_WINDOW ? r->size - at : DISK_WINDOW;
	if (at >= HELD)
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(at - HELD), DISK_WINDOW);
	if (fallocate(fd, 0, (off_t)at, (off_t)n) == 0 || errno == EOPNOTSUPP)
		return 0;
	return err_set(e, "writing in %s:", r->params->dir);
}

// Writes every byte; what is written starts on its way to the disk at once, so that the end waits for little.
static int
write_all(struct load_run *r, int fd, unsigned char *m, const unsigned char *buf, struct err *e)
{
	for (uint64_t at = 0; at < r->size;) {
		uint64_t n = r->size - at < DISK_BLOCK ? r->size - at : DISK_BLOCK;
		if (at % DISK_WINDOW == 0 && take_window(r, fd, at, e) == -1)
			return -1;
		memcpy(m + at, buf, n);
		at += n;
		load_worked(r, n);
		if (at % DISK_WINDOW == 0 && (disk_flush(fd, at, e) == -1 || load_disk_check(r, e) == -1))
			return -1;
	}
	return msync(m, r->size, MS_SYNC) == 0 ? 0 : err_set(e, "msync in %s:", r->params->dir);
}

static int
mmap_work(struct load_run *r, int index, struct err *e)
{
	(void)index;
	unsigned char *buf = load_buffer(DISK_BLOCK, e);
	if (!buf)
		return -1;
	while (load_pass_begin(r)) {
		load_fill(r, buf, DISK_BLOCK);
		int fd = make_file(r, e);
		if (fd == -1)
			return -1;
		unsigned char *m = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (m == MAP_FAILED)
			return err_set(e, "mapping a file:");
		if (write_all(r, fd, m, buf, e) == -1)
			return -1;
		munmap(m, r->size);
		close(fd);
		load_pass_end(r, r->size, true);
	}
	return 0;
}

const struct load_kind load_mmap = {
    .name = "mmap",
    .key = '9',
    .does = "maps a file, writes every byte, msync, unmaps; a pass is one file",
    .unit = "bytes",
    .source = "mmap001",
    .level = 1,
    .by_passes = true,
    .on_disk = true,
    .stall_ms = 5000,
    .prepare = mmap_prepare,
    .work = mmap_work,
};
