// Fills the slots: blocks of one second, longer ones where there are too many.
// Must not know what is concluded from them.
#include "session/slot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "session/private.h"

#define BLOCK_S 0.95 // a second, less the unevenness of ticks

struct slots_private {
	int asked;                        // open, as soon as the events on their way are applied; -1: none
	int round;
	bool all;                         // everything is one capture, whatever the events say
	int mark_of;                      // then: the slot that had the mark, -1: none yet, SLOT_COUNT: several had one
	double block_s[SLOT_COUNT];       // how long blocks now are
	struct slot_part *part;           // of the block that is being filled, NULL: none
	struct slot_block block;
	struct dist *dist[PROBES_MAX];    // its values
	uint64_t xruns[PROBES_MAX];       // of the tick before
	uint64_t load_set;                // of the part at hand
};

static void
block_free(struct slot_block *b, int probes)
{
	for (int i = 0; b->late && i < probes; i++)
		free(b->late[i]);
	free(b->late);
	free(b->xruns);
	*b = (struct slot_block){0};
}

static void
slot_empty(struct slot *slot)
{
	for (int i = 0; i < slot->parts; i++) {
		for (int k = 0; k < slot->part[i].blocks; k++)
			block_free(&slot->part[i].block[k], slot->probes);
		free(slot->part[i].block);
	}
	memset(slot, 0, sizeof *slot);
}

// Adds B to A, which comes just before it; B is empty after. Returns -1 where there is no memory: A is as before.
static int
block_join(struct slot_block *a, struct slot_block *b, int probes)
{
	struct dist *d = malloc(sizeof *d);
	if (!d)
		return -1;
	for (int i = 0; i < probes; i++) {
		if (b->late[i] && a->late[i]) {
			dist_reset(d, (struct limits){0});
			dist_add_slice(d, a->late[i]);
			dist_add_slice(d, b->late[i]);
			struct slice *both = dist_to_slice(d);
			if (!both)
				continue;
			free(a->late[i]);
			a->late[i] = both;
		} else if (b->late[i]) {
			a->late[i] = b->late[i];
			b->late[i] = NULL;
		}
		a->xruns[i] += b->xruns[i];
	}
	free(d);
	a->s += b->s;
	a->cpu += b->cpu;
	a->cpu_looks += b->cpu_looks;
	for (int i = 0; i < SLOT_LOADS; i++)
		a->work[i] += b->work[i];
	block_free(b, probes);
	return 0;
}

// Makes room: joins neighbours of the same round; where each round is one block already, every second round becomes
// part of the one before, in both slots.
static void
part_thin(struct slot_part *p, int probes, int round_bits)
{
	int n = 0;
	for (int i = 0; i < p->blocks; i++) {
		bool pair = i + 1 < p->blocks && p->block[i].round >> round_bits == p->block[i + 1].round >> round_bits;
		if (pair && block_join(&p->block[i], &p->block[i + 1], probes))
			pair = false;
		p->block[n++] = p->block[i];
		i += pair;
	}
	p->blocks = n;
}

static int
part_add(struct slots *sl, int which, struct slot_part *p, const struct slot_block *b)
{
	struct slot *slot = &sl->slot[which];
	if (!p->block)
		p->block = malloc(sizeof *p->block * SLOT_BLOCKS);
	if (!p->block)
		return -1;
	if (p->blocks == SLOT_BLOCKS) {
		part_thin(p, slot->probes, 0);
		sl->own->block_s[which] *= 2;
	}
	for (int bits = 1; p->blocks == SLOT_BLOCKS && bits < 16; bits++)
		part_thin(p, slot->probes, bits);
	if (p->blocks == SLOT_BLOCKS)
		return -1;
	p->block[p->blocks++] = *b;
	return 0;
}

static void
block_close(struct slots *sl)
{
	struct slots_private *o = sl->own;
	struct slot_part *p = o->part;
	o->part = NULL;
	if (!p || sl->open < 0)
		return;
	struct slot *slot = &sl->slot[sl->open];
	for (int i = 0; i < slot->probes; i++)
		if (o->dist[i] && o->dist[i]->s.samples) {
			o->block.late[i] = dist_to_slice(o->dist[i]);
			dist_reset(o->dist[i], o->dist[i]->lim);
		}
	if (o->block.s <= 0 || part_add(sl, sl->open, p, &o->block))
		block_free(&o->block, slot->probes);
	o->block = (struct slot_block){0};
	sl->version++;
}

static struct slot_part *
part_find(struct slot *slot, const struct session *s, uint64_t set)
{
	char name[sizeof slot->part[0].name];
	session_load_set_name(s, set, name, sizeof name);
	for (int i = 0; i < slot->parts; i++)
		if (!strcmp(slot->part[i].name, name))
			return &slot->part[i];
	if (slot->parts == SLOT_PARTS)
		return NULL;
	struct slot_part *p = &slot->part[slot->parts++];
	*p = (struct slot_part){0};
	snprintf(p->name, sizeof p->name, "%s", name);
	for (int i = 0; i < s->loads && p->loads < SLOT_LOADS; i++)
		if (set & 1ull << i) {
			struct slot_load *l = &p->load[p->loads++];
			snprintf(l->name, sizeof l->name, "%s", s->load[i].name);
			snprintf(l->unit, sizeof l->unit, "%s", s->load[i].unit);
		}
	return p;
}

static bool
block_open(struct slots *sl, const struct session *s, uint64_t set)
{
	struct slots_private *o = sl->own;
	struct slot *slot = &sl->slot[sl->open];
	o->part = part_find(slot, s, set);
	if (!o->part)
		return false;
	o->load_set = set;
	o->block = (struct slot_block){.round = o->round};
	o->block.late = calloc((size_t)slot->probes + 1, sizeof *o->block.late);
	o->block.xruns = calloc((size_t)slot->probes + 1, sizeof *o->block.xruns);
	if (o->block.late && o->block.xruns)
		return true;
	block_free(&o->block, slot->probes);
	o->part = NULL;
	return false;
}

static void
note_change(struct slot_probe *p, const struct probe_facts *f)
{
	const struct probe_facts *b = &p->facts;
	if (!f->effective_known || *p->changed)
		return;
	char was[24], is[24];
	if (b->effective.kind != f->effective.kind || b->effective.priority != f->effective.priority)
		snprintf(p->changed, sizeof p->changed, "policy from %s to %s", policy_text(was, sizeof was, b->effective),
		    policy_text(is, sizeof is, f->effective));
	else if (b->period_frames != f->period_frames || b->periods != f->periods || b->rate != f->rate)
		snprintf(p->changed, sizeof p->changed, "buffer from %ux%u to %ux%u", b->periods, b->period_frames, f->periods,
		    f->period_frames);
	else if (b->interval_ns != f->interval_ns && !*b->device)
		snprintf(p->changed, sizeof p->changed, "interval");
}

static void
take_probe(struct slots *sl, struct session *s, const struct tick *t, int i)
{
	struct slots_private *o = sl->own;
	struct slot *slot = &sl->slot[sl->open];
	struct slot_probe *p = &slot->probe[i];
	const struct probe_facts *f = &t->probe[i].facts;
	const struct slice *late = t->probe[i].slice[Q_LATE];
	if (!p->known && f->effective_known) {
		p->facts = *f;
		p->known = true;
	} else if (p->known) {
		note_change(p, f);
	}
	if (f->xruns > o->xruns[i])
		o->block.xruns[i] += (double)(f->xruns - o->xruns[i]);
	if (!late)
		return;
	struct limits lim = s->probe[i].total[Q_LATE] ? s->probe[i].total[Q_LATE]->lim : (struct limits){0};
	if (!o->dist[i]) {
		o->dist[i] = malloc(sizeof *o->dist[i]);
		if (!o->dist[i])
			return;
		dist_reset(o->dist[i], lim);
	}
	dist_add_slice(o->dist[i], late);
}

static void
take_loads(struct slots_private *o, const struct session *s, const struct tick *t)
{
	for (int i = 0, k = 0; i < t->loads && i < s->loads && k < o->part->loads; i++) {
		if (!(t->load_set & 1ull << i))
			continue;
		struct slot_load *l = &o->part->load[k];
		o->block.work[k++] += (double)t->load[i].work;
		if (!l->level || t->load[i].level < l->level)
			l->level = t->load[i].level;
		if (t->load[i].level > l->level_max)
			l->level_max = t->load[i].level;
	}
}

static void
describe(struct slot *slot, const struct session *s)
{
	snprintf(slot->machine, sizeof slot->machine, "%s", s->host.name);
	snprintf(slot->kernel, sizeof slot->kernel, "%s", s->host.kernel);
	for (int i = slot->probes; i < s->probes; i++) {
		struct slot_probe *p = &slot->probe[i];
		snprintf(p->label, sizeof p->label, "%s", s->probe[i].label);
		snprintf(p->kind, sizeof p->kind, "%s", s->probe[i].kind->name);
	}
	if (!slot->parts) // later ones have no place in the blocks that are there
		slot->probes = s->probes;
}

static void
on_tick(void *data, struct session *s, const struct tick *t)
{
	struct slots *sl = data;
	struct slots_private *o = sl->own;
	if (sl->open >= 0 && !t->warmup) {
		struct slot *slot = &sl->slot[sl->open];
		describe(slot, s);
		if (o->part && (o->load_set != t->load_set || o->block.s >= o->block_s[sl->open] * BLOCK_S))
			block_close(sl);
		if (o->part || block_open(sl, s, t->load_set)) {
			double len_s = (double)t->len_ns / 1e9;
			for (int i = 0; i < slot->probes && i < t->probes; i++)
				take_probe(sl, s, t, i);
			take_loads(o, s, t);
			if (t->cpu_known) {
				o->block.cpu += cpu_busy(&t->cpu);
				o->block.cpu_looks++;
			}
			o->block.s += len_s;
			o->part->s += len_s;
			slot->s += len_s;
		}
	}
	for (int i = 0; i < t->probes && i < PROBES_MAX; i++)
		o->xruns[i] = t->probe[i].facts.xruns;
}

static void
begin(struct slots *sl, int which, int round, const char *name, int64_t t_ns)
{
	block_close(sl);
	sl->open = which;
	sl->own->round = round;
	sl->since_ns = t_ns;
	sl->slot[which].marked = false;
	text_safe(sl->slot[which].name, sizeof sl->slot[which].name, name);
	sl->version++;
}

// A recording that is one capture has a mark of its own where not more than one slot was marked in it.
static void
take_mark(struct slots *sl, int which, int mark)
{
	struct slots_private *o = sl->own;
	if (o->all) {
		if (sl->open < 0)
			return;
		o->mark_of = o->mark_of == -1 || o->mark_of == which ? which : SLOT_COUNT;
		which = sl->open;
	}
	sl->slot[which].marked = o->mark_of != SLOT_COUNT;
	sl->slot[which].sound_mark = sl->slot[which].marked ? mark : 0;
	sl->version++;
}

static void
on_event(void *data, struct session *s, const struct event *e)
{
	struct slots *sl = data;
	(void)s;
	if (e->kind == EVENT_RESET && sl->open >= 0) {
		sl->since_ns = e->t_ns;
		return;
	}
	if (e->kind != EVENT_SLOT || e->which < 0 || e->which >= SLOT_COUNT)
		return;
	if (e->value <= SLOT_MARKED && e->value >= SLOT_MARKED - SOUND_MARK_MAX)
		take_mark(sl, e->which, (int)(SLOT_MARKED - e->value));
	if (sl->own->all)
		return;
	if (e->value == SLOT_CLEARED) {
		if (sl->open == e->which)
			block_close(sl);
		slot_empty(&sl->slot[e->which]);
		sl->own->block_s[e->which] = 1;
		sl->version++;
	} else if (e->value == SLOT_ENDED) {
		block_close(sl);
		sl->open = -1;
	} else if (e->value >= SLOT_BEGINS && e->value <= INT32_MAX) {
		begin(sl, e->which, (int)(e->value - SLOT_BEGINS), e->text, e->t_ns);
	}
}

static void
on_end(void *data, struct session *s)
{
	struct slots *sl = data;
	s->own->slots = NULL;
	if (sl->open >= 0)
		block_close(sl);
	for (int i = 0; i < SLOT_COUNT; i++)
		slot_empty(&sl->slot[i]);
	for (int i = 0; i < PROBES_MAX; i++)
		free(sl->own->dist[i]);
	free(sl->own);
	free(sl);
}

int
slots_attach(struct session *s)
{
	struct slots *sl = calloc(1, sizeof *sl);
	if (!sl)
		return -1;
	sl->own = calloc(1, sizeof *sl->own);
	if (!sl->own || session_hook_add(s, (struct session_hook){sl, on_tick, on_event, on_end})) {
		free(sl->own);
		free(sl);
		return -1;
	}
	sl->open = sl->own->asked = sl->own->mark_of = -1;
	sl->own->block_s[SLOT_A] = sl->own->block_s[SLOT_B] = 1;
	s->own->slots = sl;
	return 0;
}

struct slots *
session_slots(const struct session *s)
{
	return s->own->slots;
}

void
slots_begin(struct session *s, enum slot_id which, int round, const char *name)
{
	if (!s->own->slots || s->replay)
		return;
	s->own->slots->own->asked = (int)which;
	session_event(s, EVENT_SLOT, (int)which, SLOT_BEGINS + round, name);
}

void
slots_end(struct session *s)
{
	struct slots *sl = s->own->slots;
	if (!sl || sl->own->asked < 0)
		return;
	session_event(s, EVENT_SLOT, sl->own->asked, SLOT_ENDED, sl->slot[sl->own->asked].name);
	sl->own->asked = -1;
}

void
slots_clear(struct session *s, enum slot_id which)
{
	if (s->own->slots)
		session_event(s, EVENT_SLOT, (int)which, SLOT_CLEARED, "");
}

void
slots_mark(struct session *s, enum slot_id which, int mark)
{
	char text[24];
	if (!s->own->slots || s->replay || mark < 0 || mark > SOUND_MARK_MAX)
		return;
	snprintf(text, sizeof text, "sound mark %d", mark);
	session_event(s, EVENT_SLOT, (int)which, SLOT_MARKED - mark, text);
}

int
sound_mark_read(const char *text, int *mark)
{
	size_t from = strspn(text, " "), digits = strspn(text + from, "0123456789");
	const char *end = text + from + digits;
	if (!text[from])
		return 0;
	if (!digits || digits > 2 || end[strspn(end, " ")])
		return -1;
	int v = text[from] - '0';
	if (digits == 2)
		v = 10 * v + text[from + 1] - '0';
	if (v > SOUND_MARK_MAX)
		return -1;
	*mark = v;
	return 1;
}

int
slots_asked(const struct session *s)
{
	return s->own->slots ? s->own->slots->own->asked : -1;
}

void
slots_move(struct slots *to, enum slot_id which, struct slots *from, enum slot_id from_which)
{
	block_close(from);
	if (to->open == (int)which) {
		block_close(to);
		to->open = to->own->asked = -1;
	}
	slot_empty(&to->slot[which]);
	to->slot[which] = from->slot[from_which];
	to->own->block_s[which] = from->own->block_s[from_which];
	memset(&from->slot[from_which], 0, sizeof from->slot[from_which]);
	to->version++;
	from->version++;
}

void
slots_capture_all(struct session *s, enum slot_id which, const char *name)
{
	struct slots *sl = s->own->slots;
	if (!sl)
		return;
	begin(sl, (int)which, 0, name, 0);
	sl->own->all = true;
}

void
slots_reset(struct session *s)
{
	struct slots *sl = s->own->slots;
	if (!sl)
		return;
	block_close(sl);
	for (int i = 0; i < SLOT_COUNT; i++) {
		slot_empty(&sl->slot[i]);
		sl->own->block_s[i] = 1;
	}
	sl->open = sl->own->asked = sl->own->mark_of = -1;
	memset(sl->own->xruns, 0, sizeof sl->own->xruns);
	sl->version++;
}
