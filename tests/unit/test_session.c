// The session's figures from ticks: what counts, what does not, and what is doubtful.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "session/options.h"
#include "session/private.h"

#define MS NS_PER_MS

static const struct probe_kind fake_kind = {
    .name = "timer",
    .quantities = 1u << Q_LATE,
    .weighted = true,
    .unit = "wake",
};

static struct session *
make_session(void)
{
	struct config c;
	config_defaults(&c);
	struct session *s = session_new(&c);
	assert_non_null(s);
	assert_int_equal(session_add_probe(s, &fake_kind, -1, "timer"), 0);
	assert_int_equal(session_add_load(s, "alpha", '1', "things"), 0);
	assert_int_equal(session_add_load(s, "beta", '2', "things"), 1);
	return s;
}

struct wish {
	int64_t number;
	int64_t late_ns; // -1: no sample
	bool warmup;
	uint64_t load_set;
	enum event_kind event;
	bool has_event;
	uint64_t xruns;
	unsigned doubts;
	uint64_t dropped;
};

static void
feed(struct session *s, struct wish w)
{
	struct probe_tick pt = {.facts = {.state = PROBE_RUNNING, .xruns = w.xruns, .doubts = w.doubts, .dropped = w.dropped,
	                            .asked = {POLICY_FIFO, 80}, .effective = {POLICY_OTHER, 0}, .effective_known = true}};
	struct load_tick lt[2] = {{.state = w.load_set & 1 ? LOAD_ON : LOAD_OFF, .work = w.load_set & 1 ? 500 : 0},
	    {.state = w.load_set & 2 ? LOAD_ON : LOAD_OFF, .work = w.load_set & 2 ? 7 : 0}};
	struct event ev = {.kind = w.event, .which = -1, .value = -1, .t_ns = w.number * TICK_NS};
	struct dist *d = calloc(1, sizeof *d);
	dist_reset(d, (struct limits){0, {MS, 2 * MS}});
	if (w.late_ns >= 0) {
		dist_add_late(d, w.late_ns, MS, (uint64_t)(w.late_ns / MS));
		pt.slice[Q_LATE] = dist_to_slice(d);
	}
	struct tick t = {.number = w.number, .t_ns = w.number * TICK_NS, .len_ns = TICK_NS, .warmup = w.warmup,
	    .load_set = w.load_set, .probes = 1, .loads = 2, .events = w.has_event, .probe = &pt, .load = lt, .event = &ev};
	session_apply(s, &t);
	free(pt.slice[Q_LATE]);
	free(d);
}

static void
test_totals_and_reset(void **state)
{
	(void)state;
	struct session *s = make_session();
	feed(s, (struct wish){.number = 1, .late_ns = 100});
	feed(s, (struct wish){.number = 2, .late_ns = 10 * MS + 5});
	const struct sums *t = &s->probe[0].total[Q_LATE]->s;
	assert_int_equal(t->samples, 2);
	assert_int_equal(t->missed, 10);
	assert_int_equal(t->max_ns, 10 * MS + 5);
	assert_int_equal(t->min_ns, 5); // the last of the ramp
	feed(s, (struct wish){.number = 3, .late_ns = 50, .has_event = true, .event = EVENT_RESET});
	assert_int_equal(t->samples, 1);
	assert_int_equal(t->max_ns, 50);
	assert_int_equal(s->reset_ns, 3 * TICK_NS);
	// The graph keeps what was before.
	assert_int_equal((int64_t)series_get(s->probe[0].series[Q_LATE], 2, 3).max, 10 * MS + 5);
	session_free(s);
}

static void
test_warmup_is_drawn_but_does_not_count(void **state)
{
	(void)state;
	struct session *s = make_session();
	feed(s, (struct wish){.number = 1, .late_ns = 7 * MS, .warmup = true});
	feed(s, (struct wish){.number = 2, .late_ns = 100});
	assert_int_equal(s->probe[0].total[Q_LATE]->s.max_ns, 100);
	struct dist d;
	session_window(s, 0, Q_LATE, 10 * NS_PER_S, &d);
	assert_int_equal(d.s.max_ns, 100);
	assert_int_equal(series_get(s->probe[0].series[Q_LATE], 1, 2).n, 8);
	assert_true(s->measured_s > 0.09 && s->measured_s < 0.11);
	session_free(s);
}

static void
test_conditions(void **state)
{
	(void)state;
	struct session *s = make_session();
	feed(s, (struct wish){.number = 1, .late_ns = 10});
	feed(s, (struct wish){.number = 2, .late_ns = 3 * MS, .load_set = 1, .xruns = 2});
	feed(s, (struct wish){.number = 3, .late_ns = 4 * MS, .load_set = 1, .xruns = 2});
	feed(s, (struct wish){.number = 4, .late_ns = 5 * MS, .load_set = 3, .xruns = 3});
	feed(s, (struct wish){.number = 5, .late_ns = 20});
	assert_int_equal(s->conditions, 3);
	assert_string_equal(s->condition[0].name, "none");
	assert_string_equal(s->condition[1].name, "alpha");
	assert_string_equal(s->condition[2].name, "alpha+beta");
	assert_int_equal(s->condition[0].late[0]->s.max_ns, 20);
	assert_int_equal(s->condition[1].late[0]->s.max_ns, 4 * MS);
	assert_int_equal(s->condition[1].xruns[0], 2);
	assert_int_equal(s->condition[2].xruns[0], 1);
	assert_true(s->condition[1].work[0] == 1000 && s->condition[1].work[1] == 0);
	assert_int_equal(s->load[1].work, 7);
	session_free(s);
}

static void
test_a_stuck_probe_leaves_no_hole(void **state)
{
	(void)state;
	struct session *s = make_session();
	feed(s, (struct wish){.number = 1, .late_ns = 10});
	for (int i = 2; i < 6; i++)
		feed(s, (struct wish){.number = i, .late_ns = -1});
	feed(s, (struct wish){.number = 6, .late_ns = 450 * MS});
	struct series *se = s->probe[0].series[Q_LATE];
	assert_int_equal((int64_t)series_get(se, 6, 7).max, 450 * MS);
	assert_int_equal((int64_t)series_get(se, 5, 6).max, 350 * MS);
	assert_int_equal((int64_t)series_get(se, 3, 4).max, 150 * MS);
	session_free(s);
}

static void
test_no_data_is_a_gap(void **state)
{
	(void)state;
	struct session *s = make_session();
	feed(s, (struct wish){.number = 1, .late_ns = 10});
	feed(s, (struct wish){.number = 2, .late_ns = -1});
	feed(s, (struct wish){.number = 3, .late_ns = 10});
	assert_int_equal(series_get(s->probe[0].series[Q_LATE], 2, 3).n, 0);
	session_free(s);
}

static bool
warned(const struct session *s, const char *text, enum severity severity)
{
	for (int i = 0; i < s->warnings; i++)
		if (strstr(s->warning[i].text, text) && s->warning[i].severity == severity && *s->warning[i].advice)
			return true;
	return false;
}

static void
test_doubts_are_said(void **state)
{
	(void)state;
	struct session *s = make_session();
	feed(s, (struct wish){.number = 5, .late_ns = 10});
	assert_int_equal(s->warnings, 0);
	assert_true(session_valid(s));
	feed(s, (struct wish){.number = 10, .late_ns = 10, .doubts = DOUBT_POLICY | DOUBT_UNLOCKED});
	assert_true(warned(s, "asked fifo:80, got other", WARN_DOUBT));
	assert_true(warned(s, "could not be locked", WARN_DOUBT));
	assert_true(session_valid(s));
	feed(s, (struct wish){.number = 15, .late_ns = 10, .doubts = DOUBT_THROTTLED, .dropped = 12});
	assert_true(warned(s, "12 samples dropped", WARN_SPOILT));
	assert_true(warned(s, "throttling", WARN_SPOILT));
	assert_false(session_valid(s));
	assert_int_equal(s->warning[0].severity, WARN_SPOILT);
	session_free(s);
}

// A live session with a probe whose ring the test fills.
static struct session *
make_live(struct probe *p, void **mem)
{
	struct session *s = make_session();
	*mem = aligned_alloc(64, (ring_bytes(1024, sizeof(struct sample)) + 63) / 64 * 64);
	p->kind = &fake_kind;
	p->ring = ring_init(*mem, 1024, sizeof(struct sample));
	p->live = calloc(1, sizeof *p->live);
	s->replay = false;
	s->config.warmup_ns = 0;
	s->start_ns = clock_now_ns() - 60 * NS_PER_S;
	s->own->boundary_ns = s->start_ns + TICK_NS;
	s->own->last_close_ns = s->start_ns;
	s->own->boot_offset_ns = clock_boot_ns() - clock_now_ns();
	s->probe[0].probe = p;
	return s;
}

static void
end_live(struct session *s, struct probe *p, void *mem)
{
	s->probe[0].probe = NULL;
	session_free(s);
	free(p->live);
	free(mem);
}

static void
push(struct probe *p, int64_t t_ns, int64_t late_ns)
{
	struct sample m = {.t_ns = t_ns, .period_ns = MS, .missed = (uint32_t)(late_ns / MS), .kind = SAMPLE_WAKE,
	    .value = {late_ns, -1, -1, -1, -1}};
	assert_true(ring_push(p->ring, &m));
}

static void
test_samples_go_to_their_own_tick(void **state)
{
	(void)state;
	struct probe p = {0};
	void *mem;
	struct session *s = make_live(&p, &mem);
	push(&p, s->start_ns + 50 * MS, 1000);
	push(&p, s->start_ns + 150 * MS, 2000);
	push(&p, s->start_ns + 250 * MS, 3000);
	// The main thread comes late: three ticks are closed at once, each with its own sample.
	assert_true(session_tick(s, s->start_ns + 305 * MS));
	assert_int_equal(s->now_tick, 3);
	assert_int_equal((int)series_get(s->probe[0].series[Q_LATE], 1, 2).max, 1000);
	assert_int_equal((int)series_get(s->probe[0].series[Q_LATE], 2, 3).max, 2000);
	assert_int_equal((int)series_get(s->probe[0].series[Q_LATE], 3, 4).max, 3000);
	assert_false(session_tick(s, s->start_ns + 306 * MS));
	end_live(s, &p, mem);
}

static void
test_stopped_time_is_no_latency(void **state)
{
	(void)state;
	struct probe p = {0};
	void *mem;
	struct session *s = make_live(&p, &mem);
	int64_t now = clock_now_ns();
	s->own->boundary_ns = now - 3 * NS_PER_S;
	s->own->last_close_ns = now - 3 * NS_PER_S - TICK_NS;
	push(&p, now - 3 * NS_PER_S - 10 * MS, 1000);
	session_tick(s, now - 3 * NS_PER_S);
	// Stopped for three seconds by a signal that nobody announced; then the probe wakes, very late.
	session_resume(s);
	int64_t back = clock_now_ns();
	push(&p, back, 3 * NS_PER_S);
	push(&p, back + MS, 2000);
	session_tick(s, back + 2 * TICK_NS);
	assert_int_equal(s->probe[0].total[Q_LATE]->s.max_ns, 2000);
	bool gap = false;
	for (int64_t i = 0; i < s->events; i++)
		gap |= s->event[i].kind == EVENT_GAP && s->event[i].value > 2 * NS_PER_S;
	assert_true(gap);
	end_live(s, &p, mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_totals_and_reset),
	    cmocka_unit_test(test_warmup_is_drawn_but_does_not_count),
	    cmocka_unit_test(test_conditions),
	    cmocka_unit_test(test_a_stuck_probe_leaves_no_hole),
	    cmocka_unit_test(test_no_data_is_a_gap),
	    cmocka_unit_test(test_doubts_are_said),
	    cmocka_unit_test(test_samples_go_to_their_own_tick),
	    cmocka_unit_test(test_stopped_time_is_no_latency),
	};
	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
