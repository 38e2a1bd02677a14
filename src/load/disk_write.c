// Load `disk-write`: writes a big file, again and again, as latencytest did. Buffered, but what is written reaches the
// disk before the file is begun anew: at most two windows of it wait in memory. Must not know other loads.
#include <fcntl.h>
#include <unistd.h>

#include "load/table.h"
#include "load/worker.h"

#define FILE_BYTES (1ull << 30)
#define BLOCK (1u << 20)
#define WINDOW (8u << 20) // so that ending it waits for little
#define LEAST (2u << 20)

static int
disk_write_prepare(struct load_run *r, struct err *e)
{
	// each worker has its own file
	uint64_t level = (uint64_t)load_level(r), all = load_size_asked(r, FILE_BYTES) * level;
	if (load_disk_fit(r, &all, LEAST * level, e) == -1)
		return -1;
	r->size = all / level / BLOCK * BLOCK;
	return 0;
}

// Starts writing out the window that ends at END and waits for the one before it.
static int
flush(int fd, uint64_t end, struct err *e)
{
	uint64_t at = end - WINDOW;
	unsigned wait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	if (sync_file_range(fd, (off_t)at, WINDOW, SYNC_FILE_RANGE_WRITE) == -1)
		return err_set(e, "writing out:");
	if (at >= WINDOW && sync_file_range(fd, (off_t)(at - WINDOW), WINDOW, wait) == -1)
		return err_set(e, "writing out:");
	return 0;
}

static int
write_file(struct load_run *r, int fd, uint64_t *buf, struct err *e)
{
	for (uint64_t at = 0; at < r->size;) {
		uint64_t left = r->size - at;
		buf[0] = at ^ r->seed;
		ssize_t n = pwrite(fd, buf, left < BLOCK ? left : BLOCK, (off_t)at);
		if (n <= 0)
			return err_set(e, "writing:");
		at += (uint64_t)n;
		load_worked(r, (uint64_t)n);
		if (at % WINDOW == 0 && (flush(fd, at, e) == -1 || load_disk_check(r, e) == -1))
			return -1;
	}
	return fdatasync(fd) == 0 ? 0 : err_set(e, "writing out:");
}

static int
disk_write_work(struct load_run *r, int index, struct err *e)
{
	(void)index;
	uint64_t *buf = load_buffer(BLOCK, e);
	int fd = load_temp_file(r, 0, e);
	if (!buf || fd == -1)
		return -1;
	load_fill(r, buf, BLOCK);
	for (;;) {
		if (write_file(r, fd, buf, e) == -1)
			return -1;
		if (ftruncate(fd, 0) == -1)
			return err_set(e, "truncating:");
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
