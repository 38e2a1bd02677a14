// a, b, k, K: slots and the knob.
// Must not know how figures are compared.
#include "ui/keys.h"

void
action_slot(struct screen *sc, int key)
{
	screen_say(sc, "slot %c is not there yet", key == 'a' ? 'A' : 'B');
}

void
action_knob(struct screen *sc, int key)
{
	(void)key;
	screen_say(sc, "no knob: see --knob and --a, --b");
}

void
action_blind(struct screen *sc, int key)
{
	(void)key;
	screen_say(sc, "no knob to be blind about: see --knob and --a, --b");
}
