// The picker of the audio device: cards and plugins as they are found, one to be chosen.
// Must not know what a device is.
#include <stdio.h>
#include <string.h>

#include "session/device.h"
#include "ui/keys.h"

static int
count(const struct session *s)
{
	struct session_device d;
	int n = 0;
	while (session_device_get(s, n, &d))
		n++;
	return n;
}

static void
devices_draw(struct grid *g, const struct session *s, struct ui *u)
{
	struct session_device d;
	int n = count(s), y = 0, room = g->h - 2;
	grid_text(g, 1, y++, g->w - 1, ROLE_TITLE,
	    session_devices_known(s) ? "audio devices: Up, Down, Enter; Esc goes back"
				     : "audio devices: looking ...");
	if (u->device_row >= n)
		u->device_row = n ? n - 1 : 0;
	int top = u->device_row >= room && room > 0 ? u->device_row - room + 1 : 0;
	for (int i = top; i < n && y < g->h - 1 && session_device_get(s, i, &d); i++, y++) {
		enum role role = i == u->device_row        ? ROLE_SELECT
				 : d.in_use                ? ROLE_ON
				 : strcmp(d.state, "free") ? ROLE_DIM
							   : ROLE_TEXT;
		int name = g->w < 50 ? g->w / 2 : 18;
		grid_printf(g, 1, y, g->w - 1, role, "%c %-*s", i == u->device_row ? '>' : ' ',
		    g->w - 4, "");
		grid_text(g, 3, y, name - 1, role, d.name);
		grid_text(g, 3 + name, y, 15, role, d.state);
		grid_text(g, 19 + name, y, 29, role, d.kind);
		grid_text(g, 49 + name, y, g->w - 49 - name, role, d.title);
	}
	if (u->message[0])
		grid_text(g, 1, g->h - 1, g->w - 1, ROLE_BRIGHT, u->message);
}

static void
take(struct session *s, struct ui *u)
{
	struct session_device d;
	struct err e;
	if (!session_device_get(s, u->device_row, &d))
		return;
	if (session_device_set(s, u->probe, d.name, &e))
		snprintf(u->message, sizeof u->message, "%.150s", e.text);
	else
		u->view = view_find("live");
}

static bool
devices_key(int key, struct session *s, struct ui *u)
{
	int n = count(s);
	if (key == '\n' || key == '\r')
		take(s, u);
	else if (key == UI_UP || key == UI_DOWN)
		u->device_row += key == UI_UP ? -1 : 1;
	else if (key == UI_HOME || key == UI_END)
		u->device_row = key == UI_HOME ? 0 : n - 1;
	else
		return false;
	if (u->device_row >= n)
		u->device_row = n - 1;
	if (u->device_row < 0)
		u->device_row = 0;
	return true;
}

const struct view view_devices = {.name = "devices",
    .does = "the audio devices that are there, to choose another",
    .draw = devices_draw,
    .key = devices_key};
