// The life of a stream: opens its device, loses it, waits, finds it again; and the accounts of what
// was heard. Must not know how a period is served: audio_serve.c does.
#include "probe/audio_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define SHOW_NS (100 * NS_PER_MS)
#define LOOK_NS (20 * NS_PER_MS)
#define RESUME_NS (100 * NS_PER_MS)
#define STORM_RUNS 4

static const int64_t backoff_ns[] = {100 * NS_PER_MS, 250 * NS_PER_MS, 500 * NS_PER_MS, NS_PER_S};

static bool
enter(struct audio_stream *s)
{
	int out = GATE_OUT;
	atomic_store_explicit(&s->entered_ns, clock_now_ns(), memory_order_relaxed);
	if (!s->abandoned && atomic_compare_exchange_strong(&s->gate, &out, GATE_IN_DRIVER))
		return true;
	s->abandoned = true;
	return false;
}

static int
leave(struct audio_stream *s, int result)
{
	int in = GATE_IN_DRIVER;
	if (atomic_compare_exchange_strong(&s->gate, &in, GATE_OUT))
		return result;
	s->abandoned = true;
	return -ECANCELED;
}

int
audio_call_prepare(struct audio_stream *s)
{
	return enter(s) ? leave(s, s->driver->prepare(s->dev)) : -ECANCELED;
}

int
audio_call_start(struct audio_stream *s)
{
	return enter(s) ? leave(s, s->driver->start(s->dev)) : -ECANCELED;
}

int
audio_call_wait(struct audio_stream *s, int64_t until_ns)
{
	return enter(s) ? leave(s, s->driver->wait(s->dev, until_ns)) : -ECANCELED;
}

int
audio_call_look(struct audio_stream *s, struct audio_place *p)
{
	return enter(s) ? leave(s, s->driver->look(s->dev, p)) : -ECANCELED;
}

int
audio_call_write(struct audio_stream *s, const void *frames, int n)
{
	return enter(s) ? leave(s, s->driver->write(s->dev, frames, n)) : -ECANCELED;
}

int
audio_call_open(struct audio_stream *s)
{
	int error = 0;
	if (!enter(s))
		return -ECANCELED;
	s->dev = s->driver->open(&s->want, &s->got, &error);
	return leave(s, s->dev ? 0 : -error);
}

void
audio_call_close(struct audio_stream *s)
{
	if (s->dev && enter(s)) {
		s->driver->close(s->dev);
		leave(s, 0);
	} else if (s->dev) {
		s->driver->close(s->dev); // abandoned: nobody waits for it
	}
	s->dev = NULL;
}

int
audio_interrupted(struct audio_stream *s)
{
	if (thread_should_stop(s->self))
		return END_STOP;
	if (atomic_load_explicit(&s->live->hold, memory_order_relaxed) != s->hold)
		return END_HOLD;
	return atomic_load_explicit(&s->next, memory_order_relaxed) ? END_CHANGE : 0;
}

void
audio_silence_begin(struct audio_stream *s, int64_t t_ns, bool counts)
{
	if (s->silent_since_ns)
		return;
	s->silent_since_ns = t_ns;
	s->silence_counts = counts;
	s->silence_is_gap = !counts;
	s->dry_pending = false;
}

void
audio_silence_end(struct audio_stream *s, int64_t t_ns)
{
	if (!s->silent_since_ns)
		return;
	int64_t length = t_ns > s->silent_since_ns ? t_ns - s->silent_since_ns : 0;
	struct sample m = {.t_ns = t_ns, .period_ns = audio_period_ns(s)};
	for (int q = 0; q < Q_COUNT; q++)
		m.value[q] = -1;
	m.value[Q_LATE] = length;
	m.kind = s->silence_is_gap ? SAMPLE_GAP : SAMPLE_XRUN;
	if (!s->silence_is_gap && s->dry_pending) {
		ring_push(s->ring, &s->dry);
		atomic_fetch_add(&s->live->xruns, 1);
	}
	if (s->silence_is_gap || s->dry_pending)
		ring_push(s->ring, &m);
	if (s->silence_counts) {
		s->silent_ns += length;
		if (length > s->longest_ns)
			s->longest_ns = length;
	}
	s->silent_since_ns = 0;
	s->dry_pending = false;
	audio_show(s, t_ns);
}

void
audio_show(struct audio_stream *s, int64_t now_ns)
{
	int64_t open = s->silent_since_ns && s->silence_counts && now_ns > s->silent_since_ns
			   ? now_ns - s->silent_since_ns
			   : 0;
	atomic_store(&s->live->silent_ns, s->silent_ns + open);
	atomic_store(&s->live->longest_silence_ns, open > s->longest_ns ? open : s->longest_ns);
	s->shown_ns = now_ns;
}

static void
say_lost(struct audio_stream *s, enum audio_detail why, int error)
{
	atomic_store(&s->live->detail, (int)why);
	atomic_store(&s->live->error, error);
	atomic_store(&s->live->state, PROBE_LOST);
}

// The device is closed; what was in its buffer is lost, the silence goes on until it plays again.
static void
lose(struct audio_stream *s, enum audio_detail why, int error)
{
	s->played_before += s->place.frames;
	audio_silence_begin(s, s->place.t_ns ? s->place.t_ns : clock_now_ns(), true);
	s->silence_is_gap = true;
	s->written = s->place.frames = 0;
	audio_call_close(s);
	if (!s->abandoned)
		say_lost(s, why, error);
}

// Waits, until NS at the longest, showing the silence.
static void
rest(struct audio_stream *s, int64_t ns)
{
	int64_t now = clock_now_ns();
	while (now < ns && !audio_interrupted(s)) {
		int64_t until = now + LOOK_NS;
		now = thread_sleep_until(s->self, until < ns ? until : ns);
		if (now - s->shown_ns > SHOW_NS)
			audio_show(s, now);
	}
}

static void
back_off(struct audio_stream *s)
{
	int most = (int)(sizeof backoff_ns / sizeof *backoff_ns) - 1;
	int i = s->opens_failed < most ? s->opens_failed : most;
	s->opens_failed++;
	rest(s, clock_now_ns() + backoff_ns[i]);
}

static void
set_doubts(struct audio_stream *s)
{
	const struct audio_got *g = &s->got;
	const struct audio_want *w = &s->want;
	unsigned mine = DOUBT_PLUGIN | DOUBT_VIRTUAL | DOUBT_GRANTED, doubts = 0;
	if (g->virtual)
		doubts |= DOUBT_VIRTUAL;
	else if (*g->via)
		doubts |= DOUBT_PLUGIN;
	if (g->rate != w->rate || g->period_frames != w->period_frames ||
	    g->buffer_frames != w->period_frames * w->periods || g->converted)
		doubts |= DOUBT_GRANTED;
	if (s->music->unlocked)
		doubts |= DOUBT_UNLOCKED;
	atomic_fetch_and(&s->live->doubts, ~mine);
	atomic_fetch_or(&s->live->doubts, doubts);
}

static void
say_granted(struct audio_stream *s)
{
	struct probe_live *l = s->live;
	const struct audio_got *g = &s->got;
	int slot = atomic_load(&s->granted) == 0;
	s->say[slot] = *g;
	s->asked[slot] = s->want;
	atomic_store(&s->granted, slot);
	atomic_store(&l->rate, g->rate);
	atomic_store(&l->periods, (g->buffer_frames + g->period_frames / 2) / g->period_frames);
	atomic_store(&l->period_frames, g->period_frames);
	atomic_store(&l->buffer_frames, g->buffer_frames);
	atomic_store(&l->hardware, g->hardware);
	atomic_store(&l->period_ns, audio_period_ns(s));
	set_doubts(s);
}

static void
set_burn(struct audio_stream *s)
{
	if (!s->burn_pct)
		return;
	int64_t want = audio_period_ns(s) * s->burn_pct / 100;
	if (s->burn_ready)
		burn_want(&s->burn, want);
	else
		burn_init(&s->burn, want);
	s->burn_ready = true;
	atomic_store(&s->live->burn_ns, want);
}

static int
open_device(struct audio_stream *s)
{
	s->driver = strcmp(s->want.device, "none") ? &audio_alsa : &audio_clock;
	unsigned rate = s->got.rate;
	int r = audio_call_open(s);
	if (s->abandoned)
		return -1;
	if (r < 0) {
		audio_silence_begin(s, s->shown_ns, true);
		s->silence_is_gap = true;
		say_lost(s, AUDIO_NO_OPEN, -r);
		back_off(s);
		return -1;
	}
	if (s->got.rate != rate)
		fit_init(&s->fit, s->got.rate);
	s->grain = s->least_move = 0;
	s->jumps = s->looks = s->stills = 0;
	s->startup_until_ns = 0;
	say_granted(s);
	set_burn(s);
	return 0;
}

static void
change(struct audio_stream *s)
{
	s->played_before += s->place.frames;
	audio_silence_begin(s, clock_now_ns(), false);
	s->written = s->place.frames = 0;
	audio_call_close(s);
	struct audio_want *w = s->abandoned ? NULL : atomic_exchange(&s->next, NULL);
	if (w) {
		if (strcmp(w->device, s->want.device))
			s->got.rate = 0; // another clock
		s->want = *w;
		free(w);
	}
	s->opens_failed = 0;
}

// Rests while the probe is held: that time is a gap, and no silence of the machine's making.
static void
hold(struct audio_stream *s)
{
	s->played_before += s->place.frames;
	if (s->silent_since_ns && s->dry_pending)
		s->silence_counts = false; // it ran dry because it was stopped
	s->silence_is_gap = true;
	audio_silence_begin(s, s->place.t_ns ? s->place.t_ns : clock_now_ns(), false);
	s->written = s->place.frames = 0;
	int64_t now = clock_now_ns();
	while (((s->hold = atomic_load(&s->live->hold)) & 1) && !thread_should_stop(s->self))
		now = thread_sleep_until(s->self, now + LOOK_NS);
}

static void
resume(struct audio_stream *s)
{
	s->played_before += s->place.frames;
	audio_silence_begin(s, s->place.t_ns ? s->place.t_ns : clock_now_ns(), true);
	s->silence_is_gap = true;
	s->written = s->place.frames = 0;
	say_lost(s, AUDIO_SUSPENDED, ESTRPIPE);
	int r;
	do {
		rest(s, clock_now_ns() + RESUME_NS);
		r = audio_call_prepare(s);
	} while (r == -EAGAIN && !audio_interrupted(s));
	if (r < 0 && r != -EAGAIN && !s->abandoned)
		lose(s, AUDIO_GONE, -r);
}

// A run has ended: what now?
static void
take_end(struct audio_stream *s, int end)
{
	if (s->abandoned || end == END_STOP)
		return;
	if (end == END_CHANGE)
		change(s);
	else if (end == END_HOLD)
		hold(s);
	else if (end == -EPIPE && ++s->dry_runs < STORM_RUNS)
		return;
	else if (end == -ESTRPIPE || end == -EAGAIN)
		resume(s);
	else {
		lose(s,
		    end == -EPIPE     ? AUDIO_STORM
		    : end == -ETIME   ? AUDIO_STANDS
		    : end == -ENOTSUP ? AUDIO_UNPACED
				      : AUDIO_GONE,
		    -end);
		s->dry_runs = 0;
		if (!s->abandoned)
			back_off(s);
	}
}

static bool
get_sound(struct audio_stream *s)
{
	struct err e;
	if (!*s->play || s->music->frames || !music_decode(s->music, s->play, &s->stop, &e))
		return true;
	atomic_store(&s->live->detail, AUDIO_NO_SOUND);
	atomic_store(&s->live->error, EIO);
	atomic_store(&s->live->state, PROBE_FAILED);
	return false;
}

void
audio_stream_main(struct thread *t, void *data)
{
	struct audio_stream *s = data;
	s->self = t;
	s->hold = atomic_load(&s->live->hold) & ~1u;
	s->shown_ns = clock_now_ns();
	if (get_sound(s))
		while (!s->abandoned && !thread_should_stop(t)) {
			if (atomic_load(&s->next) || atomic_load(&s->live->hold) != s->hold)
				take_end(s, audio_interrupted(s));
			else if (s->dev || !open_device(s))
				take_end(s, audio_run(s));
		}
	if (!s->abandoned) {
		atomic_store(&s->live->played_frames, s->played_before + s->place.frames);
		audio_show(s, clock_now_ns());
	}
	audio_call_close(s);
	atomic_store(&s->gate, GATE_ENDED);
}
