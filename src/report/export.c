// `stutter export`: a recording for other people's tools.
// Must not know how recordings are read.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "command.h"
#include "report/headless.h"
#include "session/options.h"
#include "session/record_text.h"
#include "session/replay.h"
#include "session/summary.h"

// A field of a CSV line: quoted where it must be.
static void
csv_text(FILE *f, const char *s)
{
	if (!s[strcspn(s, ",\"\n\r")]) {
		fputs(s, f);
		return;
	}
	putc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', f);
		putc(*s, f);
	}
	putc('"', f);
}

static void
csv_cpu(FILE *f, const struct tick *t)
{
	const double v[5] = {t->cpu.user, t->cpu.system, t->cpu.iowait, t->cpu.irq, t->cpu.steal};
	for (int k = 0; k < 5; k++) {
		putc(',', f);
		if (t->cpu_known && isfinite(v[k]))
			fprintf(f, "%.2f", v[k]);
	}
}

// One line a probe and quantity that has data in this tick.
static void
csv_tick(void *data, struct session *s, const struct tick *t)
{
	FILE *f = data;
	char loads[160];
	session_load_set_name(s, t->load_set, loads, sizeof loads);
	for (int i = 0; i < t->probes && i < s->probes; i++)
		for (int q = 0; q < Q_COUNT; q++) {
			const struct slice *sl = t->probe[i].slice[q];
			if (!sl || !sl->s.samples)
				continue;
			fprintf(f, "%.1f,", (double)t->t_ns / 1e9);
			csv_text(f, s->probe[i].label);
			fprintf(f, ",%s,%llu,%llu,%lld,%.1f,%lld,", quantity_names[q], (unsigned long long)sl->s.samples,
			    (unsigned long long)sl->s.missed, (long long)sl->s.min_ns, sums_avg_ns(&sl->s), (long long)sl->s.max_ns);
			csv_text(f, loads);
			fprintf(f, ",%d", t->warmup);
			csv_cpu(f, t);
			putc('\n', f);
		}
}

// The histogram as cyclictest -h prints it: microseconds, then a column of counts a probe.
static int
print_hist(FILE *f, const struct session *s)
{
	int64_t top = 0;
	for (int i = 0; i < s->probes; i++) {
		const struct dist *d = s->probe[i].total[Q_LATE];
		if (d && d->s.samples && d->s.max_ns / 1000 > top)
			top = d->s.max_ns / 1000;
	}
	fputs("# Histogram\n#", f);
	for (int i = 0; i < s->probes; i++)
		fprintf(f, " %s", s->probe[i].label);
	putc('\n', f);
	// A bucket counts at the microsecond of its middle, never beyond the exact extremes.
	unsigned at[PROBES_MAX] = {0};
	for (int64_t us = 0; us <= top;) {
		uint64_t n[PROBES_MAX] = {0}, any = 0;
		int64_t next = INT64_MAX;
		for (int i = 0; i < s->probes; i++) {
			const struct dist *d = s->probe[i].total[Q_LATE];
			for (; d && d->s.samples && at[i] < HIST_BUCKETS; at[i]++) {
				int64_t mid = hist_mid(at[i]);
				mid = mid < d->s.min_ns ? d->s.min_ns : mid > d->s.max_ns ? d->s.max_ns : mid;
				if (d->h.count[at[i]] && mid / 1000 > us) {
					next = mid / 1000 < next ? mid / 1000 : next;
					break;
				}
				n[i] += d->h.count[at[i]];
				any |= d->h.count[at[i]];
			}
		}
		if (any || us < 1000) {
			fprintf(f, "%06lld", (long long)us);
			for (int i = 0; i < s->probes; i++)
				fprintf(f, " %06llu", (unsigned long long)n[i]);
			putc('\n', f);
		}
		us = us < 999 || next == INT64_MAX ? us + 1 : next;
		if (next == INT64_MAX && us > top)
			break;
	}
	static const char *const names[] = {"Total:", "Min Latencies:", "Avg Latencies:", "Max Latencies:"};
	for (int k = 0; k < 4; k++) {
		fprintf(f, "# %s", names[k]);
		for (int i = 0; i < s->probes; i++) {
			const struct dist *d = s->probe[i].total[Q_LATE];
			bool has = d && d->s.samples;
			long long v = !has ? 0 : k == 0 ? (long long)d->h.total : k == 1 ? d->s.min_ns / 1000 :
			    k == 2 ? (long long)(sums_avg_ns(&d->s) / 1000) : d->s.max_ns / 1000;
			if (has || k == 0)
				fprintf(f, k ? " %05lld" : " %09lld", v);
			else
				fputs(" -", f);
		}
		putc('\n', f);
	}
	return 0;
}

static void
label(FILE *f, const char *name, const char *value)
{
	fprintf(f, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			putc('\\', f);
		if (*value != '\n')
			putc(*value, f);
	}
	putc('"', f);
}

static void
family(FILE *f, const char *name, const char *type, const char *unit, const char *help)
{
	fprintf(f, "# TYPE %s %s\n", name, type);
	if (*unit)
		fprintf(f, "# UNIT %s %s\n", name, unit);
	fprintf(f, "# HELP %s %s\n", name, help);
}

static void
metric(FILE *f, const char *name, const char *key, const char *value, const char *key2, const char *value2, double v)
{
	if (!isfinite(v))
		return;
	fprintf(f, "%s{", name);
	label(f, key, value);
	if (key2) {
		putc(',', f);
		label(f, key2, value2);
	}
	fprintf(f, "} %.12g\n", v);
}

static void
latency_metrics(FILE *f, const struct session *s)
{
	static const struct {
		const char *text;
		double q;
	} quantiles[] = {{"0.5", 0.5}, {"0.9", 0.9}, {"0.99", 0.99}, {"0.999", 0.999}, {"0.9999", 0.9999}};
	family(f, "stutter_latency_seconds", "summary", "seconds", "Lateness against the schedule; echo: round trip; job: wall time.");
	for (int i = 0; i < s->probes; i++) {
		const struct session_probe *p = &s->probe[i];
		const struct dist *d = p->total[Q_LATE];
		if (!d || !d->s.samples)
			continue;
		for (size_t k = 0; k < sizeof quantiles / sizeof *quantiles; k++)
			metric(f, "stutter_latency_seconds", "probe", p->label, "quantile", quantiles[k].text,
			    (double)dist_percentile_ns(d, quantiles[k].q) / 1e9);
		metric(f, "stutter_latency_seconds_sum", "probe", p->label, NULL, NULL, d->s.sum_ns / 1e9);
		metric(f, "stutter_latency_seconds_count", "probe", p->label, NULL, NULL, (double)sums_n(&d->s));
	}
	family(f, "stutter_latency_max_seconds", "gauge", "seconds", "The worst since the figures began.");
	for (int i = 0; i < s->probes; i++) {
		const struct dist *d = s->probe[i].total[Q_LATE];
		if (d && d->s.samples)
			metric(f, "stutter_latency_max_seconds", "probe", s->probe[i].label, NULL, NULL, (double)d->s.max_ns / 1e9);
	}
	family(f, "stutter_within_ratio", "gauge", "ratio", "Share of the time within a limit.");
	for (int i = 0; i < s->probes; i++) {
		const struct dist *d = s->probe[i].total[Q_LATE];
		for (int k = 0; k < 2 && d && d->s.samples; k++)
			metric(f, "stutter_within_ratio", "probe", s->probe[i].label, "limit", k ? "2ms" : "1ms", sums_within_pct(&d->s, k) / 100);
	}
}

static int
print_openmetrics(FILE *f, const struct session *s)
{
	family(f, "stutter", "info", "", "What was measured.");
	fputs("stutter_info{", f);
	label(f, "version", STUTTER_VERSION);
	putc(',', f);
	label(f, "kernel", s->host.kernel);
	putc(',', f);
	label(f, "preempt", s->host.preempt);
	fputs("} 1\n", f);
	family(f, "stutter_measured_seconds", "gauge", "seconds", "Time that the figures stand for.");
	fprintf(f, "stutter_measured_seconds %.12g\n", s->measured_s);
	family(f, "stutter_valid", "gauge", "", "1: nothing spoils the figures.");
	fprintf(f, "stutter_valid %d\n", session_valid(s));
	latency_metrics(f, s);
	family(f, "stutter_xruns", "counter", "", "Drop-outs of the audio stream.");
	for (int i = 0; i < s->probes; i++)
		if (!strcmp(s->probe[i].kind->name, "audio"))
			metric(f, "stutter_xruns_total", "probe", s->probe[i].label, NULL, NULL, (double)s->probe[i].xruns);
	family(f, "stutter_load_work", "counter", "", "Work that each load did, in its own unit.");
	for (int i = 0; i < s->loads; i++)
		if (s->load[i].on_s > 0)
			metric(f, "stutter_load_work_total", "load", s->load[i].name, "unit", s->load[i].unit, (double)s->load[i].work);
	static const char *const modes[] = {"user", "system", "iowait", "irq", "steal", "idle"};
	const double cpu[] = {s->cpu_sum.user, s->cpu_sum.system, s->cpu_sum.iowait, s->cpu_sum.irq, s->cpu_sum.steal, s->cpu_sum.idle};
	family(f, "stutter_cpu_ratio", "gauge", "ratio", "Where the CPU time went.");
	for (int k = 0; k < 6 && s->cpu_s > 0; k++)
		metric(f, "stutter_cpu_ratio", "mode", modes[k], NULL, NULL, cpu[k] / s->cpu_s / 100);
	fputs("# EOF\n", f);
	return 0;
}

static int
print_json(FILE *f, const struct session *s)
{
	json_t *j = summary_json(s);
	char *text = j ? json_dumps(j, SUMMARY_DUMP) : NULL;
	json_decref(j);
	if (!text)
		return -1;
	fprintf(f, "%s\n", text);
	free(text);
	return 0;
}

static int
print(FILE *f, const struct config *c, struct err *e)
{
	bool csv = !c->json && !strcmp(c->format, "csv");
	if (csv)
		fputs("t_s,probe,quantity,samples,missed,min_ns,avg_ns,max_ns,loads,warmup,user_pct,system_pct,iowait_pct,irq_pct,steal_pct\n", f);
	struct session_hook hook = {.data = f, .tick = csv_tick};
	struct session *s = replay_load(c->arg[0], csv ? &hook : NULL, e);
	if (!s)
		return -1;
	int r = 0;
	if (c->json)
		r = print_json(f, s);
	else if (!strcmp(c->format, "hist"))
		r = print_hist(f, s);
	else if (!strcmp(c->format, "openmetrics"))
		r = print_openmetrics(f, s);
	session_free(s);
	return r ? err_set(e, "no memory for the result") : 0;
}

// Written beside it and then renamed, so that nobody who reads it ever sees half a file.
static int
to_file(const struct config *c, struct err *e)
{
	char tmp[sizeof c->output + 16];
	snprintf(tmp, sizeof tmp, "%s.XXXXXX", c->output);
	int fd = mkstemp(tmp);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return err_set(e, "cannot write '%.120s':", c->output);
	fchmod(fd, 0644);
	int r = print(f, c, e);
	if (!r && (fflush(f) || ferror(f)))
		r = err_set(e, "cannot write '%.120s':", c->output);
	fclose(f);
	if (!r && rename(tmp, c->output))
		r = err_set(e, "cannot write '%.120s':", c->output);
	if (r)
		unlink(tmp);
	return r;
}

int
command_export(int argc, char **argv)
{
	static struct config c;
	struct err e;
	int r = options_read(&c, MODE_EXPORT, argc, argv, &e);
	if (r)
		return r > 0 ? 0 : headless_fail(2, e.text);
	if (c.arg_count != 1)
		return headless_fail(2, "export wants one recording: stutter export FILE --format csv|hist|openmetrics");
	signal(SIGPIPE, SIG_IGN);
	if (*c.output && strcmp(c.output, "-"))
		return to_file(&c, &e) ? headless_fail(1, e.text) : 0;
	if (print(stdout, &c, &e))
		return headless_fail(1, e.text);
	return headless_flush();
}
