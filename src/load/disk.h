// What the loads that work in a folder share: room, files without a name, writing out in windows.
// Must not know other loads than the caller's.
#ifndef LOAD_DISK_H
#define LOAD_DISK_H

#include "load/worker.h"

// What is written reaches the disk, and what is read comes from it: a bigger file is no harder on the machine. But one
// that is given back on a disk with discard takes a fifth of a second a GiB, and a load has to stop at once.
#define DISK_FILE (128ull << 20)
#define DISK_BLOCK (1u << 20)
#define DISK_WINDOW (4u << 20)
#define DISK_WINDOWS 4         // at most so many wait in memory for the disk, so that ending a load waits for little

// Checks that the folder can be worked in (there, writable, on a disk) and cuts *BYTES to what leaves the free-space
// floor, for a load that takes *BYTES in all. -1 with the reason where less than LEAST is left.
int load_disk_fit(struct load_run *r, uint64_t *bytes, uint64_t least, struct err *e);
// A new empty file in the folder, open for reading and writing with FLAGS (O_DIRECT ...). -1 with the reason.
int load_temp_file(struct load_run *r, int flags, struct err *e);
// Looks (at most ten times a second) whether the free-space floor still holds. 0, or -1 with the reason.
int load_disk_check(struct load_run *r, struct err *e);
// The floor for a file system of TOTAL bytes: 5 GiB, on small ones a tenth; $STUTTER_DISK_FLOOR (bytes) instead.
uint64_t load_disk_floor(uint64_t total);
// Decides r->size: of each worker's FILES files, asked for or WANTED bytes each, in whole blocks, as far as there is room.
int disk_size(struct load_run *r, uint64_t wanted, unsigned files, struct err *e);
// Starts writing out the window of FD that ends at END and waits for the one that began DISK_WINDOWS ago.
int disk_flush(int fd, uint64_t end, struct err *e);

#endif
