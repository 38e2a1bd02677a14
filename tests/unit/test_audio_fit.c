// The line through a sound device's positions: drift, late looks, restarts; and what was heard, in
// words.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "probe/audio.h"
#include "probe/audio_fit.h"

#define RATE 44100
#define START (1000 * NS_PER_S)

static uint32_t seed = 1;

static double
chance(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed / 4294967296.0;
}

static int64_t
true_time(int64_t frame, double ppm)
{
	return START + llround((double)frame * 1e9 / (RATE * (1 + ppm / 1e6)));
}

// Looks every 64 frames for S seconds; each is late by up to LATE_NS, one in a hundred by far more.
// Returns the worst error of the line after the first second, in ns.
static int64_t
feed(struct fit *f, double ppm, double s, int64_t late_ns)
{
	int64_t worst = 0;
	fit_start(f, START);
	for (int64_t frame = 64; frame < (int64_t)(s * RATE); frame += 64) {
		int64_t late = (int64_t)(chance() * (double)late_ns);
		if (chance() < 0.01)
			late += (int64_t)(chance() * 30 * NS_PER_MS);
		fit_add(f, frame, true_time(frame, ppm) + late);
		int64_t off = llabs(fit_time_ns(f, frame + 64) - true_time(frame + 64, ppm));
		if (frame > RATE && off > worst)
			worst = off;
	}
	return worst;
}

static void
follows_a_rate_that_is_off(void **state)
{
	(void)state;
	static const double ppm[] = {0, 5, -5, 300, -300, 1500, -1500, 20000};
	for (size_t i = 0; i < sizeof ppm / sizeof *ppm; i++) {
		struct fit f;
		fit_init(&f, RATE);
		int64_t worst = feed(&f, ppm[i], 120, 20 * NS_PER_US);
		assert_in_range(worst, 0, 60 * NS_PER_US + (int64_t)fabs(ppm[i]) * 100);
		assert_true(fabs((double)fit_rate_ppb(&f) / 1000 - ppm[i]) < 2);
	}
}

static void
late_looks_do_not_move_it(void **state)
{
	(void)state;
	struct fit f;
	fit_init(&f, RATE);
	feed(&f, 100, 20, 10 * NS_PER_US);
	// Two seconds in which every look is 5 ms late: the line stays.
	for (int64_t frame = 20 * RATE; frame < 22 * RATE; frame += 64)
		fit_add(&f, frame, true_time(frame, 100) + 5 * NS_PER_MS);
	assert_in_range(
	    llabs(fit_time_ns(&f, 22 * RATE) - true_time(22 * RATE, 100)), 0, 200 * NS_PER_US);
}

static void
a_new_run_knows_the_rate(void **state)
{
	(void)state;
	struct fit f;
	fit_init(&f, RATE);
	feed(&f, -800, 30, 10 * NS_PER_US);
	fit_start(&f, START);
	int64_t second = fit_time_ns(&f, RATE) - START;
	assert_in_range(llabs(second - (true_time(RATE, -800) - START)), 0, 10 * NS_PER_US);
}

static void
a_long_run_stays_exact(void **state)
{
	(void)state;
	struct fit f;
	fit_init(&f, RATE);
	fit_start(&f, START);
	int64_t frame = 64;
	for (int day = 0; day < 20; day++)
		for (int i = 0; i < 2000; i++, frame += 43ll * RATE)
			fit_add(&f, frame, true_time(frame, 17) + (int64_t)(chance() * 20000));
	assert_in_range(llabs(fit_time_ns(&f, frame) - true_time(frame, 17)), 0, 100 * NS_PER_US);
	assert_true(fabs((double)fit_rate_ppb(&f) / 1000 - 17) < 0.2);
}

static void
heard(
    const char *want, double played, double silent, double longest, uint64_t xruns, double elapsed)
{
	char buf[160];
	struct probe_facts f = {
	    .played_s = played, .silent_s = silent, .longest_silence_s = longest, .xruns = xruns};
	assert_string_equal(
	    audio_played_text(buf, sizeof buf, &f, elapsed < 0 ? -1 : (int64_t)(elapsed * 1e9)),
	    want);
}

static void
heard_in_words(void **state)
{
	(void)state;
	heard("played 15:10 of 18:27 (82%), 41 drop-outs, longest 2.3 s", 910, 197, 2.3, 41, 1107);
	heard("played 1:00 of 1:00 (100%), no drop-out", 60, 0, 0, 0, -1);
	heard("played 1:00 of 1:00 (99.9%), 1 drop-out, longest 1.5 ms", 60, 0.0015, 0.0015, 1, -1);
	heard("played 1:00:00 of 1:00:10 (99.7%), silent for 10.0 s", 3600, 10, 10, 0, -1);
	heard("played 0:00 of 0:05 (0%), silent for 5.0 s", 0, 5, 5, 0, -1);
	heard("", NAN, NAN, NAN, 0, 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(follows_a_rate_that_is_off),
	    cmocka_unit_test(late_looks_do_not_move_it),
	    cmocka_unit_test(a_new_run_knows_the_rate),
	    cmocka_unit_test(a_long_run_stays_exact),
	    cmocka_unit_test(heard_in_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
