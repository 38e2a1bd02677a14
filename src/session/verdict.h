// Slot A against slot B, load by load and probe by probe, and the plain sentence that it comes to.
// Must not know who shows it.
#ifndef SESSION_VERDICT_H
#define SESSION_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/ab.h"
#include "session/slot.h"

#define VERDICT_MAX 320

// A load's work a second, A against B.
struct verdict_work {
	char name[32], unit[24];
	struct ab_change change;
};

// One probe under one set of loads.
struct verdict_row {
	char load[96];                       // "none", "memory+io"
	char probe[40], kind[16];
	bool main;                           // the probe that the sentences are about
	char why_not[160];                   // why A and B may not be compared, or ""
	struct ab_change figure[AB_FIGURES];
	struct ab_change xruns;              // a minute, by difference; a NaN: not audio
	struct ab_change cpu;                // busy per cent of the machine, by difference
	struct ab_design design;
	int works;
	struct verdict_work work[SLOT_LOADS];
	struct dist *dist[SLOT_COUNT];       // all values, for the picture
};

struct verdict {
	char name[SLOT_COUNT][SLOT_NAME_MAX];
	int sound_mark[SLOT_COUNT];          // the listener's, 0 .. 10; -1: none
	int rows;
	struct verdict_row *row;             // by load, then by probe
	char note[200];                      // what to bear in mind, or ""
};

// Compares all that both slots have. NULL: no memory.
struct verdict *verdict_make(const struct slot *a, const struct slot *b);
void verdict_free(struct verdict *v);
// The sentence for one row: which is better and how sure that is, or why that cannot be said. BUF returned.
char *verdict_say(char *buf, size_t size, const struct verdict_row *r, bool ascii);
// +1: B is better, -1: A is, 0: no difference is certain (two figures are asked, so each must be surer: Holm 1979).
int verdict_better(const struct verdict_row *r);
// Lower is better for all but shares within a limit.
bool verdict_lower_better(enum ab_figure f);
const char *verdict_figure_name(enum ab_figure f); // "p99"
// A change with its interval as text: "-83% (-85 .. -80)", or why there is none. BUF returned.
char *verdict_change(char *buf, size_t size, const struct ab_change *c);
// "without load" or "under NAME".
char *verdict_load(char *buf, size_t size, const char *load);

#endif
