// What ALSA's side of the audio probe and the list of devices share.
// Must not know what is measured.
#ifndef PROBE_AUDIO_ALSA_H
#define PROBE_AUDIO_ALSA_H

#include <alsa/asoundlib.h>
#include <stdbool.h>

// libasound prints no more, as its messages would land in the middle of the screen; nor libjack,
// where DEVICE is its.
void audio_quiet(const char *device);
// Whether a card paces PCM, and the name of the plugin before it: VIA, "" where there is none.
bool audio_way(snd_pcm_t *pcm, char *via, size_t size);

#endif
