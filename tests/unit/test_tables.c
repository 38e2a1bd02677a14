// Tables of suites, differences of machines, exports and pages: figure for figure against what was worked out by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fake_session.h"
#include "report/differ.h"
#include "report/page.h"
#include "report/suite_table.h"
#include "session/suite.h"

static char *
printed(const struct suite_run *r)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	suite_print(f, r);
	fclose(f);
	for (char *p = text; *p;) {
		size_t n = strcspn(p, "\n");
		assert_true(n <= 78);
		p += n + (p[n] == '\n');
	}
	return text;
}

static void
put(struct dist *d, int64_t from_ns, int64_t step_ns, int n, struct limits lim)
{
	dist_reset(d, lim);
	for (int i = 0; i < n; i++)
		dist_add(d, from_ns + i * step_ns, 1);
}

struct made {
	struct fake f;
	struct suite_run run;
	struct suite_row row[4];
};

static struct made *
make(enum suite_table table)
{
	struct made *m = calloc(1, sizeof *m);
	fake_start(&m->f, 1, true);
	m->run.suite.table = table;
	snprintf(m->run.suite.name, sizeof m->run.suite.name, "made");
	m->run.suite.steps = 4;
	m->run.s = m->f.s;
	m->run.row = m->row;
	for (int i = 0; i < 4; i++) {
		m->row[i].done = true;
		m->row[i].load = -1;
		m->row[i].played_s = m->row[i].silent_s = NAN;
	}
	return m;
}

static void
drop(struct made *m)
{
	session_free(m->f.s);
	free(m);
}

#define has(text, what) assert_non_null(strstr(text, what))

static void
test_irman(void **state)
{
	(void)state;
	struct made *m = make(SUITE_IRMAN);
	snprintf(m->row[0].name, sizeof m->row[0].name, "none");
	// 1 .. 100 us: mean 50.5, sample deviation 29.011, median 50, 99th 99, all to a bucket (1%)
	put(&m->row[0].late, 1000, 1000, 100, (struct limits){0, {NS_PER_MS, 2 * NS_PER_MS}});
	snprintf(m->row[1].name, sizeof m->row[1].name, "memory");
	m->row[1].invalid = true;
	snprintf(m->row[1].why, sizeof m->row[1].why, "no space left");
	m->run.rows = 2;
	char *t = printed(&m->run);
	const char *row = strstr(t, "none ");
	assert_non_null(row);
	char max[16], min[16], avg[16], sd[16], p50[16], p99[16];
	assert_int_equal(sscanf(row, "none %15s %15s %15s %15s %15s %15s", max, min, avg, sd, p50, p99), 6);
	assert_string_equal(max, "100us");
	assert_string_equal(min, "1.00us");
	assert_true(!strcmp(avg, "50us") || !strcmp(avg, "51us"));
	assert_string_equal(sd, "29us");
	assert_string_equal(p50, "50us");
	assert_string_equal(p99, "99us");
	has(t, "** INVALID: no space left");
	has(t, "memory            -        -        -");
	free(t);
	drop(m);
}

static void
test_latencytest(void **state)
{
	(void)state;
	struct made *m = make(SUITE_LATENCYTEST);
	snprintf(m->row[0].name, sizeof m->row[0].name, "disk-write");
	// Fragments of 1.45 ms: 90 on time, 6 by 1.5 ms late, 4 by 5 ms: 90% within 1 ms, 96% within 2 ms, max 6.45 ms
	struct limits lim = {1450000, {NS_PER_MS, 2 * NS_PER_MS}};
	dist_reset(&m->row[0].interval, lim);
	dist_add(&m->row[0].interval, 1450000, 90);
	dist_add(&m->row[0].interval, 2950000, 6);
	dist_add(&m->row[0].interval, 6450000, 4);
	struct limits burn = {1160000, {100000, 200000}};
	dist_reset(&m->row[0].burn, burn);
	dist_add(&m->row[0].burn, 1160000, 50);
	dist_add(&m->row[0].burn, 1310000, 25);
	dist_add(&m->row[0].burn, 1500000, 25);
	m->row[0].xruns = 4;
	m->row[0].s = 12.5;
	m->run.rows = 1;
	m->run.cut = true;
	char *t = printed(&m->run), max[16], w1[16], w2[16], b1[16], b2[16], s[16];
	int drops;
	assert_int_equal(sscanf(strstr(t, "disk-write"), "disk-write %15s %d %15s %15s %15s %15s %15s", max, &drops, w1, w2, b1, b2, s), 7);
	assert_string_equal(max, "6.45ms");
	assert_int_equal(drops, 4);
	assert_true(atof(w1) == 90 && atof(w2) == 96 && atof(b1) == 50 && atof(b2) == 75 && atof(s) == 12.5);
	has(t, "ENDED EARLY: 1 of 4 steps");
	free(t);
	drop(m);
}

static void
test_contest(void **state)
{
	(void)state;
	struct made *m = make(SUITE_CONTEST);
	static const double none[] = {10, 12, 14}, memory[] = {20, 28};
	snprintf(m->row[0].name, sizeof m->row[0].name, "none");
	m->row[0].jobs = 3;
	for (int i = 0; i < 3; i++) {
		m->row[0].job_s[i] = none[i];
		m->row[0].job_cpu_s[i] = none[i] * 0.9; // 90% of a CPU
	}
	snprintf(m->row[1].name, sizeof m->row[1].name, "memory");
	m->row[1].jobs = 2;
	m->row[1].load = 0;
	snprintf(m->row[1].unit, sizeof m->row[1].unit, "lines");
	m->row[1].work = 480; // in 48 s: 10 a second, 240 in a job of 24 s
	m->row[1].on_s = 48;
	m->row[1].load_cpu_s = 24; // 50%
	for (int i = 0; i < 2; i++) {
		m->row[1].job_s[i] = memory[i];
		m->row[1].job_cpu_s[i] = 12;
	}
	m->run.rows = 2;
	char *t = printed(&m->run);
	int runs, cpu, lcpu;
	double time, spread, ratio, loads;
	assert_int_equal(sscanf(strstr(t, "none "), "none %d %lfs %lf %d - - %lf", &runs, &time, &spread, &cpu, &ratio), 5);
	assert_true(runs == 3 && time == 12 && spread == 2 && cpu == 90 && ratio == 1);
	assert_int_equal(sscanf(strstr(t, "memory "), "memory %d %lfs %lf %d %lf lines %d %lf", &runs, &time, &spread, &cpu, &loads, &lcpu, &ratio), 7);
	assert_true(runs == 2 && time == 24 && spread == 5.66 && cpu == 50 && loads == 240 && lcpu == 50 && ratio == 2);
	free(t);
	json_t *j = suite_json(&m->run), *row = json_array_get(json_object_get(j, "rows"), 1);
	assert_true(json_number_value(json_object_get(row, "ratio")) == 2 && json_number_value(json_object_get(row, "loads")) == 240);
	json_decref(j);
	drop(m);
}

static void
test_vm(void **state)
{
	(void)state;
	struct made *m = make(SUITE_VM);
	struct suite_row *w = &m->row[0];
	snprintf(w->name, sizeof w->name, "alloc");
	w->load = 0;
	w->status.passes = 10;
	w->status.avg = (struct load_pass){12.25, 3.5, 20, 79, 321, 654321, 2048000000, true};
	w->played_s = 910; // 15:10 of 18:27
	w->silent_s = 197;
	w->elapsed_s = 1107;
	w->xruns = 41;
	m->run.rows = 1;
	char *t = printed(&m->run);
	has(t, "alloc, averages of 10 passes:");
	has(t, "User time (seconds):                       12.25");
	has(t, "System time (seconds):                     3.50");
	has(t, "Elapsed (wall clock) time (seconds):       20.00");
	has(t, "Percent of CPU this job got:               79%");
	has(t, "Major (requiring I/O) page faults:         321");
	has(t, "Minor (reclaiming a frame) page faults:    654321");
	has(t, "Bytes:                                     2048000000");
	has(t, "00:15:10 of 00:18:27, 41 drop-outs");
	// 8.22 for what was heard, less log2(1 + 2.22 skips a minute) = 1.69
	has(t, "Sound mark (0 to 10):                      6.5");
	free(t);
	w->played_s = w->silent_s = NAN;
	assert_true(isnan(suite_sound_mark(w)));
	drop(m);
}

static void
test_mean(void **state)
{
	(void)state;
	double mean, sd;
	suite_mean((double[]){2, 4, 4, 4, 5, 5, 7, 9}, 8, &mean, &sd);
	assert_true(mean == 5 && fabs(sd - sqrt(32.0 / 7)) < 1e-12);
	suite_mean((double[]){3}, 1, &mean, &sd);
	assert_true(mean == 3 && isnan(sd));
	suite_mean(NULL, 0, &mean, &sd);
	assert_true(isnan(mean) && isnan(sd));
}

static void
test_suites_in_the_program(void **state)
{
	(void)state;
	static const struct {
		const char *name, *steps;
	} suites[] = {{"latencytest", "x11 procfs disk-write disk-copy disk-read "}, {"irman", "none memory io process "},
	    {"contest", "none memory io process disk-read list "}, {"vm", "alloc mmap "}};
	struct suite su;
	struct err e;
	for (size_t i = 0; i < sizeof suites / sizeof *suites; i++) {
		char steps[200] = "";
		assert_int_equal(suite_load(&su, suites[i].name, &e), 0);
		for (int k = 0; k < su.steps; k++) {
			strcat(strcat(steps, su.step[k].name), " ");
			for (int n = 0; n < su.step[k].loads; n++)
				assert_non_null(load_find(su.step[k].load[n]));
		}
		assert_string_equal(steps, suites[i].steps);
		assert_true(*su.title);
		for (int k = 0; k < su.options; k++) { // each is an option of the program
			char name[96];
			struct config c;
			config_defaults(&c);
			snprintf(name, sizeof name, "%s", su.option[k] + 2);
			char *eq = strchr(name, '=');
			*eq = 0;
			assert_int_equal(options_set(&c, name, eq + 1, &e), 0);
		}
	}
	assert_int_equal(suite_load(&su, "nobody", &e), -1);
	has(e.text, "irman");
}

static void
test_differences(void **state)
{
	(void)state;
	struct fake a, b;
	struct difference d[DIFFER_MAX];
	fake_start(&a, 1, true);
	fake_start(&b, 1, true);
	assert_int_equal(differ_find(a.s, b.s, d), 0);
	snprintf(b.s->host.kernel, sizeof b.s->host.kernel, "6.19.0");
	assert_int_equal(differ_find(a.s, b.s, d), 1);
	assert_string_equal(d[0].what, "kernel");
	assert_string_equal(d[0].b, "6.19.0");
	assert_false(d[0].unfair); // that is what is compared
	b.s->probe[0].facts.effective = (struct policy){POLICY_OTHER, 0};
	b.s->host.cpus = 4;
	assert_int_equal(differ_find(a.s, b.s, d), 3);
	assert_true(d[1].unfair && d[2].unfair);
	session_free(a.s);
	session_free(b.s);
}

static void
test_text_of_pages(void **state)
{
	(void)state;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	page_text(f, "<script>alert(\"1\" & '2')</script>");
	fclose(f);
	assert_string_equal(text, "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;");
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_irman),
	    cmocka_unit_test(test_latencytest),
	    cmocka_unit_test(test_contest),
	    cmocka_unit_test(test_vm),
	    cmocka_unit_test(test_mean),
	    cmocka_unit_test(test_suites_in_the_program),
	    cmocka_unit_test(test_differences),
	    cmocka_unit_test(test_text_of_pages),
	};
	return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
