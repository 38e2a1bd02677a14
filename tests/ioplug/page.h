// The page that a test shares with the sound card it made: what the card shall do, and what really
// happened to it. Every field is an int64_t; tests/lib/card.py reads the names from here.
#ifndef IOPLUG_PAGE_H
#define IOPLUG_PAGE_H

#include <stdint.h>

enum page_field {
	// what it shall do
	PAGE_OPEN_HANGS,    // opening does not return while this is set
	PAGE_OPEN_ERROR,    // errno value that opening fails with
	PAGE_GONE,          // every call fails with ENODEV
	PAGE_EIO,           // every call fails with EIO
	PAGE_STORM,         // runs dry at once whenever it was started
	PAGE_SUSPENDED,     // ESTRPIPE; resuming is refused while this is set
	PAGE_FROZEN_FROM,   // CLOCK_MONOTONIC ns: its clock stands still from here
	PAGE_FROZEN_UNTIL,  // up to here; 0 with a FROM: for good
	PAGE_PPM,           // its rate is off by so many parts in a million
	PAGE_STEP_NS,       // its position moves in steps of this
	PAGE_STALL_NS,      // the next write holds its caller for so long; 0 again when it did
	PAGE_CALL_HANGS,    // a write does not return while this is set
	PAGE_NO_ROOM_CALLS, // poll is always ready, room or not
	// what it grants; 0: anything
	PAGE_RATE,
	PAGE_CHANNELS,
	PAGE_PERIOD_MIN, // frames of 16 bits stereo
	PAGE_PERIOD_MAX,
	PAGE_PERIOD_POWER, // powers of two only
	PAGE_BUFFER_MIN,
	PAGE_BUFFER_MAX,
	// what happened
	PAGE_OPENS,
	PAGE_OPEN_TRIES,
	PAGE_CLOSES,
	PAGE_CALLS, // of its position
	PAGE_STARTS,
	PAGE_STALLS,      // done
	PAGE_FIRST_START, // ns
	PAGE_LAST_START,
	PAGE_STOPPED,   // ns: dropped or closed while it played
	PAGE_PLAYED,    // frames, of all runs
	PAGE_DRY,       // times that it ran dry
	PAGE_SILENT_NS, // from running dry to the next start, all of them
	PAGE_SILENCE,   // the last 64 of them, ns
	PAGE_SILENCE_LAST = PAGE_SILENCE + 63,
	PAGE_FIELDS
};

#endif
