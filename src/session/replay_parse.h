// One line of a recording -> what the session takes in. Hostile input ends here.
// Must not know of files.
#ifndef SESSION_REPLAY_PARSE_H
#define SESSION_REPLAY_PARSE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "session/session.h"

#define REPLAY_LINE_MAX (1u << 20)
#define REPLAY_EVENTS_MAX 128 // between two ticks

enum line_kind { LINE_BAD, LINE_OTHER, LINE_HEADER, LINE_TICK, LINE_EVENT, LINE_PACK, LINE_REDO, LINE_SUMMARY };

// What later lines only tell the changes of.
struct parser {
	struct session *s;
	int probes, loads;             // of the recording
	int probe[PROBES_MAX];         // their numbers in S; -1: this program does not know it
	int load[LOADS_MAX];
	struct probe_facts facts[PROBES_MAX];
	struct load_status status[LOADS_MAX]; // both by the number in S
	struct event event[REPLAY_EVENTS_MAX];
	int events;
	int64_t last_ns;               // the end of the last tick; what is not later is not taken again
};

// The line as JSON and what it is; *J is NULL where it is LINE_BAD, else the caller's to json_decref().
enum line_kind parse_line(const char *line, size_t len, json_t **j);
// A new session from a header line. NULL with E.
struct session *parse_header(struct parser *p, json_t *j, struct err *e);
// Back to what the header said.
void parse_restart(struct parser *p, json_t *header);
// Keeps the event for the tick that follows.
void parse_event(struct parser *p, json_t *j);
// Puts a tick into the session. 0, or -1: it made no sense or was an old one.
int parse_tick(struct parser *p, json_t *j);
// The time of a tick or pack in ns, -1: none.
int64_t parse_time(json_t *j);

// For replay_pack.c.
bool parse_int(json_t *j, const char *key, int64_t lo, int64_t hi, int64_t *v);
bool parse_real(json_t *j, const char *key, double lo, double hi, double *v); // null: NaN
void parse_text(json_t *j, const char *key, char *buf, size_t size);
// The figures of one quantity with its buckets, from malloc; NULL: none, or they made no sense.
struct slice *parse_slice(json_t *j);
uint64_t parse_set(const struct parser *p, json_t *on); // "on" -> bits of S's loads
void parse_limits(struct parser *p, int probe, json_t *j);
void parse_facts(struct probe_facts *f, json_t *facts);
void parse_status(struct load_status *t, json_t *j);
void parse_cpu(json_t *j, struct cpu_pct *c, bool *known);
// T with its arrays for S. 0, -1: no memory.
int parse_tick_room(const struct parser *p, struct tick *t);
// Moves the events until T_NS into T.
void parse_take_events(struct parser *p, struct tick *t);

#endif
