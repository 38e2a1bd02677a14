// The one table of loads: a row a kind, in the order of the screen.
// Must not know what any of them does.
#include "load/table.h"

#include <string.h>

static const struct load_kind *const table[] = {
    &load_memory,
    &load_io,
    &load_process,
    &load_x11,
    &load_procfs,
    &load_disk_write,
    &load_disk_copy,
    &load_disk_read,
    &load_mmap,
    &load_alloc,
    &load_burn,
    &load_fork,
    &load_list,
};

#define ROWS ((int)(sizeof table / sizeof *table))

const struct load_kind *
load_kind_at(int i)
{
	if (i < 0)
		return NULL;
	if (i < ROWS)
		return table[i];
	return i - ROWS < user_load_count() ? user_load_kind(i - ROWS) : NULL;
}

const struct load_kind *
load_find(const char *name)
{
	const struct load_kind *k;
	for (int i = 0; (k = load_kind_at(i)); i++)
		if (!strcmp(k->name, name))
			return k;
	return NULL;
}
