// Themes: reads a theme file, finds themes in the user's folder, the installed one and the program itself.
// Must not know of curses or views.
#include "ui/theme.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/settings.h"
#include "base/text.h"

#define X(e, key_, what_) [e] = {.key = key_, .what = what_},
const struct role_row theme_roles[ROLE_COUNT] = {THEME_ROLES(X)};
#undef X

#define SUFFIX ".theme"
#define NAMES_LIMIT 512

struct parse {
	struct theme *theme;
	bool seen[ROLE_COUNT];
};

static int
parse_colour(const char *word, int32_t *colour)
{
	if (!strcmp(word, "default")) {
		*colour = -1;
		return 0;
	}
	if (word[0] != '#' || strlen(word) != 7 || strspn(word + 1, "0123456789abcdefABCDEF") != 6)
		return -1;
	*colour = (int32_t)strtol(word + 1, NULL, 16);
	return 0;
}

static int
parse_style(struct style *st, const char *value, struct err *e)
{
	char buf[128];
	if ((size_t)snprintf(buf, sizeof buf, "%s", value) >= sizeof buf)
		return err_set(e, "too long");
	char *save = NULL, *word = strtok_r(buf, " \t", &save);
	*st = (struct style){.colour = -1};
	if (!word || parse_colour(word, &st->colour))
		return err_set(e, "colour '%.40s': write #rrggbb or default", word ? word : "");
	while ((word = strtok_r(NULL, " \t", &save))) {
		if (!strcmp(word, "bold"))
			st->bold = 1;
		else if (!strcmp(word, "underline"))
			st->underline = 1;
		else if (!strcmp(word, "reverse"))
			st->reverse = 1;
		else
			return err_set(e, "attribute '%.40s': bold, underline or reverse", word);
	}
	return 0;
}

static int
parse_pair(void *data, const char *section, const char *key, const char *value, struct err *e)
{
	struct parse *p = data;
	if (*section)
		return err_set(e, "[%.40s]: a theme has no sections", section);
	if (!strcmp(key, "title")) {
		text_safe(p->theme->title, sizeof p->theme->title, value);
		return 0;
	}
	for (int i = 0; i < ROLE_COUNT; i++) {
		if (strcmp(key, theme_roles[i].key))
			continue;
		p->seen[i] = true;
		return parse_style(&p->theme->style[i], value, e);
	}
	return err_set(e, "'%.40s' is no role (see: stutter list roles)", key);
}

static void
parse_begin(struct parse *p, struct theme *t, const char *name)
{
	*p = (struct parse){.theme = t};
	*t = (struct theme){0};
	snprintf(t->name, sizeof t->name, "%s", name);
	t->style[ROLE_TEXT].colour = t->style[ROLE_BACK].colour = -1;
}

// Roles that the file leaves out look like its ordinary text.
static void
parse_finish(struct parse *p)
{
	for (int i = 0; i < ROLE_COUNT; i++)
		if (!p->seen[i] && i != ROLE_TEXT && i != ROLE_BACK)
			p->theme->style[i] = p->theme->style[ROLE_TEXT];
	if (!p->theme->title[0])
		snprintf(p->theme->title, sizeof p->theme->title, "%s", p->theme->name);
}

int
theme_parse(struct theme *t, const char *name, const char *text, struct err *e)
{
	struct parse p;
	struct theme fresh;
	parse_begin(&p, &fresh, name);
	if (settings_read_text(name, text, parse_pair, &p, e))
		return -1;
	parse_finish(&p);
	*t = fresh;
	return 0;
}

// 0; 1: no such file; -1 with E. T is changed only on 0.
static int
theme_read(struct theme *t, const char *name, const char *path, struct err *e)
{
	struct parse p;
	struct theme fresh;
	parse_begin(&p, &fresh, name);
	int r = settings_read_file(path, parse_pair, &p, e);
	if (r)
		return r;
	parse_finish(&p);
	*t = fresh;
	return 0;
}

// The folders that are searched, first the user's: false past the last, "" in BUF for one that does not exist.
static bool
theme_folder(int i, char *buf, size_t size)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	buf[0] = '\0';
	if (i == 0 && base && *base == '/')
		snprintf(buf, size, "%s/stutter/themes", base);
	else if (i == 0 && home && *home)
		snprintf(buf, size, "%s/.config/stutter/themes", home);
	else if (i == 1)
		snprintf(buf, size, "%s", STUTTER_DATADIR "/themes");
	return i < 2;
}

// A name is letters, digits, '-', '_' and '.', so that it is safe on a screen and stays in its folder.
static bool
name_ok(const char *name, size_t len)
{
	return len > 0 && len < sizeof((struct theme *)0)->name && name[0] != '.' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") >= len;
}

// The length of a theme file's name without its suffix; 0 where it is none.
static size_t
stem(const char *file)
{
	size_t n = strlen(file), suffix = strlen(SUFFIX);
	if (n <= suffix || strcmp(file + n - suffix, SUFFIX))
		return 0;
	return name_ok(file, n - suffix) ? n - suffix : 0;
}

static int
unknown_theme(const char *name, struct err *e)
{
	char all[200] = "";
	size_t used = 0;
	char **names = theme_names();
	for (int i = 0; names && names[i] && used < sizeof all; i++)
		used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
	theme_names_free(names);
	return err_set(e, "no theme '%.40s'; there are: %s", name, all);
}

int
theme_load(struct theme *t, const char *name, struct err *e)
{
	if (strchr(name, '/')) {
		const char *base = strrchr(name, '/') + 1;
		char stem_name[sizeof t->name];
		size_t n = stem(base);
		snprintf(stem_name, sizeof stem_name, "%.*s", n ? (int)n : 6, n ? base : "custom");
		int r = theme_read(t, stem_name, name, e);
		return r == 1 ? err_set(e, "theme %s: no such file", name) : r;
	}
	if (!name_ok(name, strlen(name)))
		return unknown_theme(name, e);
	char folder[400], path[512];
	for (int i = 0; theme_folder(i, folder, sizeof folder); i++) {
		if (!folder[0] || (size_t)snprintf(path, sizeof path, "%s/%s" SUFFIX, folder, name) >= sizeof path)
			continue;
		int r = theme_read(t, name, path, e);
		if (r <= 0)
			return r;
	}
	for (const struct embedded_file *f = embedded_files; f->name; f++)
		if (stem(f->name) == strlen(name) && !strncmp(f->name, name, strlen(name)))
			return theme_parse(t, name, f->text, e);
	return unknown_theme(name, e);
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t
add_name(char **names, size_t n, const char *file)
{
	size_t len = stem(file);
	if (!len || n + 1 >= NAMES_LIMIT)
		return n;
	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) == len && !strncmp(names[i], file, len))
			return n;
	char *copy = strndup(file, len);
	if (!copy)
		return n;
	names[n] = copy;
	return n + 1;
}

char **
theme_names(void)
{
	char **names = calloc(NAMES_LIMIT, sizeof *names), folder[400];
	size_t n = 0;
	if (!names)
		return NULL;
	for (const struct embedded_file *f = embedded_files; f->name; f++)
		n = add_name(names, n, f->name);
	for (int i = 0; theme_folder(i, folder, sizeof folder); i++) {
		DIR *d = folder[0] ? opendir(folder) : NULL;
		for (struct dirent *f; d && (f = readdir(d));)
			n = add_name(names, n, f->d_name);
		if (d)
			closedir(d);
	}
	qsort(names, n, sizeof *names, compare_names);
	return names;
}

void
theme_names_free(char **names)
{
	for (int i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}
