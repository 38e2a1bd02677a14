// Probes: one row a kind, one struct probe a running one. A probe measures in a thread or process
// of its own and hands struct samples through a ring; all else it says through atomics that the
// main thread reads. Must not know loads, sessions or screens.
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ring.h"
#include "measure/dist.h"
#include "probe/sample.h"

enum policy_kind { POLICY_OTHER, POLICY_FIFO, POLICY_RR, POLICY_DEADLINE };

struct policy {
	enum policy_kind kind;
	int priority; // fifo and rr: 1..99; other: nice value; deadline: 0
};

// "fifo:80", "rr:10", "other", "deadline" -> P. Lists what is allowed in E.
int policy_parse(const char *s, struct policy *p, struct err *e);
// P as it is written; BUF returned.
char *policy_text(char *buf, size_t size, struct policy p);

// What is asked of a probe. Strings live as long as the probe.
struct probe_config {
	int64_t interval_ns;  // timer; audio: ignored
	struct policy policy; // timer and audio
	int cpu;              // pinned to, or -1
	int burn_pct;         // 0..90
	const char *device;   // audio: ALSA name; "none": no card, paced by the clock
	unsigned rate, periods, period_frames; // audio, asked
	const char *play;                      // audio: sound file, or NULL: silence
	double tone_hz;                        // audio: 0: none
	const char *job;                       // job: command, or NULL: built in
	const char *dir;                       // job: where it works
};

enum probe_state { PROBE_OFF, PROBE_STARTING, PROBE_RUNNING, PROBE_LOST, PROBE_FAILED };

// Doubts that a probe itself knows of; bits.
enum probe_doubt {
	DOUBT_POLICY = 1 << 0,    // policy or priority asked was not granted
	DOUBT_PLUGIN = 1 << 1,    // audio: a plugin, not hardware
	DOUBT_VIRTUAL = 1 << 2,   // audio: no card, or a virtual one whose position jumps
	DOUBT_THROTTLED = 1 << 3, // recurring gaps of real-time throttling
	DOUBT_AFFINITY = 1 << 4,  // the CPU asked for was refused
	DOUBT_UNLOCKED = 1 << 5,  // memory could not be locked
	DOUBT_GRANTED = 1 << 6,   // audio: rate, period or buffer granted are not those asked
	DOUBT_BURN = 1 << 7,      // the CPU's speed changed: the loop was calibrated again
	DOUBT_INTERVAL = 1 << 8,  // the period asked ate the CPU: a longer one is in force
};

// Written by the probe, read by anyone: atomics only. In shared memory where the probe is a
// process.
struct probe_live {
	_Atomic int state;            // enum probe_state
	_Atomic int error;            // errno value behind LOST or FAILED, 0: none
	_Atomic int detail;           // a probe's own reason code, see its reason()
	_Atomic unsigned doubts;      // enum probe_doubt
	_Atomic int policy, priority; // effective: enum policy_kind, its number; -1: not known yet
	_Atomic int tid;              // of the measuring thread or process; 0: none
	_Atomic int64_t period_ns;    // schedule in force
	_Atomic int64_t burn_ns;      // what the loop should take; 0: none
	_Atomic int64_t busy_ns;      // CPU time of the measuring thread
	_Atomic unsigned hold;        // the main thread's: odd: held; see probe_hold()
	// audio
	_Atomic unsigned rate, periods, period_frames, buffer_frames; // granted
	_Atomic int hardware;          // 1 hardware, 0 plugin or virtual, -1 not known yet
	_Atomic int64_t played_frames; // as the device counted them
	_Atomic int64_t silent_ns;     // time in drop-outs, lost or reconnecting
	_Atomic int64_t longest_silence_ns;
	_Atomic int64_t rate_uhz_ppb; // measured rate against nominal, parts per billion
	_Atomic uint64_t xruns;
};

// The same as plain data, and as it is recorded: what the session keeps and the screen shows.
struct probe_facts {
	enum probe_state state;
	char reason[120]; // "" or why it is lost, failed or in doubt, in words
	unsigned doubts;
	struct policy asked, effective;
	bool effective_known;
	int64_t interval_ns, burn_ns;
	double cpu_pct;  // of its own thread, NaN: unknown
	char device[64]; // audio; "" elsewhere
	int hardware;    // 1, 0, -1 unknown
	unsigned rate, periods, period_frames, buffer_frames;
	double played_s, silent_s, longest_silence_s, rate_ppm; // NaN where it does not apply
	uint64_t xruns, dropped;
};

struct probe;

struct probe_kind {
	const char *name;    // "timer"
	const char *does;    // one line for `list probes` and the manual
	const char *more;    // how to get better figures: one line
	unsigned quantities; // bit mask 1 << enum quantity
	bool per_cpu;        // --cpus makes one for each
	bool weighted; // a late wake stands for the periods missed (schedules); else one value each
	const char *unit; // what a sample is: "wake", "answer", "job"
	// Starts measuring: fills p->impl, returns at once. 0 or -1 with E.
	int (*start)(struct probe *p, struct err *e);
	// Stops and frees; bounded in time whatever the device does. Sets p->impl to NULL, unless a
	// thread of it hangs: then p->impl, live and ring are left to that thread for good.
	void (*stop)(struct probe *p);
	// Called by the main thread now and then (10 Hz) to look after it (reap, reconnect
	// watchdog); may be NULL.
	void (*tend)(struct probe *p);
	// Words for live->detail and live->error; "" for none. May be NULL.
	void (*reason)(const struct probe *p, char *buf, size_t size);
	// Takes a changed configuration (buffer, device) while running: 0, or -1 with E. May be
	// NULL.
	int (*change)(struct probe *p, const struct probe_config *c, struct err *e);
};

struct probe {
	const struct probe_kind *kind;
	struct probe_config config;
	struct probe_live *live;
	struct ring *ring; // of struct sample
	void *impl;        // the kind's own
};

// The one table; ends with NULL.
extern const struct probe_kind *const probe_kinds[];
const struct probe_kind *probe_find(const char *name); // NULL: no such probe

// A stopped probe of KIND; its ring and live page are allocated (shared) and touched. NULL with E.
struct probe *probe_new(const struct probe_kind *kind, const struct probe_config *c, struct err *e);
void probe_free(struct probe *p); // stops it first
// Reads what the probe says of itself into F (all but cpu_pct: the caller's, from busy_ns).
void probe_read(const struct probe *p, struct probe_facts *f);
// Limits of one quantity for this probe as it runs now.
struct limits probe_limits(const struct probe *p, enum quantity q);
// Holds it (before stutter itself is stopped) or lets it go on: the time between becomes a
// SAMPLE_GAP. Letting go one that was not held says that a stop was noticed only afterwards.
void probe_hold(struct probe *p, bool held);
// Forgets doubts about time that is over (throttling, changed CPU speed): the figures begin again.
void probe_forget(struct probe *p);
// What main.c runs for a child (base/child.h) whose ROLE is a probe's ("echo", "job"): returns its
// exit status, or -1 where ROLE is no probe's.
int probe_child_main(const char *role, const char *arg);

#endif
