// Memory and disk space to be had: /proc/meminfo, memory cgroups with all their parents, file systems.
// Must not know loads.
#include "sys/limits.h"

#include <errno.h>
#include <libproc2/meminfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "sys/mounts.h"
#include "sys/read.h"

#define NO_LIMIT (1LL << 60) // version 1 writes a number near 2^63 where there is none

static int
read_meminfo(struct memory_room *m, struct err *e)
{
	enum { TOTAL, AVAILABLE, SWAP_TOTAL, SWAP_FREE, ITEMS };
	enum meminfo_item items[ITEMS] = {
	    MEMINFO_MEM_TOTAL, MEMINFO_MEM_AVAILABLE, MEMINFO_SWAP_TOTAL, MEMINFO_SWAP_FREE};
	struct meminfo_info *info = NULL;
	int r = procps_meminfo_new(&info);
	struct meminfo_stack *s = r == 0 ? procps_meminfo_select(info, items, ITEMS) : NULL;
	if (!s) {
		errno = r ? -r : errno;
		err_set(e, "cannot read /proc/meminfo:");
		procps_meminfo_unref(&info);
		return -1;
	}
	m->ram = s->head[TOTAL].result.ul_int * 1024;
	m->available = s->head[AVAILABLE].result.ul_int * 1024;
	m->swap_total = s->head[SWAP_TOTAL].result.ul_int * 1024;
	m->swap_free = s->head[SWAP_FREE].result.ul_int * 1024;
	procps_meminfo_unref(&info);
	return 0;
}

struct version {
	const char *mount_type, *mount_option;
	const char *limit, *soft_limit, *usage, *cache;
};

static const struct version versions[] = {
    {"cgroup2", "", "memory.max", "memory.high", "memory.current", "inactive_file "},
    {"cgroup", "memory", "memory.limit_in_bytes", NULL, "memory.usage_in_bytes", "total_inactive_file "},
};

struct walk {
	const char *root;
	const struct version *v;
	const char *path; // ours, as /proc/self/cgroup has it
	struct memory_room *m;
};

// The number after NAME in the file memory.stat of FOLDER, or 0.
static uint64_t
stat_value(const char *root, const char *folder, const char *name)
{
	char path[4200], buf[8192];
	snprintf(path, sizeof path, "%s/memory.stat", folder);
	if (sys_read(root, path, buf, sizeof buf) <= 0)
		return 0;
	for (const char *line = buf; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, strlen(name)) == 0)
			return strtoull(line + strlen(name), NULL, 10);
	}
	return 0;
}

static void
look_at(const struct walk *w, const char *folder)
{
	char path[4200];
	int64_t limit = INT64_MAX, soft, usage;
	snprintf(path, sizeof path, "%s/%s", folder, w->v->limit);
	if (sys_read_int(w->root, path, &limit) == -1 || limit >= NO_LIMIT)
		limit = INT64_MAX;
	if (w->v->soft_limit) {
		snprintf(path, sizeof path, "%s/%s", folder, w->v->soft_limit);
		if (sys_read_int(w->root, path, &soft) == 0 && soft < limit)
			limit = soft;
	}
	if (limit < 0 || limit >= NO_LIMIT)
		return;
	if ((uint64_t)limit < w->m->cgroup_limit)
		w->m->cgroup_limit = (uint64_t)limit;
	snprintf(path, sizeof path, "%s/%s", folder, w->v->usage);
	if (sys_read_int(w->root, path, &usage) == -1 || usage < 0)
		return;
	// file pages that nobody used lately go before anything is refused
	uint64_t cache = stat_value(w->root, folder, w->v->cache);
	uint64_t used = cache < (uint64_t)usage ? (uint64_t)usage - cache : 0;
	uint64_t left = used < (uint64_t)limit ? (uint64_t)limit - used : 0;
	if (left < w->m->cgroup_left)
		w->m->cgroup_left = left;
}

static bool
has_option(const char *options, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = options; n && p; p = strchr(p, ',')) {
		p += *p == ',';
		if (strncmp(p, name, n) == 0 && (p[n] == ',' || !p[n]))
			return true;
	}
	return n == 0;
}

// From our own group up to the mount's: each limit on the way holds.
static bool
climb(const struct mount *mount, void *data)
{
	const struct walk *w = data;
	char folder[4096];
	if (strcmp(mount->type, w->v->mount_type) != 0 || !has_option(mount->options, w->v->mount_option))
		return false;
	// in a container the mount may begin at our group, or our path be told from above what we can see
	const char *below = w->path;
	if (path_is_below(below, mount->root) && strcmp(mount->root, "/") != 0)
		below += strlen(mount->root);
	else if (strcmp(mount->root, "/") != 0 || strstr(below, "/..") != NULL)
		below = "";
	int n = snprintf(folder, sizeof folder, "%s%s", mount->point, strcmp(below, "/") == 0 ? "" : below);
	if (n < 0 || (size_t)n >= sizeof folder)
		return false;
	size_t top = strlen(mount->point);
	for (;;) {
		look_at(w, folder);
		char *slash = strrchr(folder, '/');
		if (!slash || (size_t)(slash - folder) < top)
			break;
		*slash = '\0';
	}
	return true;
}

void
cgroup_room_read(const char *root, struct memory_room *m)
{
	char buf[8192], *rest = buf, *line;
	m->cgroup_limit = m->cgroup_left = UINT64_MAX;
	if (sys_read(root, "/proc/self/cgroup", buf, sizeof buf) <= 0)
		return;
	// "0::/path" (version 2) and "4:memory:/path" (version 1)
	while ((line = strsep(&rest, "\n")) != NULL) {
		char *number = strsep(&line, ":"), *controllers = strsep(&line, ":");
		if (!controllers || !line)
			continue;
		const struct version *v = NULL;
		if (strcmp(number, "0") == 0 && !*controllers)
			v = &versions[0];
		else if (has_option(controllers, "memory"))
			v = &versions[1];
		if (v)
			mounts_each(root, climb, &(struct walk){.root = root, .v = v, .path = line, .m = m});
	}
}

int
memory_room_read(struct memory_room *m, struct err *e)
{
	memset(m, 0, sizeof *m);
	cgroup_room_read("", m);
	return read_meminfo(m, e);
}

struct place {
	const char *path;
	size_t length; // of the longest mount point above it so far
	char type[32], options[1024];
};

static bool
is_nearer(const struct mount *m, void *data)
{
	struct place *p = data;
	size_t n = strlen(m->point);
	// of two on the same point the later one is seen
	if (path_is_below(p->path, m->point) && n >= p->length) {
		p->length = n;
		snprintf(p->type, sizeof p->type, "%s", m->type);
		snprintf(p->options, sizeof p->options, "%s", m->options);
	}
	return false;
}

static bool
lives_in_memory(const char *type)
{
	return strcmp(type, "tmpfs") == 0 || strcmp(type, "ramfs") == 0 || strcmp(type, "devtmpfs") == 0 ||
	    strcmp(type, "rootfs") == 0 || strcmp(type, "hugetlbfs") == 0;
}

void
mount_find(const char *root, const char *path, char *type, size_t size, bool *in_memory)
{
	struct place p = {.path = path};
	mounts_each(root, is_nearer, &p);
	*in_memory = lives_in_memory(p.type);
	char *upper = strcmp(p.type, "overlay") == 0 ? strstr(p.options, "upperdir=") : NULL;
	if (upper) {
		upper += strlen("upperdir=");
		upper[strcspn(upper, ",")] = '\0';
		struct place u = {.path = upper};
		mounts_each(root, is_nearer, &u);
		*in_memory = lives_in_memory(u.type);
	}
	snprintf(type, size, "%s", *p.type ? p.type : "unknown");
}

int
disk_room_read(const char *dir, struct disk_room *d, struct err *e)
{
	struct statvfs v;
	memset(d, 0, sizeof *d);
	char *real = realpath(dir, NULL);
	if (!real || statvfs(real, &v) == -1) {
		err_set(e, "%s:", dir);
		free(real);
		return -1;
	}
	d->free_bytes = (uint64_t)v.f_bavail * v.f_frsize;
	d->total_bytes = (uint64_t)v.f_blocks * v.f_frsize;
	d->read_only = v.f_flag & ST_RDONLY;
	mount_find("", real, d->type, sizeof d->type, &d->in_memory);
	free(real);
	return 0;
}
