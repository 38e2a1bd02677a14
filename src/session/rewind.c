// Empties a replayed session, so that it can be filled again from another place of its recording.
// Must not know of files.
#include <math.h>
#include <string.h>

#include "session/private.h"
#include "session/slot.h"

static int
renew_series(struct session *s)
{
	for (int i = 0; i < s->loads; i++) {
		struct session_load *l = &s->load[i];
		series_free(l->on);
		series_free(l->rate);
		l->on = l->rate = NULL;
		l->work_per_s = l->cpu_pct = NAN;
		l->work = 0;
		l->on_s = 0;
		l->cpu_ns = 0;
	}
	for (int i = 0; i < 5; i++) {
		series_free(s->cpu_series[i]);
		s->cpu_series[i] = series_new();
		if (!s->cpu_series[i])
			return -1;
	}
	return 0;
}

static void
renew_private(struct session_private *o)
{
	memset(o->recent, 0, sizeof o->recent);
	for (int i = 0; i < PROBES_MAX; i++)
		for (int q = 0; q < Q_COUNT; q++)
			o->probe_tick[i][q] = -1;
	o->cpu_tick = -1;
	o->based = false;
	o->gaps = o->gap_ns = 0;
}

int
session_rewind(struct session *s)
{
	condition_clear(s);
	slots_reset(s);
	for (int i = 0; i < s->probes; i++) {
		session_probe_forget(&s->probe[i]);
		s->probe[i].xruns = 0;
		s->probe[i].played_s = s->probe[i].silent_s = NAN;
		if (session_probe_figures(&s->probe[i]))
			return -1;
	}
	renew_private(s->own);
	s->now_tick = -1;
	s->elapsed_ns = s->reset_ns = 0;
	s->measured_s = 0;
	s->load_set = 0;
	s->cpu_known = false;
	s->cpu_sum = (struct cpu_pct){0};
	s->cpu_s = 0;
	s->events = 0;
	s->warnings = 0;
	return renew_series(s);
}
