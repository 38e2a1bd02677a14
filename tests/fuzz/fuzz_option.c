// Options from anyone, one a line as "NAME VALUE": all or nothing, an error that says something, no text that runs on.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "session/options.h"

static void
check(const struct config *c)
{
	const struct {
		const char *s;
		size_t room;
	} texts[] = {{c->play, sizeof c->play}, {c->job, sizeof c->job}, {c->dir, sizeof c->dir}, {c->record, sizeof c->record},
	    {c->output, sizeof c->output}, {c->format, sizeof c->format}, {c->a, sizeof c->a}, {c->b, sizeof c->b},
	    {c->read, sizeof c->read}, {c->restore, sizeof c->restore}, {c->name_a, sizeof c->name_a},
	    {c->name_b, sizeof c->name_b}, {c->knob, sizeof c->knob}, {c->theme, sizeof c->theme},
	    {c->glyphs, sizeof c->glyphs}, {c->scale, sizeof c->scale}};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!memchr(texts[i].s, '\0', texts[i].room))
			abort();
	if (c->probe_count < 0 || c->probe_count > NAMES_MAX || c->device_count < 0 || c->device_count > NAMES_MAX ||
	    c->cpu_count < 0 || c->cpu_count > 256 || c->load_count < 0 || c->load_count > 64 || c->size_count < 0 ||
	    c->size_count > 64 || c->passes_count < 0 || c->passes_count > 64)
		abort();
	for (int i = 0; i < c->cpu_count; i++)
		if (c->cpus[i] < 0)
			abort();
	if (c->interval_ns <= 0 || c->window_ns <= 0 || c->fps <= 0 || c->burn_pct < 0 || c->burn_pct > 100 ||
	    c->warmup_ns < 0 || c->rounds < 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct config c;
	char *text = malloc(size + 1), *rest = text;
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	config_defaults(&c);
	check(&c);
	for (char *line; (line = strsep(&rest, "\n"));) {
		struct err e = {""};
		char *value = strchr(line, ' ');
		if (value)
			*value++ = '\0';
		int r = options_set(&c, line, value ? value : "", &e);
		if (r == 0 ? *e.text : !*e.text)
			abort();
		check(&c);
	}
	free(text);
	return 0;
}
