// The table of options: what is refused, what is taken, and the settings file.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "session/options.h"

static int
read_args(struct config *c, struct err *e, unsigned mode, const char *a, const char *b)
{
	char *argv[] = {(char *)"stutter", (char *)a, (char *)b, NULL};
	return options_read(c, mode, b ? 3 : a ? 2 : 1, argv, e);
}

static void
test_bad_values_name_themselves_and_what_is_allowed(void **state)
{
	(void)state;
	static const struct {
		const char *option, *value, *names, *allowed;
		bool looks;
	} bad[] = {
	    {"--interval", "1us", "1us", "10us to 10s"},
	    {"--interval", "1h", "1h", "10us to 10s"},
	    {"--interval", "0", "0", "10us"},
	    {"--interval", "-1", "-1", ""},
	    {"--interval", "abc", "abc", ""},
	    {"--interval", "", "", ""},
	    {"--probe", "sonar", "sonar", "timer"},
	    {"--probe", "timer,,echo", "empty", ""},
	    {"--load", "gravity", "gravity", "memory"},
	    {"--load", "memory:0", "memory", "1 to 64"},
	    {"--load", "memory:65", "memory", "1 to 64"},
	    {"--load", "memory:x", "memory", "1 to 64"},
	    {"--cpus", "4096", "4096", "there are 0 to"},
	    {"--cpus", "1-0", "1-0", ""},
	    {"--cpus", "a", "a", "there are 0 to"},
	    {"--cpus", "", "empty", ""},
	    {"--burn", "91", "91", "90"},
	    {"--policy", "batch", "batch", "fifo"},
	    {"--policy", "fifo:100", "100", "99"},
	    {"--policy", "fifo:0", "0", "99"},
	    {"--buffer", "3", "3", "periods x frames"},
	    {"--buffer", "1x64", "1", "2 to 64"},
	    {"--buffer", "3x64q", "3x64q", "3x64"},
	    {"--buffer", "3x-64", "3x-64", "3x64"},
	    {"--rate", "1", "1", "4000"},
	    {"--size", "memory=1K", "1K", "1M"},
	    {"--size", "900%ram", "900", "400"},
	    {"--size", "gravity=1G", "gravity", "memory"},
	    {"--passes", "mmap", "mmap", "NAME=N"},
	    {"--for", "0", "0", "100ms"},
	    {"--window", "1s", "1s", "5s", true},
	    {"--fps", "0", "0", "60", true},
	    {"--scale", "cubic", "cubic", "log, linear", true},
	    {"--glyphs", "runes", "runes", "braille", true},
	    {"--frobnicate", NULL, "--frobnicate", "--help"},
	    {"--tui", NULL, "tui", "--help"},
	    {"--interval", NULL, "interval", "T"},
	    {"--json=yes", NULL, "json", "no value"},
	    {"nonsense", NULL, "nonsense", "--help"},
	};
	struct config *c = malloc(sizeof *c);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = {""};
		int r = read_args(c, &e, bad[i].looks ? MODE_MONITOR : MODE_RUN, bad[i].option, bad[i].value);
		if (r != -1 || !strstr(e.text, bad[i].names) || !strstr(e.text, bad[i].allowed) || strchr(e.text, '\n'))
			fail_msg("%s %s: %d, '%s'", bad[i].option, bad[i].value ? bad[i].value : "", r, e.text);
	}
	free(c);
}

static void
test_good_values(void **state)
{
	(void)state;
	struct config *c = malloc(sizeof *c);
	struct err e;
	assert_int_equal(read_args(c, &e, MODE_RUN, "--interval=250us", "-t5s"), 0);
	assert_int_equal(c->interval_ns, 250000);
	assert_int_equal(c->for_ns, 5 * NS_PER_S);
	assert_int_equal(read_args(c, &e, MODE_RUN, "--buffer", "3x256B"), 0);
	assert_int_equal(c->periods, 3);
	assert_int_equal(c->period_bytes, 256);
	assert_int_equal(read_args(c, &e, MODE_RUN, "--load", "memory:3,io"), 0);
	assert_int_equal(c->load_count, 2);
	assert_int_equal(c->load[0].level, 3);
	assert_int_equal(read_args(c, &e, MODE_RUN, "--size", "memory=150%ram,2G"), 0);
	assert_int_equal(c->size[0].pct_ram, 150);
	assert_true(c->size[1].bytes == 2ull << 30);
	assert_int_equal(read_args(c, &e, MODE_RUN, "--device", "hw:0,0"), 0);
	assert_string_equal(c->device[0], "hw:0,0");
	free(c);
}

static void
write_file(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(path, mode), 0);
}

static void
test_settings_file(void **state)
{
	(void)state;
	char dir[] = "/tmp/stutter-test-XXXXXX", path[200];
	assert_non_null(mkdtemp(dir));
	setenv("XDG_CONFIG_HOME", dir, 1);
	snprintf(path, sizeof path, "%s/stutter", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/stutter/config", dir);
	struct config *c = malloc(sizeof *c);
	struct err e;

	write_file(path, "interval = 2ms\ndevice = hw:7\njson = yes\n", 0600);
	assert_int_equal(read_args(c, &e, MODE_RUN, "--fps", "5"), -1); // not an option of run
	assert_int_equal(read_args(c, &e, MODE_RUN, NULL, NULL), 0);
	assert_int_equal(c->interval_ns, 2 * NS_PER_MS);
	assert_string_equal(c->device[0], "hw:7");
	assert_true(c->json);
	// The command line has the last word; a device named there replaces the file's.
	assert_int_equal(read_args(c, &e, MODE_RUN, "--device", "none"), 0);
	assert_int_equal(c->device_count, 1);
	assert_string_equal(c->device[0], "none");

	write_file(path, "interval = 2ms\n", 0666);
	assert_int_equal(read_args(c, &e, MODE_RUN, NULL, NULL), -1);
	assert_non_null(strstr(e.text, "chmod"));
	write_file(path, "\n\nintervall = 2ms\n", 0600);
	assert_int_equal(read_args(c, &e, MODE_RUN, NULL, NULL), -1);
	assert_non_null(strstr(e.text, "intervall"));
	assert_non_null(strstr(e.text, "3"));
	write_file(path, "[planets]\nx = 1\n", 0600);
	assert_int_equal(read_args(c, &e, MODE_RUN, NULL, NULL), -1);
	assert_non_null(strstr(e.text, "planets"));
	unlink(path);
	snprintf(path, sizeof path, "%s/stutter", dir);
	rmdir(path);
	rmdir(dir);
	unsetenv("XDG_CONFIG_HOME");
	free(c);
}

static void
test_table_is_whole(void **state)
{
	(void)state;
	for (const struct option_row *o = option_rows; o->name; o++) {
		assert_non_null(o->does);
		assert_non_null(o->set);
		assert_true(o->modes != 0);
		for (const struct option_row *p = option_rows; p < o; p++) {
			assert_string_not_equal(o->name, p->name);
			assert_true(!o->letter || o->letter != p->letter);
		}
	}
}

int
main(void)
{
	setenv("HOME", "/nonexistent", 1);
	unsetenv("XDG_CONFIG_HOME");
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bad_values_name_themselves_and_what_is_allowed),
	    cmocka_unit_test(test_good_values),
	    cmocka_unit_test(test_settings_file),
	    cmocka_unit_test(test_table_is_whole),
	};
	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
