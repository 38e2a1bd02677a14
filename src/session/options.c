// The one table of options, and the two that read it: the command line and the settings file.
// Must not know what is done with the values.
#include "session/options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/settings.h"
#include "base/text.h"
#include "session/option_values.h"

#define RUNS MODE_LIVE

const struct option_row option_rows[] = {
	{"probe", 0, "NAME[,NAME]", "timer,echo,audio", RUNS, "which probes run (audio: where a playback device opens)", set_probe},
	{"interval", 'i', "T", "1ms", RUNS, "the timer probe's period: 10us to 10s", set_interval},
	{"policy", 0, "P[:N]", "fifo:80", RUNS, "asked of the timer and audio probes: fifo:N, rr:N, other, deadline", set_policy},
	{"cpus", 0, "LIST", "unpinned", RUNS, "one timer thread a CPU named: each, 0, 0-3,6", set_cpus},
	{"burn", 0, "PCT", "0", RUNS, "part of each period spent in a calibrated CPU loop: 0 to 90", set_burn},
	{"device", 'D', "NAME", "default", RUNS, "ALSA playback device, may be given again; none: no card, paced by the clock", set_device},
	{"buffer", 0, "NxM[B]", "3x64", RUNS, "audio periods x frames; a trailing B counts bytes: 3x256B", set_buffer},
	{"rate", 0, "HZ", "48000", RUNS, "audio rate: 4000 to 768000", set_rate},
	{"play", 0, "FILE", "silence", RUNS, "music or any sound file, looped", set_play},
	{"tone", 0, "HZ", "none", RUNS, "a sine tone instead of silence: 20 to 20000", set_tone},
	{"job", 0, "COMMAND", "built in", RUNS, "the fixed job of the job probe", set_job},
	{"load", 'l', "NAME[:LEVEL][,...]", "none", RUNS, "loads on from the start; a level is a number of workers, 1 to 64", set_load},
	{"dir", 0, "PATH", "$TMPDIR, /var/tmp", RUNS, "where disk loads work", set_dir},
	{"size", 0, "[NAME=]SIZE[,...]", "per load", RUNS, "size of a load's file or memory: 2G, 150%ram", set_size},
	{"passes", 0, "NAME=N[,...]", "until off", RUNS, "a load that stops by itself after N passes", set_passes},
	{"for", 't', "T", "until quit; run: 10s", RUNS, "how long", set_for},
	{"warmup", 0, "T", "500ms", RUNS, "left out of the figures at the start and after each load toggle", set_warmup},
	{"record", 'r', "FILE", "none", RUNS, "write a recording; - is standard output", set_record},
	{"json", 'j', NULL, NULL, RUNS | MODE_COMPARE | MODE_LIST | MODE_EXPORT, "the result as one JSON object on standard output", set_json},
	{"dma-latency", 0, NULL, NULL, RUNS, "hold /dev/cpu_dma_latency at 0, so that CPUs do not sleep deeply", set_dma},
	{"theme", 0, "NAME", "stutter", MODE_LOOK, "colours: a name of `list themes`, or a file", set_theme},
	{"glyphs", 0, "braille|block|ascii", "by locale", MODE_LOOK, "what the graphs are drawn with", set_glyphs},
	{"scale", 0, "log|linear|T", "log", MODE_LOOK, "the latency axis; a time is its fixed top", set_scale},
	{"window", 0, "T", "1m", MODE_LOOK, "the time axis: 5s to 24h", set_window},
	{"fps", 0, "N", "10", MODE_LOOK, "pictures a second, at most: 1 to 60", set_fps},
	{"a", 0, "CMD", NULL, RUNS, "the command that sets A (ab; also a knob for the monitor's k)", set_a},
	{"b", 0, "CMD", NULL, RUNS, "the command that sets B", set_b},
	{"read", 0, "CMD", NULL, RUNS, "prints what A and B set, so that it can be checked and put back", set_read},
	{"restore", 0, "CMD", "A or B", RUNS, "puts it back at the end, given what read printed as $STATE", set_restore},
	{"name-a", 0, "TEXT", "A", RUNS, "what A is called", set_name_a},
	{"name-b", 0, "TEXT", "B", RUNS, "what B is called", set_name_b},
	{"knob", 0, "NAME", NULL, RUNS, "the [knob NAME] of the settings file", set_knob},
	{"rounds", 0, "N", "10", MODE_AB | MODE_MONITOR, "rounds of A and B: 2 to 1000", set_rounds},
	{"each", 0, "T", "6s", MODE_AB | MODE_MONITOR | MODE_SUITE, "length of a phase: 500ms to 1h", set_each},
	{"settle", 0, "T", "500ms", MODE_AB | MODE_MONITOR | MODE_SUITE, "left out after each flip", set_settle},
	{"blind", 0, NULL, NULL, MODE_AB, "the order is random and hidden; you say which felt better", set_blind},
	{"tui", 0, NULL, NULL, MODE_SUITE, "show it live in the monitor", set_tui},
	{"output", 'o', "FILE", "standard output", MODE_REPORT | MODE_EXPORT, "where the result goes", set_output},
	{"format", 0, "csv|hist|openmetrics", "csv", MODE_EXPORT, "what kind of file", set_format},
	{.name = NULL},
};

void
config_defaults(struct config *c)
{
	*c = (struct config){
	    .interval_ns = NS_PER_MS,
	    .policy = {POLICY_FIFO, 80},
	    .rate = 48000,
	    .periods = 3,
	    .period_frames = 64,
	    .warmup_ns = 500 * NS_PER_MS,
	    .theme = "stutter",
	    .scale = "log",
	    .format = "csv",
	    .window_ns = 60 * NS_PER_S,
	    .fps = 10,
	    .rounds = 10,
	    .each_ns = 6 * NS_PER_S,
	    .settle_ns = 500 * NS_PER_MS,
	    .name_a = "A",
	    .name_b = "B",
	};
	const char *tmp = getenv("TMPDIR");
	snprintf(c->dir, sizeof c->dir, "%s", tmp && *tmp == '/' && strlen(tmp) < sizeof c->dir ? tmp : "/var/tmp");
}

static const struct option_row *
find(const char *name, size_t len)
{
	for (const struct option_row *o = option_rows; o->name; o++)
		if (strlen(o->name) == len && !memcmp(o->name, name, len))
			return o;
	return NULL;
}

static int
apply(struct config *c, const struct option_row *o, const char *value, const char *dashes, struct err *e)
{
	struct err why;
	if (!o->set(c, value, &why))
		return 0;
	return err_set(e, "%s%s: %.200s", dashes, o->name, why.text);
}

int
options_set(struct config *c, const char *name, const char *value, struct err *e)
{
	const struct option_row *o = find(name, strlen(name));
	if (!o)
		return err_set(e, "unknown option '%.40s': see `stutter list options`", name);
	// A list that may be given again starts anew where the file gave it.
	if (!strcmp(name, "device"))
		c->device_count = 0;
	return apply(c, o, value, "", e);
}

static int
from_file(void *data, const char *section, const char *key, const char *value, struct err *e)
{
	struct config *c = data;
	if (!*section)
		return options_set(c, key, value, e);
	if (!strncmp(section, "load ", 5))
		return load_define(section + 5, key, value, e);
	if (!strncmp(section, "knob ", 5)) {
		static const char *const keys[] = {"a", "b", "read", "restore", "name-a", "name-b", "timeout", "title", NULL};
		for (int i = 0; keys[i]; i++)
			if (!strcmp(key, keys[i]))
				return 0; // session/knob.c reads it when the knob is wanted
		return err_set(e, "unknown key '%.40s' of a knob", key);
	}
	return err_set(e, "unknown section [%.40s]: there are [load NAME] and [knob NAME]", section);
}

int
options_file_path(char *buf, size_t size, struct err *e)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n;
	if (xdg && *xdg == '/')
		n = snprintf(buf, size, "%s/stutter/config", xdg);
	else if (home && *home == '/')
		n = snprintf(buf, size, "%s/.config/stutter/config", home);
	else
		return 1;
	return n < 0 || (size_t)n >= size ? err_set(e, "the settings file's path is too long") : 0;
}

// The file may name commands: it is read only where nobody else can write it.
static int
read_settings(struct config *c, struct err *e)
{
	char path[600];
	struct stat st;
	if (options_file_path(path, sizeof path, e) || stat(path, &st))
		return 0;
	if ((st.st_uid != geteuid() && st.st_uid != 0) || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return err_set(e, "%.150s: others can write it, so it is not read: chmod go-w it", path);
	return settings_read_file(path, from_file, c, e) < 0 ? -1 : 0;
}

static const char *
command_of(unsigned mode)
{
	switch (mode) {
	case MODE_RUN: return "run ";
	case MODE_SUITE: return "suite NAME ";
	case MODE_VIEW: return "view FILE|- ";
	case MODE_AB: return "ab --a CMD --b CMD ";
	case MODE_COMPARE: return "compare A B [C...] ";
	case MODE_REPORT: return "report FILE... ";
	case MODE_EXPORT: return "export FILE ";
	case MODE_HEADROOM: return "headroom ";
	case MODE_LIST: return "list probes|loads|keys|options|roles|themes|suites|devices ";
	default: return "";
	}
}

void
options_help(FILE *f, unsigned mode)
{
	fprintf(f, "usage: stutter %s[OPTIONS]\n", command_of(mode));
	if (mode == MODE_MONITOR)
		fputs("Shows live how responsive this machine is; single keys switch loads on and off (? explains).\n\n"
		      "commands:\n"
		      "  run                    the same session without a screen; prints its summary\n"
		      "  suite NAME             a canned sequence of loads: latencytest, irman, contest, vm\n"
		      "  view FILE|-            the monitor over a recording or a stream\n"
		      "  ab --a CMD --b CMD     flips a setting back and forth and says which is better\n"
		      "  compare A B [C...]     recordings side by side\n"
		      "  report FILE... -o X    one self-contained HTML page\n"
		      "  export FILE            csv, hist or openmetrics\n"
		      "  headroom               the smallest audio buffer that holds\n"
		      "  list WHAT              probes, loads, keys, options, roles, themes, suites, devices\n", f);
	fputs("\noptions:\n", f);
	for (const struct option_row *o = option_rows; o->name; o++) {
		if (!(o->modes & mode))
			continue;
		char left[80];
		char letter[8] = "    ";
		if (o->letter)
			snprintf(letter, sizeof letter, "-%c, ", o->letter);
		snprintf(left, sizeof left, "%s--%s %s", letter, o->name, o->value ? o->value : "");
		fprintf(f, "  %-32s %s", left, o->does);
		if (o->def)
			fprintf(f, " [%s]", o->def);
		putc('\n', f);
	}
	fprintf(f, "  %-32s %s\n  %-32s %s\n", "-h, --help", "this text", "-V, --version", "the version");
	fputs("\nThe same names work in $XDG_CONFIG_HOME/stutter/config, as `interval = 500us`. Manual: man stutter\n", f);
}

// One argument that starts with a dash. Moves *I past a value that stands apart.
static int
one_option(struct config *c, unsigned mode, int argc, char **argv, int *i, struct err *e)
{
	const char *a = argv[*i], *value = NULL;
	const struct option_row *o = NULL;
	if (a[1] == '-') {
		const char *eq = strchr(a, '=');
		size_t len = eq ? (size_t)(eq - a - 2) : strlen(a + 2);
		o = find(a + 2, len);
		value = eq ? eq + 1 : NULL;
	} else {
		for (const struct option_row *r = option_rows; r->name; r++)
			if (r->letter == a[1])
				o = r;
		value = a[2] ? a + 2 : NULL;
	}
	if (!o)
		return err_set(e, "unknown option '%.40s': see `stutter %s--help`", a, mode == MODE_RUN ? "run " : "");
	if (!(o->modes & mode))
		return err_set(e, "option --%s does not go with this command: see --help", o->name);
	if (!o->value && value)
		return err_set(e, "option --%s takes no value", o->name);
	if (o->value && !value) {
		if (++*i >= argc)
			return err_set(e, "option --%s wants a value: %s", o->name, o->value);
		value = argv[*i];
	}
	return apply(c, o, value, "--", e);
}

int
options_read(struct config *c, unsigned mode, int argc, char **argv, struct err *e)
{
	config_defaults(c);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			break;
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			options_help(stdout, mode);
			return 1;
		}
		if (!strcmp(argv[i], "--version") || !strcmp(argv[i], "-V")) {
			puts("stutter " STUTTER_VERSION);
			return 1;
		}
	}
	if (read_settings(c, e))
		return -1;
	bool more = true, device_seen = false;
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];
		if (more && !strcmp(a, "--")) {
			more = false;
		} else if (more && a[0] == '-' && a[1]) {
			if (!device_seen && (!strncmp(a, "--device", 8) || !strncmp(a, "-D", 2))) {
				c->device_count = 0;
				device_seen = true;
			}
			if (one_option(c, mode, argc, argv, &i, e))
				return -1;
		} else if (c->arg_count < 64) {
			c->arg[c->arg_count++] = a;
		} else {
			return err_set(e, "more than 64 arguments");
		}
	}
	if (c->arg_count && (mode & (MODE_MONITOR | MODE_RUN | MODE_AB | MODE_HEADROOM)))
		return err_set(e, "'%.40s' is neither an option nor a command: see `stutter --help`", c->arg[0]);
	return 0;
}
