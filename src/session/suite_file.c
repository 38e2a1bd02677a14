// Reads suites: the user's and those in the program.
// Must not know how they run.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/embed.h"
#include "base/settings.h"
#include "base/text.h"
#include "session/suite.h"

#define SUFFIX ".suite"

static const char *const tables[] = {
    [SUITE_LATENCYTEST] = "latencytest", [SUITE_IRMAN] = "irman", [SUITE_CONTEST] = "contest", [SUITE_VM] = "vm"};

static int
set_loads(struct suite_step *st, const char *value, struct err *e)
{
	char list[512], *save = NULL;
	snprintf(list, sizeof list, "%s", value);
	for (char *item = strtok_r(list, ", ", &save); item; item = strtok_r(NULL, ", ", &save)) {
		if (st->loads == 16)
			return err_set(e, "at most 16 loads a step");
		snprintf(st->load[st->loads++], sizeof st->load[0], "%.31s", item);
	}
	return 0;
}

static int
step_key(struct suite *su, const char *section, const char *key, const char *value, struct err *e)
{
	struct suite_step *st = su->steps ? &su->step[su->steps - 1] : NULL;
	if (!st || strcmp(st->name, section)) {
		if (su->steps == SUITE_STEPS)
			return err_set(e, "at most %d steps", SUITE_STEPS);
		st = &su->step[su->steps++];
		text_safe(st->name, sizeof st->name, section);
	}
	if (!*key) // a section with nothing in it
		return *value ? err_set(e, "a key is missing before '='") : 0;
	if (!strcmp(key, "load"))
		return strcmp(value, "none") ? set_loads(st, value, e) : 0;
	return err_set(e, "unknown key '%.40s' of a step: there is load", key);
}

static int
set_table(struct suite *su, const char *value, struct err *e)
{
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (!strcmp(value, tables[i])) {
			su->table = (enum suite_table)i;
			return 0;
		}
	return err_set(e, "table '%.40s': allowed are latencytest, irman, contest, vm", value);
}

static int
on_key(void *data, const char *section, const char *key, const char *value, struct err *e)
{
	struct suite *su = data;
	long n;
	if (*section)
		return step_key(su, section, key, value, e);
	if (!strcmp(key, "title")) {
		text_safe(su->title, sizeof su->title, value);
		return 0;
	}
	if (!strcmp(key, "table"))
		return set_table(su, value, e);
	if (!strcmp(key, "each"))
		return text_parse_ns(value, &su->each_ns, e);
	if (!strcmp(key, "settle"))
		return text_parse_ns(value, &su->settle_ns, e);
	if (!strcmp(key, "jobs")) {
		int r = text_parse_long(value, 1, SUITE_JOBS, &n, e);
		su->jobs = r ? 0 : (int)n;
		return r;
	}
	if (su->options == SUITE_OPTIONS || strlen(key) + strlen(value) + 4 > sizeof su->option[0])
		return err_set(e, "too many or too long options");
	snprintf(su->option[su->options++], sizeof su->option[0], "--%s=%s", key, value);
	return 0;
}

static bool
is_suite(const char *file, const char *name)
{
	size_t n = strlen(name);
	return !strncmp(file, name, n) && !strcmp(file + n, SUFFIX);
}

const char *
suite_name_at(int i)
{
	for (const struct embedded_file *f = embedded_files; f->name; f++) {
		size_t n = strlen(f->name);
		if (n > strlen(SUFFIX) && !strcmp(f->name + n - strlen(SUFFIX), SUFFIX) && i-- == 0)
			return f->name;
	}
	return NULL;
}

static int
read_user_file(struct suite *su, const char *name, struct err *e)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char path[600];
	if (strchr(name, '/'))
		snprintf(path, sizeof path, "%s", name);
	else if (xdg && *xdg == '/')
		snprintf(path, sizeof path, "%s/stutter/suites/%s" SUFFIX, xdg, name);
	else if (home && *home == '/')
		snprintf(path, sizeof path, "%s/.config/stutter/suites/%s" SUFFIX, home, name);
	else
		return 1;
	char *text;
	int r = settings_text(path, &text, e);
	if (r == 0)
		r = settings_read_sections(path, text, on_key, su, e);
	else if (r == 1 && strchr(name, '/'))
		r = err_set(e, "cannot read '%.120s': no such file", path);
	free(text);
	return r;
}

int
suite_load(struct suite *su, const char *name, struct err *e)
{
	const char *base = strrchr(name, '/');
	*su = (struct suite){.each_ns = 10 * NS_PER_S, .settle_ns = NS_PER_S, .table = SUITE_IRMAN};
	text_safe(su->name, sizeof su->name, base ? base + 1 : name);
	char *dot = strstr(su->name, SUFFIX);
	if (dot)
		*dot = 0;
	int r = read_user_file(su, name, e);
	for (const struct embedded_file *f = embedded_files; r > 0 && f->name; f++)
		if (is_suite(f->name, name))
			r = settings_read_sections(f->name, f->text, on_key, su, e);
	if (r > 0) {
		char list[160] = "";
		const char *s;
		for (int i = 0; (s = suite_name_at(i)); i++)
			snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.*s", i ? ", " : "", (int)(strlen(s) - strlen(SUFFIX)), s);
		return err_set(e, "no suite named '%.40s': there are %s", name, list);
	}
	if (!r && !su->steps)
		return err_set(e, "suite %s has no steps", su->name);
	return r;
}
