// `stutter ab`: flips a setting back and forth while measuring, and says which is better; or has a person say so, blind.
// Must not know how figures are made.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "command.h"
#include "report/ab_text.h"
#include "report/headless.h"
#include "session/options.h"
#include "session/record.h"
#include "session/rounds.h"
#include "session/verdict.h"

#define WRONG_MOST 200 // characters that are no answer
#define LOADS_WAIT_NS (20 * NS_PER_S)

struct ab_run {
	struct headless h;
	struct session *s;
	bool tty;          // progress is shown on standard error
	bool asked;        // blind: the question stands there
	int wrong;         // characters that are no answer to it
	bool input_gone;
	int64_t shown_ns;
};

// Until each load works, has failed, or has had its time. False: a signal came.
static bool
wait_for_loads(struct ab_run *r)
{
	int64_t until = clock_now_ns() + LOADS_WAIT_NS;
	for (bool waiting = true; waiting && clock_now_ns() < until;) {
		if (!headless_turn(&r->h, r->s))
			return false;
		waiting = r->s->now_tick < 0;
		for (int i = 0; i < r->s->loads; i++)
			waiting |= r->s->load[i].status.state == LOAD_STARTING;
	}
	return true;
}

static int
loads_failed(const struct session *s, struct err *e)
{
	for (int i = 0; i < s->loads; i++)
		if (s->load[i].status.state == LOAD_FAILED)
			return err_set(e, "load %s: %s", s->load[i].name, s->load[i].status.reason);
	return 0;
}

static void
show_progress(struct ab_run *r)
{
	const struct rounds *o = session_rounds(r->s);
	int64_t now = clock_now_ns();
	if (!r->tty || now - r->shown_ns < NS_PER_S / 2 || o->state == ROUNDS_ASKING)
		return;
	r->shown_ns = now;
	char left[16];
	text_ns(left, sizeof left, llround(rounds_left_s(o, r->s)) * NS_PER_S, true);
	const char *which = o->blind ? (o->phase % 2 ? "the second" : "the first ") : rounds_side(o, o->phase) ? "B" : "A";
	fprintf(stderr, "\rround %d of %d  %s%s  %s left \033[K", o->phase / 2 + 1, o->rounds, which,
	    o->state == ROUNDS_FLIPPING ? " (flipping)" : "", left);
	fflush(stderr);
}

static void
clear_progress(const struct ab_run *r)
{
	if (r->tty)
		fprintf(stderr, "\r\033[K");
}

static void
ask(struct ab_run *r, const struct rounds *o)
{
	clear_progress(r);
	fprintf(stderr, "round %d of %d: which felt better, the first or the second? 1, 2, or 0: can't tell > ", o->phase / 2 + 1, o->rounds);
	fflush(stderr);
	r->asked = true;
}

// One answer from standard input, without waiting for it: a byte at a time, as the next answer may be there already.
static void
take_answer(struct ab_run *r)
{
	static const enum rounds_answer answers[] = {FELT_UNSURE, FELT_FIRST, FELT_SECOND};
	struct rounds *o = session_rounds(r->s);
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	char c;
	if (!r->asked)
		ask(r, o);
	while (poll(&p, 1, 0) > 0) {
		ssize_t n = read(STDIN_FILENO, &c, 1);
		if (n <= 0) {
			r->input_gone = n == 0 || errno != EAGAIN;
			return;
		}
		if (c >= '0' && c <= '2') {
			rounds_answer(r->s, answers[c - '0']);
			r->asked = false;
			r->wrong = 0;
			return;
		}
		if (c != '\n' && c != ' ')
			r->wrong++;
		else if (r->wrong)
			ask(r, o);
		// not a person, then, and there may be no end to it
		r->input_gone = r->wrong > WRONG_MOST;
		if (r->input_gone)
			return;
	}
}

// Runs the rounds to their end. 0; -1 with E: why they stopped before.
static int
turn(struct ab_run *r, struct err *e)
{
	struct rounds *o = session_rounds(r->s);
	uint64_t seed = 0;
	if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
		seed = (uint64_t)clock_wall_ns();
	if (rounds_start(r->s, r->s->config.rounds, r->s->config.blind, seed, e))
		return -1;
	while (rounds_running(o)) {
		if (!headless_turn(&r->h, r->s)) {
			err_set(e, "stopped by signal %d in round %d of %d", r->h.signal, o->phase / 2 + 1, o->rounds);
			rounds_stop(r->s);
			return -1;
		}
		if (o->state == ROUNDS_ASKING)
			take_answer(r);
		if (r->input_gone) {
			err_set(e, "nobody answers 1, 2 or 0 on standard input");
			rounds_stop(r->s);
			return -1;
		}
		show_progress(r);
	}
	clear_progress(r);
	return o->state == ROUNDS_FAILED ? err_set(e, "%s", o->error) : 0;
}

static int
verdict_of_main(const struct verdict *v)
{
	for (int i = 0; i < v->rows; i++)
		if (v->row[i].main && verdict_better(&v->row[i]))
			return verdict_better(&v->row[i]);
	return 0;
}

static void
print_text(const struct session *s, const struct rounds *o, const struct verdict *v)
{
	char each[16], settle[16], say[320];
	const struct slots *sl = session_slots(s);
	printf("A: %s\nB: %s\n%d of %d rounds, %s each, %s after each flip left out; A %.0f s, B %.0f s\n\n", v->name[0], v->name[1],
	    o->state == ROUNDS_DONE && o->phase >= 2 * o->rounds ? o->rounds : o->phase / 2, o->rounds,
	    text_ns(each, sizeof each, o->each_ns, true), text_ns(settle, sizeof settle, o->settle_ns, true), sl->slot[0].s, sl->slot[1].s);
	for (int i = 0; i < s->warnings; i++)
		printf("%s %s\n", s->warning[i].severity == WARN_SPOILT ? "spoilt:" : "note:", s->warning[i].text);
	if (s->warnings)
		putchar('\n');
	ab_print(stdout, v);
	if (o->blind)
		printf("%s\n", rounds_say(say, sizeof say, o, verdict_of_main(v)));
}

static json_t *
blind_json(const struct rounds *o, const struct verdict *v)
{
	int sure, b = rounds_chose_b(o, &sure);
	char say[320];
	return json_pack("{s:i,s:i,s:i,s:s}", "answers", o->answers, "sure", sure, "chose_b", b, "sentence",
	    rounds_say(say, sizeof say, o, verdict_of_main(v)));
}

static int
print_json(const struct session *s, const struct rounds *o, const struct verdict *v, const char *stopped)
{
	const struct slots *sl = session_slots(s);
	json_t *j = ab_json(v);
	json_object_set_new(j, "rounds", json_integer(o->rounds));
	json_object_set_new(j, "phases", json_integer(o->phase));
	json_object_set_new(j, "each_s", json_real((double)o->each_ns / 1e9));
	json_object_set_new(j, "settle_s", json_real((double)o->settle_ns / 1e9));
	json_object_set_new(json_object_get(j, "a"), "measured_s", json_real(sl->slot[0].s));
	json_object_set_new(json_object_get(j, "b"), "measured_s", json_real(sl->slot[1].s));
	json_object_set_new(j, "stopped", stopped ? json_string(stopped) : json_null());
	json_object_set_new(j, "blind", o->blind ? blind_json(o, v) : json_null());
	json_t *w = json_array();
	for (int i = 0; i < s->warnings; i++)
		json_array_append_new(w, json_string(s->warning[i].text));
	json_object_set_new(j, "valid", json_pack("{s:b,s:o}", "ok", session_valid(s), "warnings", w));
	char *text = json_dumps(j, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12));
	json_decref(j);
	if (!text)
		return headless_fail(1, "no memory for the result");
	puts(text);
	free(text);
	return 0;
}

static int
print_result(const struct session *s, const char *stopped)
{
	const struct slots *sl = session_slots(s);
	const struct rounds *o = session_rounds(s);
	if (!o)
		return 0;
	struct verdict *v = verdict_make(&sl->slot[0], &sl->slot[1]);
	if (!v)
		return headless_fail(1, "no memory for the result");
	int status = 0;
	if (s->config.json)
		status = print_json(s, o, v, stopped);
	else
		print_text(s, o, v);
	verdict_free(v);
	return status | headless_flush();
}

// With the session running. Returns the exit status.
static int
measure(struct ab_run *r)
{
	struct err e;
	struct session *s = r->s;
	struct knob *k = knob_open(&s->config, &e);
	if (!k)
		return headless_fail(1, e.text);
	if (rounds_attach(s, k, &e)) {
		knob_close(k, NULL);
		return headless_fail(1, e.text);
	}
	int status = 0;
	bool stopped = turn(r, &e) != 0;
	if (stopped) // by a person: with what there is, as `run` does
		status = headless_fail(r->h.signal == 0, e.text);
	const struct slots *sl = session_slots(s);
	for (int i = 0; i < 40 && sl->open >= 0; i++) // the last phase's end becomes part of a tick
		headless_turn(&r->h, s);
	status |= print_result(s, stopped ? e.text : NULL);
	int back = rounds_detach(s, &e);
	if (back)
		status |= headless_fail(back < 0, e.text);
	return status;
}

static int
run(struct ab_run *r, const struct config *c)
{
	struct err e;
	int status = 0;
	r->s = session_start(c, &e);
	if (!r->s)
		return headless_fail(1, e.text);
	if (*c->record && record_start(r->s, c->record, &e)) {
		session_free(r->s);
		return headless_fail(1, e.text);
	}
	if (wait_for_loads(r))
		status = loads_failed(r->s, &e) ? headless_fail(1, e.text) : measure(r);
	else
		status = headless_fail(1, "stopped before the first round");
	if (*c->record) {
		record_stop(r->s);
		if (*r->s->record_error)
			status |= headless_fail(1, r->s->record_error);
	}
	session_free(r->s);
	return status;
}

int
command_ab(int argc, char **argv)
{
	struct config c;
	struct err e;
	struct ab_run r = {.tty = isatty(STDERR_FILENO) == 1};
	int got = options_read(&c, MODE_AB, argc, argv, &e);
	if (got)
		return got > 0 ? 0 : headless_fail(2, e.text);
	int wanted = knob_wanted(&c, &e);
	if (wanted < 0)
		return headless_fail(2, e.text);
	if (!wanted)
		return headless_fail(2, "ab needs a knob: --a CMD and --b CMD, or [knob NAME] in the settings file");
	if (c.blind && !isatty(STDIN_FILENO) && fcntl(STDIN_FILENO, F_GETFD) < 0)
		return headless_fail(2, "--blind asks on standard input, and there is none");
	if (headless_begin(&r.h, &e))
		return headless_fail(1, e.text);
	int status = run(&r, &c);
	headless_end(&r.h);
	return status;
}
