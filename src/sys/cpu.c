// CPU time by libproc2's reading of /proc/stat.
// Must not know probes, loads or sessions.
#include "sys/cpu.h"

#include <errno.h>
#include <libproc2/stat.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ID, USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STOLEN, ITEMS };

static const enum stat_item items[ITEMS] = {
    [ID] = STAT_TIC_ID, [USER] = STAT_TIC_USER, [NICE] = STAT_TIC_NICE, [SYSTEM] = STAT_TIC_SYSTEM,
    [IDLE] = STAT_TIC_IDLE, [IOWAIT] = STAT_TIC_IOWAIT, [IRQ] = STAT_TIC_IRQ, [SOFTIRQ] = STAT_TIC_SOFTIRQ,
    [STOLEN] = STAT_TIC_STOLEN,
};

struct seen {
	bool valid;
	struct cpu_ticks t;
};

struct cpu_sampler {
	struct stat_info *info;
	struct seen total;
	int count; // of each
	struct seen *each;
};

struct cpu_sampler *
cpu_sampler_new(struct err *e)
{
	struct cpu_sampler *s = calloc(1, sizeof *s);
	int r = s ? procps_stat_new(&s->info) : -ENOMEM;
	if (r == 0)
		return s;
	free(s);
	errno = -r;
	err_set(e, "cannot read /proc/stat:");
	return NULL;
}

void
cpu_sampler_free(struct cpu_sampler *s)
{
	if (!s)
		return;
	procps_stat_unref(&s->info);
	free(s->each);
	free(s);
}

static double
step(uint64_t from, uint64_t to)
{
	return to > from ? (double)(to - from) : 0;
}

void
cpu_pct_between(const struct cpu_ticks *from, const struct cpu_ticks *to, struct cpu_pct *out)
{
	struct cpu_pct d = {
	    .user = step(from->user, to->user), .system = step(from->system, to->system),
	    .iowait = step(from->iowait, to->iowait), .irq = step(from->irq, to->irq),
	    .steal = step(from->steal, to->steal), .idle = step(from->idle, to->idle),
	};
	double all = d.user + d.system + d.iowait + d.irq + d.steal + d.idle;
	double f = all > 0 ? 100 / all : NAN;
	*out = (struct cpu_pct){.user = d.user * f, .system = d.system * f, .iowait = d.iowait * f,
	    .irq = d.irq * f, .steal = d.steal * f, .idle = d.idle * f};
}

// Fields by their index, not by the library's macros: those differ between its versions.
static struct cpu_ticks
ticks_of(const struct stat_stack *s)
{
	const struct stat_result *r = s->head;
	return (struct cpu_ticks){
	    .user = r[USER].result.ull_int + r[NICE].result.ull_int,
	    .system = r[SYSTEM].result.ull_int,
	    .iowait = r[IOWAIT].result.ull_int,
	    .irq = r[IRQ].result.ull_int + r[SOFTIRQ].result.ull_int,
	    .steal = r[STOLEN].result.ull_int,
	    .idle = r[IDLE].result.ull_int,
	};
}

static const struct cpu_pct unknown = {NAN, NAN, NAN, NAN, NAN, NAN};

static void
look(struct seen *before, const struct cpu_ticks *now, struct cpu_pct *out)
{
	if (before->valid)
		cpu_pct_between(&before->t, now, out);
	else
		*out = unknown;
	*before = (struct seen){.valid = true, .t = *now};
}

static int
make_room(struct cpu_sampler *s, int count)
{
	if (count <= 0 || count <= s->count)
		return 0;
	struct seen *more = realloc(s->each, (size_t)count * sizeof *more);
	if (!more)
		return -1;
	memset(more + s->count, 0, (size_t)(count - s->count) * sizeof *more);
	s->each = more;
	s->count = count;
	return 0;
}

static void
look_at_each(struct cpu_sampler *s, const struct stat_reap *cpus, struct cpu_pct *each, int max, int *count)
{
	int highest = -1;
	for (int i = 0; i < cpus->total; i++) {
		int id = cpus->stacks[i]->head[ID].result.s_int;
		if (id > highest && id < max)
			highest = id;
	}
	*count = 0;
	if (make_room(s, highest + 1) == -1)
		return;
	*count = highest + 1;
	for (int i = 0; i < *count; i++)
		each[i] = unknown;
	for (int i = 0; i < cpus->total; i++) {
		int id = cpus->stacks[i]->head[ID].result.s_int;
		struct cpu_ticks t = ticks_of(cpus->stacks[i]);
		if (id >= 0 && id < *count)
			look(&s->each[id], &t, &each[id]);
	}
	// one that was taken offline begins anew when it comes back
	for (int i = 0; i < s->count; i++) {
		bool here = false;
		for (int k = 0; k < cpus->total && !here; k++)
			here = cpus->stacks[k]->head[ID].result.s_int == i;
		s->each[i].valid &= here;
	}
}

int
cpu_sample(struct cpu_sampler *s, struct cpu_pct *total, struct cpu_pct *each, int max, int *count)
{
	struct stat_reaped *r = procps_stat_reap(s->info, STAT_REAP_CPUS_ONLY, (enum stat_item *)items, ITEMS);
	if (!r)
		return -1;
	struct cpu_ticks t = ticks_of(r->summary);
	look(&s->total, &t, total);
	if (each && count)
		look_at_each(s, r->cpus, each, max, count);
	return 0;
}

double
cpu_busy(const struct cpu_pct *c)
{
	return c->user + c->system + c->irq + c->steal;
}
