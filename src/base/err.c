// Formats an error into the caller's struct err.
// Must not print or exit: the one place of each mode that shows errors does.
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
err_set(struct err *e, const char *fmt, ...)
{
	int saved = errno;
	if (!e)
		return -1;
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	size_t used = n < 0 ? 0 : (size_t)n < sizeof e->text ? (size_t)n : sizeof e->text - 1;
	if (used && fmt[strlen(fmt) - 1] == ':') {
		char buf[96];
		snprintf(e->text + used, sizeof e->text - used, " %s",
		    strerror_r(saved, buf, sizeof buf));
	}
	for (char *p = e->text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	errno = saved;
	return -1;
}
