// Runs a suite step by step over a live session.
// Must not know how it is shown.
#include "session/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define OFF_PATIENCE_NS (10 * NS_PER_S) // for the loads of the step before to be gone
#define ON_PATIENCE_NS (15 * NS_PER_S)  // for a load's first work: files are made first
#define BAD_SHARE 0.1                   // of a step without its load: it does not count

static int
load_number(const struct session *s, const char *name)
{
	for (int i = 0; i < s->loads; i++)
		if (!strcmp(s->load[i].name, name))
			return i;
	return -1;
}

static uint64_t
step_set(const struct suite_run *r, const struct suite_step *st)
{
	uint64_t set = 0;
	for (int i = 0; i < st->loads; i++)
		set |= 1ull << load_number(r->s, st->load[i]);
	return set;
}

// Audio for the suites of music, the job for contest, else what the session has.
static int
suite_probe(const struct suite_run *r)
{
	static const char *const wanted[] = {
	    [SUITE_LATENCYTEST] = "audio", [SUITE_IRMAN] = "echo", [SUITE_CONTEST] = "job", [SUITE_VM] = "audio"};
	for (int i = 0; i < r->s->probes; i++)
		if (!strcmp(r->s->probe[i].kind->name, wanted[r->suite.table]))
			return i;
	return session_main_probe(r->s);
}

static void
spoil(struct suite_row *w, const char *why)
{
	if (!w->invalid)
		snprintf(w->why, sizeof w->why, "%.119s", why);
	w->invalid = true;
}

static void
take_jobs(struct suite_run *r, struct suite_row *w, const struct slice *wall, const struct slice *cpu)
{
	if (!wall || !wall->s.samples)
		return;
	double each = wall->s.sum_ns / (double)wall->s.samples / 1e9;
	double each_cpu = cpu && cpu->s.samples ? cpu->s.sum_ns / (double)cpu->s.samples / 1e9 : NAN;
	for (uint64_t k = 0; k < wall->s.samples; k++) {
		if (r->skip_jobs > 0) {
			r->skip_jobs--;
			continue;
		}
		if (w->jobs == SUITE_JOBS)
			return;
		w->job_s[w->jobs] = each;
		w->job_cpu_s[w->jobs++] = each_cpu;
	}
}

static void
add(struct dist *d, const struct session_probe *p, const struct slice *sl, int q)
{
	if (!sl)
		return;
	if (p->total[q])
		d->lim = p->total[q]->lim;
	dist_add_slice(d, sl);
}

static void
on_tick(void *data, struct session *s, const struct tick *t)
{
	struct suite_run *r = data;
	if (r->over || r->settling || r->step < 0)
		return;
	struct suite_row *w = &r->row[r->step];
	const struct suite_step *st = &r->suite.step[r->step];
	uint64_t want = step_set(r, st);
	double len_s = (double)t->len_ns / 1e9;
	if (w->probe >= 0 && w->probe < t->probes)
		take_jobs(r, w, s->probe[w->probe].kind->weighted ? NULL : t->probe[w->probe].slice[Q_LATE], t->probe[w->probe].slice[Q_CPU]);
	w->elapsed_s += len_s;
	if (t->warmup)
		return;
	r->ticks++;
	r->bad_ticks += (t->load_set & want) != want;
	w->s += len_s;
	if (w->probe >= 0 && w->probe < t->probes) {
		const struct session_probe *p = &s->probe[w->probe];
		add(&w->late, p, t->probe[w->probe].slice[Q_LATE], Q_LATE);
		add(&w->burn, p, t->probe[w->probe].slice[Q_BURN], Q_BURN);
		add(&w->interval, p, t->probe[w->probe].slice[Q_INTERVAL], Q_INTERVAL);
	}
	if (t->cpu_known) {
		w->cpu_sum.user += t->cpu.user;
		w->cpu_sum.system += t->cpu.system;
		w->cpu_sum.iowait += t->cpu.iowait;
		w->cpu_sum.irq += t->cpu.irq;
		w->cpu_sum.steal += t->cpu.steal;
		w->cpu_sum.idle += t->cpu.idle;
		w->cpu_s += 1;
	}
	if (w->load >= 0 && w->load < t->loads && t->load_set & 1ull << w->load) {
		w->work += (double)t->load[w->load].work;
		w->load_cpu_s += (double)t->load[w->load].cpu_ns / 1e9;
		w->on_s += len_s;
	}
}

struct suite_run *
suite_start(const struct suite *su, struct session *s, struct err *e)
{
	for (int i = 0; i < su->steps; i++)
		for (int k = 0; k < su->step[i].loads; k++)
			if (load_number(s, su->step[i].load[k]) < 0) {
				err_set(e, "suite %s: no load named '%s'", su->name, su->step[i].load[k]);
				return NULL;
			}
	struct suite_run *r = calloc(1, sizeof *r);
	if (!r || !(r->row = calloc((size_t)su->steps + 1, sizeof *r->row)) ||
	    session_hook_add(s, (struct session_hook){.data = r, .tick = on_tick})) {
		if (r)
			free(r->row);
		free(r);
		err_set(e, "no room for a suite");
		return NULL;
	}
	r->suite = *su;
	r->s = s;
	r->step = -1;
	r->settling = true;
	r->phase_ns = r->start_ns = s->elapsed_ns;
	session_loads_off(s);
	return r;
}

void
suite_free(struct suite_run *r)
{
	if (!r)
		return;
	suite_stop(r);
	session_hook_remove(r->s, r);
	free(r->row);
	free(r);
}

static void
end_step(struct suite_run *r, bool whole)
{
	if (r->step < 0 || r->step >= r->suite.steps)
		return;
	struct suite_row *w = &r->row[r->step];
	const struct session *s = r->s;
	w->done = whole;
	if (w->probe >= 0) {
		const struct session_probe *p = &s->probe[w->probe];
		w->xruns = p->facts.xruns - r->xruns_start;
		w->played_s = p->facts.played_s - r->played_start;
		w->silent_s = p->facts.silent_s - r->silent_start;
	}
	if (w->load >= 0) {
		const struct load_status *st = &s->load[w->load].status;
		w->status = *st;
		bool passes = st->passes > 0;
		if (st->state == LOAD_FAILED)
			spoil(w, *st->reason ? st->reason : "the load failed");
		else if (whole && w->work <= 0 && !st->work)
			spoil(w, "the load did no work");
		else if (!passes && r->ticks && r->bad_ticks > BAD_SHARE * r->ticks)
			spoil(w, "the load was not on all the time");
		if (st->invalid_passes)
			spoil(w, "a pass was killed or short");
	}
	if (w->probe >= 0 && !w->late.s.samples && !w->jobs && r->suite.table != SUITE_VM) {
		const struct probe_facts *f = &s->probe[w->probe].facts;
		spoil(w, f->state == PROBE_FAILED || f->state == PROBE_LOST ? f->reason : "nothing was measured");
	}
	session_loads_off(r->s);
	r->rows = r->step + 1;
}

static void
begin_settling(struct suite_run *r)
{
	r->settling = true;
	r->phase_ns = r->s->elapsed_ns;
}

static void
begin_step(struct suite_run *r)
{
	struct suite_row *w = &r->row[++r->step];
	struct err e;
	if (r->step == r->suite.steps) {
		r->over = true;
		return;
	}
	const struct suite_step *st = &r->suite.step[r->step];
	char mark[NOTE_MAX];
	snprintf(w->name, sizeof w->name, "%s", st->name);
	w->probe = suite_probe(r);
	w->load = st->loads ? load_number(r->s, st->load[0]) : -1;
	if (w->load >= 0)
		snprintf(w->unit, sizeof w->unit, "%s", r->s->load[w->load].unit);
	if (w->probe >= 0) {
		const struct session_probe *p = &r->s->probe[w->probe];
		r->xruns_start = p->facts.xruns;
		r->played_start = p->facts.played_s;
		r->silent_start = p->facts.silent_s;
	}
	r->bad_ticks = r->ticks = 0;
	r->was_on = false;
	r->skip_jobs = 1; // the one that began before
	r->settling = false;
	r->phase_ns = r->s->elapsed_ns;
	snprintf(mark, sizeof mark, "%s: %s", r->suite.name, st->name);
	session_mark(r->s, mark);
	for (int i = 0; i < st->loads; i++)
		if (session_load_switch(r->s, load_number(r->s, st->load[i]), true, &e))
			spoil(w, e.text);
}

static bool
all_off(const struct session *s)
{
	for (int i = 0; i < s->loads; i++)
		if (s->load[i].status.state != LOAD_OFF && s->load[i].status.state != LOAD_FAILED)
			return false;
	return true;
}

static bool
step_over(struct suite_run *r)
{
	const struct suite_row *w = &r->row[r->step];
	int64_t past = r->s->elapsed_ns - r->phase_ns;
	if (w->load >= 0) {
		enum load_state st = r->s->load[w->load].status.state;
		r->was_on |= st == LOAD_ON;
		if (st == LOAD_FAILED || (st == LOAD_OFF && past > 0))
			return true; // it cannot, or has made its passes
		if (!r->was_on)
			return past >= ON_PATIENCE_NS;
	}
	if (r->suite.jobs && w->jobs >= r->suite.jobs)
		return true;
	// Time counts from when it is measured.
	if (r->suite.jobs)
		return past >= r->suite.each_ns;
	return w->s * 1e9 >= (double)r->suite.each_ns || past >= 4 * r->suite.each_ns + ON_PATIENCE_NS;
}

bool
suite_turn(struct suite_run *r)
{
	if (r->over)
		return false;
	int64_t past = r->s->elapsed_ns - r->phase_ns;
	if (r->settling) {
		if (past >= r->suite.settle_ns && (all_off(r->s) || past >= OFF_PATIENCE_NS))
			begin_step(r);
	} else if (step_over(r)) {
		end_step(r, true);
		begin_settling(r);
	}
	return !r->over;
}

void
suite_stop(struct suite_run *r)
{
	if (r->over)
		return;
	if (!r->settling)
		end_step(r, false);
	session_loads_off(r->s);
	r->over = r->cut = true;
}

double
suite_progress(const struct suite_run *r, double *left_s)
{
	double each = (double)(r->suite.each_ns + r->suite.settle_ns) / 1e9, all = each * r->suite.steps;
	int done = r->step < 0 ? 0 : r->settling ? r->step + 1 : r->step;
	double past = (double)(r->s->elapsed_ns - r->phase_ns) / 1e9, now = done * each;
	if (!r->settling) {
		double in = r->suite.jobs ? each * r->row[r->step].jobs / r->suite.jobs : past;
		now += in > each ? each : in;
	}
	// Where a job or a pass ends a step, what went before tells how long the rest takes.
	double gone = (double)(r->s->elapsed_ns - r->start_ns) / 1e9;
	if ((r->suite.jobs || r->suite.table == SUITE_VM) && done > 0)
		*left_s = gone / done * (r->suite.steps - done);
	else
		*left_s = all - now;
	if (*left_s < 0)
		*left_s = 0;
	return all > 0 ? fmin(now / all, 1) : 1;
}
