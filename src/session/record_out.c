// Builds a line of JSON in memory, fast, with a decimal point in every locale.
// Must not know what the line says.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "session/record_text.h"

void
out_free(struct text_out *o)
{
	free(o->text);
	*o = (struct text_out){0};
}

static bool
room(struct text_out *o, size_t n)
{
	if (o->failed)
		return false;
	if (o->len + n + 1 <= o->size)
		return true;
	size_t size = o->size ? o->size : 1024;
	while (size < o->len + n + 1)
		size *= 2;
	char *p = realloc(o->text, size);
	if (!p) {
		o->failed = true;
		return false;
	}
	o->text = p;
	o->size = size;
	return true;
}

static void
append(struct text_out *o, const char *s, size_t n)
{
	if (!room(o, n))
		return;
	memcpy(o->text + o->len, s, n);
	o->len += n;
	o->text[o->len] = 0;
}

void
out_char(struct text_out *o, char c)
{
	append(o, &c, 1);
}

void
out_text(struct text_out *o, const char *s)
{
	append(o, s, strlen(s));
}

void
out_int(struct text_out *o, int64_t v)
{
	char buf[24];
	int n = snprintf(buf, sizeof buf, "%lld", (long long)v);
	append(o, buf, (size_t)n);
}

void
out_real(struct text_out *o, double v)
{
	char buf[40];
	int n;
	if (!isfinite(v)) {
		out_text(o, "null");
		return;
	}
	if (fabs(v) < 1e15 && v == floor(v)) {
		out_int(o, (int64_t)v);
		return;
	}
	n = snprintf(buf, sizeof buf, "%.15g", v);
	if (strtod(buf, NULL) != v)
		n = snprintf(buf, sizeof buf, "%.17g", v);
	// Another locale's sign, should anyone ever have set one.
	for (char *p = buf; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '-' && *p != '+')
			*p = '.';
	append(o, buf, (size_t)n);
}

void
out_string(struct text_out *o, const char *s)
{
	char safe[2048];
	text_safe(safe, sizeof safe, s);
	out_char(o, '"');
	for (const char *p = safe; *p; p++) {
		if (*p == '"' || *p == '\\')
			out_char(o, '\\');
		out_char(o, *p);
	}
	out_char(o, '"');
}

void
out_key(struct text_out *o, const char *key)
{
	char last = o->len ? o->text[o->len - 1] : '{';
	if (last != '{' && last != '[' && last != '\n')
		out_char(o, ',');
	out_char(o, '"');
	out_text(o, key);
	out_text(o, "\":");
}
