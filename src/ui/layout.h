// Where the parts of the live view stand, by the size of the screen: one table.
// Pure; must not know what the parts show.
#ifndef UI_LAYOUT_H
#define UI_LAYOUT_H

#include "ui/grid.h"

// A part that has no room has h == 0.
struct layout {
	struct rect top, latency, cpu, loads, strip, figures, probes, warn, keys;
	bool frames;
	bool joined; // the CPU box begins on the lower edge of the latency box
	int bands;   // rows under the latency graph for loads
	int gutter;  // columns left of the plots, for labels
};

// PROBE_LINES: how many lines the table of probes could use.
void layout_make(struct layout *l, int w, int h, int probe_lines);

#endif
