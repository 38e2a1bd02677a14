// Looks for audio devices and moves a running audio probe to another one.
// Must not know of screens, or what a device is made of.
#include "session/device.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "probe/devices.h"
#include "session/private.h"

#define SETTLE_NS (500 * NS_PER_MS)

int
session_devices_look(struct session *s, struct err *e)
{
	session_devices_free(s);
	s->own->devices = devices_look(e);
	return s->own->devices ? 0 : -1;
}

void
session_devices_free(struct session *s)
{
	devices_free(s->own->devices);
	s->own->devices = NULL;
}

bool
session_devices_known(const struct session *s)
{
	const struct device_row *rows;
	int n;
	return s->own->devices && devices_rows(s->own->devices, &rows, &n);
}

static int
find_audio(const struct session *s, int probe)
{
	if (probe >= 0 && probe < s->probes && s->probe[probe].probe &&
	    !strcmp(s->probe[probe].kind->name, "audio"))
		return probe;
	for (int i = 0; i < s->probes; i++)
		if (s->probe[i].probe && !strcmp(s->probe[i].kind->name, "audio"))
			return i;
	return -1;
}

bool
session_device_get(const struct session *s, int i, struct session_device *d)
{
	const struct device_row *rows;
	int n = 0;
	if (s->own->devices)
		devices_rows(s->own->devices, &rows, &n);
	if (i < 0 || i >= n)
		return false;
	*d = (struct session_device){.hardware = rows[i].hardware};
	snprintf(d->name, sizeof d->name, "%s", rows[i].name);
	snprintf(d->title, sizeof d->title, "%s", rows[i].title);
	device_kind_text(&rows[i], d->kind, sizeof d->kind);
	device_state_text(&rows[i], d->state, sizeof d->state);
	int audio = find_audio(s, -1);
	d->in_use = audio >= 0 && !strcmp(s->probe[audio].facts.device, d->name);
	if (d->in_use)
		snprintf(d->state, sizeof d->state, "in use");
	return true;
}

int
session_device_set(struct session *s, int probe, const char *name, struct err *e)
{
	if (s->replay)
		return err_set(e, "this is a recording: its device can't be changed");
	int i = find_audio(s, probe), nth = 0;
	if (i < 0)
		return err_set(e, "no audio probe runs: see --probe and --device");
	for (int k = 0; k < i; k++)
		nth += !strcmp(s->probe[k].kind->name, "audio");
	struct probe *p = s->probe[i].probe;
	struct probe_config c = p->config;
	c.device = name;
	session_settle(s, SETTLE_NS);
	if (nth >= NAMES_MAX || p->kind->change(p, &c, e))
		return -1;
	snprintf(s->config.device[nth], sizeof s->config.device[nth], "%s", name);
	if (s->config.device_count <= nth)
		s->config.device_count = nth + 1;
	p->config.device = s->config.device[nth];
	return 0;
}
