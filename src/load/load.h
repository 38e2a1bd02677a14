// Loads: one row a kind, one struct load a row on the screen. A load is a child process (base/child.h) that forks
// its workers, counts their work in shared memory and takes them all with it when it ends.
// Must not know probes, sessions or screens.
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum load_state { LOAD_OFF, LOAD_STARTING, LOAD_ON, LOAD_STOPPING, LOAD_FAILED };

#define LOAD_LEVEL_MAX 64

// What is asked of a load.
struct load_params {
	int level;             // workers, 1..64
	uint64_t size;         // bytes, 0: the load's own choice
	unsigned size_pct_ram; // instead of size: per cent of RAM; 0: none
	uint64_t passes;       // stop by itself after so many; 0: until off
	char dir[256];         // where disk loads work
};

// One pass of a load that works by passes, as `time -v` would tell it.
struct load_pass {
	double user_s, system_s, elapsed_s, cpu_pct;
	uint64_t majflt, minflt, bytes;
	bool valid;            // false: killed or short
};

// What a load says of itself; plain data, also what is recorded.
struct load_status {
	enum load_state state;
	int level;
	char reason[120];      // why it failed, or what kind of work it found possible ("dirty file in a cgroup of 512M")
	uint64_t work;         // units since it was switched on
	double cpu_pct;        // of all its processes since the last look, 100 = one CPU; NaN: unknown
	int64_t cpu_ns;        // CPU time of all its processes, ended ones included
	uint64_t rss_bytes, majflt, minflt;
	int workers;           // really running
	uint64_t passes, invalid_passes;
	struct load_pass last, avg, sd; // avg and sd over valid passes
};

struct load_run; // load/worker.h: what a load's own code sees

struct load_kind {
	const char *name;      // "memory"
	char key;              // '1', or 0
	const char *does;      // one line for `list loads`, help and manual
	const char *unit;      // of its work: "lines", "bytes", ...
	const char *source;    // what it follows: "irman", "latencytest", ...
	int level;             // default workers
	bool by_passes, on_disk;
	int stall_ms;          // without work for so long it is shown as failed; 0: 1500
	bool cpu_is_work;      // CPU time of its processes is proof of work too (a program that counts rarely)
	// In the load's own process before its workers: opens, sizes, allocates. 0, or -1 with the reason in E.
	// May be NULL. See load/worker.h for what a load may call.
	int (*prepare)(struct load_run *r, struct err *e);
	// In worker process INDEX: works until killed, counting with load_worked(); returns only where it can't go on.
	int (*work)(struct load_run *r, int index, struct err *e);
};

struct load;

// All kinds: the table's and then the user's own. NULL past the end.
const struct load_kind *load_kind_at(int i);
const struct load_kind *load_find(const char *name);
// Adds a load of the settings file ([load NAME]); call once a key of it. 0 or -1 with E.
int load_define(const char *name, const char *key, const char *value, struct err *e);

struct load *load_new(const struct load_kind *kind, const struct load_params *p); // NULL: no memory
void load_free(struct load *l);  // kills it first; nothing of it is left when this returns
const struct load_kind *load_kind(const struct load *l);
// Starts it; returns at once. A failure to start is also its state and reason. 0 or -1 with E.
int load_start(struct load *l, struct err *e);
// Asks it to stop; returns at once. load_tend() finishes the job and kills what does not obey.
void load_stop(struct load *l);
// Number of workers, also while it runs (it takes effect at once, no restart).
void load_set_level(struct load *l, int level);
// Holds all its processes (SIGSTOP) or lets them go on (SIGCONT): while stutter itself is stopped.
void load_pause(struct load *l, bool paused);
// Called at least 10 times a second: reaps, notices failure and missing work. Cheap.
void load_tend(struct load *l);
void load_read(const struct load *l, struct load_status *s);
// In the child: main.c's role "load". Returns the exit status.
int load_child_main(const char *arg);

#endif
