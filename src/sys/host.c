// Finds out what this machine is: files of /proc and /sys, uname(2), CPUID, the kernel's log.
// Must not know probes, loads or sessions.
#include "sys/host.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"
#include "sys/read.h"
#include "sys/virt.h"

#define CPU_DIR "/sys/devices/system/cpu"

// The word after KEY in TEXT, up to a blank or one of ",)"; false where there is none.
static bool
word_after(const char *text, const char *key, char *buf, size_t size)
{
	const char *p = strstr(text, key);
	if (!p)
		return false;
	p += strlen(key);
	size_t n = strcspn(p, " \t\n,)");
	if (n == 0 || n >= size)
		return false;
	memcpy(buf, p, n);
	buf[n] = '\0';
	return true;
}

// Which of its modes a dynamic kernel is in.
static bool
dynamic_mode(const char *root, const char *log, char *mode, size_t size)
{
	char buf[4096];
	// "none voluntary (full) lazy"
	if (sys_read(root, "/sys/kernel/debug/sched/preempt", buf, sizeof buf) > 0 &&
	    word_after(buf, "(", mode, size))
		return true;
	// the last said holds: the mode may have been changed since the start
	const char *last = NULL;
	for (const char *p = log; (p = strstr(p, "Dynamic Preempt: ")) != NULL; p++)
		last = p;
	if (last && word_after(last, "Dynamic Preempt: ", mode, size))
		return true;
	buf[0] = ' ';
	if (sys_read(root, "/proc/cmdline", buf + 1, sizeof buf - 1) > 0 && word_after(buf, " preempt=", mode, size))
		return true;
	return word_after(log, "PREEMPT(", mode, size);
}

// The mode that the kernel was built for, by its configuration in /boot.
static bool
built_mode(const char *root, const char *release, char *mode, size_t size)
{
	static const struct {
		const char *line, *mode;
	} row[] = {
	    {"\nCONFIG_PREEMPT_NONE=y", "none"},
	    {"\nCONFIG_PREEMPT_VOLUNTARY=y", "voluntary"},
	    {"\nCONFIG_PREEMPT_LAZY=y", "lazy"},
	    {"\nCONFIG_PREEMPT=y", "full"},
	};
	char path[160];
	snprintf(path, sizeof path, "/boot/config-%s", release);
	enum { MOST = 1 << 20 };
	char *buf = malloc(MOST);
	bool found = false;
	if (buf && sys_read(root, path, buf, MOST) > 0)
		for (size_t i = 0; i < sizeof row / sizeof *row && !found; i++)
			if (strstr(buf, row[i].line)) {
				snprintf(mode, size, "%s", row[i].mode);
				found = true;
			}
	free(buf);
	return found;
}

static void
find_preempt(const char *root, const char *log, struct host *h)
{
	char mode[24];
	int64_t real_time = 0;
	sys_read_int(root, "/sys/kernel/realtime", &real_time);
	if (real_time == 1 || strstr(h->version, "PREEMPT_RT") || strstr(h->version, "PREEMPT RT")) {
		snprintf(h->preempt, sizeof h->preempt, "PREEMPT_RT");
	} else if (strstr(h->version, "PREEMPT_DYNAMIC")) {
		bool known = dynamic_mode(root, log, mode, sizeof mode) ||
		    built_mode(root, h->kernel, mode, sizeof mode);
		snprintf(h->preempt, sizeof h->preempt, "PREEMPT_DYNAMIC (%s)", known ? mode : "unknown");
	} else if (built_mode(root, h->kernel, mode, sizeof mode)) {
		snprintf(h->preempt, sizeof h->preempt, "%s", mode);
	} else if (strstr(h->version, "PREEMPT")) {
		snprintf(h->preempt, sizeof h->preempt, "PREEMPT");
	} else {
		snprintf(h->preempt, sizeof h->preempt, "unknown");
	}
}

static void
find_model(const char *root, struct host *h)
{
	static const char *const key[] = {"model name", "Model", "cpu model", "Hardware", "cpu", "Processor"};
	char buf[8192];
	sys_read(root, "/proc/cpuinfo", buf, sizeof buf);
	for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
		size_t n = strlen(key[i]);
		for (const char *p = buf; p; p = strchr(p, '\n')) {
			p += *p == '\n';
			if (strncmp(p, key[i], n) != 0)
				continue;
			const char *colon = p + n + strspn(p + n, "\t ");
			if (*colon != ':')
				continue;
			char line[128];
			snprintf(line, sizeof line, "%.*s", (int)strcspn(colon + 1, "\n"), colon + 1);
			text_safe(h->model, sizeof h->model, line + strspn(line, " "));
			return;
		}
	}
	if (sys_read(root, "/proc/device-tree/model", buf, sizeof buf) > 0)
		text_safe(h->model, sizeof h->model, buf);
}

static void
find_governor(const char *root, struct host *h)
{
	for (int i = 0;; i++) {
		char path[96], buf[32];
		snprintf(path, sizeof path, CPU_DIR "/cpu%d", i);
		if (!sys_exists(root, path))
			return;
		snprintf(path, sizeof path, CPU_DIR "/cpu%d/cpufreq/scaling_governor", i);
		if (sys_read(root, path, buf, sizeof buf) <= 0)
			continue;
		if (!h->governor[0])
			text_safe(h->governor, sizeof h->governor, buf);
		else if (strcmp(h->governor, buf) != 0)
			snprintf(h->governor, sizeof h->governor, "mixed");
	}
}

static void
read_word(const char *root, const char *path, char *to, size_t size)
{
	char buf[128];
	if (sys_read(root, path, buf, sizeof buf) > 0)
		text_safe(to, size, buf);
}

void
host_read_under(const char *root, const char *log, struct host *h)
{
	find_preempt(root, log, h);
	find_model(root, h);
	find_governor(root, h);
	read_word(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource", h->clocksource,
	    sizeof h->clocksource);
	read_word(root, CPU_DIR "/cpuidle/current_driver", h->idle_driver, sizeof h->idle_driver);
	read_word(root, "/proc/sys/kernel/random/boot_id", h->boot_id, sizeof h->boot_id);
	virt_find(root, h->hypervisor, sizeof h->hypervisor, &h->is_virtual);
	if (sys_read_int(root, "/proc/sys/kernel/sched_rt_period_us", &h->rt_period_us) == -1 ||
	    sys_read_int(root, "/proc/sys/kernel/sched_rt_runtime_us", &h->rt_runtime_us) == -1)
		h->rt_period_us = h->rt_runtime_us = 0;
}

// The kernel's log where we may read it, else NULL. From malloc.
static char *
kernel_log(void)
{
	enum { READ_ALL = 3, SIZE = 10 }; // syslog(2)
	int size = klogctl(SIZE, NULL, 0);
	if (size <= 0 || size > 64 << 20)
		return NULL;
	char *log = malloc((size_t)size + 1);
	int n = log ? klogctl(READ_ALL, log, size) : -1;
	if (n < 0) {
		free(log);
		return NULL;
	}
	log[n] = '\0';
	return log;
}

void
host_read(struct host *h)
{
	struct utsname u;
	struct sysinfo si;
	memset(h, 0, sizeof *h);
	if (uname(&u) == 0) {
		text_safe(h->name, sizeof h->name, u.nodename);
		text_safe(h->kernel, sizeof h->kernel, u.release);
		text_safe(h->version, sizeof h->version, u.version);
	}
	if (sysinfo(&si) == 0) {
		h->ram_bytes = (uint64_t)si.totalram * si.mem_unit;
		h->swap_bytes = (uint64_t)si.totalswap * si.mem_unit;
	}
	h->cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	char *log = kernel_log();
	host_read_under("", log ? log : "", h);
	free(log);
}
