// The summary of a session as a table for people. Plain text, no colours, at most 78 columns.
// Must not know where it goes.
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include <stdio.h>

#include "session/session.h"

void summary_print(FILE *f, const struct session *s);

#endif
