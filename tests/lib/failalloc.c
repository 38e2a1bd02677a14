// Preloaded into the program: the FAIL_AT-th allocation that its own code asks for fails (FAIL_LONG=1: all from there on).
// What libraries allocate for themselves is left alone. Writes how many there were to the file FAIL_COUNT.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static atomic_long seen;
static long fail_at;
static int fail_long, ready;
static uintptr_t low, high;

static int
find_program(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			high = low + info->dlpi_phdr[i].p_memsz;
		}
	return 1; // the first is the program itself
}

static void __attribute__((constructor))
begin(void)
{
	const char *at = getenv("FAIL_AT"), *how = getenv("FAIL_LONG");
	dl_iterate_phdr(find_program, NULL);
	fail_at = at ? atol(at) : 0;
	fail_long = how && *how == '1';
	ready = 1;
}

static void __attribute__((destructor))
end(void)
{
	const char *path = getenv("FAIL_COUNT");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (fd >= 0) {
		char buf[32];
		int n = snprintf(buf, sizeof buf, "%ld\n", atomic_load(&seen));
		if (write(fd, buf, (size_t)n) < 0)
			errno = 0;
		close(fd);
	}
}

static int
fails(void *caller)
{
	if (!ready || (uintptr_t)caller < low || (uintptr_t)caller >= high)
		return 0;
	long n = atomic_fetch_add(&seen, 1) + 1;
	if (!fail_at || (fail_long ? n < fail_at : n != fail_at))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}
