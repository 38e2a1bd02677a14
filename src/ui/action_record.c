// R: start and end a recording.
// Must not know the format.
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "session/record.h"
#include "ui/keys.h"

// A name of its own in this folder, from the machine and the time; "-2" and so on where it is taken.
static void
fresh_name(const struct session *s, char *buf, size_t size)
{
	char stamp[32], host[40];
	time_t now = time(NULL);
	struct tm tm;
	strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	snprintf(host, sizeof host, "%.39s", *s->host.name ? s->host.name : "stutter");
	for (char *p = host; *p; p++)
		if (*p == '/' || *p == ' ')
			*p = '_';
	for (int i = 1; i < 100; i++) {
		snprintf(buf, size, i == 1 ? "%s-%s.jsonl" : "%s-%s-%d.jsonl", host, stamp, i);
		if (access(buf, F_OK))
			return;
	}
}

void
action_record(struct screen *sc, int key)
{
	char name[160], size[16];
	struct err e;
	(void)key;
	if (sc->s->recording) {
		record_stop(sc->s);
		if (*sc->s->record_error)
			screen_say(sc, "%s", sc->s->record_error);
		else
			screen_say(sc, "recorded %s, %s", sc->s->record_name, text_bytes(size, sizeof size, (double)sc->s->record_bytes));
		return;
	}
	record_stop(sc->s); // one that failed
	fresh_name(sc->s, name, sizeof name);
	if (record_start(sc->s, name, &e))
		screen_say(sc, "%s", e.text);
	else
		screen_say(sc, "recording to %s", name);
}
