// Load `io`: several processes read and write 1 KiB at random places of one file, old blocks and new ones (irman).
// Buffered, as fio's psync engine is by default; but parts of the file are written out, dropped from the page cache and
// given back all the while, so that the disk is read and written too. Must not know other loads.
#include <fcntl.h>
#include <unistd.h>

#include "load/disk.h"
#include "load/table.h"

#define FILE_BYTES (128ull << 20) // more would take long to give back: its blocks lie in many pieces
#define CHUNK 1024u
#define LEAST (1u << 20)
#define REGION (256u << 10)
#define STIR_OPS 2048   // operations between two regions that are written out and dropped
#define RENEW_STIRS 16  // regions between two that are given back, to be new blocks again

static int
io_prepare(struct load_run *r, struct err *e)
{
	r->size = load_size_asked(r, FILE_BYTES);
	if (load_disk_fit(r, &r->size, LEAST, e) == -1)
		return -1;
	r->size = r->size / REGION * REGION;
	r->fd[0] = load_temp_file(r, 0, e);
	if (r->fd[0] == -1)
		return -1;
	return ftruncate(r->fd[0], (off_t)r->size) == 0 ? 0 : err_set(e, "a file of its size:");
}

// Keeps the disk at work: see the top.
static int
stir(struct load_run *r, uint64_t turn, struct err *e)
{
	int fd = r->fd[0];
	off_t at = (off_t)(load_random(r) % (r->size / REGION) * REGION);
	sync_file_range(fd, at, REGION, SYNC_FILE_RANGE_WRITE);
	off_t old = (off_t)(load_random(r) % (r->size / REGION) * REGION);
	posix_fadvise(fd, old, REGION, POSIX_FADV_DONTNEED);
	if (turn % RENEW_STIRS == 0)
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, old, REGION);
	return load_disk_check(r, e);
}

static int
io_work(struct load_run *r, int index, struct err *e)
{
	(void)index;
	char buf[CHUNK];
	uint64_t places = r->size / CHUNK;
	load_fill(r, buf, sizeof buf);
	for (uint64_t turn = 1;; turn++) {
		for (int i = 0; i < STIR_OPS; i++) {
			uint64_t x = load_random(r);
			off_t at = (off_t)((x >> 1) % places * CHUNK);
			ssize_t n = x & 1 ? pread(r->fd[0], buf, CHUNK, at) : pwrite(r->fd[0], buf, CHUNK, at);
			if (n != CHUNK)
				return err_set(e, "%s in %s:", x & 1 ? "reading" : "writing", r->params->dir);
			load_worked(r, 1);
		}
		if (stir(r, turn, e) == -1)
			return -1;
	}
}

const struct load_kind load_io = {
    .name = "io",
    .key = '2',
    .does = "processes read and write 1 KiB at random places of a file, old blocks and new ones",
    .unit = "operations",
    .source = "irman",
    .level = 4,
    .on_disk = true,
    .stall_ms = 5000,
    .prepare = io_prepare,
    .work = io_work,
};
