// The audio device of a session: what devices there are, and another one while it runs.
// Must not know of screens.
#ifndef SESSION_DEVICE_H
#define SESSION_DEVICE_H

#include <stdbool.h>

#include "session/session.h"

struct session_device {
	char name[64];
	char kind[72];  // "hardware", "plugin (PulseAudio)", "clock"
	char state[48]; // "free", "busy", "does not answer", ...
	char title[96];
	bool hardware;
	bool in_use; // by the probe that would be changed
};

// Begins to look for devices, in the background.
int session_devices_look(struct session *s, struct err *e); // 0 or -1 with E
// The device of number I, as far as it is known by now; false: there is no such number.
bool session_device_get(const struct session *s, int i, struct session_device *d);
bool session_devices_known(const struct session *s); // all of them
// The audio probe PROBE, or the first where PROBE is none, goes on with device NAME. 0 or -1 with
// E.
int session_device_set(struct session *s, int probe, const char *name, struct err *e);
void session_devices_free(struct session *s);

#endif
