// The audio probe: its row of the table, and the main thread's side of it: start, stop, watch over
// a thread that may hang in a driver, words. The stream itself is audio_stream.c's. Must not know
// who reads its samples.
#include "probe/kinds.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "probe/audio_alsa.h"
#include "probe/audio_stream.h"

#define STOP_MS 1000
#define HANGS_NS (700 * NS_PER_MS) // a call this long is told
#define ABANDON_NS (15 * NS_PER_S) // and this long, given up: another thread tries anew
#define ABANDON_MOST 4             // threads left hanging at a time
#define CHANNELS 2

struct audio {
	struct audio_stream *stream;
	struct music *music;
	struct audio_want want; // as asked last
	struct policy policy;
	int cpu, burn_pct;
	char play[512];
	int abandoned;
	bool told_hanging;
};

static void
drop_stream(struct audio_stream *s)
{
	if (atomic_fetch_sub(&s->users, 1) > 1)
		return;
	music_free(s->music);
	free(atomic_load(&s->next));
	free(s);
}

static void
stream_main(struct thread *t, void *data)
{
	audio_stream_main(t, data);
	drop_stream(data);
}

static int
start_stream(struct probe *p, struct audio *a, struct err *e)
{
	struct audio_stream *s = calloc(1, sizeof *s);
	if (!s)
		return err_set(e, "no memory for the audio probe");
	s->users = 2;
	s->granted = -1;
	s->want = a->want;
	s->burn_pct = a->burn_pct;
	s->music = music_share(a->music);
	s->live = p->live;
	s->ring = p->ring;
	s->played_before = atomic_load(&p->live->played_frames);
	s->silent_ns = atomic_load(&p->live->silent_ns);
	s->longest_ns = atomic_load(&p->live->longest_silence_ns);
	snprintf(s->play, sizeof s->play, "%s", a->play);
	int64_t period = (int64_t)a->want.period_frames * NS_PER_S / a->want.rate;
	struct thread_ask ask = {
	    .name = "stutter-audio",
	    .policy = a->policy,
	    .need = {.period_ns = period, .run_ns = period * a->burn_pct / 100, .cpu = a->cpu},
	    .live = p->live,
	    .ring = p->ring,
	    .data = s,
	    .data_bytes = sizeof *s,
	    .main = stream_main,
	};
	atomic_store(&p->live->state, PROBE_STARTING);
	a->stream = s;
	s->self = NULL;
	s->thread = thread_start(&ask, e);
	if (s->thread)
		return 0;
	s->users = 1;
	drop_stream(s);
	a->stream = NULL;
	return -1;
}

// Ends the stream's thread, or leaves it where it hangs: then it touches nothing of the probe any
// more.
static bool
end_stream(struct audio *a, int timeout_ms)
{
	struct audio_stream *s = a->stream;
	if (!s)
		return true;
	atomic_store(&s->stop, true);
	bool ended = thread_stop(s->thread, timeout_ms);
	for (int i = 0; !ended && i < 2000; i++) {
		int in = GATE_IN_DRIVER;
		ended = atomic_compare_exchange_strong(&s->gate, &in, GATE_ABANDONED) ||
			in == GATE_ENDED;
		if (!ended)
			nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
	}
	a->stream = NULL;
	drop_stream(s);
	return ended;
}

static int
get_music(struct audio *a, const struct probe_config *c, struct err *e)
{
	if (c->play && *c->play) {
		snprintf(a->play, sizeof a->play, "%s", c->play);
		a->music = music_open(c->play, e);
	} else {
		a->music = music_tone(c->tone_hz, c->rate, CHANNELS, e);
	}
	if (!a->music)
		return -1;
	a->want.rate = a->music->rate;
	a->want.channels = a->music->channels;
	a->want.exact = !a->music->silent;
	a->want.silent = a->music->silent;
	return 0;
}

static void
want_buffer(struct audio_want *w, const struct probe_config *c)
{
	snprintf(
	    w->device, sizeof w->device, "%s", c->device && *c->device ? c->device : "default");
	w->periods = c->periods;
	w->period_frames = c->period_frames;
}

static void
audio_free(struct audio *a)
{
	music_free(a->music);
	free(a);
}

static int
start(struct probe *p, struct err *e)
{
	const struct probe_config *c = &p->config;
	if (c->rate < 1000 || c->rate > 768000 || c->periods < 2 || c->periods > 1024 ||
	    c->period_frames < 1 || c->period_frames > 1 << 20)
		return err_set(e, "audio: %u x %u frames at %u Hz cannot be played", c->periods,
		    c->period_frames, c->rate);
	struct audio *a = calloc(1, sizeof *a);
	if (!a)
		return err_set(e, "no memory for the audio probe");
	audio_quiet("");
	want_buffer(&a->want, c);
	a->policy = c->policy;
	a->cpu = c->cpu;
	a->burn_pct = c->burn_pct;
	if (get_music(a, c, e) || start_stream(p, a, e)) {
		atomic_store(&p->live->error, errno);
		atomic_store(&p->live->state, PROBE_FAILED);
		audio_free(a);
		return -1;
	}
	p->impl = a;
	return 0;
}

static void
stop(struct probe *p)
{
	struct audio *a = p->impl;
	if (!end_stream(a, STOP_MS))
		return;
	audio_free(a);
	p->impl = NULL;
	atomic_store(&p->live->state, PROBE_OFF);
}

// A thread that hangs cannot say so itself.
static void
tend(struct probe *p)
{
	struct audio *a = p->impl;
	if (!a || !a->stream)
		return;
	struct audio_stream *s = a->stream;
	int gate = atomic_load(&s->gate);
	int64_t since = clock_now_ns() - atomic_load(&s->entered_ns);
	if (gate != GATE_ENDED)
		thread_tend(s->thread);
	if (gate != GATE_IN_DRIVER || since < HANGS_NS)
		return;
	if (atomic_load(&p->live->state) != PROBE_LOST) {
		atomic_store(&p->live->detail, AUDIO_HANGS);
		atomic_store(&p->live->error, ETIMEDOUT);
		atomic_store(&p->live->state, PROBE_LOST);
	}
	if (since > ABANDON_NS && a->abandoned < ABANDON_MOST && end_stream(a, 1)) {
		a->abandoned++;
		start_stream(p, a, NULL);
	}
}

static int
change(struct probe *p, const struct probe_config *c, struct err *e)
{
	struct audio *a = p->impl;
	if (!a || !a->stream)
		return err_set(e, "the audio probe does not run");
	struct audio_want *w = malloc(sizeof *w);
	if (!w)
		return err_set(e, "no memory for the audio probe");
	want_buffer(&a->want, c);
	*w = a->want;
	free(atomic_exchange(&a->stream->next, w));
	return 0;
}

static void
lost_words(const struct probe *p, char *buf, size_t size)
{
	const struct audio *a = p->impl;
	char text[96];
	int error = atomic_load(&p->live->error);
	const char *why = error == EBUSY ? "busy: another program uses it"
			  : error == ENOENT || error == ENODEV || error == ENXIO
			      ? "no such device"
			      : strerror_r(error, text, sizeof text);
	const char *device = a ? a->want.device : "";
	switch ((enum audio_detail)atomic_load(&p->live->detail)) {
	case AUDIO_NO_OPEN:
		snprintf(buf, size, "%s: %s", device, why);
		break;
	case AUDIO_HANGS:
		snprintf(buf, size, "%s: the driver or server does not answer", device);
		break;
	case AUDIO_GONE:
		snprintf(buf, size, "%s: gone (%s)", device, why);
		break;
	case AUDIO_STANDS:
		snprintf(buf, size, "%s: its position stands still", device);
		break;
	case AUDIO_STORM:
		snprintf(buf, size, "%s: fails again and again before anything is played", device);
		break;
	case AUDIO_SUSPENDED:
		snprintf(buf, size, "%s: suspended", device);
		break;
	case AUDIO_UNPACED:
		snprintf(buf, size, "%s: takes sound faster than it can be played, so has no clock",
		    device);
		break;
	case AUDIO_NO_SOUND:
		snprintf(buf, size, "the sound file could not be decoded");
		break;
	default:
		break;
	}
}

// Adds words to a list of them.
static void __attribute__((format(printf, 3, 4))) also(char *buf, size_t size, const char *fmt, ...)
{
	size_t n = strlen(buf);
	va_list ap;
	va_start(ap, fmt);
	if (n && n + 2 < size)
		n += (size_t)snprintf(buf + n, size - n, "; ");
	vsnprintf(buf + n, size - n, fmt, ap);
	va_end(ap);
}

// What makes its figures other than a card's; doubts of every probe are told elsewhere.
static void
doubt_words(const struct probe *p, const struct audio *a, char *buf, size_t size)
{
	unsigned doubts = atomic_load(&p->live->doubts);
	int slot = atomic_load(&a->stream->granted);
	if (slot < 0)
		return;
	const struct audio_got *g = &a->stream->say[slot];
	const struct audio_want *w = &a->stream->asked[slot];
	if (g->virtual)
		also(buf, size, "no card: the clock paces it");
	else if (doubts & DOUBT_PLUGIN)
		also(buf, size, g->hardware ? "through %s" : "through %s, not hardware", g->via);
	if (!g->virtual && doubts & DOUBT_VIRTUAL)
		also(buf, size, "a virtual card: its position moves in steps");
	if (g->rate != w->rate)
		also(buf, size, "%u Hz instead of %u", g->rate, w->rate);
	if (g->period_frames != w->period_frames ||
	    g->buffer_frames != w->period_frames * w->periods)
		also(buf, size, "%u x %u frames asked, %u x %u granted", w->periods,
		    w->period_frames, (g->buffer_frames + g->period_frames / 2) / g->period_frames,
		    g->period_frames);
	if (g->converted)
		also(buf, size, "ALSA converts the sound");
	const struct music *m = a->music;
	if (m->file && m->frames && m->frames < m->whole_frames)
		also(buf, size, "only %lld s of the file", (long long)(m->frames / m->rate));
}

static void
reason(const struct probe *p, char *buf, size_t size)
{
	const struct audio *a = p->impl;
	int state = atomic_load(&p->live->state);
	if (state == PROBE_LOST || state == PROBE_FAILED)
		lost_words(p, buf, size);
	else if (a && a->stream && state == PROBE_RUNNING)
		doubt_words(p, a, buf, size);
}

const struct probe_kind probe_audio = {
    .name = "audio",
    .does = "a sound card's periods: lateness, drop-outs, headroom, and with --burn 80 "
	    "latencytest's two lines",
    .more = "hardware (hw:0) instead of a plugin, real-time (limits.d or rtkit), --buffer NxM; see "
	    "list devices",
    .quantities = 1u << Q_LATE | 1u << Q_BURN | 1u << Q_INTERVAL | 1u << Q_HEADROOM,
    .weighted = true,
    .unit = "period",
    .start = start,
    .stop = stop,
    .tend = tend,
    .reason = reason,
    .change = change,
};
