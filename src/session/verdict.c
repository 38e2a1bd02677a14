// The words for a comparison.
// Must not know how it was made.
#include "session/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

#define WORK_WORTH_PCT 5 // a load's work that changed by less is not worth a word

bool
verdict_lower_better(enum ab_figure f)
{
	return f != AB_WITHIN_1 && f != AB_WITHIN_2;
}

const char *
verdict_figure_name(enum ab_figure f)
{
	static const char *const names[AB_FIGURES] = {
	    [AB_MEAN] = "mean",
	    [AB_P50] = "p50",
	    [AB_P99] = "p99",
	    [AB_P999] = "p99.9",
	    [AB_MAX] = "max",
	    [AB_WITHIN_1] = "within 1 ms",
	    [AB_WITHIN_2] = "within 2 ms",
	};
	return names[f];
}

static bool
excludes_none(const struct ab_change *c)
{
	return c->lack == AB_NONE && (c->lo > 0 || c->hi < 0);
}

// Is figure F of R certainly different? Of the two figures asked, the surer must be twice as sure.
static bool
certain(const struct verdict_row *r, enum ab_figure f)
{
	const struct ab_change *c = &r->figure[f];
	if (*r->why_not || !excludes_none(c))
		return false;
	if (!strcmp(r->kind, "job"))
		return f == AB_MEAN && c->p <= 0.05;
	const struct ab_change *other = &r->figure[f == AB_MEAN ? AB_P99 : AB_MEAN];
	return c->p <= 0.025 || (c->p <= 0.05 && excludes_none(other) && other->p <= 0.025);
}

int
verdict_better(const struct verdict_row *r)
{
	static const enum ab_figure order[] = {AB_P99, AB_MEAN};
	for (size_t i = 0; i < 2; i++)
		if (certain(r, order[i]))
			return r->figure[order[i]].change < 0 ? 1 : -1;
	return 0;
}

// "1.90 ms": a sentence has a space where a table has none.
static char *
spaced_ns(char *buf, size_t size, double ns, bool ascii)
{
	char t[24];
	text_ns(t, sizeof t, isnan(ns) ? TEXT_NONE : (int64_t)(ns + 0.5), ascii);
	size_t digits = strspn(t, "0123456789.");
	if (digits && t[digits] && strspn(t + digits, "0123456789") == 0 && strlen(t + digits) <= 3)
		snprintf(buf, size, "%.*s %s", (int)digits, t, t + digits);
	else
		snprintf(buf, size, "%s", t);
	return buf;
}

static char *
more_time(char *buf, size_t size, double s)
{
	static const struct {
		double s;
		const char *one, *many;
	} units[] = {{3600, "hour", "hours"}, {60, "minute", "minutes"}, {1, "second", "seconds"}};
	size_t i = 0;
	while (i < 2 && s < 1.5 * units[i].s)
		i++;
	double n = ceil(s / units[i].s - 0.05);
	if (n < 1)
		n = 1;
	snprintf(buf, size, "%.0f more %s", n, n == 1 ? units[i].one : units[i].many);
	return buf;
}

char *
verdict_load(char *buf, size_t size, const char *load)
{
	if (strcmp(load, "none"))
		snprintf(buf, size, "under %s", load);
	else
		snprintf(buf, size, "without load");
	return buf;
}

// A number of per cent or points with its sign: whole numbers, one decimal where it is small.
static char *
signed_text(char *buf, size_t size, double x)
{
	if (fabs(x) >= 9.95)
		snprintf(buf, size, "%+.0f", x);
	else
		snprintf(buf, size, "%+.1f", fabs(x) < 0.05 ? 0 : x);
	return buf;
}

static const char *
lack_text(enum ab_lack lack)
{
	static const char *const text[] = {
	    [AB_NONE] = "",
	    [AB_EMPTY] = "no data",
	    [AB_SHORT] = "too short to say",
	    [AB_TAIL_FEW] = "too few in the tail",
	    [AB_EXTREME] = "one value",
	};
	return text[lack];
}

char *
verdict_change(char *buf, size_t size, const struct ab_change *c)
{
	char x[16], lo[16], hi[16];
	const char *unit = c->points ? "" : "%";
	if (isnan(c->change))
		snprintf(buf, size, "%s", lack_text(c->lack));
	else if (c->lack != AB_NONE)
		snprintf(buf, size, "%s%s (%s)", signed_text(x, sizeof x, c->change), unit, lack_text(c->lack));
	else
		snprintf(buf, size, "%s%s (%s .. %s)", signed_text(x, sizeof x, c->change), unit, signed_text(lo, sizeof lo, c->lo),
		    signed_text(hi, sizeof hi, c->hi));
	return buf;
}

__attribute__((format(printf, 4, 5))) static void
append(char *buf, size_t size, size_t *n, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int k = vsnprintf(buf + *n, size - *n, fmt, ap);
	va_end(ap);
	if (k > 0)
		*n = *n + (size_t)k < size ? *n + (size_t)k : size - 1;
}

static void
say_figure(char *buf, size_t size, size_t *n, const struct verdict_row *r, enum ab_figure f, bool ascii)
{
	const struct ab_change *c = &r->figure[f];
	char a[24], b[24], x[16], lo[16], hi[16];
	append(buf, size, n, "%s %s instead of %s (%s%%, 95%% sure between %s and %s)", verdict_figure_name(f),
	    spaced_ns(b, sizeof b, c->b, ascii), spaced_ns(a, sizeof a, c->a, ascii), signed_text(x, sizeof x, c->change),
	    signed_text(lo, sizeof lo, c->lo), signed_text(hi, sizeof hi, c->hi));
}

static void
say_none(char *buf, size_t size, size_t *n, const struct verdict_row *r, const char *where)
{
	static const double steps[] = {100, 50, 20, 10, 5};
	const struct ab_change *c = &r->figure[r->figure[AB_P99].lack == AB_NONE && strcmp(r->kind, "job") ? AB_P99 : AB_MEAN];
	if (c->lack == AB_SHORT) {
		append(buf, size, n, "too short to say%s: six rounds, or seven seconds of each, are the least", where);
		return;
	}
	append(buf, size, n, "no difference seen%s", where);
	double measured = r->design.s[0] + r->design.s[1];
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		double more = ab_more_s(c, measured, steps[i]);
		char t[40];
		if (isnan(more))
			return;
		if (more > 0) {
			append(buf, size, n, "; %s would show %.0f%%", more_time(t, sizeof t, more), steps[i]);
			return;
		}
	}
	append(buf, size, n, "; one of 5%% would have shown");
}

// What it costs, or what it is bought with: a load that did less has disturbed less.
static void
say_work(char *buf, size_t size, size_t *n, const struct verdict_row *r)
{
	for (int i = 0; i < r->works; i++) {
		const struct ab_change *c = &r->work[i].change;
		if (excludes_none(c) && fabs(c->change) >= WORK_WORTH_PCT)
			append(buf, size, n, "; in B %s did %.0f%% %s work", r->work[i].name, fabs(c->change), c->change < 0 ? "less" : "more");
	}
}

char *
verdict_say(char *buf, size_t size, const struct verdict_row *r, bool ascii)
{
	char where[112] = "";
	size_t n = 0;
	*buf = 0;
	if (strcmp(r->load, "none"))
		snprintf(where, sizeof where, " under %s", r->load);
	if (*r->why_not) {
		snprintf(buf, size, "not comparable%s: %s", where, r->why_not);
		return buf;
	}
	bool p99 = certain(r, AB_P99), mean = certain(r, AB_MEAN);
	enum ab_figure f = p99 ? AB_P99 : AB_MEAN;
	if (!p99 && !mean) {
		say_none(buf, size, &n, r, where);
		say_work(buf, size, &n, r);
		return buf;
	}
	append(buf, size, &n, "B is %s%s: ", verdict_better(r) > 0 ? "better" : "worse", where);
	say_figure(buf, size, &n, r, f, ascii);
	if (p99 && mean && (r->figure[AB_P99].change < 0) != (r->figure[AB_MEAN].change < 0)) {
		append(buf, size, &n, ", but ");
		say_figure(buf, size, &n, r, AB_MEAN, ascii);
	}
	say_work(buf, size, &n, r);
	return buf;
}
