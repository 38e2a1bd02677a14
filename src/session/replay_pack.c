// Takes packs apart: as many ticks as a graph can still tell apart, which add up to exactly what the pack says.
// Must not know of files.
#include "session/replay_pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/series.h"
#include "session/private.h"
#include "session/record_pack.h"
#include "session/record_text.h"

#define PIECES_MAX (PACK_TICKS + 1)
#define NONE 0xffffu

// One quantity of one probe, as the line says it.
struct part {
	struct slice *whole;
	uint16_t extreme[PACK_BINS], avg[PACK_BINS]; // buckets; NONE: no data
	bool least;              // the extreme is the minimum
	double weight, sum;      // of all pieces; sum: by the line's averages
	double weight_so_far, sum_so_far;
	struct sums given;       // to the pieces so far
	struct share *bucket;    // of each of the whole's buckets
};

// How a bucket is spread: over the pieces whose extreme lets it be theirs.
struct share {
	uint32_t pieces, so_far;
	uint64_t given;
};

struct piece {
	int64_t number, t_ns;
	int from, to;  // bins [from, to)
	double weight; // in ticks
};

struct unpack {
	struct parser *p;
	json_t *j;
	int64_t first, last, t_ns, len_ns;
	int bins, pieces;
	struct part part[PROBES_MAX][Q_COUNT];
	struct piece piece[PIECES_MAX];
	int done;      // pieces
	struct probe_facts at_first[PROBES_MAX];
	struct cpu_pct cpu_mean;
	bool cpu_known;
	double cpu_ticks;
	bool cpu_bin[PACK_BINS];
	double cpu[PACK_BINS][5], cpu_shift[5];
	uint64_t work[LOADS_MAX];
	int64_t cpu_ns[LOADS_MAX];
};

static int
value_of(char c)
{
	const char *at = c ? strchr(PACK_DIGITS, c) : NULL;
	return at ? (int)(at - PACK_DIGITS) : -1;
}

// The next number of a string of buckets; -1 at its end or where it makes no sense.
static int64_t
next_number(const char **s)
{
	int64_t v = 0;
	for (int shift = 0; shift < 55; shift += 5) {
		int d = value_of(**s);
		if (d < 0)
			return -1;
		++*s;
		v |= (int64_t)(d & 31) << shift;
		if (d < 32)
			return v;
	}
	return -1;
}

// As parse_slice(), with the buckets of a pack.
static struct slice *
whole_slice(json_t *j)
{
	const char *hist = json_string_value(json_object_get(j, "hist"));
	struct slice *s = hist ? parse_slice(j) : NULL, *big;
	if (!s || !(big = realloc(s, sizeof *s + HIST_BUCKETS * sizeof s->b[0]))) {
		free(s);
		return NULL;
	}
	int64_t index = 0, step, n;
	big->buckets = 0;
	while (big->buckets < HIST_BUCKETS && (step = next_number(&hist)) >= 0 && (n = next_number(&hist)) >= 0) {
		index += step;
		if (index >= HIST_BUCKETS)
			break;
		if (n > 0)
			big->b[big->buckets++] = (struct bucket){(uint16_t)index, n > UINT32_MAX ? UINT32_MAX : (uint32_t)n};
	}
	return big;
}

static unsigned
two(const char *s)
{
	int a = value_of(s[0]), b = value_of(s[1]);
	return a < 0 || b < 0 || a * 64 + b >= HIST_BUCKETS ? NONE : (unsigned)(a * 64 + b);
}

static void
read_part(struct unpack *u, struct part *p, json_t *j)
{
	const char *line = json_string_value(json_object_get(j, "line"));
	size_t len = line ? strlen(line) : 0;
	bool any = false;
	p->whole = whole_slice(j);
	for (int b = 0; b < u->bins; b++) {
		bool there = (size_t)b * 4 + 4 <= len;
		p->extreme[b] = (uint16_t)(there ? two(line + b * 4) : NONE);
		p->avg[b] = (uint16_t)(there ? two(line + b * 4 + 2) : NONE);
		if (p->extreme[b] == NONE || p->avg[b] == NONE)
			p->extreme[b] = p->avg[b] = NONE;
		any |= p->avg[b] != NONE;
	}
	if (p->whole && !any) { // then it all goes to the last bin
		p->extreme[u->bins - 1] = (uint16_t)hist_bucket(p->whole->s.max_ns);
		p->avg[u->bins - 1] = (uint16_t)hist_bucket(p->whole->s.max_ns);
	}
}

static void
read_cpu(struct unpack *u)
{
	const char *line = json_string_value(json_object_get(u->j, "cpu_line"));
	size_t len = line ? strlen(line) : 0;
	parse_cpu(json_object_get(u->j, "cpu"), &u->cpu_mean, &u->cpu_known);
	if (!parse_real(u->j, "cpu_ticks", 0, 4 * PACK_TICKS, &u->cpu_ticks) || !(u->cpu_ticks > 0))
		u->cpu_known = false;
	if (!u->cpu_known)
		return;
	int looks = 0;
	double mean[5] = {0};
	for (int b = 0; b < u->bins; b++) {
		u->cpu_bin[b] = (size_t)b * 5 + 5 <= len && line[b * 5] != '-';
		looks += u->cpu_bin[b];
		for (int k = 0; k < 5 && u->cpu_bin[b]; k++) {
			int d = value_of(line[b * 5 + k]);
			u->cpu[b][k] = d < 0 ? 0 : d * 100.0 / PACK_LEVELS;
			mean[k] += u->cpu[b][k];
		}
	}
	const double exact[5] = {u->cpu_mean.user, u->cpu_mean.system, u->cpu_mean.iowait, u->cpu_mean.irq, u->cpu_mean.steal};
	for (int k = 0; k < 5; k++)
		u->cpu_shift[k] = looks ? exact[k] - mean[k] / looks : exact[k];
	if (!looks)
		u->cpu_bin[u->bins - 1] = true;
}

// How many ticks a piece should be, for a graph that ends at END_NS: the finest bin that reaches back this far.
static int64_t
step_for(int64_t t_ns, int64_t end_ns)
{
	static const int64_t width[] = {1, 5, 25, 150};
	size_t i = 0;
	while (i < 3 && (end_ns - t_ns) / SERIES_TICK_NS > width[i] * (SERIES_BINS - 2 * PACK_TICKS / width[i]))
		i++;
	return width[i];
}

static void
cut(struct unpack *u, int64_t step)
{
	int64_t first_bin = u->first / PACK_BIN;
	for (int64_t n = u->first; n <= u->last && u->pieces < PIECES_MAX;) {
		// The first tick alone: played seconds and drop-outs count from what was then.
		int64_t end = n == u->first ? n : (n / step + 1) * step - 1;
		if (end > u->last)
			end = u->last;
		struct piece *p = &u->piece[u->pieces++];
		p->number = end;
		p->t_ns = end == u->last ? u->t_ns : end * TICK_NS;
		p->from = (int)(n / PACK_BIN - first_bin);
		p->to = (int)(end / PACK_BIN - first_bin) + 1;
		p->weight = (double)(end - n + 1);
		n = end + 1;
	}
}

// Has this piece data of this quantity, and with what weight?
static double
weight_in(const struct part *p, const struct piece *c)
{
	int with = 0;
	for (int b = c->from; b < c->to; b++)
		with += p->avg[b] != NONE;
	return c->weight * with / (c->to - c->from);
}

static double
avg_in(const struct part *p, const struct piece *c)
{
	double sum = 0;
	int n = 0;
	for (int b = c->from; b < c->to; b++)
		if (p->avg[b] != NONE) {
			sum += (double)hist_mid(p->avg[b]);
			n++;
		}
	return n ? sum / n : 0;
}

static int64_t
extreme_in(const struct part *p, const struct piece *c)
{
	unsigned e = NONE;
	for (int b = c->from; b < c->to; b++)
		if (p->extreme[b] != NONE && (e == NONE || (p->least ? p->extreme[b] < e : p->extreme[b] > e)))
			e = p->extreme[b];
	int64_t v = e == NONE ? 0 : hist_mid(e), lo = p->whole->s.min_ns, hi = p->whole->s.max_ns;
	// The bucket that the exact one lies in stands for it.
	if (e == hist_bucket(hi) || v > hi)
		return hi;
	return e == hist_bucket(lo) || v < lo ? lo : v;
}

static bool
may_have(const struct part *p, unsigned bucket, unsigned extreme)
{
	return p->least ? bucket >= extreme : bucket <= extreme;
}

static void
prepare_part(struct unpack *u, struct part *p, bool least)
{
	uint32_t at[HIST_BUCKETS] = {0}; // pieces by their extreme
	p->least = least;
	for (int k = 0; k < u->pieces; k++) {
		double w = weight_in(p, &u->piece[k]);
		p->weight += w;
		p->sum += w * avg_in(p, &u->piece[k]);
		if (w > 0)
			at[hist_bucket(extreme_in(p, &u->piece[k]))]++;
	}
	p->bucket = calloc(p->whole->buckets + 1, sizeof *p->bucket);
	if (!p->bucket)
		return;
	for (unsigned e = 0; e < HIST_BUCKETS; e++)
		for (uint32_t i = 0; at[e] && i < p->whole->buckets; i++)
			if (may_have(p, p->whole->b[i].index, e))
				p->bucket[i].pieces += at[e];
}

// What a piece gets of N, where GIVEN were given before: so that after a share F of all pieces a share F was given.
static uint64_t
share(uint64_t n, double f, uint64_t given)
{
	double v = floor((double)n * f + 1e-6);
	uint64_t until = v >= (double)n ? n : (uint64_t)v;
	return until > given ? until - given : 0;
}

// The buckets of a piece. Each is spread evenly over the pieces that may have it, with a phase of its own.
static void
spread_buckets(struct slice *out, struct part *p, unsigned extreme, bool last, bool give)
{
	for (uint32_t i = 0; i < p->whole->buckets; i++) {
		struct bucket b = p->whole->b[i];
		struct share *c = &p->bucket[i];
		uint64_t until = b.n;
		if (!last && !may_have(p, b.index, extreme))
			continue;
		c->so_far++;
		if (!last && c->so_far < c->pieces)
			until = ((uint64_t)b.n * c->so_far + b.index * 7919ull % c->pieces) / c->pieces;
		if (!give || until <= c->given)
			continue;
		out->b[out->buckets++] = (struct bucket){b.index, (uint32_t)(until - c->given)};
		c->given = until;
	}
}

// Gives piece K its share of a quantity, NULL: none; the last piece with data gets all that is left.
static struct slice *
piece_slice(struct unpack *u, struct part *p, int k)
{
	const struct piece *c = &u->piece[k];
	if (!p->whole || !p->bucket)
		return NULL;
	double w = weight_in(p, c);
	if (w <= 0)
		return NULL;
	struct slice *s = calloc(1, sizeof *s + p->whole->buckets * sizeof s->b[0]);
	if (!s)
		return NULL;
	const struct sums *all = &p->whole->s;
	struct sums *given = &p->given;
	p->weight_so_far += w;
	p->sum_so_far += w * avg_in(p, c);
	bool last = p->weight_so_far >= p->weight * 0.9999999;
	double f = last ? 1 : p->weight_so_far / p->weight, fs = last || p->sum <= 0 ? f : p->sum_so_far / p->sum;
	int64_t extreme = extreme_in(p, c);
	s->s.samples = share(all->samples, f, given->samples);
	spread_buckets(s, p, hist_bucket(extreme), last, s->s.samples > 0);
	if (!s->s.samples) {
		free(s);
		return NULL;
	}
	s->s.missed = share(all->missed, f, given->missed);
	for (int i = 0; i < 2; i++)
		s->s.within[i] = share(all->within[i], f, given->within[i]);
	s->s.sum_ns = last ? all->sum_ns - given->sum_ns : fmax(floor(all->sum_ns * fs) - given->sum_ns, 0);
	s->s.sumsq_ns2 = last ? all->sumsq_ns2 - given->sumsq_ns2 : fmax(all->sumsq_ns2 * f - given->sumsq_ns2, 0);
	s->s.min_ns = p->least ? extreme : all->min_ns;
	s->s.max_ns = p->least ? all->max_ns : extreme;
	given->samples += s->s.samples;
	given->missed += s->s.missed;
	given->within[0] += s->s.within[0];
	given->within[1] += s->s.within[1];
	given->sum_ns += s->s.sum_ns;
	given->sumsq_ns2 += s->s.sumsq_ns2;
	return s;
}

static void
piece_cpu(struct unpack *u, struct tick *t, int k)
{
	const struct piece *c = &u->piece[k];
	double v[5] = {0};
	int n = 0, looks = 0;
	// A look belongs to the piece that its bin ends in.
	for (int b = 0; b < u->bins; b++) {
		bool mine = b >= c->from && b < c->to && (k + 1 == u->pieces || u->piece[k + 1].from > b);
		looks += u->cpu_bin[b];
		if (!mine || !u->cpu_bin[b])
			continue;
		n++;
		for (int i = 0; i < 5; i++)
			v[i] += u->cpu[b][i];
	}
	if (!u->cpu_known || !n)
		return;
	for (int i = 0; i < 5; i++)
		v[i] = v[i] / n + u->cpu_shift[i];
	t->cpu_known = true;
	t->cpu = (struct cpu_pct){v[0], v[1], v[2], v[3], v[4], 100 - v[0] - v[1] - v[2] - v[3] - v[4]};
	t->cpu_ticks = u->cpu_ticks * n / looks;
}

static void
piece_loads(struct unpack *u, struct tick *t, int k)
{
	int64_t pieces = u->pieces;
	for (int i = 0; i < t->loads; i++) {
		const struct load_status *st = &u->p->status[i];
		struct load_tick *lt = &t->load[i];
		bool last = k + 1 == pieces;
		uint64_t each = u->work[i] / (uint64_t)pieces;
		int64_t each_ns = u->cpu_ns[i] / pieces;
		lt->work = last ? u->work[i] - each * (uint64_t)k : each;
		lt->cpu_ns = last ? u->cpu_ns[i] - each_ns * k : each_ns;
		lt->status = *st;
		lt->state = st->state;
		lt->level = st->level;
	}
}

static void
apply_piece(struct unpack *u, int k)
{
	const struct piece *c = &u->piece[k];
	struct parser *p = u->p;
	bool last = k + 1 == u->pieces;
	int64_t each = u->len_ns / u->pieces;
	struct tick t = {.number = c->number, .t_ns = c->t_ns, .len_ns = last ? u->len_ns - each * k : each};
	if (t.t_ns <= p->last_ns) // it began in the middle of a tick
		t.t_ns = p->last_ns + 1;
	if (parse_tick_room(p, &t))
		return;
	t.warmup = json_is_true(json_object_get(u->j, "warmup"));
	t.load_set = parse_set(p, json_object_get(u->j, "on"));
	for (int i = 0; i < t.probes; i++) {
		for (int q = 0; q < Q_COUNT; q++)
			t.probe[i].slice[q] = piece_slice(u, &u->part[i][q], k);
		t.probe[i].facts = last ? p->facts[i] : u->at_first[i];
	}
	piece_cpu(u, &t, k);
	piece_loads(u, &t, k);
	parse_take_events(p, &t);
	p->last_ns = t.t_ns;
	session_apply(p->s, &t);
	tick_free(&t);
}

static void
read_probes(struct unpack *u)
{
	struct parser *p = u->p;
	json_t *probes = json_object_get(u->j, "probes");
	for (int k = 0; k < p->probes; k++) {
		json_t *j = json_array_get(probes, (size_t)k);
		int i = p->probe[k];
		if (!j || i < 0)
			continue;
		parse_limits(p, i, j);
		read_part(u, &u->part[i][Q_LATE], j);
		for (int q = Q_LATE + 1; q < Q_COUNT; q++)
			read_part(u, &u->part[i][q], json_object_get(j, quantity_names[q]));
		parse_facts(&p->facts[i], json_object_get(j, "facts_first"));
		u->at_first[i] = p->facts[i];
		parse_facts(&p->facts[i], json_object_get(j, "facts"));
	}
}

static void
read_loads(struct unpack *u)
{
	size_t k;
	json_t *j;
	json_array_foreach(json_object_get(u->j, "loads"), k, j) {
		int64_t i, v;
		if (!parse_int(j, "i", -1, LOADS_MAX, &i) || i < 0 || i >= u->p->loads || u->p->load[i] < 0)
			continue;
		if (parse_int(j, "work", 0, INT64_MAX, &v))
			u->work[u->p->load[i]] = (uint64_t)v;
		parse_int(j, "cpu_ns", 0, INT64_MAX, &u->cpu_ns[u->p->load[i]]);
		parse_status(&u->p->status[u->p->load[i]], j);
	}
}

struct unpack *
unpack_new(struct parser *p, json_t *j, int64_t end_ns)
{
	struct unpack *u = calloc(1, sizeof *u);
	if (!u)
		return NULL;
	u->p = p;
	u->j = json_incref(j);
	u->t_ns = parse_time(j);
	u->last = u->t_ns / TICK_NS;
	u->len_ns = TICK_NS;
	if (u->t_ns <= p->last_ns || !parse_int(j, "first", 0, INT64_MAX / (4 * TICK_NS), &u->first) || u->first > u->last ||
	    u->last - u->first >= PACK_TICKS || (u->first + 1) * TICK_NS <= p->last_ns) {
		unpack_free(u);
		return NULL;
	}
	parse_int(j, "len_ns", 0, 4 * PACK_TICKS * TICK_NS, &u->len_ns);
	u->bins = (int)(u->last / PACK_BIN - u->first / PACK_BIN) + 1;
	memcpy(u->at_first, p->facts, sizeof u->at_first);
	read_probes(u);
	read_cpu(u);
	read_loads(u);
	cut(u, step_for(u->t_ns, end_ns));
	for (int i = 0; i < PROBES_MAX; i++)
		for (int q = 0; q < Q_COUNT; q++)
			if (u->part[i][q].whole)
				prepare_part(u, &u->part[i][q], q == Q_HEADROOM);
	return u;
}

bool
unpack_run(struct unpack *u, int64_t until_ns)
{
	while (u->done < u->pieces && u->piece[u->done].t_ns <= until_ns)
		apply_piece(u, u->done++);
	return u->done == u->pieces;
}

void
unpack_free(struct unpack *u)
{
	if (!u)
		return;
	for (int i = 0; i < PROBES_MAX; i++)
		for (int q = 0; q < Q_COUNT; q++) {
			free(u->part[i][q].whole);
			free(u->part[i][q].bucket);
		}
	json_decref(u->j);
	free(u);
}
