// Makes an empty session from the header of a recording.
// Must not know of files.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "session/options.h"
#include "session/private.h"
#include "session/replay_parse.h"

static void
host_of(struct host *h, json_t *header)
{
	json_t *j = json_object_get(header, "host");
	int64_t v;
	*h = (struct host){0};
	parse_text(j, "name", h->name, sizeof h->name);
	parse_text(j, "kernel", h->kernel, sizeof h->kernel);
	parse_text(j, "version", h->version, sizeof h->version);
	parse_text(j, "preempt", h->preempt, sizeof h->preempt);
	parse_text(j, "model", h->model, sizeof h->model);
	parse_text(j, "governor", h->governor, sizeof h->governor);
	parse_text(j, "clocksource", h->clocksource, sizeof h->clocksource);
	parse_text(j, "idle_driver", h->idle_driver, sizeof h->idle_driver);
	parse_text(j, "hypervisor", h->hypervisor, sizeof h->hypervisor);
	parse_text(header, "boot_id", h->boot_id, sizeof h->boot_id);
	h->is_virtual = json_is_true(json_object_get(j, "virtual"));
	if (parse_int(j, "cpus", 0, 100000, &v))
		h->cpus = (int)v;
	if (parse_int(j, "ram_bytes", 0, INT64_MAX, &v))
		h->ram_bytes = (uint64_t)v;
	if (parse_int(j, "swap_bytes", 0, INT64_MAX, &v))
		h->swap_bytes = (uint64_t)v;
	parse_int(j, "rt_runtime_us", -1, INT64_MAX, &h->rt_runtime_us);
	parse_int(j, "rt_period_us", 0, INT64_MAX, &h->rt_period_us);
}

static void
sizes_of(struct config *c, json_t *j)
{
	const char *key;
	json_t *v;
	json_object_foreach(j, key, v) {
		const char *value = json_string_value(v);
		char arg[80], safe[32];
		if (strncmp(key, "size", 4) || !value || strlen(value) > 30 || strlen(key) > 40)
			continue;
		snprintf(arg, sizeof arg, "%s%s%s", key[4] ? text_safe(safe, sizeof safe, key + 5) : "", key[4] ? "=" : "", value);
		options_set(c, "size", arg, NULL);
	}
}

static void
settings_of(struct config *c, json_t *j)
{
	const char *policy = json_string_value(json_object_get(j, "policy"));
	int64_t v;
	config_defaults(c);
	c->period_frames = 0;
	parse_int(j, "interval_ns", 0, 1LL << 45, &c->interval_ns);
	if (policy)
		policy_parse(policy, &c->policy, NULL);
	if (parse_int(j, "burn_pct", 0, 100, &v))
		c->burn_pct = (int)v;
	if (parse_int(j, "rate", 0, 10000000, &v))
		c->rate = (unsigned)v;
	if (parse_int(j, "periods", 0, 100000, &v))
		c->periods = (unsigned)v;
	if (parse_int(j, "period_frames", 0, 10000000, &v))
		c->period_frames = (unsigned)v;
	if (parse_int(j, "period_bytes", 0, 10000000, &v))
		c->period_bytes = (unsigned)v;
	parse_text(j, "play", c->play, sizeof c->play);
	parse_text(j, "job", c->job, sizeof c->job);
	parse_text(j, "dir", c->dir, sizeof c->dir);
	parse_int(j, "warmup_ns", 0, 1LL << 45, &c->warmup_ns);
	c->dma_latency = json_integer_value(json_object_get(j, "dma_latency")) != 0;
	parse_text(j, "a", c->a, sizeof c->a);
	parse_text(j, "b", c->b, sizeof c->b);
	parse_text(j, "name_a", c->name_a, sizeof c->name_a);
	parse_text(j, "name_b", c->name_b, sizeof c->name_b);
	sizes_of(c, j);
}

static void
probes_of(struct parser *p, json_t *probes)
{
	size_t k;
	json_t *j;
	json_array_foreach(probes, k, j) {
		if (p->probes == PROBES_MAX)
			return;
		const char *name = json_string_value(json_object_get(j, "name"));
		const struct probe_kind *kind = name ? probe_find(name) : NULL;
		char label[40] = "";
		int64_t cpu = -1;
		parse_text(j, "label", label, sizeof label);
		parse_int(j, "cpu", -1, 100000, &cpu);
		p->probe[p->probes++] = kind ? session_add_probe(p->s, kind, (int)cpu, *label ? label : kind->name) : -1;
	}
}

static void
loads_of(struct parser *p, json_t *loads)
{
	size_t k;
	json_t *j;
	json_array_foreach(loads, k, j) {
		if (p->loads == LOADS_MAX)
			return;
		char name[32] = "", unit[24] = "", key[8] = "";
		parse_text(j, "name", name, sizeof name);
		parse_text(j, "unit", unit, sizeof unit);
		parse_text(j, "key", key, sizeof key);
		p->load[p->loads++] = session_add_load(p->s, *name ? name : "?", key[0] > ' ' && key[0] < 127 ? key[0] : 0, unit);
	}
}

void
parse_restart(struct parser *p, json_t *header)
{
	struct session *s = p->s;
	double from = 0;
	for (int i = 0; i < s->probes; i++)
		p->facts[i] = (struct probe_facts){0};
	for (int k = 0; k < p->probes; k++) {
		int i = p->probe[k];
		json_t *j = json_array_get(json_object_get(header, "probes"), (size_t)k);
		if (i < 0)
			continue;
		parse_limits(p, i, j);
		parse_facts(&p->facts[i], json_object_get(j, "facts"));
		s->probe[i].facts = p->facts[i];
	}
	for (int k = 0; k < p->loads; k++) {
		int64_t level = 0;
		parse_int(json_array_get(json_object_get(header, "loads"), (size_t)k), "level", 0, 100000, &level);
		if (p->load[k] < 0)
			continue;
		p->status[p->load[k]] = (struct load_status){.level = (int)level, .cpu_pct = NAN};
		s->load[p->load[k]].status = p->status[p->load[k]];
	}
	p->events = 0;
	parse_real(header, "from", 0, 1e9, &from);
	p->last_ns = from > 0 ? llround(from * 1e9) : 0;
}

struct session *
parse_header(struct parser *p, json_t *j, struct err *e)
{
	struct config c;
	int64_t format = 1;
	*p = (struct parser){0};
	parse_int(j, "format", 0, INT64_MAX, &format);
	if (format < 1) {
		err_set(e, "its format %lld is not known", (long long)format);
		return NULL;
	}
	settings_of(&c, json_object_get(j, "settings"));
	p->s = session_new(&c);
	if (!p->s) {
		err_set(e, "no memory for a session");
		return NULL;
	}
	host_of(&p->s->host, j);
	parse_text(json_object_get(j, "settings"), "dma_error", p->s->own->dma_error, sizeof p->s->own->dma_error);
	parse_int(j, "start_wall_ns", 0, INT64_MAX, &p->s->start_wall_ns);
	probes_of(p, json_object_get(j, "probes"));
	loads_of(p, json_object_get(j, "loads"));
	parse_restart(p, j);
	if (!p->s->probes) {
		err_set(e, "it has no probe that this program knows");
		session_free(p->s);
		p->s = NULL;
	}
	return p->s;
}
