// Compares machines and settings of two sessions.
// Must not know how it is shown.
#include "report/differ.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct list {
	struct difference *out;
	int n;
};

static void
texts(struct list *l, const char *what, bool unfair, const char *a, const char *b)
{
	if (!strcmp(a, b) || l->n == DIFFER_MAX)
		return;
	struct difference *d = &l->out[l->n++];
	snprintf(d->what, sizeof d->what, "%.23s", what);
	text_safe(d->a, sizeof d->a, *a ? a : "-");
	text_safe(d->b, sizeof d->b, *b ? b : "-");
	d->unfair = unfair;
}

static void
numbers(struct list *l, const char *what, bool unfair, long long a, long long b)
{
	char ta[24], tb[24];
	snprintf(ta, sizeof ta, "%lld", a);
	snprintf(tb, sizeof tb, "%lld", b);
	texts(l, what, unfair, ta, tb);
}

static void
times(struct list *l, const char *what, bool unfair, int64_t a, int64_t b)
{
	char ta[24], tb[24];
	if (a == b)
		return;
	texts(l, what, unfair, text_ns(ta, sizeof ta, a, true), text_ns(tb, sizeof tb, b, true));
}

static void
machines(struct list *l, const struct host *a, const struct host *b)
{
	char ra[16], rb[16];
	texts(l, "machine", false, a->name, b->name);
	texts(l, "kernel", false, a->kernel, b->kernel);
	texts(l, "kernel version", false, a->version, b->version);
	texts(l, "preemption", false, a->preempt, b->preempt);
	texts(l, "CPU", true, a->model, b->model);
	numbers(l, "CPUs", true, a->cpus, b->cpus);
	texts(l, "RAM", true, text_bytes(ra, sizeof ra, (double)a->ram_bytes), text_bytes(rb, sizeof rb, (double)b->ram_bytes));
	texts(l, "swap", true, text_bytes(ra, sizeof ra, (double)a->swap_bytes), text_bytes(rb, sizeof rb, (double)b->swap_bytes));
	texts(l, "governor", true, a->governor, b->governor);
	texts(l, "clock source", true, a->clocksource, b->clocksource);
	texts(l, "virtual machine", true, a->is_virtual ? a->hypervisor : "no", b->is_virtual ? b->hypervisor : "no");
}

static void
probe_settings(struct list *l, const struct session_probe *a, const struct session_probe *b)
{
	char what[64], ta[24], tb[24];
	const struct probe_facts *x = &a->facts, *y = &b->facts;
	snprintf(what, sizeof what, "%.12s policy", a->label);
	texts(l, what, true, x->effective_known ? policy_text(ta, sizeof ta, x->effective) : "",
	    y->effective_known ? policy_text(tb, sizeof tb, y->effective) : "");
	snprintf(what, sizeof what, "%.12s period", a->label);
	times(l, what, true, x->interval_ns, y->interval_ns);
	snprintf(what, sizeof what, "%.12s device", a->label);
	texts(l, what, true, x->device, y->device);
	snprintf(what, sizeof what, "%.12s rate", a->label);
	numbers(l, what, true, x->rate, y->rate);
	snprintf(what, sizeof what, "%.12s buffer", a->label);
	snprintf(ta, sizeof ta, "%ux%u", x->periods, x->period_frames);
	snprintf(tb, sizeof tb, "%ux%u", y->periods, y->period_frames);
	texts(l, what, true, ta, tb);
}

static void
load_settings(struct list *l, const struct session *a, const struct session *b)
{
	for (int i = 0; i < a->loads; i++)
		for (int k = 0; k < b->loads; k++) {
			char what[64];
			if (strcmp(a->load[i].name, b->load[k].name) || a->load[i].on_s <= 0 || b->load[k].on_s <= 0)
				continue;
			snprintf(what, sizeof what, "%.14s level", a->load[i].name);
			numbers(l, what, true, a->load[i].status.level, b->load[k].status.level);
			snprintf(what, sizeof what, "%.14s kind", a->load[i].name);
			texts(l, what, true, a->load[i].status.reason, b->load[k].status.reason);
		}
}

int
differ_find(const struct session *a, const struct session *b, struct difference out[DIFFER_MAX])
{
	struct list l = {.out = out};
	const struct config *x = &a->config, *y = &b->config;
	machines(&l, &a->host, &b->host);
	for (int i = 0; i < a->probes; i++)
		for (int k = 0; k < b->probes; k++)
			if (!strcmp(a->probe[i].label, b->probe[k].label))
				probe_settings(&l, &a->probe[i], &b->probe[k]);
	numbers(&l, "burn", true, x->burn_pct, y->burn_pct);
	times(&l, "warm-up", false, x->warmup_ns, y->warmup_ns);
	texts(&l, "dma-latency held", true, x->dma_latency ? "yes" : "no", y->dma_latency ? "yes" : "no");
	texts(&l, "job", true, x->job, y->job);
	texts(&l, "music", false, x->play, y->play);
	load_settings(&l, a, b);
	if (a->measured_s > 3 * b->measured_s || b->measured_s > 3 * a->measured_s)
		times(&l, "measured", true, llround(a->measured_s * 1e9), llround(b->measured_s * 1e9));
	texts(&l, "trusted", true, session_valid(a) ? "yes" : a->warning[0].text, session_valid(b) ? "yes" : b->warning[0].text);
	return l.n;
}
