// Reads the lines of a recording from a file or a stream and feeds them to a session.
// Must not know what they say.
#include "session/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/replay_pack.h"
#include "session/replay_parse.h"

#define BUFFER (REPLAY_LINE_MAX + (256u << 10))
#define TAIL (1u << 20)

struct replay {
	struct parser p;
	json_t *header;
	json_t *held;           // a tick that lies behind what was asked for
	struct unpack *pack;    // of which some may lie behind it
	int fd;
	bool stream, eof, summary, over; // over: what follows is no part of it
	off_t size;             // of a file, when it was opened
	off_t at;               // next byte to read
	off_t skip_from, skip_to; // a file that was killed while it was packed: read on there instead
	char *buf;
	size_t from, to;        // what of buf is not used yet
	bool skipping;          // inside a line that is too long
	int64_t end_ns, bad;
};

// Reads more into the buffer. False: nothing more now (or ever: r->eof).
static bool
fill(struct replay *r, bool wait)
{
	if (r->from) {
		memmove(r->buf, r->buf + r->from, r->to - r->from);
		r->to -= r->from;
		r->from = 0;
	}
	if (r->eof || r->to == BUFFER)
		return false;
	size_t want = BUFFER - r->to;
	if (!r->stream) {
		if (r->skip_to && r->at == r->skip_from)
			r->at = r->skip_to;
		if (r->skip_to && r->at < r->skip_from && (off_t)want > r->skip_from - r->at)
			want = (size_t)(r->skip_from - r->at);
		if (want > 256u << 10)
			want = 256u << 10;
	} else if (!wait && poll(&(struct pollfd){.fd = r->fd, .events = POLLIN}, 1, 0) <= 0) {
		return false;
	}
	ssize_t n;
	do
		n = r->stream ? read(r->fd, r->buf + r->to, want) : pread(r->fd, r->buf + r->to, want, r->at);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n <= 0) {
		r->eof = true;
		return false;
	}
	r->at += n;
	r->to += (size_t)n;
	return true;
}

// The next whole line, without its end; NULL: none for now.
static const char *
next_line(struct replay *r, size_t *len, bool wait)
{
	size_t seen = 0;
	for (;;) {
		char *start = r->buf + r->from, *end = memchr(start + seen, '\n', r->to - r->from - seen);
		if (end) {
			r->from = (size_t)(end + 1 - r->buf);
			bool skip = r->skipping || (size_t)(end - start) > REPLAY_LINE_MAX;
			r->skipping = false;
			seen = 0;
			if (!skip) {
				*len = (size_t)(end - start);
				return start;
			}
			r->bad++;
			continue;
		}
		seen = r->to - r->from;
		if (seen > REPLAY_LINE_MAX) {
			r->skipping = true;
			r->from = r->to;
			seen = 0;
		}
		if (!fill(r, wait))
			return NULL;
	}
}

static int
read_header(struct replay *r, const char *path, struct err *e)
{
	size_t len;
	json_t *j = NULL;
	struct err why;
	const char *line = next_line(r, &len, true);
	if (!line || parse_line(line, len, &j) != LINE_HEADER) {
		json_decref(j);
		return err_set(e, "%.120s is no recording of stutter", path);
	}
	if (!parse_header(&r->p, j, &why)) {
		json_decref(j);
		return err_set(e, "%.100s: %.120s", path, why.text);
	}
	r->header = j;
	return 0;
}

// Looks at the end of a file: the time of its last tick, and whether it was killed while it was packed.
static void
look_at_end(struct replay *r)
{
	size_t want = r->size < (off_t)TAIL ? (size_t)r->size : TAIL;
	off_t base = r->size - (off_t)want;
	char *tail = malloc(want);
	if (!tail || pread(r->fd, tail, want, base) != (ssize_t)want) {
		free(tail);
		return;
	}
	size_t end = want;
	bool last = true;
	while (end > 0 && r->end_ns == 0) {
		while (end > 0 && tail[end - 1] != '\n')
			end--;
		if (!end)
			break;
		size_t start = --end;
		while (start > 0 && tail[start - 1] != '\n')
			start--;
		json_t *j;
		enum line_kind k = parse_line(tail + start, end - start, &j);
		if ((k == LINE_TICK || k == LINE_PACK) && parse_time(j) > 0)
			r->end_ns = parse_time(j);
		int64_t to, from;
		if (last && k == LINE_REDO && parse_int(j, "at", 0, base + (off_t)start, &to) &&
		    parse_int(j, "from", to, base + (off_t)start, &from)) {
			r->skip_from = to;
			r->skip_to = from;
		}
		last = false;
		json_decref(j);
		end = start;
	}
	free(tail);
}

struct replay *
replay_open(const char *path, struct err *e)
{
	struct replay *r = calloc(1, sizeof *r);
	struct stat st = {0};
	if (!r || !(r->buf = malloc(BUFFER))) {
		free(r);
		err_set(e, "no memory for a recording");
		return NULL;
	}
	bool std = !strcmp(path, "-");
	r->fd = std ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (r->fd < 0 || fstat(r->fd, &st)) {
		err_set(e, "cannot read '%.120s':", std ? "standard input" : path);
	} else if (S_ISDIR(st.st_mode)) {
		err_set(e, "cannot read '%.120s': it is a folder", path);
	} else {
		r->stream = !S_ISREG(st.st_mode);
		r->size = r->stream ? 0 : st.st_size;
		if (!r->stream)
			look_at_end(r);
		if (!read_header(r, std ? "standard input" : path, e))
			return r;
	}
	replay_close(r);
	return NULL;
}

void
replay_close(struct replay *r)
{
	if (!r)
		return;
	json_decref(r->held);
	unpack_free(r->pack);
	json_decref(r->header);
	session_free(r->p.s);
	if (r->fd >= 0)
		close(r->fd);
	free(r->buf);
	free(r);
}

struct session *
replay_session(struct replay *r)
{
	return r->p.s;
}

static void
seen(struct replay *r, int64_t t_ns)
{
	if (t_ns > r->end_ns)
		r->end_ns = t_ns;
}

static enum replay_state
one_line(struct replay *r, int64_t until_ns)
{
	size_t len;
	json_t *j;
	const char *line = next_line(r, &len, false);
	if (!line)
		return r->eof ? REPLAY_END : REPLAY_WAITING;
	enum line_kind k = parse_line(line, len, &j);
	if (k == LINE_BAD)
		r->bad++;
	else if (k == LINE_HEADER)
		r->over = true;
	else if (k == LINE_SUMMARY)
		r->summary = true;
	else if (k == LINE_EVENT)
		parse_event(&r->p, j);
	else if (k == LINE_PACK)
		r->pack = unpack_new(&r->p, j, until_ns < r->end_ns ? until_ns : r->end_ns);
	else if (k == LINE_TICK && parse_time(j) > until_ns) {
		r->held = j;
		return REPLAY_REACHED;
	} else if (k == LINE_TICK && !parse_tick(&r->p, j)) {
		seen(r, parse_time(j));
	}
	json_decref(j);
	return r->over ? REPLAY_END : REPLAY_MORE;
}

// What is left of the last line. False: it lies behind UNTIL.
static bool
finish_line(struct replay *r, int64_t until_ns)
{
	if (r->pack) {
		bool all = unpack_run(r->pack, until_ns);
		seen(r, r->p.last_ns);
		if (!all)
			return false;
		unpack_free(r->pack);
		r->pack = NULL;
	}
	if (r->held) {
		if (parse_time(r->held) > until_ns)
			return false;
		parse_tick(&r->p, r->held);
		json_decref(r->held);
		r->held = NULL;
	}
	return true;
}

enum replay_state
replay_run(struct replay *r, int64_t until_ns, int64_t budget_ns)
{
	int64_t stop = budget_ns ? clock_now_ns() + budget_ns : INT64_MAX;
	if (!finish_line(r, until_ns))
		return REPLAY_REACHED;
	while (!r->over) {
		enum replay_state st = one_line(r, until_ns);
		if (st != REPLAY_MORE)
			return st;
		if (!finish_line(r, until_ns))
			return REPLAY_REACHED;
		if (budget_ns && clock_now_ns() >= stop)
			return REPLAY_MORE;
	}
	return REPLAY_END;
}

int
replay_rewind(struct replay *r)
{
	if (r->stream || session_rewind(r->p.s))
		return -1;
	json_decref(r->held);
	r->held = NULL;
	unpack_free(r->pack);
	r->pack = NULL;
	r->at = 0;
	r->from = r->to = 0;
	r->eof = r->over = r->skipping = r->summary = false;
	r->bad = 0;
	parse_restart(&r->p, r->header);
	size_t len;
	next_line(r, &len, true); // the header
	return 0;
}

bool
replay_is_stream(const struct replay *r)
{
	return r->stream;
}

int
replay_fd(const struct replay *r)
{
	return r->fd;
}

int64_t
replay_end_ns(const struct replay *r)
{
	return r->end_ns;
}

double
replay_share(const struct replay *r)
{
	if (r->stream || r->size <= 0)
		return 1;
	double at = (double)(r->at - (off_t)(r->to - r->from)) / (double)r->size;
	return at > 1 ? 1 : at;
}

bool
replay_cut(const struct replay *r)
{
	return !r->summary;
}

int64_t
replay_bad_lines(const struct replay *r)
{
	return r->bad;
}

struct session *
replay_load(const char *path, const struct session_hook *hook, struct err *e)
{
	struct replay *r = replay_open(path, e);
	if (!r)
		return NULL;
	if (hook)
		session_hook_add(r->p.s, *hook);
	enum replay_state st;
	do {
		st = replay_run(r, INT64_MAX, 0);
		if (st == REPLAY_WAITING)
			poll(&(struct pollfd){.fd = r->fd, .events = POLLIN}, 1, 1000);
	} while (st != REPLAY_END);
	struct session *s = r->p.s;
	r->p.s = NULL;
	replay_close(r);
	return s;
}
