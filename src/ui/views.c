// The one table of views.
// Must not know what they draw.
#include <string.h>

#include "ui/view.h"

const struct view *const views[] = {
    &view_live,
    &view_histogram,
    &view_table,
    &view_compare,
    &view_big,
    &view_help,
    &view_devices,
    NULL,
};

const struct view *
view_find(const char *name)
{
	for (int i = 0; views[i]; i++)
		if (!strcmp(views[i]->name, name))
			return views[i];
	return NULL;
}
