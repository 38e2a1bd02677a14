// What the probes' own processes run.
// Must not know what they measure.
#include "probe/echo.h"
#include "probe/job.h"
#include "probe/probe.h"

#include <string.h>

int
probe_child_main(const char *role, const char *arg)
{
	if (!strcmp(role, "echo"))
		return echo_main();
	if (!strcmp(role, "job"))
		return job_main(arg);
	return -1;
}
