// Runs one probe without a session and prints its figures as JSON: what the real tests and benches of probes look at.
//     probe_drive KIND SECONDS [key=value ...]      keys: interval policy cpu burn job dir warm fault
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/text.h"
#include "measure/dist.h"
#include "probe/probe.h"

struct drive {
	struct dist d[Q_COUNT];
	uint64_t gaps, samples;
	int64_t gap_ns, warm_until;
};

static void
drain(struct drive *v, struct probe *p)
{
	struct sample s;
	while (ring_pop(p->ring, &s)) {
		if (s.kind == SAMPLE_GAP) {
			v->gaps++;
			v->gap_ns += s.value[Q_LATE];
			continue;
		}
		if (s.t_ns < v->warm_until)
			continue;
		v->samples++;
		for (int q = 0; q < Q_COUNT; q++) {
			v->d[q].lim = probe_limits(p, (enum quantity)q);
			if (s.value[q] >= 0 && q == Q_LATE && p->kind->weighted)
				dist_add_late(&v->d[q], s.value[q], s.period_ns, s.missed);
			else if (s.value[q] >= 0)
				dist_add(&v->d[q], s.value[q], 1 + (uint64_t)s.missed);
		}
	}
}

static void
print_quantity(const char *prefix, const struct dist *d)
{
	if (!d->s.samples)
		return;
	printf(", \"%smin_ns\": %lld, \"%savg_ns\": %.1f, \"%smax_ns\": %lld, \"%sp50_ns\": %lld, "
	    "\"%sp99_ns\": %lld, \"%sp999_ns\": %lld, \"%swithin_pct\": [%.4f, %.4f], \"%smissed\": %llu",
	    prefix, (long long)d->s.min_ns, prefix, sums_avg_ns(&d->s), prefix, (long long)d->s.max_ns,
	    prefix, (long long)dist_percentile_ns(d, .5), prefix, (long long)dist_percentile_ns(d, .99),
	    prefix, (long long)dist_percentile_ns(d, .999), prefix, sums_within_pct(&d->s, 0),
	    sums_within_pct(&d->s, 1), prefix, (unsigned long long)d->s.missed);
}

static void
print_faults(int tid)
{
	char path[64], line[1024];
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
	FILE *f = fopen(path, "r");
	unsigned long minflt = 0, majflt = 0;
	char *p = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
	if (p)
		sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %lu %*u %lu", &minflt, &majflt);
	if (f)
		fclose(f);
	printf("\"minflt\": %lu, \"majflt\": %lu, ", minflt, majflt);
}

int
main(int argc, char **argv)
{
	const char *role, *arg;
	if (child_is(argc, argv, &role, &arg))
		return probe_child_main(role, arg);
	struct err e = {""};
	const struct probe_kind *kind = argc > 2 ? probe_find(argv[1]) : NULL;
	if (!kind) {
		fprintf(stderr, "usage: probe_drive KIND SECONDS [key=value ...]\n");
		return 2;
	}
	struct probe_config c = {.interval_ns = NS_PER_MS, .policy = {POLICY_FIFO, 80}, .cpu = -1, .dir = "/var/tmp"};
	int64_t warm = NS_PER_S / 2, pause_ns = 20 * NS_PER_MS;
	bool watch = false;
	for (int i = 3; i < argc; i++) {
		char *v = strchr(argv[i], '=') ? strchr(argv[i], '=') + 1 : argv[i];
		int bad = 0;
		if (!strncmp(argv[i], "interval=", 9))
			bad = text_parse_ns(v, &c.interval_ns, &e);
		else if (!strncmp(argv[i], "policy=", 7))
			bad = policy_parse(v, &c.policy, &e);
		else if (!strncmp(argv[i], "cpu=", 4))
			c.cpu = atoi(v);
		else if (!strncmp(argv[i], "burn=", 5))
			c.burn_pct = atoi(v);
		else if (!strncmp(argv[i], "job=", 4))
			c.job = v;
		else if (!strncmp(argv[i], "dir=", 4))
			c.dir = v;
		else if (!strncmp(argv[i], "warm=", 5))
			bad = text_parse_ns(v, &warm, &e);
		else if (!strncmp(argv[i], "pause=", 6))
			bad = text_parse_ns(v, &pause_ns, &e);
		else if (!strcmp(argv[i], "watch"))
			watch = true;
		if (bad) {
			fprintf(stderr, "%s\n", e.text);
			return 2;
		}
	}
	struct probe *p = probe_new(kind, &c, &e);
	if (!p || kind->start(p, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	static struct drive v;
	int64_t start = clock_now_ns(), end = start + (int64_t)(atof(argv[2]) * 1e9);
	v.warm_until = start + warm;
	for (int q = 0; q < Q_COUNT; q++)
		dist_reset(&v.d[q], probe_limits(p, (enum quantity)q));
	struct probe_facts f;
	enum probe_state last = PROBE_OFF;
	while (clock_now_ns() < end) {
		clock_sleep_until(clock_now_ns() + pause_ns);
		drain(&v, p);
		if (kind->tend)
			kind->tend(p);
		probe_read(p, &f);
		if (watch && f.state != last) {
			printf("{\"t\": %.3f, \"state\": %d, \"tid\": %d, \"reason\": \"%s\"}\n",
			    (double)(clock_now_ns() - start) / 1e9, f.state, atomic_load(&p->live->tid), f.reason);
			fflush(stdout);
			last = f.state;
		}
	}
	char asked[24], got[24];
	struct rusage ru;
	getrusage(RUSAGE_SELF, &ru);
	printf("{\"probe\": \"%s\", \"state\": %d, \"reason\": \"%s\", \"doubts\": %u, \"asked\": \"%s\", \"effective\": \"%s\", ",
	    kind->name, f.state, f.reason, f.doubts, policy_text(asked, sizeof asked, f.asked),
	    f.effective_known ? policy_text(got, sizeof got, f.effective) : "unknown");
	print_faults(atomic_load(&p->live->tid));
	printf("\"tid\": %d, \"interval_ns\": %lld, \"burn_ns\": %lld, \"busy_ns\": %lld, \"dropped\": %llu, \"gaps\": %llu, "
	    "\"gap_ns\": %lld, \"maxrss_kb\": %ld, \"samples\": %llu",
	    atomic_load(&p->live->tid), (long long)f.interval_ns, (long long)f.burn_ns,
	    (long long)atomic_load(&p->live->busy_ns), (unsigned long long)f.dropped, (unsigned long long)v.gaps,
	    (long long)v.gap_ns, ru.ru_maxrss, (unsigned long long)v.samples);
	print_quantity("", &v.d[Q_LATE]);
	print_quantity("burn_", &v.d[Q_BURN]);
	print_quantity("cpu_", &v.d[Q_CPU]);
	int64_t before_stop = clock_now_ns();
	probe_free(p);
	printf(", \"stop_ns\": %lld}\n", (long long)(clock_now_ns() - before_stop));
	return 0;
}
