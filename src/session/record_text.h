// The lines of a recording as text: what record.c writes and replay.c reads. The format is in the manual.
// Must not know of files or threads.
#ifndef SESSION_RECORD_TEXT_H
#define SESSION_RECORD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/session.h"

#define RECORD_FORMAT 1 // the header's "format"; higher ones are read as far as they are understood

// A line that grows. `failed`: there was no memory; the rest was left out.
struct text_out {
	char *text;
	size_t len, size;
	bool failed;
};

void out_free(struct text_out *o);
void out_char(struct text_out *o, char c);
void out_text(struct text_out *o, const char *s);
void out_int(struct text_out *o, int64_t v);
void out_real(struct text_out *o, double v);       // as short as brings the same double back; NaN: null
void out_string(struct text_out *o, const char *s);// quoted, escaped, made safe
void out_key(struct text_out *o, const char *key); // with a comma where one is needed

// What the last lines said, so that a line tells only what changed.
struct record_state {
	struct probe_facts facts[PROBES_MAX];
	struct limits lim[PROBES_MAX][Q_COUNT];
	struct load_status load[LOADS_MAX];
	int64_t cpu_tick;   // number of the last look at the CPUs, -1: none
};

extern const char *const quantity_names[Q_COUNT]; // as in a recording: "late", "burn", ...

// Each appends one line with its end to O. ST is brought up to date.
void record_header(struct text_out *o, const struct session *s, struct record_state *st);
void record_tick(struct text_out *o, const struct session *s, const struct tick *t, struct record_state *st);
void record_event(struct text_out *o, const struct event *e);
void record_summary(struct text_out *o, const struct session *s);

// Parts of a line, for packs (record_pack.c).
void record_tick_head(struct text_out *o, const char *type, const struct tick *t);
void record_limits(struct text_out *o, const struct session_probe *p, struct limits *known);
void record_facts(struct text_out *o, const char *key, const struct probe_facts *now, const struct probe_facts *before);
void record_loads(struct text_out *o, const struct tick *t, struct record_state *st);

#endif
