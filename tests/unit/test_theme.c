// Themes: every shipped one is whole and reads well; files are found, refused and named right; colours map to what a
// terminal has.
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

#include "base/embed.h"
#include "ui/colour.h"
#include "ui/theme.h"

// A theme's text in place of the embedded one of that name, without its comments.
static bool
sets(const char *text, const char *key)
{
	char line[80];
	snprintf(line, sizeof line, "\n%s = ", key);
	return strstr(text, line) != NULL;
}

static void
every_shipped_theme_sets_every_role_and_reads_well(void **state)
{
	(void)state;
	int n = 0;
	for (const struct embedded_file *f = embedded_files; f->name; f++) {
		struct theme t;
		struct err e;
		char name[64];
		if (!strstr(f->name, ".theme"))
			continue;
		n++;
		snprintf(name, sizeof name, "%.*s", (int)(strlen(f->name) - 6), f->name);
		if (theme_load(&t, name, &e))
			fail_msg("%s", e.text);
		assert_string_equal(t.name, name);
		assert_true(strlen(t.title) > 8 && t.title[0] >= 'A' && t.title[0] <= 'Z');
		int32_t back = t.style[ROLE_BACK].colour;
		for (int i = 0; i < ROLE_COUNT; i++) {
			if (!sets(f->text, theme_roles[i].key))
				fail_msg("%s does not set %s", f->name, theme_roles[i].key);
			int32_t c = t.style[i].colour;
			if (i != ROLE_BACK && c >= 0 && back >= 0 && colour_contrast(c, back) < 4.5)
				fail_msg("%s: %s has a contrast of %.2f", f->name, theme_roles[i].key, colour_contrast(c, back));
		}
	}
	assert_true(n >= 10);
}

// What a person must tell apart at a glance.
static void
lines_that_mean_different_things_look_different(void **state)
{
	(void)state;
	static const enum role apart[][2] = {{ROLE_MAX, ROLE_AVG}, {ROLE_PERIOD, ROLE_BUFFER}, {ROLE_ON, ROLE_OFF},
	    {ROLE_ON, ROLE_FAILED}, {ROLE_A, ROLE_B}, {ROLE_USER, ROLE_SYSTEM}, {ROLE_TEXT, ROLE_SPOILT}};
	char **names = theme_names();
	for (int i = 0; names[i]; i++) {
		struct theme t;
		assert_int_equal(theme_load(&t, names[i], NULL), 0);
		for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
			struct style a = t.style[apart[k][0]], b = t.style[apart[k][1]];
			if (a.colour == b.colour && a.bold == b.bold && a.underline == b.underline && a.reverse == b.reverse)
				fail_msg("%s: %s looks like %s", names[i], theme_roles[apart[k][0]].key, theme_roles[apart[k][1]].key);
		}
	}
	theme_names_free(names);
}

static void
latencytest_has_the_colours_of_its_namesake(void **state)
{
	(void)state;
	struct theme t;
	assert_int_equal(theme_load(&t, "latencytest", NULL), 0);
	assert_int_equal(t.style[ROLE_BACK].colour, 0x000000);
	assert_int_equal(t.style[ROLE_MAX].colour, 0xffffff);
	assert_int_equal(t.style[ROLE_BURN].colour, 0x00ff00);
	assert_int_equal(t.style[ROLE_PERIOD].colour, 0xffff00);
	assert_int_equal(t.style[ROLE_BUFFER].colour >> 16, 0xff);
	assert_int_equal(theme_load(&t, "mono", NULL), 0);
	for (int i = 0; i < ROLE_COUNT; i++)
		assert_int_equal(t.style[i].colour, -1);
}

static void
a_theme_is_parsed_or_refused_with_its_line(void **state)
{
	(void)state;
	static const struct {
		const char *text, *why;
	} bad[] = {
	    {"text = #12345\n", "x:1: colour"}, {"text = red\n", "x:1: colour"}, {"title = a\n\nmax = #123456 blink\n", "x:3: attribute"},
	    {"text = #1234567\n", "x:1: colour"}, {"colour = #123456\n", "x:1: 'colour' is no role"}, {"[a]\ntext = default\n", "no sections"},
	    {"text = #12g456\n", "x:1: colour"}, {"text\n", "x:1"}, {"text =\n", "x:1: colour"},
	};
	struct theme t, before;
	struct err e;
	assert_int_equal(theme_parse(&t, "x", "title = T \x1b[31m\ntext = #c0FFee\nmax = default bold underline reverse\n", &e), -1);
	assert_int_equal(theme_parse(&t, "x", "title = A title\ntext = #c0FFee\nmax = default bold underline reverse\n", &e), 0);
	assert_string_equal(t.title, "A title");
	assert_int_equal(t.style[ROLE_TEXT].colour, 0xc0ffee);
	assert_true(t.style[ROLE_MAX].bold && t.style[ROLE_MAX].underline && t.style[ROLE_MAX].reverse);
	assert_int_equal(t.style[ROLE_AVG].colour, 0xc0ffee); // left out: as ordinary text
	assert_int_equal(t.style[ROLE_BACK].colour, -1);
	before = t;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(theme_parse(&t, "x", bad[i].text, &e), -1);
		if (!strstr(e.text, bad[i].why))
			fail_msg("%s: said %s", bad[i].text, e.text);
		assert_memory_equal(&t, &before, sizeof t);
	}
}

static void
write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static bool
listed(const char *name)
{
	char **names = theme_names();
	int n = 0;
	for (int i = 0; names[i]; i++) {
		assert_true(!i || strcmp(names[i - 1], names[i]) < 0); // sorted, each once
		n += !strcmp(names[i], name);
	}
	theme_names_free(names);
	return n == 1;
}

static void
a_persons_own_themes_come_first(void **state)
{
	(void)state;
	char dir[] = "/var/tmp/stutter-theme.XXXXXX", path[256];
	struct theme t;
	struct err e;
	assert_non_null(mkdtemp(dir));
	setenv("XDG_CONFIG_HOME", dir, 1);
	snprintf(path, sizeof path, "%s/stutter", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/stutter/themes", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/stutter/themes/mine.theme", dir);
	write_file(path, "text = #010203\n");
	assert_true(listed("mine") && listed("stutter"));
	assert_int_equal(theme_load(&t, "mine", &e), 0);
	assert_int_equal(t.style[ROLE_TEXT].colour, 0x010203);
	assert_int_equal(theme_load(&t, path, &e), 0); // by its path
	assert_string_equal(t.name, "mine");
	snprintf(path, sizeof path, "%s/stutter/themes/light.theme", dir);
	write_file(path, "text = #040506\n");
	assert_int_equal(theme_load(&t, "light", &e), 0);
	assert_int_equal(t.style[ROLE_TEXT].colour, 0x040506); // before the shipped one
	assert_true(listed("light"));
	write_file(path, "text = broken\n");
	assert_int_equal(theme_load(&t, "light", &e), -1); // and where it is broken, said: never silently another
	assert_non_null(strstr(e.text, "light.theme:1"));
	assert_int_equal(theme_load(&t, "nosuch", &e), -1);
	assert_non_null(strstr(e.text, "nosuch"));
	assert_non_null(strstr(e.text, "latencytest"));
	assert_int_equal(theme_load(&t, "..", &e), -1);
	assert_int_equal(theme_load(&t, "./nosuch.theme", &e), -1);
	unlink(path);
	snprintf(path, sizeof path, "rm -rf '%s'", dir);
	assert_int_equal(system(path), 0);
	unsetenv("XDG_CONFIG_HOME");
}

static void
colours_map_to_the_nearest_there_is(void **state)
{
	(void)state;
	assert_int_equal(colour_256(0x000000), 16);
	assert_int_equal(colour_256(0xffffff), 231);
	assert_int_equal(colour_256(0xff0000), 196);
	assert_int_equal(colour_256(0x5fafff), 75);
	assert_int_equal(colour_256(0x808080), 244);
	assert_int_equal(colour_8(0x00ff00, 0), 2);
	assert_int_equal(colour_8(0xffff00, 0), 3);
	assert_int_equal(colour_8(0xff7373, 0), 1);
	assert_int_equal(colour_8(0x8fc7ff, 0), 6);
	assert_int_equal(colour_8(0x2060f0, 0), 6); // not dark blue on black
	assert_int_equal(colour_8(0xffffff, 0), 7);
	assert_int_equal(colour_8(0x10141a, 0), 0);
	assert_int_equal(colour_16(0xffffff, 0), 15);
	assert_int_equal(colour_16(0x8a95a3, 0), 7); // never the dark grey that nobody can read on black
	assert_int_equal(colour_16(0x5c6570, 1), 8);
	assert_int_equal(colour_8(0x5c6570, 1), 0);
	assert_true(colour_contrast(0, 0xffffff) > 20.9 && colour_contrast(0xffffff, 0) < 21.1);
}

// In no theme do two roles that the eye must find on the background vanish in it on a terminal of 8 or 16 colours.
static void
nothing_vanishes_in_few_colours(void **state)
{
	(void)state;
	char **names = theme_names();
	for (int i = 0; names[i]; i++) {
		struct theme t;
		assert_int_equal(theme_load(&t, names[i], NULL), 0);
		int32_t back = t.style[ROLE_BACK].colour;
		int light = back >= 0 && colour_contrast(back, 0) > 10;
		for (int r = 0; back >= 0 && r < ROLE_COUNT; r++) {
			if (r == ROLE_BACK)
				continue;
			if (colour_8(t.style[r].colour, light) == colour_8(back, light) ||
			    colour_16(t.style[r].colour, light) == colour_16(back, light) || colour_256(t.style[r].colour) == colour_256(back))
				fail_msg("%s: %s vanishes", names[i], theme_roles[r].key);
		}
	}
	theme_names_free(names);
}

int
main(void)
{
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_shipped_theme_sets_every_role_and_reads_well),
	    cmocka_unit_test(lines_that_mean_different_things_look_different), cmocka_unit_test(latencytest_has_the_colours_of_its_namesake),
	    cmocka_unit_test(a_theme_is_parsed_or_refused_with_its_line), cmocka_unit_test(a_persons_own_themes_come_first),
	    cmocka_unit_test(colours_map_to_the_nearest_there_is), cmocka_unit_test(nothing_vanishes_in_few_colours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
