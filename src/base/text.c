// Writes and reads numbers, and makes foreign text fit for a screen.
// Must not know of screens, nor ask the locale anything.
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static char *
none(char *buf, size_t size)
{
	snprintf(buf, size, "-");
	return buf;
}

// V (>= 0) with so many DECIMALS (0..2), by integers: no locale can put a comma in.
static void
fixed(char *buf, size_t size, const char *sign, double v, int decimals, const char *unit)
{
	static const int64_t scale[] = {1, 10, 100};
	int64_t n = llround(v * (double)scale[decimals]);
	int64_t whole = n / scale[decimals], part = n % scale[decimals];
	if (decimals)
		snprintf(buf, size, "%s%lld.%0*lld%s", sign, (long long)whole, decimals, (long long)part, unit);
	else
		snprintf(buf, size, "%s%lld%s", sign, (long long)whole, unit);
}

// Decimals that make three significant digits of V as it will be rounded.
static int
decimals_of(double v)
{
	return v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
}

char *
text_ns(char *buf, size_t size, int64_t ns, bool ascii)
{
	if (ns == TEXT_NONE)
		return none(buf, size);
	const char *sign = ns < 0 ? "-" : "", *us = ascii ? "us" : "µs";
	double v = fabs((double)ns);
	if (v < 1e3)
		fixed(buf, size, sign, v, 0, "ns");
	else if (v < 9.995e3)
		fixed(buf, size, sign, v / 1e3, 2, us);
	else if (v < 999.5e3)
		fixed(buf, size, sign, v / 1e3, 0, us);
	else if (v < 999.5e6)
		fixed(buf, size, sign, v / 1e6, decimals_of(v / 1e6), "ms");
	else if (v < 59.95e9)
		fixed(buf, size, sign, v / 1e9, decimals_of(v / 1e9), "s");
	else {
		long long s = llround(v / 1e9), m = (s + 30) / 60, h = (m + 30) / 60;
		if (s < 3600)
			snprintf(buf, size, "%s%lldm%02llds", sign, s / 60, s % 60);
		else if (m < 100 * 60)
			snprintf(buf, size, "%s%lldh%02lldm", sign, m / 60, m % 60);
		else if (h < 100 * 24)
			snprintf(buf, size, "%s%lldd%02lldh", sign, h / 24, h % 24);
		else
			snprintf(buf, size, "%s%lldd", sign, (h + 12) / 24);
	}
	return buf;
}

static char *
scaled(char *buf, size_t size, double v, const char *unit)
{
	static const char *const prefix[] = {"", "k", "M", "G", "T", "P", "E", "Z"};
	if (!isfinite(v))
		return none(buf, size);
	const char *sign = v < 0 ? "-" : "";
	unsigned i = 0;
	v = fabs(v);
	if (v < 999.5 && v == floor(v)) {
		fixed(buf, size, sign, v, 0, unit);
		return buf;
	}
	for (; v >= 999.5 && i < sizeof prefix / sizeof *prefix - 1; i++)
		v /= 1000;
	if (v >= 999.5)
		snprintf(buf, size, "%s>999Z", sign);
	else
		fixed(buf, size, sign, v, decimals_of(v), i ? prefix[i] : unit);
	return buf;
}

char *
text_bytes(char *buf, size_t size, double bytes)
{
	return scaled(buf, size, bytes, "B");
}

char *
text_count(char *buf, size_t size, double n)
{
	return scaled(buf, size, n, "");
}

char *
text_pct(char *buf, size_t size, double pct)
{
	if (!isfinite(pct))
		return none(buf, size);
	const char *sign = pct < 0 ? "-" : "";
	double v = fabs(pct);
	if (v == 0)
		snprintf(buf, size, "0%%");
	else if (v < 0.01)
		snprintf(buf, size, "%s<0.01%%", sign);
	else if (v < 9.995)
		fixed(buf, size, sign, v, 2, "%");
	else if (v < 99.9)
		fixed(buf, size, sign, v, 1, "%");
	else if (v < 100) // what is not all must not look like all
		fixed(buf, size, sign, floor(v * 100) / 100, 2, "%");
	else if (v < 1e6)
		fixed(buf, size, sign, v, 0, "%");
	else
		snprintf(buf, size, "%s>999k%%", sign);
	return buf;
}

char *
text_clock(char *buf, size_t size, int64_t ns)
{
	if (ns < 0) // TEXT_NONE too
		return none(buf, size);
	long long s = ns / NS_PER_S;
	snprintf(buf, size, "%02lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
	return buf;
}

// Digits, with a point among them or none: the value into *V, the rest returned. NULL: no number.
static const char *
parse_number(const char *s, double *v)
{
	double n = 0, unit = 1;
	int digits = 0;
	bool point = false;
	for (;; s++) {
		if (*s == '.' && !point) {
			point = true;
			continue;
		}
		if (*s < '0' || *s > '9')
			break;
		n = n * 10 + (*s - '0');
		if (point)
			unit *= 10;
		if (++digits > 18)
			return NULL;
	}
	*v = n / unit;
	return digits ? s : NULL;
}

static const struct {
	const char *name;
	double ns;
} times[] = {
    {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"μs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1e9},
    {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9},
};

int
text_parse_ns(const char *s, int64_t *ns, struct err *e)
{
	double v;
	const char *unit = parse_number(s, &v);
	for (size_t i = 0; unit && i < sizeof times / sizeof *times; i++)
		if (strcmp(unit, times[i].name) == 0) {
			v = round(v * times[i].ns);
			if (v >= 9.2e18)
				return err_set(e, "'%.40s' is too long a time", s);
			*ns = (int64_t)v;
			return 0;
		}
	return err_set(e, "'%.40s' is no time: a number and ns, us, ms, s, m or h, like 500us or 1.5s", s);
}

int
text_parse_size(const char *s, uint64_t *bytes, struct err *e)
{
	static const char letters[] = "KMGTP";
	double v, factor = 1;
	const char *unit = parse_number(s, &v);
	if (!unit)
		goto bad;
	const char *at = *unit ? strchr(letters, *unit & ~0x20) : NULL;
	if (at) {
		factor = ldexp(1, 10 * (int)(at - letters + 1));
		unit++;
		if (*unit == 'i')
			unit++;
	}
	if (*unit == 'B')
		unit++;
	if (*unit)
		goto bad;
	v = round(v * factor);
	if (v >= 9.2e18)
		return err_set(e, "'%.40s' is too large a size", s);
	*bytes = (uint64_t)v;
	return 0;
bad:
	return err_set(e, "'%.40s' is no size: bytes, or a number and K, M, G or T, like 512M or 1.5G", s);
}

int
text_parse_long(const char *s, long lo, long hi, long *v, struct err *e)
{
	char *end;
	errno = 0;
	long n = strtol(s, &end, 10);
	if (*s == ' ' || (*s >= '\t' && *s <= '\r') || end == s || *end || errno || n < lo || n > hi)
		return err_set(e, "'%.40s' is not one of %ld..%ld", s, lo, hi);
	*v = n;
	return 0;
}

int
text_utf8(const char *s, uint32_t *cp)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char c = (unsigned char)*s;
	if (c < 0x80) {
		*cp = c;
		return c != 0;
	}
	int n = c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xc2 && c < 0xe0 ? 2 : 0;
	uint32_t v = n ? c & (0xffU >> (n + 1)) : 0;
	for (int i = 1; i < n; i++) {
		unsigned char t = (unsigned char)s[i];
		if ((t & 0xc0) != 0x80) // the NUL too
			n = 0;
		v = v << 6 | (t & 0x3f);
	}
	if (!n || v < least[n] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000)) {
		*cp = 0xfffd;
		return 1;
	}
	*cp = v;
	return n;
}

// Controls, and what turns the direction or the line of the text around it.
static bool
is_unsafe(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

char *
text_safe(char *buf, size_t size, const char *s)
{
	size_t used = 0;
	uint32_t cp;
	for (int n; size && (n = text_utf8(s, &cp)) > 0; s += n) {
		bool bad = is_unsafe(cp) || (cp == 0xfffd && n == 1);
		size_t len = bad ? 1 : (size_t)n;
		if (used + len >= size)
			break;
		if (bad)
			buf[used] = '?';
		else
			memcpy(buf + used, s, len);
		used += len;
	}
	if (size)
		buf[used] = '\0';
	return buf;
}
