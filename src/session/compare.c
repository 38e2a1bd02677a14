// Lines up what two slots have in common and has it compared.
// Must not know the words for it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "session/verdict.h"

#define ROUNDS_KEEP 0.75 // of the time captured must lie in rounds that both have, else they are not taken as rounds

static const struct slot_part *
part_named(const struct slot *s, const char *name)
{
	for (int i = 0; i < s->parts; i++)
		if (!strcmp(s->part[i].name, name))
			return &s->part[i];
	return NULL;
}

static int
probe_named(const struct slot *s, const char *label)
{
	for (int i = 0; i < s->probes; i++)
		if (!strcmp(s->probe[i].label, label))
			return i;
	return -1;
}

static bool
round_in(const struct slot_part *p, int round)
{
	for (int i = 0; i < p->blocks; i++)
		if (p->block[i].round == round)
			return true;
	return false;
}

static bool
rounds_hold(const struct slot_part *a, const struct slot_part *b)
{
	double shared = 0, all = 0;
	const struct slot_part *part[2] = {a, b};
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < part[k]->blocks; i++) {
			all += part[k]->block[i].s;
			if (round_in(part[!k], part[k]->block[i].round))
				shared += part[k]->block[i].s;
		}
	return shared >= ROUNDS_KEEP * all;
}

// What is taken of a block: values of probe I, or an amount.
enum take { TAKE_LATE, TAKE_XRUNS, TAKE_CPU, TAKE_WORK };

static struct ab_side
side_make(struct ab_block *out, const struct slot_part *p, bool rounds, enum take take, int i)
{
	for (int k = 0; k < p->blocks; k++) {
		const struct slot_block *b = &p->block[k];
		out[k] = (struct ab_block){.round = rounds ? b->round : 0, .s = b->s, .per = b->s};
		if (take == TAKE_LATE) {
			out[k].slice = b->late[i];
		} else if (take == TAKE_XRUNS) {
			out[k].amount = b->xruns[i];
		} else if (take == TAKE_CPU) {
			out[k].amount = b->cpu;
			out[k].per = b->cpu_looks;
		} else {
			out[k].amount = b->work[i];
		}
	}
	return (struct ab_side){out, p->blocks};
}

struct pair {
	const struct slot *slot[2];
	const struct slot_part *part[2];
	int probe[2];
	bool rounds;
	struct ab_block *block[2]; // room
};

static int
rate(struct pair *p, enum take take, int ia, int ib, double scale, bool points, struct ab_change *out)
{
	struct ab_side a = side_make(p->block[0], p->part[0], p->rounds, take, ia);
	struct ab_side b = side_make(p->block[1], p->part[1], p->rounds, take, ib);
	return ab_rate(a, b, scale, points, out);
}

static int
compare_work(struct pair *p, struct verdict_row *r)
{
	for (int i = 0; i < p->part[0]->loads; i++)
		for (int k = 0; k < p->part[1]->loads; k++) {
			const struct slot_load *l = &p->part[0]->load[i];
			if (strcmp(l->name, p->part[1]->load[k].name))
				continue;
			struct verdict_work *w = &r->work[r->works++];
			snprintf(w->name, sizeof w->name, "%s", l->name);
			snprintf(w->unit, sizeof w->unit, "%s", l->unit);
			if (rate(p, TAKE_WORK, i, k, 1, false, &w->change))
				return -1;
			break;
		}
	return 0;
}

static void
why_not_loads(const struct pair *p, char *buf, size_t size)
{
	for (int i = 0; i < p->part[0]->loads; i++)
		for (int k = 0; k < p->part[1]->loads; k++) {
			const struct slot_load *a = &p->part[0]->load[i], *b = &p->part[1]->load[k];
			if (strcmp(a->name, b->name) || (a->level == b->level && a->level_max == b->level_max))
				continue;
			if (a->level != a->level_max || b->level != b->level_max)
				snprintf(buf, size, "the level of %s changed while capturing", a->name);
			else
				snprintf(buf, size, "%s ran at level %d in A, %d in B", a->name, a->level, b->level);
			return;
		}
}

// Fills BUF with the first reason why the two cannot be compared.
static void
why_not(const struct pair *p, char *buf, size_t size)
{
	const struct slot_probe *a = &p->slot[0]->probe[p->probe[0]], *b = &p->slot[1]->probe[p->probe[1]];
	const struct probe_facts *fa = &a->facts, *fb = &b->facts;
	char x[24], y[24];
	*buf = 0;
	if (*a->changed || *b->changed)
		snprintf(buf, size, "%s changed its %s", *a->changed ? "A" : "B", *a->changed ? a->changed : b->changed);
	else if (!a->known || !b->known)
		return why_not_loads(p, buf, size);
	else if (fa->effective.kind != fb->effective.kind || fa->effective.priority != fb->effective.priority)
		snprintf(buf, size, "A ran at %s, B at %s", policy_text(x, sizeof x, fa->effective), policy_text(y, sizeof y, fb->effective));
	else if (strcmp(fa->device, fb->device))
		snprintf(buf, size, "A played on %s, B on %s", fa->device, fb->device);
	else if (fa->rate != fb->rate || fa->periods != fb->periods || fa->period_frames != fb->period_frames)
		snprintf(buf, size, "A played %ux%u at %u Hz, B %ux%u at %u Hz", fa->periods, fa->period_frames, fa->rate, fb->periods,
		    fb->period_frames, fb->rate);
	else if (!*fa->device && fa->interval_ns != fb->interval_ns)
		snprintf(buf, size, "A woke every %s, B every %s", text_ns(x, sizeof x, fa->interval_ns, true),
		    text_ns(y, sizeof y, fb->interval_ns, true));
	else if ((fa->burn_ns > 0) != (fb->burn_ns > 0) || llabs((long long)(fa->burn_ns - fb->burn_ns)) > fa->burn_ns / 20)
		snprintf(buf, size, "the CPU loop was %s in A, %s in B", text_ns(x, sizeof x, fa->burn_ns, true),
		    text_ns(y, sizeof y, fb->burn_ns, true));
	else
		why_not_loads(p, buf, size);
}

static struct dist *
dist_of(const struct slot_part *p, int probe)
{
	struct dist *d = malloc(sizeof *d);
	if (!d)
		return NULL;
	dist_reset(d, (struct limits){0});
	for (int i = 0; i < p->blocks; i++)
		if (p->block[i].late[probe])
			dist_add_slice(d, p->block[i].late[probe]);
	return d;
}

static int
compare_probe(struct pair *p, struct verdict_row *r)
{
	const struct slot_probe *probe = &p->slot[0]->probe[p->probe[0]];
	int r0 = p->probe[0], r1 = p->probe[1];
	snprintf(r->load, sizeof r->load, "%s", p->part[0]->name);
	snprintf(r->probe, sizeof r->probe, "%s", probe->label);
	snprintf(r->kind, sizeof r->kind, "%s", probe->kind);
	why_not(p, r->why_not, sizeof r->why_not);
	struct ab_side a = side_make(p->block[0], p->part[0], p->rounds, TAKE_LATE, r0);
	struct ab_side b = side_make(p->block[1], p->part[1], p->rounds, TAKE_LATE, r1);
	if (ab_compare(a, b, r->figure, &r->design) || rate(p, TAKE_XRUNS, r0, r1, 60, true, &r->xruns) ||
	    rate(p, TAKE_CPU, 0, 0, 1, true, &r->cpu) || compare_work(p, r))
		return -1;
	if (strcmp(r->kind, "audio"))
		r->xruns = (struct ab_change){.a = NAN, .b = NAN, .change = NAN, .lo = NAN, .hi = NAN, .p = 1, .se = NAN, .lack = AB_EMPTY};
	for (int k = 0; k < 2; k++) {
		r->dist[k] = dist_of(p->part[k], p->probe[k]);
		if (!r->dist[k])
			return -1;
	}
	return 0;
}

static int
compare_part(struct verdict *v, struct pair *p)
{
	static const char *const order[] = {"audio", "timer", "echo", "job"};
	int first = v->rows, best = -1;
	for (int i = 0; i < p->slot[0]->probes; i++) {
		p->probe[0] = i;
		p->probe[1] = probe_named(p->slot[1], p->slot[0]->probe[i].label);
		if (p->probe[1] < 0)
			continue;
		struct verdict_row *r = &v->row[v->rows++]; // also where it fails: it is freed
		if (compare_probe(p, r))
			return -1;
		if (r->figure[AB_MEAN].lack == AB_EMPTY) { // a probe that says nothing on a side
			free(r->dist[0]);
			free(r->dist[1]);
			memset(r, 0, sizeof *r);
			v->rows--;
		}
	}
	for (size_t k = 0; k < sizeof order / sizeof *order && best < 0; k++)
		for (int i = first; i < v->rows && best < 0; i++)
			if (!strcmp(v->row[i].kind, order[k]))
				best = i;
	if (best < 0 && v->rows > first)
		best = first;
	if (best >= 0)
		v->row[best].main = true;
	return 0;
}

static void
note(struct verdict *v, const struct slot *a, const struct slot *b)
{
	bool turns = true;
	for (int i = 0; i < v->rows; i++)
		turns &= v->row[i].design.turns;
	if (v->rows && !turns)
		snprintf(v->note, sizeof v->note, "A and B were taken one after the other: a drift of the machine would look the same");
	else if (!v->rows && a->s > 0 && b->s > 0)
		snprintf(v->note, sizeof v->note, "A and B have no probe and set of loads in common");
}

struct verdict *
verdict_make(const struct slot *a, const struct slot *b)
{
	struct verdict *v = calloc(1, sizeof *v);
	struct pair p = {.slot = {a, b}};
	int r = -1;
	p.block[0] = malloc(sizeof(struct ab_block) * SLOT_BLOCKS);
	p.block[1] = malloc(sizeof(struct ab_block) * SLOT_BLOCKS);
	if (v && p.block[0] && p.block[1]) {
		size_t rows = (size_t)a->parts * (size_t)a->probes + 1;
		snprintf(v->name[0], sizeof v->name[0], "%s", *a->name ? a->name : "A");
		snprintf(v->name[1], sizeof v->name[1], "%s", *b->name ? b->name : "B");
		v->sound_mark[0] = a->marked ? a->sound_mark : -1;
		v->sound_mark[1] = b->marked ? b->sound_mark : -1;
		v->row = calloc(rows, sizeof *v->row);
		r = v->row ? 0 : -1;
		for (int i = 0; i < a->parts && !r; i++) {
			p.part[0] = &a->part[i];
			p.part[1] = part_named(b, a->part[i].name);
			if (!p.part[1])
				continue;
			p.rounds = rounds_hold(p.part[0], p.part[1]);
			r = compare_part(v, &p);
		}
	}
	free(p.block[0]);
	free(p.block[1]);
	if (r) {
		verdict_free(v);
		return NULL;
	}
	note(v, a, b);
	return v;
}

void
verdict_free(struct verdict *v)
{
	if (!v)
		return;
	for (int i = 0; v->row && i < v->rows; i++) {
		free(v->row[i].dist[0]);
		free(v->row[i].dist[1]);
	}
	free(v->row);
	free(v);
}
