// `stutter view`: the monitor over a recording, which it plays, or over a stream, which it follows.
// Must not know the format of recordings.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "command.h"
#include "session/options.h"
#include "session/replay.h"
#include "ui/keys.h"
#include "ui/screen.h"

#define BUDGET_NS (60 * NS_PER_MS) // of reading between two looks at the keyboard
#define SPEED_MIN (-2)             // a quarter
#define SPEED_MAX 9                // 512 times

struct player {
	struct replay *r;
	bool stream, ended;    // of a stream: nothing more will come
	bool playing;
	bool seeking;          // on the way to goal_ns
	int64_t goal_ns;       // INT64_MAX: the end
	int64_t at_ns;         // where in the recording the picture should be
	int64_t last_ns;       // CLOCK_MONOTONIC of the last look
	int speed;             // power of two
};

static void
speed_text(const struct player *p, char *buf, size_t size)
{
	if (p->speed < 0)
		snprintf(buf, size, "x1/%d", 1 << -p->speed);
	else
		snprintf(buf, size, "x%d", 1 << p->speed);
}

// What the top line says of it.
static void
tell(const struct player *p, struct session *s)
{
	char now[14], end[14], speed[14];
	text_clock(now, sizeof now, s->elapsed_ns);
	text_clock(end, sizeof end, replay_end_ns(p->r));
	speed_text(p, speed, sizeof speed);
	if (p->stream)
		snprintf(s->replay_text, sizeof s->replay_text, "stream%s %s", p->ended ? " ended" : "", now);
	else if (p->seeking)
		snprintf(s->replay_text, sizeof s->replay_text, "reading %.0f%% %s", 100 * replay_share(p->r), now);
	else if (p->playing)
		snprintf(s->replay_text, sizeof s->replay_text, "play %s %s/%s", speed, now, end);
	else
		snprintf(s->replay_text, sizeof s->replay_text, "paused %s/%s", now, end);
}

static bool
follow_stream(struct player *p, struct session *s)
{
	int64_t before = s->now_tick;
	if (p->ended)
		return false;
	if (replay_run(p->r, INT64_MAX, BUDGET_NS) == REPLAY_END)
		p->ended = true;
	tell(p, s);
	return p->ended || s->now_tick != before;
}

static bool
player_tick(void *data, struct session *s, int64_t now_ns)
{
	struct player *p = data;
	int64_t past = now_ns - p->last_ns, before = s->now_tick;
	bool was_seeking = p->seeking;
	p->last_ns = now_ns;
	if (p->stream)
		return follow_stream(p, s);
	if (p->seeking) {
		p->seeking = replay_run(p->r, p->goal_ns, BUDGET_NS) == REPLAY_MORE;
		if (!p->seeking)
			p->at_ns = s->elapsed_ns;
	} else if (p->playing) {
		p->at_ns += p->speed < 0 ? past >> -p->speed : past << p->speed;
		switch (replay_run(p->r, p->at_ns, BUDGET_NS)) {
		case REPLAY_END: p->playing = false; // fall through
		case REPLAY_MORE: p->at_ns = s->elapsed_ns; break;
		default: break;
		}
	}
	tell(p, s);
	return s->now_tick != before || was_seeking;
}

static void
seek(struct player *p, struct session *s, int64_t to_ns)
{
	if (to_ns < 0)
		to_ns = 0;
	if (to_ns < s->elapsed_ns || (to_ns == 0 && s->now_tick >= 0)) {
		if (replay_rewind(p->r))
			return;
	}
	p->goal_ns = to_ns;
	p->at_ns = to_ns;
	p->seeking = true;
}

static void
play(struct player *p, struct session *s)
{
	p->playing = !p->playing;
	if (p->playing && !p->seeking && s->elapsed_ns >= replay_end_ns(p->r))
		seek(p, s, 0);
}

static void
faster(struct player *p, struct screen *sc, int by)
{
	char buf[16];
	int speed = p->speed + by;
	if (speed < SPEED_MIN || speed > SPEED_MAX)
		return;
	p->speed = speed;
	speed_text(p, buf, sizeof buf);
	screen_say(sc, "speed %s%s", buf, p->playing ? "" : " (Space plays)");
}

static bool
player_key(void *data, struct screen *sc, int key)
{
	struct player *p = data;
	struct session *s = sc->s;
	int64_t step = sc->u.window_ns / 10 > NS_PER_S ? sc->u.window_ns / 10 : NS_PER_S;
	if (p->stream) // it can't be played again: the screen's own keys scroll and freeze
		return false;
	switch (key) {
	case ' ':
	case 'p': play(p, s); break;
	case UI_LEFT: seek(p, s, (p->seeking && p->goal_ns != INT64_MAX ? p->goal_ns : s->elapsed_ns) - step); break;
	case UI_RIGHT: seek(p, s, (p->seeking && p->goal_ns != INT64_MAX ? p->goal_ns : s->elapsed_ns) + step); break;
	case UI_HOME: seek(p, s, 0); break;
	case UI_END: seek(p, s, INT64_MAX); break;
	case '>': faster(p, sc, 1); break;
	case '<': faster(p, sc, -1); break;
	default: return false;
	}
	sc->u.back_ticks = 0;
	sc->u.frozen = false;
	tell(p, s);
	return true;
}

static bool
player_open(void *data)
{
	return !((struct player *)data)->ended;
}

// The shortest window that shows all of a recording at once.
static int64_t
window_for(int64_t length_ns)
{
	static const int64_t step_s[] = {5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 43200};
	for (size_t i = 0; i < sizeof step_s / sizeof *step_s; i++)
		if (length_ns <= step_s[i] * NS_PER_S)
			return step_s[i] * NS_PER_S;
	return 86400 * NS_PER_S;
}

// The stream came through standard input: keys come from the terminal itself.
static int
keys_from_terminal(struct err *e)
{
	if (isatty(STDIN_FILENO))
		return 0;
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, "no terminal to take keys from: /dev/tty:");
	dup2(fd, STDIN_FILENO);
	close(fd);
	return 0;
}

static int
view(const struct config *c, struct err *e)
{
	struct player p = {.last_ns = clock_now_ns(), .seeking = true, .goal_ns = INT64_MAX};
	p.r = replay_open(c->arg[0], e);
	if (!p.r)
		return -1;
	struct session *s = replay_session(p.r);
	// How it looks is the viewer's choice, all else the recording's.
	memcpy(s->config.theme, c->theme, sizeof c->theme);
	memcpy(s->config.glyphs, c->glyphs, sizeof c->glyphs);
	memcpy(s->config.scale, c->scale, sizeof c->scale);
	s->config.fps = c->fps;
	p.stream = replay_is_stream(p.r);
	s->config.window_ns = !p.stream && c->window_ns == 60 * NS_PER_S ? window_for(replay_end_ns(p.r)) : c->window_ns;
	struct ui_source source = {.data = &p, .fd = p.stream ? replay_fd(p.r) : -1, .tick = player_tick, .key = player_key,
	    .open = player_open};
	int r = keys_from_terminal(e);
	if (!r)
		r = ui_run(s, &source, e);
	replay_close(p.r);
	return r;
}

int
command_view(int argc, char **argv)
{
	static struct config c;
	struct err e;
	char safe[sizeof e.text];
	int r = options_read(&c, MODE_VIEW, argc, argv, &e);
	if (r > 0)
		return 0;
	if (!r && c.arg_count != 1)
		r = err_set(&e, "view wants one recording, or - for a stream: stutter view FILE|-");
	int status = r ? 2 : 1;
	if (!r)
		r = view(&c, &e);
	if (!r)
		return 0;
	fprintf(stderr, "stutter: %s\n", text_safe(safe, sizeof safe, e.text));
	return status;
}
