// `stutter suite`: a canned sequence of loads, and the table of the program it is named after.
// Must not know how steps run.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "command.h"
#include "report/headless.h"
#include "report/suite_table.h"
#include "session/options.h"
#include "session/record.h"
#include "session/summary.h"
#include "session/suite.h"

#define ARGS_MAX 160

static void
progress(const struct suite_run *r, bool end)
{
	char left[16];
	double left_s;
	double share = suite_progress(r, &left_s);
	if (end) {
		fputs("\r\033[K", stderr);
		return;
	}
	const char *name = r->step >= 0 && r->step < r->suite.steps ? r->suite.step[r->step].name : "settling";
	fprintf(stderr, "\r\033[K%s: %s, %.0f%%, %s left", r->suite.name, name, 100 * share, text_clock(left, sizeof left, (int64_t)(left_s * 1e9)));
	fflush(stderr);
}

static int
run_headless(struct headless *h, struct session *s, struct suite_run *r)
{
	bool tty = isatty(STDERR_FILENO), told = false;
	int64_t shown = 0;
	for (;;) {
		bool more = headless_turn(h, s);
		if (!more) {
			suite_stop(r);
			break;
		}
		if (!suite_turn(r))
			break;
		int64_t now = clock_now_ns();
		if (tty && now - shown > NS_PER_S / 2) {
			progress(r, false);
			shown = now;
		}
		if (*s->record_error && !told) {
			told = true;
			headless_fail(1, s->record_error);
		}
	}
	if (tty)
		progress(r, true);
	return told;
}

static int
show(const struct suite_run *r, bool json)
{
	if (!json) {
		suite_print(stdout, r);
		return headless_flush();
	}
	json_t *j = suite_json(r);
	char *text = j ? json_dumps(j, SUMMARY_DUMP) : NULL;
	json_decref(j);
	if (!text)
		return headless_fail(1, "no memory for the result");
	puts(text);
	free(text);
	return headless_flush();
}

static int
run(const struct config *c, const struct suite *su)
{
	struct headless h = {.signals = -1, .timer = -1};
	struct screen *sc = NULL;
	struct err e;
	if (c->tui ? !(sc = suite_screen_open(c, &e)) : headless_begin(&h, &e))
		return headless_fail(1, e.text);
	struct session *s = session_start(c, &e);
	struct suite_run *r = s ? suite_start(su, s, &e) : NULL;
	int status = 0;
	if (!r || (*c->record && record_start(s, c->record, &e)))
		status = 1;
	if (c->tui)
		suite_screen_run(sc, status ? NULL : r, s);
	else if (!status)
		status = run_headless(&h, s, r) ? 1 : 0;
	if (!r || (status && !r->rows)) {
		if (r)
			suite_free(r);
		session_free(s);
		headless_end(&h);
		return headless_fail(1, e.text);
	}
	suite_stop(r);
	record_stop(s);
	if (strcmp(c->record, "-"))
		status |= show(r, c->json);
	suite_free(r);
	session_free(s);
	headless_end(&h);
	return status;
}

// latencytest's own arguments, [SOUND|none] NxM, as options.
static int
own_arguments(const struct suite *su, const struct config *c, char out[4][600], struct err *e)
{
	int n = 0;
	for (int i = 1; i < c->arg_count; i++) {
		const char *a = c->arg[i];
		size_t digits = strspn(a, "0123456789");
		if (su->table != SUITE_LATENCYTEST || n == 3)
			return err_set(e, "'%.40s': suite %s takes no such argument", a, su->name);
		if (digits && a[digits] == 'x')
			snprintf(out[n++], 600, "--buffer=%.500s", a);
		else if (strcmp(a, "none"))
			snprintf(out[n++], 600, "--play=%.500s", a);
	}
	return n;
}

// The suite's options, then the person's, which win.
static int
read_config(struct config *c, struct suite *su, int argc, char **argv, struct err *e)
{
	static char own[4][600];
	char *all[ARGS_MAX];
	int n = 0;
	int r = options_read(c, MODE_SUITE, argc, argv, e);
	if (r)
		return r;
	if (c->arg_count < 1)
		return err_set(e, "suite wants a name: see `stutter list suites`");
	if (suite_load(su, c->arg[0], e))
		return -1;
	int owns = own_arguments(su, c, own, e);
	if (owns < 0)
		return -1;
	if (argc + su->options + owns >= ARGS_MAX)
		return err_set(e, "too many arguments");
	all[n++] = argv[0];
	for (int i = 0; i < su->options; i++)
		all[n++] = su->option[i];
	for (int i = 0; i < owns; i++)
		all[n++] = own[i];
	int64_t each = c->each_ns, settle = c->settle_ns;
	struct config before;
	config_defaults(&before);
	for (int i = 1; i < argc; i++)
		all[n++] = argv[i];
	if (options_read(c, MODE_SUITE, n, all, e))
		return -1;
	if (each != before.each_ns)
		su->each_ns = each;
	if (settle != before.settle_ns)
		su->settle_ns = settle;
	if (c->for_ns > 0)
		su->each_ns = c->for_ns; // of each step
	c->for_ns = 0;
	if (c->tui && !strcmp(c->record, "-"))
		return err_set(e, "--record -: standard output is the screen here");
	return 0;
}

int
command_suite(int argc, char **argv)
{
	static struct config c;
	static struct suite su;
	struct err e;
	int r = read_config(&c, &su, argc, argv, &e);
	if (r)
		return r > 0 ? 0 : headless_fail(2, e.text);
	return run(&c, &su);
}
