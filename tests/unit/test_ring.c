// The ring between a measuring thread and the rest: nothing is lost unseen, nothing torn, at the smallest sizes too.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/ring.h"

static struct ring *
ring_of(uint32_t capacity, uint32_t size)
{
	void *mem = NULL;
	assert_int_equal(posix_memalign(&mem, 64, ring_bytes(capacity, size)), 0);
	memset(mem, 0xa5, ring_bytes(capacity, size));
	return ring_init(mem, capacity, size);
}

static void
records_come_out_as_they_went_in(void **state)
{
	(void)state;
	static const uint32_t sizes[] = {1, 8, 12, 63, 64, 65, 200};
	for (uint32_t capacity = 1; capacity <= 8; capacity *= 2)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			unsigned char in[200], out[200];
			struct ring *r = ring_of(capacity, sizes[i]);
			assert_false(ring_pop(r, out));
			// every fill level, round and round
			for (uint32_t round = 0; round < 50; round++) {
				uint32_t n = round % (capacity + 1);
				for (uint32_t k = 0; k < n; k++) {
					memset(in, (int)(round * 7 + k), sizeof in);
					assert_true(ring_push(r, in));
				}
				for (uint32_t k = 0; k < n; k++) {
					memset(in, (int)(round * 7 + k), sizeof in);
					memset(out, 0, sizeof out);
					assert_true(ring_pop(r, out));
					assert_memory_equal(in, out, sizes[i]);
				}
				assert_false(ring_pop(r, out));
			}
			assert_int_equal(r->dropped, 0);
			free(r);
		}
}

static void
what_does_not_fit_is_counted(void **state)
{
	(void)state;
	struct ring *r = ring_of(4, 8);
	uint64_t v;
	for (v = 0; v < 10; v++)
		assert_int_equal(ring_push(r, &v), v < 4);
	assert_int_equal(r->dropped, 6);
	for (uint64_t want = 0; want < 4; want++) { // the oldest stay: nothing that was taken is overwritten
		assert_true(ring_pop(r, &v));
		assert_int_equal(v, want);
	}
	assert_true(ring_push(r, &v));
	free(r);
}

static void
indices_go_round_at_their_end(void **state)
{
	(void)state;
	struct ring *r = ring_of(4, 8);
	uint64_t v;
	r->head = r->tail = UINT64_MAX - 1;
	for (uint64_t i = 0; i < 4; i++)
		assert_true(ring_push(r, &i));
	assert_false(ring_push(r, &(uint64_t){9}));
	for (uint64_t i = 0; i < 4; i++) {
		assert_true(ring_pop(r, &v));
		assert_int_equal(v, i);
	}
	assert_false(ring_pop(r, &v));
	free(r);
}

enum { MANY = 400000 };

struct wide {
	uint64_t n[8];
};

static void *
produce(void *arg)
{
	struct ring *r = arg;
	for (uint64_t i = 0; i < MANY;) {
		struct wide w = {{i, i, i, i, i, i, i, i}};
		if (ring_push(r, &w))
			i++;
		else
			sched_yield();
	}
	return NULL;
}

static void
two_threads_see_every_record_once_and_whole(void **state)
{
	(void)state;
	for (uint32_t capacity = 1; capacity <= 1024; capacity *= 32) {
		struct ring *r = ring_of(capacity, sizeof(struct wide));
		pthread_t thread;
		struct wide w;
		assert_int_equal(pthread_create(&thread, NULL, produce, r), 0);
		for (uint64_t want = 0; want < MANY;) {
			if (!ring_pop(r, &w)) {
				sched_yield();
				continue;
			}
			for (int k = 0; k < 8; k++)
				if (w.n[k] != want)
					fail_msg("record %llu: word %d is %llu", (unsigned long long)want, k,
					    (unsigned long long)w.n[k]);
			want++;
		}
		pthread_join(thread, NULL);
		assert_false(ring_pop(r, &w));
		free(r);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(records_come_out_as_they_went_in),
	    cmocka_unit_test(what_does_not_fit_is_counted),
	    cmocka_unit_test(indices_go_round_at_their_end),
	    cmocka_unit_test(two_threads_see_every_record_once_and_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
