// Settings files: what a person writes is read, what is wrong is named with its line, nothing foreign does harm.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/settings.h"

static char seen[8192];

static int
note(void *data, const char *section, const char *key, const char *value, struct err *e)
{
	(void)data;
	if (strcmp(key, "bad") == 0)
		return err_set(e, "no such key");
	size_t n = strlen(seen);
	snprintf(seen + n, sizeof seen - n, "[%s]%s=%s|", section, key, value);
	return 0;
}

static int
read_text(const char *text, struct err *e)
{
	seen[0] = '\0';
	e->text[0] = '\0';
	return settings_read_text("f", text, note, NULL, e);
}

static void
pairs_come_in_order_with_their_section(void **state)
{
	(void)state;
	struct err e;
	assert_int_equal(read_text("# comment\nload = memory\n\n[load mine]\n; other\ncommand = make -j2\n"
	                           "  key=m\r\n\t title =  two words  \nempty =\n[ knob ]\na=1",
	                     &e), 0);
	assert_string_equal(seen, "[]load=memory|[load mine]command=make -j2|[load mine]key=m|"
	                          "[load mine]title=two words|[load mine]empty=|[ knob ]a=1|");
	assert_int_equal(read_text("", &e), 0);
	assert_string_equal(seen, "");
	assert_int_equal(read_text("\xef\xbb\xbf" "a = b", &e), 0);
	assert_string_equal(seen, "[]a=b|");
}

static void
a_section_without_pairs_is_told_of_where_asked(void **state)
{
	(void)state;
	struct err e = {""};
	const char *text = "x = 1\n[none]\n\n # a comment\n[a]\ny = 2\n[b]\n;\n[last]";
	seen[0] = '\0';
	assert_int_equal(settings_read_sections("f", text, note, NULL, &e), 0);
	assert_string_equal(seen, "[]x=1|[none]=|[a]y=2|[b]=|[last]=|");
	assert_int_equal(read_text(text, &e), 0);
	assert_string_equal(seen, "[]x=1|[a]y=2|");
	assert_int_equal(settings_read_sections("f", "[none]\n\n[a]\nbad = 1\n", note, NULL, &e), -1);
	assert_string_equal(e.text, "f:4: no such key");
}

static void
a_command_keeps_its_semicolons(void **state)
{
	(void)state;
	struct err e;
	assert_int_equal(read_text("a = cd x ; make ;; true # all\nb = x=1:2", &e), 0);
	assert_string_equal(seen, "[]a=cd x ; make ;; true # all|[]b=x=1:2|");
}

static void
a_command_may_be_long(void **state)
{
	(void)state;
	struct err e;
	char line[4090] = "a = ";
	memset(line + 4, 'x', sizeof line - 5);
	line[sizeof line - 1] = '\0';
	assert_int_equal(read_text(line, &e), 0);
	assert_int_equal(strlen(seen), strlen("[]a=|") + sizeof line - 5);
}

static void
what_is_wrong_is_named_with_its_line(void **state)
{
	(void)state;
	static const struct {
		const char *text, *said;
	} row[] = {
	    {"a = 1\nbad = 2\nbad = 3", "f:2: no such key"},
	    {"a = 1\n\nnonsense\nbad = 1", "f:3: neither a [section] nor key = value"},
	    {"bad = 1\nnonsense", "f:1: no such key"},
	    {"[open\na=1", "f:1: neither"},
	    {"a = \033[2J", "f:1: a control character"},
	    {"a = b\x01" "c", "f:1: a control character"},
	};
	struct err e;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		assert_int_equal(read_text(row[i].text, &e), -1);
		assert_non_null(strstr(e.text, row[i].said));
	}
	char text[6000] = "a = 1\nb = ";
	memset(text + 10, 'x', 5000);
	assert_int_equal(read_text(text, &e), -1);
	assert_non_null(strstr(e.text, "f:2: this line is too long"));
	snprintf(text, sizeof text, "[%0100d]\na=1", 0);
	assert_int_equal(read_text(text, &e), -1);
	assert_non_null(strstr(e.text, "f:1: the name of this section is too long"));
	snprintf(text, sizeof text, "%0200d = 1", 0);
	assert_int_equal(read_text(text, &e), -1);
	assert_non_null(strstr(e.text, "f:1: the name before '=' is too long"));
	// a caller that wants no words
	assert_int_equal(settings_read_text("f", "bad = 1", note, NULL, NULL), -1);
}

static void
files(void **state)
{
	(void)state;
	struct err e;
	char dir[] = "/tmp/stutter-settings.XXXXXX", path[64];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/f", dir);
	assert_int_equal(settings_read_file(path, note, NULL, &e), 1);
	assert_int_equal(settings_read_file(dir, note, NULL, &e), -1);
	assert_non_null(strstr(e.text, "not a file"));
	assert_int_equal(mkfifo(path, 0600), 0); // must not hang
	assert_int_equal(settings_read_file(path, note, NULL, &e), -1);
	unlink(path);

	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs("a = 1\nbad = 2\n", f);
	fclose(f);
	seen[0] = '\0';
	assert_int_equal(settings_read_file(path, note, NULL, &e), -1);
	assert_non_null(strstr(e.text, "/f:2: no such key"));
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite("a = 1\0b", 1, 7, f);
	fclose(f);
	assert_int_equal(settings_read_file(path, note, NULL, &e), -1);
	assert_non_null(strstr(e.text, "not a text file"));
	assert_int_equal(truncate(path, (1 << 20) + 1), 0);
	assert_int_equal(settings_read_file(path, note, NULL, &e), -1);
	assert_non_null(strstr(e.text, "1 MiB"));
	unlink(path);
	rmdir(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pairs_come_in_order_with_their_section),
	    cmocka_unit_test(a_section_without_pairs_is_told_of_where_asked),
	    cmocka_unit_test(a_command_keeps_its_semicolons),
	    cmocka_unit_test(a_command_may_be_long),
	    cmocka_unit_test(what_is_wrong_is_named_with_its_line),
	    cmocka_unit_test(files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
