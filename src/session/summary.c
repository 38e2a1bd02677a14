// Makes the summary of a session, live or replayed, under the names of the manual.
// Must not know who prints it.
#include "session/summary.h"

#include <string.h>

json_t *
summary_real(double v, double per_unit)
{
	double r = round(v * per_unit) / per_unit;
	return isfinite(r) ? json_real(r + 0.0) : json_null();
}

json_t *
summary_ns(int64_t ns)
{
	return ns < 0 ? json_null() : json_integer(ns);
}

static json_t *
text(const char *s)
{
	return s && *s ? json_string(s) : json_null();
}

static json_t *
pct(double v)
{
	return summary_real(v, 1000);
}

json_t *
summary_host(const struct host *h)
{
	json_t *j = json_object();
	json_object_set_new(j, "name", text(h->name));
	json_object_set_new(j, "kernel", text(h->kernel));
	json_object_set_new(j, "version", text(h->version));
	json_object_set_new(j, "preempt", text(h->preempt));
	json_object_set_new(j, "model", text(h->model));
	json_object_set_new(j, "cpus", h->cpus > 0 ? json_integer(h->cpus) : json_null());
	json_object_set_new(j, "ram_bytes", h->ram_bytes ? json_integer((json_int_t)h->ram_bytes) : json_null());
	json_object_set_new(j, "swap_bytes", h->ram_bytes ? json_integer((json_int_t)h->swap_bytes) : json_null());
	json_object_set_new(j, "governor", text(h->governor));
	json_object_set_new(j, "clocksource", text(h->clocksource));
	json_object_set_new(j, "idle_driver", text(h->idle_driver));
	json_object_set_new(j, "virtual", json_boolean(h->is_virtual));
	json_object_set_new(j, "hypervisor", text(h->hypervisor));
	bool known = h->rt_period_us > 0;
	json_object_set_new(j, "rt_runtime_us", known ? json_integer(h->rt_runtime_us) : json_null());
	json_object_set_new(j, "rt_period_us", known ? json_integer(h->rt_period_us) : json_null());
	return j;
}

static void
add_within(json_t *j, const char *name, const struct dist *d, int which)
{
	bool can = d && d->s.samples && d->lim.limit_ns[which] > 0;
	json_object_set_new(j, name, can ? pct(sums_within_pct(&d->s, which)) : json_null());
}

static json_t *
quantile(const struct dist *d, double q)
{
	return d && d->s.samples ? summary_ns(dist_percentile_ns(d, q)) : json_null();
}

static json_t *
extreme(const struct dist *d, bool max)
{
	return d && d->s.samples ? summary_ns(max ? d->s.max_ns : d->s.min_ns) : json_null();
}

static void
add_lateness(json_t *j, const struct dist *d)
{
	json_object_set_new(j, "samples", json_integer(d ? (json_int_t)d->s.samples : 0));
	json_object_set_new(j, "missed", json_integer(d ? (json_int_t)d->s.missed : 0));
	json_object_set_new(j, "min_ns", extreme(d, false));
	json_object_set_new(j, "avg_ns", d ? summary_real(sums_avg_ns(&d->s), 10) : json_null());
	json_object_set_new(j, "max_ns", extreme(d, true));
	json_object_set_new(j, "stddev_ns", d ? summary_real(sums_stddev_ns(&d->s), 10) : json_null());
	json_object_set_new(j, "p50_ns", quantile(d, 0.5));
	json_object_set_new(j, "p90_ns", quantile(d, 0.9));
	json_object_set_new(j, "p99_ns", quantile(d, 0.99));
	json_object_set_new(j, "p999_ns", quantile(d, 0.999));
	json_object_set_new(j, "p9999_ns", quantile(d, 0.9999));
	add_within(j, "within_1ms_pct", d, 0);
	add_within(j, "within_2ms_pct", d, 1);
}

static void
add_audio(json_t *j, const struct session_probe *p)
{
	const struct probe_facts *f = &p->facts;
	const struct dist *interval = p->total[Q_INTERVAL];
	json_object_set_new(j, "device", text(f->device));
	json_object_set_new(j, "hardware", f->hardware < 0 ? json_null() : json_boolean(f->hardware));
	json_object_set_new(j, "rate", f->rate ? json_integer(f->rate) : json_null());
	json_object_set_new(j, "periods", f->periods ? json_integer(f->periods) : json_null());
	json_object_set_new(j, "period_frames", f->period_frames ? json_integer(f->period_frames) : json_null());
	json_object_set_new(j, "xruns", json_integer((json_int_t)p->xruns));
	json_object_set_new(j, "played_s", summary_real(p->played_s, 1000));
	json_object_set_new(j, "silent_s", summary_real(p->silent_s, 1000));
	json_object_set_new(j, "longest_silence_s", summary_real(f->longest_silence_s, 1000));
	json_object_set_new(j, "rate_ppm", summary_real(f->rate_ppm, 10));
	json_object_set_new(j, "headroom_min_ns", extreme(p->total[Q_HEADROOM], false));
	json_object_set_new(j, "interval_p50_ns", quantile(interval, 0.5));
	json_object_set_new(j, "interval_max_ns", extreme(interval, true));
	add_within(j, "interval_within_1ms_pct", interval, 0);
	add_within(j, "interval_within_2ms_pct", interval, 1);
}

static const char *
state_name(enum probe_state s)
{
	static const char *const names[] = {
	    [PROBE_OFF] = "off",
	    [PROBE_STARTING] = "starting",
	    [PROBE_RUNNING] = "running",
	    [PROBE_LOST] = "lost",
	    [PROBE_FAILED] = "failed",
	};
	return (unsigned)s < sizeof names / sizeof *names ? names[s] : "off";
}

static json_t *
probe_json(const struct session_probe *p)
{
	const struct probe_facts *f = &p->facts;
	const struct dist *burn = p->total[Q_BURN];
	bool burns = burn && burn->s.samples;
	bool audio = !strcmp(p->kind->name, "audio");
	bool scheduled = session_asks_policy(p);
	char buf[24];
	json_t *j = json_object();
	json_object_set_new(j, "name", json_string(p->kind->name));
	json_object_set_new(j, "label", json_string(p->label));
	json_object_set_new(j, "cpu", p->cpu < 0 ? json_null() : json_integer(p->cpu));
	json_object_set_new(j, "state", json_string(state_name(f->state)));
	json_object_set_new(j, "reason", text(f->reason));
	json_object_set_new(j, "asked", scheduled ? json_string(policy_text(buf, sizeof buf, f->asked)) : json_null());
	json_object_set_new(
	    j, "effective", f->effective_known ? json_string(policy_text(buf, sizeof buf, f->effective)) : json_null());
	json_object_set_new(j, "interval_ns", f->interval_ns > 0 ? json_integer(f->interval_ns) : json_null());
	add_lateness(j, p->total[Q_LATE]);
	json_object_set_new(j, "dropped", json_integer((json_int_t)f->dropped));
	json_object_set_new(j, "cpu_pct", pct(f->cpu_pct));
	json_object_set_new(j, "burn_ns", burns && f->burn_ns > 0 ? json_integer(f->burn_ns) : json_null());
	json_object_set_new(j, "burn_avg_ns", burns ? summary_real(sums_avg_ns(&burn->s), 10) : json_null());
	json_object_set_new(j, "burn_max_ns", extreme(burn, true));
	add_within(j, "burn_within_100us_pct", burn, 0);
	add_within(j, "burn_within_200us_pct", burn, 1);
	const struct dist *job = p->total[Q_CPU];
	if (job)
		json_object_set_new(j, "job_cpu_avg_ns", summary_real(sums_avg_ns(&job->s), 10));
	if (audio)
		add_audio(j, p);
	return j;
}

static json_t *
pass_json(const struct load_status *s)
{
	const struct load_pass *a = &s->avg;
	if (!a->valid || s->passes == 0)
		return json_null();
	json_t *j = json_object();
	json_object_set_new(j, "user_s", summary_real(a->user_s, 1000));
	json_object_set_new(j, "system_s", summary_real(a->system_s, 1000));
	json_object_set_new(j, "elapsed_s", summary_real(a->elapsed_s, 1000));
	json_object_set_new(j, "cpu_pct", pct(a->cpu_pct));
	json_object_set_new(j, "majflt", json_integer((json_int_t)a->majflt));
	json_object_set_new(j, "minflt", json_integer((json_int_t)a->minflt));
	json_object_set_new(j, "bytes", json_integer((json_int_t)a->bytes));
	return j;
}

static json_t *
load_json(const struct session_load *l)
{
	static const char *const states[] = {"off", "starting", "on", "stopping", "failed"};
	const struct load_status *t = &l->status;
	bool on = l->on_s > 0;
	json_t *j = json_object();
	json_object_set_new(j, "name", json_string(l->name));
	json_object_set_new(j, "level", t->level > 0 ? json_integer(t->level) : json_null());
	json_object_set_new(j, "state", json_string((unsigned)t->state < 5 ? states[t->state] : "off"));
	json_object_set_new(j, "reason", text(t->reason));
	json_object_set_new(j, "on_s", summary_real(l->on_s, 1000));
	json_object_set_new(j, "work", on ? json_integer((json_int_t)l->work) : json_null());
	json_object_set_new(j, "unit", text(l->unit));
	json_object_set_new(j, "work_per_s", on ? summary_real((double)l->work / l->on_s, 10) : json_null());
	json_object_set_new(j, "cpu_pct", on ? pct((double)l->cpu_ns / 1e7 / l->on_s) : json_null());
	bool passes = t->passes || t->invalid_passes || (l->kind && l->kind->by_passes);
	json_object_set_new(j, "passes", passes ? json_integer((json_int_t)t->passes) : json_null());
	json_object_set_new(j, "invalid_passes", passes ? json_integer((json_int_t)t->invalid_passes) : json_null());
	json_object_set_new(j, "pass", pass_json(t));
	return j;
}

static json_t *
cpu_json(const struct session *s)
{
	double w = s->cpu_s > 0 ? 1 / s->cpu_s : NAN;
	json_t *j = json_object();
	json_object_set_new(j, "user_pct", pct(s->cpu_sum.user * w));
	json_object_set_new(j, "system_pct", pct(s->cpu_sum.system * w));
	json_object_set_new(j, "iowait_pct", pct(s->cpu_sum.iowait * w));
	json_object_set_new(j, "irq_pct", pct(s->cpu_sum.irq * w));
	json_object_set_new(j, "steal_pct", pct(s->cpu_sum.steal * w));
	json_object_set_new(j, "idle_pct", pct(s->cpu_sum.idle * w));
	return j;
}

static json_t *
valid_json(const struct session *s)
{
	json_t *j = json_object(), *w = json_array();
	for (int i = 0; i < s->warnings; i++)
		json_array_append_new(w, json_string(s->warning[i].text));
	json_object_set_new(j, "ok", json_boolean(session_valid(s)));
	json_object_set_new(j, "warnings", w);
	return j;
}

json_t *
summary_json(const struct session *s)
{
	json_t *j = json_object(), *probes = json_array(), *loads = json_array();
	json_object_set_new(j, "stutter", json_string(STUTTER_VERSION));
	json_object_set_new(j, "elapsed_s", summary_real((double)s->elapsed_ns / 1e9, 1000));
	json_object_set_new(j, "measured_s", summary_real(s->measured_s, 1000));
	json_object_set_new(j, "host", summary_host(&s->host));
	json_object_set_new(j, "valid", valid_json(s));
	for (int i = 0; i < s->probes; i++)
		json_array_append_new(probes, probe_json(&s->probe[i]));
	json_object_set_new(j, "probes", probes);
	for (int i = 0; i < s->loads; i++)
		if (s->load[i].on_s > 0 || s->load[i].status.state != LOAD_OFF || s->load[i].status.work)
			json_array_append_new(loads, load_json(&s->load[i]));
	json_object_set_new(j, "loads", loads);
	json_object_set_new(j, "cpu", cpu_json(s));
	return j;
}
