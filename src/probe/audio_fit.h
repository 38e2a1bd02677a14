// The clock of a sound device, as seen from CLOCK_MONOTONIC: the line through its positions and
// their times. Pure. Must not know of devices, or what lateness is made of it.
#ifndef PROBE_AUDIO_FIT_H
#define PROBE_AUDIO_FIT_H

#include <stdint.h>

#define FIT_POINTS 64 // kept; together they cover up to half a minute
#define FIT_RECENT 8  // of these, the last ones that set the line's height

struct fit_point {
	double x, y; // frames; ns beside the nominal line
};

// A position is never seen before it is reached, only after: so the line runs below all points. Its
// slope is that of the lower convex hull's edge under their middle (Moon, Skelly and Towsley,
// "Estimation and removal of clock skew from network delay measurements", 1999, solve the same
// task), its height that of the lowest recent point.
struct fit {
	double nominal_ns; // a frame, at the nominal rate
	double slope;      // ns a frame beside that
	double carried;    // the slope that an earlier run had
	double offset;     // ns, of the line at frame 0
	int64_t base_ns;   // time that y is counted from
	int points;
	double width;  // frames that one point stands for
	double opened; // where the last point began
	struct fit_point p[FIT_POINTS];
};

// For a device of RATE frames a second, nothing known yet.
void fit_init(struct fit *f, unsigned rate);
// A new run: frame 0 was played at T_NS. The slope is kept.
void fit_start(struct fit *f, int64_t t_ns);
// The line is moved so that FRAME is at T_NS, and what was seen before is forgotten, but for the
// slope.
void fit_move(struct fit *f, int64_t frame, int64_t t_ns);
// The device was seen at FRAME at T_NS. Frames never go back within a run.
void fit_add(struct fit *f, int64_t frame, int64_t t_ns);
// When the device reaches FRAME.
int64_t fit_time_ns(const struct fit *f, int64_t frame);
// ns that N frames take, by its measured rate.
int64_t fit_span_ns(const struct fit *f, int64_t frames);
// Measured rate against the nominal one, parts per billion: positive is fast.
int64_t fit_rate_ppb(const struct fit *f);

#endif
