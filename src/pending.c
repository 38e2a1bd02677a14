// Commands whose code has not landed yet; goes away with the last of them.
#include <stdio.h>

#include "command.h"

#define PENDING(f)                                                                                                    \
	__attribute__((weak)) int f(int argc, char **argv)                                                           \
	{                                                                                                             \
		(void)argc;                                                                                           \
		fprintf(stderr, "stutter: %s is not there yet\n", argv[0]);                                           \
		return 1;                                                                                             \
	}

PENDING(command_monitor)
PENDING(command_view)
PENDING(command_run)
PENDING(command_suite)
PENDING(command_ab)
PENDING(command_compare)
PENDING(command_report)
PENDING(command_export)
PENDING(command_headroom)
PENDING(command_list)
