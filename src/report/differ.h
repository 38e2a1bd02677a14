// What differs between the machines and settings of two sessions, and what of it makes a comparison unfair.
// Must not know how it is shown.
#ifndef REPORT_DIFFER_H
#define REPORT_DIFFER_H

#include <stdbool.h>

#include "session/session.h"

#define DIFFER_MAX 40

struct difference {
	char what[24];      // "kernel", "timer: policy"
	char a[48], b[48];
	bool unfair;        // what is being compared should not differ in this
};

// How many there are in OUT (at most DIFFER_MAX).
int differ_find(const struct session *a, const struct session *b, struct difference out[DIFFER_MAX]);

#endif
