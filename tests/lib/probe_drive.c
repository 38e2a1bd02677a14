// Runs one probe without a session and prints its figures as one line of JSON: what the real tests
// and benches of probes look at. usage: probe_drive KIND SECONDS [KEY=VALUE ...] [watch]
//   interval, policy, cpu, burn, job, dir: the probe's configuration;  warm: left out of the
//   figures; look: how often its ring is emptied;  hold=FROM-TO: held between, in seconds;  watch:
//   a line a change of state
// Must not know what any probe does.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/text.h"
#include "measure/dist.h"
#include "probe/probe.h"

// What the measuring thread has cost the system since it was started.
struct cost {
	unsigned long long minflt, majflt, reads, writes, switches, allocations;
};

struct drive {
	struct probe *p;
	struct probe_config config;
	struct dist d[Q_COUNT];
	struct probe_facts facts;
	struct cost warm;
	uint64_t gaps, samples;
	int64_t gap_ns, start_ns, warm_ns, look_ns;
	double hold_from, hold_to;
	enum probe_state last;
	bool watch, warmed, held;
};

static _Atomic int measuring_tid;
static _Atomic unsigned long long allocations;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static void
count_allocation(void)
{
	int tid = atomic_load_explicit(&measuring_tid, memory_order_relaxed);
	if (tid && tid == (int)syscall(SYS_gettid))
		atomic_fetch_add(&allocations, 1);
}

void *
malloc(size_t n)
{
	count_allocation();
	return __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	count_allocation();
	return __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	count_allocation();
	return __libc_realloc(p, n);
}
#endif

static void
take(struct drive *v, const struct sample *s)
{
	if (s->kind == SAMPLE_GAP) {
		v->gaps++;
		v->gap_ns += s->value[Q_LATE];
		return;
	}
	if (s->t_ns < v->start_ns + v->warm_ns)
		return;
	v->samples++;
	for (int q = 0; q < Q_COUNT; q++) {
		v->d[q].lim = probe_limits(v->p, (enum quantity)q);
		if (s->value[q] >= 0 && q == Q_LATE && v->p->kind->weighted)
			dist_add_late(&v->d[q], s->value[q], s->period_ns, s->missed);
		else if (s->value[q] >= 0)
			dist_add(&v->d[q], s->value[q], 1 + (uint64_t)s->missed);
	}
}

// A figure of a file of the thread in /proc: the number behind KEY; 0 where there is none.
static unsigned long long
figure(const char *file, const char *key)
{
	char path[64], line[1024];
	unsigned long long v = 0;
	snprintf(path, sizeof path, "/proc/self/task/%d/%s", atomic_load(&measuring_tid), file);
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, key, strlen(key)))
			v = strtoull(line + strlen(key), NULL, 10);
	if (f)
		fclose(f);
	return v;
}

static struct cost
cost_now(struct drive *v)
{
	char path[64], line[1024];
	atomic_store(&measuring_tid, atomic_load(&v->p->live->tid));
	struct cost c = {.reads = figure("io", "syscr: "),
	    .writes = figure("io", "syscw: "),
	    .switches = figure("status", "voluntary_ctxt_switches:"),
	    .allocations = atomic_load(&allocations)};
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", atomic_load(&measuring_tid));
	FILE *f = fopen(path, "r");
	char *s = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
	if (s)
		sscanf(s + 2, "%*c %*d %*d %*d %*d %*d %*u %llu %*u %llu", &c.minflt, &c.majflt);
	if (f)
		fclose(f);
	return c;
}

static void
look(struct drive *v)
{
	struct sample s;
	double t = (double)(clock_now_ns() - v->start_ns) / 1e9;
	if (v->hold_to > 0 && (t >= v->hold_from && t < v->hold_to) != v->held)
		probe_hold(v->p, v->held = !v->held);
	while (ring_pop(v->p->ring, &s))
		take(v, &s);
	if (v->p->kind->tend)
		v->p->kind->tend(v->p);
	if (!v->warmed && t >= (double)v->warm_ns / 1e9) {
		v->warmed = true;
		v->warm = cost_now(v);
	}
	probe_read(v->p, &v->facts);
	if (v->watch && v->facts.state != v->last)
		printf("{\"t\": %.3f, \"state\": %d, \"tid\": %d, \"reason\": \"%s\"}\n", t,
		    v->facts.state, atomic_load(&v->p->live->tid), v->facts.reason);
	fflush(stdout);
	v->last = v->facts.state;
}

static void
say_quantity(const char *prefix, const struct dist *d)
{
	if (!d->s.samples)
		return;
	const struct {
		const char *name;
		double value;
	} figures[] = {
	    {"min_ns", (double)d->s.min_ns},
	    {"avg_ns", sums_avg_ns(&d->s)},
	    {"max_ns", (double)d->s.max_ns},
	    {"p50_ns", (double)dist_percentile_ns(d, .5)},
	    {"p99_ns", (double)dist_percentile_ns(d, .99)},
	    {"p999_ns", (double)dist_percentile_ns(d, .999)},
	    {"within_0_pct", sums_within_pct(&d->s, 0)},
	    {"within_1_pct", sums_within_pct(&d->s, 1)},
	    {"n", (double)d->s.samples},
	    {"missed", (double)d->s.missed},
	};
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		printf(", \"%s%s\": %.4f", prefix, figures[i].name, figures[i].value);
}

static void
say(struct drive *v)
{
	char asked[24], got[24] = "unknown";
	struct rusage ru;
	getrusage(RUSAGE_SELF, &ru);
	struct cost c = cost_now(v);
	const struct probe_facts *f = &v->facts;
	if (f->effective_known)
		policy_text(got, sizeof got, f->effective);
	printf("{\"state\": %d, \"reason\": \"%s\", \"doubts\": %u, \"asked\": \"%s\", "
	       "\"effective\": \"%s\"",
	    f->state, f->reason, f->doubts, policy_text(asked, sizeof asked, f->asked), got);
	printf(", \"minflt\": %llu, \"majflt\": %llu, \"reads\": %llu, \"writes\": %llu, "
	       "\"switches\": %llu, "
	       "\"allocations\": %llu",
	    c.minflt - v->warm.minflt, c.majflt - v->warm.majflt, c.reads - v->warm.reads,
	    c.writes - v->warm.writes, c.switches - v->warm.switches,
	    c.allocations - v->warm.allocations);
	printf(", \"tid\": %d, \"interval_ns\": %lld, \"burn_ns\": %lld, \"busy_ns\": %lld, "
	       "\"dropped\": %llu, "
	       "\"gaps\": %llu, \"gap_ns\": %lld, \"maxrss_kb\": %ld, \"samples\": %llu",
	    atomic_load(&v->p->live->tid), (long long)f->interval_ns, (long long)f->burn_ns,
	    (long long)atomic_load(&v->p->live->busy_ns), (unsigned long long)f->dropped,
	    (unsigned long long)v->gaps, (long long)v->gap_ns, ru.ru_maxrss,
	    (unsigned long long)v->samples);
	say_quantity("", &v->d[Q_LATE]);
	say_quantity("burn_", &v->d[Q_BURN]);
	say_quantity("cpu_", &v->d[Q_CPU]);
}

static int
set_option(struct drive *v, char *option, struct err *e)
{
	char *value = strchr(option, '=');
	if (value)
		*value++ = '\0';
	if (!value)
		return (v->watch = !strcmp(option, "watch")) ? 0
							     : err_set(e, "unknown: %s", option);
	if (!strcmp(option, "interval"))
		return text_parse_ns(value, &v->config.interval_ns, e);
	if (!strcmp(option, "policy"))
		return policy_parse(value, &v->config.policy, e);
	if (!strcmp(option, "warm"))
		return text_parse_ns(value, &v->warm_ns, e);
	if (!strcmp(option, "look"))
		return text_parse_ns(value, &v->look_ns, e);
	if (!strcmp(option, "hold"))
		return sscanf(value, "%lf-%lf", &v->hold_from, &v->hold_to) == 2
			   ? 0
			   : err_set(e, "hold=FROM-TO");
	if (!strcmp(option, "cpu"))
		v->config.cpu = atoi(value);
	else if (!strcmp(option, "burn"))
		v->config.burn_pct = atoi(value);
	else if (!strcmp(option, "job"))
		v->config.job = value;
	else if (!strcmp(option, "dir"))
		v->config.dir = value;
	else
		return err_set(e, "unknown: %s", option);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *role, *arg;
	if (child_is(argc, argv, &role, &arg))
		return probe_child_main(role, arg);
	static struct drive v = {.config = {.interval_ns = NS_PER_MS,
				     .policy = {POLICY_FIFO, 80},
				     .cpu = -1,
				     .dir = "/var/tmp"},
	    .warm_ns = NS_PER_S / 2,
	    .look_ns = 20 * NS_PER_MS};
	struct err e = {"usage: probe_drive KIND SECONDS [KEY=VALUE ...] [watch]"};
	const struct probe_kind *kind = argc > 2 ? probe_find(argv[1]) : NULL;
	int bad = kind ? 0 : -1;
	for (int i = 3; !bad && i < argc; i++)
		bad = set_option(&v, argv[i], &e);
	v.p = bad ? NULL : probe_new(kind, &v.config, &e);
	v.start_ns = clock_now_ns();
	if (!v.p || kind->start(v.p, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	for (int q = 0; q < Q_COUNT; q++)
		dist_reset(&v.d[q], probe_limits(v.p, (enum quantity)q));
	int64_t end = v.start_ns + (int64_t)(atof(argv[2]) * 1e9);
	while (clock_now_ns() < end) {
		clock_sleep_until(clock_now_ns() + v.look_ns);
		look(&v);
	}
	say(&v);
	int64_t before = clock_now_ns();
	probe_free(v.p);
	printf(", \"stop_ns\": %lld}\n", (long long)(clock_now_ns() - before));
	return 0;
}
