// What a person asked for: filled by the option table (session/options.h) from settings file and command line.
// Plain data; must not know who uses it.
#ifndef SESSION_CONFIG_H
#define SESSION_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "load/load.h"
#include "probe/probe.h"

#define NAMES_MAX 16

struct config_load {
	char name[32];
	int level;                     // 0: the load's own
};

struct config_size {
	char name[32];                 // load, or "" for all
	uint64_t bytes;
	unsigned pct_ram;
};

struct config_passes {
	char name[32];
	uint64_t n;
};

struct config {
	char probes[NAMES_MAX][16];    // asked
	int probe_count;               // 0: the default
	int64_t interval_ns;
	struct policy policy;
	bool cpus_asked;               // else one thread, unpinned
	int cpu_count;
	int cpus[256];
	int burn_pct;
	char device[NAMES_MAX][64];
	int device_count;
	bool device_asked;
	unsigned rate, periods, period_frames; // period_frames 0: period_bytes
	unsigned period_bytes;         // a trailing B
	char play[512];
	double tone_hz;
	char job[1024];
	struct config_load load[64];
	int load_count;
	char dir[256];
	struct config_size size[64];
	int size_count;
	struct config_passes passes[64];
	int passes_count;
	int64_t for_ns;                // 0: until quit (run: 10 s)
	int64_t warmup_ns;
	char record[512];
	bool json;
	bool dma_latency;
	// commands beside the monitor
	int arg_count;
	const char *arg[64];           // arguments that are no options
	char output[512];              // -o
	char format[16];               // export
	bool tui;                      // suite
	char a[1024], b[1024];         // ab: commands; also a knob of the settings file
	char read[1024];               // ab: prints the state that is put back at the end
	char restore[1024];            // puts it back, given $STATE; else A or B does
	char name_a[64], name_b[64];
	char knob[64];                 // which [knob NAME] of the settings file
	int rounds;
	int64_t each_ns, settle_ns;
	bool blind;
	// how it looks
	char theme[64];
	char glyphs[8];                // "braille", "block", "ascii", or "" by locale
	char scale[16];                // "log", "linear", or a time: fixed top
	int64_t window_ns;
	int fps;
};

#endif
