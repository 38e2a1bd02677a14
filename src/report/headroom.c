// `stutter headroom`: the smallest audio buffer that holds for a time without a drop-out, under
// each load asked. Must not know how drop-outs are found.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "command.h"
#include "report/headless.h"
#include "session/options.h"
#include "session/summary.h"

#define HOLD_DEFAULT_NS (10 * NS_PER_S)
#define SMALLEST_FRAMES 16
#define LARGEST_FRAMES 8192
#define SETTLE_NS (500 * NS_PER_MS)
#define PATIENCE_NS (5 * NS_PER_S)
#define HOLDS 2 // times in a row that a buffer must hold

enum outcome { HELD, DROPPED, LOST, ENDED };

struct row {
	char load[32];
	enum outcome outcome;
	char why[160]; // LOST
	unsigned periods, frames, buffer, rate;
	int64_t worst_ns;        // lateness while it held; -1: none
	unsigned largest_failed; // frames of a period; 0: the smallest held
	uint64_t drop_outs;      // in the buffers that did not hold
};

struct search {
	struct headless *h;
	struct session *s;
	int probe;
	int64_t for_ns;
	struct row *row;
	uint64_t xruns; // ever, at the start of a try
};

static const struct probe_facts *
facts(const struct search *q)
{
	return &q->s->probe[q->probe].facts;
}

// Waits until the stream plays with FRAMES a period or another size that was granted instead.
static enum outcome
wait_playing(struct search *q, unsigned before)
{
	int64_t until = q->s->elapsed_ns + PATIENCE_NS;
	while (q->s->elapsed_ns < until) {
		const struct probe_facts *f = facts(q);
		if (f->state == PROBE_RUNNING && f->period_frames && f->period_frames != before)
			return HELD;
		if (!headless_turn(q->h, q->s))
			return ENDED;
	}
	snprintf(q->row->why, sizeof q->row->why, "%s",
	    *facts(q)->reason ? facts(q)->reason : "the device does not play");
	return facts(q)->state == PROBE_RUNNING ? HELD : LOST;
}

// A load that does nothing proves nothing.
static enum outcome
check_load(struct search *q)
{
	if (!q->s->loads || !strcmp(q->row->load, "none"))
		return HELD;
	for (int i = 0; i < q->s->loads; i++) {
		const struct session_load *l = &q->s->load[i];
		if (strcmp(l->name, q->row->load) || l->status.state != LOAD_FAILED)
			continue;
		snprintf(
		    q->row->why, sizeof q->row->why, "the load failed: %.120s", l->status.reason);
		return LOST;
	}
	return HELD;
}

// One try of the buffer that is set.
static enum outcome
try_buffer(struct search *q)
{
	struct session *s = q->s;
	if (!headless_for(q->h, s, SETTLE_NS))
		return ENDED;
	session_reset(s);
	if (!headless_turn(q->h, s))
		return ENDED;
	q->xruns = facts(q)->xruns;
	int64_t until = s->elapsed_ns + q->for_ns;
	while (s->elapsed_ns < until) {
		if (!headless_turn(q->h, s))
			return ENDED;
		if (facts(q)->xruns != q->xruns)
			return DROPPED;
		if (facts(q)->state != PROBE_RUNNING) {
			snprintf(q->row->why, sizeof q->row->why, "%s", facts(q)->reason);
			return LOST;
		}
		enum outcome load = check_load(q);
		if (load != HELD)
			return load;
	}
	return HELD;
}

static enum outcome
try_twice(struct search *q)
{
	q->row->worst_ns = -1;
	for (int i = 0; i < HOLDS; i++) {
		enum outcome o = try_buffer(q);
		q->row->drop_outs += facts(q)->xruns - q->xruns;
		if (o != HELD)
			return o;
		const struct dist *d = q->s->probe[q->probe].total[Q_LATE];
		if (d && d->s.samples && d->s.max_ns > q->row->worst_ns)
			q->row->worst_ns = d->s.max_ns;
	}
	return HELD;
}

static void
progress(const struct search *q)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "%s: %u x %u ...\n", q->row->load, facts(q)->periods,
		    facts(q)->period_frames);
}

// From the smallest buffer up: one that fails does so soon, so the way up costs little.
static void
search(struct search *q)
{
	struct row *r = q->row;
	struct err e;
	unsigned before = 0;
	for (;;) {
		r->outcome = wait_playing(q, before);
		if (r->outcome != HELD)
			return;
		const struct probe_facts *f = facts(q);
		before = f->period_frames;
		r->periods = f->periods;
		r->frames = f->period_frames;
		r->buffer = f->buffer_frames;
		r->rate = f->rate;
		progress(q);
		r->outcome = try_twice(q);
		if (r->outcome != DROPPED)
			return;
		r->largest_failed = r->frames;
		if (r->frames >= LARGEST_FRAMES || session_buffer(q->s, 1, &e))
			return;
	}
}

static int
find_audio(const struct session *s)
{
	for (int i = 0; i < s->probes; i++)
		if (s->probe[i].probe && !strcmp(s->probe[i].kind->name, "audio"))
			return i;
	return -1;
}

static int
measure_row(struct headless *h, const struct config *asked, int load, struct row *r, struct err *e)
{
	struct config *c = malloc(sizeof *c);
	if (!c)
		return err_set(e, "no memory");
	*c = *asked;
	snprintf(c->probes[0], sizeof c->probes[0], "audio");
	c->probe_count = 1;
	if (c->device_count > 1)
		c->device_count = 1;
	c->period_frames = SMALLEST_FRAMES;
	c->load_count = 0;
	snprintf(r->load, sizeof r->load, "none");
	if (load >= 0) {
		c->load[0] = asked->load[load];
		c->load_count = 1;
		snprintf(r->load, sizeof r->load, "%s", c->load[0].name);
	}
	struct search q = {
	    .h = h, .row = r, .for_ns = asked->for_ns ? asked->for_ns : HOLD_DEFAULT_NS};
	q.s = session_start(c, e);
	free(c);
	if (!q.s)
		return -1;
	q.probe = find_audio(q.s);
	if (q.probe >= 0)
		search(&q);
	session_free(q.s);
	return q.probe >= 0 ? 0 : err_set(e, "no audio device plays");
}

static double
buffer_ms(const struct row *r)
{
	return r->rate ? (double)r->buffer * 1000 / r->rate : NAN;
}

static void
print_row(const struct row *r)
{
	char size[32], t[16];
	snprintf(size, sizeof size, "%u x %u", r->periods, r->frames);
	if (r->outcome == HELD)
		printf("%-12s %11s %9.2f ms %10s   %s\n", r->load, size, buffer_ms(r),
		    text_ns(t, sizeof t, r->worst_ns < 0 ? TEXT_NONE : r->worst_ns, true),
		    r->largest_failed ? "" : "the smallest there is");
	else if (r->outcome == DROPPED)
		printf("%-12s %11s %12s %10s   even %s drops out\n", r->load, "-", "-", "-", size);
	else
		printf("%-12s %11s %12s %10s   %s\n", r->load, "-", "-", "-",
		    r->outcome == ENDED ? "ended before it was known" : r->why);
}

static void
print_table(const struct config *c, const struct row *rows, int n)
{
	char t[16];
	printf("smallest buffer of %s that holds twice for %s without a drop-out\n\n",
	    c->device_count ? c->device[0] : "default",
	    text_ns(t, sizeof t, c->for_ns ? c->for_ns : HOLD_DEFAULT_NS, true));
	printf("%-12s %11s %12s %10s\n", "load", "buffer", "", "worst late");
	for (int i = 0; i < n; i++)
		print_row(&rows[i]);
}

static json_t *
row_json(const struct row *r)
{
	static const char *const outcome[] = {
	    [HELD] = "held", [DROPPED] = "none holds", [LOST] = "failed", [ENDED] = "ended"};
	bool held = r->outcome == HELD;
	return json_pack("{s:s, s:s, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "load", r->load,
	    "outcome", outcome[r->outcome], "reason", *r->why && r->outcome == LOST ? r->why : NULL,
	    "periods", held ? json_integer(r->periods) : json_null(), "period_frames",
	    held ? json_integer(r->frames) : json_null(), "buffer_frames",
	    held ? json_integer(r->buffer) : json_null(), "buffer_ms",
	    held ? summary_real(buffer_ms(r), 1000) : json_null(), "late_max_ns",
	    held ? summary_ns(r->worst_ns) : json_null(), "failed_period_frames",
	    r->largest_failed ? json_integer(r->largest_failed) : json_null(), "xruns",
	    (json_int_t)r->drop_outs);
}

static int
print_json(const struct config *c, const struct row *rows, int n)
{
	json_t *list = json_array();
	for (int i = 0; i < n; i++)
		json_array_append_new(list, row_json(&rows[i]));
	json_t *j = json_pack("{s:s, s:s, s:f, s:I, s:o}", "stutter", STUTTER_VERSION, "device",
	    c->device_count ? c->device[0] : "default", "for_s",
	    (double)(c->for_ns ? c->for_ns : HOLD_DEFAULT_NS) / 1e9, "rate",
	    (json_int_t)(n ? rows[0].rate : 0), "loads", list);
	char *text = j ? json_dumps(j, SUMMARY_DUMP) : NULL;
	json_decref(j);
	if (!text)
		return headless_fail(1, "no memory for the result");
	puts(text);
	free(text);
	return 0;
}

static int
run(struct headless *h, const struct config *c)
{
	struct row rows[1 + 64];
	struct err e;
	int n = 0, status = 0;
	memset(rows, 0, sizeof rows);
	for (int load = -1; load < c->load_count && !status && !h->signal; load++) {
		struct row *r = &rows[n];
		r->worst_ns = -1;
		if (measure_row(h, c, load, r, &e))
			return headless_fail(1, e.text);
		n++;
		status = r->outcome == LOST && load < 0;
	}
	if (status)
		return headless_fail(1, rows[0].why);
	if (c->json)
		status = print_json(c, rows, n);
	else
		print_table(c, rows, n);
	return headless_flush() || status;
}

int
command_headroom(int argc, char **argv)
{
	struct config *c = malloc(sizeof *c);
	struct headless h;
	struct err e;
	if (!c)
		return headless_fail(1, "no memory");
	int r = options_read(c, MODE_HEADROOM, argc, argv, &e);
	int status = r > 0 ? 0 : 2;
	if (r < 0)
		headless_fail(2, e.text);
	if (!r) {
		status = headless_begin(&h, &e) ? headless_fail(1, e.text) : run(&h, c);
		headless_end(&h);
	}
	free(c);
	return status;
}
