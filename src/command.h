// The commands: each takes the arguments after its name and returns an exit status (0 done, 1 could not, 2 wrong use).
// One row each in main.c.
#ifndef COMMAND_H
#define COMMAND_H

int command_monitor(int argc, char **argv);  // ui/
int command_view(int argc, char **argv);     // ui/
int command_run(int argc, char **argv);      // report/
int command_suite(int argc, char **argv);    // report/
int command_ab(int argc, char **argv);       // report/
int command_compare(int argc, char **argv);  // report/
int command_report(int argc, char **argv);   // report/
int command_export(int argc, char **argv);   // report/
int command_headroom(int argc, char **argv); // report/
int command_list(int argc, char **argv);     // report/

// `suite --tui`: runs it live on the screen until it is over or the person has enough. 0, or -1 with E.
struct suite_run;
struct session;
struct config;
struct suite;
struct err;
struct screen;
struct screen *suite_screen_open(const struct config *c, struct err *e);                            // ui/; before the session
void suite_screen_run(struct screen *sc, struct suite_run *run, struct session *s);                 // ui/; and closes it

#endif
