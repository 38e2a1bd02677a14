// What a knob and its guardian share. Requests go through the life pipe, one byte each; answers through this.
// Must not be included elsewhere.
#ifndef SESSION_KNOB_SHARED_H
#define SESSION_KNOB_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define KNOB_COMMAND_MAX 1024
#define KNOB_VALUE_MAX 4096

enum knob_request { KNOB_TO_A = 'a', KNOB_TO_B = 'b', KNOB_LOOK = 'r' };
enum knob_restored { KNOB_NOT_YET, KNOB_PUT_BACK, KNOB_UNTOUCHED, KNOB_CANNOT, KNOB_NOT_PUT_BACK };

struct knob_value {
	bool known;
	char text[KNOB_VALUE_MAX];
};

struct knob_shared {
	// the knob's, before the guardian starts
	char side[2][KNOB_COMMAND_MAX], read[KNOB_COMMAND_MAX], restore[KNOB_COMMAND_MAX];
	char name[2][64];
	int64_t timeout_ns;
	// the guardian's
	_Atomic unsigned done;  // requests answered; what is below is then whole
	bool failed;
	char error[200];
	struct knob_value start, now, of[2];
	_Atomic int restored;   // enum knob_restored
	char restore_error[200];
};

#endif
