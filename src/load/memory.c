// Load `memory`: touches its memory over and over, every cache line once a round, in an order that misses the caches and
// the TLB (irman). More than RAM where swap can take it; where not, what fits, and a dirty file mapping too big for a
// memory cgroup of its own, so that the kernel must reclaim all the same. Must not know other loads.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "load/cgroup.h"
#include "load/disk.h"
#include "load/table.h"
#include "load/worker.h"
#include "sys/limits.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 // Linux 5.14; where there is none, it is an error
#endif

#define LINE 64u
#define PAGE 4096u
#define MIB (1ull << 20)
#define LEAST (4 * MIB)
#define RECLAIM_BYTES (64 * MIB)       // limit of the cgroup: all of it may be waiting for a slow disk when it ends
#define RECLAIM_LEAST (16 * MIB)
#define CLUSTER (1 * MIB)
#define GROW_BYTES (64 * MIB)          // taken at a time, at most
#define CHURN_BYTES (4 * MIB)          // given back and faulted in anew
#define CHURN_NS (4 * NS_PER_MS)
#define CHURN_REST 1                   // times as long as a churn took, until the next: the walk is what it is for
#define SMALL_BYTES (32 * MIB)         // in small pages, given back and faulted in anew all at once
#define SMALL_CHURNS 8                 // churns between two of those
#define LOOK_NS (50 * NS_PER_MS)       // between two looks at what is left of the machine's memory
#define BATCH 64

struct plan {
	uint64_t walk;    // bytes of memory to touch
	uint64_t reserve; // to be left to others
	uint64_t reclaim; // limit of the cgroup; 0: none
};

struct walk {
	unsigned char *mem;
	uint64_t mapped, bytes; // mapped, and in use of it: all of that is there
	uint64_t target;        // of BYTES
	uint64_t lines, step;   // of the bytes in use; how many taken of this round
	unsigned bits;          // of the smallest power of two that holds them
	uint64_t key;           // another order each round
};

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void
make_plan(struct load_run *r, const struct memory_room *m, struct plan *p)
{
	uint64_t wish = load_size_asked(r, m->ram / 10 * 11);
	p->reserve = load_reserve(m->available);
	// four fifths of the swap: the rest of the machine may need some
	uint64_t fits = m->available - p->reserve + m->swap_free / 5 * 4;
	if (m->cgroup_left != UINT64_MAX)
		fits = least(fits, m->cgroup_left / 8 * 7);
	p->walk = least(wish, fits);
	p->reclaim = 0;
	if (p->walk > m->available)
		return;
	// no more than a fifth of what fits
	p->reclaim = least(RECLAIM_BYTES, fits / 5) / MIB * MIB;
	if (r->params->size || r->params->size_pct_ram)
		p->reclaim = least(p->reclaim, p->walk / MIB * MIB);
	if (p->reclaim < RECLAIM_LEAST)
		p->reclaim = 0;
	p->walk = least(p->walk, fits - p->reclaim);
}

// The cgroup and the file that is too big for it. -1 with the reason where there can't be one.
static int
prepare_reclaim(struct load_run *r, struct plan *p, struct err *e)
{
	uint64_t file = p->reclaim / 10 * 11, wanted = file;
	if (!p->reclaim)
		return err_set(e, "too little memory");
	if (load_disk_fit(r, &file, wanted, e) == -1)
		return -1;
	if (cgroup_make(r->cgroup, sizeof r->cgroup, p->reclaim, e) == -1)
		return -1;
	r->fd[0] = load_temp_file(r, 0, e);
	if (r->fd[0] != -1 && ftruncate(r->fd[0], (off_t)file) == 0)
		return 0;
	cgroup_remove(r->cgroup);
	r->cgroup[0] = '\0';
	return -1;
}

static int
memory_prepare(struct load_run *r, struct err *e)
{
	struct memory_room m;
	struct plan p;
	struct err why = {0};
	char walk[16], limit[16], file[16];
	if (memory_room_read(&m, e) == -1)
		return -1;
	make_plan(r, &m, &p);
	if (p.walk < LEAST)
		return err_set(e, "no memory: %s may be used",
		    text_bytes(walk, sizeof walk, (double)p.walk));
	r->size = p.walk;
	text_bytes(walk, sizeof walk, (double)p.walk);
	if (p.walk > m.available) {
		load_note(r, "%s, more than the RAM that is free: paged to swap", walk);
	} else if (prepare_reclaim(r, &p, &why) == 0) {
		load_note(r, "%s in RAM; reclaim: a dirty file of %s in a cgroup of %s", walk,
		    text_bytes(file, sizeof file, (double)p.reclaim * 1.1),
		    text_bytes(limit, sizeof limit, (double)p.reclaim));
	} else {
		load_note(r, "%s in RAM, no reclaim: %s", walk, why.text);
	}
	return 0;
}

static void
walk_use(struct walk *w, uint64_t bytes)
{
	w->bytes = bytes;
	w->lines = bytes / LINE;
	w->step = 0;
	for (w->bits = 1; 1ull << w->bits < w->lines; w->bits++)
		;
}

// The line that is the I-th of a round: a permutation of the numbers of BITS bits, by steps that can each be undone
// (multiply by an odd number, xor with its own upper half).
static uint64_t
scatter(const struct walk *w, uint64_t i)
{
	uint64_t mask = (1ull << w->bits) - 1;
	unsigned half = (w->bits + 1) / 2;
	i = (i + w->key) & mask;
	i = i * 0x9e3779b97f4a7c15ull & mask;
	i ^= i >> half;
	i = i * 0xbf58476d1ce4e5b9ull & mask;
	i ^= i >> half;
	return i * 0x94d049bb133111ebull & mask;
}

// Touches a batch of lines: reads and dirties each. No address depends on what was read, so that many misses are on
// their way at a time.
static void
walk_batch(struct walk *w, struct load_run *r)
{
	int done = 0;
	while (done < BATCH) {
		uint64_t line = scatter(w, w->step++);
		if (w->step >> w->bits) {
			w->step = 0;
			w->key = load_random(r);
		}
		if (line >= w->lines)
			continue;
		volatile uint64_t *p = (volatile uint64_t *)(w->mem + line * LINE);
		*p += 1;
		done++;
		// one by one: the first touches each wait for a page
		load_worked(r, 1);
	}
}

// Has the kernel give N bytes at AT, in order; one by one and at random would take minutes for gigabytes.
static void
populate(struct walk *w, uint64_t at, uint64_t n)
{
	if (madvise(w->mem + at, n, MADV_POPULATE_WRITE) == 0)
		return;
	for (uint64_t i = 0; i < n; i += PAGE)
		*(volatile unsigned char *)(w->mem + at + i) |= 0;
}

// Takes more, at first little, so that the walk begins at once.
static void
grow(struct walk *w)
{
	uint64_t n = w->bytes < LEAST ? LEAST : least(w->bytes, GROW_BYTES);
	uint64_t from = w->bytes / PAGE * PAGE, to = least(w->target, w->bytes + n);
	populate(w, from, to - from);
	walk_use(w, to);
}

static void
shrink(struct walk *w, uint64_t bytes)
{
	if (bytes >= w->bytes)
		return;
	uint64_t from = (bytes + PAGE - 1) / PAGE * PAGE;
	if (w->bytes > from)
		madvise(w->mem + from, w->bytes - from, MADV_DONTNEED);
	walk_use(w, bytes);
}

// Gives memory back where others need it, takes it again where there is enough.
static void
yield_to_others(struct walk *w, uint64_t share)
{
	struct memory_room m;
	if (memory_room_read(&m, NULL) == -1)
		return;
	uint64_t reserve = load_reserve(m.available + w->bytes), step = w->mapped / 16 / LINE * LINE;
	bool cgroup_tight = m.cgroup_left != UINT64_MAX && m.cgroup_left < m.cgroup_limit / 32;
	bool cgroup_free = m.cgroup_left == UINT64_MAX || m.cgroup_left > m.cgroup_limit / 8 + step;
	bool paged = m.swap_total && m.swap_free > m.swap_total / 10;
	if ((m.available < reserve / 2 && !paged) || cgroup_tight) {
		if (w->bytes <= LEAST + step)
			return;
		shrink(w, w->bytes - step);
		w->target = w->bytes;
	} else if (w->target + step <= share && m.available > reserve + step && cgroup_free) {
		w->target += step;
	}
}

// Small pages only: freeing and faulting them in bulk is what keeps a kernel busiest.
static void
churn_small(struct walk *w, struct load_run *r)
{
	if (w->bytes < 4 * SMALL_BYTES)
		return;
	madvise(w->mem, SMALL_BYTES, MADV_DONTNEED);
	for (uint64_t at = 0; at < SMALL_BYTES; at += PAGE) {
		*(volatile uint64_t *)(w->mem + at) = at;
		load_worked(r, 1);
	}
}

static void
churn(struct walk *w, struct load_run *r, unsigned turn)
{
	if (w->bytes < 4 * CHURN_BYTES)
		return;
	uint64_t at = load_random(r) % (w->bytes / CHURN_BYTES) * CHURN_BYTES;
	madvise(w->mem + at, CHURN_BYTES, MADV_DONTNEED);
	populate(w, at, CHURN_BYTES);
	if (turn % SMALL_CHURNS == 0)
		churn_small(w, r);
}

static pid_t
start_reclaim(struct load_run *r)
{
	off_t size = lseek(r->fd[0], 0, SEEK_END);
	pid_t parent = getpid(), pid = fork();
	if (pid)
		return pid;
	load_tie_to_parent(parent);
	r->slot = &r->sh->slot[LOAD_LEVEL_MAX];
	if (cgroup_join(r->cgroup, NULL) == -1)
		_exit(1);
	uint64_t clusters = (uint64_t)size / CLUSTER;
	unsigned char *m = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd[0], 0);
	if (m == MAP_FAILED)
		_exit(1);
	for (;;) {
		// in clusters: the pieces that are on their way to the disk when it ends must be few
		unsigned char *at = m + load_random(r) % clusters * CLUSTER;
		for (uint64_t i = 0; i < CLUSTER; i += PAGE) {
			*(volatile uint64_t *)(at + i) += 1;
			load_worked(r, 1);
		}
	}
}

static int
memory_work(struct load_run *r, int index, struct err *e)
{
	struct walk w = {.mapped = r->size / LINE * LINE, .key = load_random(r)};
	int64_t look_ns = 0, churn_ns = 0, grow_ns = 0;
	int level = 0;
	unsigned turn = 0;
	pid_t helper = index == 0 && r->cgroup[0] ? start_reclaim(r) : 0;
	if (helper == -1)
		return err_set(e, "no process for the reclaim:");
	w.mem = mmap(NULL, w.mapped, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (w.mem == MAP_FAILED)
		return err_set(e, "mapping memory:");
	// huge ones are freed 20 times as fast when it ends
	madvise(w.mem, w.mapped, MADV_HUGEPAGE);
	if (w.mapped > SMALL_BYTES)
		madvise(w.mem, SMALL_BYTES, MADV_NOHUGEPAGE);
	for (;;) {
		if (level != load_level(r)) {
			level = load_level(r);
			w.target = w.mapped / (uint64_t)level;
			shrink(&w, w.target);
		}
		if (w.bytes)
			walk_batch(&w, r);
		int64_t now = clock_now_ns();
		if (w.bytes < w.target && now >= grow_ns) {
			grow(&w);
			// a quarter of the time is the walk's meanwhile
			grow_ns = clock_now_ns() + (clock_now_ns() - now) / 3;
		}
		if (w.bytes >= w.target && now >= churn_ns) {
			churn(&w, r, ++turn);
			int64_t end = clock_now_ns(), rest = CHURN_REST * (end - now);
			churn_ns = end + (rest > CHURN_NS ? rest : CHURN_NS);
		}
		if (now >= look_ns) {
			yield_to_others(&w, w.mapped / (uint64_t)level);
			look_ns = now + LOOK_NS;
			if (helper && waitpid(helper, NULL, WNOHANG) == helper)
				return err_set(e, "the process that makes reclaim was killed");
		}
	}
}

const struct load_kind load_memory = {
    .name = "memory",
    .key = '1',
    .does = "touches its memory over and over in an order that misses the caches and the TLB",
    .unit = "lines",
    .source = "irman",
    .level = 1,
    .stall_ms = 3000,
    .prepare = memory_prepare,
    .work = memory_work,
};
