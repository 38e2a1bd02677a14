// The figures under each set of loads that was seen: rows of the table view and of every comparison.
// Must not know who shows them.
#include <stdlib.h>
#include <string.h>

#include "session/private.h"

static struct dist **
dists_new(const struct session *s, enum quantity q)
{
	bool any = false;
	for (int i = 0; i < s->probes; i++)
		any |= s->probe[i].total[q] != NULL;
	if (!any)
		return NULL;
	return calloc(PROBES_MAX, sizeof(struct dist *));
}

static void
dists_free(struct dist **d)
{
	for (int i = 0; d && i < PROBES_MAX; i++)
		free(d[i]);
	free(d);
}

void
condition_clear(struct session *s)
{
	for (int i = 0; i < s->conditions; i++) {
		struct condition *c = &s->condition[i];
		dists_free(c->late);
		dists_free(c->interval);
		dists_free(c->burn);
		free(c->xruns);
	}
	memset(s->condition, 0, sizeof s->condition);
	s->conditions = 0;
}

static struct condition *
condition_find(struct session *s, uint64_t set)
{
	for (int i = 0; i < s->conditions; i++)
		if (s->condition[i].load_set == set)
			return &s->condition[i];
	if (s->conditions == CONDITIONS_MAX)
		return NULL;
	struct condition *c = &s->condition[s->conditions++];
	*c = (struct condition){.load_set = set};
	session_load_set_name(s, set, c->name, sizeof c->name);
	c->late = dists_new(s, Q_LATE);
	c->interval = dists_new(s, Q_INTERVAL);
	c->burn = dists_new(s, Q_BURN);
	c->xruns = calloc(PROBES_MAX, sizeof *c->xruns);
	return c;
}

static void
add(struct dist **d, int i, const struct slice *slice, const struct dist *like)
{
	if (!d || !slice || !like)
		return;
	if (!d[i]) {
		d[i] = malloc(sizeof **d);
		if (!d[i])
			return;
		dist_reset(d[i], like->lim);
	}
	d[i]->lim = like->lim;
	dist_add_slice(d[i], slice);
}

void
condition_apply(struct session *s, const struct tick *t)
{
	struct condition *c = condition_find(s, t->load_set);
	if (!c)
		return;
	double len_s = t->len_ns / 1e9;
	c->elapsed_s += len_s;
	for (int i = 0; i < t->probes && i < s->probes; i++) {
		const struct probe_tick *p = &t->probe[i];
		add(c->late, i, p->slice[Q_LATE], s->probe[i].total[Q_LATE]);
		add(c->interval, i, p->slice[Q_INTERVAL], s->probe[i].total[Q_INTERVAL]);
		add(c->burn, i, p->slice[Q_BURN], s->probe[i].total[Q_BURN]);
		if (c->xruns && p->facts.xruns > s->probe[i].facts.xruns)
			c->xruns[i] += p->facts.xruns - s->probe[i].facts.xruns;
	}
	if (t->cpu_known) {
		double cpu_s = session_cpu_ticks(s->own->cpu_tick, t) * TICK_NS / 1e9;
		c->cpu_sum.user += t->cpu.user * cpu_s;
		c->cpu_sum.system += t->cpu.system * cpu_s;
		c->cpu_sum.iowait += t->cpu.iowait * cpu_s;
		c->cpu_sum.irq += t->cpu.irq * cpu_s;
		c->cpu_sum.steal += t->cpu.steal * cpu_s;
		c->cpu_sum.idle += t->cpu.idle * cpu_s;
		c->cpu_s += cpu_s;
	}
	for (int i = 0; i < t->loads && i < s->loads; i++)
		if (t->load_set & 1ull << i) {
			c->work[i] += (double)t->load[i].work;
			c->load_cpu_s[i] += t->load[i].cpu_ns / 1e9;
		}
}
