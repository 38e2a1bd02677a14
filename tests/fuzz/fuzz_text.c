// Numbers and names from anyone: parsers take all or nothing, what is shown is safe and fits.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void
parse(const char *s)
{
	struct err e = {""};
	int64_t ns = -7;
	uint64_t bytes = 7;
	long v = -7;
	if (text_parse_ns(s, &ns, &e) == 0 ? ns < 0 : ns != -7 || !*e.text)
		abort();
	if (text_parse_size(s, &bytes, &e) == -1 && bytes != 7)
		abort();
	if (text_parse_long(s, 1, 64, &v, &e) == 0 ? v < 1 || v > 64 : v != -7)
		abort();
}

static void
show(const char *s, size_t room)
{
	char buf[300];
	memset(buf, 'z', sizeof buf);
	text_safe(buf, room, s);
	if (room && strlen(buf) >= room)
		abort();
	for (size_t i = room; i < sizeof buf; i++)
		if (buf[i] != 'z')
			abort();
	// safe text is whole characters and stays as it is
	char again[300];
	uint32_t cp;
	for (const char *p = room ? buf : ""; *p;) {
		int n = text_utf8(p, &cp);
		if (n < 1 || n > 4 || cp < ' ' || (cp == 0xfffd && n == 1))
			abort();
		p += n;
	}
	if (room && strcmp(text_safe(again, sizeof again, buf), buf) != 0)
		abort();
}

static void
format(const uint8_t *data)
{
	char buf[64];
	int64_t ns;
	double d;
	memcpy(&ns, data, sizeof ns);
	memcpy(&d, data, sizeof d);
	if (strlen(text_ns(buf, sizeof buf, ns, true)) > (ns < 0 ? 8 : 7) || strlen(text_bytes(buf, sizeof buf, d)) > 7 ||
	    strlen(text_count(buf, sizeof buf, d)) > 7 || strlen(text_pct(buf, sizeof buf, d)) > 8)
		abort();
	text_clock(buf, sizeof buf, ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 8)
		return 0;
	format(data);
	char *text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	parse(text);
	show(text, data[0]);
	free(text);
	return 0;
}
