// Writes the lines of a recording through a thread of its own, so that a slow, full or hanging disk stalls nothing.
// Must not know what the lines say.
#include "session/record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "session/private.h"
#include "session/record_pack.h"
#include "session/record_text.h"
#include "session/replay.h"

#define QUEUE_BYTES (8u << 20) // what may wait for the disk: about half an hour at the defaults
#define STOP_PATIENCE_S 3      // for a disk that hangs, at the end
#define FINE_BYTES (2u << 20)  // of ticks before they are packed: some minutes at the defaults

struct line {
	struct line *next;
	bool packed;              // to be put in place of all ticks since the last such
	size_t len;
	char text[];
};

// Shared with the writer, which outlives the session where its disk hangs; the last one of the two frees it.
struct writer {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct line *first, **last;
	size_t queued;
	bool ending;
	int users;
	int fd;
	bool regular;
	off_t good;               // bytes that end with a whole line
	off_t fine;               // where the ticks begin that are not packed yet; 0: after the first line, the header
	_Atomic int64_t written;
	_Atomic int error;        // errno value; 0: none
};

struct recorder {
	struct writer *w;
	pthread_t thread;
	struct record_state state;
	struct text_out line;
	struct packer *packer;    // NULL: a stream, or no memory for one
	size_t fine_bytes;
	bool overflow;
	int64_t from_ns;          // where in the session it began
	char path[512];           // "": not a file
};

static void
writer_release(struct writer *w)
{
	pthread_mutex_lock(&w->lock);
	int left = --w->users;
	pthread_mutex_unlock(&w->lock);
	if (left)
		return;
	while (w->first) {
		struct line *l = w->first;
		w->first = l->next;
		free(l);
	}
	close(w->fd);
	pthread_cond_destroy(&w->more);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

// Back to the last whole line. Returns ERROR.
static int
take_back(struct writer *w, int error)
{
	if (w->regular && ftruncate(w->fd, w->good) == 0)
		lseek(w->fd, w->good, SEEK_SET);
	return error;
}

// All of TEXT at the end, or none of it: 0 or an errno value.
static int
write_text(struct writer *w, const char *text, size_t len)
{
	size_t done = 0;
	while (done < len) {
		ssize_t n = write(w->fd, text + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return take_back(w, n ? errno : EIO);
		done += (size_t)n;
	}
	return 0;
}

static int
overwrite(struct writer *w, const char *text, size_t len, off_t at)
{
	size_t done = 0;
	while (done < len) {
		ssize_t n = pwrite(w->fd, text + done, len - done, at + (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : EIO;
		done += (size_t)n;
	}
	return 0;
}

// Puts the packs in L in place of the ticks that they were made of. At every moment the file can be read: the packs are
// first written at its end, then a line that says where they belong, and only then they go there. No room for them: the
// ticks stay as they are. 0, or an errno value where the file must be left as it is.
static int
write_packs(struct writer *w, const struct line *l)
{
	char redo[96];
	int n = snprintf(redo, sizeof redo, "{\"type\":\"redo\",\"at\":%lld,\"from\":%lld}\n", (long long)w->fine, (long long)w->good);
	off_t end = w->fine + (off_t)l->len;
	if (w->fine > 0 && l->len > 0 && end < w->good && !write_text(w, l->text, l->len) && !write_text(w, redo, (size_t)n)) {
		int error = overwrite(w, l->text, l->len, w->fine);
		if (error)
			return error;
		w->good = end;
		take_back(w, 0);
	}
	w->fine = w->good;
	return 0;
}

// 0 or an errno value.
static int
write_line(struct writer *w, const struct line *l)
{
	if (l->packed)
		return write_packs(w, l);
	int error = write_text(w, l->text, l->len);
	if (error)
		return error;
	w->good += (off_t)l->len;
	if (!w->fine)
		w->fine = w->good;
	return 0;
}

static void *
writer_main(void *data)
{
	struct writer *w = data;
	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->first && !w->ending)
			pthread_cond_wait(&w->more, &w->lock);
		struct line *l = w->first;
		if (!l)
			break;
		w->first = l->next;
		if (!w->first)
			w->last = &w->first;
		w->queued -= l->len;
		pthread_mutex_unlock(&w->lock);
		if (!atomic_load(&w->error)) {
			int error = write_line(w, l);
			atomic_store(&w->written, w->good);
			atomic_store(&w->error, error);
		}
		free(l);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	writer_release(w);
	return NULL;
}

// Hands TEXT to the writer; false where too much waits already.
static bool
send(struct recorder *r, const struct text_out *text, bool packed)
{
	struct writer *w = r->w;
	struct line *l = text->failed ? NULL : malloc(sizeof *l + text->len);
	bool fits = false;
	if (l) {
		l->next = NULL;
		l->packed = packed;
		l->len = text->len;
		memcpy(l->text, text->text, text->len);
		pthread_mutex_lock(&w->lock);
		fits = w->queued + l->len <= QUEUE_BYTES;
		if (fits) {
			*w->last = l;
			w->last = &l->next;
			w->queued += l->len;
			pthread_cond_signal(&w->more);
		}
		pthread_mutex_unlock(&w->lock);
	}
	if (!fits)
		free(l);
	return fits;
}

static void
send_line(struct recorder *r)
{
	if (!send(r, &r->line, false))
		r->overflow = true;
	r->fine_bytes += r->line.len;
	r->line.len = 0;
	r->line.failed = false;
}

// Where enough ticks have gathered, their packs take their place.
static void
send_packs(struct recorder *r)
{
	if (!packer_even(r->packer) || r->fine_bytes < FINE_BYTES)
		return;
	send(r, packer_text(r->packer), true); // where it does not fit the ticks stay: nothing is lost
	packer_forget_text(r->packer);
	r->fine_bytes = 0;
}

static void
look(struct session *s, struct recorder *r)
{
	int error = atomic_load(&r->w->error);
	s->record_bytes = atomic_load(&r->w->written);
	if (!error && !r->overflow)
		return;
	s->recording = false;
	if (*s->record_error)
		return;
	if (r->overflow && !error)
		snprintf(s->record_error, sizeof s->record_error, "recording stopped: its disk hangs");
	else
		snprintf(s->record_error, sizeof s->record_error, "recording stopped: %s",
		    error == EPIPE ? "the reader has gone" : strerrordesc_np(error));
}

static void
on_tick(void *data, struct session *s, const struct tick *t)
{
	struct recorder *r = data;
	look(s, r);
	if (!s->recording)
		return;
	record_tick(&r->line, s, t, &r->state);
	send_line(r);
	if (!r->packer)
		return;
	packer_tick(r->packer, s, t);
	send_packs(r);
}

static void
on_event(void *data, struct session *s, const struct event *e)
{
	struct recorder *r = data;
	if (!s->recording)
		return;
	record_event(&r->line, e);
	send_line(r);
	if (r->packer)
		packer_event(r->packer, s, e);
}

static void
on_end(void *data, struct session *s)
{
	(void)data;
	record_stop(s);
}

static int
open_target(const char *path, struct err *e)
{
	struct stat st;
	if (!strcmp(path, "-")) {
		int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		return fd < 0 ? err_set(e, "standard output cannot be written:") : fd;
	}
	bool special = !stat(path, &st) && !S_ISREG(st.st_mode);
	// Not blocking, so that a pipe without a reader is an error and no hang.
	int how = special ? O_WRONLY | O_NONBLOCK : O_RDWR | O_CREAT | O_TRUNC;
	int fd = open(path, how | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0)
		return err_set(e, "cannot record to '%.120s':", path);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static struct writer *
writer_new(int fd)
{
	struct stat st;
	struct writer *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->more, NULL);
	w->last = &w->first;
	w->users = 1;
	w->fd = fd;
	w->regular = !fstat(fd, &st) && S_ISREG(st.st_mode);
	return w;
}

static int
writer_start(struct recorder *r)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r->w->users++;
	int error = pthread_create(&r->thread, NULL, writer_main, r->w);
	if (error)
		r->w->users--;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

// Waits for the writer to write what it has: false where it hangs, and is left behind.
static bool
writer_end(struct recorder *r)
{
	struct timespec until;
	pthread_mutex_lock(&r->w->lock);
	r->w->ending = true;
	pthread_cond_signal(&r->w->more);
	pthread_mutex_unlock(&r->w->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += STOP_PATIENCE_S;
	if (!pthread_timedjoin_np(r->thread, NULL, &until))
		return true;
	pthread_detach(r->thread);
	return false;
}

static void
recorder_free(struct recorder *r)
{
	writer_release(r->w);
	packer_free(r->packer);
	out_free(&r->line);
	free(r);
}

int
record_start(struct session *s, const char *path, struct err *e)
{
	if (s->own->recorder)
		return err_set(e, "a recording to %.120s is going on", s->record_name);
	int fd = open_target(path, e);
	if (fd < 0)
		return -1;
	struct recorder *r = calloc(1, sizeof *r);
	struct writer *w = writer_new(fd);
	if (!r || !w) {
		free(r);
		free(w);
		close(fd);
		return err_set(e, "no memory for a recording");
	}
	r->w = w;
	int error = writer_start(r);
	if (error) {
		recorder_free(r);
		errno = error;
		return err_set(e, "cannot start the recording's writer:");
	}
	if (session_hook_add(s, (struct session_hook){.data = r, .tick = on_tick, .event = on_event, .end = on_end})) {
		writer_end(r);
		recorder_free(r);
		return err_set(e, "too much goes on to record as well");
	}
	r->from_ns = s->elapsed_ns;
	if (w->regular)
		snprintf(r->path, sizeof r->path, "%s", path);
	s->own->recorder = r;
	s->recording = true;
	s->record_bytes = 0;
	s->record_error[0] = 0;
	text_safe(s->record_name, sizeof s->record_name, path);
	record_header(&r->line, s, &r->state);
	send_line(r);
	r->fine_bytes = 0;
	if (w->regular)
		r->packer = packer_new(&r->state);
	return 0;
}

static void
append_summary(struct recorder *r)
{
	struct session *s = replay_load(r->path, NULL, NULL);
	int fd = s ? open(r->path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
	r->line.len = 0;
	if (s)
		record_summary(&r->line, s);
	struct writer w = {.fd = fd, .regular = fd >= 0, .good = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0};
	if (fd >= 0 && !r->line.failed)
		write_text(&w, r->line.text, r->line.len);
	if (fd >= 0)
		close(fd);
	session_free(s);
}

void
record_stop(struct session *s)
{
	struct recorder *r = s->own->recorder;
	if (!r)
		return;
	// The session's figures began before the recording did: those of the recording are what it says itself.
	bool partial = s->recording && r->from_ns > 0 && s->reset_ns < r->from_ns && *r->path;
	if (s->recording && !partial) {
		record_summary(&r->line, s);
		send_line(r);
	}
	if (!writer_end(r))
		r->overflow = true;
	look(s, r);
	if (partial && s->recording)
		append_summary(r);
	s->recording = false;
	s->own->recorder = NULL;
	session_hook_remove(s, r);
	recorder_free(r);
}
