// Numbers as people read and write them, in any locale, and foreign text made safe.
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void
times_have_three_digits_and_seven_columns(void **state)
{
	(void)state;
	static const struct {
		int64_t ns;
		const char *text;
	} row[] = {
	    {0, "0ns"}, {1, "1ns"}, {999, "999ns"}, {1000, "1.00µs"}, {1480, "1.48µs"}, {9994, "9.99µs"},
	    {9996, "10µs"}, {18300, "18µs"}, {152000, "152µs"}, {999499, "999µs"}, {999500, "1.00ms"},
	    {1480000, "1.48ms"}, {9996000, "10.0ms"}, {16340000, "16.3ms"}, {99960000, "100ms"},
	    {999499999, "999ms"}, {999500000, "1.00s"}, {2300000000, "2.30s"}, {59940000000, "59.9s"},
	    {59960000000, "1m00s"}, {245000000000, "4m05s"}, {3599600000000, "1h00m"}, {11520000000000, "3h12m"},
	    {359999000000000, "4d04h"}, {-1480000, "-1.48ms"}, {TEXT_NONE, "-"}, {INT64_MAX, "106752d"},
	};
	char buf[32];
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_string_equal(text_ns(buf, sizeof buf, row[i].ns, false), row[i].text);
	assert_string_equal(text_ns(buf, sizeof buf, 18300, true), "18us");
	// never wider than its column, whatever comes
	srand48(1);
	for (int i = 0; i < 200000; i++) {
		int64_t v = (int64_t)exp(drand48() * log(9.2e18));
		assert_true(strlen(text_ns(buf, sizeof buf, v, true)) <= 7);
		assert_true(strchr(buf, 'e') == NULL);
	}
}

static void
amounts_have_three_digits_and_seven_columns(void **state)
{
	(void)state;
	char buf[32];
	assert_string_equal(text_count(buf, sizeof buf, 0), "0");
	assert_string_equal(text_count(buf, sizeof buf, 812), "812");
	assert_string_equal(text_count(buf, sizeof buf, 3.456), "3.46");
	assert_string_equal(text_count(buf, sizeof buf, 41234), "41.2k");
	assert_string_equal(text_count(buf, sizeof buf, 999.6), "1.00k");
	assert_string_equal(text_count(buf, sizeof buf, 999600), "1.00M");
	assert_string_equal(text_count(buf, sizeof buf, 1.9e9), "1.90G");
	assert_string_equal(text_count(buf, sizeof buf, NAN), "-");
	assert_string_equal(text_count(buf, sizeof buf, INFINITY), "-");
	assert_string_equal(text_bytes(buf, sizeof buf, 812), "812B");
	assert_string_equal(text_bytes(buf, sizeof buf, 412e6), "412M");
	assert_string_equal(text_bytes(buf, sizeof buf, 1.9e9), "1.90G");
	assert_string_equal(text_bytes(buf, sizeof buf, (double)UINT64_MAX), "18.4E");
	for (double v = 1e-9; v < 1e40; v *= 1.37) {
		assert_true(strlen(text_bytes(buf, sizeof buf, v)) <= 7);
		assert_true(strlen(text_count(buf, sizeof buf, -v)) <= 7);
	}
}

static void
shares_never_look_whole_when_they_are_not(void **state)
{
	(void)state;
	static const struct {
		double pct;
		const char *text;
	} row[] = {{0, "0%"}, {0.001, "<0.01%"}, {0.05, "0.05%"}, {9.71, "9.71%"}, {97.1, "97.1%"}, {99.89, "99.9%"},
	    {99.98, "99.98%"}, {99.9999, "99.99%"}, {100, "100%"}, {187.4, "187%"}, {6400, "6400%"}, {NAN, "-"}};
	char buf[32];
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_string_equal(text_pct(buf, sizeof buf, row[i].pct), row[i].text);
}

static void
clocks(void **state)
{
	(void)state;
	char buf[32];
	assert_string_equal(text_clock(buf, sizeof buf, 751000000000), "00:12:31");
	assert_string_equal(text_clock(buf, sizeof buf, 0), "00:00:00");
	assert_string_equal(text_clock(buf, sizeof buf, 445506LL * 1000000000), "123:45:06");
	assert_string_equal(text_clock(buf, sizeof buf, TEXT_NONE), "-");
}

static void
no_locale_puts_a_comma(void **state)
{
	(void)state;
	char buf[32];
	int64_t ns;
	uint64_t bytes;
	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
		print_message("# no such locale here\n");
	assert_string_equal(text_ns(buf, sizeof buf, 1480000, false), "1.48ms");
	assert_string_equal(text_pct(buf, sizeof buf, 97.1), "97.1%");
	assert_string_equal(text_count(buf, sizeof buf, 41234), "41.2k");
	assert_int_equal(text_parse_ns("1.5ms", &ns, NULL), 0);
	assert_int_equal(ns, 1500000);
	assert_int_equal(text_parse_size("1.5K", &bytes, NULL), 0);
	assert_int_equal(bytes, 1536);
	assert_int_equal(text_parse_ns("1,5ms", &ns, NULL), -1);
	setlocale(LC_ALL, "C");
}

static void
times_as_people_write_them(void **state)
{
	(void)state;
	static const struct {
		const char *s;
		int64_t ns;
	} good[] = {{"0", 0}, {"10us", 10000}, {"10µs", 10000}, {"1ms", 1000000}, {".5s", 500000000}, {"0.5s", 500000000},
	    {"3", 3000000000}, {"5m", 300000000000}, {"2min", 120000000000}, {"2h", 7200000000000}, {"7ns", 7},
	    {"1d", 86400000000000}, {"100000h", 360000000000000000}};
	static const char *const bad[] = {"", "abc", "-1", "1x", "1 ms", "ms", ".", "1..5s", "1e3", "0x10", "1ms ", " 1ms", "+1s",
	    "9999999999h", "1111111111111111111111s", "nan", "inf", "1,5s"};
	struct err e;
	int64_t ns;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(text_parse_ns(good[i].s, &ns, &e), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		ns = 42;
		e.text[0] = '\0';
		assert_int_equal(text_parse_ns(bad[i], &ns, &e), -1);
		assert_int_equal(ns, 42);
		assert_non_null(strstr(e.text, *bad[i] ? bad[i] : "''"));
	}
	assert_int_equal(text_parse_ns("abc", &ns, &e), -1);
	assert_non_null(strstr(e.text, "ms")); // says what is allowed
}

static void
sizes_as_people_write_them(void **state)
{
	(void)state;
	static const struct {
		const char *s;
		uint64_t bytes;
	} good[] = {{"0", 0}, {"4096", 4096}, {"64K", 65536}, {"64k", 65536}, {"64KiB", 65536}, {"2G", 2147483648},
	    {"1.5T", 1649267441664}, {"5G", 5368709120}, {"2048000000", 2048000000}, {"10B", 10}};
	static const char *const bad[] = {"", "G", "2X", "-1", "2 G", "2GG", "1e9", "999999999P", "0x10", "2Gi B", "150%"};
	struct err e;
	uint64_t bytes;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(text_parse_size(good[i].s, &bytes, &e), 0);
		assert_int_equal(bytes, good[i].bytes);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(text_parse_size(bad[i], &bytes, &e), -1);
}

static void
whole_numbers_within_bounds(void **state)
{
	(void)state;
	struct err e;
	long v = 0;
	assert_int_equal(text_parse_long("64", 1, 64, &v, &e), 0);
	assert_int_equal(v, 64);
	assert_int_equal(text_parse_long("-3", -20, 19, &v, &e), 0);
	assert_int_equal(v, -3);
	static const char *const bad[] = {"", "0", "65", "1x", " 1", "\t1", "1 ", "99999999999999999999", "0x1", "1.0"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(text_parse_long(bad[i], 1, 64, &v, &e), -1);
	assert_non_null(strstr(e.text, "1..64"));
}

static void
foreign_text_cannot_steer_a_terminal(void **state)
{
	(void)state;
	char buf[64];
	assert_string_equal(text_safe(buf, sizeof buf, "plain é 漢字 😀"), "plain é 漢字 😀");
	assert_string_equal(text_safe(buf, sizeof buf, "\033[2Jx\r\n\t\x7f"), "?[2Jx????");
	assert_string_equal(text_safe(buf, sizeof buf, "a\xc2\x9b" "2Jb"), "a?2Jb");      // CSI of 8 bits
	assert_string_equal(text_safe(buf, sizeof buf, "a\xe2\x80\xae" "b"), "a?b");      // right-to-left override
	assert_string_equal(text_safe(buf, sizeof buf, "a\xff\xc0\xaf\xed\xa0\x80"), "a??????"); // broken, overlong, surrogate
	assert_string_equal(text_safe(buf, sizeof buf, "ab\xe2\x82"), "ab??");           // cut off
	assert_string_equal(text_safe(buf, sizeof buf, "\xef\xbf\xbd"), "\xef\xbf\xbd");
	// whole characters only
	assert_string_equal(text_safe(buf, 5, "漢字"), "漢");
	assert_string_equal(text_safe(buf, 4, "漢字"), "漢");
	assert_string_equal(text_safe(buf, 3, "漢字"), "");
	assert_string_equal(text_safe(buf, 1, "x"), "");
	buf[0] = 'z';
	text_safe(buf, 0, "x");
	assert_int_equal(buf[0], 'z');
}

static void
characters_are_read_whole_or_not_at_all(void **state)
{
	(void)state;
	static const struct {
		const char *s;
		int len;
		uint32_t cp;
	} row[] = {{"", 0, 0}, {"a", 1, 'a'}, {"\xc2\x80", 2, 0x80}, {"\xdf\xbf", 2, 0x7ff}, {"\xe0\xa0\x80", 3, 0x800},
	    {"\xef\xbf\xbf", 3, 0xffff}, {"\xf0\x90\x80\x80", 4, 0x10000}, {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
	    {"\xf4\x90\x80\x80", 1, 0xfffd}, {"\xc1\xbf", 1, 0xfffd}, {"\xe0\x9f\xbf", 1, 0xfffd}, {"\x80", 1, 0xfffd},
	    {"\xf5\x80\x80\x80", 1, 0xfffd}, {"\xe2\x82", 1, 0xfffd}, {"\xf0\x9f\x98", 1, 0xfffd}};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		uint32_t cp;
		assert_int_equal(text_utf8(row[i].s, &cp), row[i].len);
		assert_int_equal(cp, row[i].cp);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(times_have_three_digits_and_seven_columns),
	    cmocka_unit_test(amounts_have_three_digits_and_seven_columns),
	    cmocka_unit_test(shares_never_look_whole_when_they_are_not),
	    cmocka_unit_test(clocks),
	    cmocka_unit_test(no_locale_puts_a_comma),
	    cmocka_unit_test(times_as_people_write_them),
	    cmocka_unit_test(sizes_as_people_write_them),
	    cmocka_unit_test(whole_numbers_within_bounds),
	    cmocka_unit_test(foreign_text_cannot_steer_a_terminal),
	    cmocka_unit_test(characters_are_read_whole_or_not_at_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
