// Commands whose code has not landed yet; goes away with the last of them.
#include <stdio.h>

#include "command.h"

#define PENDING(f)                                                                                                    \
	__attribute__((weak)) int f(int argc, char **argv)                                                           \
	{                                                                                                             \
		(void)argc;                                                                                           \
		fprintf(stderr, "stutter: %s is not there yet\n", argv[0]);                                           \
		return 1;                                                                                             \
	}

PENDING(command_monitor)
PENDING(command_view)
PENDING(command_run)
PENDING(command_suite)
PENDING(command_ab)
PENDING(command_compare)
PENDING(command_report)
PENDING(command_export)
PENDING(command_headroom)
PENDING(command_list)

int load_child_main(const char *arg);
int knob_child_main(const char *arg);

__attribute__((weak)) int
load_child_main(const char *arg)
{
	(void)arg;
	return 1;
}
__attribute__((weak)) int
knob_child_main(const char *arg)
{
	(void)arg;
	return 1;
}

#include <math.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sys/cpu.h"
#include "sys/host.h"
#include "sys/limits.h"

__attribute__((weak)) int
memory_room_read(struct memory_room *m, struct err *e)
{
	(void)e;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	*m = (struct memory_room){.ram = (uint64_t)sysconf(_SC_PHYS_PAGES) * page, .available = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * page,
	    .cgroup_limit = UINT64_MAX, .cgroup_left = UINT64_MAX};
	return 0;
}
__attribute__((weak)) int
disk_room_read(const char *dir, struct disk_room *d, struct err *e)
{
	struct statvfs v;
	if (statvfs(dir, &v))
		return err_set(e, "%s:", dir);
	*d = (struct disk_room){.free_bytes = (uint64_t)v.f_bavail * v.f_frsize, .total_bytes = (uint64_t)v.f_blocks * v.f_frsize, .type = "ext4"};
	return 0;
}
__attribute__((weak)) void
host_read(struct host *h)
{
	struct utsname u;
	uname(&u);
	*h = (struct host){.cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), .preempt = "unknown"};
	snprintf(h->name, sizeof h->name, "%.60s", u.nodename);
	snprintf(h->kernel, sizeof h->kernel, "%.60s", u.release);
}
__attribute__((weak)) struct cpu_sampler *
cpu_sampler_new(struct err *e)
{
	err_set(e, "not there yet");
	return NULL;
}
__attribute__((weak)) void
cpu_sampler_free(struct cpu_sampler *s)
{
	(void)s;
}
__attribute__((weak)) int
cpu_sample(struct cpu_sampler *s, struct cpu_pct *t, struct cpu_pct *each, int max, int *count)
{
	(void)s, (void)t, (void)each, (void)max, (void)count;
	return -1;
}
__attribute__((weak)) double
cpu_busy(const struct cpu_pct *c)
{
	return c->user + c->system + c->irq + c->steal;
}
