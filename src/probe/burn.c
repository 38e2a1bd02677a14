// The calibrated CPU loop.
// Must not know of probes.
#include "probe/burn.h"

#include "base/clock.h"

#define TRIAL_NS (1 * NS_PER_MS)
#define TRIALS 25
#define CHUNK_NS (50 * NS_PER_MS)
#define CLOCK_ERROR_NS 150 // two looks at the clock, and a cold start

// One iteration is a chain of dependent integer operations: the time it takes depends on nothing
// but the CPU's clock.
static uint64_t __attribute__((noinline)) spin(uint64_t x, uint64_t n)
{
	for (; n; n--) {
		for (int i = 0; i < 8; i++)
			x = x * 6364136223846793005U + 1442695040888963407U;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static int64_t
timed(struct burn *b, uint64_t n)
{
	int64_t t = clock_now_ns();
	b->x = spin(b->x, n);
	return clock_now_ns() - t;
}

void
burn_init(struct burn *b, int64_t want_ns)
{
	*b = (struct burn){.want_ns = want_ns, .x = 1};
	uint64_t n = 1000;
	int64_t took = timed(b, n);
	while (took < TRIAL_NS / 2) {
		n *= 2;
		took = timed(b, n);
	}
	n = n * TRIAL_NS / took + 1;
	int64_t least = INT64_MAX;
	for (int i = 0; i < TRIALS; i++) {
		took = timed(b, n);
		if (took < least)
			least = took;
	}
	b->iteration_ns = (double)least / (double)n;
	burn_want(b, want_ns);
}

void
burn_want(struct burn *b, int64_t want_ns)
{
	b->want_ns = want_ns;
	b->iterations = (uint64_t)((double)want_ns / b->iteration_ns + 0.5);
	if (!b->iterations)
		b->iterations = 1;
	b->least_ns = INT64_MAX;
	b->recent = 0;
}

int64_t
burn_run(struct burn *b)
{
	if (!b->stop || b->want_ns <= CHUNK_NS)
		return timed(b, b->iterations);
	uint64_t chunk = (uint64_t)(CHUNK_NS / b->iteration_ns), left = b->iterations;
	int64_t start = clock_now_ns();
	for (; left > chunk && !atomic_load_explicit(b->stop, memory_order_relaxed); left -= chunk)
		b->x = spin(b->x, chunk);
	if (left <= chunk)
		b->x = spin(b->x, left);
	return clock_now_ns() - start;
}

bool
burn_check(struct burn *b, int64_t took_ns)
{
	if (took_ns < b->least_ns)
		b->least_ns = took_ns;
	b->recent++;
	int64_t allowed = b->want_ns / 50 + CLOCK_ERROR_NS;
	bool fast = b->least_ns < b->want_ns - allowed;
	bool slow = b->recent >= BURN_RECENT && b->least_ns > b->want_ns + allowed;
	if (fast || slow) {
		b->iteration_ns = (double)b->least_ns / (double)b->iterations;
		burn_want(b, b->want_ns);
		return true;
	}
	if (b->recent >= BURN_RECENT) {
		b->least_ns = INT64_MAX;
		b->recent = 0;
	}
	return false;
}
