// Starts and ends a live session: probes, loads, CPU sampler, as the configuration asks.
// Must not know of ticks or figures.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/private.h"
#include "sys/dma.h"

#define MAIN_NICE (-10)
#define AUDIO_PATIENCE_NS (300 * NS_PER_MS) // for a device that nobody asked for

static bool
asked(const struct config *c, const char *name)
{
	for (int i = 0; i < c->probe_count; i++)
		if (!strcmp(c->probes[i], name))
			return true;
	return false;
}

static int
start_probe(struct session *s, const struct probe_kind *kind, int cpu, const char *device, const char *label, struct err *e)
{
	const struct config *c = &s->config;
	struct probe_config pc = {
	    .interval_ns = c->interval_ns,
	    .policy = c->policy,
	    .cpu = cpu,
	    .burn_pct = c->burn_pct,
	    .device = device,
	    .rate = c->rate,
	    .periods = c->periods,
	    .period_frames = c->period_frames ? c->period_frames : (c->period_bytes + 3) / 4,
	    .play = *c->play ? c->play : NULL,
	    .tone_hz = c->tone_hz,
	    .job = *c->job ? c->job : NULL,
	    .dir = c->dir,
	};
	if (s->probes == PROBES_MAX)
		return err_set(e, "at most %d probes", PROBES_MAX);
	struct probe *p = probe_new(kind, &pc, e);
	if (!p)
		return -1;
	if (kind->start(p, e)) {
		probe_free(p);
		return -1;
	}
	s->probe[s->probes].probe = p;
	if (session_add_probe(s, kind, cpu, label) >= 0)
		return 0;
	probe_free(p);
	return err_set(e, "no memory for the figures of probe %s", label);
}

// A probe that cannot even start stays on the list as failed, with its reason.
static int
start_or_tell(struct session *s, const struct probe_kind *kind, int cpu, const char *device, const char *label, struct err *e)
{
	if (!start_probe(s, kind, cpu, device, label, e))
		return 0;
	int i = session_add_probe(s, kind, cpu, label);
	if (i < 0)
		return -1;
	s->probe[i].facts.state = PROBE_FAILED;
	snprintf(s->probe[i].facts.reason, sizeof s->probe[i].facts.reason, "%.119s", e->text);
	return -1;
}

// The audio probe that nobody asked for by name: kept only where a device opens.
static void
start_optional_audio(struct session *s, const struct probe_kind *kind)
{
	struct err e;
	if (start_probe(s, kind, -1, "default", "audio", &e))
		return;
	struct session_probe *p = &s->probe[s->probes - 1];
	int64_t until = clock_now_ns() + AUDIO_PATIENCE_NS;
	int state;
	while ((state = atomic_load(&p->probe->live->state)) == PROBE_STARTING && clock_now_ns() < until)
		nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
	if (state == PROBE_RUNNING || state == PROBE_STARTING)
		return;
	probe_free(p->probe);
	session_probe_forget(p);
	memset(p, 0, sizeof *p);
	s->probes--;
}

static int
start_kind(struct session *s, const struct probe_kind *kind, struct err *e)
{
	const struct config *c = &s->config;
	char label[40];
	int failed = 0;
	if (kind->per_cpu && c->cpus_asked) {
		for (int i = 0; i < c->cpu_count; i++) {
			snprintf(label, sizeof label, "%s cpu%d", kind->name, c->cpus[i]);
			failed |= start_or_tell(s, kind, c->cpus[i], NULL, label, e);
		}
		return failed;
	}
	if (strcmp(kind->name, "audio") || !c->device_count)
		return start_or_tell(s, kind, -1, strcmp(kind->name, "audio") ? NULL : "default", kind->name, e);
	for (int i = 0; i < c->device_count; i++) {
		if (c->device_count == 1)
			snprintf(label, sizeof label, "audio");
		else
			snprintf(label, sizeof label, "audio %.30s", c->device[i]);
		failed |= start_or_tell(s, kind, -1, c->device[i], label, e);
	}
	return failed;
}

static int
start_probes(struct session *s, struct err *e)
{
	const struct config *c = &s->config;
	for (int i = 0; probe_kinds[i]; i++) {
		const struct probe_kind *k = probe_kinds[i];
		bool audio = !strcmp(k->name, "audio");
		if (c->probe_count ? asked(c, k->name) || (audio && c->device_asked) : strcmp(k->name, "job") && (!audio || c->device_asked))
			start_kind(s, k, e);
		else if (!c->probe_count && audio)
			start_optional_audio(s, k);
	}
	for (int i = 0; i < s->probes; i++)
		if (s->probe[i].probe)
			return 0;
	return -1; // E says why the last one could not
}

static void
load_wishes(const struct config *c, const char *name, struct load_params *p)
{
	snprintf(p->dir, sizeof p->dir, "%s", c->dir);
	for (int i = 0; i < c->size_count; i++)
		if (!*c->size[i].name || !strcmp(c->size[i].name, name)) {
			p->size = c->size[i].bytes;
			p->size_pct_ram = c->size[i].pct_ram;
		}
	for (int i = 0; i < c->passes_count; i++)
		if (!strcmp(c->passes[i].name, name))
			p->passes = c->passes[i].n;
	for (int i = 0; i < c->load_count; i++)
		if (!strcmp(c->load[i].name, name) && c->load[i].level)
			p->level = c->load[i].level;
}

static int
prepare_loads(struct session *s, struct err *e)
{
	const struct load_kind *k;
	for (int i = 0; i < LOADS_MAX && (k = load_kind_at(i)); i++) {
		struct load_params p = {.level = k->level};
		load_wishes(&s->config, k->name, &p);
		int n = session_add_load(s, k->name, k->key, k->unit);
		if (n < 0 || !(s->load[n].load = load_new(k, &p)))
			return err_set(e, "no memory for load %s", k->name);
		load_read(s->load[n].load, &s->load[n].status);
		s->own->before[n] = s->load[n].status;
	}
	return 0;
}

// Keys must answer and samples be taken under every load, and loads are ordinary processes: a better nice value is enough
// for that. Real-time would let this thread itself delay what it measures. Not allowed: then so be it.
static void
favour_main_thread(void)
{
	setpriority(PRIO_PROCESS, 0, MAIN_NICE);
}

struct session *
session_start(const struct config *c, struct err *e)
{
	struct session *s = session_new(c);
	if (!s) {
		err_set(e, "no memory for a session");
		return NULL;
	}
	s->replay = false;
	host_read(&s->host);
	struct session_private *o = s->own;
	struct err why;
	if (c->dma_latency && (o->dma_fd = dma_latency_hold(&why)) < 0)
		snprintf(o->dma_error, sizeof o->dma_error, "%.119s", why.text);
	o->cpu = cpu_sampler_new(&why);
	if (start_probes(s, e) || prepare_loads(s, e)) {
		session_free(s);
		return NULL;
	}
	s->start_wall_ns = clock_wall_ns();
	s->start_ns = clock_now_ns();
	o->boot_offset_ns = clock_boot_ns() - s->start_ns;
	o->boundary_ns = s->start_ns + TICK_NS;
	o->last_close_ns = s->start_ns;
	o->warm_until_ns = s->start_ns + c->warmup_ns;
	for (int i = 0; i < s->probes; i++)
		if (s->probe[i].probe)
			probe_read(s->probe[i].probe, &s->probe[i].facts);
	for (int i = 0; i < c->load_count; i++)
		for (int k = 0; k < s->loads; k++)
			if (!strcmp(s->load[k].name, c->load[i].name))
				session_load_switch(s, k, true, &why); // a failure is the load's own state
	favour_main_thread();
	validity_check(s);
	return s;
}

void
live_end(struct session *s)
{
	for (int i = 0; i < s->loads; i++)
		if (s->load[i].load)
			load_stop(s->load[i].load);
	for (int i = 0; i < s->loads; i++)
		if (s->load[i].load)
			load_free(s->load[i].load);
	for (int i = 0; i < s->probes; i++)
		if (s->probe[i].probe)
			probe_free(s->probe[i].probe);
	if (s->own->cpu)
		cpu_sampler_free(s->own->cpu);
	if (s->own->dma_fd >= 0)
		close(s->own->dma_fd);
}
