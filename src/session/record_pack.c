// Packs ticks into lines.
// Must not know of files.
#include "session/record_pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session/private.h"

// One quantity of one probe over the pack.
struct track {
	struct dist d;
	int64_t extreme[PACK_BINS]; // the maximum; of headroom the minimum; -1: no data
	double sum[PACK_BINS];
	uint64_t n[PACK_BINS];
};

struct packer {
	struct record_state state;  // what the packs so far have told
	struct text_out text, events;
	bool open, even, failed;
	int64_t first, last;        // tick numbers
	int64_t t_ns, len_ns;
	bool warmup;
	uint64_t load_set;
	struct track *track[PROBES_MAX][Q_COUNT];
	struct probe_facts at_first[PROBES_MAX], facts[PROBES_MAX];
	struct load_tick load[LOADS_MAX];
	int probes, loads;
	double cpu_ticks;            // that the looks stand for
	double cpu[6];               // times ticks
	bool cpu_bin[PACK_BINS];
	double cpu_pct[PACK_BINS][5];
};

struct packer *
packer_new(const struct record_state *at_start)
{
	struct packer *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->state = *at_start;
	return p;
}

void
packer_free(struct packer *p)
{
	if (!p)
		return;
	for (int i = 0; i < PROBES_MAX; i++)
		for (int q = 0; q < Q_COUNT; q++)
			free(p->track[i][q]);
	out_free(&p->text);
	out_free(&p->events);
	free(p);
}

static int
bin_of(const struct packer *p, int64_t number)
{
	return (int)(number / PACK_BIN - p->first / PACK_BIN);
}

static void
digit(struct text_out *o, unsigned v)
{
	out_char(o, PACK_DIGITS[v & 63]);
}

static void
two_digits(struct text_out *o, unsigned v)
{
	digit(o, v >> 6);
	digit(o, v);
}

// Five bits a digit, the lowest first; the sixth says that more follow.
static void
number(struct text_out *o, uint64_t v)
{
	for (; v > 31; v >>= 5)
		digit(o, 32 | (unsigned)(v & 31));
	digit(o, (unsigned)v);
}

static void
put_buckets(struct text_out *o, const struct hist *h)
{
	unsigned before = 0;
	out_key(o, "hist");
	out_char(o, '"');
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		if (h->count[i]) {
			number(o, i - before);
			number(o, h->count[i]);
			before = i;
		}
	out_char(o, '"');
}

static void
put_line(struct text_out *o, const struct track *t, int bins)
{
	out_key(o, "line");
	out_char(o, '"');
	for (int b = 0; b < bins; b++) {
		if (!t->n[b]) {
			out_text(o, "----");
			continue;
		}
		two_digits(o, hist_bucket(t->extreme[b]));
		two_digits(o, hist_bucket((int64_t)(t->sum[b] / (double)t->n[b])));
	}
	out_char(o, '"');
}

static void
put_track(struct text_out *o, const struct track *t, int bins)
{
	const struct sums *s = &t->d.s;
	uint64_t n = sums_n(s);
	out_key(o, "n");
	out_int(o, (int64_t)s->samples);
	if (s->missed) {
		out_key(o, "missed");
		out_int(o, (int64_t)s->missed);
	}
	out_key(o, "min");
	out_int(o, s->min_ns);
	out_key(o, "avg");
	out_int(o, llround(s->sum_ns / (double)n));
	out_key(o, "max");
	out_int(o, s->max_ns);
	out_key(o, "sum");
	out_real(o, s->sum_ns);
	out_key(o, "sumsq");
	out_real(o, s->sumsq_ns2);
	if (s->within[0] != n || s->within[1] != n) {
		out_key(o, "within");
		out_char(o, '[');
		out_int(o, (int64_t)s->within[0]);
		out_char(o, ',');
		out_int(o, (int64_t)s->within[1]);
		out_char(o, ']');
	}
	put_buckets(o, &t->d.h);
	put_line(o, t, bins);
}

static void
put_probes(struct packer *p, const struct session *s, int bins)
{
	struct text_out *o = &p->text;
	out_key(o, "probes");
	out_char(o, '[');
	for (int i = 0; i < p->probes; i++) {
		out_text(o, i ? ",{" : "{");
		record_limits(o, &s->probe[i], p->state.lim[i]);
		for (int q = 0; q < Q_COUNT; q++) {
			struct track *t = p->track[i][q];
			if (!t || !t->d.s.samples)
				continue;
			if (q != Q_LATE) {
				out_key(o, quantity_names[q]);
				out_char(o, '{');
			}
			put_track(o, t, bins);
			if (q != Q_LATE)
				out_char(o, '}');
		}
		record_facts(o, "facts_first", &p->at_first[i], &p->state.facts[i]);
		record_facts(o, "facts", &p->facts[i], &p->at_first[i]);
		out_char(o, '}');
		p->state.facts[i] = p->facts[i];
	}
	out_char(o, ']');
}

static void
put_cpu(struct packer *p, int bins)
{
	struct text_out *o = &p->text;
	if (p->cpu_ticks <= 0)
		return;
	out_key(o, "cpu_ticks");
	out_real(o, p->cpu_ticks);
	out_key(o, "cpu");
	for (int k = 0; k < 6; k++) {
		out_char(o, k ? ',' : '[');
		out_real(o, p->cpu[k] / p->cpu_ticks);
	}
	out_char(o, ']');
	out_key(o, "cpu_line");
	out_char(o, '"');
	for (int b = 0; b < bins; b++)
		for (int k = 0; k < 5; k++) {
			double v = p->cpu_pct[b][k] * PACK_LEVELS / 100;
			if (p->cpu_bin[b])
				digit(o, v < 0 ? 0 : v > PACK_LEVELS ? PACK_LEVELS : (unsigned)v);
			else
				out_char(o, '-');
		}
	out_char(o, '"');
}

static void
clear(struct packer *p)
{
	for (int i = 0; i < PROBES_MAX; i++)
		for (int q = 0; q < Q_COUNT; q++) {
			struct track *t = p->track[i][q];
			if (!t)
				continue;
			dist_reset(&t->d, t->d.lim);
			memset(t->sum, 0, sizeof t->sum);
			memset(t->n, 0, sizeof t->n);
		}
	memset(p->load, 0, sizeof p->load);
	memset(p->cpu, 0, sizeof p->cpu);
	memset(p->cpu_bin, 0, sizeof p->cpu_bin);
	p->cpu_ticks = 0;
	p->len_ns = 0;
	p->open = false;
}

static void
pack_close(struct packer *p, const struct session *s)
{
	struct text_out *o = &p->text;
	if (!p->open)
		return;
	if (p->events.len)
		out_text(o, p->events.text);
	p->events.len = 0;
	int bins = bin_of(p, p->last) + 1;
	struct tick t = {.t_ns = p->t_ns, .len_ns = p->len_ns, .warmup = p->warmup, .load_set = p->load_set, .loads = p->loads, .load = p->load};
	record_tick_head(o, "pack", &t);
	out_key(o, "first");
	out_int(o, p->first);
	put_probes(p, s, bins);
	put_cpu(p, bins);
	record_loads(o, &t, &p->state);
	out_text(o, "}\n");
	clear(p);
}

static struct track *
track_for(struct packer *p, const struct session *s, int i, int q)
{
	struct track *t = p->track[i][q];
	if (!t) {
		t = p->track[i][q] = calloc(1, sizeof *t);
		if (!t) {
			p->failed = true;
			return NULL;
		}
		dist_reset(&t->d, s->probe[i].open[q] ? s->probe[i].open[q]->lim : s->probe[i].total[q]->lim);
	}
	return t;
}

static void
add_slice(struct packer *p, const struct session *s, int i, int q, const struct slice *sl, int bin)
{
	struct track *t = sl && sl->s.samples && s->probe[i].total[q] ? track_for(p, s, i, q) : NULL;
	if (!t)
		return;
	dist_add_slice(&t->d, sl);
	int64_t v = q == Q_HEADROOM ? sl->s.min_ns : sl->s.max_ns;
	if (!t->n[bin] || (q == Q_HEADROOM ? v < t->extreme[bin] : v > t->extreme[bin]))
		t->extreme[bin] = v;
	t->n[bin] += sums_n(&sl->s);
	t->sum[bin] += sl->s.sum_ns;
}

// Does T belong to another pack than the ticks before it?
static bool
breaks(const struct packer *p, const struct session *s, const struct tick *t)
{
	if (t->warmup != p->warmup || t->load_set != p->load_set || t->number - p->last > PACK_BIN ||
	    bin_of(p, t->number) >= PACK_BINS)
		return true;
	for (int i = 0; i < t->probes && i < s->probes; i++) {
		// a doubt that comes and goes inside a pack would be lost
		if (t->probe[i].facts.state != p->facts[i].state || t->probe[i].facts.doubts != p->facts[i].doubts ||
		    t->probe[i].facts.xruns < p->facts[i].xruns)
			return true;
		for (int q = 0; q < Q_COUNT; q++) {
			const struct dist *d = s->probe[i].open[q];
			if (d && p->track[i][q] && memcmp(&d->lim, &p->track[i][q]->d.lim, sizeof d->lim))
				return true;
		}
	}
	for (int i = 0; i < t->loads; i++)
		if (t->load[i].state != p->load[i].state)
			return true;
	return false;
}

static void
begin(struct packer *p, const struct session *s, const struct tick *t)
{
	p->open = true;
	p->first = t->number;
	p->warmup = t->warmup;
	p->load_set = t->load_set;
	for (int i = 0; i < t->probes && i < s->probes; i++)
		p->at_first[i] = t->probe[i].facts;
	for (int i = 0; i < s->probes; i++)
		for (int q = 0; q < Q_COUNT; q++)
			if (p->track[i][q] && s->probe[i].open[q])
				p->track[i][q]->d.lim = s->probe[i].open[q]->lim;
}

static void
add_cpu(struct packer *p, const struct tick *t, int bin)
{
	const struct cpu_pct *c = &t->cpu;
	const double v[6] = {c->user, c->system, c->iowait, c->irq, c->steal, c->idle};
	if (!t->cpu_known)
		return;
	double ticks = session_cpu_ticks(p->state.cpu_tick, t);
	p->state.cpu_tick = t->number;
	p->cpu_ticks += ticks;
	p->cpu_bin[bin] = true;
	for (int k = 0; k < 6; k++)
		p->cpu[k] += v[k] * ticks;
	for (int k = 0; k < 5; k++)
		p->cpu_pct[bin][k] = v[k];
}

void
packer_event(struct packer *p, const struct session *s, const struct event *e)
{
	if (e->kind == EVENT_RESET)
		pack_close(p, s);
	record_event(&p->events, e);
}

void
packer_tick(struct packer *p, const struct session *s, const struct tick *t)
{
	if (p->open && breaks(p, s, t))
		pack_close(p, s);
	if (!p->open)
		begin(p, s, t);
	int bin = bin_of(p, t->number);
	p->last = t->number;
	p->t_ns = t->t_ns;
	p->len_ns += t->len_ns;
	p->probes = t->probes < s->probes ? t->probes : s->probes;
	p->loads = t->loads < LOADS_MAX ? t->loads : LOADS_MAX;
	for (int i = 0; i < p->probes; i++) {
		for (int q = 0; q < Q_COUNT; q++)
			add_slice(p, s, i, q, t->probe[i].slice[q], bin);
		p->facts[i] = t->probe[i].facts;
	}
	for (int i = 0; i < p->loads; i++) {
		uint64_t work = p->load[i].work + t->load[i].work;
		int64_t cpu_ns = p->load[i].cpu_ns + t->load[i].cpu_ns;
		p->load[i] = t->load[i];
		p->load[i].work = work;
		p->load[i].cpu_ns = cpu_ns;
	}
	add_cpu(p, t, bin);
	p->even = t->number % PACK_TICKS == PACK_TICKS - 1 && t->t_ns % TICK_NS == 0;
	if (p->even)
		pack_close(p, s);
}

bool
packer_even(const struct packer *p)
{
	return p->even && !p->failed && !p->text.failed && !p->events.failed && !p->events.len;
}

const struct text_out *
packer_text(const struct packer *p)
{
	return &p->text;
}

void
packer_forget_text(struct packer *p)
{
	p->text.len = 0;
}
