// A single-producer, single-consumer ring of fixed-size records, wait-free on both sides.
// Holds no pointer, so that it also works in memory shared between processes. Must not know what it carries.
#ifndef BASE_RING_H
#define BASE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
// Producer: copies one record in; false, and counted in `dropped`, where the ring is full.
bool ring_push(struct ring *r, const void *record);
// Consumer: copies the oldest record out; false where there is none.
bool ring_pop(struct ring *r, void *record);

#endif
