// The terminal's file descriptors: modes, writing that never blocks, and giving it back in every way a program ends.
// Must not know of curses or grids.
#include "ui/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE_MS 1000 // with a terminal that takes nothing, at the end
#define PIECE 128        // what a descriptor that blocks is given at once, when it says that it has room

static const int crash_signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
#define CRASH_SIGNALS (sizeof crash_signals / sizeof *crash_signals)

// What a crash needs: the one mutable global, written before `active` is set.
static struct {
	atomic_int active;
	int in, out;
	struct termios before, loose;
	size_t len;
	char restore[1024];
	struct sigaction old[CRASH_SIGNALS];
} crash;

// Async-signal-safe.
static void
send_patiently(int fd, const char *p, size_t len, bool blocks)
{
	int left_ms = PATIENCE_MS;
	while (len > 0 && left_ms > 0) {
		ssize_t n = -1;
		struct pollfd pf = {.fd = fd, .events = POLLOUT};
		if (!blocks || poll(&pf, 1, 0) == 1)
			n = write(fd, p, blocks && len > PIECE ? PIECE : len);
		else
			errno = EAGAIN;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			poll(&pf, 1, 20);
			left_ms -= 20;
		} else if (errno != EINTR) {
			return;
		}
	}
}

// Async-signal-safe. A terminal that was stopped with Ctrl-S goes on once IXON is off.
static void
restore(bool blocks)
{
	tcsetattr(crash.in, TCSANOW, &crash.loose);
	send_patiently(crash.out, crash.restore, crash.len, blocks);
	tcsetattr(crash.in, TCSANOW, &crash.before);
}

static void
on_crash(int sig)
{
	int saved = errno;
	if (atomic_exchange(&crash.active, 0))
		restore(true);
	for (size_t i = 0; i < CRASH_SIGNALS; i++)
		if (crash_signals[i] == sig)
			sigaction(sig, &crash.old[i], NULL);
	raise(sig); // comes when this returns, to whoever had it before
	errno = saved;
}

static void
at_exit(void)
{
	if (atomic_exchange(&crash.active, 0))
		restore(true);
}

static void
watch_for_crashes(const struct tty *t, const char *bytes, size_t len)
{
	static atomic_int installed;
	crash.in = t->in;
	crash.out = t->out;
	crash.before = crash.loose = t->before;
	crash.loose.c_iflag &= (tcflag_t)~IXON;
	crash.len = len < sizeof crash.restore ? len : sizeof crash.restore;
	memcpy(crash.restore, bytes, crash.len);
	atomic_store(&crash.active, 1);
	if (atomic_exchange(&installed, 1))
		return;
	atexit(at_exit);
	struct sigaction sa = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
	sigfillset(&sa.sa_mask);
	for (size_t i = 0; i < CRASH_SIGNALS; i++)
		sigaction(crash_signals[i], &sa, &crash.old[i]);
}

// A description of our own: O_NONBLOCK on the shell's would outlive us.
static int
reopen_output(void)
{
	int fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat a, b;
	if (fd >= 0 && isatty(fd) && !fstat(fd, &a) && !fstat(STDOUT_FILENO, &b) && a.st_rdev == b.st_rdev)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

void
tty_open(struct tty *t)
{
	*t = (struct tty){.in = STDIN_FILENO, .stderr_before = -1};
	t->out = reopen_output();
	if (t->out < 0) {
		t->blocks = true;
		t->out = STDOUT_FILENO;
	}
	tcgetattr(t->in, &t->before);
}

static void
silence_stderr(struct tty *t)
{
	if (!isatty(STDERR_FILENO))
		return;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	t->stderr_before = null < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
	if (t->stderr_before >= 0)
		dup2(null, STDERR_FILENO);
	if (null >= 0)
		close(null);
}

void
tty_take(struct tty *t, const char *bytes, size_t len)
{
	tcgetattr(t->in, &t->before);
	watch_for_crashes(t, bytes, len);
	t->during = t->before;
	t->during.c_lflag &= (tcflag_t) ~(ICANON | ECHO | ECHONL | IEXTEN);
	t->during.c_iflag &= (tcflag_t) ~(ICRNL | INLCR);
	t->during.c_cc[VMIN] = 1;
	t->during.c_cc[VTIME] = 0;
	tcsetattr(t->in, TCSANOW, &t->during);
	silence_stderr(t);
}

void
tty_give_back(struct tty *t)
{
	if (!atomic_load(&crash.active))
		return;
	sigset_t ttou, saved;
	sigemptyset(&ttou);
	sigaddset(&ttou, SIGTTOU); // also when we are no longer in the foreground
	pthread_sigmask(SIG_BLOCK, &ttou, &saved);
	t->begin = t->end = 0; // a picture nobody will see
	restore(t->blocks);
	atomic_store(&crash.active, 0);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	if (t->stderr_before >= 0) {
		dup2(t->stderr_before, STDERR_FILENO);
		close(t->stderr_before);
		t->stderr_before = -1;
	}
}

void
tty_close(struct tty *t)
{
	tty_give_back(t);
	if (t->out != STDOUT_FILENO)
		close(t->out);
	free(t->pending);
	*t = (struct tty){.in = -1, .out = -1, .stderr_before = -1};
}

int
tty_queue(struct tty *t, const char *bytes, size_t len)
{
	if (t->begin == t->end)
		t->begin = t->end = 0;
	if (t->end + len > t->room) {
		size_t room = (t->end + len) * 2;
		char *p = realloc(t->pending, room);
		if (!p)
			return -1;
		t->pending = p;
		t->room = room;
	}
	memcpy(t->pending + t->end, bytes, len);
	t->end += len;
	return 0;
}

bool
tty_flush(struct tty *t)
{
	while (t->begin < t->end) {
		size_t len = t->end - t->begin;
		if (t->blocks) {
			struct pollfd pf = {.fd = t->out, .events = POLLOUT};
			if (poll(&pf, 1, 0) < 1 || !(pf.revents & POLLOUT))
				return false;
			len = len > PIECE ? PIECE : len;
		}
		ssize_t n = write(t->out, t->pending + t->begin, len);
		if (n > 0)
			t->begin += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			return false;
		else if (n == 0 || errno != EINTR)
			t->begin = t->end; // the terminal is gone: the loop hears of it from poll()
	}
	return true;
}

void
tty_size(const struct tty *t, int *w, int *h)
{
	struct winsize ws = {0};
	if (ioctl(t->out, TIOCGWINSZ, &ws) || !ws.ws_col || !ws.ws_row) {
		const char *columns = getenv("COLUMNS"), *lines = getenv("LINES");
		ws.ws_col = columns && atoi(columns) > 0 ? (unsigned short)atoi(columns) : 80;
		ws.ws_row = lines && atoi(lines) > 0 ? (unsigned short)atoi(lines) : 24;
	}
	*w = ws.ws_col > 1000 ? 1000 : ws.ws_col;
	*h = ws.ws_row > 1000 ? 1000 : ws.ws_row;
}
