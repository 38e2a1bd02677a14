// One self-contained HTML page of recordings: what its parts share.
// Must not know how recordings are read.
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include "session/session.h"

// What a graph over time needs of one tick, in ns; NaN: none.
struct page_point {
	float max, avg, burn;
};

// The ticks under one set of loads, one after the other.
struct page_trace {
	uint64_t load_set;
	int probe;                 // whose they are
	size_t n, room;
	struct page_point *point;
	double s;                  // how long they are together
};

struct page_cpu {
	double t_s;
	float user, system, iowait, irq, steal;
};

struct page_data {
	struct session *s;
	int traces;
	struct page_trace trace[CONDITIONS_MAX];
	size_t cpus, cpu_room;
	struct page_cpu *cpu;
};

void page_text(FILE *f, const char *s); // escaped
// Graphs as inline SVG.
void page_graph(FILE *f, const struct page_data *d, const struct page_trace *t);
void page_histogram(FILE *f, const struct page_data *d, int probe);
void page_cpu_graph(FILE *f, const struct page_data *d);

#endif
