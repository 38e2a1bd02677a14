// Recordings: what is read back is what was measured; cut, killed, full or hostile ones read as far as they are whole.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_session.h"
#include "session/record.h"
#include "session/replay.h"
#include "session/summary.h"

static char folder[] = "/tmp/stutter-test-XXXXXX";
static char path[128];

static char *
summary(const struct session *s)
{
	json_t *j = summary_json(s);
	char *text = json_dumps(j, SUMMARY_DUMP);
	json_decref(j);
	return text;
}

static void
same_text(const char *a, const char *b)
{
	size_t i = 0;
	while (a[i] && a[i] == b[i])
		i++;
	if (a[i] != b[i])
		print_message("# differ at: %.60s | %.60s\n", a + (i > 20 ? i - 20 : 0), b + (i > 20 ? i - 20 : 0));
	assert_true(a[i] == b[i]);
}

static char *
slurp(const char *name, size_t *len)
{
	struct stat st;
	int fd = open(name, O_RDONLY);
	assert_true(fd >= 0 && !fstat(fd, &st));
	char *text = calloc(1, (size_t)st.st_size + 1);
	assert_true(read(fd, text, (size_t)st.st_size) == st.st_size);
	close(fd);
	*len = (size_t)st.st_size;
	return text;
}

static void
spill(const char *name, const char *text, size_t len)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0 && write(fd, text, len) == (ssize_t)len);
	close(fd);
}

// A recording of so many ticks at PATH; the live summary from malloc.
static char *
make_recording(uint64_t seed, int ticks, bool audio)
{
	struct fake f;
	struct err e;
	fake_start(&f, seed, audio);
	assert_int_equal(record_start(f.s, path, &e), 0);
	for (int i = 0; i < ticks; i++)
		fake_tick(&f);
	record_stop(f.s);
	assert_string_equal(f.s->record_error, "");
	char *text = summary(f.s);
	session_free(f.s);
	return text;
}

static void
test_summary_is_the_live_one(void **state)
{
	(void)state;
	for (int seed = 1; seed <= 6; seed++) {
		struct err e;
		char *live = make_recording((uint64_t)seed, 100 + 77 * seed, seed & 1);
		struct session *s = replay_load(path, NULL, &e);
		assert_non_null(s);
		char *again = summary(s);
		same_text(live, again);
		// The file's own last line says the same.
		size_t len;
		char *file = slurp(path, &len);
		file[len - 1] = 0;
		const char *last = strrchr(file, '\n') + 1;
		json_t *a = json_loads(last, 0, NULL), *b = json_loads(live, 0, NULL);
		assert_string_equal(json_string_value(json_object_get(a, "type")), "summary");
		json_object_del(a, "type");
		assert_true(json_equal(a, b));
		json_decref(a);
		json_decref(b);
		free(file);
		free(live);
		free(again);
		session_free(s);
	}
}

// Begun in the middle: its last line is about what is in it, not about what was before.
static void
test_begun_in_the_middle(void **state)
{
	(void)state;
	struct fake f;
	struct err e;
	size_t len;
	fake_start(&f, 12, true);
	for (int i = 0; i < 300; i++)
		fake_tick(&f);
	uint64_t before = f.s->probe[0].total[Q_LATE]->s.samples;
	assert_int_equal(record_start(f.s, path, &e), 0);
	for (int i = 0; i < 100; i++)
		fake_tick(&f);
	record_stop(f.s);
	uint64_t all = f.s->probe[0].total[Q_LATE]->s.samples;
	session_free(f.s);
	struct session *s = replay_load(path, NULL, &e);
	assert_non_null(s);
	assert_int_equal(s->probe[0].total[Q_LATE]->s.samples, all - before);
	char *want = summary(s), *file = slurp(path, &len);
	file[len - 1] = 0;
	assert_non_null(strstr(strrchr(file, '\n'), strstr(want, "\"probes\"")));
	free(want);
	free(file);
	session_free(s);
}

static void
test_events_and_graphs_come_back(void **state)
{
	(void)state;
	struct fake f;
	struct err e;
	fake_start(&f, 3, true);
	assert_int_equal(record_start(f.s, path, &e), 0);
	for (int i = 0; i < 400; i++)
		fake_tick(&f);
	record_stop(f.s);
	struct session *s = replay_load(path, NULL, &e);
	assert_non_null(s);
	assert_int_equal(s->events, f.s->events);
	for (int64_t i = 0; i < s->events; i++) {
		assert_int_equal(s->event[i].kind, f.s->event[i].kind);
		assert_int_equal(s->event[i].t_ns, f.s->event[i].t_ns);
		assert_int_equal(s->event[i].which, f.s->event[i].which);
		assert_string_equal(s->event[i].text, f.s->event[i].text);
	}
	for (int64_t n = 1; n <= 400; n++)
		for (int q = 0; q < Q_COUNT; q++) {
			if (!s->probe[2].series[q])
				continue;
			struct bin a = series_get(f.s->probe[2].series[q], n, n + 1), b = series_get(s->probe[2].series[q], n, n + 1);
			assert_true(a.n == b.n && a.max == b.max && a.sum == b.sum);
		}
	assert_int_equal(s->conditions, f.s->conditions);
	for (int i = 0; i < s->conditions; i++) {
		assert_string_equal(s->condition[i].name, f.s->condition[i].name);
		assert_true(s->condition[i].elapsed_s == f.s->condition[i].elapsed_s);
		assert_true(s->condition[i].work[0] == f.s->condition[i].work[0]);
		assert_true(s->condition[i].cpu_sum.user == f.s->condition[i].cpu_sum.user);
		assert_int_equal(s->condition[i].xruns[2], f.s->condition[i].xruns[2]);
	}
	session_free(s);
	session_free(f.s);
}

// Cut at any byte, it reads up to its last whole line.
static void
test_cut_anywhere(void **state)
{
	(void)state;
	struct err e;
	free(make_recording(5, 3, true));
	size_t len;
	char *file = slurp(path, &len);
	size_t header = (size_t)(strchr(file, '\n') - file);
	char *cut = malloc(len);
	for (size_t n = 0; n <= len; n++) {
		memcpy(cut, file, n);
		spill(path, cut, n);
		struct session *s = replay_load(path, NULL, &e);
		if (n <= header) {
			assert_null(s);
			continue;
		}
		assert_non_null(s);
		int ticks = 0;
		for (const char *p = file, *end; p < file + n && (end = memchr(p, '\n', (size_t)(file + n - p))); p = end + 1)
			ticks += !strncmp(p, "{\"type\":\"tick\"", 14);
		assert_int_equal(s->now_tick, ticks ? ticks : -1);
		session_free(s);
	}
	free(cut);
	free(file);
}

// Any byte changed or any line lost: it never crashes, and what is left makes sense.
static void
test_damaged(void **state)
{
	(void)state;
	struct err e;
	free(make_recording(6, 12, true));
	size_t len;
	char *file = slurp(path, &len);
	struct fake f = {.rng = 99};
	for (int round = 0; round < 300; round++) {
		char *copy = malloc(len);
		memcpy(copy, file, len);
		for (int k = 0; k < 1 + round % 9; k++)
			copy[(size_t)(fake_random(&f) * (double)len)] = (char)(round % 3 ? '0' + (int)(fake_random(&f) * 10) : (int)(fake_random(&f) * 256));
		spill(path, copy, len);
		struct session *s = replay_load(path, NULL, &e);
		for (int i = 0; s && i < s->probes; i++) {
			const struct sums *t = &s->probe[i].total[Q_LATE]->s;
			assert_true(t->samples == 0 || (t->min_ns <= t->max_ns && t->min_ns >= 0));
		}
		if (s) {
			char *text = summary(s);
			assert_non_null(text);
			free(text);
		}
		session_free(s);
		free(copy);
	}
	free(file);
}

static void
test_hostile(void **state)
{
	(void)state;
	static const char *const refused[] = {"", "\n", "hello\n", "{}\n", "{\"type\":\"tick\",\"t\":1}\n", "[[[[[[[[[[\n",
	    "{\"type\":\"header\"}\n", "{\"type\":\"header\",\"probes\":[{\"name\":\"nobody\"}]}\n",
	    "{\"type\":\"header\",\"format\":-4,\"probes\":[{\"name\":\"timer\"}]}\n", "\xff\xfe\n"};
	struct err e;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		spill(path, refused[i], strlen(refused[i]));
		assert_null(replay_load(path, NULL, &e));
		assert_true(strlen(e.text) > 0 && !strchr(e.text, '\n'));
	}
	// Escapes in names, times that jump, numbers out of all bounds: taken in bounds, soon.
	static const char text[] =
	    "{\"type\":\"header\",\"format\":99,\"later\":{\"x\":[1]},\"host\":{\"name\":\"a\\u001b[2Jb\",\"cpus\":1e300},"
	    "\"probes\":[{\"name\":\"timer\",\"label\":\"\\u202etimer\"},{\"name\":\"unheard of\"}],\"loads\":[{\"name\":\"\\u001b]0;x\\u0007\"}]}\n"
	    "{\"type\":\"tick\",\"t\":1,\"probes\":[{\"n\":1,\"min\":0,\"max\":9,\"sum\":1,\"sumsq\":1,\"hist\":[3,1]}]}\n"
	    "{\"type\":\"tick\",\"t\":1e8,\"probes\":[{\"n\":1,\"min\":0,\"max\":1e18,\"sum\":1e18,\"sumsq\":1e300,\"hist\":[0,1,99999,1,-1,1,3]}]}\n"
	    "{\"type\":\"tick\",\"t\":3e8,\"probes\":[{\"n\":1,\"min\":0,\"max\":9,\"sum\":1,\"sumsq\":1,\"hist\":[]}]}\n"
	    "{\"type\":\"tick\",\"t\":-5}\n{\"type\":\"tick\",\"t\":\"now\"}\n{\"type\":\"tick\"}\n"
	    "{\"type\":\"tick\",\"t\":3e9,\"on\":[0,1,64,-1,1e99],\"loads\":[{\"i\":77},{\"i\":0,\"state\":99,\"work\":-3}]}\n"
	    "{\"type\":\"event\",\"t\":1,\"event\":\"mark\",\"which\":1e9,\"text\":\"\\u001b[31mred\\nnext\"}\n"
	    "{\"type\":\"tick\",\"t\":1e7,\"probes\":[{\"n\":1,\"min\":0,\"max\":3e13,\"sum\":1,\"sumsq\":1,\"hist\":[]}]}\n"
	    "{\"type\":\"tick\",\"t\":4e9}\n{\"type\":\"comet\"}\n";
	spill(path, text, sizeof text - 1);
	int64_t before = clock_now_ns();
	struct session *s = replay_load(path, NULL, &e);
	assert_non_null(s);
	assert_true(clock_now_ns() - before < 20 * NS_PER_S);
	assert_null(strchr(s->host.name, 27));
	assert_null(strchr(s->load[0].name, 27));
	assert_null(strchr(s->event[0].text, 27));
	assert_int_equal(s->probes, 1);
	char *sum = summary(s);
	assert_non_null(sum);
	free(sum);
	session_free(s);
	// A line without an end.
	size_t big = 3u << 20;
	char *line = malloc(big);
	memset(line, '[', big);
	memcpy(line, text, strlen(text));
	spill(path, line, big);
	s = replay_load(path, NULL, &e);
	assert_non_null(s);
	session_free(s);
	free(line);
}

static void
test_rewind_and_until(void **state)
{
	(void)state;
	struct err e;
	char *live = make_recording(7, 300, true);
	struct replay *r = replay_open(path, &e);
	assert_non_null(r);
	assert_int_equal(replay_end_ns(r), 300 * TICK_NS);
	struct session *s = replay_session(r);
	assert_int_equal(replay_run(r, 100 * TICK_NS, 0), REPLAY_REACHED);
	assert_int_equal(s->now_tick, 100);
	assert_int_equal(replay_run(r, 100 * TICK_NS, 0), REPLAY_REACHED);
	assert_int_equal(s->now_tick, 100);
	assert_int_equal(replay_run(r, INT64_MAX, 0), REPLAY_END);
	assert_false(replay_cut(r));
	char *once = summary(s);
	assert_int_equal(replay_rewind(r), 0);
	assert_int_equal(s->now_tick, -1);
	assert_int_equal(replay_run(r, INT64_MAX, 0), REPLAY_END);
	char *twice = summary(s);
	same_text(live, once);
	same_text(live, twice);
	free(live);
	free(once);
	free(twice);
	replay_close(r);
}

// A day must stay small, and say the same as if it were not packed.
// For two seconds of an hour a probe ran on another CPU: what is packed says so too.
static void
test_a_passing_doubt_is_packed(void **state)
{
	(void)state;
	struct fake f;
	struct err e;
	fake_start(&f, 17, false);
	assert_int_equal(record_start(f.s, path, &e), 0);
	for (int i = 0; i < 36000; i++) {
		f.facts[0].doubts = i >= 5003 && i < 5023 ? DOUBT_AFFINITY : 0;
		fake_tick(&f);
	}
	assert_int_equal(f.facts[0].doubts, 0);
	assert_false(session_valid(f.s));
	record_stop(f.s);
	char *live = summary(f.s);
	struct session *s = replay_load(path, NULL, &e);
	assert_non_null(s);
	assert_false(session_valid(s));
	char *again = summary(s);
	same_text(live, again);
	free(live);
	free(again);
	session_free(s);
	session_free(f.s);
}

static void
test_long_recordings_are_packed(void **state)
{
	(void)state;
	static const struct {
		bool audio, quiet;
		double most_bytes_a_day;
	} runs[] = {{false, true, 20e6}, {true, true, 20e6}, {true, false, 1e9}};
	for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
		struct fake f;
		struct err e;
		struct stat st;
		enum { TICKS = 4 * 3600 * 10 / 4 };
		fake_start(&f, 31 + k, runs[k].audio);
		f.quiet = runs[k].quiet;
		assert_int_equal(record_start(f.s, path, &e), 0);
		int64_t tick_bytes = 0;
		for (int i = 0; i < TICKS; i++) {
			fake_tick(&f);
			tick_bytes = f.s->record_bytes > tick_bytes ? f.s->record_bytes : tick_bytes;
		}
		record_stop(f.s);
		char *live = summary(f.s);
		assert_int_equal(stat(path, &st), 0);
		// What is not packed yet at the end does not grow with time.
		size_t len, packed = 0, packed_ticks = 0;
		char *file = slurp(path, &len);
		for (char *p = file, *end; (end = strchr(p, '\n')); p = end + 1)
			if (!strncmp(p, "{\"type\":\"pack\"", 14)) {
				packed += (size_t)(end - p) + 1;
				packed_ticks = (size_t)(10 * atof(p + 19));
			}
		free(file);
		assert_true(packed_ticks > 600);
		double day = (double)packed / (double)packed_ticks * 864000;
		print_message("# a day: %.1f MB packed and at most %.1f MB of ticks\n", day / 1e6, (double)(len - packed) / 1e6);
		assert_true(day + 3e6 < runs[k].most_bytes_a_day);
		struct session *s = replay_load(path, NULL, &e);
		assert_non_null(s);
		char *again = summary(s);
		same_text(live, again);
		assert_int_equal(s->conditions, f.s->conditions);
		for (int i = 0; i < s->conditions; i++) {
			assert_true(fabs(s->condition[i].elapsed_s - f.s->condition[i].elapsed_s) < 1e-6);
			assert_true(s->condition[i].work[0] == f.s->condition[i].work[0]);
			assert_true(fabs(s->condition[i].cpu_sum.user - f.s->condition[i].cpu_sum.user) < 1e-6 * f.s->condition[i].cpu_sum.user + 1e-9);
			for (int q = 0; q < s->probes; q++)
				assert_int_equal(s->condition[i].xruns[q], f.s->condition[i].xruns[q]);
		}
		assert_int_equal(s->events, f.s->events);
		// The graph: every half minute's maximum to a bucket, everywhere in it.
		for (int64_t n = 0; n + 300 <= TICKS; n += 300) {
			struct bin a = series_get(f.s->probe[0].series[Q_LATE], n, n + 300), b = series_get(s->probe[0].series[Q_LATE], n, n + 300);
			if (fabs(a.max - b.max) > 0.016 * a.max)
				print_message("# at %lld: %g %g\n", (long long)n, a.max, b.max);
			assert_true(fabs(a.max - b.max) <= 0.016 * a.max);
			assert_true(fabs(a.sum / a.n - b.sum / b.n) <= 0.05 * a.sum / a.n);
		}
		session_free(s);
		session_free(f.s);
		free(live);
		free(again);
	}
}

// Seeking and playing through packs goes tick by tick, and ends at the same figures.
static void
test_seeking_in_packs(void **state)
{
	(void)state;
	struct fake f;
	struct err e;
	fake_start(&f, 77, true);
	assert_int_equal(record_start(f.s, path, &e), 0);
	for (int i = 0; i < 6000; i++)
		fake_tick(&f);
	record_stop(f.s);
	struct replay *r = replay_open(path, &e);
	assert_non_null(r);
	assert_int_equal(replay_end_ns(r), 6000 * TICK_NS);
	struct session *s = replay_session(r);
	for (int64_t n = 7; n < 6000; n += 113) {
		assert_int_equal(replay_run(r, n * TICK_NS, 0), REPLAY_REACHED);
		assert_true(s->now_tick <= n && s->now_tick > n - 2);
	}
	assert_int_equal(replay_run(r, INT64_MAX, 0), REPLAY_END);
	char *live = summary(f.s), *again = summary(s);
	same_text(live, again);
	free(live);
	free(again);
	replay_close(r);
	session_free(f.s);
}

// Killed in the middle of packing, which moves most of the file: every tick up to the last whole one is there.
static void
test_killed_while_packing(void **state)
{
	(void)state;
	struct fake rng = {.rng = 4711};
	struct err e;
	for (int round = 0; round < 12; round++) {
		unlink(path);
		pid_t pid = fork();
		if (pid == 0) {
			struct fake f;
			fake_start(&f, (uint64_t)round, false);
			f.quiet = true;
			if (!record_start(f.s, path, &e))
				for (;;)
					fake_tick(&f);
			_exit(1);
		}
		struct stat st;
		while (stat(path, &st) || st.st_size < 100000)
			usleep(1000);
		usleep((useconds_t)(fake_random(&rng) * 600000));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		struct replay *r = replay_open(path, &e);
		assert_non_null(r);
		assert_int_equal(replay_run(r, INT64_MAX, 0), REPLAY_END);
		struct session *s = replay_session(r);
		assert_true(s->now_tick > 50);
		assert_int_equal(s->probe[0].total[Q_LATE]->s.samples, 100 * s->now_tick);
		assert_int_equal(s->now_tick * TICK_NS, replay_end_ns(r));
		replay_close(r);
	}
}

// Stopped when only some of the packs were in their place: the line at the end says where they are whole.
static void
test_half_packed(void **state)
{
	(void)state;
	struct fake f;
	struct err e;
	size_t len;
	fake_start(&f, 5, true);
	assert_int_equal(record_start(f.s, path, &e), 0);
	for (int i = 0; i < 6000; i++)
		fake_tick(&f);
	record_stop(f.s);
	session_free(f.s);
	char *file = slurp(path, &len);
	size_t header = (size_t)(strchr(file, '\n') + 1 - file), end = len;
	while (strncmp(file + end, "{\"type\":\"pack\"", 14)) // the last pack's end is where packs end
		end--;
	end = (size_t)(strchr(file + end, '\n') + 1 - file);
	spill(path, file, end);
	struct session *s = replay_load(path, NULL, &e);
	char *want = summary(s);
	session_free(s);
	size_t packs = end - header, at = header + packs / 3;
	char *half = malloc(3 * len);
	memcpy(half, file, at); // the first third in place, then what is left of the ticks before
	size_t n = at + (size_t)sprintf(half + at, "7,1,9,2]}]}\n{\"type\":\"tick\",\"t\":500.1,\"probes\":[{\"n\":1,\"min\":1,\"max\":1,\"sum\":1,\"sumsq\":1,\"hist\":[1,1]}]}\n");
	size_t from = n;
	memcpy(half + n, file + header, packs);
	n += packs;
	n += (size_t)sprintf(half + n, "{\"type\":\"redo\",\"at\":%zu,\"from\":%zu}\n", header, from);
	spill(path, half, n);
	s = replay_load(path, NULL, &e);
	assert_non_null(s);
	char *got = summary(s);
	same_text(want, got);
	session_free(s);
	free(want);
	free(got);
	free(half);
	free(file);
}

static void
test_full_disk(void **state)
{
	(void)state;
	struct fake f;
	struct err e;
	fake_start(&f, 9, true);
	assert_int_equal(record_start(f.s, "/dev/full", &e), 0);
	for (int i = 0; i < 2000 && !*f.s->record_error; i++) {
		fake_tick(&f);
		usleep(1000);
	}
	assert_non_null(strstr(f.s->record_error, "No space left"));
	assert_false(f.s->recording);
	record_stop(f.s);
	session_free(f.s);
	fake_start(&f, 9, true);
	assert_int_equal(record_start(f.s, "/nonexistent/x", &e), -1);
	assert_non_null(strstr(e.text, "/nonexistent/x"));
	assert_int_equal(record_start(f.s, folder, &e), -1);
	assert_int_equal(record_start(f.s, path, &e), 0);
	assert_int_equal(record_start(f.s, path, &e), -1); // one at a time
	session_free(f.s);                                 // ends it
	size_t len;
	char *text = slurp(path, &len);
	assert_non_null(strstr(text, "\"type\":\"summary\""));
	free(text);
}

static int
setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/r.jsonl", folder);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_summary_is_the_live_one),
	    cmocka_unit_test(test_begun_in_the_middle),
	    cmocka_unit_test(test_events_and_graphs_come_back),
	    cmocka_unit_test(test_rewind_and_until),
	    cmocka_unit_test(test_cut_anywhere),
	    cmocka_unit_test(test_damaged),
	    cmocka_unit_test(test_hostile),
	    cmocka_unit_test(test_a_passing_doubt_is_packed),
	    cmocka_unit_test(test_long_recordings_are_packed),
	    cmocka_unit_test(test_seeking_in_packs),
	    cmocka_unit_test(test_killed_while_packing),
	    cmocka_unit_test(test_half_packed),
	    cmocka_unit_test(test_full_disk),
	};
	return cmocka_run_group_tests_name("record", tests, setup, teardown);
}
