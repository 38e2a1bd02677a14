// Load `list`: walks the directory tree and stats every file, as `ls -lR /` does (contest). Must not know other loads.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/table.h"
#include "load/worker.h"

#define DEPTH 100 // also the number of folders open at a time

// Stats what is in the folder open as FD, which it closes, and in those below it on the same file system.
static void
walk(struct load_run *r, int fd, dev_t dev, int depth)
{
	struct stat st;
	DIR *d = fdopendir(fd);
	if (!d) {
		close(fd);
		return;
	}
	for (struct dirent *de; (de = readdir(d));) {
		const char *n = de->d_name;
		if (n[0] == '.' && (!n[1] || (n[1] == '.' && !n[2])))
			continue;
		if (fstatat(dirfd(d), n, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == -1)
			continue;
		load_worked(r, 1);
		if (!S_ISDIR(st.st_mode) || st.st_dev != dev || depth == DEPTH)
			continue;
		int sub = openat(dirfd(d), n, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub != -1)
			walk(r, sub, dev, depth + 1);
	}
	closedir(d);
}

static int
list_work(struct load_run *r, int index, struct err *e)
{
	(void)index;
	struct stat st;
	for (;;) {
		int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd == -1 || fstat(fd, &st) == -1)
			return err_set(e, "/:");
		walk(r, fd, st.st_dev, 0);
	}
}

const struct load_kind load_list = {
    .name = "list",
    .does = "walks the directory tree and stats every file, as `ls -lR /` does",
    .unit = "files",
    .source = "contest",
    .level = 1,
    .stall_ms = 5000,
    .work = list_work,
};
