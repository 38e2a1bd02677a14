// All kinds of loads: the table's rows, one a file, and those of the settings file.
// Must not know how they are run.
#ifndef LOAD_TABLE_H
#define LOAD_TABLE_H

#include "load/load.h"
#include "load/shared.h"

extern const struct load_kind load_memory, load_io, load_process, load_x11, load_procfs, load_disk_write, load_disk_copy,
    load_disk_read, load_mmap, load_alloc, load_burn, load_fork, load_list;

// What the settings file said of KIND; NULL for one of the table.
const struct user_load *user_load_of(const struct load_kind *kind);
// How many were defined, and the I-th of them.
int user_load_count(void);
const struct load_kind *user_load_kind(int i);
// What a child knows of one: the kind that runs any user load.
extern const struct load_kind load_user;

#endif
