// Feeds bounded, checked lines to libinih and adds the place to every error.
// Must not know what the keys mean.
#include "base/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX (1 << 20)
#define LINE_MAX_BYTES 4096
#define SECTION_MAX 49 // libinih cuts what is longer
#define HIDDEN '\x01'  // stands for ';' on its way through libinih, which would take " ;" for a comment

// Debian's libinih has these as variables; where it is built with fixed limits, its own hold.
extern int ini_max_line __attribute__((weak));

struct reading {
	const char *name, *at;
	settings_fn *fn;
	void *data;
	int line;
	bool sections; // those without a pair are told of too
	bool failed;
	struct err *e;
};

static int
fail(struct reading *r, int line, const char *what)
{
	if (!r->failed)
		err_set(r->e, "%s:%d: %s", r->name, line, what);
	r->failed = true;
	return 0;
}

static const char *
problem(const char *line, size_t len, size_t room)
{
	if (len >= room)
		return "this line is too long";
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f)
			return "a control character";
	const char *close = *line == '[' ? memchr(line, ']', len) : NULL;
	if (close && close - line - 1 > SECTION_MAX)
		return "the name of this section is too long";
	return NULL;
}

static int on_pair(void *user, const char *section, const char *key, const char *value);

// Tells of the section whose header LINE is, where no pair follows it: libinih is silent about those.
static void
tell_if_empty(struct reading *r, const char *line, size_t len)
{
	char name[SECTION_MAX + 1] = "";
	const char *close = *line == '[' ? memchr(line, ']', len) : NULL, *next = r->at;
	next += strspn(next, " \t\r\n");
	while (*next == '#' || *next == ';') {
		next += strcspn(next, "\n");
		next += strspn(next, " \t\r\n");
	}
	if (!close || (*next && *next != '['))
		return;
	for (const char *p = line + 1; p < close; p++)
		name[p - line - 1] = *p;
	on_pair(r, name, "", "");
}

// libinih's reader: the next line without the blanks before it, so that none continues the one above.
static char *
next_line(char *buf, int size, void *stream)
{
	struct reading *r = stream;
	if (r->failed || !*r->at)
		return NULL;
	r->line++;
	const char *line = r->at + strspn(r->at, " \t");
	const char *end = line + strcspn(line, "\n");
	r->at = *end ? end + 1 : end;
	size_t len = (size_t)(end - line);
	if (len && line[len - 1] == '\r')
		len--;
	bool comment = *line == '#' || *line == ';';
	const char *bad = comment ? NULL : problem(line, len, (size_t)size - 2);
	if (bad) {
		fail(r, r->line, bad);
		return NULL;
	}
	if (comment)
		len = 0;
	if (r->sections)
		tell_if_empty(r, line, len);
	for (size_t i = 0; i < len; i++)
		buf[i] = line[i] == ';' ? HIDDEN : line[i];
	buf[len] = '\n';
	buf[len + 1] = '\0';
	return buf;
}

static char *
shown(char *buf, size_t size, const char *s)
{
	size_t n = strnlen(s, size - 1);
	for (size_t i = 0; i < n; i++)
		buf[i] = s[i];
	buf[n] = '\0';
	for (char *p = buf; (p = strchr(p, HIDDEN)) != NULL; p++)
		*p = ';';
	return buf;
}

static int
on_pair(void *user, const char *section, const char *key, const char *value)
{
	struct reading *r = user;
	char s[SECTION_MAX + 1], k[128], v[LINE_MAX_BYTES];
	struct err why = {""};
	if (r->failed)
		return 0;
	if (strlen(key) >= sizeof k)
		return fail(r, r->line, "the name before '=' is too long");
	shown(s, sizeof s, section);
	shown(k, sizeof k, key);
	shown(v, sizeof v, value ? value : "");
	return r->fn(r->data, s, k, v, &why) == 0 ? 1 : fail(r, r->line, why.text);
}

static int
read_all(struct reading *r)
{
	int old = &ini_max_line ? ini_max_line : 0;
	if (old)
		ini_max_line = LINE_MAX_BYTES;
	int line = ini_parse_stream(next_line, r, on_pair, r);
	if (old)
		ini_max_line = old;
	if (line > 0 && (!r->failed || line < r->line)) {
		r->failed = false;
		fail(r, line, "neither a [section] nor key = value");
	} else if (line < 0) {
		fail(r, r->line, "out of memory");
	}
	return r->failed ? -1 : 0;
}

int
settings_read_text(const char *name, const char *text, settings_fn *fn, void *data, struct err *e)
{
	return read_all(&(struct reading){.name = name, .at = text, .fn = fn, .data = data, .e = e});
}

int
settings_read_sections(const char *name, const char *text, settings_fn *fn, void *data, struct err *e)
{
	return read_all(&(struct reading){.name = name, .at = text, .fn = fn, .data = data, .e = e, .sections = true});
}

static int
read_whole(int fd, const char *path, char *buf, struct err *e)
{
	struct stat st;
	if (fstat(fd, &st) == -1)
		return err_set(e, "%s:", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, "%s: not a file", path);
	size_t used = 0;
	ssize_t n;
	while ((n = read(fd, buf + used, FILE_MAX + 1 - used)) > 0)
		used += (size_t)n;
	if (n == -1)
		return err_set(e, "%s:", path);
	if (used > FILE_MAX)
		return err_set(e, "%s: larger than 1 MiB", path);
	buf[used] = '\0';
	if (strlen(buf) != used)
		return err_set(e, "%s: not a text file", path);
	return 0;
}

int
settings_text(const char *path, char **text, struct err *e)
{
	*text = NULL;
	// not blocking: a pipe of this name must not hang us
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd == -1)
		return errno == ENOENT || errno == ENOTDIR ? 1 : err_set(e, "%s:", path);
	char *buf = malloc(FILE_MAX + 1);
	int r = buf ? read_whole(fd, path, buf, e) : err_set(e, "%s:", path);
	close(fd);
	if (r == 0)
		*text = buf;
	else
		free(buf);
	return r;
}

int
settings_read_file(const char *path, settings_fn *fn, void *data, struct err *e)
{
	char *text;
	int r = settings_text(path, &text, e);
	if (r == 0)
		r = settings_read_text(path, text, fn, data, e);
	free(text);
	return r;
}
