// What the job probe's process does.
// Must not know who reads its samples.
#ifndef PROBE_JOB_H
#define PROBE_JOB_H

// The process in the role "job": runs the job over and over (ARG ""), or is a part of the built-in
// one. Exit status.
int job_main(const char *arg);

#endif
