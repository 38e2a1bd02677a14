// Writes the summary of a session as a table for people.
// Must not know how the figures came about.
#include "report/summary.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "probe/audio.h"

struct cell {
	char t[16];
};

static const char *
ns(struct cell *c, const struct dist *d, int64_t v)
{
	return text_ns(c->t, sizeof c->t, d && d->s.samples ? v : TEXT_NONE, true);
}

static const char *
pct(struct cell *c, double v)
{
	return text_pct(c->t, sizeof c->t, v);
}

static void
machine_line(FILE *f, const struct session *s)
{
	const struct host *h = &s->host;
	char ram[16];
	fprintf(f, "%.20s: Linux %.24s %.28s\n", *h->name ? h->name : "this machine", h->kernel, h->preempt);
	fprintf(f, "%d CPU%s, %s RAM%s%.16s\n", h->cpus, h->cpus == 1 ? "" : "s", text_bytes(ram, sizeof ram, (double)h->ram_bytes),
	    h->is_virtual ? ", virtual " : "", h->is_virtual ? h->hypervisor : "");
	fprintf(f, "%.1f s, %.1f s of them measured\n\n", (double)s->elapsed_ns / 1e9, s->measured_s);
}

static void
lateness_row(FILE *f, const char *name, const struct dist *d, uint64_t xruns, bool audio)
{
	struct cell c[8];
	bool any = d && d->s.samples;
	double avg = any ? sums_avg_ns(&d->s) : NAN;
	fprintf(f, "%-11.11s %7s %7s %7s %7s %7s %7s %6s %6s", name, ns(&c[0], d, any ? d->s.min_ns : 0),
	    ns(&c[1], d, any ? llround(avg) : 0), ns(&c[2], d, any ? dist_percentile_ns(d, 0.5) : 0),
	    ns(&c[3], d, any ? dist_percentile_ns(d, 0.99) : 0), ns(&c[4], d, any ? dist_percentile_ns(d, 0.999) : 0),
	    ns(&c[5], d, any ? d->s.max_ns : 0), pct(&c[6], any ? sums_within_pct(&d->s, 0) : NAN),
	    pct(&c[7], any ? sums_within_pct(&d->s, 1) : NAN));
	if (audio)
		fprintf(f, " %4llu", (unsigned long long)xruns);
	putc('\n', f);
}

static void
probes_table(FILE *f, const struct session *s)
{
	bool audio = false;
	for (int i = 0; i < s->probes; i++)
		audio |= !strcmp(s->probe[i].kind->name, "audio");
	fprintf(f, "%-11s %7s %7s %7s %7s %7s %7s %6s %6s%s\n", "latency", "min", "avg", "p50", "p99", "p99.9", "max", "<=1ms", "<=2ms",
	    audio ? " xrun" : "");
	for (int i = 0; i < s->probes; i++) {
		const struct session_probe *p = &s->probe[i];
		lateness_row(f, p->label, p->total[Q_LATE], p->xruns, !strcmp(p->kind->name, "audio"));
		if (p->total[Q_BURN] && p->total[Q_BURN]->s.samples)
			lateness_row(f, "  CPU loop", p->total[Q_BURN], 0, false);
		if (p->total[Q_INTERVAL] && p->total[Q_INTERVAL]->s.samples)
			lateness_row(f, "  one period", p->total[Q_INTERVAL], 0, false);
	}
	putc('\n', f);
}

// One line a probe of what was really measured.
static void
probe_facts(FILE *f, const struct session_probe *p)
{
	const struct probe_facts *a = &p->facts;
	char asked[24], got[24], t[16];
	fprintf(f, "%s: ", p->label);
	if (a->state == PROBE_FAILED || a->state == PROBE_LOST)
		fprintf(f, "%s%s%s; ", a->state == PROBE_FAILED ? "failed" : "lost", *a->reason ? ": " : "", a->reason);
	if (a->effective_known) {
		policy_text(asked, sizeof asked, a->asked);
		policy_text(got, sizeof got, a->effective);
		fprintf(f, "%s%s%s%s", got, strcmp(asked, got) ? " (asked " : "", strcmp(asked, got) ? asked : "",
		    strcmp(asked, got) ? ")" : "");
	}
	if (a->interval_ns > 0)
		fprintf(f, ", every %s", text_ns(t, sizeof t, a->interval_ns, true));
	if (p->total[Q_LATE])
		fprintf(f, ", %llu samples, %llu missed, %llu dropped", (unsigned long long)p->total[Q_LATE]->s.samples,
		    (unsigned long long)p->total[Q_LATE]->s.missed, (unsigned long long)a->dropped);
	putc('\n', f);
	if (!*a->device || !a->rate)
		return;
	struct probe_facts heard = *a; // since reset
	char words[160];
	heard.played_s = p->played_s;
	heard.silent_s = p->silent_s;
	heard.xruns = p->xruns;
	fprintf(f, "  %s, %u x %u frames at %u Hz, %s\n  %s\n", a->device, a->periods, a->period_frames, a->rate,
	    a->hardware > 0 ? "hardware" : a->hardware ? "unknown hardware" : "not hardware", audio_played_text(words, sizeof words, &heard, -1));
}

static void
conditions_table(FILE *f, const struct session *s)
{
	int main_probe = session_main_probe(s);
	if (s->conditions < 2 || main_probe < 0)
		return;
	fprintf(f, "\n%s under\n", s->probe[main_probe].label);
	for (int i = 0; i < s->conditions; i++) {
		const struct condition *c = &s->condition[i];
		lateness_row(f, c->name, c->late ? c->late[main_probe] : NULL, 0, false);
	}
}

static void
loads_table(FILE *f, const struct session *s)
{
	bool head = false;
	for (int i = 0; i < s->loads; i++) {
		const struct session_load *l = &s->load[i];
		const struct load_status *t = &l->status;
		if (l->on_s <= 0 && t->state == LOAD_OFF && !t->work)
			continue;
		if (!head)
			fprintf(f, "\n%-16s %5s %9s %14s %6s\n", "load", "level", "on", "work/s", "CPU");
		head = true;
		char work[16], clock[16];
		struct cell c;
		text_count(work, sizeof work, l->on_s > 0 ? (double)l->work / l->on_s : NAN);
		snprintf(clock, sizeof clock, "%.1f s", l->on_s);
		fprintf(f, "%-16.16s %5d %9s %7s %-6.6s %6s%s\n", l->name, t->level, clock, l->on_s > 0 ? work : "-", l->unit,
		    pct(&c, l->on_s > 0 ? (double)l->cpu_ns / 1e7 / l->on_s : NAN), t->state == LOAD_FAILED ? "  FAILED" : "");
		if (*t->reason)
			fprintf(f, "  %.76s\n", t->reason);
		if (t->passes && t->avg.valid)
			fprintf(f, "  %llu passes: user %.2f s, system %.2f s, elapsed %.2f s, %.0f%% CPU, %llu+%llu faults\n",
			    (unsigned long long)t->passes, t->avg.user_s, t->avg.system_s, t->avg.elapsed_s, t->avg.cpu_pct,
			    (unsigned long long)t->avg.majflt, (unsigned long long)t->avg.minflt);
	}
}

void
summary_print(FILE *f, const struct session *s)
{
	machine_line(f, s);
	probes_table(f, s);
	for (int i = 0; i < s->probes; i++)
		probe_facts(f, &s->probe[i]);
	conditions_table(f, s);
	loads_table(f, s);
	if (s->cpu_s > 0)
		fprintf(f, "\nCPU: user %.1f%%, system %.1f%%, iowait %.1f%%, irq %.1f%%, steal %.1f%%, idle %.1f%%\n",
		    s->cpu_sum.user / s->cpu_s, s->cpu_sum.system / s->cpu_s, s->cpu_sum.iowait / s->cpu_s, s->cpu_sum.irq / s->cpu_s,
		    s->cpu_sum.steal / s->cpu_s, s->cpu_sum.idle / s->cpu_s);
	for (int i = 0; i < s->warnings; i++)
		fprintf(f, "%s%s %s\n", i ? "" : "\n",
		    s->warning[i].severity == WARN_SPOILT ? "!!" : s->warning[i].severity == WARN_DOUBT ? "!" : "-", s->warning[i].text);
	if (!s->warnings)
		fputs("\nno doubts\n", f);
}
