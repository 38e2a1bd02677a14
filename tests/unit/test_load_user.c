// Loads of the settings file as they are defined, and the table that they join.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/settings.h"
#include "load/load.h"

static int
define(void *data, const char *section, const char *key, const char *value, struct err *e)
{
	(void)data;
	return load_define(section + strlen("load "), key, value, e);
}

static void
table_is_whole(void **state)
{
	static const char keys[] = "1234567890";
	static const char *const names[] = {"memory", "io", "process", "x11", "procfs", "disk-write", "disk-copy", "disk-read",
	    "mmap", "alloc", "burn", "fork", "list"};
	(void)state;
	for (int i = 0; i < 13; i++) {
		const struct load_kind *k = load_kind_at(i);
		assert_non_null(k);
		assert_string_equal(k->name, names[i]);
		assert_int_equal(k->key, i < 10 ? keys[i] : 0);
		assert_true(k->does && k->unit && k->source && k->work && k->level >= 1);
		assert_ptr_equal(load_find(names[i]), k);
	}
	assert_null(load_kind_at(-1));
	assert_null(load_find("nothing"));
}

static void
own_loads_join_the_table(void **state)
{
	struct err e;
	(void)state;
	assert_int_equal(settings_read_text("test", "[load tar]\ncommand = tar cf - /usr\ncount = lines\nkey = T\n"
	    "[load other]\ncommand = true\n", define, NULL, &e), 0);
	assert_int_equal(load_define("tar", "title", "packs \033[31m", &e), 0);
	const struct load_kind *k = load_find("tar");
	assert_non_null(k);
	assert_int_equal(k->key, 'T');
	assert_string_equal(k->unit, "lines");
	assert_string_equal(k->does, "packs ?[31m");
	assert_true(k->by_passes);
	assert_ptr_equal(load_kind_at(13), k);
	assert_string_equal(load_kind_at(14)->unit, "passes");
	assert_null(load_kind_at(15));
}

static void
bad_definitions_are_named(void **state)
{
	static const struct {
		const char *name, *key, *value, *says;
	} bad[] = {
	    {"memory", "command", "true", "built in"},
	    {"a b", "command", "true", "letters"},
	    {"x", "colour", "red", "no such key 'colour'"},
	    {"x", "key", "ab", "one character"},
	    {"x", "count", "(", "regular expression"},
	    {"x", "count", "((((a{200}){200}){200}){200})", "repeats too much"},
	    {"x", "count", "a{1,30000}", "repeats too much"},
	    {"x", "count", "a+++++++++++++++++++++++++++++++++++", "repeats too much"},
	    {"x", "command", "", "1 to"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = {0};
		assert_int_equal(load_define(bad[i].name, bad[i].key, bad[i].value, &e), -1);
		if (!strstr(e.text, bad[i].says))
			fail_msg("\"%s\" does not say \"%s\"", e.text, bad[i].says);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(table_is_whole),
	    cmocka_unit_test(own_loads_join_the_table),
	    cmocka_unit_test(bad_definitions_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
