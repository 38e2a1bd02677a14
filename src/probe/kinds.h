// The rows of the table of probes, each in its own file.
// Must not know what they do.
#ifndef PROBE_KINDS_H
#define PROBE_KINDS_H

#include "probe/probe.h"

extern const struct probe_kind probe_timer, probe_audio, probe_echo, probe_job;

#endif
