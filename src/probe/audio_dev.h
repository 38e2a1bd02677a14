// What the audio probe asks of a device, and what drives one: ALSA, or the clock where there is no
// card. Must not know what is measured. Any call may hang for as long as a driver or a server
// likes, but for those of the clock.
#ifndef PROBE_AUDIO_DEV_H
#define PROBE_AUDIO_DEV_H

#include <stdbool.h>
#include <stdint.h>

#define AUDIO_NAME_MAX 64

struct audio_want {
	char device[AUDIO_NAME_MAX]; // ALSA name; "none": the clock
	unsigned rate, periods, period_frames, channels;
	bool exact;  // a file plays: rate, channels and 16 bits as asked, else ALSA converts
	bool silent; // nothing but zeros is written: any format will do
};

struct audio_got {
	unsigned rate, channels, period_frames, buffer_frames, frame_bytes;
	int hardware;   // 1: a card; 0: a plugin or the clock
	bool virtual;   // the clock
	bool converted; // ALSA converts rate, channels or format of the file
	char via[48];   // name of the plugin, "" where there is none
};

// Where the device is.
struct audio_place {
	int64_t frames; // played since the start of this run; never more than were written
	int64_t t_ns;   // CLOCK_MONOTONIC when it was there
};

struct audio_dev; // a driver's own

// Each returns 0 or more, or -errno. -EPIPE: it ran dry; -ESTRPIPE: suspended; all else: lost.
struct audio_driver {
	// NULL: *ERROR says why.
	struct audio_dev *(*open)(const struct audio_want *w, struct audio_got *g, int *error);
	void (*close)(struct audio_dev *d);
	// Empties it, so that it can be filled and started. -EAGAIN: still suspended.
	int (*prepare)(struct audio_dev *d);
	int (*start)(struct audio_dev *d);
	// Until there is room for a period: 1, or the time has come: 0.
	int (*wait)(struct audio_dev *d, int64_t until_ns);
	int (*look)(struct audio_dev *d, struct audio_place *p);
	// How many were taken; never blocks.
	int (*write)(struct audio_dev *d, const void *frames, int n);
};

extern const struct audio_driver audio_alsa, audio_clock;

#endif
