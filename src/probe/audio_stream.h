// A stream into one sound device, and the thread that keeps it fed: what the files of the audio
// probe share. Must not know of sessions or screens.
#ifndef PROBE_AUDIO_STREAM_H
#define PROBE_AUDIO_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "probe/audio_dev.h"
#include "probe/audio_fit.h"
#include "probe/burn.h"
#include "probe/music.h"
#include "probe/probe.h"
#include "probe/thread.h"

// Why it is lost or failed: probe_live's `detail`.
enum audio_detail {
	AUDIO_FINE,
	AUDIO_NO_OPEN, // could not be opened: `error` says why
	AUDIO_HANGS,   // a call into the driver or the server does not return
	AUDIO_GONE,    // failed while it played: `error`
	AUDIO_STANDS,  // its position stands still
	AUDIO_STORM,   // it ran dry again and again before anything was played
	AUDIO_SUSPENDED,
	AUDIO_UNPACED,  // takes sound faster than it could be played
	AUDIO_NO_SOUND, // the file could not be decoded
};

// Who may touch what the probe owns: a thread that hangs in a driver is abandoned, and may not
// afterwards.
enum audio_gate { GATE_OUT, GATE_IN_DRIVER, GATE_ABANDONED, GATE_ENDED };

// Why a run of the stream ended, where it was no error (those are -errno).
enum audio_end { END_STOP = 1, END_CHANGE, END_HOLD };

struct audio_stream {
	_Atomic int users;                 // the probe and the thread: the last frees it
	_Atomic int gate;                  // enum audio_gate
	_Atomic int64_t entered_ns;        // the driver, last
	_Atomic(struct audio_want *) next; // a device or buffer that is asked for now
	atomic_bool stop;                  // decoding
	_Atomic int granted;   // which of `say` holds what is granted now; -1: nothing yet
	struct thread *thread; // the main thread's
	struct audio_got say[2];
	struct audio_want asked[2];
	char play[512];
	int burn_pct;
	struct music *music;
	struct probe_live *live;
	struct ring *ring;

	// the thread's own
	struct thread *self; // as the thread sees itself
	bool abandoned;
	const struct audio_driver *driver;
	struct audio_dev *dev; // NULL: not open
	struct audio_want want;
	struct audio_got got;
	struct fit fit;
	struct burn burn;
	bool burn_ready;
	unsigned hold;            // as last seen
	int opens_failed;         // in a row, with nothing played in between
	int dry_runs;             // likewise
	int64_t startup_until_ns; // what is before is not measured
	int64_t played_before;    // frames, in earlier runs
	// of this run
	int64_t started_ns, moved_ns, woke_ns, wrote_ns;
	int64_t written;          // frames
	struct audio_place place; // as last seen
	int64_t place_before;     // frames, a look before
	bool progress;            // something was played
	int stands;               // looks in a row that saw it stand still
	// a position that jumps
	int64_t grain;      // frames; 0: it moves smoothly
	int64_t least_move; // seen while it starts up; 0: none
	int looks, stills;  // likewise: looks, and those that saw it stand
	int64_t stuck_at;   // frame at which it stood when it should have moved on; -1
	int jumps, smooth;
	// a silence that is not over
	int64_t silent_since_ns; // 0: none
	bool silence_counts, silence_is_gap;
	bool dry_pending;
	struct sample dry;             // the wake that found it dry
	int64_t silent_ns, longest_ns; // of those that are over
	int64_t shown_ns;
};

// The calls of the driver, through the gate: as in audio_dev.h, and -ECANCELED once the thread was
// abandoned.
int audio_call_prepare(struct audio_stream *s);
int audio_call_start(struct audio_stream *s);
int audio_call_wait(struct audio_stream *s, int64_t until_ns);
int audio_call_look(struct audio_stream *s, struct audio_place *p);
int audio_call_write(struct audio_stream *s, const void *frames, int n);
int audio_call_open(struct audio_stream *s);
void audio_call_close(struct audio_stream *s);

// The thread: opens, plays, loses and finds its device again until it is told to stop.
void audio_stream_main(struct thread *t, void *data);
// Prepares, fills, starts and feeds the device until something happens: enum audio_end or -errno.
int audio_run(struct audio_stream *s);
// Something wants the thread's attention: enum audio_end, or 0.
int audio_interrupted(struct audio_stream *s);
// A silence begins at T_NS, unless one has begun already; where COUNTS is false it is not the
// machine's doing.
void audio_silence_begin(struct audio_stream *s, int64_t t_ns, bool counts);
// It is over at T_NS: says so, with its drop-out or gap.
void audio_silence_end(struct audio_stream *s, int64_t t_ns);
// Shows played and silent time as they are at NOW_NS.
void audio_show(struct audio_stream *s, int64_t now_ns);
int64_t audio_period_ns(const struct audio_stream *s);

#endif
