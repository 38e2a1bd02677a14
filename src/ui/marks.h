// What happened when, by the cells of a time axis, and the labels of that axis.
// Must not know latency values.
#ifndef UI_MARKS_H
#define UI_MARKS_H

#include "ui/graph.h"
#include "ui/panel.h"

enum mark {
	MARK_WARMUP = 1, MARK_GAP = 2, MARK_XRUN = 4, MARK_NOTE = 8, MARK_KNOB = 16, MARK_RESET = 32, MARK_SLOT_A = 64,
	MARK_SLOT_B = 128
};

struct marks {
	uint8_t cell[GRAPH_DOTS]; // enum mark
};

// Events that are still kept and fall into the axis. XRUN only of PROBE.
void marks_make(struct marks *m, const struct session *s, const struct time_axis *a, int probe);
// The most telling event of a cell that needs words, or NULL.
const struct event *marks_event(const struct session *s, const struct time_axis *a, int cell);
// Times under a plot that begins at X: "-45s", "-30s", ... "now".
void marks_times(struct grid *g, int x, int y, const struct panel *p);

#endif
