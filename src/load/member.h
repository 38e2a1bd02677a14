// Processes of the process load's ring: this program again, started without the rest of it.
// Must not know the supervisor.
#ifndef LOAD_MEMBER_H
#define LOAD_MEMBER_H

#include <stdbool.h>

// Is ARG of the role "load" that of a member?
bool member_is(const char *arg);
// In the member: passes chunks on until killed, or until its neighbours are gone.
int member_main(const char *arg);

#endif
