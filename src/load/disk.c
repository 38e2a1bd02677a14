// What the loads that work in a folder share: room, files without a name, writing out in windows.
// Must not know other loads than the caller's.
#include "load/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "sys/limits.h"

#define FLOOR_BYTES (5ull << 30)
#define LOOK_NS (100 * NS_PER_MS)

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
	if (now - r->look_ns < LOOK_NS)
		return 0;
	r->look_ns = now;
	if (disk_room_read(r->params->dir, &d, NULL) == -1)
		return 0;
	// what others took meanwhile: half the floor is still kept
	if (d.free_bytes >= load_disk_floor(d.total_bytes) / 2)
		return 0;
	return err_set(e, "no space: %s free on %s", text_bytes(text, sizeof text, (double)d.free_bytes),
	    r->params->dir);
}

int
disk_size(struct load_run *r, uint64_t wanted, unsigned files, struct err *e)
{
	uint64_t parts = (uint64_t)load_level(r) * files;
	uint64_t all = load_size_asked(r, wanted) / DISK_BLOCK * DISK_BLOCK * parts;
	if (!all)
		all = DISK_BLOCK * parts;
	if (load_disk_fit(r, &all, DISK_BLOCK * parts, e) == -1)
		return -1;
	r->size = all / parts / DISK_BLOCK * DISK_BLOCK;
	return 0;
}

int
disk_flush(int fd, uint64_t end, struct err *e)
{
	uint64_t at = (end - 1) / DISK_WINDOW * DISK_WINDOW;
	unsigned wait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	if (sync_file_range(fd, (off_t)at, DISK_WINDOW, SYNC_FILE_RANGE_WRITE) == -1)
		return err_set(e, "writing out:");
	uint64_t behind = (uint64_t)(DISK_WINDOWS - 1) * DISK_WINDOW;
	if (at >= behind && sync_file_range(fd, (off_t)(at - behind), DISK_WINDOW, wait) == -1)
		return err_set(e, "writing out:");
	return 0;
}
