// Feeds a sound device period by period and says how late each one was: the audio probe's measuring
// cycle. Must not open or lose devices: audio_stream.c does.
#include "probe/audio_stream.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"

#define STARTUP_NS (100 * NS_PER_MS)
#define SLICE_NS (100 * NS_PER_MS)  // a stop is seen within this
#define STANDS_NS (400 * NS_PER_MS) // a position that has stood still for so long is lost
#define SLIP_NS (10 * NS_PER_MS)    // a device that is this far behind its own clock has slipped
#define LEAD_NS NS_PER_S            // one that takes more than this ahead is paced by nothing
#define PAUSE_LEAST_NS (200 * NS_PER_US)
#define PAUSE_MOST_NS (5 * NS_PER_MS)
#define SHOW_NS (100 * NS_PER_MS)
#define KNOWN_NS (2 * NS_PER_S) // before that the rate is not known well enough to be shown
#define STOPPED_NS (250 * NS_PER_MS)
#define ZERO_BYTES 16384
#define JUMPS_SURE 3
#define SMOOTH_SURE 2000

static const char zeros[ZERO_BYTES];

int64_t
audio_period_ns(const struct audio_stream *s)
{
	return s->got.period_frames * NS_PER_S / s->got.rate;
}

static int64_t
larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t
smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

// The frame that must have been played before there is room for one period more.
static int64_t
room_at(const struct audio_stream *s)
{
	return s->written + s->got.period_frames - s->got.buffer_frames;
}

// Writes as many as the device takes at once, at most N.
static int
write_some(struct audio_stream *s, int n)
{
	const void *from = zeros;
	if (s->music->silent)
		n = (int)smaller(n, ZERO_BYTES / s->got.frame_bytes);
	else
		from = music_look(s->music, &n);
	int r = audio_call_write(s, from, n);
	if (r > 0) {
		s->written += r;
		music_skip(s->music, r);
	}
	return r;
}

static int
write_period(struct audio_stream *s)
{
	int left = (int)s->got.period_frames;
	int tries = 0;
	while (left > 0) {
		int r = write_some(s, left);
		if (r < 0)
			return r;
		left -= r;
		if (r > 0)
			continue;
		if (++tries > 100)
			return -ETIME;
		if ((r = audio_interrupted(s)))
			return r;
		thread_sleep_until(s->self,
		    clock_now_ns() +
			larger(PAUSE_LEAST_NS, smaller(audio_period_ns(s) / 4, PAUSE_MOST_NS)));
	}
	return 0;
}

static int
fill(struct audio_stream *s)
{
	int64_t most = s->got.buffer_frames - s->got.buffer_frames % s->got.period_frames;
	while (s->written < most) {
		int r = write_some(s, (int)(most - s->written));
		if (r < 0)
			return r;
		if (!r)
			break;
	}
	return s->written ? 0 : -EIO;
}

// A device whose position stands when it should have moved, and then makes a step, is none that
// plays frame by frame.
static void
watch_jumps(struct audio_stream *s, int64_t moved)
{
	if (s->stuck_at >= 0 && moved > s->got.period_frames * 3 / 2) {
		s->jumps++;
		s->smooth = 0;
		if (s->jumps >= JUMPS_SURE || s->grain)
			s->grain = s->grain ? smaller(s->grain, moved) : moved;
		if (s->grain)
			atomic_fetch_or(&s->live->doubts, DOUBT_VIRTUAL);
	} else if (++s->smooth > SMOOTH_SURE && s->jumps) {
		s->jumps = 0;
		s->grain = 0;
		if (!s->got.virtual)
			atomic_fetch_and(&s->live->doubts, ~(unsigned)DOUBT_VIRTUAL);
	}
	s->stuck_at = -1;
}

// While it starts up it is looked at more often than it calls: one that mostly stands moves in
// steps.
static void
learn_grain(struct audio_stream *s, int64_t moved)
{
	s->looks++;
	s->stills += moved <= 0;
	if (moved > 0 && (!s->least_move || moved < s->least_move))
		s->least_move = moved;
}

static void
set_grain(struct audio_stream *s)
{
	if (!s->looks)
		return;
	bool steps =
	    s->looks >= 8 && s->stills * 3 > s->looks && s->least_move > s->got.period_frames / 2;
	s->grain = steps ? s->least_move : 0;
	if (s->grain > s->got.period_frames * 3 / 2)
		atomic_fetch_or(&s->live->doubts, DOUBT_VIRTUAL);
	s->looks = 0;
}

// Takes what a look has seen into the device's clock.
static void
take_place(struct audio_stream *s, const struct audio_place *p, int64_t now)
{
	int64_t moved = p->frames - s->place.frames;
	if (now < s->startup_until_ns)
		learn_grain(s, moved);
	else
		set_grain(s);
	if (moved <= 0) {
		s->stands++;
		if (s->stuck_at < 0 &&
		    p->t_ns - fit_time_ns(&s->fit, p->frames + s->got.period_frames) >
			audio_period_ns(s) / 2)
			s->stuck_at = p->frames;
		return;
	}
	watch_jumps(s, moved);
	s->stands = 0;
	s->moved_ns = now;
	s->place_before = s->place.frames;
	s->place = *p;
	int64_t behind = p->t_ns - fit_time_ns(&s->fit, p->frames);
	int64_t most =
	    larger(SLIP_NS, 2 * fit_span_ns(&s->fit, larger(s->grain, s->got.period_frames)));
	if (behind > most) {
		if (now > s->startup_until_ns) {
			s->silent_ns += behind;
			s->longest_ns = larger(s->longest_ns, behind);
		}
		fit_move(&s->fit, p->frames, p->t_ns);
	} else {
		fit_add(&s->fit, p->frames, p->t_ns);
	}
}

// How late a period is served at NOW: against the line, but no later than the position itself
// allows, as a device may have halted or may tell its position in steps only.
static int64_t
lateness(const struct audio_stream *s, int64_t now)
{
	int64_t room = room_at(s);
	int64_t late = now - fit_time_ns(&s->fit, room);
	if (s->grain) {
		int64_t steps = (room - s->place_before + s->grain - 1) / s->grain;
		int64_t step = smaller(s->place.frames, s->place_before + steps * s->grain);
		late = smaller(late, now - fit_time_ns(&s->fit, larger(step, room)));
	} else {
		int64_t since = fit_span_ns(&s->fit, s->place.frames - room + s->got.period_frames);
		late = smaller(late, now - s->place.t_ns + since);
	}
	return larger(late, 0);
}

static int
check_stands(const struct audio_stream *s, int64_t now)
{
	int64_t most = larger(STANDS_NS, 2 * audio_period_ns(s) + STANDS_NS / 2);
	return s->stands >= 3 && now - s->moved_ns > most ? -ETIME : 0;
}

// Waits until the device has room for a period; a device that calls without room is not asked at
// once again.
static int
wait_room(struct audio_stream *s)
{
	int64_t room = room_at(s), period = audio_period_ns(s);
	int64_t pause = larger(PAUSE_LEAST_NS, smaller(period / 4, PAUSE_MOST_NS));
	int empty_calls = 0; // in a row
	s->woke_ns = clock_now_ns();
	while (s->place.frames < room) {
		int r = audio_interrupted(s);
		if (r)
			return r;
		if (empty_calls > 1)
			thread_sleep_until(s->self, s->woke_ns + pause);
		int64_t due = fit_time_ns(&s->fit, room) + larger(period, 2 * NS_PER_MS);
		int64_t now = clock_now_ns();
		int64_t until = larger(smaller(due, now + SLICE_NS), now + pause);
		if ((r = audio_call_wait(s, now < s->startup_until_ns ? now + pause : until)) < 0)
			return r;
		empty_calls += r;
		s->woke_ns = clock_now_ns();
		struct audio_place p = s->place;
		if ((r = audio_call_look(s, &p)) < 0)
			return r;
		take_place(s, &p, s->woke_ns);
		if ((r = check_stands(s, s->woke_ns)))
			return r;
	}
	return 0;
}

static void
wake_sample(struct audio_stream *s, struct sample *m)
{
	*m = (struct sample){.t_ns = s->woke_ns,
	    .period_ns = fit_span_ns(&s->fit, s->got.period_frames),
	    .kind = SAMPLE_WAKE};
	for (int q = 0; q < Q_COUNT; q++)
		m->value[q] = -1;
	m->value[Q_LATE] = lateness(s, s->woke_ns);
	m->value[Q_HEADROOM] = larger(0, fit_time_ns(&s->fit, s->written) - s->woke_ns);
}

static void
finish_sample(struct audio_stream *s, struct sample *m)
{
	int64_t now = clock_now_ns();
	m->value[Q_INTERVAL] = now - s->wrote_ns;
	s->wrote_ns = now;
	if (s->woke_ns < s->startup_until_ns)
		return;
	if (m->value[Q_LATE] > STOPPED_NS &&
	    thread_was_stopped(s->self, s->woke_ns - m->value[Q_LATE], s->woke_ns)) {
		m->kind = SAMPLE_GAP;
		m->missed = 0;
	}
	ring_push(s->ring, m);
}

// One period: how late, the CPU loop, the write.
static int
serve(struct audio_stream *s, struct sample *m)
{
	wake_sample(s, m);
	if (s->burn_pct) {
		m->value[Q_BURN] = burn_run(&s->burn);
		if (burn_check(&s->burn, m->value[Q_BURN]) && s->woke_ns > s->startup_until_ns)
			atomic_fetch_or(&s->live->doubts, DOUBT_BURN);
	}
	int r = write_period(s);
	if (r == -EPIPE)
		m->value[Q_LATE] =
		    larger(m->value[Q_LATE], clock_now_ns() - fit_time_ns(&s->fit, room_at(s)));
	if (r)
		return r;
	finish_sample(s, m);
	return 0;
}

// The first frame was heard: the silence before it is over.
static void
note_progress(struct audio_stream *s)
{
	s->progress = true;
	s->dry_runs = s->opens_failed = 0;
	audio_silence_end(s, s->started_ns);
	atomic_store(&s->live->error, 0);
	atomic_store(&s->live->detail, AUDIO_FINE);
	atomic_store(&s->live->state, PROBE_RUNNING);
}

// The device ran dry: the wake that found it stands for the whole time that it was not served.
static void
found_dry(struct audio_stream *s, struct sample *m)
{
	int64_t now = clock_now_ns(), dry_ns = fit_time_ns(&s->fit, s->written);
	bool early = dry_ns > now + audio_period_ns(s);
	if (early && !s->progress)
		return;
	if (!s->progress)
		note_progress(s);
	s->played_before += early ? s->place.frames : s->written;
	s->written = s->place.frames = 0;
	int64_t since = smaller(now, larger(s->started_ns, dry_ns));
	audio_silence_begin(s, since, !thread_was_stopped(s->self, since, now));
	s->dry = *m;
	s->dry.value[Q_HEADROOM] = 0;
	s->dry.missed = (uint32_t)(m->value[Q_LATE] / m->period_ns);
	s->dry.value[Q_INTERVAL] = now - s->wrote_ns;
	s->dry_pending = true;
}

static void
show_now_and_then(struct audio_stream *s)
{
	atomic_store_explicit(
	    &s->live->played_frames, s->played_before + s->place.frames, memory_order_relaxed);
	if (s->woke_ns - s->shown_ns < SHOW_NS)
		return;
	audio_show(s, s->woke_ns);
	if (s->woke_ns - s->startup_until_ns > KNOWN_NS && !s->got.virtual)
		atomic_store(&s->live->rate_uhz_ppb, fit_rate_ppb(&s->fit));
}

static bool
is_unpaced(const struct audio_stream *s)
{
	int64_t ahead = fit_span_ns(&s->fit, s->place.frames) - (s->woke_ns - s->started_ns);
	return ahead > LEAD_NS + 2 * fit_span_ns(&s->fit, s->got.buffer_frames);
}

static int
begin(struct audio_stream *s)
{
	s->written = s->place.frames = s->place_before = 0;
	s->progress = false;
	s->stands = 0;
	s->stuck_at = -1;
	int r = audio_call_prepare(s);
	if (!r)
		r = fill(s);
	if (!r)
		r = audio_call_start(s);
	if (r)
		return r;
	s->started_ns = s->moved_ns = s->wrote_ns = s->woke_ns = clock_now_ns();
	s->place.t_ns = s->started_ns;
	fit_start(&s->fit, s->started_ns);
	if (!s->startup_until_ns)
		s->startup_until_ns =
		    s->started_ns +
		    larger(STARTUP_NS, smaller(5 * STARTUP_NS, 12 * audio_period_ns(s)));
	return 0;
}

int
audio_run(struct audio_stream *s)
{
	struct sample m = {.period_ns = audio_period_ns(s)};
	bool started = false;
	int r = begin(s);
	while (!r) {
		started = true;
		r = wait_room(s);
		if (!s->progress && s->place.frames > 0)
			note_progress(s);
		if (r)
			break;
		show_now_and_then(s);
		if (is_unpaced(s))
			r = -ENOTSUP;
		else
			r = serve(s, &m);
	}
	if (r == -EPIPE && started) {
		if (m.kind != SAMPLE_WAKE || s->woke_ns != m.t_ns)
			wake_sample(s, &m);
		if (s->written > s->place.frames)
			m.value[Q_LATE] =
			    larger(m.value[Q_LATE], s->woke_ns - fit_time_ns(&s->fit, room_at(s)));
		found_dry(s, &m);
	}
	return r;
}
