// Drives a playback device through libasound. Never a blocking write; opening and closing may hang
// all the same. Must not know what is measured.
#include "probe/audio_alsa.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "probe/audio_dev.h"

#define POLL_FDS 16

struct audio_dev {
	snd_pcm_t *pcm;
	snd_pcm_status_t *status;
	int64_t written, seen; // of this run
	snd_pcm_uframes_t buffer;
	bool started;
	int fds;
	struct pollfd fd[POLL_FDS];
};

static const snd_pcm_format_t formats[] = {SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S32_LE,
    SND_PCM_FORMAT_S24_LE, SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_FLOAT_LE, SND_PCM_FORMAT_S16_BE,
    SND_PCM_FORMAT_S32_BE};

static int
set_format(snd_pcm_t *pcm, snd_pcm_hw_params_t *hw, bool silent)
{
	int r = -EINVAL;
	size_t n = silent ? sizeof formats / sizeof *formats : 1;
	for (size_t i = 0; r < 0 && i < n; i++)
		r = snd_pcm_hw_params_set_format(pcm, hw, formats[i]);
	return r;
}

// Rate, channels and format; 1 where they are not those asked although they must be.
static int
set_sound(snd_pcm_t *pcm, snd_pcm_hw_params_t *hw, const struct audio_want *w, struct audio_got *g,
    bool plug)
{
	g->channels = w->channels;
	g->rate = w->rate;
	int r = set_format(pcm, hw, w->silent);
	if (r < 0)
		return plug ? r : 1;
	r = snd_pcm_hw_params_set_channels_near(pcm, hw, &g->channels);
	if (r < 0 || (!w->silent && g->channels != w->channels))
		return plug ? (r < 0 ? r : -EINVAL) : 1;
	// Without resampling a plugin leaves the device's own rates only, for good: so it is tried
	// on a copy.
	snd_pcm_hw_params_t *own;
	snd_pcm_hw_params_alloca(&own);
	snd_pcm_hw_params_copy(own, hw);
	snd_pcm_hw_params_set_rate_resample(pcm, own, 0);
	if (!w->exact || !snd_pcm_hw_params_test_rate(pcm, own, w->rate, 0)) {
		snd_pcm_hw_params_set_rate_resample(pcm, hw, 0);
		return snd_pcm_hw_params_set_rate_near(pcm, hw, &g->rate, NULL);
	}
	g->converted = true;
	r = snd_pcm_hw_params_set_rate_near(pcm, hw, &g->rate, NULL);
	return r < 0 ? r : g->rate != w->rate ? (plug ? -EINVAL : 1) : 0;
}

static int
set_hw(snd_pcm_t *pcm, const struct audio_want *w, struct audio_got *g, bool plug)
{
	snd_pcm_hw_params_t *hw;
	snd_pcm_hw_params_alloca(&hw);
	int r = snd_pcm_hw_params_any(pcm, hw);
	if (r >= 0)
		r = snd_pcm_hw_params_set_access(pcm, hw, SND_PCM_ACCESS_RW_INTERLEAVED);
	if (r >= 0)
		r = set_sound(pcm, hw, w, g, plug);
	if (r)
		return r;
	snd_pcm_uframes_t period = w->period_frames, buffer;
	snd_pcm_hw_params_set_period_size_near(pcm, hw, &period, NULL);
	buffer = period * w->periods;
	snd_pcm_hw_params_set_buffer_size_near(pcm, hw, &buffer);
	if ((r = snd_pcm_hw_params(pcm, hw)) < 0)
		return r;
	snd_pcm_hw_params_get_period_size(hw, &period, NULL);
	snd_pcm_hw_params_get_buffer_size(hw, &buffer);
	snd_pcm_format_t format;
	snd_pcm_hw_params_get_format(hw, &format);
	if (!period || buffer < period)
		return -EINVAL;
	g->period_frames = (unsigned)period;
	g->buffer_frames = (unsigned)buffer;
	g->frame_bytes = (unsigned)snd_pcm_format_physical_width(format) / 8 * g->channels;
	return 0;
}

static int
set_sw(snd_pcm_t *pcm, const struct audio_got *g)
{
	snd_pcm_sw_params_t *sw;
	snd_pcm_sw_params_alloca(&sw);
	int r = snd_pcm_sw_params_current(pcm, sw);
	if (r < 0)
		return r;
	snd_pcm_uframes_t boundary;
	snd_pcm_sw_params_get_boundary(sw, &boundary);
	snd_pcm_sw_params_set_start_threshold(pcm, sw, boundary);
	snd_pcm_sw_params_set_stop_threshold(pcm, sw, g->buffer_frames);
	snd_pcm_sw_params_set_avail_min(pcm, sw, g->period_frames);
	snd_pcm_sw_params_set_tstamp_mode(pcm, sw, SND_PCM_TSTAMP_ENABLE);
	snd_pcm_sw_params_set_tstamp_type(pcm, sw, SND_PCM_TSTAMP_TYPE_MONOTONIC);
	return snd_pcm_sw_params(pcm, sw);
}

static void
say_nothing(const char *file, int line, const char *function, int error, const char *fmt, ...)
{
	(void)file;
	(void)line;
	(void)function;
	(void)error;
	(void)fmt;
}

static void
say_nothing_either(const char *text)
{
	(void)text;
}

void
audio_quiet(const char *device)
{
	static const char *const setters[] = {"jack_set_error_function", "jack_set_info_function"};
	snd_lib_error_set_handler(say_nothing);
	void *jack = strstr(device, "jack") ? dlopen("libjack.so.0", RTLD_LAZY) : NULL;
	for (int i = 0; jack && i < 2; i++) {
		void (*set)(void (*)(const char *)) =
		    (void (*)(void (*)(const char *)))dlsym(jack, setters[i]);
		if (set)
			set(say_nothing_either);
	}
}

// libasound's description of a PCM begins with its outermost plugin: "Plug PCM: ...", "ALSA <->
// JACK PCM I/O Plugin".
bool
audio_way(snd_pcm_t *pcm, char *via, size_t size)
{
	static const char head[] = "ALSA <-> ", tail[] = " PCM I/O Plugin";
	snd_output_t *out;
	char *text = NULL;
	*via = '\0';
	if (snd_pcm_type(pcm) == SND_PCM_TYPE_HW)
		return true;
	if (snd_output_buffer_open(&out) < 0) {
		snprintf(via, size, "%s", snd_pcm_type_name(snd_pcm_type(pcm)));
		return false;
	}
	snd_pcm_dump(pcm, out);
	size_t n = snd_output_buffer_string(out, &text);
	bool hardware =
	    text && !memmem(text, n, "Direct ", 7) && memmem(text, n, "Hardware PCM card", 17);
	const char *end = text ? memchr(text, '\n', n) : NULL;
	size_t line = end ? (size_t)(end - text) : text ? n : 0;
	const char *cut = memmem(text ? text : "", line, tail, sizeof tail - 1);
	size_t from =
	    line > sizeof head && !strncmp(text, head, sizeof head - 1) ? sizeof head - 1 : 0;
	if (cut)
		line = (size_t)(cut - text);
	char name[96];
	snprintf(name, sizeof name, "%.*s", (int)(line - from), text ? text + from : "");
	text_safe(via, size, name);
	snd_output_close(out);
	return hardware;
}

static int
open_as(struct audio_dev *d, const char *name, const struct audio_want *w, struct audio_got *g,
    bool plug)
{
	*g = (struct audio_got){.converted = plug};
	audio_quiet(name);
	int r = snd_pcm_open(&d->pcm, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK);
	if (r < 0) {
		d->pcm = NULL;
		return r;
	}
	r = set_hw(d->pcm, w, g, plug);
	if (!r)
		r = set_sw(d->pcm, g);
	if (!r) {
		d->buffer = g->buffer_frames;
		g->hardware = audio_way(d->pcm, g->via, sizeof g->via);
		return 0;
	}
	snd_pcm_close(d->pcm);
	d->pcm = NULL;
	return r;
}

static struct audio_dev *
open_alsa(const struct audio_want *w, struct audio_got *g, int *error)
{
	struct audio_dev *d = calloc(1, sizeof *d);
	if (!d || snd_pcm_status_malloc(&d->status) < 0) {
		free(d);
		*error = ENOMEM;
		return NULL;
	}
	int r = open_as(d, w->device, w, g, false);
	if (r > 0) {
		char name[AUDIO_NAME_MAX + 16];
		snprintf(name, sizeof name, "plug:SLAVE='%s'", w->device);
		r = open_as(d, name, w, g, true);
	}
	if (!r) {
		d->fds = snd_pcm_poll_descriptors_count(d->pcm);
		if (d->fds < 1 || d->fds > POLL_FDS)
			r = -ENOTSUP;
		else
			d->fds = snd_pcm_poll_descriptors(d->pcm, d->fd, POLL_FDS);
	}
	if (!r)
		return d;
	*error = -r;
	if (d->pcm)
		snd_pcm_close(d->pcm);
	snd_pcm_status_free(d->status);
	free(d);
	return NULL;
}

static void
close_alsa(struct audio_dev *d)
{
	snd_pcm_close(d->pcm);
	snd_pcm_status_free(d->status);
	free(d);
}

static int
prepare(struct audio_dev *d)
{
	d->written = d->seen = 0;
	d->started = false;
	snd_pcm_state_t state = snd_pcm_state(d->pcm);
	if (state == SND_PCM_STATE_SUSPENDED && snd_pcm_resume(d->pcm) == -EAGAIN)
		return -EAGAIN;
	if (state == SND_PCM_STATE_RUNNING || state == SND_PCM_STATE_SUSPENDED)
		snd_pcm_drop(d->pcm);
	int r = snd_pcm_prepare(d->pcm);
	return r < 0 ? r : 0;
}

static int
start(struct audio_dev *d)
{
	int r = snd_pcm_start(d->pcm);
	d->started = r >= 0;
	return r < 0 ? r : 0;
}

static int
wait_alsa(struct audio_dev *d, int64_t until_ns)
{
	int64_t left = until_ns - clock_now_ns();
	struct timespec ts = clock_timespec(left > 0 ? left : 0);
	int r = ppoll(d->fd, (nfds_t)d->fds, &ts, NULL);
	if (r <= 0)
		return r < 0 && errno != EINTR ? -errno : 0;
	unsigned short events = 0;
	r = snd_pcm_poll_descriptors_revents(d->pcm, d->fd, (unsigned)d->fds, &events);
	return r < 0 ? r : (events & (POLLOUT | POLLERR)) != 0;
}

static int
state_error(snd_pcm_state_t state)
{
	switch (state) {
	case SND_PCM_STATE_XRUN:
		return -EPIPE;
	case SND_PCM_STATE_SUSPENDED:
		return -ESTRPIPE;
	case SND_PCM_STATE_DISCONNECTED:
		return -ENODEV;
	case SND_PCM_STATE_OPEN:
	case SND_PCM_STATE_SETUP:
		return -EBADFD;
	default:
		return 0;
	}
}

static int
look(struct audio_dev *d, struct audio_place *p)
{
	int64_t before = clock_now_ns();
	int r = snd_pcm_status(d->pcm, d->status);
	if (r < 0)
		return r;
	p->t_ns = clock_now_ns();
	if ((r = state_error(snd_pcm_status_get_state(d->status))))
		return r;
	int64_t avail = (int64_t)snd_pcm_status_get_avail(d->status);
	int64_t at = d->written - (int64_t)d->buffer + avail;
	at = at > d->written ? d->written : at;
	d->seen = p->frames = at > d->seen ? at : d->seen;
	snd_htimestamp_t stamp;
	snd_pcm_status_get_htstamp(d->status, &stamp);
	int64_t ns = clock_from_timespec(&stamp);
	if (ns > 0 && ns <= p->t_ns && before - ns < NS_PER_S)
		p->t_ns = ns;
	return 0;
}

static int
write_alsa(struct audio_dev *d, const void *frames, int n)
{
	snd_pcm_sframes_t r = snd_pcm_writei(d->pcm, frames, (snd_pcm_uframes_t)n);
	if (r == -EAGAIN)
		return 0;
	if (r > 0)
		d->written += r;
	return (int)r;
}

const struct audio_driver audio_alsa = {
    .open = open_alsa,
    .close = close_alsa,
    .prepare = prepare,
    .start = start,
    .wait = wait_alsa,
    .look = look,
    .write = write_alsa,
};
