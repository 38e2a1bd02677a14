// Small files of /proc and /sys as text.
// Must not know what they say.
#ifndef SYS_READ_H
#define SYS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reads at most SIZE - 1 bytes of the file PATH below the folder ROOT ("": the machine itself) into BUF,
// NUL-terminated, without the newline at its end. Their number, or -1 (and BUF is ""). Never blocks.
long sys_read(const char *root, const char *path, char *buf, size_t size);
// The whole number that it begins with. 0, or -1: there is none ("max", no such file).
int sys_read_int(const char *root, const char *path, int64_t *v);
// Whether there is such a file or folder.
bool sys_exists(const char *root, const char *path);

#endif
