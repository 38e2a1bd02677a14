// Slots filled tick by tick, what is compared of them, and the sentences that it comes to.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "session/options.h"
#include "session/rounds.h"
#include "session/slot.h"
#include "session/verdict.h"

#define MS NS_PER_MS

static const struct probe_kind fake_kind = {.name = "timer", .quantities = 1u << Q_LATE, .weighted = true, .unit = "wake"};

static struct ab_change
sure(double a, double b, double lo, double hi)
{
	return (struct ab_change){.a = a, .b = b, .change = 100 * (b / a - 1), .lo = lo, .hi = hi, .p = 0.002, .se = 0.05};
}

static struct ab_change
unsure(double a, double b, double se)
{
	return (struct ab_change){.a = a, .b = b, .change = 100 * (b / a - 1), .lo = -9, .hi = 11, .p = 0.6, .se = se};
}

static struct verdict_row
row(const char *load, struct ab_change p99, struct ab_change mean)
{
	struct verdict_row r = {.kind = "timer", .design = {.groups = 10, .turns = true, .s = {60, 60}}};
	snprintf(r.load, sizeof r.load, "%s", load);
	r.figure[AB_P99] = p99;
	r.figure[AB_MEAN] = mean;
	return r;
}

static void
assert_says(const struct verdict_row *r, const char *want)
{
	char buf[VERDICT_MAX];
	assert_string_equal(verdict_say(buf, sizeof buf, r, true), want);
}

static void
better_and_worse(void **state)
{
	(void)state;
	struct verdict_row r = row("memory", sure(11e6, 1.9e6, -85, -80), unsure(100e3, 99e3, 0.1));
	assert_says(&r, "B is better under memory: p99 1.90 ms instead of 11.0 ms (-83%, 95% sure between -85 and -80)");
	assert_int_equal(verdict_better(&r), 1);
	r = row("none", sure(100e3, 150e3, 41.2, 60.4), sure(20e3, 25e3, 20.3, 30.1));
	assert_says(&r, "B is worse: p99 150 us instead of 100 us (+50%, 95% sure between +41 and +60)");
	assert_int_equal(verdict_better(&r), -1);
	// only the mean is certain
	r = row("io", unsure(100e3, 99e3, 0.1), sure(20e3, 18e3, -15, -5.2));
	assert_says(&r, "B is better under io: mean 18 us instead of 20 us (-10%, 95% sure between -15 and -5.2)");
	// they disagree
	r = row("io", sure(11e6, 1.9e6, -85, -80), sure(20e3, 25e3, 20, 30));
	assert_says(&r, "B is better under io: p99 1.90 ms instead of 11.0 ms (-83%, 95% sure between -85 and -80), but mean 25 us "
	                "instead of 20 us (+25%, 95% sure between +20 and +30)");
}

static void
a_load_that_did_less(void **state)
{
	(void)state;
	struct verdict_row r = row("memory", sure(11e6, 1.9e6, -85, -80), unsure(100e3, 99e3, 0.1));
	snprintf(r.work[0].name, sizeof r.work[0].name, "memory");
	r.work[0].change = sure(100, 88, -14, -10);
	r.works = 1;
	assert_says(&r, "B is better under memory: p99 1.90 ms instead of 11.0 ms (-83%, 95% sure between -85 and -80); in B memory did 12% "
	                "less work");
	r.work[0].change = sure(100, 97, -4, -2);
	assert_says(&r, "B is better under memory: p99 1.90 ms instead of 11.0 ms (-83%, 95% sure between -85 and -80)");
}

static void
no_difference(void **state)
{
	(void)state;
	// 10% needs a standard error of 0.0953 / 3.2416 = 0.0294; 120 s gave 0.0509: 360 s are needed, 240 more
	struct verdict_row r = row("none", unsure(100e3, 101e3, 0.05093), unsure(20e3, 20e3, 0.01));
	assert_says(&r, "no difference seen; 4 more minutes would show 10%");
	r = row("memory", unsure(100e3, 101e3, 0.001), unsure(20e3, 20e3, 0.01));
	assert_says(&r, "no difference seen under memory; one of 5% would have shown");
	// one figure of two at 3% is no proof
	struct ab_change weak = sure(100e3, 120e3, 1, 40);
	weak.p = 0.03;
	weak.se = 0.001;
	r = row("none", weak, unsure(20e3, 20e3, 0.01));
	assert_int_equal(verdict_better(&r), 0);
	// both are
	struct ab_change strong = sure(20e3, 25e3, 10, 40);
	r = row("none", weak, strong);
	assert_int_equal(verdict_better(&r), -1);
	r = row("none", (struct ab_change){.a = 1, .b = 1, .lack = AB_SHORT, .se = NAN}, (struct ab_change){.a = 1, .b = 1, .lack = AB_SHORT, .se = NAN});
	assert_says(&r, "too short to say: six rounds, or seven seconds of each, are the least");
}

static void
not_comparable(void **state)
{
	(void)state;
	struct verdict_row r = row("memory", sure(11e6, 1.9e6, -85, -80), sure(11e6, 1.9e6, -85, -80));
	snprintf(r.why_not, sizeof r.why_not, "A ran at fifo:80, B at other");
	assert_says(&r, "not comparable under memory: A ran at fifo:80, B at other");
	assert_int_equal(verdict_better(&r), 0);
}

static void
changes_as_text(void **state)
{
	(void)state;
	char buf[80];
	struct ab_change c = sure(11e6, 1.9e6, -85.2, -80.1);
	assert_string_equal(verdict_change(buf, sizeof buf, &c), "-83% (-85 .. -80)");
	c = (struct ab_change){.points = true, .change = 0.81, .lo = 0.52, .hi = 1.1};
	assert_string_equal(verdict_change(buf, sizeof buf, &c), "+0.8 (+0.5 .. +1.1)");
	c = (struct ab_change){.change = 24, .lo = NAN, .hi = NAN, .lack = AB_TAIL_FEW};
	assert_string_equal(verdict_change(buf, sizeof buf, &c), "+24% (too few in the tail)");
	c = (struct ab_change){.change = NAN, .lack = AB_EMPTY};
	assert_string_equal(verdict_change(buf, sizeof buf, &c), "no data");
}

static struct session *
make_session(void)
{
	struct config c;
	config_defaults(&c);
	struct session *s = session_new(&c);
	assert_non_null(s);
	assert_int_equal(session_add_probe(s, &fake_kind, -1, "timer"), 0);
	assert_int_equal(session_add_load(s, "alpha", '1', "things"), 0);
	return s;
}

struct feed {
	int64_t late_ns;
	uint64_t load_set;
	bool warmup;
	enum policy_kind policy;
	int level;
	int slot; // an event first, where value is not 99
	int64_t value;
};

static int64_t fed; // ticks

static void
feed(struct session *s, struct feed f)
{
	struct probe_tick pt = {.facts = {.state = PROBE_RUNNING, .interval_ns = MS, .effective = {f.policy, f.policy == POLICY_OTHER ? 0 : 80}, .effective_known = true}};
	struct load_tick lt = {.state = f.load_set ? LOAD_ON : LOAD_OFF, .level = f.level, .work = f.load_set ? 50 : 0};
	struct event ev = {.kind = EVENT_SLOT, .which = f.slot, .value = f.value, .t_ns = fed * TICK_NS};
	snprintf(ev.text, sizeof ev.text, "%s", f.slot ? "new" : "old");
	struct dist *d = calloc(1, sizeof *d);
	dist_reset(d, (struct limits){0, {MS, 2 * MS}});
	for (int i = 0; i < 100; i++)
		dist_add(d, f.late_ns + i * f.late_ns / 100, 1);
	pt.slice[Q_LATE] = dist_to_slice(d);
	free(d);
	fed++;
	struct tick t = {.number = fed, .t_ns = fed * TICK_NS, .len_ns = TICK_NS, .warmup = f.warmup, .load_set = f.load_set, .probes = 1,
	    .loads = 1, .probe = &pt, .load = &lt, .event = &ev, .events = f.value != 99, .cpu_known = true,
	    .cpu = {.user = 30, .idle = 70}};
	session_apply(s, &t);
	free(pt.slice[Q_LATE]);
}

static void
feed_capture(struct session *s, int slot, int64_t late_ns, uint64_t load_set, enum policy_kind policy, int ticks, int round)
{
	feed(s, (struct feed){late_ns, load_set, true, policy, 2, slot, SLOT_BEGINS + round});
	for (int i = 0; i < ticks; i++)
		feed(s, (struct feed){late_ns, load_set, false, policy, 2, slot, 99});
	feed(s, (struct feed){900 * MS, load_set, false, policy, 2, slot, SLOT_ENDED});
}

static void
captures_from_ticks(void **state)
{
	(void)state;
	struct session *s = make_session();
	struct slots *sl = session_slots(s);
	assert_non_null(sl);
	feed(s, (struct feed){500 * MS, 0, false, POLICY_FIFO, 0, 0, 99}); // before: counts nowhere
	feed_capture(s, SLOT_A, 100000, 0, POLICY_FIFO, 100, 0);
	feed_capture(s, SLOT_A, 400000, 1, POLICY_FIFO, 100, 0);
	feed_capture(s, SLOT_B, 100000, 0, POLICY_FIFO, 100, 0);
	feed_capture(s, SLOT_B, 200000, 1, POLICY_FIFO, 100, 0);
	assert_int_equal(sl->open, -1);
	assert_string_equal(sl->slot[SLOT_A].name, "old");
	assert_int_equal(sl->slot[SLOT_A].parts, 2);
	assert_true(fabs(sl->slot[SLOT_A].s - 20) < 0.01);
	assert_string_equal(sl->slot[SLOT_A].part[1].name, "alpha");
	struct verdict *v = verdict_make(&sl->slot[SLOT_A], &sl->slot[SLOT_B]);
	assert_non_null(v);
	assert_int_equal(v->rows, 2);
	char say[VERDICT_MAX];
	assert_int_equal(verdict_better(&v->row[0]), 0);
	assert_string_equal(v->row[1].load, "alpha");
	assert_int_equal(verdict_better(&v->row[1]), 1);
	assert_non_null(strstr(verdict_say(say, sizeof say, &v->row[1], true), "B is better under alpha: p99"));
	assert_true(fabs(v->row[1].figure[AB_MEAN].a - 598000) < 10 && fabs(v->row[1].figure[AB_MEAN].change + 50) < 0.01);
	assert_true(fabs(v->row[1].work[0].change.a - 500) < 1e-6 && fabs(v->row[1].cpu.a - 30) < 1e-6);
	assert_true(isnan(v->row[1].xruns.a));
	assert_non_null(strstr(v->note, "one after the other"));
	verdict_free(v);
	// cleared, and another policy
	feed(s, (struct feed){100000, 0, true, POLICY_OTHER, 0, SLOT_B, SLOT_CLEARED});
	assert_int_equal(sl->slot[SLOT_B].parts, 0);
	feed_capture(s, SLOT_B, 100000, 0, POLICY_OTHER, 100, 0);
	v = verdict_make(&sl->slot[SLOT_A], &sl->slot[SLOT_B]);
	assert_int_equal(v->rows, 1);
	assert_string_equal(verdict_say(say, sizeof say, &v->row[0], true), "not comparable: A ran at fifo:80, B at other");
	verdict_free(v);
	session_free(s);
}

static void
sound_marks(void **state)
{
	(void)state;
	int m = 77;
	assert_int_equal(sound_mark_read("0", &m), 1);
	assert_int_equal(m, 0);
	assert_int_equal(sound_mark_read(" 10 ", &m), 1);
	assert_int_equal(m, 10);
	assert_int_equal(sound_mark_read("07", &m), 1);
	assert_int_equal(m, 7);
	assert_int_equal(sound_mark_read("", &m), 0);
	assert_int_equal(sound_mark_read("  ", &m), 0);
	static const char *const bad[] = {"11", "-1", "+3", "7.5", "7 8", "seven", "0x7", "000", "99999999999999999999", "7\n", "\xff", "\xd9\xa7"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(sound_mark_read(bad[i], &m), -1);
	assert_int_equal(m, 7);

	struct session *s = make_session();
	struct slots *sl = session_slots(s);
	feed_capture(s, SLOT_A, 400000, 0, POLICY_FIFO, 30, 0);
	feed_capture(s, SLOT_B, 400000, 0, POLICY_FIFO, 30, 0);
	assert_false(sl->slot[SLOT_A].marked);
	static const struct {
		int which;
		int64_t value;
	} foreign[] = {{SLOT_A, SLOT_MARKED - 11}, {SLOT_A, INT64_MIN}, {-1, SLOT_MARKED}, {SLOT_COUNT, SLOT_MARKED}, {INT32_MAX, SLOT_MARKED - 3}};
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		feed(s, (struct feed){100000, 0, true, POLICY_FIFO, 0, foreign[i].which, foreign[i].value});
	assert_false(sl->slot[SLOT_A].marked || sl->slot[SLOT_B].marked);
	feed(s, (struct feed){100000, 0, true, POLICY_FIFO, 0, SLOT_A, SLOT_MARKED - 0});
	feed(s, (struct feed){100000, 0, true, POLICY_FIFO, 0, SLOT_B, SLOT_MARKED - 9});
	struct verdict *v = verdict_make(&sl->slot[SLOT_A], &sl->slot[SLOT_B]);
	assert_int_equal(v->sound_mark[SLOT_A], 0);
	assert_int_equal(v->sound_mark[SLOT_B], 9);
	verdict_free(v);
	// a capture that begins anew, and a slot that is emptied, have none
	feed_capture(s, SLOT_A, 400000, 0, POLICY_FIFO, 30, 0);
	feed(s, (struct feed){100000, 0, true, POLICY_FIFO, 0, SLOT_B, SLOT_CLEARED});
	v = verdict_make(&sl->slot[SLOT_A], &sl->slot[SLOT_B]);
	assert_int_equal(v->sound_mark[SLOT_A], -1);
	assert_int_equal(v->sound_mark[SLOT_B], -1);
	verdict_free(v);
	session_free(s);
}

static void
memory_is_bounded(void **state)
{
	(void)state;
	struct session *s = make_session();
	struct slots *sl = session_slots(s);
	// an hour and a half in one capture, then a thousand rounds
	feed_capture(s, SLOT_A, 100000, 0, POLICY_FIFO, 54000, 0);
	assert_in_range(sl->slot[SLOT_A].part[0].blocks, 50, SLOT_BLOCKS);
	double total = 0;
	for (int i = 0; i < sl->slot[SLOT_A].part[0].blocks; i++)
		total += sl->slot[SLOT_A].part[0].block[i].s;
	assert_true(fabs(total - 5400) < 0.01);
	slots_reset(s);
	assert_int_equal(sl->slot[SLOT_A].parts, 0);
	for (int i = 0; i < 1000; i++) {
		feed_capture(s, i % 2 ? SLOT_B : SLOT_A, 100000, 0, POLICY_FIFO, 10, i);
		feed_capture(s, i % 2 ? SLOT_A : SLOT_B, 100000, 0, POLICY_FIFO, 10, i);
	}
	assert_in_range(sl->slot[SLOT_A].part[0].blocks, 100, SLOT_BLOCKS);
	struct verdict *v = verdict_make(&sl->slot[SLOT_A], &sl->slot[SLOT_B]);
	assert_int_equal(v->rows, 1);
	assert_true(v->row[0].design.turns && v->row[0].design.s[0] > 950);
	assert_int_equal(verdict_better(&v->row[0]), 0);
	verdict_free(v);
	session_free(s);
}

static void
guessing(void **state)
{
	(void)state;
	// binomial, one half: of 10, at least 9: 11/1024; at least 0: all; of 1, at least 1: a half
	assert_true(fabs(rounds_chance(10, 9) - 11.0 / 1024) < 1e-12);
	assert_true(fabs(rounds_chance(10, 0) - 1) < 1e-9 && fabs(rounds_chance(1, 1) - 0.5) < 1e-12);
	struct rounds r = {.blind = true, .rounds = 10, .answers = 10};
	for (int i = 0; i < 10; i++) {
		r.first[i] = i % 2;                                      // A came first in even rounds
		r.felt[i] = (i % 2 == 0) == (i != 4) ? FELT_SECOND : FELT_FIRST; // B was chosen, but in round 4
	}
	int n;
	char say[320];
	assert_int_equal(rounds_chose_b(&r, &n), 9);
	assert_int_equal(n, 10);
	assert_string_equal(rounds_say(say, sizeof say, &r, 1),
	    "you were right in 9 of 10 rounds: by the figures B is better; somebody who guesses does as well in 1.1% of all tries");
	assert_string_equal(rounds_say(say, sizeof say, &r, -1),
	    "you were right in 1 of 10 rounds: by the figures A is better; somebody who guesses does as well in 100% of all tries");
	assert_string_equal(rounds_say(say, sizeof say, &r, 0),
	    "you preferred B in 9 of 10 rounds; the figures see no difference; somebody who guesses is as sure in 2.1% of all tries");
	r.felt[0] = FELT_UNSURE;
	assert_int_equal(rounds_chose_b(&r, &n), 8);
	assert_int_equal(n, 9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(better_and_worse),
	    cmocka_unit_test(a_load_that_did_less),
	    cmocka_unit_test(no_difference),
	    cmocka_unit_test(not_comparable),
	    cmocka_unit_test(changes_as_text),
	    cmocka_unit_test(captures_from_ticks),
	    cmocka_unit_test(sound_marks),
	    cmocka_unit_test(memory_is_bounded),
	    cmocka_unit_test(guessing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
