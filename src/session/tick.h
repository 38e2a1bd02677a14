// A tick: all that happened in about 100 ms, closed and never changed again. Live, replayed and streamed sessions are
// made of the same ticks, and every figure is made from them: totals, windows, graphs, slots, recordings.
#ifndef SESSION_TICK_H
#define SESSION_TICK_H

#include <stdbool.h>
#include <stdint.h>

#include "load/load.h"
#include "measure/dist.h"
#include "probe/probe.h"
#include "sys/cpu.h"

#define TICK_NS 100000000LL
#define PROBES_MAX 80    // one timer a CPU (64) and others
#define LOADS_MAX 64     // bits of a load set
#define CPUS_MAX 256
#define NOTE_MAX 160

enum event_kind {
	EVENT_LOAD_ON, EVENT_LOAD_OFF, EVENT_LOAD_FAILED, EVENT_MARK, EVENT_SLOT, EVENT_XRUN, EVENT_SPIKE, EVENT_RESET,
	EVENT_PROBE, EVENT_GAP, EVENT_KNOB, EVENT_COUNT
};

struct event {
	int64_t t_ns;          // since the session's start
	enum event_kind kind;
	int which;             // probe or load number, slot; -1: none
	int64_t value;         // ns, or -1
	char text[NOTE_MAX];   // safe
};

struct probe_tick {
	struct slice *slice[Q_COUNT]; // NULL: the probe does not measure it, or nothing came
	struct probe_facts facts;
};

struct load_tick {
	enum load_state state;
	int level;
	uint64_t work;         // units done in this tick
	int64_t cpu_ns;        // in this tick
	struct load_status status; // as it stands at the tick's end
};

struct tick {
	int64_t number;        // of the 100 ms grid since the start: t_ns / TICK_NS of its end
	int64_t t_ns;          // its end, since the session's start
	int64_t len_ns;        // how long it really was
	bool warmup;           // left out of all figures, shown in the graph
	uint64_t load_set;     // bit i: load i was on for the whole tick and did work
	int probes, loads, events;
	struct probe_tick *probe;
	struct load_tick *load;
	struct event *event;
	bool cpu_known;
	struct cpu_pct cpu;
	double cpu_ticks;      // how many ticks they stand for; 0: those since the last look
	int cpus;
	struct cpu_pct *each;
};

const char *event_name(enum event_kind k); // "load-on", as in recordings
void tick_free(struct tick *t);            // and all it points to

#endif
