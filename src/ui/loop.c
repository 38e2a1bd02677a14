// The screen's loop: one poll() over the terminal, a timer, signals and the source. The monitor is this loop over a live
// session. Must not know of curses.
#include "ui/loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "command.h"
#include "session/options.h"
#include "session/record.h"
#include "session/rounds.h"
#include "ui/keys.h"
#include "ui/term.h"

#define HINT_NS (3 * NS_PER_S)
#define HINT_FOR_NS (20 * NS_PER_S)
#define LEAST_FRAME_NS (15 * NS_PER_MS) // between pictures that keys ask for

static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT};

int
loop_signals_block(struct screen *sc)
{
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		sigaddset(&set, taken[i]);
	sigaddset(&set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, &sc->signals_before);
	sigdelset(&set, SIGPIPE);
	sc->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (sc->signal_fd >= 0)
		return 0;
	pthread_sigmask(SIG_SETMASK, &sc->signals_before, NULL);
	return -1;
}

void
loop_signals_unblock(struct screen *sc)
{
	close(sc->signal_fd);
	pthread_sigmask(SIG_SETMASK, &sc->signals_before, NULL);
}

static bool
live_tick(void *data, struct session *s, int64_t now_ns)
{
	(void)data;
	return session_tick(s, now_ns);
}

static bool
live_done(void *data, const struct session *s)
{
	(void)data;
	return s->config.for_ns > 0 && s->elapsed_ns >= s->config.for_ns;
}

const struct ui_source ui_live = {.fd = -1, .tick = live_tick, .done = live_done};

// Ctrl-Z: the terminal goes back to the shell, the loads rest, and the time until we go on is a gap.
static void
stop(struct screen *sc)
{
	term_pause(sc->term);
	session_suspend(sc->s);
	raise(SIGSTOP);
	term_resume(sc->term);
	session_resume(sc->s);
	sc->dirty = sc->urgent = sc->whole = true;
}

static void
take_signals(struct screen *sc)
{
	struct signalfd_siginfo si;
	bool stop_asked = false;
	while (read(sc->signal_fd, &si, sizeof si) == sizeof si) {
		switch (si.ssi_signo) {
		case SIGWINCH: sc->dirty = true; break;
		case SIGCONT: // also one that no Ctrl-Z announced
			session_resume(sc->s);
			sc->dirty = sc->whole = true;
			break;
		case SIGTSTP: stop_asked = true; break;
		default:
			sc->quit = true;
			sc->signal = (int)si.ssi_signo;
		}
	}
	if (stop_asked && !sc->quit)
		stop(sc);
}

static void
take_keys(struct screen *sc)
{
	struct term_event ev;
	while (!sc->quit && (ev = term_key(sc->term)).key != UI_NONE) {
		if (ev.key == UI_MOUSE)
			key_click(sc, ev.x, ev.y);
		else if (ev.key != UI_OTHER)
			key_press(sc, ev.key);
	}
}

static int
make_timer(int64_t every_ns)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	struct itimerspec its = {.it_interval = clock_timespec(every_ns), .it_value = clock_timespec(every_ns)};
	if (fd >= 0)
		timerfd_settime(fd, 0, &its, NULL);
	return fd;
}

// Waits for anything to happen; true where the terminal is gone.
static bool
wait(struct screen *sc, int timer)
{
	const struct ui_source *src = sc->source;
	bool ask_source = src->fd >= 0 && (!src->open || src->open(src->data));
	bool shown = term_flush(sc->term); // the terminal has the whole last picture
	struct pollfd fds[] = {
	    {.fd = term_input_fd(sc->term), .events = POLLIN},
	    {.fd = sc->signal_fd, .events = POLLIN},
	    {.fd = timer, .events = POLLIN},
	    {.fd = ask_source ? src->fd : -1, .events = POLLIN},
	    {.fd = shown ? -1 : term_output_fd(sc->term), .events = POLLOUT},
	};
	// What a key asked for is not left to the next beat.
	int64_t left_ns = LEAST_FRAME_NS - (clock_now_ns() - sc->drawn_ns);
	int timeout_ms = !sc->urgent || !shown ? -1 : left_ns > 0 ? (int)(left_ns / NS_PER_MS) + 1 : 1;
	if (poll(fds, sizeof fds / sizeof *fds, timeout_ms) < 0)
		return errno != EINTR;
	uint64_t beats;
	if (fds[2].revents && read(timer, &beats, sizeof beats) < 0 && errno != EAGAIN)
		return true;
	if (fds[1].revents)
		take_signals(sc);
	return fds[0].revents & (POLLHUP | POLLERR | POLLNVAL);
}

static void
hint(struct screen *sc, int64_t now_ns)
{
	int64_t up = now_ns - sc->start_ns;
	bool want = !sc->touched && !sc->s->replay && sc->s->loads && up > HINT_NS && up < HINT_NS + HINT_FOR_NS;
	sc->dirty |= want != sc->u.hint;
	sc->u.hint = want;
}

void
screen_first(struct screen *sc, struct session *s)
{
	sc->s = s;
	screen_draw(sc, clock_now_ns());
	sc->s = NULL;
}

int
screen_run(struct screen *sc, struct session *s, const struct ui_source *source)
{
	int64_t beat = sc->frame_ns < TICK_NS ? sc->frame_ns : TICK_NS;
	int timer = make_timer(beat);
	if (timer < 0)
		return -1;
	sc->s = s;
	sc->source = source;
	sc->dirty = sc->urgent = true; // the first picture had no figures
	while (!sc->quit) {
		int64_t now = clock_now_ns();
		if (sc->source->tick(sc->source->data, s, now)) // a suite may have put itself in between
			sc->dirty = true;
		if (sc->source->done && sc->source->done(sc->source->data, s))
			break;
		hint(sc, now);
		if (sc->u.message[0] && now > sc->message_until_ns)
			sc->dirty = true;
		int64_t wait_ns = sc->urgent ? LEAST_FRAME_NS : sc->frame_ns - beat / 4;
		if (sc->dirty && now - sc->drawn_ns >= wait_ns)
			screen_draw(sc, now);
		if (wait(sc, timer))
			sc->quit = true;
		else
			take_keys(sc);
	}
	close(timer);
	return sc->signal;
}

int
ui_run(struct session *s, const struct ui_source *source, struct err *e)
{
	struct screen *sc = screen_open(&s->config, e);
	if (!sc)
		return -1;
	screen_run(sc, s, source);
	screen_close(sc);
	return 0;
}

// The first picture, while probes and devices are still being opened: the same screen, without figures.
static void
first_picture(struct screen *sc, const struct config *c)
{
	struct session *s = session_new(c);
	const struct load_kind *k;
	if (!s)
		return;
	host_read(&s->host);
	for (int i = 0; (k = load_kind_at(i)); i++)
		session_add_load(s, k->name, k->key, k->unit);
	screen_first(sc, s);
	session_free(s);
}

// The knob's guardian reads the state to come back to now, so that k answers at once.
static void
take_knob(struct screen *sc, struct session *s)
{
	struct err e;
	if (!knob_wanted(&s->config, &e))
		return;
	struct knob *k = knob_open(&s->config, &e);
	if (k && !rounds_attach(s, k, &e))
		return;
	if (k)
		knob_close(k, NULL);
	screen_say(sc, "%s", e.text);
}

int
command_monitor(int argc, char **argv)
{
	static struct config c;
	struct err e;
	int r = options_read(&c, MODE_MONITOR, argc, argv, &e);
	if (r > 0)
		return 0;
	if (!r && !strcmp(c.record, "-"))
		r = err_set(&e, "--record -: standard output is the screen here: use `stutter run --record -`, or name a file");
	struct theme theme; // named wrong is wrong usage
	if (r || theme_load(&theme, c.theme, &e)) {
		fprintf(stderr, "stutter: %s\n", e.text);
		return 2;
	}
	struct screen *sc = screen_open(&c, &e);
	if (!sc) {
		fprintf(stderr, "stutter: %s\n", e.text);
		return 1;
	}
	first_picture(sc, &c);
	struct session *s = session_start(&c, &e);
	if (s && *c.record && record_start(s, c.record, &e)) {
		session_free(s);
		s = NULL;
	}
	if (!s) {
		screen_close(sc);
		fprintf(stderr, "stutter: %s\n", e.text);
		return 1;
	}
	take_knob(sc, s);
	screen_run(sc, s, &ui_live);
	screen_close(sc);
	int back = rounds_detach(s, &e);
	if (back)
		fprintf(stderr, "stutter: %s\n", e.text);
	session_free(s);
	return back < 0;
}
