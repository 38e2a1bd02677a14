// The change from A to B and its interval, from typical values over every subset of groups of time.
// Must not know where the stretches come from.
#include "measure/ab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/ab_cut.h"

#define VALUES ((1 << AB_GROUPS) - 1)
// Left out on each side: less than 2.5%, as neighbouring stretches are never quite independent.
#define TAIL_SHARE 0.02
#define SURE 1.96
#define PCT_RESOLUTION 0.01 // of a percentile: log of the ratio of two bucket edges

static const double shares[] = {[AB_P50] = 0.5, [AB_P99] = 0.99, [AB_P999] = 0.999};

// What a group, or a subset of them, holds of one side.
struct part {
	double n, sum, within[2], amount, per;
};

struct work {
	int groups, used;             // used: buckets that anything fell into
	struct part part[2][AB_GROUPS];
	uint16_t bucket[HIST_BUCKETS];// of each used one, ascending
	int place[HIST_BUCKETS];      // the other way round; -1: unused
	uint64_t *count[2][AB_GROUPS];// by place
	uint64_t *now[2];             // of the subset at hand
	double *value[AB_FIGURES];    // of each subset
	struct dist shown[2];         // the figures as everything else shows them
	uint64_t *memory;
	double *values;
};

static void
fill_block(struct work *w, int k, int g, const struct ab_block *b)
{
	struct part *p = &w->part[k][g];
	p->amount += b->amount;
	p->per += b->per;
	if (!b->slice)
		return;
	const struct sums *s = &b->slice->s;
	p->n += (double)sums_n(s);
	p->sum += s->sum_ns;
	p->within[0] += (double)s->within[0];
	p->within[1] += (double)s->within[1];
	dist_add_slice(&w->shown[k], b->slice);
	for (uint32_t i = 0; i < b->slice->buckets; i++)
		w->count[k][g][w->place[b->slice->b[i].index]] += b->slice->b[i].n;
}

static void
find_buckets(struct work *w, const struct ab_side side[2])
{
	bool seen[HIST_BUCKETS] = {false};
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < side[k].blocks; i++) {
			const struct slice *s = side[k].block[i].slice;
			for (uint32_t j = 0; s && j < s->buckets; j++)
				seen[s->b[j].index] = true;
		}
	for (int i = 0; i < HIST_BUCKETS; i++) {
		w->place[i] = seen[i] ? w->used : -1;
		if (seen[i])
			w->bucket[w->used++] = (uint16_t)i;
	}
}

static int
work_fill(struct work *w, const struct ab_side side[2], int *group[2], int groups)
{
	*w = (struct work){.groups = groups};
	find_buckets(w, side);
	size_t row = w->used ? (size_t)w->used : 1;
	w->memory = calloc(row * 2 * (AB_GROUPS + 1), sizeof *w->memory);
	w->values = malloc(sizeof *w->values * AB_FIGURES * VALUES);
	if (!w->memory || !w->values)
		return -1;
	uint64_t *m = w->memory;
	for (int k = 0; k < 2; k++) {
		for (int g = 0; g < AB_GROUPS; g++, m += row)
			w->count[k][g] = m;
		w->now[k] = m;
		m += row;
	}
	for (int f = 0; f < AB_FIGURES; f++)
		w->value[f] = w->values + (size_t)f * VALUES;
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < side[k].blocks; i++)
			if (group[k][i] >= 0)
				fill_block(w, k, group[k][i], &side[k].block[i]);
	return 0;
}

// P50, P99 and P99.9 of counts by place, read between the edges of their buckets. N > 0.
static void
percentiles(const struct work *w, const uint64_t *count, double n, double out[AB_FIGURES])
{
	static const enum ab_figure order[] = {AB_P999, AB_P99, AB_P50};
	double above = 0;
	int next = 0;
	for (int i = w->used - 1; i >= 0 && next < 3; i--) {
		if (!count[i])
			continue;
		above += (double)count[i];
		for (double want; next < 3 && above >= (want = n * (1 - shares[order[next]])); next++) {
			double low = (double)hist_low(w->bucket[i]), high = (double)hist_high(w->bucket[i]);
			double v = low + (high - low) * (above - want) / (double)count[i];
			out[order[next]] = v > 0.5 ? v : 0.5;
		}
	}
}

// The figures of one side of the subset at hand.
static void
figures(const struct work *w, int k, const struct part *p, double out[AB_FIGURES])
{
	for (int f = 0; f < AB_FIGURES; f++)
		out[f] = NAN;
	if (!(p->n > 0))
		return;
	out[AB_MEAN] = p->sum / p->n > 0.5 ? p->sum / p->n : 0.5;
	out[AB_WITHIN_1] = 100 * p->within[0] / p->n;
	out[AB_WITHIN_2] = 100 * p->within[1] / p->n;
	percentiles(w, w->now[k], p->n, out);
}

static bool
by_points(int f)
{
	return f == AB_WITHIN_1 || f == AB_WITHIN_2;
}

static double
change_of(bool points, double a, double b)
{
	return points ? b - a : log(b / a);
}

static void
part_move(struct part *to, const struct part *by, int sign)
{
	to->n += sign * by->n;
	to->sum += sign * by->sum;
	to->within[0] += sign * by->within[0];
	to->within[1] += sign * by->within[1];
	to->amount += sign * by->amount;
	to->per += sign * by->per;
}

// Puts group G in or takes it out, on both sides.
static void
toggle(struct work *w, struct part now[2], int g, bool in)
{
	for (int k = 0; k < 2; k++) {
		part_move(&now[k], &w->part[k][g], in ? 1 : -1);
		uint64_t *restrict to = w->now[k];
		const uint64_t *restrict by = w->count[k][g];
		if (in)
			for (int i = 0; i < w->used; i++)
				to[i] += by[i];
		else
			for (int i = 0; i < w->used; i++)
				to[i] -= by[i];
	}
}

// Every subset but the empty one, in Gray's order: one group changes at a time.
static void
each_subset(struct work *w, void (*fn)(struct work *w, const struct part now[2], int nth, void *data), void *data)
{
	struct part now[2] = {0};
	unsigned in = 0;
	for (unsigned i = 1; i < 1u << w->groups; i++) {
		int g = __builtin_ctz(i);
		in ^= 1u << g;
		toggle(w, now, g, in >> g & 1);
		fn(w, now, (int)i - 1, data);
	}
}

static void
subset_figures(struct work *w, const struct part now[2], int nth, void *data)
{
	(void)data;
	double f[2][AB_FIGURES];
	for (int k = 0; k < 2; k++)
		figures(w, k, &now[k], f[k]);
	for (int i = 0; i < AB_FIGURES; i++)
		w->value[i][nth] = change_of(by_points(i), f[0][i], f[1][i]);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

// The interval from the typical values of one figure, WIDER each way by how coarse the figure is.
static void
interval(struct ab_change *c, double *value, int n, double wider)
{
	int m = 0, below = 0, above = 0;
	for (int i = 0; i < n; i++)
		if (!isnan(value[i]))
			value[m++] = value[i];
	int tail = (int)(TAIL_SHARE * (m + 1));
	if (tail < 1) {
		c->lack = AB_SHORT;
		return;
	}
	qsort(value, (size_t)m, sizeof *value, by_value);
	for (int i = 0; i < m; i++) {
		below += value[i] <= wider;
		above += value[i] >= -wider;
	}
	double at = change_of(c->points, c->a, c->b);
	double lo = fmin(value[tail - 1] - wider, at), hi = fmax(value[m - tail] + wider, at);
	c->p = fmin(1, 2.0 * (1 + (below < above ? below : above)) / (m + 1));
	c->se = (hi - lo) / 2 / SURE;
	c->lo = c->points ? lo : 100 * expm1(lo);
	c->hi = c->points ? hi : 100 * expm1(hi);
}

static void
change_set(struct ab_change *c, bool points, double a, double b)
{
	*c = (struct ab_change){.a = a, .b = b, .points = points, .change = NAN, .lo = NAN, .hi = NAN, .p = 1, .se = NAN};
	if (isnan(a) || isnan(b))
		c->lack = AB_EMPTY;
	else
		c->change = points ? b - a : 100 * (b / a - 1);
}

// Does a percentile rest on enough values, and on enough moments, of side K?
static bool
tail_enough(const struct work *w, int k, double n, double share, double at)
{
	if (n * (1 - share) < AB_TAIL)
		return false;
	unsigned bucket = hist_bucket((int64_t)at);
	int groups = 0;
	for (int g = 0; g < w->groups; g++)
		for (int i = w->used - 1; i >= 0 && w->bucket[i] >= bucket; i--)
			if (w->count[k][g][i]) {
				groups++;
				break;
			}
	return groups >= AB_GROUPS_LEAST;
}

static void
conclude(struct work *w, struct ab_change out[AB_FIGURES])
{
	struct part all[2] = {0};
	double f[2][AB_FIGURES];
	memset(w->now[0], 0, sizeof *w->now[0] * (size_t)w->used);
	memset(w->now[1], 0, sizeof *w->now[1] * (size_t)w->used);
	for (int g = 0; g < w->groups; g++)
		toggle(w, all, g, true);
	for (int k = 0; k < 2; k++)
		figures(w, k, &all[k], f[k]);
	for (int k = 0; k < 2; k++)
		f[k][AB_MAX] = w->shown[k].s.samples ? (double)w->shown[k].s.max_ns : NAN;
	for (int i = 0; i < AB_FIGURES; i++) {
		struct ab_change *c = &out[i];
		change_set(c, by_points(i), f[0][i], f[1][i]);
		bool share = i == AB_P50 || i == AB_P99 || i == AB_P999;
		if (c->lack == AB_EMPTY)
			continue;
		if (i == AB_MAX)
			c->lack = AB_EXTREME;
		else if (w->groups < AB_GROUPS_LEAST)
			c->lack = AB_SHORT;
		else if (share && !(tail_enough(w, 0, all[0].n, shares[i], c->a) && tail_enough(w, 1, all[1].n, shares[i], c->b)))
			c->lack = AB_TAIL_FEW;
		else
			interval(c, w->value[i], (1 << w->groups) - 1, share ? PCT_RESOLUTION : 0);
		if (share) {
			c->a = (double)dist_percentile_ns(&w->shown[0], shares[i]);
			c->b = (double)dist_percentile_ns(&w->shown[1], shares[i]);
		}
	}
}

// Cuts both sides and fills W. Returns 0; 1 where there is nothing to compare; -1: no memory. Frees what it used but W.
static int
prepare(struct work *w, const struct ab_side side[2], struct ab_design *d)
{
	int *group[2], r = 1;
	*w = (struct work){0};
	group[0] = malloc(sizeof(int) * (size_t)(side[0].blocks + 1));
	group[1] = malloc(sizeof(int) * (size_t)(side[1].blocks + 1));
	if (!group[0] || !group[1])
		r = -1;
	else if (ab_cut(side, group, d) > 0)
		r = work_fill(w, side, group, d->groups);
	free(group[0]);
	free(group[1]);
	return r;
}

static void
work_free(struct work *w)
{
	free(w->memory);
	free(w->values);
	free(w);
}

int
ab_compare(struct ab_side a, struct ab_side b, struct ab_change out[AB_FIGURES], struct ab_design *d)
{
	struct ab_side side[2] = {a, b};
	struct ab_design mine;
	struct work *w = malloc(sizeof *w);
	if (!w)
		return -1;
	int r = prepare(w, side, d ? d : &mine);
	for (int i = 0; i < AB_FIGURES; i++)
		change_set(&out[i], by_points(i), NAN, NAN);
	if (r == 0) {
		if (w->groups >= AB_GROUPS_LEAST)
			each_subset(w, subset_figures, NULL);
		conclude(w, out);
	}
	work_free(w);
	return r < 0 ? -1 : 0;
}

struct rate {
	double scale;
	bool points;
};

static double
rate_of(const struct part *p, double scale)
{
	return p->per > 0 ? scale * p->amount / p->per : NAN;
}

static void
subset_rate(struct work *w, const struct part now[2], int nth, void *data)
{
	const struct rate *r = data;
	double a = rate_of(&now[0], r->scale), b = rate_of(&now[1], r->scale);
	w->value[0][nth] = r->points || (a > 0 && b > 0) ? change_of(r->points, a, b) : NAN;
}

int
ab_rate(struct ab_side a, struct ab_side b, double scale, bool points, struct ab_change *out)
{
	struct ab_side side[2] = {a, b};
	struct ab_design d;
	struct rate rate = {scale, points};
	struct work *w = malloc(sizeof *w);
	if (!w)
		return -1;
	int r = prepare(w, side, &d);
	change_set(out, points, NAN, NAN);
	if (r == 0) {
		struct part all[2] = {0};
		for (int k = 0; k < 2; k++)
			for (int g = 0; g < w->groups; g++)
				part_move(&all[k], &w->part[k][g], 1);
		double fa = rate_of(&all[0], scale), fb = rate_of(&all[1], scale);
		change_set(out, points, fa, fb);
		if (out->lack == AB_NONE && w->groups < AB_GROUPS_LEAST)
			out->lack = AB_SHORT;
		if (out->lack == AB_NONE && !points && !(fa > 0 && fb > 0))
			out->lack = AB_EMPTY;
		if (out->lack == AB_NONE) {
			each_subset(w, subset_rate, &rate);
			interval(out, w->value[0], (1 << w->groups) - 1, 0);
		}
	}
	work_free(w);
	return r < 0 ? -1 : 0;
}

double
ab_more_s(const struct ab_change *c, double measured_s, double pct)
{
	// 1.28: nine times in ten
	double want = log1p(pct / 100) / (SURE + 1.2816);
	if (c->points || isnan(c->se) || !(measured_s > 0))
		return NAN;
	double need = measured_s * (c->se / want) * (c->se / want);
	return need > measured_s ? need - measured_s : 0;
}
