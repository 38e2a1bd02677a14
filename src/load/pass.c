// Passes: what one took, by the kernel's figures, and the average and spread of all, as `time -v` tells of a program.
// Must not know what a pass does.
#include "load/pass.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void
figures_of(const struct load_pass *p, double f[PASS_FIGURES])
{
	double all[PASS_FIGURES] = {p->user_s, p->system_s, p->elapsed_s, p->cpu_pct,
	    (double)p->majflt, (double)p->minflt, (double)p->bytes};
	memcpy(f, all, sizeof all);
}

static struct load_pass
pass_of(const double f[PASS_FIGURES])
{
	return (struct load_pass){.user_s = f[0], .system_s = f[1], .elapsed_s = f[2], .cpu_pct = f[3],
	    .majflt = (uint64_t)llround(f[4]), .minflt = (uint64_t)llround(f[5]),
	    .bytes = (uint64_t)llround(f[6]), .valid = true};
}

static void
record(struct load_slot *slot, const struct load_pass *p)
{
	struct pass_sums *s = &slot->passes;
	double f[PASS_FIGURES];
	figures_of(p, f);
	seq_write_begin(&slot->pass_seq);
	if (p->valid) {
		s->valid++;
		for (int i = 0; i < PASS_FIGURES; i++) {
			double d = f[i] - s->mean[i];
			s->mean[i] += d / (double)s->valid;
			s->m2[i] += d * (f[i] - s->mean[i]);
		}
	} else {
		s->invalid++;
	}
	s->last = *p;
	s->last_ns = clock_now_ns();
	seq_write_end(&slot->pass_seq);
}

bool
load_pass_begin(struct load_run *r)
{
	if (r->params->passes && atomic_fetch_add(&r->sh->pass_tickets, 1) >= r->params->passes)
		return false;
	getrusage(RUSAGE_SELF, &r->pass_self);
	getrusage(RUSAGE_CHILDREN, &r->pass_children);
	r->pass_ns = clock_now_ns();
	atomic_store(&r->slot->in_pass, true);
	return true;
}

void
load_pass_end(struct load_run *r, uint64_t bytes, bool valid)
{
	struct rusage now[2], *was[2] = {&r->pass_self, &r->pass_children};
	struct load_pass p = {.bytes = bytes, .valid = valid};
	getrusage(RUSAGE_SELF, &now[0]);
	getrusage(RUSAGE_CHILDREN, &now[1]);
	for (int i = 0; i < 2; i++) {
		p.user_s += seconds(now[i].ru_utime) - seconds(was[i]->ru_utime);
		p.system_s += seconds(now[i].ru_stime) - seconds(was[i]->ru_stime);
		p.majflt += (uint64_t)(now[i].ru_majflt - was[i]->ru_majflt);
		p.minflt += (uint64_t)(now[i].ru_minflt - was[i]->ru_minflt);
	}
	p.elapsed_s = (double)(clock_now_ns() - r->pass_ns) / 1e9;
	p.cpu_pct = p.elapsed_s > 0 ? 100 * (p.user_s + p.system_s) / p.elapsed_s : 0;
	record(r->slot, &p);
	atomic_store(&r->slot->in_pass, false);
}

void
pass_cut_short(struct load_slot *slot)
{
	if (!atomic_exchange(&slot->in_pass, false))
		return;
	// the worker is dead, perhaps in the middle of writing
	if (atomic_load(&slot->pass_seq) & 1)
		seq_write_end(&slot->pass_seq);
	record(slot, &(struct load_pass){.valid = false});
}

void
pass_collect(const struct load_shared *sh, struct load_status *st)
{
	struct pass_sums all = {0}, s;
	for (int i = 0; i < LOAD_LEVEL_MAX; i++) {
		const struct load_slot *slot = &sh->slot[i];
		if (!atomic_load_explicit(&slot->pass_seq, memory_order_relaxed))
			continue;
		seq_read(&slot->pass_seq, &s, &slot->passes, sizeof s);
		// two samples made one (Chan, Golub, LeVeque 1979)
		double n = (double)(all.valid + s.valid);
		for (int k = 0; k < PASS_FIGURES && s.valid; k++) {
			double d = s.mean[k] - all.mean[k];
			all.m2[k] += s.m2[k] + d * d * (double)all.valid * (double)s.valid / n;
			all.mean[k] += d * (double)s.valid / n;
		}
		all.valid += s.valid;
		all.invalid += s.invalid;
		if (s.last_ns > all.last_ns) {
			all.last_ns = s.last_ns;
			all.last = s.last;
		}
	}
	st->passes = all.valid;
	st->invalid_passes = all.invalid;
	st->last = all.last;
	st->avg = st->sd = (struct load_pass){0};
	if (!all.valid)
		return;
	st->avg = pass_of(all.mean);
	if (all.valid < 2)
		return;
	for (int k = 0; k < PASS_FIGURES; k++)
		all.m2[k] = sqrt(all.m2[k] / (double)(all.valid - 1));
	st->sd = pass_of(all.m2);
}
