// What is mounted where (proc_pid_mountinfo(5)).
// Must not know what is looked for.
#ifndef SYS_MOUNTS_H
#define SYS_MOUNTS_H

#include <stdbool.h>

struct mount {
	const char *root;    // the part of the file system that is mounted
	const char *point;   // where
	const char *type;    // "ext4"
	const char *options; // of the file system: "rw,memory"
};

// Calls FN for each mount of /proc/self/mountinfo below ROOT ("": the machine itself), in order, until it returns
// true. True where it did. What M points to lives until FN returns.
bool mounts_each(const char *root, bool (*fn)(const struct mount *m, void *data), void *data);
// Whether PATH is FOLDER or below it.
bool path_is_below(const char *path, const char *folder);

#endif
