// Turns one option's value into a field of struct config; each says in E what is allowed.
// Must not know of the table or the command line.
#ifndef SESSION_OPTION_VALUES_H
#define SESSION_OPTION_VALUES_H

#include "base/err.h"
#include "session/config.h"

typedef int option_set(struct config *c, const char *value, struct err *e);

option_set set_probe, set_interval, set_policy, set_cpus, set_burn, set_device, set_buffer, set_rate, set_play, set_tone, set_job,
    set_load, set_dir, set_size, set_passes, set_for, set_warmup, set_record, set_json, set_theme, set_glyphs, set_scale,
    set_window, set_fps, set_dma, set_output, set_format, set_tui, set_a, set_b, set_read, set_restore, set_name_a, set_name_b, set_knob,
    set_rounds, set_each, set_settle, set_blind;

#endif
