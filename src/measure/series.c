// Bins of max, sum and count at five resolutions, each a ring that forgets its oldest.
// Must not know what the values are.
#include "measure/series.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const int64_t width[SERIES_LEVELS] = {1, 5, 25, 150, 900}; // ticks a bin

struct level {
	int64_t newest; // number of the newest bin (tick / width)
	struct bin bin[SERIES_BINS];
};

struct series {
	int64_t last; // tick, -1: none yet
	struct level level[SERIES_LEVELS];
};

// Rounds down also below 0.
static int64_t
bin_of(int64_t tick, int64_t w)
{
	return tick >= 0 ? tick / w : -((-tick + w - 1) / w);
}

struct series *
series_new(void)
{
	struct series *s = calloc(1, sizeof *s);
	if (s)
		s->last = -1;
	return s;
}

void
series_free(struct series *s)
{
	free(s);
}

static void
advance(struct level *l, int64_t to)
{
	if (to - l->newest >= SERIES_BINS) {
		memset(l->bin, 0, sizeof l->bin);
		l->newest = to;
	}
	while (l->newest < to)
		l->bin[++l->newest % SERIES_BINS] = (struct bin){0};
}

void
series_add(struct series *s, int64_t tick, double max, double sum, uint32_t n)
{
	if (n == 0 || tick < 0 || tick < s->last)
		return;
	bool first = s->last == -1;
	s->last = tick;
	for (int i = 0; i < SERIES_LEVELS; i++) {
		struct level *l = &s->level[i];
		int64_t number = tick / width[i];
		if (first)
			l->newest = number;
		else if (number > l->newest)
			advance(l, number);
		struct bin *b = &l->bin[number % SERIES_BINS];
		if (b->n == 0 || (float)max > b->max)
			b->max = (float)max;
		b->sum += (float)sum;
		b->n = n < UINT32_MAX - b->n ? b->n + n : UINT32_MAX;
	}
}

struct bin
series_get(const struct series *s, int64_t from, int64_t to)
{
	struct bin r = {0};
	if (!s || s->last == -1 || to <= from)
		return r;
	int i = 0;
	while (i < SERIES_LEVELS - 1 &&
	    bin_of(from, width[i]) <= s->level[i].newest - SERIES_BINS)
		i++;
	const struct level *l = &s->level[i];
	// A bin belongs to the stretch that it begins in, so that nothing shows twice side by side; a stretch shorter than
	// a bin shows the one it lies in.
	int64_t w = width[i], a = bin_of(from + w - 1, w), z = bin_of(to + w - 1, w);
	if (a >= z) {
		a = bin_of(from, w);
		z = a + 1;
	}
	if (a < 0)
		a = 0;
	if (a <= l->newest - SERIES_BINS)
		a = l->newest - SERIES_BINS + 1;
	if (z > l->newest + 1)
		z = l->newest + 1;
	for (; a < z; a++) {
		const struct bin *b = &l->bin[a % SERIES_BINS];
		if (b->n == 0)
			continue;
		if (r.n == 0 || b->max > r.max)
			r.max = b->max;
		r.sum += b->sum;
		r.n = b->n < UINT32_MAX - r.n ? r.n + b->n : UINT32_MAX;
	}
	return r;
}
