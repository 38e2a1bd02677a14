// No card: a stream that the clock paces as a card of this rate and buffer would be paced.
// Must not know what is measured.
#include "probe/audio_dev.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"

struct audio_dev {
	unsigned rate, period, buffer;
	int64_t started_ns; // 0: not running
	int64_t written;
};

static unsigned
clamp(unsigned v, unsigned lo, unsigned hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

static struct audio_dev *
open_clock(const struct audio_want *w, struct audio_got *g, int *error)
{
	struct audio_dev *d = calloc(1, sizeof *d);
	if (!d) {
		*error = ENOMEM;
		return NULL;
	}
	d->rate = clamp(w->rate, 1000, 768000);
	d->period = clamp(w->period_frames, 8, 1 << 16);
	d->buffer = d->period * clamp(w->periods, 2, 64);
	*g = (struct audio_got){
	    .rate = d->rate,
	    .channels = w->channels,
	    .period_frames = d->period,
	    .buffer_frames = d->buffer,
	    .frame_bytes = w->channels * 2,
	    .virtual = true,
	};
	return d;
}

static void
close_clock(struct audio_dev *d)
{
	free(d);
}

static int
prepare(struct audio_dev *d)
{
	d->started_ns = 0;
	d->written = 0;
	return 0;
}

static int
start(struct audio_dev *d)
{
	d->started_ns = clock_now_ns();
	return 0;
}

static int64_t
position(const struct audio_dev *d, int64_t now)
{
	if (!d->started_ns)
		return 0;
	int64_t ns = now - d->started_ns;
	return ns / NS_PER_S * d->rate + ns % NS_PER_S * d->rate / NS_PER_S;
}

static int
wait_clock(struct audio_dev *d, int64_t until_ns)
{
	int64_t frames = d->written + d->period - d->buffer;
	int64_t room = d->started_ns + frames / d->rate * NS_PER_S;
	room += (frames % d->rate * NS_PER_S + d->rate - 1) / d->rate;
	clock_sleep_until(room < until_ns ? room : until_ns);
	return room < until_ns;
}

static int
look(struct audio_dev *d, struct audio_place *p)
{
	p->t_ns = clock_now_ns();
	p->frames = position(d, p->t_ns);
	return p->frames >= d->written ? -EPIPE : 0;
}

static int
write_clock(struct audio_dev *d, const void *frames, int n)
{
	(void)frames;
	int64_t at = position(d, clock_now_ns());
	if (d->started_ns && at >= d->written)
		return -EPIPE;
	int64_t room = d->buffer - (d->written - at);
	n = n < room ? n : (int)room;
	d->written += n;
	return n;
}

const struct audio_driver audio_clock = {
    .open = open_clock,
    .close = close_clock,
    .prepare = prepare,
    .start = start,
    .wait = wait_clock,
    .look = look,
    .write = write_clock,
};
