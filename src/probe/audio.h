// What the audio probe heard, in words.
// Must not know of sessions or screens.
#ifndef PROBE_AUDIO_H
#define PROBE_AUDIO_H

#include <stddef.h>
#include <stdint.h>

#include "probe/probe.h"

// "played 15:10 of 18:27 (82%), 41 drop-outs, longest 2.3 s" into BUF, which is returned; "" where
// F is of no audio probe. ELAPSED_NS: the time it should have played; < 0: what was played and what
// was silent.
char *audio_played_text(char *buf, size_t size, const struct probe_facts *f, int64_t elapsed_ns);

#endif
