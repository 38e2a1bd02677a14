// Passes: averages and spread over all workers, invalid ones left out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "load/pass.h"

static struct load_shared *
new_shared(struct load_run *r, int worker)
{
	static struct load_shared sh;
	memset(r, 0, sizeof *r);
	r->sh = &sh;
	r->params = &sh.params;
	r->slot = &sh.slot[worker];
	return &sh;
}

static void
one_pass(struct load_run *r, uint64_t bytes, bool valid)
{
	assert_true(load_pass_begin(r));
	load_pass_end(r, bytes, valid);
}

static void
averages_over_all_workers(void **state)
{
	struct load_run a, b;
	struct load_status st = {0};
	(void)state;
	struct load_shared *sh = new_shared(&a, 0);
	new_shared(&b, 5);
	one_pass(&a, 2000000000000, true);
	one_pass(&b, 4000000000000, true);
	one_pass(&b, 7, false);
	one_pass(&a, 9000000000000, true);
	pass_collect(sh, &st);
	assert_int_equal(st.passes, 3);
	assert_int_equal(st.invalid_passes, 1);
	assert_int_equal(st.avg.bytes, 5000000000000);
	// of 2, 4 and 9 about 5: the sum of squares is 26, the sample variance 13
	assert_true(st.sd.bytes > 3605551275000 && st.sd.bytes < 3605551276000);
	assert_true(st.last.valid && st.last.bytes == 9000000000000);
}

static void
a_killed_pass_is_invalid(void **state)
{
	struct load_run r;
	struct load_status st = {0};
	(void)state;
	struct load_shared *sh = new_shared(&r, 1);
	memset(sh, 0, sizeof *sh);
	one_pass(&r, 100, true);
	assert_true(load_pass_begin(&r));
	pass_cut_short(r.slot);
	pass_cut_short(r.slot);
	pass_collect(sh, &st);
	assert_int_equal(st.passes, 1);
	assert_int_equal(st.invalid_passes, 1);
	assert_false(st.last.valid);
	assert_int_equal(st.avg.bytes, 100);
}

static void
no_more_than_asked(void **state)
{
	struct load_run r;
	(void)state;
	struct load_shared *sh = new_shared(&r, 0);
	memset(sh, 0, sizeof *sh);
	sh->params.passes = 2;
	one_pass(&r, 1, true);
	one_pass(&r, 1, true);
	assert_false(load_pass_begin(&r));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(averages_over_all_workers),
	    cmocka_unit_test(a_killed_pass_is_invalid),
	    cmocka_unit_test(no_more_than_asked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
