// Turns one option's value into a field of struct config, checked against what is allowed.
// Must not know of the table or the command line.
#include "session/option_values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

static int
copy(char *to, size_t size, const char *from, const char *what, struct err *e)
{
	if (strlen(from) >= size)
		return err_set(e, "%s is too long: at most %zu bytes", what, size - 1);
	memcpy(to, from, strlen(from) + 1);
	return 0;
}

// Calls FN for each item of a list separated by commas; an empty item is an error.
static int
each_item(struct config *c, const char *list, int (*fn)(struct config *, char *, struct err *),
    struct err *e)
{
	char buf[4096];
	if (copy(buf, sizeof buf, list, "the list", e))
		return -1;
	char *p = buf;
	for (;;) {
		char *end = strchr(p, ',');
		if (end)
			*end = 0;
		if (!*p)
			return err_set(e, "an empty item in the list '%.80s'", list);
		if (fn(c, p, e))
			return -1;
		if (!end)
			return 0;
		p = end + 1;
	}
}

static int
time_between(const char *v, int64_t lo, int64_t hi, const char *allowed, int64_t *out, struct err *e)
{
	int64_t ns;
	if (text_parse_ns(v, &ns, e))
		return -1;
	if (ns < lo || ns > hi)
		return err_set(e, "'%.40s' is out of range: allowed is %s", v, allowed);
	*out = ns;
	return 0;
}

static int
number_between(const char *v, long lo, long hi, int *out, struct err *e)
{
	long n;
	if (text_parse_long(v, lo, hi, &n, e))
		return -1;
	*out = (int)n;
	return 0;
}

static void
list_probes(char *buf, size_t size)
{
	size_t n = 0;
	buf[0] = 0;
	for (int i = 0; probe_kinds[i] && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? ", " : "", probe_kinds[i]->name);
}

static void
list_loads(char *buf, size_t size)
{
	size_t n = 0;
	buf[0] = 0;
	for (int i = 0; load_kind_at(i) && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? ", " : "", load_kind_at(i)->name);
}

static int
known_load(const char *name, struct err *e)
{
	if (load_find(name))
		return 0;
	char names[200];
	list_loads(names, sizeof names);
	return err_set(e, "no load '%.30s': there are %s", name, names);
}

static int
add_probe(struct config *c, char *item, struct err *e)
{
	if (!probe_find(item)) {
		char names[120];
		list_probes(names, sizeof names);
		return err_set(e, "no probe '%.30s': there are %s", item, names);
	}
	for (int i = 0; i < c->probe_count; i++)
		if (!strcmp(c->probes[i], item))
			return 0;
	if (c->probe_count == NAMES_MAX)
		return err_set(e, "at most %d probes", NAMES_MAX);
	return copy(c->probes[c->probe_count++], sizeof c->probes[0], item, "the probe's name", e);
}

int
set_probe(struct config *c, const char *v, struct err *e)
{
	c->probe_count = 0;
	return each_item(c, v, add_probe, e);
}

int
set_interval(struct config *c, const char *v, struct err *e)
{
	return time_between(v, 10 * NS_PER_US, 10 * NS_PER_S, "10us to 10s", &c->interval_ns, e);
}

int
set_policy(struct config *c, const char *v, struct err *e)
{
	return policy_parse(v, &c->policy, e);
}

static int
add_cpus(struct config *c, char *item, struct err *e)
{
	char *dash = strchr(item + 1, '-');
	if (dash)
		*dash = 0;
	long last = sysconf(_SC_NPROCESSORS_CONF) - 1, from, to;
	if (text_parse_long(item, 0, last, &from, e))
		return err_set(e, "no CPU '%.20s' on this machine: there are 0 to %ld", item, last);
	to = from;
	if (dash && text_parse_long(dash + 1, 0, last, &to, e))
		return err_set(e, "no CPU '%.20s' on this machine: there are 0 to %ld", dash + 1, last);
	if (to < from)
		return err_set(e, "CPUs '%ld-%ld': the first is above the last", from, to);
	for (long i = from; i <= to; i++) {
		bool there = false;
		for (int k = 0; k < c->cpu_count; k++)
			there |= c->cpus[k] == (int)i;
		if (there)
			continue;
		if (c->cpu_count == 64)
			return err_set(e, "at most 64 CPUs at once");
		c->cpus[c->cpu_count++] = (int)i;
	}
	return 0;
}

int
set_cpus(struct config *c, const char *v, struct err *e)
{
	c->cpus_asked = true;
	c->cpu_count = 0;
	if (strcmp(v, "each"))
		return each_item(c, v, add_cpus, e);
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	for (int i = 0; i < n && i < 64; i++)
		c->cpus[c->cpu_count++] = i;
	return 0;
}

int
set_burn(struct config *c, const char *v, struct err *e)
{
	return number_between(v, 0, 90, &c->burn_pct, e);
}

int
set_device(struct config *c, const char *v, struct err *e)
{
	if (!*v)
		return err_set(e, "an empty device name: see `stutter list devices`");
	if (c->device_count == NAMES_MAX)
		return err_set(e, "at most %d devices", NAMES_MAX);
	c->device_asked = true;
	return copy(c->device[c->device_count++], sizeof c->device[0], v, "the device's name", e);
}

int
set_buffer(struct config *c, const char *v, struct err *e)
{
	char tail[2] = "";
	int end = 0;
	unsigned periods, size;
	if (strlen(v) > 20 || strchr(v, '-') ||
	    sscanf(v, "%u%*1[xX*]%u%n%1[bB]%n", &periods, &size, &end, tail, &end) < 2 || v[end])
		return err_set(e, "'%.40s' is no buffer: periods x frames, as 3x64, or bytes, as 3x256B", v);
	if (periods < 2 || periods > 64)
		return err_set(e, "%u periods: allowed are 2 to 64", periods);
	if (size < 8 || size > 1 << 20)
		return err_set(e, "a period of %u: allowed are 8 to 1048576", size);
	c->periods = periods;
	c->period_frames = *tail ? 0 : size;
	c->period_bytes = *tail ? size : 0;
	c->device_asked = true;
	return 0;
}

int
set_rate(struct config *c, const char *v, struct err *e)
{
	int rate;
	if (number_between(v, 4000, 768000, &rate, e))
		return -1;
	c->rate = (unsigned)rate;
	return 0;
}

int
set_play(struct config *c, const char *v, struct err *e)
{
	c->device_asked = true;
	if (*v && access(v, R_OK))
		return err_set(e, "cannot read '%.100s':", v);
	return copy(c->play, sizeof c->play, v, "the file's name", e);
}

int
set_tone(struct config *c, const char *v, struct err *e)
{
	char *end;
	double hz = strtod(v, &end);
	if (*end || end == v || !(hz >= 20 && hz <= 20000))
		return err_set(e, "'%.40s' is no tone: 20 to 20000 Hz", v);
	c->tone_hz = hz;
	c->device_asked = true;
	return 0;
}

static int
add_load(struct config *c, char *item, struct err *e)
{
	struct config_load l = {.level = 0};
	char *colon = strchr(item, ':');
	if (colon) {
		*colon = 0;
		if (number_between(colon + 1, 1, LOAD_LEVEL_MAX, &l.level, e))
			return err_set(e, "level '%.20s' of load %.30s: allowed are 1 to %d", colon + 1, item, LOAD_LEVEL_MAX);
	}
	if (known_load(item, e) || copy(l.name, sizeof l.name, item, "the load's name", e))
		return -1;
	for (int i = 0; i < c->load_count; i++)
		if (!strcmp(c->load[i].name, l.name)) {
			c->load[i] = l;
			return 0;
		}
	if (c->load_count == 64)
		return err_set(e, "at most 64 loads");
	c->load[c->load_count++] = l;
	return 0;
}

int
set_load(struct config *c, const char *v, struct err *e)
{
	c->load_count = 0;
	if (!strcmp(v, "none"))
		return 0;
	return each_item(c, v, add_load, e);
}

static int
add_size(struct config *c, char *item, struct err *e)
{
	struct config_size s = {.bytes = 0};
	char *value = strchr(item, '=');
	if (value) {
		*value++ = 0;
		if (known_load(item, e) || copy(s.name, sizeof s.name, item, "the load's name", e))
			return -1;
	} else {
		value = item;
	}
	size_t len = strlen(value);
	if (len > 4 && !strcasecmp(value + len - 4, "%ram")) {
		int pct;
		value[len - 4] = 0;
		if (number_between(value, 1, 400, &pct, e))
			return err_set(e, "'%.20s%%ram': allowed are 1%%ram to 400%%ram", value);
		s.pct_ram = (unsigned)pct;
	} else {
		if (text_parse_size(value, &s.bytes, e))
			return -1;
		if (s.bytes < 1 << 20)
			return err_set(e, "size '%.20s': allowed is 1M and more, or N%%ram", value);
	}
	if (c->size_count == 64)
		return err_set(e, "at most 64 sizes");
	c->size[c->size_count++] = s;
	return 0;
}

int
set_size(struct config *c, const char *v, struct err *e)
{
	c->size_count = 0;
	return each_item(c, v, add_size, e);
}

static int
add_passes(struct config *c, char *item, struct err *e)
{
	struct config_passes p = {.n = 0};
	char *value = strchr(item, '=');
	long n;
	if (!value)
		return err_set(e, "'%.40s' is no NAME=N, as mmap=5", item);
	*value++ = 0;
	if (known_load(item, e) || copy(p.name, sizeof p.name, item, "the load's name", e))
		return -1;
	if (text_parse_long(value, 0, 1000000000, &n, e))
		return -1;
	p.n = (uint64_t)n;
	if (c->passes_count == 64)
		return err_set(e, "at most 64 passes");
	c->passes[c->passes_count++] = p;
	return 0;
}

int
set_passes(struct config *c, const char *v, struct err *e)
{
	c->passes_count = 0;
	return each_item(c, v, add_passes, e);
}

int
set_for(struct config *c, const char *v, struct err *e)
{
	return time_between(v, 100 * NS_PER_MS, 366 * 86400 * NS_PER_S, "100ms to 366 days", &c->for_ns, e);
}

int
set_warmup(struct config *c, const char *v, struct err *e)
{
	return time_between(v, 0, 3600 * NS_PER_S, "0 to 1h", &c->warmup_ns, e);
}

int
set_record(struct config *c, const char *v, struct err *e)
{
	if (!*v)
		return err_set(e, "an empty file name: give a file, or - for standard output");
	return copy(c->record, sizeof c->record, v, "the file's name", e);
}

int
set_glyphs(struct config *c, const char *v, struct err *e)
{
	if (strcmp(v, "braille") && strcmp(v, "block") && strcmp(v, "ascii"))
		return err_set(e, "no glyphs '%.20s': there are braille, block, ascii", v);
	return copy(c->glyphs, sizeof c->glyphs, v, "the glyphs' name", e);
}

int
set_scale(struct config *c, const char *v, struct err *e)
{
	int64_t ns;
	if (strcmp(v, "log") && strcmp(v, "linear") &&
	    time_between(v, NS_PER_US, 1000 * NS_PER_S, "1us to 1000s", &ns, NULL))
		return err_set(e, "no scale '%.20s': there are log, linear, or a time for a fixed top, as 5ms", v);
	return copy(c->scale, sizeof c->scale, v, "the scale", e);
}

int
set_window(struct config *c, const char *v, struct err *e)
{
	return time_between(v, 5 * NS_PER_S, 86400 * NS_PER_S, "5s to 24h", &c->window_ns, e);
}

int
set_fps(struct config *c, const char *v, struct err *e)
{
	return number_between(v, 1, 60, &c->fps, e);
}

int
set_format(struct config *c, const char *v, struct err *e)
{
	if (strcmp(v, "csv") && strcmp(v, "hist") && strcmp(v, "openmetrics"))
		return err_set(e, "no format '%.20s': there are csv, hist, openmetrics", v);
	return copy(c->format, sizeof c->format, v, "the format", e);
}

int
set_rounds(struct config *c, const char *v, struct err *e)
{
	return number_between(v, 2, 1000, &c->rounds, e);
}

int
set_each(struct config *c, const char *v, struct err *e)
{
	return time_between(v, 500 * NS_PER_MS, 3600 * NS_PER_S, "500ms to 1h", &c->each_ns, e);
}

int
set_settle(struct config *c, const char *v, struct err *e)
{
	return time_between(v, 0, 3600 * NS_PER_S, "0 to 1h", &c->settle_ns, e);
}

static int
flag(bool *f, const char *v, struct err *e)
{
	if (!v || !strcmp(v, "yes") || !strcmp(v, "true") || !strcmp(v, "1"))
		*f = true;
	else if (!strcmp(v, "no") || !strcmp(v, "false") || !strcmp(v, "0"))
		*f = false;
	else
		return err_set(e, "'%.20s' is neither yes nor no", v);
	return 0;
}

// The plain ones: a text that must fit its field, or a yes or no.
#define SET_TEXT(fn, field, what)                                                                  \
	int fn(struct config *c, const char *v, struct err *e)                                     \
	{                                                                                          \
		return copy(c->field, sizeof c->field, v, what, e);                                \
	}
#define SET_FLAG(fn, field)                                                                        \
	int fn(struct config *c, const char *v, struct err *e)                                     \
	{                                                                                          \
		return flag(&c->field, v, e);                                                      \
	}

SET_TEXT(set_job, job, "the job")
SET_TEXT(set_dir, dir, "the folder's name")
SET_TEXT(set_theme, theme, "the theme's name")
SET_TEXT(set_output, output, "the file's name")
SET_TEXT(set_a, a, "the command")
SET_TEXT(set_b, b, "the command")
SET_TEXT(set_read, read, "the command")
SET_TEXT(set_restore, restore, "the command")
SET_TEXT(set_name_a, name_a, "the name")
SET_TEXT(set_name_b, name_b, "the name")
SET_TEXT(set_knob, knob, "the knob's name")
SET_FLAG(set_json, json)
SET_FLAG(set_dma, dma_latency)
SET_FLAG(set_tui, tui)
SET_FLAG(set_blind, blind)
