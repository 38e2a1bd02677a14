// Drives loads by name, for tests and benches: prints one line a step, so that a test sees what a user would.
// usage: loads [-d DIR] [-s SIZE] [-p PASSES] [-l LEVEL] [-f SETTINGS] STEP...; without steps they are read from standard
// input, a line each, and each is answered with a last line {"done": ...}:
//   NAME on | NAME off | NAME level N | NAME toggle N | NAME read | NAME await on|failed|off
//   all on | all off | all await off | wait MS | pause | resume | read | free
// Must not know what any load does.
#include <math.h>
#include <poll.h>
#include <stdbool.h>
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

static void
tend(int64_t ns)
{
	clock_sleep_until(clock_now_ns() + ns);
	for (int i = 0; i < count; i++)
		load_tend(loads[i]);
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

static bool
is_state(const struct load *l, const char *state)
{
	struct load_status s;
	load_read(l, &s);
	return strcmp(state_name[s.state], state) == 0;
}

static bool
await(struct load *l, const char *state)
{
	int64_t t = clock_now_ns();
	while (!is_state(l, state) && clock_now_ns() - t < AWAIT_NS)
		tend(NS_PER_MS);
	return is_state(l, state);
}

static void
switch_load(struct load *l, bool on)
{
	if (on)
		load_start(l, NULL);
	else
		load_stop(l);
}

// On and off N times: half of them as soon as it works, half at once.
static void
toggle(struct load *l, int n)
{
	for (int i = 0; i < n; i++) {
		switch_load(l, true);
		if (i % 2)
			await(l, "on");
		switch_load(l, false);
		await(l, "off");
	}
}

static int
setting(void *data, const char *section, const char *key, const char *value, struct err *e)
{
	(void)data;
	return strncmp(section, "load ", 5) ? 0 : load_define(section + 5, key, value, e);
}

static int
step_of_all(char **a)
{
	if (!strcmp(a[0], "wait")) {
		for (int64_t until = clock_now_ns() + atoi(a[1]) * NS_PER_MS; clock_now_ns() < until;)
			tend(20 * NS_PER_MS);
		return 2;
	}
	if (!strcmp(a[0], "all") && !strcmp(a[1], "await")) {
		bool fine = true;
		for (int i = 0; i < count; i++)
			fine &= await(loads[i], a[2]);
		return fine ? 3 : -1;
	}
	if (!strcmp(a[0], "all")) {
		for (int i = 0; load_kind_at(i); i++)
			switch_load(find(load_kind_at(i)->name), !strcmp(a[1], "on"));
		return 2;
	}
	for (int i = 0; i < count; i++) {
		if (!strcmp(a[0], "read"))
			say(loads[i], clock_now_ns());
		else if (!strcmp(a[0], "free"))
			load_free(loads[i]);
		else
			load_pause(loads[i], !strcmp(a[0], "pause"));
	}
	if (!strcmp(a[0], "free"))
		count = 0;
	return 1;
}

// Does the step that A begins with; returns how many words it took, or -1.
static int
step(char **a)
{
	int64_t t = clock_now_ns();
	int words = 2;
	bool fine = true;
	if (!strcmp(a[0], "wait") || !strcmp(a[0], "all") || !strcmp(a[0], "read") || !strcmp(a[0], "free") ||
	    !strcmp(a[0], "pause") || !strcmp(a[0], "resume"))
		return step_of_all(a);
	struct load *l = find(a[0]);
	if (!a[1])
		return -1;
	if (!strcmp(a[1], "level") || !strcmp(a[1], "toggle") || !strcmp(a[1], "await")) {
		words = 3;
		if (!a[2])
			return -1;
	}
	if (!strcmp(a[1], "level"))
		load_set_level(l, atoi(a[2]));
	else if (!strcmp(a[1], "toggle"))
		toggle(l, atoi(a[2]));
	else if (!strcmp(a[1], "await"))
		fine = await(l, a[2]);
	else if (strcmp(a[1], "read") != 0)
		switch_load(l, !strcmp(a[1], "on"));
	say(l, t);
	return fine ? words : -1;
}

// Steps from standard input, tending the loads meanwhile as a screen would.
static int
interactive(void)
{
	char line[512], *word[16];
	setvbuf(stdin, NULL, _IONBF, 0);
	for (;;) {
		struct pollfd p = {.fd = 0, .events = POLLIN};
		if (poll(&p, 1, 0) == 0) {
			tend(10 * NS_PER_MS);
			continue;
		}
		if (!fgets(line, sizeof line, stdin))
			return 0;
		int n = 0;
		for (char *w = strtok(line, " \n"); w && n < 15; w = strtok(NULL, " \n"))
			word[n++] = w;
		word[n] = NULL;
		printf("{\"done\": %s}\n", n && step(word) > 0 ? "true" : "false");
	}
}

int
main(int argc, char **argv)
{
	const char *role, *arg;
	struct err e = {0};
	int o, n = 0;
	if (child_is(argc, argv, &role, &arg))
		return load_child_main(arg);
	snprintf(params.dir, sizeof params.dir, "/var/tmp");
	while ((o = getopt(argc, argv, "d:s:p:f:l:")) != -1) {
		if (o == 'd')
			snprintf(params.dir, sizeof params.dir, "%s", optarg);
		else if (o == 's' && optarg[strlen(optarg) - 1] == '%')
			params.size_pct_ram = (unsigned)atoi(optarg);
		else if (o == 's' && text_parse_size(optarg, &params.size, &e) == -1)
			return puts(e.text), 2;
		else if (o == 'p')
			params.passes = strtoull(optarg, NULL, 10);
		else if (o == 'l')
			params.level = atoi(optarg);
		else if (o == 'f' && settings_read_file(optarg, setting, NULL, &e) != 0)
			return puts(e.text), 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	int r = optind == argc ? interactive() : 0;
	for (char **a = argv + optind; *a && !r; a += n)
		if ((n = step(a)) < 0)
			r = 1;
	while (count)
		load_free(loads[--count]);
	return r;
}
