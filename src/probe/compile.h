// The built-in job: fixed compile-like work that is the same everywhere. Processes are exec'd,
// parse, allocate, fold and write. Must not know who measures it.
#ifndef PROBE_COMPILE_H
#define PROBE_COMPILE_H

#define COMPILE_UNITS 96
#define COMPILE_AT_A_TIME 2

// In the working folder: compiles all units, two at a time, each in a process of its own, then
// links them. Exit status.
int compile_all(void);
// One such process: ARG is "unit NUMBER" or "link". Exit status.
int compile_one(const char *arg);

#endif
