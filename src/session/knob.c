// The side of a knob that never waits: asks the guardian and looks for its answers.
// Must not run commands.
#include "session/knob.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/settings.h"
#include "base/text.h"
#include "session/knob_shared.h"
#include "session/options.h"

#define TIMEOUT_NS (10 * NS_PER_S)

struct definition {
	char knob[64];  // wanted, or "": the first
	bool found;
	char a[KNOB_COMMAND_MAX], b[KNOB_COMMAND_MAX], read[KNOB_COMMAND_MAX], restore[KNOB_COMMAND_MAX];
	char name_a[64], name_b[64], title[64];
	int64_t timeout_ns;
};

struct knob {
	struct child guardian;
	struct definition d;
	unsigned asked;
	int side;       // last asked for, -1: none
	enum knob_state state;
	char error[200];
};

static int
copy(char *to, size_t size, const char *value, const char *what, struct err *e)
{
	if (strlen(value) >= size)
		return err_set(e, "%s is longer than %zu bytes", what, size - 1);
	snprintf(to, size, "%s", value);
	return 0;
}

static int
take_key(void *data, const char *section, const char *key, const char *value, struct err *e)
{
	struct definition *d = data;
	if (strncmp(section, "knob ", 5))
		return 0;
	if (!*d->knob && copy(d->knob, sizeof d->knob, section + 5, "the knob's name", e))
		return -1;
	if (strcmp(d->knob, section + 5))
		return 0;
	d->found = true;
	const struct {
		const char *key;
		char *to;
		size_t size;
	} texts[] = {{"a", d->a, sizeof d->a}, {"b", d->b, sizeof d->b}, {"read", d->read, sizeof d->read},
	    {"restore", d->restore, sizeof d->restore}, {"name-a", d->name_a, sizeof d->name_a},
	    {"name-b", d->name_b, sizeof d->name_b}, {"title", d->title, sizeof d->title}};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!strcmp(key, texts[i].key))
			return copy(texts[i].to, texts[i].size, value, key, e);
	if (!strcmp(key, "timeout")) {
		if (text_parse_ns(value, &d->timeout_ns, e))
			return -1;
		if (d->timeout_ns < 100 * NS_PER_MS || d->timeout_ns > 600 * NS_PER_S)
			return err_set(e, "timeout: allowed are 100ms to 10m");
	}
	return 0;
}

// From the command line, else from the settings file. 0; 1: there is none; -1 with E.
static int
define(const struct config *c, struct definition *d, struct err *e)
{
	char path[600];
	*d = (struct definition){.timeout_ns = TIMEOUT_NS};
	if (*c->a || *c->b) {
		if (!*c->a || !*c->b)
			return err_set(e, "a knob needs both: --a CMD and --b CMD");
		d->found = true;
		snprintf(d->a, sizeof d->a, "%s", c->a);
		snprintf(d->b, sizeof d->b, "%s", c->b);
		snprintf(d->read, sizeof d->read, "%s", c->read);
		snprintf(d->restore, sizeof d->restore, "%s", c->restore);
	} else {
		snprintf(d->knob, sizeof d->knob, "%s", c->knob);
		if (!options_file_path(path, sizeof path, e) && settings_read_file(path, take_key, d, e) < 0)
			return -1;
		if (!d->found)
			return *c->knob ? err_set(e, "no [knob %s] in the settings file", c->knob) : 1;
		if (!*d->a || !*d->b)
			return err_set(e, "[knob %s] needs both a and b", d->knob);
	}
	// a name that was asked for on the command line wins
	if (strcmp(c->name_a, "A") || !*d->name_a)
		snprintf(d->name_a, sizeof d->name_a, "%s", c->name_a);
	if (strcmp(c->name_b, "B") || !*d->name_b)
		snprintf(d->name_b, sizeof d->name_b, "%s", c->name_b);
	if (!*d->title)
		snprintf(d->title, sizeof d->title, "%s", *d->knob ? d->knob : "knob");
	return 0;
}

int
knob_wanted(const struct config *c, struct err *e)
{
	struct definition d;
	int r = define(c, &d, e);
	return r < 0 ? -1 : r == 0;
}

static void
prepare(void *shared, void *data)
{
	struct knob_shared *s = shared;
	const struct definition *d = data;
	snprintf(s->side[0], sizeof s->side[0], "%s", d->a);
	snprintf(s->side[1], sizeof s->side[1], "%s", d->b);
	snprintf(s->read, sizeof s->read, "%s", d->read);
	snprintf(s->restore, sizeof s->restore, "%s", d->restore);
	snprintf(s->name[0], sizeof s->name[0], "%s", d->name_a);
	snprintf(s->name[1], sizeof s->name[1], "%s", d->name_b);
	s->timeout_ns = d->timeout_ns;
}

static int
ask(struct knob *k, enum knob_request r, struct err *e)
{
	char byte = (char)r;
	if (write(k->guardian.life, &byte, 1) != 1)
		return err_set(e, "the knob's guardian does not listen:");
	k->asked++;
	k->state = KNOB_BUSY;
	return 0;
}

struct knob *
knob_open(const struct config *c, struct err *e)
{
	struct knob *k = calloc(1, sizeof *k);
	if (!k) {
		err_set(e, "no memory for a knob");
		return NULL;
	}
	k->side = -1;
	k->state = KNOB_READY;
	int r = define(c, &k->d, e);
	if (r > 0)
		err_set(e, "no knob: give --a CMD and --b CMD, or [knob NAME] in the settings file");
	if (r || child_start(&k->guardian, "guardian", "", sizeof(struct knob_shared), prepare, &k->d, e)) {
		free(k);
		return NULL;
	}
	if (*k->d.read && ask(k, KNOB_LOOK, e)) {
		knob_close(k, NULL);
		return NULL;
	}
	return k;
}

static void
fail(struct knob *k, const char *why)
{
	k->state = KNOB_FAILED;
	text_safe(k->error, sizeof k->error, why);
}

int
knob_flip(struct knob *k, int side, struct err *e)
{
	knob_tend(k);
	if (k->state == KNOB_FAILED)
		return err_set(e, "%s", k->error);
	if (k->state == KNOB_BUSY && k->side >= 0) // the first look may still be on its way: flips wait in its line
		return err_set(e, "%s: the last command still runs", k->d.title);
	if (ask(k, side ? KNOB_TO_B : KNOB_TO_A, e)) {
		fail(k, e ? e->text : "the guardian does not listen");
		return -1;
	}
	k->side = side;
	return 0;
}

enum knob_state
knob_tend(struct knob *k)
{
	struct knob_shared *s = k->guardian.shared;
	if (k->state == KNOB_FAILED)
		return k->state;
	if (k->state == KNOB_BUSY && atomic_load_explicit(&s->done, memory_order_acquire) == k->asked) {
		k->state = KNOB_READY;
		if (s->failed)
			fail(k, s->error);
	}
	if (k->state != KNOB_FAILED && child_reap(&k->guardian, NULL))
		fail(k, "the knob's guardian was killed: nobody can put the state back");
	return k->state;
}

int
knob_side(const struct knob *k)
{
	return k->side;
}

const char *
knob_error(const struct knob *k)
{
	return k->state == KNOB_FAILED ? k->error : "";
}

const char *
knob_title(const struct knob *k)
{
	return k->d.title;
}

const char *
knob_name(const struct knob *k, int side)
{
	return side ? k->d.name_b : k->d.name_a;
}

const char *
knob_value(const struct knob *k)
{
	const struct knob_shared *s = k->guardian.shared;
	return k->state == KNOB_READY && s->now.known ? s->now.text : "";
}

static int
outcome(const struct knob *k, struct err *e)
{
	const struct knob_shared *s = k->guardian.shared;
	switch (atomic_load_explicit(&s->restored, memory_order_acquire)) {
	case KNOB_PUT_BACK:
	case KNOB_UNTOUCHED:
		return 0;
	case KNOB_CANNOT:
		err_set(e, "the %s stays at %s: without `read` or `restore` it cannot be put back", k->d.title,
		    k->side < 0 ? "what it was" : knob_name(k, k->side));
		return 1;
	case KNOB_NOT_PUT_BACK:
		return err_set(e, "the %s was not put back: %.150s", k->d.title, s->restore_error);
	default:
		return err_set(e, "the %s was not put back: its guardian is gone", k->d.title);
	}
}

int
knob_close(struct knob *k, struct err *e)
{
	if (!k)
		return 0;
	// it may have to end a command, to read, and to try two commands and read after each
	int64_t until = clock_now_ns() + 6 * k->d.timeout_ns + 2 * NS_PER_S;
	child_stop(&k->guardian);
	while (k->guardian.pid > 0 && !child_reap(&k->guardian, NULL) && clock_now_ns() < until)
		poll(NULL, 0, 2);
	int r = outcome(k, e);
	child_close(&k->guardian, 0);
	free(k);
	return r;
}
