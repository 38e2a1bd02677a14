// Load `procfs`: reads of every process what top(1) reads, without a pause. Latencytest ran `top -d 0.01`.
// Must not know other loads.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "load/table.h"
#include "load/worker.h"

static const char *const of_machine[] = {
    "/proc/stat", "/proc/meminfo", "/proc/loadavg", "/proc/uptime", "/proc/vmstat",
};
static const char *const of_process[] = {"stat", "statm", "status", "cmdline"};

static bool
read_whole(int dir, const char *path, struct load_run *r)
{
	char buf[16384];
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return false;
	// a process may end between the opening and the reading
	ssize_t n;
	bool any = false;
	while ((n = read(fd, buf, sizeof buf)) > 0) {
		any = true;
		if ((size_t)n < sizeof buf)
			break;
	}
	close(fd);
	if (any)
		load_worked(r, 1);
	return any;
}

static int
procfs_work(struct load_run *r, int index, struct err *e)
{
	(void)index;
	for (;;) {
		DIR *d = opendir("/proc");
		if (!d)
			return err_set(e, "/proc:");
		for (size_t i = 0; i < sizeof of_machine / sizeof *of_machine; i++)
			read_whole(AT_FDCWD, of_machine[i], r);
		for (struct dirent *de; (de = readdir(d));) {
			char path[300];
			if (de->d_name[0] < '1' || de->d_name[0] > '9')
				continue;
			for (size_t i = 0; i < sizeof of_process / sizeof *of_process; i++) {
				snprintf(path, sizeof path, "%s/%s", de->d_name, of_process[i]);
				read_whole(dirfd(d), path, r);
			}
		}
		closedir(d);
	}
}

const struct load_kind load_procfs = {
    .name = "procfs",
    .key = '5',
    .does = "reads of every process what top reads, without a pause",
    .unit = "files",
    .source = "latencytest",
    .level = 1,
    .work = procfs_work,
};
