// What a load's own file may call: notes, sizes, buffers.
// Must not know any load, nor how workers are started and ended.
#include "load/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sys/limits.h"

#define RESERVE_BYTES (2ull << 30)

void
seq_read(const _Atomic uint32_t *seq, void *to, const void *from, size_t n)
{
	for (int tries = 0; tries < 1000; tries++) {
		uint32_t before = atomic_load_explicit(seq, memory_order_acquire);
		memcpy(to, from, n);
		atomic_thread_fence(memory_order_acquire);
		if (!(before & 1) && atomic_load_explicit(seq, memory_order_relaxed) == before)
			return;
	}
}

void
load_note(struct load_run *r, const char *fmt, ...)
{
	va_list ap;
	seq_write_begin(&r->sh->note_seq);
	va_start(ap, fmt);
	vsnprintf(r->sh->note, sizeof r->sh->note, fmt, ap);
	va_end(ap);
	seq_write_end(&r->sh->note_seq);
}

uint64_t
load_size_asked(const struct load_run *r, uint64_t wanted)
{
	const struct load_params *p = r->params;
	struct memory_room m;
	if (p->size)
		return p->size;
	if (p->size_pct_ram && memory_room_read(&m, NULL) == 0)
		return m.ram / 100 * p->size_pct_ram;
	return wanted;
}

uint64_t
load_reserve(uint64_t available)
{
	return available / 4 < RESERVE_BYTES ? available / 4 : RESERVE_BYTES;
}

void
load_tie_to_parent(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

void
load_fill(struct load_run *r, void *buf, size_t n)
{
	uint64_t *p = buf;
	for (size_t i = 0; i < n / sizeof *p; i++)
		p[i] = load_random(r);
}

void *
load_buffer(size_t n, struct err *e)
{
	void *m = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m != MAP_FAILED)
		return m;
	err_set(e, "no memory for a buffer:");
	return NULL;
}
