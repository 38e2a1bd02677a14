// The one place that decides what makes a figure doubtful: screen, summary, recordings, tables and pages show its list.
// Must not know how it is shown.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "session/private.h"

#define STEAL_DOUBT_PCT 1.0
#define STEAL_SPOILT_PCT 10.0
#define DEVICE_DOUBTS (DOUBT_GRANTED | DOUBT_PLUGIN | DOUBT_VIRTUAL)

static void __attribute__((format(printf, 5, 6)))
warn(struct session *s, enum severity severity, int probe, const char *advice, const char *fmt, ...)
{
	if (s->warnings == WARNINGS_MAX)
		return;
	struct warning *w = &s->warning[s->warnings++];
	*w = (struct warning){.severity = severity, .probe = probe};
	char text[sizeof w->text * 2];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	text_safe(w->text, sizeof w->text, text);
	text_safe(w->advice, sizeof w->advice, advice);
}

// What each doubt of a probe means. The text follows the probe's label.
static const struct {
	unsigned bit;
	enum severity severity;
	const char *text, *advice;
} doubts[] = {
    {DOUBT_THROTTLED, WARN_SPOILT, "real-time throttling holds it up about once a second",
     "sysctl kernel.sched_rt_runtime_us=-1 switches throttling off; or take less --burn"},
    {DOUBT_AFFINITY, WARN_SPOILT, "the CPU asked for was refused: it runs elsewhere",
     "look at taskset, cpusets and cgroups of this shell; name allowed CPUs with --cpus"},
    {DOUBT_GRANTED, WARN_DOUBT, "the device granted another rate or buffer than asked",
     "deadlines are computed from what was granted; `stutter list devices` shows the ranges"},
    {DOUBT_PLUGIN, WARN_DOUBT, "a plugin, not hardware: its timing is the plugin's too",
     "name a card with --device hw:N; `stutter list devices` marks hardware"},
    {DOUBT_VIRTUAL, WARN_DOUBT, "no real card: paced by a clock",
     "name a card with --device; the wake-ups are real, the device is not"},
    {DOUBT_UNLOCKED, WARN_DOUBT, "memory could not be locked: page faults may show",
     "raise the limit: ulimit -l unlimited, or memlock in limits.conf"},
    {DOUBT_BURN, WARN_NOTE, "the CPU's speed changed: its loop was calibrated again",
     "fix the frequency: cpupower frequency-set -g performance"},
};

bool
session_asks_policy(const struct session_probe *p)
{
	return !strcmp(p->kind->name, "audio") || !strcmp(p->kind->name, "timer");
}

static void
check_policy(struct session *s, int i)
{
	const struct session_probe *p = &s->probe[i];
	char asked[24], got[24];
	if (!session_asks_policy(p) && p->facts.effective_known && p->facts.effective.kind == POLICY_OTHER &&
	    p->facts.effective.priority > 0)
		warn(s, WARN_DOUBT, i, "start stutter without nice: what this probe stands for is not nice",
		    "%s: started at nice %d: it waits for all others", p->label, p->facts.effective.priority);
	if (!(p->facts.doubts & DOUBT_POLICY) || !p->facts.effective_known)
		return;
	policy_text(asked, sizeof asked, p->facts.asked);
	policy_text(got, sizeof got, p->facts.effective);
	warn(s, WARN_DOUBT, i, "allow it: `ulimit -r 90`, rtprio in limits.conf, CAP_SYS_NICE, or RealtimeKit; see `stutter list probes`",
	    "%s: asked %s, got %s", p->label, asked, got);
}

static void
check_probe(struct session *s, int i)
{
	const struct session_probe *p = &s->probe[i];
	const struct probe_facts *f = &p->facts;
	if (f->state == PROBE_FAILED || f->state == PROBE_LOST)
		warn(s, WARN_SPOILT, i, "it measures nothing now; it comes back by itself where that can be", "%s: %s%s%s", p->label,
		    f->state == PROBE_FAILED ? "failed" : "lost", *f->reason ? ": " : "", f->reason);
	if (f->dropped)
		warn(s, WARN_SPOILT, i, "stutter could not take samples fast enough: take a longer --interval, or fewer --cpus",
		    "%s: %llu samples dropped", p->label, (unsigned long long)f->dropped);
	check_policy(s, i);
	unsigned past = s->own->doubts_seen[i] & ~f->doubts;
	if (past & DOUBT_AFFINITY)
		warn(s, WARN_SPOILT, i, "a CPU was taken away or came back: measure again (r), or name other --cpus",
		    "%s: for a time it ran on another CPU than asked", p->label);
	if (past & DOUBT_POLICY)
		warn(s, WARN_DOUBT, i, "someone changed it meanwhile: measure again (r)", "%s: for a time not at the policy asked", p->label);
	unsigned told = 0;
	for (size_t k = 0; k < sizeof doubts / sizeof *doubts; k++) {
		if (!(f->doubts & doubts[k].bit & ~told))
			continue;
		// An audio device says in its own words, and at once, what it is and what it granted.
		bool own = doubts[k].bit & DEVICE_DOUBTS && f->state == PROBE_RUNNING && *f->reason;
		warn(s, doubts[k].severity, i, doubts[k].advice, "%s: %s", p->label, own ? f->reason : doubts[k].text);
		told |= own ? DEVICE_DOUBTS : 0;
	}
}

static void
check_loads(struct session *s)
{
	for (int i = 0; i < s->loads; i++) {
		const struct session_load *l = &s->load[i];
		if (l->status.state == LOAD_FAILED)
			warn(s, WARN_DOUBT, -1, "nothing measured now counts as under this load", "load %s failed: %s", l->name, l->status.reason);
		else if (l->status.state == LOAD_ON && l->status.workers < l->status.level)
			warn(s, WARN_DOUBT, -1, "raise the limit of processes or memory, or take a smaller level",
			    "load %s: only %d of %d workers run", l->name, l->status.workers, l->status.level);
		if (l->status.state == LOAD_ON && !strcmp(l->name, "memory") && !s->host.swap_bytes && s->host.ram_bytes)
			warn(s, WARN_NOTE, -1, "with swap the memory load would page; see its row for the kind of pressure it makes",
			    "memory load without swap");
	}
}

static void
check_steal(struct session *s)
{
	double steal = s->cpu_s > 0 ? s->cpu_sum.steal / s->cpu_s : s->cpu_known ? s->cpu.steal : NAN;
	if (steal >= STEAL_DOUBT_PCT)
		warn(s, steal >= STEAL_SPOILT_PCT ? WARN_SPOILT : WARN_DOUBT, -1,
		    "the hypervisor took the CPU away: maxima are its work, not this kernel's", "steal %.1f%%: the host was busy", steal);
	if (s->host.is_virtual)
		warn(s, WARN_DOUBT, -1, "compare medians and p99; a maximum may be the host's. Measure on the bare machine for limits",
		    "virtual machine%s%s%s", *s->host.hypervisor ? " (" : "", s->host.hypervisor, *s->host.hypervisor ? ")" : "");
}

static bool
good_clock(const char *name)
{
	static const char *const good[] = {"tsc", "kvm-clock", "arch_sys_counter", "timebase", "riscv_clocksource", "tod", "hyperv_clocksource_tsc_page"};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (!strcmp(name, good[i]))
			return true;
	return !*name;
}

static void
check_host(struct session *s)
{
	const struct host *h = &s->host;
	if (*s->own->dma_error)
		warn(s, WARN_DOUBT, -1, "run as root, or allow access to /dev/cpu_dma_latency", "--dma-latency: %s", s->own->dma_error);
	if (*h->governor && strcmp(h->governor, "performance"))
		warn(s, WARN_NOTE, -1, "cpupower frequency-set -g performance, if the untuned truth is not what you want",
		    "frequency governor %s", h->governor);
	if (!good_clock(h->clocksource))
		warn(s, WARN_DOUBT, -1, "reading this clock is slow and coarse; see /sys/devices/system/clocksource", "clock source %s", h->clocksource);
	const char *unlike = "a CPU was taken offline while measuring: what comes before and after is not alike";
	bool countable = s->cpu_known && s->cpus && h->cpus && h->cpus <= CPUS_MAX;
	if (countable && s->cpus < h->cpus)
		warn(s, WARN_DOUBT, -1, unlike, "%d of %d CPUs left", s->cpus, h->cpus);
	else if (countable && s->own->cpus_least && s->own->cpus_least < h->cpus)
		warn(s, WARN_DOUBT, -1, unlike, "for a time only %d of %d CPUs", s->own->cpus_least, h->cpus);
	if (s->own->gap_ns >= TICK_NS) // a moment for a changed buffer is no news
		warn(s, WARN_NOTE, -1, "stopped, suspended or not running: that time counts nowhere", "%lld gap%s, %.1f s left out",
		    (long long)s->own->gaps, s->own->gaps == 1 ? "" : "s", (double)s->own->gap_ns / 1e9);
}

void
validity_check(struct session *s)
{
	s->warnings = 0;
	for (int i = 0; i < s->probes; i++)
		check_probe(s, i);
	check_loads(s);
	check_steal(s);
	check_host(s);
	// Worst first; equal ones keep their order.
	for (int i = 1; i < s->warnings; i++) {
		struct warning w = s->warning[i];
		int k = i;
		for (; k > 0 && s->warning[k - 1].severity < w.severity; k--)
			s->warning[k] = s->warning[k - 1];
		s->warning[k] = w;
	}
}

bool
session_valid(const struct session *s)
{
	return !s->warnings || s->warning[0].severity < WARN_SPOILT;
}
