// THE model: probes + loads + ticks + figures + events. The main thread owns it; a view gets it const.
// Must not know of screens or terminals.
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/dist.h"
#include "measure/series.h"
#include "measure/window.h"
#include "session/config.h"
#include "session/tick.h"
#include "sys/host.h"

#define EVENTS_KEPT 1024
#define CONDITIONS_MAX 48
#define WARNINGS_MAX 24

// A probe as the session knows it, live or replayed.
struct session_probe {
	const struct probe_kind *kind;
	int cpu;                        // pinned to, or -1
	char label[40];                 // "audio", "timer cpu0"
	struct probe_facts facts;
	struct probe *probe;            // NULL in a replay
	struct dist *total[Q_COUNT];    // since reset; NULL: not measured
	struct window *window[Q_COUNT]; // rolling
	struct series *series[Q_COUNT]; // for graphs, in ns
	struct dist *open[Q_COUNT];     // the tick that is being filled; the session's own
	uint64_t xruns;                 // since reset
	double played_s, silent_s;      // since reset; NaN: no audio
};

struct session_load {
	const struct load_kind *kind;
	char name[32], unit[24];        // also for loads of a recording that this program does not know
	char key;
	struct load *load;              // NULL in a replay
	struct load_status status;
	double work_per_s;              // over the last second; NaN: off
	double cpu_pct;                 // over the last second
	struct series *on;              // 1 while on, 0 while off: the band under the graph; NULL: never on
	struct series *rate;            // work a second; NULL: never on
	// since reset, while on and not warming up:
	uint64_t work; double on_s; int64_t cpu_ns;
};

// The figures under one set of loads, each set seen since reset: a row of the table view, a part of a slot.
struct condition {
	uint64_t load_set;
	char name[96];                  // "none", "memory", "memory+io"
	double elapsed_s;
	struct dist **late;             // one a probe (Q_LATE); NULL where not measured
	struct dist **interval, **burn; // likewise, NULL arrays where no probe has them
	uint64_t *xruns;                // one a probe
	struct cpu_pct cpu_sum; double cpu_s; // time-weighted: divide by cpu_s
	double work[LOADS_MAX];         // units by each load
	double load_cpu_s[LOADS_MAX];
};

enum severity { WARN_NOTE, WARN_DOUBT, WARN_SPOILT }; // spoilt: the figure itself is not to be trusted

struct warning {
	enum severity severity;
	int probe;                      // whose figures, or -1: all
	char text[120];                 // few words
	char advice[200];               // what to do
};

struct session {
	struct config config;
	struct host host;
	bool replay;
	int64_t start_ns;               // CLOCK_MONOTONIC; 0 in a replay
	int64_t start_wall_ns;
	int64_t now_tick;               // number of the last tick, -1: none yet
	int64_t elapsed_ns;             // since the start, of the last tick
	int64_t reset_ns;               // when the figures began, since the start
	double measured_s;              // time that counts: no warm-up, no gaps, since reset
	int probes, loads;
	struct session_probe probe[PROBES_MAX];
	struct session_load load[LOADS_MAX];
	uint64_t load_set;              // of the last tick
	bool cpu_known;
	struct cpu_pct cpu;             // last look (0.5 s)
	struct cpu_pct cpu_sum; double cpu_s; // since reset, time-weighted: divide by cpu_s
	int cpus;
	struct cpu_pct each[CPUS_MAX];
	struct series *cpu_series[5];   // user, system, iowait, irq, steal, per cent
	int conditions;
	struct condition condition[CONDITIONS_MAX];
	int64_t events;                 // ever; the last EVENTS_KEPT are event[i % EVENTS_KEPT]
	struct event event[EVENTS_KEPT];
	int warnings;
	struct warning warning[WARNINGS_MAX];
	bool recording;
	int64_t record_bytes;
	char record_name[256], record_error[160];
	char replay_text[48];           // what a player or a suite does, for the top line: "paused 00:01:02/00:12:31"
	struct session_private *own;    // recorder, slots, suites ...: their own files' business
};

// Starts probes (and the loads of the configuration). NULL with E; a probe that cannot start is FAILED, not an error,
// unless none can.
struct session *session_start(const struct config *c, struct err *e);
// An empty session to be filled with ticks: replay, tests.
struct session *session_new(const struct config *c);
int session_add_probe(struct session *s, const struct probe_kind *kind, int cpu, const char *label); // number, -1: full
int session_add_load(struct session *s, const char *name, char key, const char *unit);               // number, -1: full
void session_free(struct session *s); // ends everything it started
// A replay: forgets all ticks, as if it were new; probes, loads and hooks stay. 0, -1: no memory.
int session_rewind(struct session *s);

// Drains the rings, closes ticks that are due at NOW_NS (CLOCK_MONOTONIC), tends loads and probes. Call it at 10 Hz or
// more. True where a tick was closed.
bool session_tick(struct session *s, int64_t now_ns);
// Puts a finished tick into every figure. The one way in: live, replayed, streamed. T stays the caller's.
void session_apply(struct session *s, const struct tick *t);

// Others that take part in every tick and event: recorder, slots, suites. Called in the order they were added.
struct session_hook {
	void *data;
	void (*tick)(void *data, struct session *s, const struct tick *t);   // after its figures are in; may be NULL
	void (*event)(void *data, struct session *s, const struct event *e); // may be NULL
	void (*end)(void *data, struct session *s);                          // last, before figures are freed; may be NULL
};
int session_hook_add(struct session *s, struct session_hook h); // 0, -1: full (8)
void session_hook_remove(struct session *s, void *data);

// What a person does; each also leaves its event. 0 or -1 with E.
int session_load_switch(struct session *s, int load, bool on, struct err *e);
int session_load_level(struct session *s, int load, int level, struct err *e);
void session_loads_off(struct session *s);
void session_reset(struct session *s);
void session_mark(struct session *s, const char *note);
int session_buffer(struct session *s, int direction, struct err *e);       // -1 smaller, 1 larger audio buffer
void session_suspend(struct session *s);  // before stutter is stopped (Ctrl-Z): loads rest
// After: the time between is a gap, never latency. Also on a SIGCONT that nobody announced (kill -STOP, a debugger):
// call it before the next session_tick().
void session_resume(struct session *s);
// Leaves the next NS out of the figures: after anything that needs time to settle (a knob, a device).
void session_settle(struct session *s, int64_t ns);
void session_event(struct session *s, enum event_kind k, int which, int64_t value, const char *text);

// No warning spoils a figure.
bool session_valid(const struct session *s);
// Whether P runs at the policy that was asked (timer, audio); the others stand for ordinary programs.
bool session_asks_policy(const struct session_probe *p);

// Figures for a view.
int session_main_probe(const struct session *s);      // what the graph shows first: audio, else timer, else any; -1
void session_window(const struct session *s, int probe, enum quantity q, int64_t window_ns, struct dist *out);
const char *session_load_set_name(const struct session *s, uint64_t set, char *buf, size_t size);

#endif
