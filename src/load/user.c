// Loads of the settings file: [load NAME] command, key, title, count.
// Must not know the table's rows.
#include "load/table.h"

const struct user_load *
user_load_of(const struct load_kind *kind)
{
	(void)kind;
	return NULL;
}

int
user_load_count(void)
{
	return 0;
}

const struct load_kind *
user_load_kind(int i)
{
	(void)i;
	return NULL;
}

int
load_define(const char *name, const char *key, const char *value, struct err *e)
{
	(void)key;
	(void)value;
	return err_set(e, "load %s: loads of one's own are not there yet", name);
}

const struct load_kind load_user = {.name = "user", .unit = "passes"};
