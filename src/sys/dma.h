// Holds the CPUs out of deep sleep through /dev/cpu_dma_latency, as cyclictest does by default.
// Must not know who wants it.
#ifndef SYS_DMA_H
#define SYS_DMA_H

#include "base/err.h"

// Asks for 0 us (Documentation/power/pm_qos_interface.rst); it holds until the descriptor returned is closed, also
// by our death. -1 with E.
int dma_latency_hold(struct err *e);

#endif
