// `stutter list WHAT`: the one tables, as text or JSON.
// Must not hold a table of its own but that of what can be listed.
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/embed.h"
#include "base/settings.h"
#include "base/text.h"
#include "command.h"
#include "load/load.h"
#include "probe/devices.h"
#include "probe/probe.h"
#include "session/options.h"
#include "ui/keys.h"
#include "ui/theme.h"

#define END (const char *)NULL

// A row: pairs of column name and text (NULL: none), then END.
static void __attribute__((sentinel))
row(json_t *rows, const char *first, ...)
{
	json_t *o = json_object();
	va_list ap;
	va_start(ap, first);
	for (const char *name = first; name; name = va_arg(ap, const char *)) {
		const char *value = va_arg(ap, const char *);
		json_object_set_new(o, name, value ? json_string(value) : json_null());
	}
	va_end(ap);
	json_array_append_new(rows, o);
}

static int
list_probes(json_t *rows, struct err *e)
{
	(void)e;
	for (int i = 0; probe_kinds[i]; i++)
		row(rows, "name", probe_kinds[i]->name, "does", probe_kinds[i]->does, "better", probe_kinds[i]->more, END);
	return 0;
}

static int
list_loads(json_t *rows, struct err *e)
{
	(void)e;
	const struct load_kind *k;
	for (int i = 0; (k = load_kind_at(i)); i++) {
		char key[2] = {k->key, 0}, level[8];
		snprintf(level, sizeof level, "%d", k->level);
		row(rows, "key", k->key ? key : NULL, "name", k->name, "level", level, "unit", k->unit, "from", k->source, "does", k->does, END);
	}
	return 0;
}

static int
list_keys(json_t *rows, struct err *e)
{
	(void)e;
	for (const struct key_row *k = key_rows; k->name; k++)
		row(rows, "keys", k->keys, "name", k->name, "does", k->does, END);
	return 0;
}

static int
list_options(json_t *rows, struct err *e)
{
	(void)e;
	for (const struct option_row *o = option_rows; o->name; o++)
		row(rows, "name", o->name, "value", o->value, "default", o->def, "does", o->does, END);
	return 0;
}

static int
list_roles(json_t *rows, struct err *e)
{
	(void)e;
	for (int i = 0; i < ROLE_COUNT; i++)
		row(rows, "name", theme_roles[i].key, "colours", theme_roles[i].what, END);
	return 0;
}

static int
list_themes(json_t *rows, struct err *e)
{
	char **names = theme_names();
	if (!names)
		return err_set(e, "no memory for the list of themes");
	for (int i = 0; names[i]; i++) {
		struct theme t;
		struct err why;
		bool good = !theme_load(&t, names[i], &why);
		row(rows, "name", names[i], "title", good ? t.title : why.text, END);
	}
	theme_names_free(names);
	return 0;
}

static int
find_title(void *data, const char *section, const char *key, const char *value, struct err *e)
{
	(void)e;
	if (!*section && !strcmp(key, "title"))
		snprintf(data, 80, "%s", value);
	return 0;
}

static int
list_suites(json_t *rows, struct err *e)
{
	for (const struct embedded_file *f = embedded_files; f->name; f++) {
		const char *dot = strrchr(f->name, '.');
		char name[64], title[80] = "";
		if (!dot || strcmp(dot, ".suite"))
			continue;
		snprintf(name, sizeof name, "%.*s", (int)(dot - f->name), f->name);
		if (settings_read_text(f->name, f->text, find_title, title, e) < 0)
			return -1;
		row(rows, "name", name, "title", title, END);
	}
	return 0;
}

static const char *
span(char *buf, size_t size, struct device_span d)
{
	snprintf(buf, size, d.least == d.most ? "%u" : "%u-%u", d.least, d.most);
	return d.most ? buf : NULL;
}

static int
list_devices(json_t *rows, struct err *e)
{
	struct device_row *d;
	int n, saved = dup(STDERR_FILENO), none = open("/dev/null", O_WRONLY | O_CLOEXEC);
	// Libraries behind plugins (JACK's) write to standard error by themselves.
	if (none >= 0)
		dup2(none, STDERR_FILENO);
	int r = devices_list(&d, &n, e);
	if (saved >= 0)
		dup2(saved, STDERR_FILENO);
	close(saved);
	close(none);
	if (r)
		return -1;
	for (int i = 0; i < n; i++) {
		char kind[64], state[80], rate[32], period[32], buffer[32];
		row(rows, "name", d[i].name, "kind", device_kind_text(&d[i], kind, sizeof kind), "state", device_state_text(&d[i], state, sizeof state),
		    "rate_hz", span(rate, sizeof rate, d[i].rate), "period_frames", span(period, sizeof period, d[i].period),
		    "buffer_frames", span(buffer, sizeof buffer, d[i].buffer), "title", d[i].title, END);
	}
	free(d);
	return 0;
}

static const struct {
	const char *name;
	int (*fill)(json_t *rows, struct err *e);
} lists[] = {
    {"probes", list_probes},
    {"loads", list_loads},
    {"keys", list_keys},
    {"options", list_options},
    {"roles", list_roles},
    {"themes", list_themes},
    {"suites", list_suites},
    {"devices", list_devices},
};

static int
columns_of(const char *s)
{
	int n = 0;
	uint32_t cp;
	for (int k; (k = text_utf8(s, &cp)) > 0; s += k)
		n++;
	return n;
}

static const char *
cell(const json_t *v)
{
	const char *s = json_string_value(v);
	return s && *s ? s : "-";
}

static void
print_text(const json_t *rows)
{
	int width[16] = {0}, columns = 0;
	size_t i;
	json_t *r, *v;
	const char *key;
	json_array_foreach(rows, i, r)
	{
		columns = 0;
		json_object_foreach(r, key, v)
		{
			int w = columns_of(cell(v));
			width[columns] = w > width[columns] ? w : width[columns];
			columns++;
		}
	}
	json_array_foreach(rows, i, r)
	{
		int c = 0;
		json_object_foreach(r, key, v)
		{
			const char *s = cell(v);
			printf("%s%*s", s, ++c < columns ? width[c - 1] - columns_of(s) + 2 : 0, "");
		}
		putchar('\n');
	}
}

int
command_list(int argc, char **argv)
{
	struct config *c = malloc(sizeof *c);
	struct err e = {"no memory"};
	int r = c ? options_read(c, MODE_LIST, argc, argv, &e) : -1, status = 2;
	if (r > 0) {
		free(c);
		return 0;
	}
	const char *what = r || c->arg_count != 1 ? NULL : c->arg[0];
	bool json = !r && c->json;
	free(c);
	if (!r && !what)
		err_set(&e, "list what? probes, loads, keys, options, roles, themes, suites, devices");
	for (size_t i = 0; what && i < sizeof lists / sizeof *lists; i++) {
		if (strcmp(lists[i].name, what))
			continue;
		json_t *rows = json_array();
		status = lists[i].fill(rows, &e) ? 1 : 0;
		if (!status && json) {
			json_dumpf(rows, stdout, JSON_INDENT(1));
			putchar('\n');
		} else if (!status) {
			print_text(rows);
		}
		json_decref(rows);
		if (!status && (fflush(stdout) || ferror(stdout)) && errno != EPIPE) {
			err_set(&e, "cannot write the list:");
			status = 1;
		}
		break;
	}
	if (status == 2 && what)
		err_set(&e, "no list '%.30s': there are probes, loads, keys, options, roles, themes, suites, devices", what);
	if (status)
		fprintf(stderr, "stutter: %s\n", e.text);
	return status;
}
