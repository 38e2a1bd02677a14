// What a load's own file may call: notes, sizes, temporary files, buffers.
// Must not know any load, nor how workers are started and ended.
#include "load/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "sys/limits.h"

#define FLOOR_BYTES (5ull << 30)
#define DISK_CHECK_NS (100 * NS_PER_MS)

void
seq_read(const _Atomic uint32_t *seq, void *to, const void *from, size_t n)
{
	for (int tries = 0; tries < 1000; tries++) {
		uint32_t before = atomic_load_explicit(seq, memory_order_acquire);
		memcpy(to, from, n);
		atomic_thread_fence(memory_order_acquire);
		if (!(before & 1) && atomic_load_explicit(seq, memory_order_relaxed) == before)
			return;
	}
}

void
load_note(struct load_run *r, const char *fmt, ...)
{
	va_list ap;
	seq_write_begin(&r->sh->note_seq);
	va_start(ap, fmt);
	vsnprintf(r->sh->note, sizeof r->sh->note, fmt, ap);
	va_end(ap);
	seq_write_end(&r->sh->note_seq);
}

uint64_t
load_size_asked(const struct load_run *r, uint64_t wanted)
{
	const struct load_params *p = r->params;
	struct memory_room m;
	if (p->size)
		return p->size;
	if (p->size_pct_ram && memory_room_read(&m, NULL) == 0)
		return m.ram / 100 * p->size_pct_ram;
	return wanted;
}

void
load_tie_to_parent(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

uint64_t
load_disk_floor(uint64_t total)
{
	const char *s = getenv("STUTTER_DISK_FLOOR");
	uint64_t bytes;
	if (s && text_parse_size(s, &bytes, NULL) == 0)
		return bytes;
	return total / 10 < FLOOR_BYTES ? total / 10 : FLOOR_BYTES;
}

int
load_disk_fit(struct load_run *r, uint64_t *bytes, uint64_t least, struct err *e)
{
	const char *dir = r->params->dir;
	struct stat st;
	struct disk_room d;
	char free_text[16], floor_text[16];
	if (stat(dir, &st) == -1)
		return err_set(e, "%s:", dir);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, "%s: not a folder", dir);
	if (disk_room_read(dir, &d, e) == -1)
		return -1;
	if (d.in_memory)
		return err_set(e, "%s is on %s: it would run in RAM (--dir)", dir, d.type);
	if (d.read_only)
		return err_set(e, "%s is on a read-only file system", dir);
	if (access(dir, W_OK | X_OK) == -1)
		return err_set(e, "%s is not writable:", dir);
	uint64_t keep = load_disk_floor(d.total_bytes);
	uint64_t room = d.free_bytes > keep ? d.free_bytes - keep : 0;
	if (room < least)
		return err_set(e, "no space: %s free on %s, %s of it kept free",
		    text_bytes(free_text, sizeof free_text, (double)d.free_bytes), dir,
		    text_bytes(floor_text, sizeof floor_text, (double)keep));
	if (*bytes > room)
		*bytes = room;
	return 0;
}

int
load_temp_file(struct load_run *r, int flags, struct err *e)
{
	const char *dir = r->params->dir;
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);
	if (fd != -1)
		return fd;
	if (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT) {
		char path[sizeof r->params->dir + 24];
		snprintf(path, sizeof path, "%s/.stutter.XXXXXX", dir);
		fd = mkostemp(path, O_CLOEXEC | flags);
		if (fd != -1)
			unlink(path);
	}
	if (fd == -1 && errno == EINVAL && flags & O_DIRECT)
		return err_set(e, "%s: its file system cannot bypass the page cache", dir);
	return fd != -1 ? fd : err_set(e, "no file in %s:", dir);
}

int
load_disk_check(struct load_run *r, struct err *e)
{
	int64_t now = clock_now_ns();
	struct disk_room d;
	char text[16];
	if (now - r->disk_check_ns < DISK_CHECK_NS)
		return 0;
	r->disk_check_ns = now;
	if (disk_room_read(r->params->dir, &d, NULL) == -1)
		return 0;
	// what others took meanwhile: half the floor is still kept
	if (d.free_bytes >= load_disk_floor(d.total_bytes) / 2)
		return 0;
	return err_set(e, "no space: %s free on %s", text_bytes(text, sizeof text, (double)d.free_bytes),
	    r->params->dir);
}

void
load_fill(struct load_run *r, void *buf, size_t n)
{
	uint64_t *p = buf;
	for (size_t i = 0; i < n / sizeof *p; i++)
		p[i] = load_random(r);
}

void *
load_buffer(size_t n, struct err *e)
{
	void *m = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m != MAP_FAILED)
		return m;
	err_set(e, "no memory for a buffer:");
	return NULL;
}
