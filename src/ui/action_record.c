// R: start and end a recording.
// Must not know the format.
#include "ui/keys.h"

void
action_record(struct screen *sc, int key)
{
	(void)key;
	screen_say(sc, "recording from the screen is not there yet: --record FILE");
}
