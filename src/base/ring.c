// The single-producer, single-consumer ring: free-running indices, acquire/release hand-off.
// Must not know what it carries.
#include "base/ring.h"

#include <string.h>

size_t
ring_bytes(uint32_t capacity, uint32_t size)
{
	return sizeof(struct ring) + (size_t)capacity * size;
}

struct ring *
ring_init(void *mem, uint32_t capacity, uint32_t size)
{
	memset(mem, 0, ring_bytes(capacity, size));
	struct ring *r = mem;
	r->capacity = capacity;
	r->size = size;
	return r;
}

bool
ring_push(struct ring *r, const void *record)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
	if (head - tail >= r->capacity) {
		atomic_fetch_add_explicit(&r->dropped, 1, memory_order_relaxed);
		return false;
	}
	memcpy(r->data + (size_t)(head & (r->capacity - 1)) * r->size, record, r->size);
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
	return true;
}

bool
ring_pop(struct ring *r, void *record)
{
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);
	if (head == tail)
		return false;
	memcpy(record, r->data + (size_t)(tail & (r->capacity - 1)) * r->size, r->size);
	atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
	return true;
}
