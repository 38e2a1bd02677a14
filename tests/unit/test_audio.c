// The audio probe through the real libasound on a card of the tests' own: its figures, and every
// fault that a card has.
#include "../lib/card.h"

#include "probe/audio.h"

#define STALLS 6

static struct card card;
static struct rig one, *const rig = &one;

static int
set_up(void **state)
{
	(void)state;
	card_open(&card);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	card_close(&card);
	return 0;
}

static int
each(void **state)
{
	(void)state;
	rig_stop(rig); // of a test that failed
	card_reset(&card);
	return 0;
}

static int64_t
period_ns(const struct rig *r)
{
	return r->facts.period_frames * NS_PER_S / r->facts.rate;
}

static void
near(const char *what, double got, double want, double by)
{
	if (!(fabs(got - want) <= by))
		fail_msg("%s: %g instead of %g +- %g", what, got, want, by);
}

static void
plays_in_time(void **state)
{
	(void)state;
	struct probe_config c = rig_config("card", 3, 64);
	rig_start(rig, &c);
	RIG_PLAYS(rig);
	rig_run(rig, 2);
	assert_int_equal(rig->facts.rate, 44100);
	assert_int_equal(rig->facts.period_frames, 64);
	assert_int_equal(rig->facts.buffer_frames, 192);
	assert_int_equal(rig->facts.hardware, 0);
	assert_true(rig->facts.doubts & DOUBT_PLUGIN);
	assert_false(rig->facts.doubts & (DOUBT_VIRTUAL | DOUBT_GRANTED));
	assert_non_null(strstr(rig->facts.reason, "stutter's test card"));
	double period = 64e9 / 44100;
	near("interval p50", (double)dist_percentile_ns(&rig->d[Q_INTERVAL], 0.5), period,
	    period / 100);
	assert_in_range(dist_percentile_ns(&rig->d[Q_LATE], 0.5), 0, (uint64_t)(period / 2));
	assert_true(dist_percentile_ns(&rig->d[Q_HEADROOM], 0.5) > period &&
		    dist_percentile_ns(&rig->d[Q_HEADROOM], 0.5) <= 2 * period);
	rig_stop(rig);
	assert_true(card.page[PAGE_STOPPED]);
}

static void
no_card_plays_by_the_clock(void **state)
{
	(void)state;
	struct probe_config c = rig_config("none", 3, 64);
	rig_start(rig, &c);
	RIG_PLAYS(rig);
	rig_run(rig, 1);
	assert_true(rig->facts.doubts & DOUBT_VIRTUAL);
	assert_int_equal(rig->facts.hardware, 0);
	near("interval p50", (double)dist_percentile_ns(&rig->d[Q_INTERVAL], 0.5), 64e9 / 44100,
	    64e7 / 44100);
	near("played", rig->facts.played_s + rig->facts.silent_s,
	    (double)(clock_now_ns() - rig->started_ns) / 1e9, 0.2);
	rig_stop(rig);
	assert_int_equal(card.page[PAGE_OPEN_TRIES], 0);
}

static int
by_length(const void *a, const void *b)
{
	int64_t d = *(const int64_t *)a - *(const int64_t *)b;
	return d < 0 ? -1 : d > 0;
}

static void
stalls_are_drop_outs_of_their_length(void **state)
{
	(void)state;
	struct probe_config c = rig_config("card", 3, 64);
	rig_start(rig, &c);
	RIG_PLAYS(rig);
	for (int i = 0; i < STALLS; i++) {
		int64_t starts = card.page[PAGE_STARTS];
		card.page[PAGE_STALL_NS] = (20 + 37 * i) * NS_PER_MS;
		RIG_UNTIL(rig, card.page[PAGE_STALLS] == i + 1 && card.page[PAGE_STARTS] > starts &&
				   rig->facts.xruns >= (uint64_t)card.page[PAGE_DRY]);
		rig_run(rig, 0.1);
	}
	assert_true(card.page[PAGE_DRY] >= STALLS);
	assert_int_equal(rig->xruns, card.page[PAGE_DRY]);
	assert_int_equal(rig->facts.xruns, card.page[PAGE_DRY]);
	int64_t truth[64];
	for (int i = 0; i < rig->xruns; i++)
		truth[i] = card.page[PAGE_SILENCE + i];
	qsort(truth, (size_t)rig->xruns, sizeof *truth, by_length);
	qsort(rig->xrun_ns, (size_t)rig->xruns, sizeof *truth, by_length);
	for (int i = 0; i < rig->xruns; i++)
		near("length of a drop-out", (double)rig->xrun_ns[i], (double)truth[i],
		    (double)period_ns(rig));
	near("silent", rig->facts.silent_s * 1e9, (double)card.page[PAGE_SILENT_NS],
	    (double)period_ns(rig) * rig->xruns);
	near("longest", rig->facts.longest_silence_s * 1e9, (double)truth[rig->xruns - 1],
	    (double)period_ns(rig));
	// Each stall stands for all the periods that were not served meanwhile.
	double lost = (double)card.page[PAGE_SILENT_NS] / (double)period_ns(rig);
	near("missed", (double)rig->d[Q_LATE].s.missed, lost, lost / 10 + 2 * STALLS);
	rig_stop(rig);
}

// Reads the probe's accounts, and when it had them.
static double
heard_s(double *at_s)
{
	int64_t frames = atomic_load(&rig->p->live->played_frames), now;
	do
		rig_pump(rig);
	while (atomic_load(&rig->p->live->played_frames) == frames);
	probe_read(rig->p, &rig->facts);
	now = clock_now_ns();
	*at_s = (double)now / 1e9;
	return rig->facts.played_s + rig->facts.silent_s;
}

static void
played_and_silent_are_all_the_time(void **state)
{
	(void)state;
	struct probe_config c = rig_config("card", 4, 441);
	card.page[PAGE_PPM] = 400;
	rig_start(rig, &c);
	RIG_PLAYS(rig);
	rig_run(rig, 1);
	double from, to, before = heard_s(&from);
	// As long as the bench asks for; in between, silences of every length.
	const char *asked = getenv("AUDIO_TEST_S");
	int64_t until = clock_now_ns() + (asked ? atol(asked) : 8) * NS_PER_S;
	for (int i = 0; clock_now_ns() < until; i++) {
		card.page[PAGE_STALL_NS] = (60 + 50 * (i % 8)) * NS_PER_MS;
		RIG_UNTIL(rig, card.page[PAGE_STALLS] == i + 1);
		rig_run(rig, 0.8);
	}
	double after = heard_s(&to);
	assert_true(rig->facts.xruns >= 6);
	// One period, and what the reading itself may be late by: a period's age at either end.
	near("played + silent", after - before, to - from, 2 * (double)period_ns(rig) / 1e9);
	char text[200];
	audio_played_text(text, sizeof text, &rig->facts, -1);
	assert_non_null(strstr(text, "drop-outs, longest "));
	rig_stop(rig);
}

static void
drift(int ppm)
{
	struct probe_config c = rig_config("card", 3, 64);
	card.page[PAGE_PPM] = ppm;
	rig_start(rig, &c);
	RIG_PLAYS(rig);
	rig_run(rig, 4);
	near("measured rate, ppm", rig->facts.rate_ppm, ppm, 40);
	// Counted as lateness, four seconds of it would be some milliseconds.
	assert_in_range(dist_percentile_ns(&rig->d[Q_LATE], 0.5), 0, NS_PER_MS / 2);
	double all = (double)rig->d[Q_LATE].s.samples;
	near("real late wakes", (double)rig->d[Q_LATE].s.within[0], all, all / 5); // a busy machine makes some
	rig_stop(rig);
}

static void
drift_is_not_lateness(void **state)
{
	(void)state;
	drift(700);
	card_reset(&card);
	drift(-700);
}

static void
jumps_are_not_drop_outs(void **state)
{
	(void)state;
	struct probe_config c = rig_config("card", 16, 128);
	card.page[PAGE_STEP_NS] = 10 * NS_PER_MS;
	rig_start(rig, &c);
	RIG_UNTIL(rig, rig->facts.doubts & DOUBT_VIRTUAL);
	rig_forget(rig);
	rig_run(rig, 2);
	assert_int_equal(rig->facts.xruns, card.page[PAGE_DRY]);
	assert_non_null(strstr(rig->facts.reason, "virtual card"));
	assert_in_range(dist_percentile_ns(&rig->d[Q_LATE], 0.5), 0, 2 * NS_PER_MS);
	assert_int_equal(rig->facts.state, PROBE_RUNNING);
	rig_stop(rig);
}

static void
granted_is_shown_and_used(void **state)
{
	(void)state;
	static const struct {
		unsigned asked, granted;
	} cases[] = {{100, 128}, {104, 128}, {900, 1024}};
	for (int i = 0; i < 3; i++) {
		struct probe_config c = rig_config("card", 4, cases[i].asked);
		card_reset(&card);
		card.page[PAGE_PERIOD_POWER] = 1;
		rig_start(rig, &c);
		RIG_PLAYS(rig);
		rig_run(rig, 1);
		assert_true(rig->facts.doubts & DOUBT_GRANTED);
		assert_int_not_equal(rig->facts.period_frames, cases[i].asked);
		assert_int_equal(rig->facts.period_frames & (rig->facts.period_frames - 1), 0);
		double period = (double)rig->facts.period_frames * 1e9 / 44100;
		near("interval p50", (double)dist_percentile_ns(&rig->d[Q_INTERVAL], 0.5), period,
		    period / 100);
		assert_in_range(dist_percentile_ns(&rig->d[Q_LATE], 0.5), 0, NS_PER_MS);
		assert_non_null(strstr(rig->facts.reason, "asked"));
		rig_stop(rig);
	}
	card_reset(&card);
	card.page[PAGE_PERIOD_MIN] = card.page[PAGE_PERIOD_MAX] = 1024;
	struct probe_config c = rig_config("card", 3, 64);
	rig_start(rig, &c);
	RIG_PLAYS(rig);
	assert_int_equal(rig->facts.period_frames, 1024);
	assert_int_equal(rig->facts.buffer_frames, 3072);
	rig_stop(rig);
}

static void
buffer_changes_while_it_plays(void **state)
{
	(void)state;
	struct err e;
	struct probe_config c = rig_config("card", 3, 256);
	rig_start(rig, &c);
	RIG_PLAYS(rig);
	double played = rig->facts.played_s;
	c.period_frames = 64;
	assert_int_equal(rig->p->kind->change(rig->p, &c, &e), 0);
	RIG_UNTIL(rig, rig->facts.period_frames == 64 && rig->facts.state == PROBE_RUNNING);
	rig_forget(rig);
	RIG_PLAYS(rig);
	rig_run(rig, 0.5);
	near("interval p50", (double)dist_percentile_ns(&rig->d[Q_INTERVAL], 0.5), 64e9 / 44100,
	    64e7 / 44100);
	assert_int_equal(rig->facts.xruns, card.page[PAGE_DRY]);
	assert_true(rig->facts.played_s > played);
	c.device = "none";
	assert_int_equal(rig->p->kind->change(rig->p, &c, &e), 0);
	RIG_UNTIL(rig, rig->facts.doubts & DOUBT_VIRTUAL);
	RIG_PLAYS(rig);
	rig_stop(rig);
}

// CPU time of the probe's thread.
static double
busy_pct(double s)
{
	int64_t busy = atomic_load(&rig->p->live->busy_ns), from = clock_now_ns();
	rig_run(rig, s);
	return (double)(atomic_load(&rig->p->live->busy_ns) - busy) * 100 /
	       (double)(clock_now_ns() - from);
}

// Something happens to a device that plays: it is said, costs nothing, makes no lateness, and is
// over when it is over.
static void
lost_and_back(int field, int64_t value, const char *words)
{
	struct probe_config c = rig_config("card", 3, 64);
	card_reset(&card);
	rig_start(rig, &c);
	RIG_PLAYS(rig);
	rig_run(rig, 0.3);
	int64_t others = (int64_t)rig->facts.xruns - card.page[PAGE_DRY];
	int64_t since = clock_now_ns();
	card.page[field] = value;
	RIG_UNTIL(rig, rig->facts.state == PROBE_LOST);
	double within = (double)(clock_now_ns() - since) / 1e9;
	if (!strstr(rig->why, words))
		fail_msg("'%s' does not say '%s'", rig->why, words);
	near("seconds until it is said", within, 0.5, 0.5);
	double silent = rig->facts.silent_s;
	double busy = busy_pct(1.5);
	assert_true(rig->facts.state == PROBE_LOST);
	near("CPU while lost", busy, 0, 5);
	assert_true(rig->facts.silent_s > silent + 1);
	assert_true(card.page[PAGE_OPEN_TRIES] < 10);
	card.page[field] = 0;
	if (field == PAGE_FROZEN_FROM)
		card.page[PAGE_FROZEN_UNTIL] = 0;
	RIG_UNTIL(rig, rig->facts.state == PROBE_RUNNING);
	double back = rig->facts.played_s;
	rig_run(rig, 0.5);
	assert_true(rig->facts.played_s > back + 0.2);
	assert_true(rig->gaps >= 1);
	// It was no drop-out of ours, and no wake of ours was late by the time it was away.
	near("drop-outs", (double)rig->facts.xruns, (double)(card.page[PAGE_DRY] + others), 1);
	assert_in_range(rig->d[Q_LATE].s.max_ns, 0, NS_PER_S / 2);
	near("longest silence", rig->facts.longest_silence_s, 2.2, 1.5);
	rig_stop(rig);
}

static void
gone_and_back(void **state)
{
	(void)state;
	lost_and_back(PAGE_GONE, 1, "no such device");
}

static void
io_error_and_back(void **state)
{
	(void)state;
	lost_and_back(PAGE_EIO, 1, "Input/output error");
}

static void
storm_and_back(void **state)
{
	(void)state;
	lost_and_back(PAGE_STORM, 1, "again and again");
}

static void
frozen_and_back(void **state)
{
	(void)state;
	lost_and_back(PAGE_FROZEN_FROM, 1, "stands still");
}

static void
suspended_and_back(void **state)
{
	(void)state;
	lost_and_back(PAGE_SUSPENDED, 1, "suspended");
}

static void
wait_closed(int64_t opens)
{
	int64_t until = clock_now_ns() + DEADLINE_S * NS_PER_S;
	while ((card.page[PAGE_OPENS] < opens || card.page[PAGE_CLOSES] < card.page[PAGE_OPENS]) &&
	       clock_now_ns() < until)
		nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
	assert_int_equal(card.page[PAGE_CLOSES], card.page[PAGE_OPENS]);
}

static void
hangs_and_back(void **state)
{
	(void)state;
	struct probe_config c = rig_config("card", 3, 64);
	rig_start(rig, &c);
	RIG_PLAYS(rig);
	card.page[PAGE_CALL_HANGS] = 1;
	RIG_UNTIL(rig, rig->facts.state == PROBE_LOST);
	assert_non_null(strstr(rig->facts.reason, "does not answer"));
	near("CPU while it hangs", busy_pct(1), 0, 5);
	card.page[PAGE_CALL_HANGS] = 0;
	RIG_UNTIL(rig, rig->facts.state == PROBE_RUNNING);
	card.page[PAGE_CALL_HANGS] = 1;
	rig_run(rig, 0.1);
	int64_t from = clock_now_ns();
	rig_stop(rig);
	near("seconds to stop while it hangs", (double)(clock_now_ns() - from) / 1e9, 0, 4);
	card.page[PAGE_CALL_HANGS] = 0;
	wait_closed(1); // what was left hanging closes its device by itself
}

static void
opening_hangs(void **state)
{
	(void)state;
	struct probe_config c = rig_config("card", 3, 64);
	card.page[PAGE_OPEN_HANGS] = 1;
	rig_start(rig, &c);
	RIG_UNTIL(rig, rig->facts.state == PROBE_LOST);
	assert_non_null(strstr(rig->facts.reason, "does not answer"));
	assert_true(clock_now_ns() - rig->started_ns < 2 * NS_PER_S);
	card.page[PAGE_OPEN_HANGS] = 0;
	RIG_PLAYS(rig);
	rig_stop(rig);
	card.page[PAGE_OPEN_HANGS] = 1;
	rig_start(rig, &c);
	rig_run(rig, 0.1);
	rig_stop(rig);
	card.page[PAGE_OPEN_HANGS] = 0;
	wait_closed(2);
}

static void
busy_until_it_is_free(void **state)
{
	(void)state;
	struct probe_config c = rig_config("card", 3, 64);
	card.page[PAGE_OPEN_ERROR] = EBUSY;
	rig_start(rig, &c);
	RIG_UNTIL(rig, rig->facts.state == PROBE_LOST);
	assert_non_null(strstr(rig->facts.reason, "busy"));
	near("CPU while busy", busy_pct(1), 0, 5);
	card.page[PAGE_OPEN_ERROR] = 0;
	RIG_PLAYS(rig);
	rig_stop(rig);
}

static void
no_such_device(void **state)
{
	(void)state;
	struct probe_config c = rig_config("nonesuch", 3, 64);
	rig_start(rig, &c);
	RIG_UNTIL(rig, rig->facts.state == PROBE_LOST);
	assert_non_null(strstr(rig->facts.reason, "no such device"));
	rig_stop(rig);
}

static void
a_device_without_a_clock(void **state)
{
	(void)state;
	struct probe_config c = rig_config("null", 3, 64);
	rig_start(rig, &c);
	RIG_UNTIL(rig, rig->facts.state == PROBE_LOST);
	assert_non_null(strstr(rig->facts.reason, "no clock"));
	near("CPU of it", busy_pct(2), 0, 5);
	rig_stop(rig);
}

static void
calls_without_room(void **state)
{
	(void)state;
	struct probe_config c = rig_config("card", 4, 512);
	card.page[PAGE_NO_ROOM_CALLS] = 1;
	rig_start(rig, &c);
	RIG_PLAYS(rig);
	rig_forget(rig);
	near("CPU though it is always called", busy_pct(1), 0, 10);
	assert_int_equal(rig->facts.state, PROBE_RUNNING);
	assert_in_range(dist_percentile_ns(&rig->d[Q_LATE], 0.5), 0, 6 * NS_PER_MS);
	rig_stop(rig);
}

static void
held_time_is_a_gap(void **state)
{
	(void)state;
	struct probe_config c = rig_config("card", 3, 64);
	rig_start(rig, &c);
	RIG_PLAYS(rig);
	int64_t others = (int64_t)rig->facts.xruns - card.page[PAGE_DRY];
	double silent = rig->facts.silent_s;
	probe_hold(rig->p, true);
	rig_run(rig, 0.6);
	probe_hold(rig->p, false);
	RIG_UNTIL(rig, rig->gaps == 1);
	rig_run(rig, 0.3);
	near("drop-outs", (double)rig->facts.xruns, (double)(card.page[PAGE_DRY] + others), 1);
	assert_in_range(rig->d[Q_LATE].s.max_ns, 0, NS_PER_S / 4);
	near("silent", rig->facts.silent_s, silent, 0.05);
	rig_stop(rig);
}

static void
burn_takes_its_part(void **state)
{
	(void)state;
	struct probe_config c = rig_config("card", 3, 256);
	c.burn_pct = 50;
	rig_start(rig, &c);
	RIG_PLAYS(rig);
	rig_run(rig, 1);
	double want = 0.5 * 256e9 / 44100;
	near("the loop", (double)rig->facts.burn_ns, want, want / 1000);
	near(
	    "the loop's median", (double)dist_percentile_ns(&rig->d[Q_BURN], 0.5), want, want / 10);
	rig_stop(rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(plays_in_time, each),
	    cmocka_unit_test_setup(no_card_plays_by_the_clock, each),
	    cmocka_unit_test_setup(stalls_are_drop_outs_of_their_length, each),
	    cmocka_unit_test_setup(played_and_silent_are_all_the_time, each),
	    cmocka_unit_test_setup(drift_is_not_lateness, each),
	    cmocka_unit_test_setup(jumps_are_not_drop_outs, each),
	    cmocka_unit_test_setup(granted_is_shown_and_used, each),
	    cmocka_unit_test_setup(buffer_changes_while_it_plays, each),
	    cmocka_unit_test_setup(gone_and_back, each),
	    cmocka_unit_test_setup(io_error_and_back, each),
	    cmocka_unit_test_setup(storm_and_back, each),
	    cmocka_unit_test_setup(frozen_and_back, each),
	    cmocka_unit_test_setup(suspended_and_back, each),
	    cmocka_unit_test_setup(hangs_and_back, each),
	    cmocka_unit_test_setup(opening_hangs, each),
	    cmocka_unit_test_setup(busy_until_it_is_free, each),
	    cmocka_unit_test_setup(no_such_device, each),
	    cmocka_unit_test_setup(a_device_without_a_clock, each),
	    cmocka_unit_test_setup(calls_without_room, each),
	    cmocka_unit_test_setup(held_time_is_a_gap, each),
	    cmocka_unit_test_setup(burn_takes_its_part, each),
	};
	cmocka_set_test_filter(getenv("AUDIO_TEST"));
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
