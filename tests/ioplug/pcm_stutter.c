// A sound card for tests, without sound: paced by CLOCK_MONOTONIC, with every fault a card can have
// (page.h), and able to keep what was played. An ALSA ioplug, so that the program under test goes
// through the real libasound.
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "page.h"

#define NS_PER_S 1000000000LL

struct card {
	snd_pcm_ioplug_t io;
	volatile int64_t *page;
	int capture;           // file of what was played, or -1
	int64_t captured;      // frames in it
	int64_t started, dry;  // ns; 0: no
	int64_t written, seen; // frames of this run
	int64_t played_before;
};

static int64_t
now_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static void
sleep_ns(int64_t ns)
{
	struct timespec ts = {ns / NS_PER_S, ns % NS_PER_S};
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}

static double
rate_of(const struct card *c)
{
	return c->io.rate * (1 + (double)c->page[PAGE_PPM] / 1e6);
}

// How much of the time from FROM to TO the card's clock stood still.
static int64_t
frozen_ns(const struct card *c, int64_t from, int64_t to)
{
	int64_t a = c->page[PAGE_FROZEN_FROM], b = c->page[PAGE_FROZEN_UNTIL];
	if (!a)
		return 0;
	if (!b)
		b = INT64_MAX;
	a = a > from ? a : from;
	b = b < to ? b : to;
	return b > a ? b - a : 0;
}

static int64_t
step_frames(const struct card *c)
{
	return (int64_t)((double)c->page[PAGE_STEP_NS] * rate_of(c) / 1e9);
}

static int64_t
position(const struct card *c, int64_t now)
{
	int64_t ns = now - c->started - frozen_ns(c, c->started, now);
	int64_t at = (int64_t)floor((double)ns * rate_of(c) / 1e9);
	int64_t step = step_frames(c);
	return step > 1 ? at / step * step : at;
}

// When FRAME will have been played, as things are now.
static int64_t
time_of(const struct card *c, int64_t frame)
{
	int64_t step = step_frames(c);
	if (step > 1)
		frame = (frame + step - 1) / step * step;
	int64_t t = c->started + (int64_t)ceil((double)frame * 1e9 / rate_of(c));
	int64_t a = c->page[PAGE_FROZEN_FROM], b = c->page[PAGE_FROZEN_UNTIL];
	if (a && t > a)
		t = b ? t + b - (a > c->started ? a : c->started) : INT64_MAX;
	return t;
}

static void
arm(struct card *c)
{
	struct itimerspec it = {0};
	int64_t t = 0;
	if (c->page[PAGE_NO_ROOM_CALLS])
		t = 1;
	else if (c->started)
		t = time_of(
		    c, c->written + (int64_t)c->io.period_size - (int64_t)c->io.buffer_size);
	if (t != INT64_MAX && t > 0)
		it.it_value = (struct timespec){t / NS_PER_S, t % NS_PER_S};
	timerfd_settime(c->io.poll_fd, TFD_TIMER_ABSTIME, &it, NULL);
}

static int
fault(const struct card *c)
{
	return c->page[PAGE_GONE] ? -ENODEV : c->page[PAGE_EIO] ? -EIO : 0;
}

static void
show_played(struct card *c)
{
	c->page[PAGE_PLAYED] = c->played_before + c->seen;
}

static void
end_run(struct card *c, int64_t frames)
{
	c->played_before += frames;
	c->seen = 0;
	show_played(c);
	c->captured -= c->written - frames;
	c->started = c->written = 0;
}

static int
card_start(snd_pcm_ioplug_t *io)
{
	struct card *c = io->private_data;
	if (fault(c))
		return fault(c);
	c->started = now_ns();
	c->page[PAGE_STARTS]++;
	c->page[PAGE_LAST_START] = c->started;
	if (!c->page[PAGE_FIRST_START])
		c->page[PAGE_FIRST_START] = c->started;
	if (c->dry) {
		int64_t silent = c->started - c->dry;
		c->page[PAGE_SILENT_NS] += silent;
		c->page[PAGE_SILENCE + (c->page[PAGE_DRY] - 1) % 64] = silent;
		c->dry = 0;
	}
	arm(c);
	return 0;
}

static int
card_stop(snd_pcm_ioplug_t *io)
{
	struct card *c = io->private_data;
	if (c->started) {
		int64_t now = now_ns(), at = position(c, now);
		c->page[PAGE_STOPPED] = now;
		end_run(c, at < c->written ? at : c->written);
	}
	return 0;
}

static snd_pcm_sframes_t
card_pointer(snd_pcm_ioplug_t *io)
{
	struct card *c = io->private_data;
	c->page[PAGE_CALLS]++;
	if (fault(c))
		return fault(c);
	if (c->page[PAGE_SUSPENDED]) {
		card_stop(io);
		snd_pcm_ioplug_set_state(io, SND_PCM_STATE_SUSPENDED);
		return 0;
	}
	if (c->page[PAGE_STORM])
		return -EPIPE;
	if (!c->started)
		return 0;
	int64_t at = position(c, now_ns());
	if (at >= c->written) {
		c->dry = time_of(c, c->written);
		c->page[PAGE_DRY]++;
		end_run(c, c->written);
		return -EPIPE;
	}
	c->seen = at;
	show_played(c);
	return at % (int64_t)io->buffer_size;
}

static void
keep(struct card *c, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
    snd_pcm_uframes_t size)
{
	if (c->capture < 0)
		return;
	size_t bytes = areas->step / 8;
	const char *from = (const char *)areas->addr + areas->first / 8 + offset * bytes;
	if (!c->written && c->dry) // the silence that was heard; its start is only about now
		c->captured += (int64_t)((double)(now_ns() - c->dry) * rate_of(c) / 1e9);
	if (pwrite(c->capture, from, size * bytes, c->captured * (int64_t)bytes) < 0)
		abort();
	c->captured += (int64_t)size;
}

static snd_pcm_sframes_t
card_transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
    snd_pcm_uframes_t size)
{
	struct card *c = io->private_data;
	while (c->page[PAGE_CALL_HANGS])
		sleep_ns(NS_PER_S / 100);
	if (fault(c))
		return fault(c);
	if (c->page[PAGE_STALL_NS] && c->started) {
		sleep_ns(c->page[PAGE_STALL_NS]);
		c->page[PAGE_STALL_NS] = 0;
		c->page[PAGE_STALLS]++;
		if (card_pointer(io) < 0)
			return -EPIPE;
	}
	keep(c, areas, offset, size);
	c->written += (int64_t)size;
	arm(c);
	return (snd_pcm_sframes_t)size;
}

static int
card_prepare(snd_pcm_ioplug_t *io)
{
	struct card *c = io->private_data;
	card_stop(io);
	arm(c);
	return fault(c);
}

static int
card_resume(snd_pcm_ioplug_t *io)
{
	struct card *c = io->private_data;
	return c->page[PAGE_SUSPENDED] ? -EAGAIN : -ENOSYS;
}

static int
card_revents(snd_pcm_ioplug_t *io, struct pollfd *pfd, unsigned n, unsigned short *revents)
{
	(void)n;
	struct card *c = io->private_data;
	*revents = pfd->revents & POLLIN ? POLLOUT : 0;
	if (!*revents || c->page[PAGE_NO_ROOM_CALLS] || !c->started)
		return 0;
	int64_t room = c->written + (int64_t)io->period_size - (int64_t)io->buffer_size;
	if (!fault(c) && !c->page[PAGE_STORM] && !c->page[PAGE_SUSPENDED] &&
	    position(c, now_ns()) < room) {
		*revents = 0;
		arm(c);
	}
	return 0;
}

static int
card_close(snd_pcm_ioplug_t *io)
{
	struct card *c = io->private_data;
	card_stop(io);
	if (c->capture >= 0) {
		if (ftruncate(c->capture, c->captured * (io->channels * 2L)) < 0)
			abort();
		close(c->capture);
	}
	c->page[PAGE_CLOSES]++;
	close(io->poll_fd);
	munmap((void *)c->page, PAGE_FIELDS * sizeof *c->page);
	free(c);
	return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = card_start,
    .stop = card_stop,
    .pointer = card_pointer,
    .transfer = card_transfer,
    .prepare = card_prepare,
    .resume = card_resume,
    .poll_revents = card_revents,
    .close = card_close,
};

static int
range(
    struct card *c, int type, int64_t lo, int64_t hi, unsigned otherwise_lo, unsigned otherwise_hi)
{
	return snd_pcm_ioplug_set_param_minmax(
	    &c->io, type, lo ? (unsigned)lo : otherwise_lo, hi ? (unsigned)hi : otherwise_hi);
}

static int
constrain(struct card *c)
{
	static const unsigned access[] = {
	    SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED}; // mmap for plug
	static const unsigned formats[] = {SND_PCM_FORMAT_S16_LE};
	unsigned powers[16];
	for (int i = 0; i < 16; i++)
		powers[i] = 64u << i;
	volatile int64_t *p = c->page;
	int r = snd_pcm_ioplug_set_param_list(&c->io, SND_PCM_IOPLUG_HW_ACCESS, 2, access);
	r |= snd_pcm_ioplug_set_param_list(&c->io, SND_PCM_IOPLUG_HW_FORMAT, 1, formats);
	r |= range(c, SND_PCM_IOPLUG_HW_CHANNELS, p[PAGE_CHANNELS], p[PAGE_CHANNELS], 1, 2);
	r |= range(c, SND_PCM_IOPLUG_HW_RATE, p[PAGE_RATE], p[PAGE_RATE], 8000, 192000);
	if (p[PAGE_PERIOD_POWER])
		r |= snd_pcm_ioplug_set_param_list(
		    &c->io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 16, powers);
	else
		r |= range(c, SND_PCM_IOPLUG_HW_PERIOD_BYTES, p[PAGE_PERIOD_MIN] * 4,
		    p[PAGE_PERIOD_MAX] * 4, 32, 1 << 20);
	r |= range(c, SND_PCM_IOPLUG_HW_BUFFER_BYTES, p[PAGE_BUFFER_MIN] * 4,
	    p[PAGE_BUFFER_MAX] * 4, 64, 4 << 20);
	r |= snd_pcm_ioplug_set_param_minmax(&c->io, SND_PCM_IOPLUG_HW_PERIODS, 2, 64);
	return r;
}

static volatile int64_t *
map_page(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *p = fd < 0 ? MAP_FAILED
			 : mmap(NULL, PAGE_FIELDS * sizeof(int64_t), PROT_READ | PROT_WRITE,
			       MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static int
open_card(snd_pcm_t **pcm, const char *name, const char *page, const char *capture,
    snd_pcm_stream_t stream, int mode)
{
	struct card *c = calloc(1, sizeof *c);
	if (!c || !page || !(c->page = map_page(page))) {
		free(c);
		return -ENOENT;
	}
	c->page[PAGE_OPEN_TRIES]++;
	while (c->page[PAGE_OPEN_HANGS])
		sleep_ns(NS_PER_S / 100);
	int r = c->page[PAGE_OPEN_ERROR] ? -(int)c->page[PAGE_OPEN_ERROR] : fault(c);
	c->io.version = SND_PCM_IOPLUG_VERSION;
	c->io.name = "stutter's test card";
	c->io.callback = &callbacks;
	c->io.private_data = c;
	c->io.poll_events = POLLIN;
	c->capture = -1;
	c->io.poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (!r && stream != SND_PCM_STREAM_PLAYBACK)
		r = -EINVAL;
	if (!r && capture)
		c->capture = open(capture, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (c->capture >= 0)
		c->captured = lseek(c->capture, 0, SEEK_END) / 4;
	if (!r)
		r = snd_pcm_ioplug_create(&c->io, name, stream, mode);
	if (!r && (r = constrain(c)) < 0) {
		snd_pcm_ioplug_delete(&c->io);
		return r;
	}
	if (r) {
		close(c->io.poll_fd);
		munmap((void *)c->page, PAGE_FIELDS * sizeof *c->page);
		free(c);
		return r;
	}
	c->played_before = c->page[PAGE_PLAYED];
	c->page[PAGE_OPENS]++;
	*pcm = c->io.pcm;
	return 0;
}

SND_PCM_PLUGIN_DEFINE_FUNC(stutter)
{
	(void)root;
	const char *page = NULL, *capture = NULL;
	snd_config_iterator_t i, next;
	snd_config_for_each(i, next, conf)
	{
		snd_config_t *n = snd_config_iterator_entry(i);
		const char *id;
		if (snd_config_get_id(n, &id) < 0 || !strcmp(id, "comment") ||
		    !strcmp(id, "type") || !strcmp(id, "hint"))
			continue;
		if (!strcmp(id, "page"))
			snd_config_get_string(n, &page);
		else if (!strcmp(id, "capture"))
			snd_config_get_string(n, &capture);
		else
			return -EINVAL;
	}
	return open_card(pcmp, name, page, capture, stream, mode);
}

SND_PCM_PLUGIN_SYMBOL(stutter);
