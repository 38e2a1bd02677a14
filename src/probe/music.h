// What the audio probe plays: a sound file decoded ahead into locked memory, a tone, or silence;
// looped. 16 bits, frames interleaved. One sound is shared by all the streams that play it one
// after the other. Must not know of devices.
#ifndef PROBE_MUSIC_H
#define PROBE_MUSIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define MUSIC_BYTES_MOST (256u << 20)
#define MUSIC_SECONDS_MOST 600

struct music {
	unsigned rate, channels; // of the file
	int64_t frames;          // of one round
	int64_t whole_frames;    // of the file; more than FRAMES where only its start fits
	int64_t next;            // frame that is played next; the stream's own
	bool file;               // a file: its rate and channels matter
	bool silent;
	bool unlocked; // could not be locked into memory
	size_t bytes;
	int16_t *data; // silence has none
	_Atomic int users;
};

// Opens sound file PATH and reads its header: what is no sound, no plain file or out of bounds is
// refused at once. NULL with E. It has no data yet.
struct music *music_open(const char *path, struct err *e);
// A tone of HZ at RATE, at a quarter of full scale; HZ 0: silence. NULL with E.
struct music *music_tone(double hz, unsigned rate, unsigned channels, struct err *e);
// Decodes file PATH into M, until *STOP is set; may take seconds. 0, or -1 with E (what could be
// read stays playable, unless that is nothing).
int music_decode(struct music *m, const char *path, const atomic_bool *stop, struct err *e);
struct music *music_share(struct music *m); // one user more
void music_free(struct music *m);           // one user less
// The next N frames or fewer (up to the end of the round): their address, and their number in *N.
// Not for silence.
const int16_t *music_look(const struct music *m, int *n);
// N frames were taken.
void music_skip(struct music *m, int64_t n);

#endif
