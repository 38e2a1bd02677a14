// What the probes' own processes run.
// Must not know what they measure.
#include "probe/echo.h"
#include "probe/probe.h"

#include <string.h>

int
probe_child_main(const char *role, const char *arg)
{
	(void)arg;
	if (!strcmp(role, "echo"))
		return echo_main();
	return -1;
}
