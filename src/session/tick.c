// Frees ticks and names events.
// Must not know who made them.
#include "session/tick.h"

#include <stdlib.h>

const char *
event_name(enum event_kind k)
{
	static const char *const names[EVENT_COUNT] = {
	    [EVENT_LOAD_ON] = "load-on",
	    [EVENT_LOAD_OFF] = "load-off",
	    [EVENT_LOAD_FAILED] = "load-failed",
	    [EVENT_MARK] = "mark",
	    [EVENT_SLOT] = "slot",
	    [EVENT_XRUN] = "xrun",
	    [EVENT_SPIKE] = "spike",
	    [EVENT_RESET] = "reset",
	    [EVENT_PROBE] = "probe",
	    [EVENT_GAP] = "gap",
	    [EVENT_KNOB] = "knob",
	};
	return (unsigned)k < EVENT_COUNT ? names[k] : "unknown";
}

void
tick_free(struct tick *t)
{
	for (int i = 0; t->probe && i < t->probes; i++)
		for (int q = 0; q < Q_COUNT; q++)
			free(t->probe[i].slice[q]);
	free(t->probe);
	free(t->load);
	free(t->event);
	free(t->each);
	*t = (struct tick){.number = -1};
}
