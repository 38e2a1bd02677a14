// The parts of the live view, each drawn into a rectangle of its own; other views borrow some.
// They know a const session and the state of the screen; must not know of curses.
#ifndef UI_PANEL_H
#define UI_PANEL_H

#include "ui/axis.h"
#include "ui/draw.h"
#include "ui/layout.h"
#include "ui/view.h"

// What every panel gets.
struct panel {
	const struct session *s;
	struct ui *u;
	const struct charset *cs;
	bool ascii;              // no character beyond ASCII
	bool frames, joined;
	int probe;               // shown in the graph, -1: none
	int left, right;         // columns beside the plots: labels, values of reference lines
	int bands;
	struct time_axis axis;   // of the plots; valid once panel_plots() was called
};

// Fills P for S and U; plots are not set up yet.
void panel_init(struct panel *p, const struct session *s, struct ui *u);
// The plots' time axis and gutters for a panel W columns wide.
void panel_plots(struct panel *p, int w, int gutter);

// First row: program, machine, time, recording.
void panel_top(struct grid *g, struct rect r, const struct panel *p);
// The worst doubts in few words.
void panel_warn(struct grid *g, struct rect r, const struct panel *p);
// Last row: the keys that matter most, or, before the first key, which one to press.
void panel_keys(struct grid *g, struct rect r, const struct panel *p);
// Latency over time, reference lines, marks, bands of loads. Sets U->graph.
void panel_latency(struct grid *g, struct rect r, const struct panel *p);
// CPU over time, on the same axis.
void panel_cpu(struct grid *g, struct rect r, const struct panel *p);
// Loads as a list, a row each, or as a strip of as much as fits. Both set U->load_row.
void panel_loads(struct grid *g, struct rect r, const struct panel *p);
void panel_strip(struct grid *g, struct rect r, const struct panel *p);
// The table of probes, and how many lines it would like to have at width W.
void panel_probes(struct grid *g, struct rect r, const struct panel *p);
int panel_probes_lines(const struct session *s, int w); // one or two a probe
// The one, two or three figures of a tiny screen.
void panel_figures(struct grid *g, struct rect r, const struct panel *p);

// Box and title, or, without frames, a title line; returns what is left inside.
struct rect panel_frame(struct grid *g, struct rect r, const struct panel *p, struct line *left, struct line *right);
// A load's colour: of its row and of its band.
enum role panel_load_role(int load);
// One period and the whole buffer of a probe in ns; NaN where it has none.
double panel_period_ns(const struct session_probe *p);
double panel_buffer_ns(const struct session_probe *p);
// ROLE_BUFFER, ROLE_PERIOD or OTHER, as NS is beyond the probe's buffer, its period or neither.
enum role panel_late_role(const struct session_probe *p, double ns, enum role other);
// What the probe is: "audio hw:0 3x64 @ 48k . fifo:80", into parts that fold.
void panel_probe_title(struct line *l, const struct panel *p, const struct session_probe *pr);
// The worst of the last second in ns; NaN: nothing came.
double panel_now_ns(const struct session *s, const struct session_probe *pr);
// Is a figure of this probe not to be trusted at all?
bool panel_spoilt(const struct session *s, int probe);
// The slot that was being filled at the end of tick TICK: 0 A, 1 B, -1 none.
int panel_slot(const struct session *s, int64_t tick);

#endif
