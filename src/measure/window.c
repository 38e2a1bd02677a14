// The slices of the last while in three rings, each coarser one made of closed slices of the finer one.
// Must not know what is measured.
#include "measure/window.h"

#include <stdlib.h>
#include <string.h>

static const int64_t width[WINDOW_LEVELS] = {1, 10, 100}; // ticks a slice

struct slot {
	int64_t number; // tick / width
	struct slice *s; // NULL: empty
};

struct window {
	struct limits lim;
	int64_t last; // tick, -1: none yet
	struct dist scratch; // empty between calls
	struct slot slot[WINDOW_LEVELS][WINDOW_SLICES];
};

struct window *
window_new(struct limits lim)
{
	struct window *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	w->lim = lim;
	w->last = -1;
	return w;
}

void
window_reset(struct window *w, struct limits lim)
{
	for (int i = 0; i < WINDOW_LEVELS; i++)
		for (int k = 0; k < WINDOW_SLICES; k++) {
			free(w->slot[i][k].s);
			w->slot[i][k] = (struct slot){0};
		}
	w->lim = lim;
	w->last = -1;
}

void
window_free(struct window *w)
{
	if (!w)
		return;
	window_reset(w, w->lim);
	free(w);
}

static const struct slice *
slice_at(const struct window *w, int level, int64_t number)
{
	const struct slot *s = &w->slot[level][number % WINDOW_SLICES];
	return s->s && s->number == number ? s->s : NULL;
}

// Takes S over (NULL: out of memory, that stretch is then missing).
static void
put(struct window *w, int level, int64_t number, struct slice *s)
{
	struct slot *at = &w->slot[level][number % WINDOW_SLICES];
	free(at->s);
	*at = (struct slot){.number = number, .s = s};
}

// Makes slice NUMBER of LEVEL from those of the level below.
static void
close_slice(struct window *w, int level, int64_t number)
{
	int64_t each = width[level] / width[level - 1];
	for (int64_t k = number * each; k < (number + 1) * each; k++) {
		const struct slice *s = slice_at(w, level - 1, k);
		if (s)
			dist_add_slice(&w->scratch, s);
	}
	put(w, level, number, dist_take_slice(&w->scratch));
}

void
window_add(struct window *w, int64_t tick, const struct slice *s)
{
	if (tick < 0 || tick < w->last)
		return;
	for (int i = 1; w->last != -1 && i < WINDOW_LEVELS; i++)
		if (tick / width[i] > w->last / width[i])
			close_slice(w, i, w->last / width[i]);
	w->last = tick;
	const struct slice *old = slice_at(w, 0, tick);
	if (old) {
		dist_add_slice(&w->scratch, old);
		dist_add_slice(&w->scratch, s);
		put(w, 0, tick, dist_take_slice(&w->scratch));
		return;
	}
	struct slice *copy = malloc(slice_bytes(s));
	if (copy)
		memcpy(copy, s, slice_bytes(s));
	put(w, 0, tick, copy);
}

void
window_get(const struct window *w, int64_t now, int64_t ticks, struct dist *out)
{
	dist_reset(out, w->lim);
	int64_t from = now - ticks + 1, end = now < w->last ? now : w->last;
	if (from < 0)
		from = 0;
	int i = 0;
	while (i < WINDOW_LEVELS - 1 && from / width[i] <= w->last / width[i] - WINDOW_SLICES)
		i++;
	// whole slices of this level, then what is too new for them from the finer ones
	for (; i >= 0 && from <= end; i--) {
		int64_t n = from / width[i], closed = w->last / width[i] - (i > 0);
		if (n <= closed - WINDOW_SLICES)
			n = closed - WINDOW_SLICES + 1;
		for (; n <= closed && (n + 1) * width[i] - 1 <= end; n++) {
			const struct slice *s = slice_at(w, i, n);
			if (s)
				dist_add_slice(out, s);
			from = (n + 1) * width[i];
		}
	}
}
