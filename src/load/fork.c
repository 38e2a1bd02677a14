// Load `fork`: short processes, as a build makes them: a shell is forked for each command, forks a subshell that only
// decides something, execs the command, waits for both and ends. Must not know other loads.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load/table.h"
#include "load/worker.h"

#define JOBS 2  // at a time in each worker
#define EACH 3  // processes of a job

extern char **environ;

// As a shell that runs one command.
static void
run_command(void)
{
	static char *const argv[] = {(char *)"true", NULL};
	int subshell = 0, command = 0;
	pid_t pid, parent = getpid(), sub = fork();
	if (sub == 0) {
		load_tie_to_parent(parent);
		_exit(0);
	}
	if (sub == -1 || posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) != 0)
		_exit(1);
	_exit(waitpid(sub, &subshell, 0) != sub || waitpid(pid, &command, 0) != pid || subshell || command);
}

static int
fork_work(struct load_run *r, int index, struct err *e)
{
	(void)index;
	int running = 0, status;
	pid_t me = getpid();
	for (;;) {
		pid_t pid = running < JOBS ? fork() : 0;
		if (pid == 0 && running < JOBS) {
			load_tie_to_parent(me);
			run_command();
		}
		if (pid == -1 && !running)
			return err_set(e, "fork:");
		if (pid > 0)
			running++;
		if (running < JOBS && pid != -1)
			continue;
		if (waitpid(-1, &status, 0) == -1)
			return err_set(e, "waiting for a process:");
		running--;
		if (status != 0)
			return err_set(e, "a process could not start another, or /bin/true");
		load_worked(r, EACH);
	}
}

const struct load_kind load_fork = {
    .name = "fork",
    .does = "forks, execs and reaps short processes, as a build does",
    .unit = "processes",
    .source = "contest",
    .level = 2,
    .work = fork_work,
};
