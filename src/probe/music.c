// Decodes sounds through libsndfile into memory that cannot be paged out.
// Must not know of devices.
#include "probe/music.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sndfile.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_FRAMES 16384
#define CHANNELS_MOST 8
#define RATE_LEAST 4000
#define RATE_MOST 384000
#define TONE_SECONDS 2
#define TONE_LEVEL 8192

static SNDFILE *
open_file(const char *path, SF_INFO *info, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	if (fd < 0 || fstat(fd, &st)) {
		err_set(e, "cannot play %s:", path);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		err_set(e, "cannot play %s: not a file", path);
		return NULL;
	}
	*info = (SF_INFO){0};
	SNDFILE *f = sf_open_fd(fd, SFM_READ, info, 1);
	if (!f) {
		err_set(e, "cannot play %s: %s", path, sf_strerror(NULL));
		return NULL;
	}
	if (info->channels < 1 || info->channels > CHANNELS_MOST || info->samplerate < RATE_LEAST ||
	    info->samplerate > RATE_MOST || info->frames < 1) {
		err_set(e,
		    "cannot play %s: %d channels at %d Hz (allowed are 1 to %d at %d to %d Hz)",
		    path, info->channels, info->samplerate, CHANNELS_MOST, RATE_LEAST, RATE_MOST);
		sf_close(f);
		return NULL;
	}
	sf_command(f, SFC_SET_CLIPPING, NULL, SF_TRUE); // beyond full scale is cut off, not wrapped
	return f;
}

static struct music *
new_music(unsigned rate, unsigned channels, struct err *e)
{
	struct music *m = calloc(1, sizeof *m);
	if (!m) {
		err_set(e, "no memory for a sound");
		return NULL;
	}
	m->rate = rate;
	m->channels = channels;
	m->users = 1;
	return m;
}

struct music *
music_open(const char *path, struct err *e)
{
	SF_INFO info;
	SNDFILE *f = open_file(path, &info, e);
	if (!f)
		return NULL;
	sf_close(f);
	struct music *m = new_music((unsigned)info.samplerate, (unsigned)info.channels, e);
	if (m) {
		m->file = true;
		m->whole_frames = info.frames;
	}
	return m;
}

static int
take_memory(struct music *m, int64_t frames, struct err *e)
{
	m->bytes = (size_t)frames * m->channels * sizeof *m->data;
	void *p = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return err_set(e, "no memory for a sound of %zu bytes:", m->bytes);
	m->data = p;
	m->unlocked = mlock2(p, m->bytes, MLOCK_ONFAULT) != 0;
	return 0;
}

// Only what was decoded is kept.
static void
trim(struct music *m)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t used = (size_t)m->frames * m->channels * sizeof *m->data;
	used = (used + page - 1) / page * page;
	if (used < m->bytes) {
		munmap((char *)m->data + used, m->bytes - used);
		m->bytes = used;
	}
	if (!used)
		m->data = NULL;
}

// As many frames as are there of N; libsndfile makes whole numbers of all but files of floating
// point.
static sf_count_t
read_frames(SNDFILE *f, const SF_INFO *info, int16_t *to, sf_count_t n)
{
	int type = info->format & SF_FORMAT_SUBMASK;
	if (type != SF_FORMAT_FLOAT && type != SF_FORMAT_DOUBLE)
		return sf_readf_short(f, to, n);
	float part[CHANNELS_MOST * 256];
	sf_count_t got = 0, r = 1;
	while (got < n && r > 0) {
		r = sf_readf_float(f, part, n - got < 256 ? n - got : 256);
		for (sf_count_t i = 0; i < r * info->channels; i++)
			to[got * info->channels + i] =
			    (int16_t)lrintf(fmaxf(-32768, fminf(32767, part[i] * 32768)));
		got += r > 0 ? r : 0;
	}
	return got;
}

int
music_decode(struct music *m, const char *path, const atomic_bool *stop, struct err *e)
{
	SF_INFO info;
	SNDFILE *f = open_file(path, &info, e);
	if (!f)
		return -1;
	if ((unsigned)info.channels != m->channels || (unsigned)info.samplerate != m->rate) {
		sf_close(f);
		return err_set(e, "cannot play %s: it changed", path);
	}
	int64_t most = (int64_t)(MUSIC_BYTES_MOST / sizeof *m->data / m->channels);
	if (most > (int64_t)m->rate * MUSIC_SECONDS_MOST)
		most = (int64_t)m->rate * MUSIC_SECONDS_MOST;
	if (most > info.frames)
		most = info.frames;
	if (take_memory(m, most, e)) {
		sf_close(f);
		return -1;
	}
	sf_count_t n = 1;
	while (n > 0 && m->frames < most && !atomic_load(stop)) {
		int64_t left = most - m->frames;
		n = read_frames(f, &info, m->data + m->frames * m->channels,
		    left < CHUNK_FRAMES ? left : CHUNK_FRAMES);
		m->frames += n > 0 ? n : 0;
	}
	if (m->frames < most && m->whole_frames == info.frames)
		m->whole_frames = m->frames; // the header promised more than there is
	int failed = sf_error(f);
	sf_close(f);
	trim(m);
	if (!m->frames)
		return err_set(e, "cannot play %s: %s", path,
		    failed ? sf_error_number(failed) : "no sound in it");
	return 0;
}

struct music *
music_tone(double hz, unsigned rate, unsigned channels, struct err *e)
{
	struct music *m = new_music(rate, channels, e);
	if (!m || hz <= 0) {
		if (m)
			m->silent = true;
		return m;
	}
	// A whole number of waves in a whole number of frames, so that the round has no click.
	double waves = fmax(1, floor(hz * TONE_SECONDS));
	m->frames = llround(waves * rate / hz);
	if (m->frames < 2)
		m->frames = 2;
	m->whole_frames = m->frames;
	if (take_memory(m, m->frames, e)) {
		music_free(m);
		return NULL;
	}
	for (int64_t i = 0; i < m->frames; i++)
		for (unsigned c = 0; c < channels; c++)
			m->data[i * channels + c] = (int16_t)lrint(
			    TONE_LEVEL * sin(2 * M_PI * waves * (double)i / (double)m->frames));
	return m;
}

struct music *
music_share(struct music *m)
{
	atomic_fetch_add(&m->users, 1);
	return m;
}

void
music_free(struct music *m)
{
	if (!m || atomic_fetch_sub(&m->users, 1) > 1)
		return;
	if (m->data)
		munmap(m->data, m->bytes);
	free(m);
}

const int16_t *
music_look(const struct music *m, int *n)
{
	if (*n > m->frames - m->next)
		*n = (int)(m->frames - m->next);
	return m->data + m->next * m->channels;
}

void
music_skip(struct music *m, int64_t n)
{
	if (!m->silent)
		m->next = (m->next + n) % m->frames;
}
