// A single-producer, single-consumer ring of fixed-size records, wait-free on both sides.
// Holds no pointer, so that it also works in memory shared between processes. Must not know what it carries.
#ifndef BASE_RING_H
#define BASE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ring {
	uint32_t capacity; // records, a power of two
	uint32_t size;     // bytes a record
	_Alignas(64) _Atomic uint64_t head; // records ever pushed; the producer's
	_Atomic uint64_t dropped;           // records refused because it was full; the producer's
	_Alignas(64) _Atomic uint64_t tail; // records ever popped; the consumer's
	_Alignas(64) unsigned char data[];
};

// Bytes of memory that a ring of CAPACITY records (a power of two) of SIZE bytes takes.
size_t ring_bytes(uint32_t capacity, uint32_t size);
// Makes an empty ring in MEM (64-byte aligned, ring_bytes long) and touches every page of it.
struct ring *ring_init(void *mem, uint32_t capacity, uint32_t size);
// Where record NUMBER is, counted from the first ever.
static inline unsigned char *
ring_slot(struct ring *r, uint64_t number)
{
	return r->data + (size_t)(number & (r->capacity - 1)) * r->size;
}

// Producer: copies one record in; false, and counted in `dropped`, where the ring is full.
static inline bool
ring_push(struct ring *r, const void *record)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
	if (head - tail >= r->capacity) {
		atomic_fetch_add_explicit(&r->dropped, 1, memory_order_relaxed);
		return false;
	}
	memcpy(ring_slot(r, head), record, r->size);
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
	return true;
}

// Consumer: copies the oldest record out; false where there is none.
static inline bool
ring_pop(struct ring *r, void *record)
{
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);
	if (head == tail)
		return false;
	memcpy(record, ring_slot(r, tail), r->size);
	atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
	return true;
}

#endif
