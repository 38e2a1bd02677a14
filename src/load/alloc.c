// Load `alloc`: allocates until 80% of RAM + swap is in use and writes every byte, then frees (mtest01). A pass is one
// filling. Must not know other loads.
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/text.h"
#include "load/table.h"
#include "load/worker.h"
#include "sys/limits.h"

#define MIB (1ull << 20)
#define LEAST (4 * MIB)
#define CHUNK (64 * MIB)
#define CHUNKS 65536
#define SMALL_PAGES (64 * MIB) // the rest in huge ones: they are freed 20 times as fast
#define LOOK_NS (20 * NS_PER_MS)

struct filling {
	unsigned char *chunk[CHUNKS];
	uint64_t size[CHUNKS];
	int chunks;
	uint64_t bytes; // written
};

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int
alloc_prepare(struct load_run *r, struct err *e)
{
	struct memory_room m;
	char text[16];
	if (memory_room_read(&m, e) == -1)
		return -1;
	uint64_t all = m.ram + m.swap_total, used = m.ram - m.available + m.swap_total - m.swap_free;
	uint64_t wish = load_size_asked(r, all / 5 * 4 > used ? all / 5 * 4 - used : 0);
	// others need some too, and swap less than RAM can't take all
	uint64_t fits = m.available - load_reserve(m.available) + m.swap_free / 5 * 4;
	if (m.cgroup_left != UINT64_MAX)
		fits = least(fits, m.cgroup_left / 8 * 7);
	r->size = least(wish, fits);
	if (r->size < LEAST)
		return err_set(e, "no memory: %s may be used", text_bytes(text, sizeof text, (double)r->size));
	if (r->size < wish)
		load_note(r, "%s is what fits", text_bytes(text, sizeof text, (double)r->size));
	return 0;
}

// Is there so little left that others would suffer?
static bool
too_tight(struct load_run *r)
{
	struct memory_room m;
	int64_t now = clock_now_ns();
	if (now - r->look_ns < LOOK_NS || memory_room_read(&m, NULL) == -1)
		return false;
	r->look_ns = now;
	bool cgroup = m.cgroup_left != UINT64_MAX && m.cgroup_left < m.cgroup_limit / 32;
	bool swap = m.swap_total && m.swap_free > m.swap_total / 10;
	return cgroup || (!swap && m.available < load_reserve(m.ram) / 2);
}

static bool
fill_chunk(struct load_run *r, struct filling *f, uint64_t size, int value)
{
	unsigned char *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED)
		return false;
	f->size[f->chunks] = size;
	f->chunk[f->chunks++] = m;
	if (f->bytes >= SMALL_PAGES)
		madvise(m, size, MADV_HUGEPAGE);
	for (uint64_t at = 0; at < size; at += MIB) {
		uint64_t n = least(MIB, size - at);
		if (too_tight(r))
			return false;
		memset(m + at, value, n);
		f->bytes += n;
		load_worked(r, n);
	}
	return true;
}

static int
alloc_work(struct load_run *r, int index, struct err *e)
{
	(void)index;
	struct filling *f = load_buffer(sizeof *f, e);
	if (!f)
		return -1;
	for (int value = 1; load_pass_begin(r); value++) {
		uint64_t share = r->size / (uint64_t)load_level(r);
		bool whole = true;
		f->chunks = 0;
		f->bytes = 0;
		while (whole && f->bytes < share && f->chunks < CHUNKS)
			whole = fill_chunk(r, f, least(CHUNK, share - f->bytes), value);
		for (int i = 0; i < f->chunks; i++)
			munmap(f->chunk[i], f->size[i]);
		load_pass_end(r, f->bytes, whole && f->bytes == share);
	}
	return 0;
}

const struct load_kind load_alloc = {
    .name = "alloc",
    .key = '0',
    .does = "allocates until 80% of RAM and swap is in use and writes every byte, then frees; a pass is one filling",
    .unit = "bytes",
    .source = "mtest01",
    .level = 1,
    .by_passes = true,
    .stall_ms = 3000,
    .prepare = alloc_prepare,
    .work = alloc_work,
};
