// `stutter compare`: recordings side by side, the first is the reference.
// Must not know how figures and intervals are made.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "command.h"
#include "report/ab_text.h"
#include "report/differ.h"
#include "report/headless.h"
#include "session/options.h"
#include "session/replay.h"
#include "session/slot.h"
#include "session/summary.h"
#include "session/verdict.h"

#define FILES_MAX 16
#define COLUMNS 78

struct side {
	const char *path;
	char name[SLOT_NAME_MAX];
	struct replay *replay;
	struct session *s;
	struct verdict *v; // the reference against this one
};

static int
load_side(struct side *d, const char *path, struct err *e)
{
	const char *base = strrchr(path, '/');
	d->path = path;
	text_safe(d->name, sizeof d->name, base ? base + 1 : path);
	char *dot = strrchr(d->name, '.');
	if (dot && dot > d->name)
		*dot = 0;
	d->replay = replay_open(path, e);
	if (!d->replay)
		return -1;
	d->s = replay_session(d->replay);
	slots_capture_all(d->s, SLOT_A, d->name);
	while (replay_run(d->replay, INT64_MAX, 0) == REPLAY_WAITING)
		;
	return d->s->now_tick < 0 ? err_set(e, "%.120s holds no measurement", path) : 0;
}

static void
print_side(FILE *f, const struct side *d, int i)
{
	const struct host *h = &d->s->host;
	const struct slot *slot = &session_slots(d->s)->slot[SLOT_A];
	char mark[24] = "";
	if (slot->marked)
		snprintf(mark, sizeof mark, ", sound mark %d", slot->sound_mark);
	fprintf(f, "%c  %-18.18s %.12s, Linux %.24s %.14s, %.0f s%s%s\n", 'A' + i, d->name, *h->name ? h->name : "?", h->kernel, h->preempt, d->s->measured_s,
	    replay_cut(d->replay) ? " (cut off)" : "", mark);
}

static void
print_differences(FILE *f, const struct side *ref, const struct side *d, int i)
{
	struct difference diff[DIFFER_MAX];
	int n = differ_find(ref->s, d->s, diff), unfair = 0;
	if (!n)
		fprintf(f, "A and %c: machine and settings are the same\n", 'A' + i);
	else
		fprintf(f, "A and %c differ in\n", 'A' + i);
	for (int k = 0; k < n; k++) {
		fprintf(f, "  %c %-20.20s %-25.25s %.27s\n", diff[k].unfair ? '!' : ' ', diff[k].what, diff[k].a, diff[k].b);
		unfair += diff[k].unfair;
	}
	if (unfair)
		fprintf(f, "  ! NOT A FAIR COMPARISON: %d of these should be the same\n", unfair);
}

static const struct verdict_row *
row_of(const struct verdict *v, const struct verdict_row *like)
{
	for (int i = 0; v && i < v->rows; i++)
		if (!strcmp(v->row[i].load, like->load) && !strcmp(v->row[i].probe, like->probe))
			return &v->row[i];
	return NULL;
}

static const char *
ns(char *buf, double v)
{
	return text_ns(buf, 16, isfinite(v) ? llround(v) : TEXT_NONE, true);
}

static void
print_figures(FILE *f, const char *name, const struct verdict_row *r, bool b)
{
	static const enum ab_figure order[] = {AB_MAX, AB_MEAN, AB_P50, AB_P99, AB_P999};
	char t[16];
	fprintf(f, "  %-18.18s", name);
	for (size_t k = 0; k < sizeof order / sizeof *order; k++)
		fprintf(f, " %8s", ns(t, b ? r->figure[order[k]].b : r->figure[order[k]].a));
	fprintf(f, " %6s", text_pct(t, sizeof t, b ? r->figure[AB_WITHIN_1].b : r->figure[AB_WITHIN_1].a));
	double xruns = b ? r->xruns.b : r->xruns.a;
	if (isfinite(xruns))
		fprintf(f, " %5.1f", xruns);
	putc('\n', f);
}

// Folds TEXT at blanks, each line indented.
static void
print_folded(FILE *f, const char *text, int indent)
{
	while (*text) {
		size_t room = (size_t)(COLUMNS - indent), n = strlen(text);
		if (n > room) {
			for (n = room; n && text[n] != ' '; n--)
				;
			n = n ? n : room;
		}
		fprintf(f, "%*s%.*s\n", indent, "", (int)n, text);
		for (text += n; *text == ' '; text++)
			;
	}
}

static void
print_changes(FILE *f, const struct verdict_row *r, int i)
{
	static const struct {
		enum ab_figure figure;
		const char *name;
	} what[] = {{AB_MEAN, "avg"}, {AB_P99, "p99"}};
	char change[96], line[320], say[VERDICT_MAX];
	if (*r->why_not) {
		snprintf(line, sizeof line, "%c: not comparable: %s", 'A' + i, r->why_not);
		print_folded(f, line, 4);
		return;
	}
	for (size_t k = 0; k < sizeof what / sizeof *what; k++)
		fprintf(f, "    %c %s %s\n", 'A' + i, what[k].name, verdict_change(change, sizeof change, &r->figure[what[k].figure]));
	for (int k = 0; k < r->works; k++)
		if (isfinite(r->work[k].change.a)) {
			char a[16], b[16];
			fprintf(f, "    %c %.20s: %s -> %s %.12s/s, %s\n", 'A' + i, r->work[k].name, text_count(a, sizeof a, r->work[k].change.a),
			    text_count(b, sizeof b, r->work[k].change.b), r->work[k].unit, verdict_change(change, sizeof change, &r->work[k].change));
		}
	if (i == 1)
		print_folded(f, verdict_say(say, sizeof say, r, true), 4);
}

// One block a load and probe, a row a recording.
static void
print_block(FILE *f, const struct side *d, int n, const struct verdict_row *first)
{
	char where[112];
	bool audio = isfinite(first->xruns.a) || isfinite(first->xruns.b);
	fprintf(f, "\n%s, %s\n", verdict_load(where, sizeof where, first->load), first->probe);
	fprintf(f, "  %-18s %8s %8s %8s %8s %8s %6s%s\n", "", "max", "avg", "p50", "p99", "p99.9", "<=1ms", audio ? " skip/min" : "");
	print_figures(f, d[0].name, first, false);
	for (int i = 1; i < n; i++) {
		const struct verdict_row *r = row_of(d[i].v, first);
		if (!r) {
			fprintf(f, "  %-18.18s not measured\n", d[i].name);
			continue;
		}
		print_figures(f, d[i].name, r, true);
	}
	for (int i = 1; i < n; i++) {
		const struct verdict_row *r = row_of(d[i].v, first);
		if (r)
			print_changes(f, r, i);
	}
}

static void
print_text(FILE *f, const struct side *d, int n)
{
	for (int i = 0; i < n; i++)
		print_side(f, &d[i], i);
	putc('\n', f);
	for (int i = 1; i < n; i++)
		print_differences(f, &d[0], &d[i], i);
	int blocks = 0;
	// The main probe's blocks first; a row that only a later recording has is found there.
	for (int pass = 0; pass < 2; pass++)
		for (int i = 1; i < n; i++)
			for (int k = 0; d[i].v && k < d[i].v->rows; k++) {
				const struct verdict_row *r = &d[i].v->row[k];
				bool seen = false;
				for (int m = 1; m < i; m++)
					seen |= row_of(d[m].v, r) != NULL;
				if (!seen && r->main == !pass) {
					print_block(f, d, n, r);
					blocks++;
				}
			}
	if (!blocks)
		fputs("\nThese recordings have no load and probe in common.\n", f);
	else
		fputs("\nchange: of A, with its 95% interval\n", f);
}

static int
print_json(FILE *f, const struct side *d, int n)
{
	json_t *all = json_array();
	for (int i = 1; i < n; i++) {
		struct difference diff[DIFFER_MAX];
		int k = differ_find(d[0].s, d[i].s, diff);
		json_t *j = ab_json(d[i].v), *list = json_array();
		bool fair = true;
		for (int m = 0; m < k; m++) {
			fair = fair && !diff[m].unfair;
			json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:b}", "what", diff[m].what, "a", diff[m].a, "b", diff[m].b, "unfair", diff[m].unfair));
		}
		json_object_set_new(j, "fair", json_boolean(fair));
		json_object_set_new(j, "differences", list);
		json_array_append_new(all, j);
	}
	json_t *top = json_pack("{s:s,s:s,s:o}", "stutter", STUTTER_VERSION, "reference", d[0].name, "comparisons", all);
	char *text = top ? json_dumps(top, SUMMARY_DUMP) : NULL;
	json_decref(top);
	if (!text)
		return -1;
	fprintf(f, "%s\n", text);
	free(text);
	return 0;
}

static int
compare(const struct config *c, struct side *d, int *n, struct err *e)
{
	for (; *n < c->arg_count; ++*n) {
		int i = *n;
		if (load_side(&d[i], c->arg[i], e)) {
			++*n;
			return -1;
		}
		if (i && !(d[i].v = verdict_make(&session_slots(d[0].s)->slot[SLOT_A], &session_slots(d[i].s)->slot[SLOT_A])))
			return err_set(e, "no memory for a comparison");
	}
	if (!c->json)
		print_text(stdout, d, *n);
	else if (print_json(stdout, d, *n))
		return err_set(e, "no memory for a comparison");
	return 0;
}

int
command_compare(int argc, char **argv)
{
	static struct config c;
	struct side d[FILES_MAX] = {0};
	struct err e;
	int n = 0, r = options_read(&c, MODE_COMPARE, argc, argv, &e);
	if (r)
		return r > 0 ? 0 : headless_fail(2, e.text);
	if (c.arg_count < 2 || c.arg_count > FILES_MAX)
		return headless_fail(2, "compare wants 2 to 16 recordings; the first is the reference: stutter compare A B [C...]");
	signal(SIGPIPE, SIG_IGN);
	r = compare(&c, d, &n, &e);
	for (int i = 0; i < n; i++) {
		verdict_free(d[i].v);
		replay_close(d[i].replay);
	}
	return r ? headless_fail(1, e.text) : headless_flush();
}
