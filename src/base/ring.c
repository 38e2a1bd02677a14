// Makes single-producer, single-consumer rings.
// Must not know what they carry.
#include "base/ring.h"

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
