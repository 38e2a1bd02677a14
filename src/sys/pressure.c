// Reads /proc/pressure.
// Must not know who asks.
#include "sys/pressure.h"

#include <math.h>
#include <stdio.h>

#include "sys/read.h"

// "some avg10=1.23 avg60=..."
static double
some_avg10(const char *root, const char *what)
{
	char path[32], buf[512];
	unsigned whole, hundredths;
	snprintf(path, sizeof path, "/proc/pressure/%s", what);
	// by integers: a locale's comma must not matter
	if (sys_read(root, path, buf, sizeof buf) <= 0 ||
	    sscanf(buf, "some avg10=%3u.%2u", &whole, &hundredths) != 2)
		return NAN;
	return whole + hundredths / 100.0;
}

void
pressure_read(const char *root, struct pressure *p)
{
	p->cpu = some_avg10(root, "cpu");
	p->memory = some_avg10(root, "memory");
	p->io = some_avg10(root, "io");
}
