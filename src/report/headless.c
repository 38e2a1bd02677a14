// Keeps a session going without a screen until its time is over or a signal comes.
// Must not know what is measured or printed.
#include "report/headless.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

#define TURN_NS (50 * NS_PER_MS)

int
headless_begin(struct headless *h, struct err *e)
{
	sigset_t set;
	sigemptyset(&set);
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT};
	for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
		sigaddset(&set, caught[i]);
	*h = (struct headless){.signals = -1, .timer = -1};
	signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return err_set(e, "cannot block signals:");
	h->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	h->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	struct itimerspec every = {clock_timespec(TURN_NS), clock_timespec(TURN_NS)};
	if (h->signals < 0 || h->timer < 0 || timerfd_settime(h->timer, 0, &every, NULL)) {
		err_set(e, "cannot wait for signals and time:");
		headless_end(h);
		return -1;
	}
	return 0;
}

void
headless_end(struct headless *h)
{
	if (h->signals >= 0)
		close(h->signals);
	if (h->timer >= 0)
		close(h->timer);
	h->signals = h->timer = -1;
}

static void
take_signals(struct headless *h, struct session *s)
{
	struct signalfd_siginfo si;
	while (read(h->signals, &si, sizeof si) == sizeof si) {
		if (si.ssi_signo == SIGTSTP) {
			session_suspend(s);
			kill(getpid(), SIGSTOP);
			session_resume(s);
		} else if (si.ssi_signo == SIGCONT) {
			session_resume(s);
		} else {
			h->signal = (int)si.ssi_signo;
		}
	}
}

bool
headless_turn(struct headless *h, struct session *s)
{
	struct pollfd p[2] = {{.fd = h->signals, .events = POLLIN}, {.fd = h->timer, .events = POLLIN}};
	uint64_t expired;
	poll(p, 2, 1000);
	take_signals(h, s);
	if (read(h->timer, &expired, sizeof expired) < 0)
		expired = 0;
	session_tick(s, clock_now_ns());
	return h->signal == 0;
}

bool
headless_for(struct headless *h, struct session *s, int64_t ns)
{
	int64_t until = s->elapsed_ns + ns;
	while (s->elapsed_ns < until)
		if (!headless_turn(h, s))
			return false;
	return true;
}

int
headless_fail(int status, const char *why)
{
	char safe[512];
	fprintf(stderr, "stutter: %s\n", text_safe(safe, sizeof safe, why));
	return status;
}

int
headless_flush(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	if (errno == EPIPE)
		return 0;
	struct err e;
	err_set(&e, "cannot write the result:");
	return headless_fail(1, e.text);
}
