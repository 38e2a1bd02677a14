// Writes a comparison: tables, sentences, JSON.
// Must not know how it was made.
#include "report/ab_text.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define COLUMNS 78

static char *
value_text(char *buf, size_t size, enum ab_figure f, double v)
{
	if (f == AB_WITHIN_1 || f == AB_WITHIN_2)
		return text_pct(buf, size, v);
	return text_ns(buf, size, isnan(v) ? TEXT_NONE : (int64_t)(v + 0.5), true);
}

static void
print_row(FILE *f, const char *name, const char *a, const char *b, const struct ab_change *c)
{
	char change[64];
	verdict_change(change, sizeof change, c);
	if (c->lack == AB_EMPTY && isnan(c->change))
		snprintf(change, sizeof change, "-");
	fprintf(f, "  %-22s %9s %9s   %s%s\n", name, a, b, change, c->points && c->lack == AB_NONE ? " points" : "");
}

static void
print_amount(FILE *f, const char *name, const struct ab_change *c, char *(*text)(char *, size_t, double))
{
	char a[24], b[24];
	if (isnan(c->a) && isnan(c->b))
		return;
	print_row(f, name, text(a, sizeof a, c->a), text(b, sizeof b, c->b), c);
}

// Folds TEXT at blanks, each line indented by INDENT.
static void
print_folded(FILE *f, const char *text, int indent)
{
	while (*text) {
		size_t room = (size_t)(COLUMNS - indent), n = strlen(text);
		if (n > room) {
			n = room;
			while (n && text[n] != ' ')
				n--;
			if (!n)
				n = room;
		}
		fprintf(f, "%*s%.*s\n", indent, "", (int)n, text);
		text += n;
		while (*text == ' ')
			text++;
	}
}

static void
print_one(FILE *f, const struct verdict_row *r)
{
	char where[112], a[24], b[24], name[64], say[VERDICT_MAX];
	fprintf(f, "%s, %s\n", verdict_load(where, sizeof where, r->load), r->probe);
	fprintf(f, "  %-22s %9s %9s   %s\n", "", "A", "B", "change (95% interval)");
	for (int i = 0; i < AB_FIGURES; i++) {
		const struct ab_change *c = &r->figure[i];
		print_row(f, verdict_figure_name((enum ab_figure)i), value_text(a, sizeof a, (enum ab_figure)i, c->a),
		    value_text(b, sizeof b, (enum ab_figure)i, c->b), c);
	}
	print_amount(f, "drop-outs a minute", &r->xruns, text_count);
	print_amount(f, "cpu busy", &r->cpu, text_pct);
	for (int i = 0; i < r->works; i++) {
		snprintf(name, sizeof name, "%.12s: %.12s/s", r->work[i].name, r->work[i].unit);
		print_amount(f, name, &r->work[i].change, text_count);
	}
	print_folded(f, verdict_say(say, sizeof say, r, true), 2);
	putc('\n', f);
}

void
ab_print(FILE *f, const struct verdict *v)
{
	for (int i = 0; i < v->rows; i++)
		if (v->row[i].main)
			print_one(f, &v->row[i]);
	for (int i = 0; i < v->rows; i++)
		if (!v->row[i].main)
			print_one(f, &v->row[i]);
	if (v->sound_mark[0] >= 0 || v->sound_mark[1] >= 0) {
		char mark[2][12] = {"-", "-"};
		for (int i = 0; i < 2; i++)
			if (v->sound_mark[i] >= 0)
				snprintf(mark[i], sizeof mark[i], "%d", v->sound_mark[i]);
		fprintf(f, "  %-22s %9s %9s\n\n", "sound mark, 0 to 10", mark[0], mark[1]);
	}
	if (*v->note)
		print_folded(f, v->note, 0);
}

static json_t *
number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *
change_json(const struct ab_change *c)
{
	static const char *const lacks[] = {
	    [AB_NONE] = NULL,
	    [AB_EMPTY] = "no data",
	    [AB_SHORT] = "too short",
	    [AB_TAIL_FEW] = "too few values in the tail",
	    [AB_EXTREME] = "a maximum has none",
	};
	json_t *lack = c->lack == AB_NONE ? json_null() : json_string(lacks[c->lack]);
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "a", number(c->a), "b", number(c->b),
	    c->points ? "change_points" : "change_pct", number(c->change), "low", number(c->lo), "high", number(c->hi), "p",
	    c->lack == AB_NONE ? number(c->p) : json_null(), "no_interval", lack);
}

static json_t *
row_json(const struct verdict_row *r)
{
	static const char *const keys[AB_FIGURES] = {
	    [AB_MEAN] = "avg_ns",
	    [AB_P50] = "p50_ns",
	    [AB_P99] = "p99_ns",
	    [AB_P999] = "p999_ns",
	    [AB_MAX] = "max_ns",
	    [AB_WITHIN_1] = "within_1ms_pct",
	    [AB_WITHIN_2] = "within_2ms_pct",
	};
	char say[VERDICT_MAX];
	json_t *figures = json_object(), *work = json_array();
	for (int i = 0; i < AB_FIGURES; i++)
		json_object_set_new(figures, keys[i], change_json(&r->figure[i]));
	json_object_set_new(figures, "xruns_per_minute", change_json(&r->xruns));
	json_object_set_new(figures, "cpu_busy_pct", change_json(&r->cpu));
	for (int i = 0; i < r->works; i++)
		json_array_append_new(work, json_pack("{s:s,s:s,s:o}", "name", r->work[i].name, "unit", r->work[i].unit, "work_per_s",
		    change_json(&r->work[i].change)));
	static const char *const better[] = {"A", NULL, "B"};
	const char *who = better[verdict_better(r) + 1];
	return json_pack("{s:s,s:s,s:s,s:b,s:o,s:b,s:i,s:o,s:o,s:o,s:s}", "load", r->load, "probe", r->probe, "kind", r->kind,
	    "main", r->main, "not_comparable", *r->why_not ? json_string(r->why_not) : json_null(), "turns", r->design.turns,
	    "groups", r->design.groups, "better", who ? json_string(who) : json_null(), "figures", figures, "work", work, "sentence",
	    verdict_say(say, sizeof say, r, true));
}

static json_t *
side_json(const struct verdict *v, int i)
{
	return json_pack("{s:s,s:o}", "name", v->name[i], "sound_mark", v->sound_mark[i] < 0 ? json_null() : json_integer(v->sound_mark[i]));
}

json_t *
ab_json(const struct verdict *v)
{
	json_t *rows = json_array();
	for (int i = 0; i < v->rows; i++)
		json_array_append_new(rows, row_json(&v->row[i]));
	return json_pack("{s:s,s:o,s:o,s:o,s:o}", "stutter", STUTTER_VERSION, "a", side_json(v, 0), "b", side_json(v, 1), "comparisons", rows, "note", *v->note ? json_string(v->note) : json_null());
}
