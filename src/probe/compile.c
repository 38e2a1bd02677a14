// The built-in job: makes source text, compiles it and links it, as a small compiler of a toy
// language would. Must not know who measures it. The same numbers on every machine: nothing here
// depends on time or place.
#include "probe/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATEMENTS 4000
#define NAMES 400
#define TABLE 1024
#define PASSES 24
#define TEXT_MAX (1024 * 1024)

struct name {
	struct name *next;
	uint32_t uses;
	char text[];
};

struct node {
	char op; // 'n' number, 'v' name, or + - * &
	uint64_t value;
	struct name *name;
	struct node *left, *right;
};

struct unit {
	char *text, *at;
	struct name *table[TABLE];
	struct node *statement[STATEMENTS];
	int statements;
	uint64_t sum;
};

static uint32_t
next_random(uint64_t *x)
{
	*x = *x * 6364136223846793005U + 1442695040888963407U;
	return (uint32_t)(*x >> 33);
}

static size_t
write_term(char *to, size_t size, uint64_t *x)
{
	uint32_t r = next_random(x);
	if (r & 1)
		return (size_t)snprintf(to, size, "name_%u", (r >> 1) % NAMES);
	return (size_t)snprintf(to, size, "%u", r >> 4);
}

// The text of unit NUMBER: "name = term op term op term;" many times.
static size_t
write_source(char *to, size_t size, unsigned number)
{
	uint64_t x = number * 7919U + 1;
	size_t n = 0;
	for (int i = 0; i < STATEMENTS; i++) {
		n += (size_t)snprintf(to + n, size - n, "name_%u = ", next_random(&x) % NAMES);
		int terms = 3 + (int)(next_random(&x) % 6);
		for (int k = 0; k < terms; k++) {
			n += write_term(to + n, size - n, &x);
			n += (size_t)snprintf(to + n, size - n, " %c ",
			    k + 1 < terms ? "+-*&"[next_random(&x) % 4] : ';');
		}
		to[n++] = '\n';
	}
	return n;
}

static int
save(const char *path, const char *text, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd == -1)
		return -1;
	size_t done = 0;
	while (done < n) {
		ssize_t w = write(fd, text + done, n - done < 4096 ? n - done : 4096);
		if (w <= 0)
			break;
		done += (size_t)w;
	}
	return close(fd) || done < n ? -1 : 0;
}

static char *
slurp(const char *path, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = malloc(TEXT_MAX + 1);
	size_t n = 0;
	ssize_t r = -1;
	while (fd != -1 && text && n < TEXT_MAX &&
	       (r = read(fd, text + n, n + 4096 < TEXT_MAX ? 4096 : TEXT_MAX - n)) > 0)
		n += (size_t)r;
	if (fd != -1)
		close(fd);
	if (r < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	*length = n;
	return text;
}

static struct name *
intern(struct unit *u, const char *text, size_t n)
{
	uint32_t h = 2166136261U;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619U;
	struct name **slot = &u->table[h % TABLE];
	for (struct name *s = *slot; s; s = s->next)
		if (!strncmp(s->text, text, n) && !s->text[n]) {
			s->uses++;
			return s;
		}
	struct name *s = malloc(sizeof *s + n + 1);
	if (!s)
		exit(1);
	s->next = *slot;
	s->uses = 1;
	memcpy(s->text, text, n);
	s->text[n] = '\0';
	return *slot = s;
}

static struct node *
new_node(char op, struct node *left, struct node *right)
{
	struct node *n = calloc(1, sizeof *n);
	if (!n)
		exit(1);
	*n = (struct node){.op = op, .left = left, .right = right};
	return n;
}

static struct node *
parse_term(struct unit *u)
{
	while (*u->at == ' ' || *u->at == '\n')
		u->at++;
	struct node *n;
	if (*u->at >= '0' && *u->at <= '9') {
		n = new_node('n', NULL, NULL);
		n->value = strtoull(u->at, &u->at, 10);
	} else {
		size_t length = strspn(u->at, "abcdefghijklmnopqrstuvwxyz_0123456789");
		n = new_node('v', NULL, NULL);
		n->name = intern(u, u->at, length);
		u->at += length;
	}
	while (*u->at == ' ')
		u->at++;
	return n;
}

static bool
parse_statement(struct unit *u)
{
	struct node *n = parse_term(u);
	while (*u->at && *u->at != ';') {
		char op = *u->at++;
		n = new_node(op, n, parse_term(u));
	}
	if (!*u->at)
		return false;
	u->at++;
	u->statement[u->statements++] = n;
	return u->statements < STATEMENTS;
}

static uint64_t
fold(struct node *n, uint64_t pass)
{
	if (n->op == 'n')
		return n->value + pass;
	if (n->op == 'v')
		return n->name->uses * 2654435761U ^ pass;
	uint64_t a = fold(n->left, pass), b = fold(n->right, pass);
	return n->value = n->op == '+'   ? a + b
			  : n->op == '-' ? a - b
			  : n->op == '*' ? a * b
			  : n->op == '&' ? (a & b) + 1
					 : b;
}

static int
compile_unit(unsigned number)
{
	static struct unit *u; // static: what a compiler has is its own to its end
	static char *source;
	char path[32], object[32];
	size_t length;
	u = calloc(1, sizeof *u);
	source = malloc(TEXT_MAX);
	snprintf(path, sizeof path, "unit%u.c", number);
	snprintf(object, sizeof object, "unit%u.o", number);
	if (!u || !source || save(path, source, write_source(source, TEXT_MAX, number)) ||
	    !(u->text = slurp(path, &length)))
		return 1;
	u->at = u->text;
	while (parse_statement(u))
		;
	for (uint64_t pass = 0; pass < PASSES; pass++)
		for (int i = 0; i < u->statements; i++)
			u->sum = u->sum * 31 + fold(u->statement[i], pass);
	size_t n = 0;
	for (int i = 0; i < u->statements; i++)
		n += (size_t)snprintf(source + n, TEXT_MAX - n, "%016llx %s\n",
		    (unsigned long long)u->statement[i]->value, i % 3 ? "text" : "data");
	n +=
	    (size_t)snprintf(source + n, TEXT_MAX - n, "%016llx sum\n", (unsigned long long)u->sum);
	return save(object, source, n) ? 1 : 0;
}

static int
compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
link_all(void)
{
	static char *line[COMPILE_UNITS * (STATEMENTS + 1)];
	size_t lines = 0, n = 0, length;
	static char *out;
	char path[32], *rest;
	out = malloc((size_t)COMPILE_UNITS * TEXT_MAX / 8);
	for (unsigned i = 0; out && i < COMPILE_UNITS; i++) {
		snprintf(path, sizeof path, "unit%u.o", i);
		char *text = slurp(path, &length); // its lines stay in the table
		if (!text)
			return 1;
		for (char *l = strtok_r(text, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest))
			line[lines++] = l;
	}
	qsort(line, lines, sizeof *line, compare_lines);
	for (size_t i = 0; out && i < lines; i++)
		n += (size_t)sprintf(out + n, "%s\n", line[i]);
	return out && !save("program", out, n) ? 0 : 1;
}

int
compile_one(const char *arg)
{
	unsigned number;
	if (sscanf(arg, "unit %u", &number) == 1 && number < COMPILE_UNITS)
		return compile_unit(number);
	return !strcmp(arg, "link") ? link_all() : 2;
}

// This program again, as one compiler process.
static pid_t
start_one(const char *arg)
{
	char *argv[] = {(char *)"stutter:", (char *)"job", (char *)arg, NULL};
	pid_t pid = fork();
	if (pid == 0) {
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	return pid;
}

static int
finish_one(void)
{
	int status;
	pid_t pid = wait(&status);
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

int
compile_all(void)
{
	int running = 0;
	for (unsigned i = 0; i < COMPILE_UNITS; i++) {
		char arg[32];
		snprintf(arg, sizeof arg, "unit %u", i);
		if (running == COMPILE_AT_A_TIME && running-- && finish_one())
			return 1;
		if (start_one(arg) == -1) {
			fprintf(stderr, "cannot start a process: %s\n", strerror(errno));
			return 1;
		}
		running++;
	}
	for (; running; running--)
		if (finish_one())
			return 1;
	return start_one("link") == -1 || finish_one() ? 1 : 0;
}
