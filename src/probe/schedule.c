// The arithmetic of an absolute schedule, of CPU shares and of recurring gaps.
// Must not know of clocks, threads or probes.
#include "probe/schedule.h"

#include "base/clock.h"

#define FIRST_NS (2 * NS_PER_MS)
#define STRETCH_NS (50 * NS_PER_MS)
#define STRETCHES 2

void
schedule_start(struct schedule *s, int64_t now_ns, int64_t period_ns)
{
	s->period_ns = period_ns;
	s->next_ns = now_ns + (period_ns > FIRST_NS ? period_ns : FIRST_NS);
}

int64_t
schedule_wake(struct schedule *s, int64_t now_ns, uint32_t *missed)
{
	int64_t late = now_ns - s->next_ns;
	if (late < 0)
		late = 0;
	int64_t periods = late / s->period_ns;
	*missed = periods > UINT32_MAX ? UINT32_MAX : (uint32_t)periods;
	s->next_ns += (periods + 1) * s->period_ns;
	return late;
}

bool
governor_check(struct governor *g, int64_t now_ns, int64_t cpu_ns)
{
	int64_t passed = now_ns - g->since_ns;
	if (passed < STRETCH_NS)
		return false;
	bool over = (cpu_ns - g->cpu_ns) * 100 > passed * g->allowed_pct;
	g->over = over ? g->over + 1 : 0;
	g->since_ns = now_ns;
	g->cpu_ns = cpu_ns;
	if (g->over < STRETCHES)
		return false;
	g->over = 0;
	return true;
}

static bool
is_about(int64_t value, int64_t expected, int64_t off_pct)
{
	int64_t off = value > expected ? value - expected : expected - value;
	return off * 100 <= expected * off_pct;
}

bool
throttle_gap(struct throttle *t, int64_t now_ns, int64_t gap_ns)
{
	if (t->gap_ns <= 0 || !is_about(gap_ns, t->gap_ns, 30))
		return false;
	bool in_row = t->last_ns && is_about(now_ns - t->last_ns, t->period_ns, 10);
	t->seen = in_row ? t->seen + 1 : 1;
	t->last_ns = now_ns;
	return t->seen >= 3;
}
