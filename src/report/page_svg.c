// Draws the graphs of a page as inline SVG.
// Must not know of files or sessions beyond their figures.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/page.h"

#define W 760
#define H 240
#define LEFT 64
#define RIGHT 12
#define TOP 12
#define BOTTOM 30
#define COLUMNS 340 // of a graph over time: more than a screen can show apart is folded into them

// A logarithmic axis of nanoseconds.
struct axis {
	double lo, hi;
};

static double
y_of(const struct axis *a, double ns)
{
	double v = ns < a->lo ? a->lo : ns > a->hi ? a->hi : ns;
	return TOP + (H - TOP - BOTTOM) * (1 - log(v / a->lo) / log(a->hi / a->lo));
}

static void
begin(FILE *f, const char *label)
{
	fprintf(f, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", W, H);
	page_text(f, label);
	fputs("\">\n", f);
}

static void
y_axis(FILE *f, const struct axis *a)
{
	char t[16];
	int first = (int)ceil(log10(a->lo) - 1e-9), last = (int)floor(log10(a->hi) + 1e-4);
	for (int e = first; e <= last; e++) {
		double v = pow(10, e), y = y_of(a, v);
		fprintf(f, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" class=\"r\">%s</text>\n", LEFT, y, W - RIGHT, LEFT - 6, y + 4,
		    text_ns(t, sizeof t, llround(v), false));
	}
}

static void
x_times(FILE *f, double s)
{
	static const double steps[] = {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800};
	double step = steps[0];
	for (size_t i = 0; i < sizeof steps / sizeof *steps && s / step > 8; i++)
		step = steps[i];
	for (int i = 0; i * step <= s; i++) {
		char text[24];
		double t = i * step;
		if (step < 60)
			snprintf(text, sizeof text, "%.0f s", t);
		else
			text_ns(text, sizeof text, (int64_t)(t * 1e9), false);
		fprintf(f, "<text x=\"%.1f\" y=\"%d\" class=\"m\">%s</text>\n", LEFT + (W - LEFT - RIGHT) * (s > 0 ? t / s : 0), H - 10, text);
		if (s <= 0)
			break;
	}
}

static void
reference(FILE *f, const struct axis *a, double ns, const char *class, const char *what)
{
	char t[16];
	if (!(ns >= a->lo && ns <= a->hi))
		return;
	fprintf(f, "<path class=\"%s\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" class=\"r\">%s %s</text>\n", class, LEFT, y_of(a, ns), W - RIGHT,
	    W - RIGHT - 4, y_of(a, ns) - 4, what, text_ns(t, sizeof t, llround(ns), false));
}

// The trace folded into columns: the maximum of maxima, the mean of averages.
static size_t
fold(const struct page_trace *t, struct page_point out[COLUMNS])
{
	size_t n = t->n < COLUMNS ? t->n : COLUMNS;
	for (size_t c = 0; c < n; c++) {
		struct page_point p = {NAN, NAN, NAN};
		double sum = 0;
		int k = 0;
		for (size_t i = t->n * c / n; i < t->n * (c + 1) / n; i++) {
			p.max = fmaxf(p.max, t->point[i].max);
			p.burn = fmaxf(p.burn, t->point[i].burn);
			if (isfinite(t->point[i].avg)) {
				sum += (double)t->point[i].avg;
				k++;
			}
		}
		p.avg = k ? (float)(sum / k) : NAN;
		out[c] = p;
	}
	return n;
}

static void
line(FILE *f, const struct axis *a, const struct page_point *p, size_t n, int which, const char *class)
{
	bool open = false, any = false;
	for (size_t i = 0; i < n; i++) {
		double v = which == 0 ? (double)p[i].max : which == 1 ? (double)p[i].avg : (double)p[i].burn;
		if (!isfinite(v)) {
			open = false;
			continue;
		}
		if (!any)
			fprintf(f, "<path class=\"%s\" d=\"", class);
		any = true;
		fprintf(f, "%c%.1f %.1f", open ? 'L' : 'M', LEFT + (W - LEFT - RIGHT) * (n > 1 ? (double)i / (double)(n - 1) : 0.5), y_of(a, v));
		if (!open)
			fputs("h.1", f);
		open = true;
	}
	if (any)
		fputs("\"/>\n", f);
}

void
page_graph(FILE *f, const struct page_data *d, const struct page_trace *t)
{
	static struct page_point p[COLUMNS];
	const struct session_probe *probe = &d->s->probe[t->probe];
	const struct probe_facts *facts = &probe->facts;
	size_t n = fold(t, p);
	double lo = 1e12, hi = 0;
	for (size_t i = 0; i < n; i++) {
		double low = fmin(isfinite(p[i].avg) ? (double)p[i].avg : 1e12, isfinite(p[i].burn) ? (double)p[i].burn : 1e12);
		lo = low > 0 && low < lo ? low : lo;
		hi = fmax(hi, fmax(isfinite(p[i].max) ? (double)p[i].max : 0, isfinite(p[i].burn) ? (double)p[i].burn : 0));
	}
	bool audio = facts->period_frames > 0;
	double period = audio ? (double)facts->interval_ns : NAN, buffer = audio ? period * facts->periods : NAN;
	if (audio)
		hi = fmax(hi, buffer);
	struct axis a = {pow(10, floor(log10(fmax(lo < 1e12 ? lo : 1000, 1)))), pow(10, ceil(log10(fmax(hi * 1.05, 10000))))};
	begin(f, "latency over time");
	y_axis(f, &a);
	x_times(f, t->s);
	reference(f, &a, period, "period", "one period");
	reference(f, &a, buffer, "buffer", "whole buffer");
	line(f, &a, p, n, 0, "max");
	line(f, &a, p, n, 1, "avg");
	line(f, &a, p, n, 2, "burn");
	fputs("</svg>\n", f);
}

static void
histogram_of(FILE *f, const struct dist *d, const struct axis *x, double top, int colour)
{
	// A point for each eighth of an octave, as counts of buckets of unlike width would not compare.
	double sum = 0;
	fprintf(f, "<path class=\"h%d\" d=\"M%d %dL", colour % 6, LEFT, H - BOTTOM);
	double edge = x->lo, step = pow(2, 0.125);
	for (unsigned i = 0; i <= HIST_BUCKETS; i++) {
		double v = i < HIST_BUCKETS ? (double)hist_mid(i) : x->hi * 2;
		while (v >= edge * step && edge < x->hi) {
			double px = LEFT + (W - LEFT - RIGHT) * log(edge * sqrt(step) / x->lo) / log(x->hi / x->lo);
			double level = sum >= 0.5 ? log10(fmax(sum, 0.5)) + 0.3 : 0;
			double py = H - BOTTOM - (H - TOP - BOTTOM) * level / (top + 0.3);
			fprintf(f, "%.1f %.1f ", px, py);
			sum = 0;
			edge *= step;
		}
		if (i < HIST_BUCKETS)
			sum += (double)d->h.count[i];
	}
	fputs("\"/>\n", f);
}

void
page_histogram(FILE *f, const struct page_data *d, int probe)
{
	const struct session *s = d->s;
	static const struct {
		const char *name;
		double q;
	} marks[] = {{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}};
	double lo = 1e15, hi = 0, top = 1;
	for (int i = 0; i < s->conditions; i++) {
		const struct dist *c = s->condition[i].late ? s->condition[i].late[probe] : NULL;
		if (!c || !c->s.samples)
			continue;
		lo = fmin(lo, (double)c->s.min_ns);
		hi = fmax(hi, (double)c->s.max_ns);
		top = fmax(top, ceil(log10((double)c->h.total)));
	}
	if (hi <= 0)
		return;
	struct axis x = {pow(10, floor(log10(fmax(lo, 100)))), pow(10, ceil(log10(hi * 1.01)))};
	begin(f, "histogram of latency");
	for (int e = 0; e <= (int)top; e++) {
		double y = H - BOTTOM - (H - TOP - BOTTOM) * (e + 0.3) / (top + 0.3);
		char t[16];
		fprintf(f, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" class=\"r\">%s</text>\n", LEFT, y, W - RIGHT, LEFT - 6, y + 4,
		    text_count(t, sizeof t, pow(10, e)));
	}
	for (int e = (int)lround(log10(x.lo)); e <= (int)lround(log10(x.hi)); e++) {
		char t[16];
		double v = pow(10, e);
		double px = LEFT + (W - LEFT - RIGHT) * log(v / x.lo) / log(x.hi / x.lo);
		fprintf(f, "<text x=\"%.1f\" y=\"%d\" class=\"m\">%s</text>\n", px, H - 10, text_ns(t, sizeof t, llround(v), false));
	}
	for (int i = 0; i < s->conditions; i++) {
		const struct dist *c = s->condition[i].late ? s->condition[i].late[probe] : NULL;
		if (!c || !c->s.samples)
			continue;
		histogram_of(f, c, &x, top, i);
		for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
			double v = fmax((double)dist_percentile_ns(c, marks[k].q), x.lo);
			double px = LEFT + (W - LEFT - RIGHT) * log(v / x.lo) / log(x.hi / x.lo);
			fprintf(f, "<path class=\"h%d mark\" d=\"M%.1f %dv%d\"><title>%s</title></path>\n", i % 6, px, H - BOTTOM, -10 - 8 * (int)k, marks[k].name);
		}
	}
	fputs("</svg>\n<p class=\"legend\">", f);
	for (int i = 0; i < s->conditions; i++) {
		fprintf(f, "<span class=\"k%d\"></span> ", i % 6);
		page_text(f, s->condition[i].name);
		fputs(" &nbsp; ", f);
	}
	fputs("short marks on the axis: p50, p99, p99.9</p>\n", f);
}

static float
layer(const struct page_cpu *c, int k)
{
	const float v[5] = {c->user, c->system, c->iowait, c->irq, c->steal};
	float sum = 0;
	for (int i = 0; i <= k; i++)
		sum += v[i];
	return sum < 0 ? 0 : sum > 100 ? 100 : sum;
}

void
page_cpu_graph(FILE *f, const struct page_data *d)
{
	static const char *const class[] = {"user", "system", "iowait", "irq", "steal"};
	size_t n = d->cpus < COLUMNS ? d->cpus : COLUMNS;
	if (n < 2)
		return;
	double end = d->cpu[d->cpus - 1].t_s;
	begin(f, "CPU over time");
	for (int pct = 0; pct <= 100; pct += 50)
		fprintf(f, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" class=\"r\">%d%%</text>\n", LEFT,
		    TOP + (H - TOP - BOTTOM) * (1 - pct / 100.0), W - RIGHT, LEFT - 6, TOP + (H - TOP - BOTTOM) * (1 - pct / 100.0) + 4, pct);
	x_times(f, end);
	for (int k = 4; k >= 0; k--) {
		fprintf(f, "<path class=\"%s\" d=\"M%d %d", class[k], LEFT, H - BOTTOM);
		for (size_t c = 0; c < n; c++) {
			size_t a = d->cpus * c / n, z = d->cpus * (c + 1) / n;
			double sum = 0;
			for (size_t i = a; i < z; i++)
				sum += (double)layer(&d->cpu[i], k);
			fprintf(f, "L%.1f %.1f", LEFT + (W - LEFT - RIGHT) * d->cpu[a].t_s / end, TOP + (H - TOP - BOTTOM) * (1 - sum / (double)(z - a) / 100));
		}
		fprintf(f, "L%d %dZ\"/>\n", W - RIGHT, H - BOTTOM);
	}
	fputs("</svg>\n<p class=\"legend\"><span class=\"user\"></span> user &nbsp; <span class=\"system\"></span> system &nbsp; "
	      "<span class=\"iowait\"></span> iowait &nbsp; <span class=\"irq\"></span> irq &nbsp; <span class=\"steal\"></span> steal</p>\n", f);
}
