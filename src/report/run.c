// `stutter run`: a session without a screen, for a bounded time; prints its summary.
// Must not know how figures are made.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "command.h"
#include "report/headless.h"
#include "report/summary.h"
#include "session/options.h"
#include "session/record.h"
#include "session/summary.h"

#define RUN_DEFAULT_NS (10 * NS_PER_S)

static int
print_result(const struct session *s)
{
	if (!s->config.json) {
		summary_print(stdout, s);
		return headless_flush();
	}
	json_t *j = summary_json(s);
	char *text = j ? json_dumps(j, SUMMARY_DUMP) : NULL;
	json_decref(j);
	if (!text)
		return headless_fail(1, "no memory for the summary");
	puts(text);
	free(text);
	return headless_flush();
}

static int
run(struct headless *h, const struct config *c, struct err *e)
{
	struct session *s = session_start(c, e);
	if (!s)
		return headless_fail(1, e->text);
	bool stream = !strcmp(c->record, "-");
	if (*c->record && record_start(s, c->record, e)) {
		session_free(s);
		return headless_fail(1, e->text);
	}
	int64_t until = c->for_ns ? c->for_ns : RUN_DEFAULT_NS;
	bool told = false;
	while (s->elapsed_ns < until && headless_turn(h, s)) {
		if (!*s->record_error || told)
			continue;
		if (stream)
			break; // the reader has gone: there is nobody to measure for
		told = true;
		headless_fail(1, s->record_error);
	}
	if (*c->record)
		record_stop(s);
	int status = *s->record_error && !stream;
	if (!stream || c->json)
		status |= stream ? 0 : print_result(s);
	session_free(s);
	return status;
}

int
command_run(int argc, char **argv)
{
	struct config c;
	struct headless h;
	struct err e;
	int r = options_read(&c, MODE_RUN, argc, argv, &e);
	if (r)
		return r > 0 ? 0 : headless_fail(2, e.text);
	if (headless_begin(&h, &e))
		return headless_fail(1, e.text);
	int status = run(&h, &c, &e);
	headless_end(&h);
	return status;
}
