// What the audio probe heard, in words.
// Must not know of sessions or screens.
#include "probe/audio.h"

#include <math.h>
#include <stdio.h>

// 15:10, or 1:02:03 from an hour on.
static void
minutes(char *buf, size_t size, double s)
{
	long n = lround(s);
	if (n >= 3600)
		snprintf(buf, size, "%ld:%02ld:%02ld", n / 3600, n / 60 % 60, n % 60);
	else
		snprintf(buf, size, "%ld:%02ld", n / 60, n % 60);
}

static void
short_time(char *buf, size_t size, double s)
{
	if (s < 0.0995)
		snprintf(buf, size, "%.1f ms", s * 1e3);
	else if (s < 0.9995)
		snprintf(buf, size, "%.0f ms", s * 1e3);
	else if (s < 59.95)
		snprintf(buf, size, "%.1f s", s);
	else
		minutes(buf, size, s);
}

char *
audio_played_text(char *buf, size_t size, const struct probe_facts *f, int64_t elapsed_ns)
{
	char played[24], whole[24], longest[24];
	double elapsed = elapsed_ns < 0 ? f->played_s + f->silent_s : (double)elapsed_ns / 1e9;
	buf[0] = '\0';
	if (isnan(f->played_s) || isnan(elapsed))
		return buf;
	minutes(played, sizeof played, f->played_s);
	minutes(whole, sizeof whole, elapsed);
	double pct = elapsed > 0 ? fmin(100, f->played_s / elapsed * 100) : 0;
	// 100% is said only where nothing at all was missing.
	if (pct > 99.4 && (f->xruns || f->silent_s > 0))
		pct = fmin(pct, 99.9);
	int n = snprintf(buf, size, "played %s of %s (%.*f%%)", played, whole,
	    pct > 99.4 && pct < 100 ? 1 : 0, pct);
	if (n < 0 || (size_t)n >= size)
		return buf;
	if (!f->xruns && !(f->longest_silence_s > 0)) {
		snprintf(buf + n, size - (size_t)n, ", no drop-out");
		return buf;
	}
	short_time(longest, sizeof longest, f->longest_silence_s);
	if (!f->xruns) { // a device that was away: no drop-out of the machine's
		snprintf(buf + n, size - (size_t)n, ", silent for %s", longest);
		return buf;
	}
	snprintf(buf + n, size - (size_t)n, ", %llu drop-out%s, longest %s",
	    (unsigned long long)f->xruns, f->xruns == 1 ? "" : "s", longest);
	return buf;
}
