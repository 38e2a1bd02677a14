// Writes what a suite measured.
// Must not know how it ran.
#include "report/suite_table.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "session/summary.h"

void
suite_mean(const double *v, int n, double *mean, double *sd)
{
	double sum = 0, sq = 0;
	for (int i = 0; i < n; i++)
		sum += v[i];
	*mean = n ? sum / n : NAN;
	for (int i = 0; i < n; i++)
		sq += (v[i] - *mean) * (v[i] - *mean);
	*sd = n > 1 ? sqrt(sq / (n - 1)) : NAN;
}

double
suite_sound_mark(const struct suite_row *w)
{
	if (!(w->played_s + w->silent_s > 0))
		return NAN;
	double share = w->played_s / (w->played_s + w->silent_s);
	double skips_a_minute = w->elapsed_s > 0 ? 60 * (double)w->xruns / w->elapsed_s : 0;
	double mark = 10 * share - fmin(5, log2(1 + skips_a_minute));
	return mark < 0 ? 0 : mark;
}

static const char *
ns(char *buf, size_t size, const struct dist *d, double v)
{
	return text_ns(buf, size, d->s.samples && isfinite(v) ? llround(v) : TEXT_NONE, true);
}

static const char *
num(char *buf, size_t size, double v, int decimals)
{
	if (isfinite(v))
		snprintf(buf, size, "%.*f", decimals, v);
	else
		snprintf(buf, size, "-");
	return buf;
}

static void
mark_row(FILE *f, const struct suite_row *w)
{
	if (w->invalid)
		fprintf(f, "  ** INVALID: %.62s\n", w->why);
	else if (!w->done)
		fprintf(f, "  ** ended early, after %.1f s\n", w->s);
}

static void
print_latencytest(FILE *f, const struct suite_run *r)
{
	char a[16], b[16], c[16], d[16], e[16];
	fprintf(f, "%-11s %8s %9s %7s %7s %8s %8s %7s\n", "load", "max", "drop-outs", "+-1 ms", "+-2 ms", "+-0.1 ms", "+-0.2 ms", "time");
	fprintf(f, "%-11s %8s %9s %15s %17s\n", "", "", "", "of a fragment", "of the CPU loop");
	for (int i = 0; i < r->rows; i++) {
		const struct suite_row *w = &r->row[i];
		const struct dist *v = &w->interval;
		fprintf(f, "%-11.11s %8s %9llu %7s %7s %8s %8s %6.1fs\n", w->name, ns(a, sizeof a, v, (double)v->s.max_ns),
		    (unsigned long long)w->xruns, text_pct(b, sizeof b, sums_within_pct(&v->s, 0)), text_pct(c, sizeof c, sums_within_pct(&v->s, 1)),
		    text_pct(d, sizeof d, sums_within_pct(&w->burn.s, 0)), text_pct(e, sizeof e, sums_within_pct(&w->burn.s, 1)), w->s);
		mark_row(f, w);
	}
}

static void
print_irman(FILE *f, const struct suite_run *r)
{
	char t[7][16];
	fprintf(f, "%-10s %8s %8s %8s %8s %8s %8s %8s\n", "load", "max", "min", "avg", "stddev", "p50", "p99", "p99.9");
	for (int i = 0; i < r->rows; i++) {
		const struct suite_row *w = &r->row[i];
		const struct dist *d = &w->late;
		fprintf(f, "%-10.10s %8s %8s %8s %8s %8s %8s %8s\n", w->name, ns(t[0], 16, d, (double)d->s.max_ns),
		    ns(t[1], 16, d, (double)d->s.min_ns), ns(t[2], 16, d, sums_avg_ns(&d->s)), ns(t[3], 16, d, sums_stddev_ns(&d->s)),
		    ns(t[4], 16, d, (double)dist_percentile_ns(d, 0.5)), ns(t[5], 16, d, (double)dist_percentile_ns(d, 0.99)),
		    ns(t[6], 16, d, (double)dist_percentile_ns(d, 0.999)));
		mark_row(f, w);
	}
}

struct contest {
	double time, sd, cpu_pct, loads, lcpu_pct, ratio;
};

// Time: the mean of the jobs; CPU%: the job's; Loads: what the load did in the time of one job; Ratio: to no load.
static struct contest
contest_of(const struct suite_run *r, const struct suite_row *w)
{
	struct contest c = {NAN, NAN, NAN, NAN, NAN, NAN};
	double base, base_sd, cpu, cpu_sd;
	suite_mean(w->job_s, w->jobs, &c.time, &c.sd);
	suite_mean(w->job_cpu_s, w->jobs, &cpu, &cpu_sd);
	c.cpu_pct = 100 * cpu / c.time;
	if (w->load >= 0 && w->on_s > 0) {
		c.loads = w->work / w->on_s * c.time;
		c.lcpu_pct = 100 * w->load_cpu_s / w->on_s;
	}
	for (int i = 0; i < r->rows; i++)
		if (r->row[i].load < 0 && !r->row[i].invalid) {
			suite_mean(r->row[i].job_s, r->row[i].jobs, &base, &base_sd);
			c.ratio = c.time / base;
			break;
		}
	return c;
}

static void
print_contest(FILE *f, const struct suite_run *r)
{
	char t[6][16];
	fprintf(f, "%-11s %5s %9s %8s %6s %9s %-10s %6s %6s\n", "load", "runs", "time", "spread", "CPU%", "loads", "", "LCPU%", "ratio");
	for (int i = 0; i < r->rows; i++) {
		const struct suite_row *w = &r->row[i];
		struct contest c = contest_of(r, w);
		fprintf(f, "%-11.11s %5d %8ss %8s %6s %9s %-10.10s %6s %6s\n", w->name, w->jobs, num(t[0], 16, c.time, 2), num(t[1], 16, c.sd, 2),
		    num(t[2], 16, c.cpu_pct, 0), isfinite(c.loads) ? text_count(t[3], 16, c.loads) : "-", w->load >= 0 ? w->unit : "",
		    num(t[4], 16, c.lcpu_pct, 0), num(t[5], 16, c.ratio, 2));
		mark_row(f, w);
	}
}

static void
print_vm(FILE *f, const struct suite_run *r)
{
	char a[24], b[24];
	for (int i = 0; i < r->rows; i++) {
		const struct suite_row *w = &r->row[i];
		const struct load_pass *p = &w->status.avg;
		bool any = w->status.passes && p->valid;
		fprintf(f, "%s%s, averages of %llu pass%s:\n", i ? "\n" : "", w->name, (unsigned long long)w->status.passes, w->status.passes == 1 ? "" : "es");
		fprintf(f, "  User time (seconds):                       %s\n", num(a, 24, any ? p->user_s : NAN, 2));
		fprintf(f, "  System time (seconds):                     %s\n", num(a, 24, any ? p->system_s : NAN, 2));
		fprintf(f, "  Elapsed (wall clock) time (seconds):       %s\n", num(a, 24, any ? p->elapsed_s : NAN, 2));
		fprintf(f, "  Percent of CPU this job got:               %s%s\n", num(a, 24, any ? p->cpu_pct : NAN, 0), any ? "%" : "");
		fprintf(f, "  Major (requiring I/O) page faults:         %s\n", num(a, 24, any ? (double)p->majflt : NAN, 0));
		fprintf(f, "  Minor (reclaiming a frame) page faults:    %s\n", num(a, 24, any ? (double)p->minflt : NAN, 0));
		fprintf(f, "  Bytes:                                     %s\n", num(a, 24, any ? (double)p->bytes : NAN, 0));
		if (isfinite(w->played_s))
			fprintf(f, "  Played:                             %s of %s, %llu drop-out%s\n",
			    text_clock(a, sizeof a, llround(w->played_s * 1e9)), text_clock(b, sizeof b, llround(w->elapsed_s * 1e9)),
			    (unsigned long long)w->xruns, w->xruns == 1 ? "" : "s");
		double mark = suite_sound_mark(w);
		fprintf(f, "  Sound mark (0 to 10):                      %s\n", num(a, 24, mark, 1));
		mark_row(f, w);
	}
}

void
suite_print(FILE *f, const struct suite_run *r)
{
	const struct host *h = &r->s->host;
	fprintf(f, "%s: %s\n", r->suite.name, r->suite.title);
	fprintf(f, "%s: Linux %s %s, %d CPU%s\n", *h->name ? h->name : "this machine", h->kernel, h->preempt, h->cpus, h->cpus == 1 ? "" : "s");
	if (r->rows && r->row[0].probe >= 0) {
		const struct session_probe *p = &r->s->probe[r->row[0].probe];
		char got[24];
		fprintf(f, "%s", p->label);
		if (p->facts.effective_known)
			fprintf(f, ", %s", policy_text(got, sizeof got, p->facts.effective));
		if (*p->facts.device && p->facts.rate)
			fprintf(f, ", %s, %u x %u frames at %u Hz", p->facts.device, p->facts.periods, p->facts.period_frames, p->facts.rate);
		putc('\n', f);
	}
	putc('\n', f);
	static void (*const tables[])(FILE *, const struct suite_run *) = {
	    [SUITE_LATENCYTEST] = print_latencytest, [SUITE_IRMAN] = print_irman, [SUITE_CONTEST] = print_contest, [SUITE_VM] = print_vm};
	tables[r->suite.table](f, r);
	if (r->cut)
		fprintf(f, "\nENDED EARLY: %d of %d steps\n", r->rows, r->suite.steps);
	for (int i = 0; i < r->s->warnings; i++)
		fprintf(f, "%s%s %s\n", i ? "" : "\n", r->s->warning[i].severity == WARN_SPOILT ? "!!" : r->s->warning[i].severity == WARN_DOUBT ? "!" : "-",
		    r->s->warning[i].text);
}

static void
put_dist(json_t *j, const char *prefix, const struct dist *d, const char *within_1, const char *within_2)
{
	static const struct {
		const char *name;
		double q;
	} q[] = {{"p50_ns", 0.5}, {"p90_ns", 0.9}, {"p99_ns", 0.99}, {"p999_ns", 0.999}};
	char key[48];
	bool any = d->s.samples > 0;
	snprintf(key, sizeof key, "%smin_ns", prefix);
	json_object_set_new(j, key, any ? json_integer(d->s.min_ns) : json_null());
	snprintf(key, sizeof key, "%savg_ns", prefix);
	json_object_set_new(j, key, summary_real(any ? sums_avg_ns(&d->s) : NAN, 10));
	snprintf(key, sizeof key, "%smax_ns", prefix);
	json_object_set_new(j, key, any ? json_integer(d->s.max_ns) : json_null());
	snprintf(key, sizeof key, "%sstddev_ns", prefix);
	json_object_set_new(j, key, summary_real(any ? sums_stddev_ns(&d->s) : NAN, 10));
	for (size_t i = 0; i < sizeof q / sizeof *q; i++) {
		snprintf(key, sizeof key, "%s%s", prefix, q[i].name);
		json_object_set_new(j, key, any ? json_integer(dist_percentile_ns(d, q[i].q)) : json_null());
	}
	snprintf(key, sizeof key, "%s%s", prefix, within_1);
	json_object_set_new(j, key, summary_real(any ? sums_within_pct(&d->s, 0) : NAN, 1000));
	snprintf(key, sizeof key, "%s%s", prefix, within_2);
	json_object_set_new(j, key, summary_real(any ? sums_within_pct(&d->s, 1) : NAN, 1000));
}

static json_t *
row_json(const struct suite_run *r, const struct suite_row *w)
{
	json_t *j = json_object();
	json_object_set_new(j, "name", json_string(w->name));
	json_object_set_new(j, "valid", json_boolean(!w->invalid));
	json_object_set_new(j, "complete", json_boolean(w->done));
	json_object_set_new(j, "reason", *w->why ? json_string(w->why) : json_null());
	json_object_set_new(j, "measured_s", summary_real(w->s, 1000));
	json_object_set_new(j, "samples", json_integer((json_int_t)w->late.s.samples));
	put_dist(j, "", &w->late, "within_1ms_pct", "within_2ms_pct");
	if (w->interval.s.samples)
		put_dist(j, "interval_", &w->interval, "within_1ms_pct", "within_2ms_pct");
	if (w->burn.s.samples)
		put_dist(j, "burn_", &w->burn, "within_100us_pct", "within_200us_pct");
	if (isfinite(w->played_s)) {
		json_object_set_new(j, "xruns", json_integer((json_int_t)w->xruns));
		json_object_set_new(j, "played_s", summary_real(w->played_s, 1000));
		json_object_set_new(j, "silent_s", summary_real(w->silent_s, 1000));
		json_object_set_new(j, "sound_mark", summary_real(suite_sound_mark(w), 10));
	}
	json_object_set_new(j, "work", w->load >= 0 ? summary_real(w->work, 1) : json_null());
	json_object_set_new(j, "unit", *w->unit ? json_string(w->unit) : json_null());
	json_object_set_new(j, "load_cpu_pct", summary_real(w->on_s > 0 ? 100 * w->load_cpu_s / w->on_s : NAN, 1000));
	if (r->suite.table == SUITE_CONTEST) {
		struct contest c = contest_of(r, w);
		json_object_set_new(j, "jobs", json_integer(w->jobs));
		json_object_set_new(j, "time_s", summary_real(c.time, 1000));
		json_object_set_new(j, "spread_s", summary_real(c.sd, 1000));
		json_object_set_new(j, "cpu_pct", summary_real(c.cpu_pct, 1000));
		json_object_set_new(j, "loads", summary_real(c.loads, 10));
		json_object_set_new(j, "ratio", summary_real(c.ratio, 1000));
	}
	if (r->suite.table == SUITE_VM) {
		const struct load_pass *p = &w->status.avg;
		bool any = w->status.passes && p->valid;
		json_object_set_new(j, "passes", json_integer((json_int_t)w->status.passes));
		json_object_set_new(j, "user_s", summary_real(any ? p->user_s : NAN, 1000));
		json_object_set_new(j, "system_s", summary_real(any ? p->system_s : NAN, 1000));
		json_object_set_new(j, "elapsed_s", summary_real(any ? p->elapsed_s : NAN, 1000));
		json_object_set_new(j, "cpu_pct", summary_real(any ? p->cpu_pct : NAN, 1000));
		json_object_set_new(j, "majflt", any ? json_integer((json_int_t)p->majflt) : json_null());
		json_object_set_new(j, "minflt", any ? json_integer((json_int_t)p->minflt) : json_null());
		json_object_set_new(j, "bytes", any ? json_integer((json_int_t)p->bytes) : json_null());
	}
	return j;
}

json_t *
suite_json(const struct suite_run *r)
{
	json_t *j = json_object(), *rows = json_array();
	json_object_set_new(j, "stutter", json_string(STUTTER_VERSION));
	json_object_set_new(j, "suite", json_string(r->suite.name));
	json_object_set_new(j, "complete", json_boolean(!r->cut));
	json_object_set_new(j, "steps", json_integer(r->suite.steps));
	for (int i = 0; i < r->rows; i++)
		json_array_append_new(rows, row_json(r, &r->row[i]));
	json_object_set_new(j, "rows", rows);
	json_t *summary = summary_json(r->s);
	json_object_set(j, "host", json_object_get(summary, "host"));
	json_object_set(j, "valid", json_object_get(summary, "valid"));
	json_decref(summary);
	return j;
}
