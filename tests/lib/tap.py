"""What tests in Python share: TAP, waiting for conditions, running the program, a real terminal through tmux.

    from tap import *
    r = run([STUTTER, "--version"])
    ok(r.code == 0 and r.out.startswith("stutter "), "--version names itself")
    with Tmux([STUTTER], 120, 30) as t:
        ok(t.wait_for("loads"), "the monitor starts")
    done()
"""
import atexit
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(TOP, "build"))
STUTTER = os.path.join(BUILD, "stutter")
TMP = tempfile.mkdtemp(prefix="stutter-test.", dir=os.environ.get("TMPDIR") or "/var/tmp")
DEADLINE = 30.0  # generous: the machine may be loaded

_MARK = "STUTTER_TEST_RUN"  # in the environment of everything that a test starts
os.environ.setdefault(_MARK, f"{os.getpid()}.{time.monotonic_ns()}")

_count = 0
_failed = 0
_planned = False


def diag(text):
    """Comment lines, shown where the test above failed."""
    for line in str(text).splitlines():
        print("# " + line)
    sys.stdout.flush()


def _clean(name):
    return " ".join(str(name).replace("#", "").split())


def ok(cond, name, detail=None):
    """One test. DETAIL (text, or a function that makes it) is shown where it fails. Returns whether it holds."""
    global _count, _failed
    _count += 1
    if not cond:
        _failed += 1
    print(f"{'ok' if cond else 'not ok'} {_count} - {_clean(name)}")
    if not cond and detail is not None:
        diag(detail() if callable(detail) else detail)
    sys.stdout.flush()
    return bool(cond)


def equal(got, want, name):
    return ok(got == want, name, f"got  {got!r}\nwant {want!r}")


def skip(name, why):
    """A test that can't be run here, and why."""
    global _count
    _count += 1
    print(f"ok {_count} - {_clean(name)} # SKIP {_clean(why)}")
    sys.stdout.flush()


def skip_all(why):
    """Nothing in this file can be run here. Ends the program."""
    global _planned
    _planned = True
    print(f"1..0 # SKIP {_clean(why)}")
    sys.exit(0)


def done():
    """Prints the plan; the last call of every test file. Ends the program."""
    global _planned
    _planned = True
    print(f"1..{_count}")
    sys.stdout.flush()
    sys.exit(1 if _failed else 0)


def _crashed(kind, value, trace):
    ok(False, f"the test itself: {kind.__name__}: {value}", "".join(traceback.format_exception(kind, value, trace)))
    print(f"1..{_count}")
    sys.stdout.flush()


sys.excepthook = _crashed


def wait_until(predicate, deadline=DEADLINE, step=0.02):
    """Calls PREDICATE until it gives something true or DEADLINE seconds are over; returns the last it gave."""
    until = time.monotonic() + deadline
    while True:
        r = predicate()
        if r or time.monotonic() >= until:
            return r
        time.sleep(step)


class Done:
    """How a command ended: code (negative: signal), out and err as text, seconds; late: it was ended by the deadline."""

    def __init__(self, code, out, err, seconds, late):
        self.code, self.out, self.err, self.seconds, self.late = code, out, err, seconds, late

    def __repr__(self):
        return f"status {self.code}{' (late)' if self.late else ''}\nout: {self.out[-2000:]}\nerr: {self.err[-2000:]}"


def environment(env=None):
    """Ours with the changes of ENV; None as a value takes a name away."""
    e = dict(os.environ)
    for k, v in (env or {}).items():
        if v is None:
            e.pop(k, None)
        else:
            e[k] = str(v)
    return e


def run(cmd, stdin="", env=None, deadline=120, cwd=None, **more):
    """Runs CMD (a list, or a line for sh) to its end, at most DEADLINE seconds."""
    begin = time.monotonic()
    p = subprocess.Popen(cmd, shell=isinstance(cmd, str), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env=environment(env), cwd=cwd, start_new_session=True, **more)
    late = False
    data = stdin.encode() if isinstance(stdin, str) else stdin
    try:
        out, err = p.communicate(data, deadline)
    except subprocess.TimeoutExpired:
        late = True
        os.killpg(p.pid, signal.SIGKILL)
        out, err = p.communicate()
    return Done(p.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"),
                time.monotonic() - begin, late)


def start(cmd, env=None, **more):
    """Starts CMD in the background; it is ended with the test at the latest. A subprocess.Popen."""
    more.setdefault("stdin", subprocess.DEVNULL)
    p = subprocess.Popen(cmd, env=environment(env), start_new_session=True, **more)
    atexit.register(end, p)
    return p


def end(p, sig=signal.SIGKILL):
    """Ends a process of start() with its group, and waits for it. Its exit status."""
    if p.poll() is None:
        try:
            os.killpg(p.pid, sig)
        except ProcessLookupError:
            pass
    return p.wait()


def stat_of(pid):
    """Fields of /proc/PID/stat after the name (state first, then parent), or None where it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read().rsplit(")", 1)[1].split()
    except OSError:
        return None


def cmdline(pid):
    """The words of a process's command line joined by blanks; "" for a zombie or none."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read().replace(b"\0", b" ").decode("utf-8", "replace").strip()
    except OSError:
        return ""


def pids():
    return [int(p) for p in os.listdir("/proc") if p.isdigit()]


def descendants(pid):
    """Every process below PID that is no zombie."""
    parents = {p: s for p in pids() if (s := stat_of(p))}
    found, look = [], [pid]
    while look:
        at = look.pop()
        for p, s in parents.items():
            if int(s[1]) == at:
                look.append(p)
                if s[0] != "Z":
                    found.append(p)
    return found


def leftovers(what=""):
    """Living processes that this test started, wherever they went, as {pid: command}: all of them but this program
    and tmux, those whose command matches the pattern WHAT, or those below or in the group of the process WHAT."""
    mark = f"{_MARK}={os.environ[_MARK]}".encode()
    mine, p = set(), os.getpid()
    while p > 1 and (s := stat_of(p)):
        mine.add(p)
        p = int(s[1])
    below = set(descendants(what)) | {what} if isinstance(what, int) else set()
    found = {}
    for p in pids():
        s, command = stat_of(p), cmdline(p)
        if p in mine or not s or s[0] == "Z" or not command:
            continue
        if isinstance(what, int):
            if p in below or int(s[2]) == what:
                found[p] = command
            continue
        try:
            with open(f"/proc/{p}/environ", "rb") as f:
                ours = mark in f.read()
        except OSError:
            continue
        if ours and not command.startswith("tmux ") and re.search(what, command):
            found[p] = command
    return found


def no_leftovers(name, what=r"stutter", deadline=5):
    """A test: nothing that matches WHAT runs any more, DEADLINE seconds from now at the latest."""
    wait_until(lambda: not leftovers(what), deadline)
    left = leftovers(what)
    return ok(not left, name, left)


class Tmux:
    """A program in a real terminal of W x H: a tmux server of our own on a socket of our own."""

    def __init__(self, cmd=None, w=80, h=24, env=None, term="tmux-256color", lang="C.UTF-8"):
        """CMD: a list, a line for sh, or None: an interactive sh with the prompt `$`."""
        self.dir = tempfile.mkdtemp(prefix="t", dir="/tmp")  # a socket's path must be short
        self.socket = os.path.join(self.dir, "s")
        if isinstance(cmd, (list, tuple)):
            cmd = shlex.join([str(c) for c in cmd])
        inside = {"LANG": lang, "LC_ALL": None, "LC_CTYPE": None, "PS1": "$ ", "ENV": None, "TMUX": None, **(env or {})}
        self.env = environment(inside)
        with open(os.path.join(self.dir, "conf"), "w", encoding="utf-8") as f:
            f.write(f"set -g default-terminal {term}\nset -g status off\nset -g remain-on-exit on\n"
                    "set -sg escape-time 0\nset -g default-shell /bin/sh\n"
                    "set -g history-limit 100\n")
        atexit.register(self.close)
        self._tmux("new-session", "-d", "-x", str(w), "-y", str(h), cmd or "exec /bin/sh -i")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _tmux(self, *args, check=True):
        p = subprocess.run(["tmux", "-u", "-S", self.socket, "-f", os.path.join(self.dir, "conf"), *args],
                           env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=60, check=False)
        if check and p.returncode:
            raise RuntimeError(f"tmux {args[0]}: {p.stderr.decode()}")
        return p.stdout.decode("utf-8", "replace")

    def keys(self, *keys):
        """Presses keys by tmux's names: "q", "Up", "C-c", "Enter"."""
        self._tmux("send-keys", *keys)

    def type(self, text):
        """Types TEXT as it is; escape sequences too."""
        self._tmux("send-keys", "-l", text)

    def click(self, x, y, button=0):
        """Presses and releases a mouse button at column X, row Y, both from 0."""
        self.type(f"\033[<{button};{x + 1};{y + 1}M")
        self.type(f"\033[<{button};{x + 1};{y + 1}m")

    def screen(self, escapes=False):
        """What is on the screen, without the blanks at the ends of lines; with ESCAPES also its colours."""
        return self._tmux("capture-pane", "-p", *(["-e"] if escapes else []))

    def lines(self):
        return self.screen().split("\n")

    def wait_for(self, pattern, deadline=DEADLINE):
        """The screen once it has PATTERN (a regular expression), or "" where it never has."""
        def look():
            s = self.screen()
            return s if re.search(pattern, s, re.M) else ""
        return wait_until(look, deadline, 0.05)

    def wait_gone(self, pattern, deadline=DEADLINE):
        return wait_until(lambda: not re.search(pattern, self.screen(), re.M), deadline, 0.05)

    def resize(self, w, h):
        self._tmux("resize-window", "-x", str(w), "-y", str(h))

    def ask(self, form):
        """A tmux format of the pane, such as "#{cursor_flag}" or "#{alternate_on}"."""
        return self._tmux("display-message", "-p", form).strip("\n")

    def pid(self):
        """The program's process."""
        return int(self.ask("#{pane_pid}"))

    def status(self, deadline=DEADLINE):
        """Waits for its end: the exit status, -N for signal N, or None where it still runs."""
        def look():
            dead, ended = self.ask("#{pane_dead},#{pane_dead_status}:#{pane_dead_signal}").split(",")
            if dead == "1" and ended == ":":
                os.kill(int(self.ask("#{pid}")), signal.SIGCHLD)  # tmux 3.3 misses one now and then
            return ended.strip(":")
        ended = wait_until(look, deadline, 0.05)
        if not ended:
            return None
        code = self.ask("#{pane_dead_status}")
        return int(code) if code else -int(ended)

    def close(self):
        """Ends this server and everything in it; no other."""
        if self.dir:
            self._tmux("kill-server", check=False)
            shutil.rmtree(self.dir, ignore_errors=True)
            self.dir = None


def _clean_up():
    shutil.rmtree(TMP, ignore_errors=True)


atexit.register(_clean_up)
