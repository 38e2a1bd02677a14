// The grid of cells: clipping, UTF-8, one column a character, dumps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/grid.h"

static void
assert_dump(const struct grid *g, bool roles, const char *want)
{
	char *got = grid_dump(g, roles);
	assert_string_equal(got, want);
	free(got);
}

static void
text_is_cut_after_a_whole_character(void **state)
{
	(void)state;
	struct grid g = {0};
	assert_int_equal(grid_size(&g, 8, 2), 0);
	assert_int_equal(grid_text(&g, 0, 0, 4, ROLE_TEXT, "18µs later"), 4);
	assert_int_equal(grid_text(&g, 5, 1, 99, ROLE_TEXT, "abcdef"), 6); // columns asked for; what is outside is not drawn
	assert_dump(&g, false, "18µs\n     abc\n");
	assert_int_equal(grid_text(&g, 0, 0, 0, ROLE_TEXT, "x"), 0);
	assert_int_equal(grid_text(&g, 0, 0, -5, ROLE_TEXT, "x"), 0);
	grid_free(&g);
}

static void
every_character_takes_one_column(void **state)
{
	(void)state;
	struct grid g = {0};
	grid_size(&g, 12, 1);
	// wide ones and broken bytes become '?', combining marks and invisible ones vanish, controls never pass
	assert_int_equal(grid_text(&g, 0, 0, 12, ROLE_TEXT, "a\xe6\xbc\xa2" "b\xcc\x81\xe2\x80\x8b" "c\x1b\x07\xf0\x9f\x98\x80"), 7);
	assert_dump(&g, false, "a?bc???\n");
	grid_clear(&g);
	grid_text(&g, 0, 0, 12, ROLE_TEXT, "\xff\xc3");
	for (int i = 0; i < 2; i++)
		assert_true(g.cell[i].ch == '?' || g.cell[i].ch == 0xfffd);
	grid_put(&g, 0, 0, 0, ROLE_TEXT);
	assert_int_equal(g.cell[0].ch, ' ');
	grid_put(&g, 0, 0, 0x9b, ROLE_TEXT); // a control in eight bits: CSI
	assert_int_equal(g.cell[0].ch, '?');
	grid_put(&g, 0, 0, 0x28ff, ROLE_TEXT);
	assert_int_equal(g.cell[0].ch, 0x28ff);
	grid_free(&g);
}

static void
nothing_outside_is_touched(void **state)
{
	(void)state;
	struct grid g = {0};
	grid_size(&g, 3, 3);
	grid_fill(&g, (struct rect){-5, -5, 100, 100}, '#', ROLE_MAX);
	grid_back(&g, (struct rect){1, 1, 1000, 1000}, ROLE_SELECT);
	grid_put(&g, -1, 0, 'x', ROLE_MAX);
	grid_put(&g, 0, 3, 'x', ROLE_MAX);
	grid_put(&g, 3, 0, 'x', ROLE_MAX);
	grid_text(&g, -2, 2, 9, ROLE_AVG, "abcdefghi");
	assert_dump(&g, false, "###\n###\ncde\n");
	assert_int_equal(g.cell[0].back, ROLE_BACK);
	assert_int_equal(g.cell[8].back, ROLE_SELECT);
	grid_free(&g);
}

static void
sizes_are_kept_sane(void **state)
{
	(void)state;
	struct grid g = {0};
	assert_int_equal(grid_size(&g, 0, -3), 0);
	assert_true(g.w == 1 && g.h == 1);
	grid_put(&g, 0, 0, 'x', ROLE_MAX);
	assert_int_equal(grid_size(&g, 1, 1), 0);
	assert_dump(&g, false, "\n"); // cleared, also at the same size
	grid_free(&g);
	assert_null(g.cell);
}

static void
a_dump_tells_roles_by_letters(void **state)
{
	(void)state;
	struct grid g = {0};
	grid_size(&g, 4, 2);
	grid_text(&g, 0, 0, 4, ROLE_TEXT, "ab");
	grid_put(&g, 3, 0, 'x', ROLE_LOAD6);
	grid_back(&g, (struct rect){0, 1, 2, 1}, ROLE_SELECT);
	assert_dump(&g, true, "ab x\n\n\naa H\nww\n");
	grid_free(&g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(text_is_cut_after_a_whole_character), cmocka_unit_test(every_character_takes_one_column),
	    cmocka_unit_test(nothing_outside_is_touched), cmocka_unit_test(sizes_are_kept_sane),
	    cmocka_unit_test(a_dump_tells_roles_by_letters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
