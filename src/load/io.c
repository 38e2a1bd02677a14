// Load `io`: several processes read and write 1 KiB at random places of one file, old blocks and new ones (irman).
// Buffered, as fio's psync engine is by default; but parts of the file are written out, dropped from the page cache and
// given back all the while, so that the disk is read and written too. What is new is written in pieces first: a file
// system that gives a file back waits for each piece of it. Must not know other loads.
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/disk.h"
#include "load/table.h"

#define FILE_BYTES (128ull << 20)
#define CHUNK 1024u
#define PAGE 4096
#define LEAST (1u << 20)
#define REGION (256u << 10) // written out and dropped at a time
#define PIECE (1u << 20)    // made anew at a time
#define GROW 4              // pieces that are added at a time, until the file has its size
#define STIR_OPS 2048       // operations between two regions
#define RENEW_STIRS 64      // regions between two pieces

static int
io_prepare(struct load_run *r, struct err *e)
{
	r->size = load_size_asked(r, FILE_BYTES);
	if (r->size < LEAST)
		r->size = LEAST;
	if (load_disk_fit(r, &r->size, LEAST, e) == -1)
		return -1;
	r->size = r->size / PIECE * PIECE;
	r->fd[0] = load_temp_file(r, 0, e);
	return r->fd[0] == -1 ? -1 : 0;
}

// By pages: the page cache would keep it in one big page, which is never clean and thus never dropped.
static int
write_piece(struct load_run *r, const char *piece, uint64_t at, struct err *e)
{
	for (uint64_t i = 0; i < PIECE; i += PAGE)
		if (pwrite(r->fd[0], piece + i, PAGE, (off_t)(at + i)) != PAGE)
			return err_set(e, "writing in %s:", r->params->dir);
	return 0;
}

// Keeps the disk at work: see the top. SIZE is what the file has; *WRITTEN is the region that the last turn wrote out.
static int
stir(struct load_run *r, const char *piece, uint64_t size, uint64_t turn, off_t *written, struct err *e)
{
	int fd = r->fd[0];
	posix_fadvise(fd, *written, REGION, POSIX_FADV_DONTNEED);
	*written = (off_t)(load_random(r) % (size / REGION) * REGION);
	sync_file_range(fd, *written, REGION, SYNC_FILE_RANGE_WRITE);
	off_t old = (off_t)(load_random(r) % (size / PIECE) * PIECE);
	if (turn % RENEW_STIRS == 0 &&
	    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, old, PIECE) == 0 &&
	    write_piece(r, piece, (uint64_t)old, e) == -1)
		return -1;
	return load_disk_check(r, e);
}

// The first worker makes the file, while all work in what is there already. Its size, or 0 with E.
static uint64_t
file_size(struct load_run *r, const char *piece, int index, struct err *e)
{
	struct stat st;
	if (fstat(r->fd[0], &st) == -1)
		return err_set(e, "the file in %s:", r->params->dir), 0;
	uint64_t have = (uint64_t)st.st_size / PIECE * PIECE;
	for (int i = 0; i < GROW && index == 0 && have < r->size; i++, have += PIECE)
		if (write_piece(r, piece, have, e) == -1)
			return 0;
	return have;
}

static int
operate(struct load_run *r, uint64_t places, struct err *e)
{
	char buf[CHUNK];
	load_fill(r, buf, sizeof buf);
	for (int i = 0; i < STIR_OPS; i++) {
		uint64_t x = load_random(r);
		off_t at = (off_t)((x >> 1) % places * CHUNK);
		ssize_t n = x & 1 ? pread(r->fd[0], buf, CHUNK, at) : pwrite(r->fd[0], buf, CHUNK, at);
		if (n != CHUNK)
			return err_set(e, "%s in %s:", x & 1 ? "reading" : "writing", r->params->dir);
		load_worked(r, 1);
	}
	return 0;
}

static int
io_work(struct load_run *r, int index, struct err *e)
{
	char *piece = load_buffer(PIECE, e);
	if (!piece)
		return -1;
	off_t written = 0;
	load_fill(r, piece, PIECE);
	for (uint64_t turn = 1;; turn++) {
		uint64_t size = file_size(r, piece, index, e);
		if (!size && index == 0)
			return -1;
		if (!size) { // not begun yet
			sched_yield();
			continue;
		}
		if (operate(r, size / CHUNK, e) == -1 || stir(r, piece, size, turn, &written, e) == -1)
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
