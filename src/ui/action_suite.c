// S: run a suite from the screen.
// Must not know what a suite is made of.
#include "ui/keys.h"

void
action_suite(struct screen *sc, int key)
{
	(void)key;
	screen_say(sc, "suites from the screen are not there yet: stutter suite NAME --tui");
}
