// Drives loads by name, for tests and benches: prints one line a step, so that a test sees what a user would.
// usage: loads [-d DIR] [-s SIZE] [-p PASSES] [-i MS] [-f SETTINGS] STEP...
//   NAME on | NAME off | NAME level N | wait MS | await NAME on|failed|off | all on|off | pause | resume | read | free
// Must not know what any load does.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/settings.h"
#include "base/text.h"
#include "load/load.h"

#define MAX 40
#define AWAIT_NS (30 * NS_PER_S)

static const char *const state_name[] = {
    [LOAD_OFF] = "off", [LOAD_STARTING] = "starting", [LOAD_ON] = "on", [LOAD_STOPPING] = "stopping", [LOAD_FAILED] = "failed",
};

static struct load *loads[MAX];
static int count;
static struct load_params params;

static void
say(const struct load *l, int64_t since)
{
	struct load_status s;
	load_read(l, &s);
	printf("{\"name\": \"%s\", \"state\": \"%s\", \"level\": %d, \"workers\": %d, \"work\": %llu, \"unit\": \"%s\", ",
	    load_kind(l)->name, state_name[s.state], s.level, s.workers, (unsigned long long)s.work, load_kind(l)->unit);
	if (isnan(s.cpu_pct))
		printf("\"cpu_pct\": null, ");
	else
		printf("\"cpu_pct\": %.1f, ", s.cpu_pct);
	printf("\"cpu_ns\": %lld, \"rss\": %llu, \"majflt\": %llu, \"minflt\": %llu, \"passes\": %llu, \"invalid\": %llu, ",
	    (long long)s.cpu_ns, (unsigned long long)s.rss_bytes, (unsigned long long)s.majflt,
	    (unsigned long long)s.minflt, (unsigned long long)s.passes, (unsigned long long)s.invalid_passes);
	const struct load_pass *p[] = {&s.last, &s.avg, &s.sd};
	const char *n[] = {"last", "avg", "sd"};
	for (int i = 0; i < 3 && s.passes + s.invalid_passes; i++)
		printf("\"%s\": {\"user_s\": %.6f, \"system_s\": %.6f, \"elapsed_s\": %.6f, \"cpu_pct\": %.2f, "
		       "\"majflt\": %llu, \"minflt\": %llu, \"bytes\": %llu, \"valid\": %s}, ", n[i], p[i]->user_s,
		    p[i]->system_s, p[i]->elapsed_s, p[i]->cpu_pct, (unsigned long long)p[i]->majflt,
		    (unsigned long long)p[i]->minflt, (unsigned long long)p[i]->bytes, p[i]->valid ? "true" : "false");
	printf("\"ms\": %.2f, \"reason\": \"%s\"}\n", (double)(clock_now_ns() - since) / 1e6, s.reason);
	fflush(stdout);
}

static int tend_ms = 20;

static void
tend(int64_t ns)
{
	clock_sleep_until(clock_now_ns() + ns);
	for (int i = 0; i < count; i++)
		load_tend(loads[i]);
}

static void
wait_ms(int ms)
{
	for (int64_t until = clock_now_ns() + ms * NS_PER_MS; clock_now_ns() < until;)
		tend(tend_ms * NS_PER_MS);
}

static struct load *
find(const char *name)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(load_kind(loads[i])->name, name))
			return loads[i];
	const struct load_kind *k = load_find(name);
	if (!k) {
		printf("no load %s\n", name);
		exit(2);
	}
	return loads[count++] = load_new(k, &params);
}

static int
await(const char *name, const char *state)
{
	struct load_status s;
	struct load *l = find(name);
	int64_t t = clock_now_ns();
	do {
		tend(NS_PER_MS);
		load_read(l, &s);
	} while (strcmp(state_name[s.state], state) != 0 && clock_now_ns() - t < AWAIT_NS);
	say(l, t);
	return strcmp(state_name[s.state], state) == 0;
}

static void
switch_load(struct load *l, bool on)
{
	int64_t t = clock_now_ns();
	if (on)
		load_start(l, NULL);
	else
		load_stop(l);
	say(l, t);
}

static int
setting(void *data, const char *section, const char *key, const char *value, struct err *e)
{
	(void)data;
	return strncmp(section, "load ", 5) ? 0 : load_define(section + 5, key, value, e);
}

static int
step(char **a)
{
	struct err e = {0};
	if (!strcmp(a[0], "wait"))
		return wait_ms(atoi(a[1])), 2;
	if (!strcmp(a[0], "await"))
		return await(a[1], a[2]) ? 3 : -1;
	if (!strcmp(a[0], "read") || !strcmp(a[0], "pause") || !strcmp(a[0], "resume")) {
		for (int i = 0; i < count; i++)
			if (!strcmp(a[0], "read"))
				say(loads[i], clock_now_ns());
			else
				load_pause(loads[i], !strcmp(a[0], "pause"));
		return 1;
	}
	if (!strcmp(a[0], "free")) {
		while (count)
			load_free(loads[--count]);
		return 1;
	}
	if (!strcmp(a[0], "all")) {
		for (int i = 0; load_kind_at(i); i++)
			switch_load(find(load_kind_at(i)->name), !strcmp(a[1], "on"));
		return 2;
	}
	struct load *l = find(a[0]);
	if (!strcmp(a[1], "level")) {
		load_set_level(l, atoi(a[2]));
		return 3;
	}
	(void)e;
	switch_load(l, !strcmp(a[1], "on"));
	return 2;
}

int
main(int argc, char **argv)
{
	const char *role, *arg;
	struct err e = {0};
	int o, n;
	if (child_is(argc, argv, &role, &arg))
		return load_child_main(arg);
	snprintf(params.dir, sizeof params.dir, "/var/tmp");
	while ((o = getopt(argc, argv, "d:s:p:i:f:l:")) != -1) {
		if (o == 'd')
			snprintf(params.dir, sizeof params.dir, "%s", optarg);
		else if (o == 's' && optarg[strlen(optarg) - 1] == '%')
			params.size_pct_ram = (unsigned)atoi(optarg);
		else if (o == 's' && text_parse_size(optarg, &params.size, &e) == -1)
			return puts(e.text), 2;
		else if (o == 'p')
			params.passes = strtoull(optarg, NULL, 10);
		else if (o == 'i')
			tend_ms = atoi(optarg);
		else if (o == 'l')
			params.level = atoi(optarg);
		else if (o == 'f' && settings_read_file(optarg, setting, NULL, &e) != 0)
			return puts(e.text), 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (char **a = argv + optind; *a; a += n)
		if ((n = step(a)) < 0)
			return 1;
	while (count)
		load_free(loads[--count]);
	return 0;
}
