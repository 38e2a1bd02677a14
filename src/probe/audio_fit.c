// Fits a line to the positions of a sound device.
// Must not know of devices, or what lateness is made of it.
#include "probe/audio_fit.h"

#include <math.h>

#define WIDEST_NS 5e8  // a point stands for at most half a second
#define TRUST_NS 5e8   // points over less time than this are not believed alone
#define SLOPE_MOST 0.1 // of the nominal: what is further off is no clock

void
fit_init(struct fit *f, unsigned rate)
{
	*f = (struct fit){.nominal_ns = 1e9 / rate};
}

void
fit_start(struct fit *f, int64_t t_ns)
{
	fit_move(f, 0, t_ns);
}

void
fit_move(struct fit *f, int64_t frame, int64_t t_ns)
{
	f->carried = f->slope;
	f->base_ns = t_ns - llround((double)frame * f->nominal_ns);
	f->points = 0;
	f->width = 0;
	f->offset = -(double)frame * f->slope;
	fit_add(f, frame, t_ns);
}

static double
height(const struct fit *f, const struct fit_point *p)
{
	return p->y - f->slope * p->x;
}

static void
set_offset(struct fit *f)
{
	int from = f->points > FIT_RECENT ? f->points - FIT_RECENT : 0;
	f->offset = height(f, &f->p[from]);
	for (int i = from + 1; i < f->points; i++)
		f->offset = fmin(f->offset, height(f, &f->p[i]));
}

static double
cross(const struct fit_point *a, const struct fit_point *b, const struct fit_point *c)
{
	return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

// The slope of the lower hull's edge under the middle of all points.
static double
hull_slope(const struct fit *f)
{
	int hull[FIT_POINTS], n = 0;
	double middle = 0;
	for (int i = 0; i < f->points; i++) {
		while (n > 1 && cross(&f->p[hull[n - 2]], &f->p[hull[n - 1]], &f->p[i]) <= 0)
			n--;
		hull[n++] = i;
		middle += f->p[i].x / f->points;
	}
	int edge = 1;
	while (edge < n - 1 && f->p[hull[edge]].x < middle)
		edge++;
	const struct fit_point *a = &f->p[hull[edge - 1]], *b = &f->p[hull[edge]];
	return (b->y - a->y) / (b->x - a->x);
}

static void
set_slope(struct fit *f)
{
	double span_ns = (f->p[f->points - 1].x - f->p[0].x) * f->nominal_ns;
	if (f->points < 3 || span_ns <= 0)
		return;
	double trust = fmin(1, span_ns / TRUST_NS);
	double slope = f->carried + (hull_slope(f) - f->carried) * trust;
	double most = SLOPE_MOST * f->nominal_ns;
	f->slope = fmax(-most, fmin(most, slope));
}

// Makes room for one more point: pairs become one, the lower of both; once points are as wide as
// they may be, the oldest goes.
static void
make_room(struct fit *f)
{
	if (f->width * f->nominal_ns >= WIDEST_NS) {
		for (int i = 1; i < f->points; i++)
			f->p[i - 1] = f->p[i];
		f->points--;
		return;
	}
	for (int i = 0; i < FIT_POINTS / 2; i++) {
		const struct fit_point *a = &f->p[2 * i], *b = a + 1;
		f->p[i] = height(f, a) <= height(f, b) ? *a : *b;
	}
	f->points = FIT_POINTS / 2;
	double span = f->p[f->points - 1].x - f->p[0].x;
	f->width = fmax(f->width * 2, span / f->points);
}

void
fit_add(struct fit *f, int64_t frame, int64_t t_ns)
{
	struct fit_point p = {.x = (double)frame};
	p.y = (double)(t_ns - f->base_ns) - p.x * f->nominal_ns;
	struct fit_point *last = &f->p[f->points ? f->points - 1 : 0];
	if (f->points && (p.x <= last->x || p.x < f->opened + f->width)) {
		if (height(f, &p) < height(f, last))
			*last = p;
		f->offset = fmin(f->offset, height(f, &p));
		return;
	}
	if (f->points == FIT_POINTS)
		make_room(f);
	set_slope(f);
	f->p[f->points++] = p;
	f->opened = p.x;
	set_offset(f);
}

int64_t
fit_time_ns(const struct fit *f, int64_t frame)
{
	return f->base_ns + llround((double)frame * (f->nominal_ns + f->slope) + f->offset);
}

int64_t
fit_span_ns(const struct fit *f, int64_t frames)
{
	return llround((double)frames * (f->nominal_ns + f->slope));
}

int64_t
fit_rate_ppb(const struct fit *f)
{
	return llround((f->nominal_ns / (f->nominal_ns + f->slope) - 1) * 1e9);
}
