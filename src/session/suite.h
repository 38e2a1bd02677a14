// Suites: canned sequences of loads, each a settings file, run step by step over a live session. What each step
// measured is kept in a row. Must not know how rows are shown.
#ifndef SESSION_SUITE_H
#define SESSION_SUITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "session/session.h"

#define SUITE_STEPS 32
#define SUITE_OPTIONS 32
#define SUITE_JOBS 256

enum suite_table { SUITE_LATENCYTEST, SUITE_IRMAN, SUITE_CONTEST, SUITE_VM };

struct suite_step {
	char name[32];
	char load[16][32];
	int loads;
};

// A suite's file. The keys before the first section are title, table, each, settle, jobs, and options of the program;
// each section is a step, its `load` names what is on.
struct suite {
	char name[32], title[80];
	enum suite_table table;
	int64_t each_ns, settle_ns;
	int jobs;                       // a step ends after so many whole jobs; 0: after each_ns
	char option[SUITE_OPTIONS][96]; // "--burn=80"
	int options;
	struct suite_step step[SUITE_STEPS];
	int steps;
};

// Loads suite NAME: the user's folder ($XDG_CONFIG_HOME/stutter/suites), then those in the program; a path (with a '/')
// as it is. 0, or -1 with E, which lists those there are.
int suite_load(struct suite *su, const char *name, struct err *e);
// The names of those in the program, one a call; NULL past the end.
const char *suite_name_at(int i);

// What a step measured.
struct suite_row {
	char name[32];
	bool done;                      // measured to its end
	bool invalid;                   // its load did not load, or nothing was measured
	char why[120];
	double s;                       // measured time
	int probe;                      // whose figures; -1: none
	struct dist late, burn, interval;
	uint64_t xruns;
	double played_s, silent_s, elapsed_s;
	struct cpu_pct cpu_sum;
	double cpu_s;
	int load;                       // the step's (first) load, -1: none
	double work, load_cpu_s, on_s;
	char unit[24];
	struct load_status status;      // of that load, at the end
	int jobs;
	double job_s[SUITE_JOBS], job_cpu_s[SUITE_JOBS];
};

struct suite_run {
	struct suite suite;
	struct session *s;
	int step;                       // that runs, -1: none yet
	int rows;
	struct suite_row *row;          // suite.steps of them
	bool settling, over, cut;       // cut: ended early
	int64_t phase_ns, start_ns;     // session time when this phase, and the whole, began
	int skip_jobs;                  // jobs that began before this step
	int bad_ticks, ticks;
	bool was_on;
	double played_start, silent_start;
	uint64_t xruns_start;
};

// Makes ready to run SU over S (a hook). NULL with E: a load or probe that is not there.
struct suite_run *suite_start(const struct suite *su, struct session *s, struct err *e);
// Call it after each session_tick(): switches loads, ends steps. False: it is over.
bool suite_turn(struct suite_run *r);
// Ends it now; the step that runs stays as far as it came, marked.
void suite_stop(struct suite_run *r);
void suite_free(struct suite_run *r); // before the session
// How far it is, 0 .. 1, and the seconds that are left at most.
double suite_progress(const struct suite_run *r, double *left_s);

#endif
