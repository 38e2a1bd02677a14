// Arguments -> command; and this program started again as one of its own children.
// Must know nothing of what they do.
#include <stdio.h>
#include <string.h>

#include "base/child.h"
#include "command.h"
#include "load/load.h"
#include "probe/probe.h"
#include "session/knob.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
    {"run", command_run},
    {"suite", command_suite},
    {"view", command_view},
    {"ab", command_ab},
    {"compare", command_compare},
    {"report", command_report},
    {"export", command_export},
    {"headroom", command_headroom},
    {"list", command_list},
};

int
main(int argc, char **argv)
{
	const char *role, *arg;
	if (child_is(argc, argv, &role, &arg)) {
		if (!strcmp(role, "load"))
			return load_child_main(arg);
		if (!strcmp(role, "guardian"))
			return knob_child_main(arg);
		return probe_child_main(role, arg);
	}
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return command_monitor(argc, argv);
}
