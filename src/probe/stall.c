// Notices holds and suspends.
// Must not know which probe asks.
#include "probe/stall.h"

#include "base/clock.h"

#define SUSPEND_LEAST_NS (10 * NS_PER_MS)

// How long the machine has been suspended since boot; the clocks are read again where something
// came between.
static int64_t
suspended_ns(void)
{
	int64_t before, boot, after;
	do {
		before = clock_now_ns();
		boot = clock_boot_ns();
		after = clock_now_ns();
	} while (after - before > SUSPEND_LEAST_NS / 2);
	return boot - before;
}

void
stall_init(struct stall *s, const struct probe_live *live)
{
	s->hold = atomic_load(&live->hold) & ~1u;
	s->suspended_ns = suspended_ns();
}

bool
stall_look(struct stall *s, const struct probe_live *live, int64_t now_ns, int64_t *slept_ns)
{
	*slept_ns = 0;
	if (clock_boot_ns() - now_ns - s->suspended_ns > SUSPEND_LEAST_NS) {
		int64_t now = suspended_ns();
		*slept_ns = now - s->suspended_ns;
		s->suspended_ns = now;
	}
	unsigned hold = atomic_load_explicit(&live->hold, memory_order_acquire);
	return hold != s->hold || *slept_ns > SUSPEND_LEAST_NS;
}

bool
stall_held(struct stall *s, const struct probe_live *live)
{
	s->hold = atomic_load_explicit(&live->hold, memory_order_acquire);
	return s->hold & 1;
}

struct sample
stall_sample(enum sample_kind kind, int64_t now_ns, int64_t period_ns)
{
	struct sample s = {.t_ns = now_ns, .period_ns = period_ns, .kind = kind};
	for (int q = 0; q < Q_COUNT; q++)
		s.value[q] = -1;
	return s;
}
