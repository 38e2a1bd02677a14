// Load `burn`: integer work and memory copies on every worker, as the compile-like loads of contest and interbench.
// Must not know other loads.
#include <string.h>

#include "load/table.h"
#include "load/worker.h"

#define COPY_BYTES (1u << 20) // twice this is beyond most second-level caches
#define ROUNDS 20000

static uint64_t
integers(uint64_t x)
{
	// dependent multiplications, divisions and a branch that can't be foretold
	for (int i = 0; i < ROUNDS; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		if (x >> 63)
			x ^= x / ((x & 0xffff) + 3);
	}
	return x;
}

static int
burn_work(struct load_run *r, int index, struct err *e)
{
	(void)index;
	char *m = load_buffer(2 * COPY_BYTES, e);
	if (!m)
		return -1;
	load_fill(r, m, COPY_BYTES);
	uint64_t x = load_random(r);
	for (;;) {
		x = integers(x);
		size_t at = x % 4096;
		memcpy(m + COPY_BYTES, m, COPY_BYTES - at);
		memcpy(m + at, m + COPY_BYTES, COPY_BYTES - at);
		m[at] = (char)x;
		load_worked(r, 1);
	}
}

const struct load_kind load_burn = {
    .name = "burn",
    .does = "integer work and memory copies on every worker",
    .unit = "loops",
    .source = "contest",
    .level = 4,
    .work = burn_work,
};
