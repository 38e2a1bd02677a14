// Lists the playback devices that libasound knows and asks each what it can do.
// Must not know who shows them.
#include "probe/devices.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "probe/audio_alsa.h"

#define ROWS_MOST 64
#define PATIENCE_NS (1500 * NS_PER_MS)
#define LOOK_NS (10 * NS_PER_MS)

struct device_job {
	struct device_row row; // the thread's until `done`
	atomic_bool done;
};

struct devices {
	atomic_int users; // the caller and each thread: the last frees it
	int64_t until_ns;
	atomic_int jobs;    // rows that are there
	atomic_bool listed; // no more will come
	struct device_job job[ROWS_MOST];
	struct device_row shown[ROWS_MOST]; // the caller's
};

struct work {
	struct devices *d;
	struct device_job *job;
};

static void
drop(struct devices *d)
{
	if (atomic_fetch_sub(&d->users, 1) == 1)
		free(d);
}

static int
start_thread(struct devices *d, void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t id;
	sigset_t all, before;
	atomic_fetch_add(&d->users, 1);
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&id, &attr, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (error)
		drop(d);
	return error;
}

static struct device_span
frames(int (*least)(const snd_pcm_hw_params_t *, snd_pcm_uframes_t *),
    int (*most)(const snd_pcm_hw_params_t *, snd_pcm_uframes_t *), const snd_pcm_hw_params_t *hw)
{
	snd_pcm_uframes_t a = 0, b = 0;
	least(hw, &a);
	most(hw, &b);
	return (struct device_span){(unsigned)a, b > 1u << 30 ? 1u << 30 : (unsigned)b};
}

static int
least_period(const snd_pcm_hw_params_t *hw, snd_pcm_uframes_t *v)
{
	return snd_pcm_hw_params_get_period_size_min(hw, v, NULL);
}

static int
most_period(const snd_pcm_hw_params_t *hw, snd_pcm_uframes_t *v)
{
	return snd_pcm_hw_params_get_period_size_max(hw, v, NULL);
}

static void
read_ranges(snd_pcm_t *pcm, struct device_row *r)
{
	snd_pcm_hw_params_t *hw;
	snd_pcm_hw_params_alloca(&hw);
	if (snd_pcm_hw_params_any(pcm, hw) < 0)
		return;
	snd_pcm_hw_params_get_rate_min(hw, &r->rate.least, NULL);
	snd_pcm_hw_params_get_rate_max(hw, &r->rate.most, NULL);
	snd_pcm_hw_params_get_channels_min(hw, &r->channels.least);
	snd_pcm_hw_params_get_channels_max(hw, &r->channels.most);
	r->period = frames(least_period, most_period, hw);
	r->buffer = frames(
	    snd_pcm_hw_params_get_buffer_size_min, snd_pcm_hw_params_get_buffer_size_max, hw);
}

// libjack makes a folder of shared memory even where no server runs. One that was not there before goes again.
static void
take_away(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *f;
	while (d && (f = readdir(d)))
		if (strcmp(f->d_name, ".") && strcmp(f->d_name, ".."))
			unlinkat(dirfd(d), f->d_name, 0);
	if (d)
		closedir(d);
	rmdir(folder);
}

static void *
ask(void *arg)
{
	struct work w = *(struct work *)arg;
	free(arg);
	struct device_row *r = &w.job->row;
	snd_pcm_t *pcm;
	char jack[64];
	snprintf(jack, sizeof jack, "/dev/shm/jack_db-%u", (unsigned)geteuid());
	bool made = strstr(r->name, "jack") && access(jack, F_OK);
	audio_quiet(r->name);
	int error = snd_pcm_open(&pcm, r->name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK);
	if (!error) {
		r->hardware = audio_way(pcm, r->via, sizeof r->via);
		read_ranges(pcm, r);
		r->state = DEVICE_FREE;
		atomic_store(&w.job->done, true);
		snd_pcm_close(pcm);
	} else {
		r->state = error == -EBUSY ? DEVICE_BUSY : DEVICE_FAILED;
		r->error = -error;
		if (made)
			take_away(jack);
		atomic_store(&w.job->done, true);
	}
	drop(w.d);
	return NULL;
}

static void
add(struct devices *d, const char *name, const char *title, bool hardware)
{
	int n = atomic_load(&d->jobs);
	if (n == ROWS_MOST || strlen(name) >= sizeof d->job[n].row.name)
		return;
	struct device_job *j = &d->job[n];
	struct device_row *r = &j->row;
	strcpy(r->name, name);
	text_safe(r->title, sizeof r->title, title ? title : "");
	r->hardware = hardware;
	r->state = DEVICE_LOOKING;
	bool clock = !strcmp(name, "none");
	if (clock) {
		r->clock = true;
		r->state = DEVICE_FREE;
		j->done = true;
	}
	d->shown[n] = *r;
	struct work *w = clock ? NULL : malloc(sizeof *w);
	if (w) {
		*w = (struct work){d, j};
		if (start_thread(d, ask, w))
			free(w);
	}
	atomic_store(&d->jobs, n + 1);
}

static void
add_card(struct devices *d, snd_ctl_t *ctl, int card)
{
	snd_ctl_card_info_t *ci;
	snd_pcm_info_t *pi;
	snd_ctl_card_info_alloca(&ci);
	snd_pcm_info_alloca(&pi);
	if (snd_ctl_card_info(ctl, ci) < 0)
		return;
	for (int dev = -1; snd_ctl_pcm_next_device(ctl, &dev) >= 0 && dev >= 0;) {
		char name[32], title[160];
		snd_pcm_info_set_device(pi, (unsigned)dev);
		snd_pcm_info_set_subdevice(pi, 0);
		snd_pcm_info_set_stream(pi, SND_PCM_STREAM_PLAYBACK);
		if (snd_ctl_pcm_info(ctl, pi) < 0)
			continue;
		snprintf(name, sizeof name, dev ? "hw:%d,%d" : "hw:%d", card, dev);
		snprintf(title, sizeof title, "%s, %s", snd_ctl_card_info_get_name(ci),
		    snd_pcm_info_get_name(pi));
		add(d, name, title, true);
	}
}

static void
add_cards(struct devices *d)
{
	for (int card = -1; snd_card_next(&card) >= 0 && card >= 0;) {
		char name[16];
		snd_ctl_t *ctl;
		snprintf(name, sizeof name, "hw:%d", card);
		if (snd_ctl_open(&ctl, name, SND_CTL_NONBLOCK) < 0)
			continue;
		add_card(d, ctl, card);
		snd_ctl_close(ctl);
	}
}

// Names that stand for a card in yet another way ("front:CARD=...") are left out: the cards are
// there already.
static void
add_plugins(struct devices *d)
{
	void **hints;
	if (snd_device_name_hint(-1, "pcm", &hints) < 0)
		return;
	for (void **h = hints; *h; h++) {
		char *name = snd_device_name_get_hint(*h, "NAME");
		char *title = snd_device_name_get_hint(*h, "DESC");
		char *way = snd_device_name_get_hint(*h, "IOID");
		if (name && !strchr(name, ':') && (!way || strcmp(way, "Input")) &&
		    strcmp(name, "null")) {
			for (char *c = title; c && *c; c++)
				if (*c == '\n')
					*c = ' ';
			add(d, name, title, false);
		}
		free(name);
		free(title);
		free(way);
	}
	snd_device_name_free_hint(hints);
}

static void *
look(void *arg)
{
	struct devices *d = arg;
	add_cards(d);
	add_plugins(d);
	add(d, "none", "no card: the stream is paced by the clock", false);
	atomic_store(&d->listed, true);
	drop(d);
	return NULL;
}

struct devices *
devices_look(struct err *e)
{
	struct devices *d = calloc(1, sizeof *d);
	if (!d) {
		err_set(e, "no memory for the list of devices");
		return NULL;
	}
	audio_quiet("");
	d->users = 1;
	d->until_ns = clock_now_ns() + PATIENCE_NS;
	if ((errno = start_thread(d, look, d))) {
		err_set(e, "cannot look for devices:");
		drop(d);
		return NULL;
	}
	return d;
}

bool
devices_rows(struct devices *d, const struct device_row **rows, int *n)
{
	bool late = clock_now_ns() >= d->until_ns, all = atomic_load(&d->listed);
	*n = atomic_load(&d->jobs);
	*rows = d->shown;
	for (int i = 0; i < *n; i++) {
		if (atomic_load(&d->job[i].done))
			d->shown[i] = d->job[i].row;
		else if (late)
			d->shown[i].state = DEVICE_HANGS;
		else
			all = false;
	}
	return all || late;
}

void
devices_free(struct devices *d)
{
	if (d)
		drop(d);
}

int
devices_list(struct device_row **rows, int *n, struct err *e)
{
	struct devices *d = devices_look(e);
	if (!d)
		return -1;
	const struct device_row *from;
	while (!devices_rows(d, &from, n))
		nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
	*rows = calloc((size_t)*n + 1, sizeof **rows);
	if (*rows)
		memcpy(*rows, from, (size_t)*n * sizeof **rows);
	devices_free(d);
	return *rows ? 0 : err_set(e, "no memory for the list of devices");
}

const char *
device_kind_text(const struct device_row *r, char *buf, size_t size)
{
	if (r->clock)
		snprintf(buf, size, "clock");
	else if (r->hardware)
		snprintf(buf, size, *r->via ? "hardware (%s)" : "hardware", r->via);
	else
		snprintf(buf, size, *r->via ? "plugin (%s)" : "plugin", r->via);
	return buf;
}

const char *
device_state_text(const struct device_row *r, char *buf, size_t size)
{
	char text[96];
	switch (r->state) {
	case DEVICE_LOOKING:
		snprintf(buf, size, "...");
		break;
	case DEVICE_FREE:
		snprintf(buf, size, "free");
		break;
	case DEVICE_BUSY:
		snprintf(buf, size, "busy");
		break;
	case DEVICE_HANGS:
		snprintf(buf, size, "does not answer");
		break;
	case DEVICE_FAILED:
		snprintf(buf, size, "%s",
		    r->error == ENOENT || r->error == ENODEV
			? "not there"
			: strerror_r(r->error, text, sizeof text));
		break;
	}
	return buf;
}
