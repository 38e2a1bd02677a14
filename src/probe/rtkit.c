// The few D-Bus calls to RealtimeKit, through a libdbus that is loaded when it is wanted, on a
// connection of its own. Must not know of probes; must not block for more than a second whatever
// the bus does.
#include "probe/rtkit.h"

#include <dlfcn.h>
#include <dbus/dbus.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

#define NAME "org.freedesktop.RealtimeKit1"
#define PATH "/org/freedesktop/RealtimeKit1"
#define SYSTEM_BUS "unix:path=/var/run/dbus/system_bus_socket"
#define CALL_MS 250
#define WAIT_NS NS_PER_S

// X(function): what is taken from the library.
#define CALLS(X)                                                                                   \
	X(dbus_threads_init_default)                                                               \
	X(dbus_error_init)                                                                         \
	X(dbus_error_free)                                                                         \
	X(dbus_connection_set_change_sigpipe)                                                      \
	X(dbus_connection_open_private)                                                            \
	X(dbus_connection_set_exit_on_disconnect)                                                  \
	X(dbus_connection_close)                                                                   \
	X(dbus_connection_unref)                                                                   \
	X(dbus_connection_send_with_reply_and_block)                                               \
	X(dbus_message_new_method_call)                                                            \
	X(dbus_message_append_args)                                                                \
	X(dbus_message_unref)                                                                      \
	X(dbus_message_iter_init)                                                                  \
	X(dbus_message_iter_recurse)                                                               \
	X(dbus_message_iter_get_arg_type)                                                          \
	X(dbus_message_iter_get_basic)

struct bus {
	void *library;
	DBusConnection *c;
	DBusError error;
#define X(f) __typeof__(&f) f;
	CALLS(X)
#undef X
};

struct request {
	pid_t tid;
	int priority, result;
	struct err e;
	_Atomic uint32_t done; // a futex
	_Atomic int holders;   // who of the two still looks at it
};

static int
load(struct bus *b, struct err *e)
{
	b->library = dlopen("libdbus-1.so.3", RTLD_NOW | RTLD_LOCAL);
	if (!b->library)
		return err_set(e, "libdbus-1 is not installed");
#define X(f)                                                                                       \
	*(void **)&b->f = dlsym(b->library, #f);                                                   \
	if (!b->f)                                                                                 \
		return err_set(e, "libdbus-1 lacks " #f);
	CALLS(X)
#undef X
	return 0;
}

// Sends M (and frees it); its answer, or NULL with E.
static DBusMessage *
call(struct bus *b, DBusMessage *m, struct err *e)
{
	if (!m) {
		err_set(e, "D-Bus: no memory");
		return NULL;
	}
	b->dbus_error_free(&b->error);
	DBusMessage *answer =
	    b->dbus_connection_send_with_reply_and_block(b->c, m, CALL_MS, &b->error);
	b->dbus_message_unref(m);
	if (!answer)
		err_set(e, "D-Bus: %s", b->error.message ? b->error.message : "no answer");
	return answer;
}

static int
connect_bus(struct bus *b, struct err *e)
{
	b->dbus_threads_init_default();
	b->dbus_connection_set_change_sigpipe(FALSE);
	b->dbus_error_init(&b->error);
	const char *address = getenv("DBUS_SYSTEM_BUS_ADDRESS");
	b->c = b->dbus_connection_open_private(address ? address : SYSTEM_BUS, &b->error);
	if (!b->c)
		return err_set(
		    e, "D-Bus: %s", b->error.message ? b->error.message : "no connection");
	b->dbus_connection_set_exit_on_disconnect(b->c, FALSE);
	DBusMessage *answer = call(b,
	    b->dbus_message_new_method_call(
		"org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello"),
	    e);
	if (!answer)
		return -1;
	b->dbus_message_unref(answer);
	return 0;
}

// Property NAME of RealtimeKit, an integer, or -1 with E.
static int64_t
property(struct bus *b, const char *name, struct err *e)
{
	const char *interface = NAME;
	DBusMessage *m =
	    b->dbus_message_new_method_call(NAME, PATH, "org.freedesktop.DBus.Properties", "Get");
	if (m && !b->dbus_message_append_args(
		     m, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID)) {
		b->dbus_message_unref(m);
		m = NULL;
	}
	DBusMessage *answer = call(b, m, e);
	if (!answer)
		return -1;
	DBusMessageIter outer, inner;
	int64_t value = -1;
	if (b->dbus_message_iter_init(answer, &outer) &&
	    b->dbus_message_iter_get_arg_type(&outer) == DBUS_TYPE_VARIANT) {
		b->dbus_message_iter_recurse(&outer, &inner);
		DBusBasicValue v = {0};
		int type = b->dbus_message_iter_get_arg_type(&inner);
		if (type == DBUS_TYPE_INT32 || type == DBUS_TYPE_INT64) {
			b->dbus_message_iter_get_basic(&inner, &v);
			value = type == DBUS_TYPE_INT32 ? v.i32 : v.i64;
		}
	}
	b->dbus_message_unref(answer);
	if (value < 0)
		err_set(e, "RealtimeKit: no %s", name);
	return value;
}

static int
raise_thread(struct bus *b, pid_t tid, int priority, struct err *e)
{
	int64_t most = property(b, "MaxRealtimePriority", e);
	if (most < 0)
		return -1;
	int64_t rttime_us = property(b, "RTTimeUSecMax", e);
	if (rttime_us < 0)
		return -1;
	struct rlimit l;
	if (getrlimit(RLIMIT_RTTIME, &l))
		return err_set(e, "RLIMIT_RTTIME:");
	if (l.rlim_max > (rlim_t)rttime_us || l.rlim_cur > (rlim_t)rttime_us) {
		l.rlim_cur = l.rlim_max = (rlim_t)rttime_us;
		if (setrlimit(RLIMIT_RTTIME, &l))
			return err_set(e, "RLIMIT_RTTIME:");
	}
	dbus_uint64_t thread = (dbus_uint64_t)tid;
	dbus_uint32_t level = (dbus_uint32_t)(priority < most ? priority : most);
	DBusMessage *m = b->dbus_message_new_method_call(NAME, PATH, NAME, "MakeThreadRealtime");
	if (m && !b->dbus_message_append_args(
		     m, DBUS_TYPE_UINT64, &thread, DBUS_TYPE_UINT32, &level, DBUS_TYPE_INVALID)) {
		b->dbus_message_unref(m);
		m = NULL;
	}
	DBusMessage *answer = call(b, m, e);
	if (!answer)
		return -1;
	b->dbus_message_unref(answer);
	return 0;
}

static int
ask(const struct request *q, struct err *e)
{
	struct bus b = {0};
	if (load(&b, e))
		return -1;
	int r = connect_bus(&b, e);
	if (!r)
		r = raise_thread(&b, q->tid, q->priority, e);
	if (b.c) {
		b.dbus_connection_close(b.c);
		b.dbus_connection_unref(b.c);
	}
	b.dbus_error_free(&b.error);
	// The library stays loaded: it keeps threads' data that must outlive the handle.
	return r;
}

static void
let_go(struct request *q)
{
	if (atomic_fetch_sub(&q->holders, 1) == 1)
		free(q);
}

static void *
ask_thread(void *arg)
{
	struct request *q = arg;
	q->result = ask(q, &q->e);
	atomic_store(&q->done, 1);
	syscall(SYS_futex, &q->done, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	let_go(q);
	return NULL;
}

// Libdbus waits without a limit for a bus that takes a connection and then says nothing: it does so
// in a thread that is left to itself.
int
rtkit_raise(pid_t tid, int priority, struct err *e)
{
	struct request *q = calloc(1, sizeof *q);
	pthread_t thread;
	if (!q)
		return err_set(e, "RealtimeKit: no memory");
	*q = (struct request){.tid = tid, .priority = priority, .holders = 2};
	if (pthread_create(&thread, NULL, ask_thread, q)) {
		free(q);
		return err_set(e, "RealtimeKit: no thread");
	}
	pthread_detach(thread);
	struct timespec until = clock_timespec(clock_now_ns() + WAIT_NS);
	while (!atomic_load(&q->done))
		if (syscall(SYS_futex, &q->done, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, NULL,
			FUTEX_BITSET_MATCH_ANY) &&
		    errno == ETIMEDOUT)
			break;
	int r = err_set(e, "D-Bus: no answer");
	if (atomic_load(&q->done)) {
		r = q->result;
		if (r && e)
			*e = q->e;
	}
	let_go(q);
	return r;
}
