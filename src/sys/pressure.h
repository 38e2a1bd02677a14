// Pressure stall information (the kernel's Documentation/accounting/psi.rst).
// Must not know who asks.
#ifndef SYS_PRESSURE_H
#define SYS_PRESSURE_H

// Per cent of the last 10 s in which some task waited; NaN where the kernel does not say.
struct pressure {
	double cpu, memory, io;
};

// Reads /proc/pressure below the folder ROOT ("": this machine).
void pressure_read(const char *root, struct pressure *p);

#endif
