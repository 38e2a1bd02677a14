// Recordings from anyone: no crash, no endless loop, figures that make sense, text that is safe.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/replay.h"
#include "session/summary.h"

static void
safe(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			abort();
}

static void
check(const struct session *s)
{
	safe(s->host.name);
	safe(s->host.kernel);
	for (int i = 0; i < s->probes; i++) {
		const struct sums *t = s->probe[i].total[Q_LATE] ? &s->probe[i].total[Q_LATE]->s : NULL;
		safe(s->probe[i].label);
		safe(s->probe[i].facts.reason);
		if (t && t->samples && (t->min_ns < 0 || t->min_ns > t->max_ns))
			abort();
	}
	for (int i = 0; i < s->loads; i++)
		safe(s->load[i].name);
	json_t *j = summary_json(s);
	char *text = json_dumps(j, SUMMARY_DUMP);
	if (!text)
		abort();
	free(text);
	json_decref(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[40];
	struct err e;
	int fd = memfd_create("recording", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
		close(fd);
		return 0;
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	struct replay *r = replay_open(path, &e);
	if (r) {
		replay_run(r, 3000000000, 0);
		check(replay_session(r));
		replay_run(r, INT64_MAX, 0);
		check(replay_session(r));
		if (!replay_rewind(r))
			replay_run(r, INT64_MAX, 0);
		replay_close(r);
	}
	close(fd);
	return 0;
}
