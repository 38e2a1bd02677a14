// Holds /dev/cpu_dma_latency at 0.
// Must not know who wants it.
#include "sys/dma.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

int
dma_latency_hold(struct err *e)
{
	int fd = open("/dev/cpu_dma_latency", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, "cannot open /dev/cpu_dma_latency:");
	int32_t zero = 0;
	if (write(fd, &zero, sizeof zero) == sizeof zero)
		return fd;
	err_set(e, "cannot write /dev/cpu_dma_latency:");
	close(fd);
	return -1;
}
