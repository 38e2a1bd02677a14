// A memory cgroup of a load's own, v1 or v2, where this process may make one.
// Must not know what the load does in it.
#include "load/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

#define PREFIX "stutter-"
#define PATH_SIZE 512

static int
write_to(const char *folder, const char *file, const char *text)
{
	char path[PATH_SIZE + 64];
	snprintf(path, sizeof path, "%s/%s", folder, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd == -1)
		return -1;
	ssize_t n = write(fd, text, strlen(text));
	int saved = errno;
	close(fd);
	errno = saved;
	return n == (ssize_t)strlen(text) ? 0 : -1;
}

// The part of line LINE of mountinfo (proc(5)) that is the mount point of a cgroup file system of TYPE with OPTION.
static bool
mount_point(const char *line, const char *type, const char *option, char *root, char *point)
{
	char fs[32], opts[256];
	const char *dash = strstr(line, " - ");
	if (!dash || sscanf(dash, " - %31s %*s %255s", fs, opts) != 2 || strcmp(fs, type) != 0)
		return false;
	if (sscanf(line, "%*s %*s %*s %255s %255s", root, point) != 2)
		return false;
	char *save, *o = strtok_r(opts, ",", &save);
	for (; option && o && strcmp(o, option) != 0; o = strtok_r(NULL, ",", &save))
		;
	return !option || o;
}

static bool
find_mount(const char *type, const char *option, char *root, char *point)
{
	char line[1024];
	bool found = false;
	FILE *f = fopen("/proc/self/mountinfo", "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof line, f))
		found = mount_point(line, type, option, root, point);
	fclose(f);
	return found;
}

// Our own path in the hierarchy that has CONTROLLER ("" for v2), from /proc/self/cgroup: cgroups(7).
static bool
own_path(const char *controller, char *path)
{
	char line[1024], names[256];
	bool found = false;
	FILE *f = fopen("/proc/self/cgroup", "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof line, f)) {
		names[0] = '\0';
		if (sscanf(line, "%*d::%255[^\n]", path) == 1)
			found = !*controller;
		else if (sscanf(line, "%*d:%255[^:]:%255[^\n]", names, path) == 2) {
			char *save, *n = strtok_r(names, ",", &save);
			for (; n && !found; n = strtok_r(NULL, ",", &save))
				found = *controller && !strcmp(n, controller);
		}
	}
	fclose(f);
	return found;
}

// The folder of our own cgroup. False where the hierarchy isn't there or we are outside of what is mounted.
static bool
own_folder(const char *type, const char *controller, char *folder, char *point)
{
	char root[256], path[256];
	const char *rest = path;
	if (!find_mount(type, *controller ? controller : NULL, root, point) || !own_path(controller, path))
		return false;
	size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strncmp(path, root, n) != 0)
		return false;
	rest += n;
	snprintf(folder, PATH_SIZE, "%s%s", point, strcmp(rest, "/") == 0 ? "" : rest);
	return true;
}

// Removes the folders in FOLDER of processes that are no more.
static void
sweep(const char *folder)
{
	DIR *d = opendir(folder);
	if (!d)
		return;
	for (struct dirent *de; (de = readdir(d));) {
		char path[PATH_SIZE + 300];
		if (strncmp(de->d_name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		pid_t pid = (pid_t)strtol(de->d_name + strlen(PREFIX), NULL, 10);
		snprintf(path, sizeof path, "%s/%s", folder, de->d_name);
		if (pid > 0 && kill(pid, 0) == -1 && errno == ESRCH)
			rmdir(path);
	}
	closedir(d);
}

static int
make_in(const char *folder, const char *limit_file, uint64_t limit, char *path, size_t size)
{
	char text[32];
	sweep(folder);
	if ((size_t)snprintf(path, size, "%s/" PREFIX "%d", folder, (int)getpid()) >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (mkdir(path, 0755) == -1)
		return -1;
	snprintf(text, sizeof text, "%" PRIu64, limit);
	if (write_to(path, limit_file, text) == 0 && access(path, W_OK) == 0)
		return 0;
	int saved = errno;
	rmdir(path);
	errno = saved;
	return -1;
}

// v2 allows no processes in a cgroup whose children have a memory controller: where our own can't have such
// children, one beside it, or beside one above it, does, as far up as we may write.
static int
make_v2(uint64_t limit, char *path, size_t size)
{
	char folder[PATH_SIZE], point[256];
	if (!own_folder("cgroup2", "", folder, point)) {
		errno = ENOENT;
		return -1;
	}
	for (;;) {
		write_to(folder, "cgroup.subtree_control", "+memory");
		if (make_in(folder, "memory.max", limit, path, size) == 0)
			return 0;
		char *slash = strrchr(folder, '/');
		if (!slash || (size_t)(slash - folder) < strlen(point))
			return -1;
		*slash = '\0';
	}
}

int
cgroup_make(char *path, size_t size, uint64_t limit, struct err *e)
{
	char folder[PATH_SIZE], point[256];
	if (own_folder("cgroup", "memory", folder, point) &&
	    make_in(folder, "memory.limit_in_bytes", limit, path, size) == 0)
		return 0;
	if (make_v2(limit, path, size) == 0)
		return 0;
	path[0] = '\0';
	return err_set(e, "no memory cgroup can be made:");
}

int
cgroup_join(const char *path, struct err *e)
{
	return write_to(path, "cgroup.procs", "0") == 0 ? 0 : err_set(e, "cannot join a memory cgroup:");
}

void
cgroup_remove(const char *path)
{
	// the kernel may take a moment to let the last process go
	for (int tries = 0; *path && rmdir(path) == -1 && errno == EBUSY && tries < 2000; tries++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}
