// Captures into A and B: figures cut into blocks of time, load by load, so that they can be compared. Made from the
// events and ticks of any session, live or replayed. Must not know what is concluded from them.
#ifndef SESSION_SLOT_H
#define SESSION_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "session/session.h"

#define SLOT_PARTS 16    // sets of loads in a slot
#define SLOT_LOADS 8     // loads in a set
#define SLOT_BLOCKS 256  // of a part; beyond that blocks become longer, so that memory is bounded
#define SLOT_NAME_MAX 64

enum slot_id { SLOT_A, SLOT_B, SLOT_COUNT };

// What an EVENT_SLOT of slot `which` says by its value; `text` is the slot's name.
// SLOT_BEGINS and up: a capture begins, of round 0 and up; SLOT_MARKED and down: a sound mark of 0 and up.
enum slot_event { SLOT_MARKED = -3, SLOT_CLEARED = -2, SLOT_ENDED = 0, SLOT_BEGINS = 1 };
#define SOUND_MARK_MAX 10

// One closed stretch of time.
struct slot_block {
	int round;
	double s;
	struct slice **late;   // one a probe of the slot, NULL: nothing came
	double *xruns;         // one a probe
	double cpu, cpu_looks; // busy per cent, summed over so many looks
	double work[SLOT_LOADS];
};

struct slot_load {
	char name[32], unit[24];
	int level, level_max;  // least and most workers seen
};

// What a slot holds of one set of loads.
struct slot_part {
	char name[96];         // "none", "memory+io"
	int loads;
	struct slot_load load[SLOT_LOADS];
	double s;
	int blocks;
	struct slot_block *block; // in order of time
};

struct slot_probe {
	char label[40], kind[16];
	bool known;
	struct probe_facts facts; // as the capture began
	char changed[80];      // what did not stay so, or ""
};

struct slot {
	char name[SLOT_NAME_MAX];
	char machine[64], kernel[80];
	double s;              // captured so far
	bool marked;           // somebody listened, and gave it a mark:
	int sound_mark;        // 0 .. SOUND_MARK_MAX
	int probes;
	struct slot_probe probe[PROBES_MAX];
	int parts;
	struct slot_part part[SLOT_PARTS];
};

struct slots {
	struct slot slot[SLOT_COUNT];
	int open;              // being captured, -1: none
	int64_t since_ns;      // when that began, of the session's time; big figures count from here
	unsigned version;      // changes whenever a block is added or taken away
	struct slots_private *own;
};

// Gives S its slots. 0, -1: no memory. session_new() does it.
int slots_attach(struct session *s);
// The slots of S, NULL: none.
struct slots *session_slots(const struct session *s);

// Live only; each leaves its event, and takes effect with the next tick: call session_settle(s, 0) first, so that it
// begins now (but never from a hook). A capture of the other slot ends.
void slots_begin(struct session *s, enum slot_id which, int round, const char *name);
void slots_end(struct session *s);
void slots_clear(struct session *s, enum slot_id which);
// The listener's MARK, 0 .. SOUND_MARK_MAX, for a slot; anything else is not kept.
void slots_mark(struct session *s, enum slot_id which, int mark);
// A mark as it is keyed in: 1 with MARK, 0: nothing but blanks, -1: no whole number from 0 to SOUND_MARK_MAX.
int sound_mark_read(const char *text, int *mark);
// The slot that a person's next key would find being captured, -1: none (ahead of `open` by a tick).
int slots_asked(const struct session *s);

// Takes slot FROM_WHICH of FROM (a replayed session's) into slot WHICH of TO; FROM's is empty after.
void slots_move(struct slots *to, enum slot_id which, struct slots *from, enum slot_id from_which);
// All that S was fed from here on goes into WHICH: a whole recording as one capture.
void slots_capture_all(struct session *s, enum slot_id which, const char *name);

// Empties both, as a replay that starts again does.
void slots_reset(struct session *s);

#endif
