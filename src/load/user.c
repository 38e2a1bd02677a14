// Loads of the settings file: [load NAME] with command, key, title and count. Each worker runs the command through
// /bin/sh, again and again, and takes all that it started with it. Must not know the table's rows.
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "load/family.h"
#include "load/table.h"
#include "load/worker.h"

#define USERS 32
#define END_MS 5000
#define REPEATS_MOST 4096

static struct {
	struct load_kind kind;
	struct user_load def;
} users[USERS];
static int user_count; // fixed once the settings are read

const struct user_load *
user_load_of(const struct load_kind *kind)
{
	for (int i = 0; i < user_count; i++)
		if (kind == &users[i].kind)
			return &users[i].def;
	return NULL;
}

int
user_load_count(void)
{
	return user_count;
}

const struct load_kind *
user_load_kind(int i)
{
	return &users[i].kind;
}

static int
new_user(const char *name, struct err *e)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	if (!n || name[n] || n >= sizeof users[0].def.name)
		return err_set(e, "load name '%.40s': at most %zu letters, digits, - and _", name,
		    sizeof users[0].def.name - 1);
	if (load_find(name))
		return err_set(e, "load %s is built in: choose another name", name);
	if (user_count == USERS)
		return err_set(e, "more than %d loads", USERS);
	users[user_count].kind = load_user;
	users[user_count].kind.name = users[user_count].def.name;
	users[user_count].kind.does = users[user_count].def.command;
	snprintf(users[user_count].def.name, sizeof users[0].def.name, "%s", name);
	return user_count++;
}

// How many times its innermost part is repeated, as far as its repeats may stand within each other: compiling takes time
// and memory with it.
static unsigned long
repeats(const char *regex)
{
	unsigned long n = 1;
	for (const char *p = regex; *p && n <= REPEATS_MOST; p++) {
		if (*p == '+')
			n *= 2;
		if (*p != '{')
			continue;
		unsigned long from = strtoul(p + 1, NULL, 10), to = 0;
		const char *comma = strpbrk(p, ",}");
		if (comma && *comma == ',')
			to = strtoul(comma + 1, NULL, 10) + 1;
		unsigned long most = from > to ? from : to;
		n *= most > REPEATS_MOST ? REPEATS_MOST + 1 : most ? most : 1;
	}
	return n;
}

static int
set_count(struct user_load *u, struct load_kind *k, const char *value, struct err *e)
{
	regex_t re;
	char why[100];
	if (strlen(value) >= sizeof u->count || repeats(value) > REPEATS_MOST)
		return err_set(e, "load %s: count: this regular expression is too long or repeats too much", u->name);
	int r = strcmp(value, "lines") == 0 ? 0 : regcomp(&re, value, REG_EXTENDED | REG_NOSUB);
	if (r) {
		regerror(r, &re, why, sizeof why);
		return err_set(e, "load %s: count: %s (a regular expression, or: lines)", u->name, why);
	}
	if (strcmp(value, "lines") != 0)
		regfree(&re);
	snprintf(u->count, sizeof u->count, "%s", value);
	k->unit = strcmp(value, "lines") == 0 ? "lines" : "matches";
	return 0;
}

int
load_define(const char *name, const char *key, const char *value, struct err *e)
{
	int i = 0;
	while (i < user_count && strcmp(users[i].def.name, name) != 0)
		i++;
	if (i == user_count && (i = new_user(name, e)) == -1)
		return -1;
	struct user_load *u = &users[i].def;
	struct load_kind *k = &users[i].kind;
	size_t n = strlen(value);
	if (!strcmp(key, "command")) {
		if (!n || n >= sizeof u->command)
			return err_set(e, "load %s: command: 1 to %zu characters", name, sizeof u->command - 1);
		snprintf(u->command, sizeof u->command, "%s", value);
	} else if (!strcmp(key, "title")) {
		text_safe(u->title, sizeof u->title, value);
		k->does = u->title;
	} else if (!strcmp(key, "key")) {
		if (n != 1 || !isgraph((unsigned char)value[0]))
			return err_set(e, "load %s: key: one character", name);
		k->key = u->key = value[0];
	} else if (!strcmp(key, "count")) {
		if (!n || n >= sizeof u->count)
			return err_set(e, "load %s: count: 1 to %zu characters", name, sizeof u->count - 1);
		return set_count(u, k, value, e);
	} else {
		return err_set(e, "load %s: no such key '%.40s': command, key, title, count", name, key);
	}
	return 0;
}

// In a worker.

struct runner {
	struct load_run *run;
	struct family family;
	regex_t re;
	bool lines, matches;
	int signals;
	pid_t shell;
	char line[2048];
	size_t have;
	char last[100]; // last line that said something: the reason where it fails
};

static void
take_line(struct runner *u)
{
	u->line[u->have] = '\0';
	if (u->lines || (u->matches && regexec(&u->re, u->line, 0, NULL, 0) == 0))
		load_worked(u->run, 1);
	if (u->line[strspn(u->line, " \t")])
		text_safe(u->last, sizeof u->last, u->line);
	u->have = 0;
}

// Reads what is there. False at the end.
static bool
take_output(struct runner *u, int fd)
{
	char buf[16384];
	ssize_t n = read(fd, buf, sizeof buf);
	if (n == -1)
		return errno == EAGAIN || errno == EINTR;
	for (ssize_t i = 0; i < n; i++) {
		// a carriage return ends a line too: that is how programs redraw their progress
		if (buf[i] == '\n' || buf[i] == '\r')
			take_line(u);
		else if (u->have < sizeof u->line - 1)
			u->line[u->have++] = buf[i];
	}
	return n > 0;
}

static pid_t
start_shell(struct runner *u, int out)
{
	sigset_t none;
	pid_t parent = getpid(), pid = fork();
	if (pid)
		return pid;
	load_tie_to_parent(parent);
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(out, 1);
	dup2(out, 2);
	execl("/bin/sh", "sh", "-c", u->run->sh->user.command, (char *)NULL);
	_exit(127);
}

// Reaps whoever has ended. True, and its STATUS, where that was the shell.
static bool
shell_ended(struct runner *u, int *status)
{
	int st;
	bool ended = false;
	for (pid_t pid; (pid = waitpid(-1, &st, WNOHANG)) > 0;) {
		if (pid == u->shell) {
			*status = st;
			ended = true;
		}
	}
	return ended;
}

static void
stop_if_asked(struct runner *u)
{
	struct signalfd_siginfo si;
	while (read(u->signals, &si, sizeof si) == sizeof si) {
		if (si.ssi_signo != SIGTERM)
			continue;
		family_end(&u->family, END_MS);
		_exit(0);
	}
}

// Runs the command once. 0, or -1 with the reason.
static int
run_once(struct runner *u, int *status, struct err *e)
{
	int out[2];
	bool open_end = true;
	if (pipe2(out, O_CLOEXEC) == -1)
		return err_set(e, "no pipe:");
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	u->shell = start_shell(u, out[1]);
	close(out[1]);
	if (u->shell == -1) {
		close(out[0]);
		return err_set(e, "no process for the command:");
	}
	while (!shell_ended(u, status)) {
		struct pollfd p[2] = {{.fd = u->signals, .events = POLLIN},
		    {.fd = open_end ? out[0] : -1, .events = POLLIN}};
		poll(p, 2, -1);
		stop_if_asked(u);
		if (open_end && p[1].revents)
			open_end = take_output(u, out[0]);
	}
	// what it left running ends with it
	family_end(&u->family, END_MS);
	while (open_end && take_output(u, out[0]) && errno != EAGAIN)
		;
	if (u->have)
		take_line(u);
	close(out[0]);
	return 0;
}

static int
failed(const struct runner *u, int status, struct err *e)
{
	const char *colon = u->last[0] ? ": " : "";
	if (WIFSIGNALED(status))
		return err_set(e, "killed by signal %d%s%s", WTERMSIG(status), colon, u->last);
	return err_set(e, "exit status %d%s%s", WEXITSTATUS(status), colon, u->last);
}

static int
user_work(struct load_run *r, int index, struct err *e)
{
	struct runner u = {.run = r};
	const char *count = r->sh->user.count;
	pid_t parent = getppid();
	sigset_t set;
	int status = 0;
	(void)index;
	// it must live long enough to take its descendants with it
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		return err_set(e, "its parent has died");
	u.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	u.lines = !strcmp(count, "lines");
	u.matches = !u.lines && *count;
	if (u.matches && regcomp(&u.re, count, REG_EXTENDED | REG_NOSUB) != 0)
		return err_set(e, "count: not a regular expression");
	while (load_pass_begin(r)) {
		if (run_once(&u, &status, e) == -1)
			return -1;
		load_pass_end(r, 0, status == 0);
		if (status != 0)
			return failed(&u, status, e);
		if (!*count)
			load_worked(r, 1);
	}
	return 0;
}

static int
user_prepare(struct load_run *r, struct err *e)
{
	return r->sh->user.command[0] ? 0 : err_set(e, "no command in its settings");
}

const struct load_kind load_user = {
    .unit = "passes",
    .source = "settings",
    .level = 1,
    .by_passes = true,
    .cpu_is_work = true,
    .stall_ms = 5000,
    .prepare = user_prepare,
    .work = user_work,
};
