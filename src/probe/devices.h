// The playback devices of this machine: cards and plugins, what each can do. Looked for by threads
// of their own, as opening one may hang. Must not know who shows them.
#ifndef PROBE_DEVICES_H
#define PROBE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum device_state { DEVICE_LOOKING, DEVICE_FREE, DEVICE_BUSY, DEVICE_FAILED, DEVICE_HANGS };

struct device_span {
	unsigned least, most; // 0, 0: not known
};

struct device_row {
	char name[64];  // for --device
	char title[96]; // as the card or its configuration calls itself; safe for a screen
	char via[48];   // the plugin, "" for a card
	bool hardware;  // a card paces it
	bool clock;     // "none"
	enum device_state state;
	int error;                                         // errno value of FAILED
	struct device_span rate, channels, period, buffer; // Hz; number; frames; frames
};

struct devices;

// Begins to look; returns at once. NULL with E.
struct devices *devices_look(struct err *e);
// What is known by now: rows, their number in *N, in the order of listing. Valid until
// devices_free(). True: that is all; after 1.5 s what has not answered is DEVICE_HANGS.
bool devices_rows(struct devices *d, const struct device_row **rows, int *n);
void devices_free(struct devices *d); // never waits
// All of it at once, in at most 1.6 s: rows from malloc. 0, or -1 with E.
int devices_list(struct device_row **rows, int *n, struct err *e);
// "hardware", "plugin (PulseAudio)", "clock"
const char *device_kind_text(const struct device_row *r, char *buf, size_t size);
// "free", "busy", "does not answer", or why it failed.
const char *device_state_text(const struct device_row *r, char *buf, size_t size);

#endif
