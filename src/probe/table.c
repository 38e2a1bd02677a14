// The one table of probes.
// Must not know more of each than its row.
#include "probe/kinds.h"

#include <stddef.h>

const struct probe_kind *const probe_kinds[] = {
    &probe_timer,
    &probe_audio,
    &probe_echo,
    &probe_job,
    NULL,
};
