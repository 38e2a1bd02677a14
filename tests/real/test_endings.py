#!/usr/bin/env python3
"""Random endings: a signal or key x a moment x a state. Nothing stays behind, the terminal is as before, and what was
recorded reads. ENDINGS says how many (default 24; make soak: 500), SEED which."""
import errno
import fcntl
import json
import os
import pty
import random
import select
import signal
import struct
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import *

N = int(os.environ.get("ENDINGS", "24"))
SEED = int(os.environ.get("SEED", "0")) or random.randrange(1 << 30)
rng = random.Random(SEED)
diag(f"SEED={SEED} ENDINGS={N}")

LOADS = ["memory", "io", "process", "procfs", "disk-write", "disk-read", "disk-copy", "mmap", "burn", "fork", "list"]
ENDS = ["q", "xq", "\x03", signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT,
        signal.SIGQUIT, "hangup"]


def shared_memory():
    return set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()


def cgroups():
    found = set()
    for top in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified"):
        if os.path.isdir(top):
            found |= {os.path.join(top, d) for d in os.listdir(top) if "stutter" in d}
    return found


class Terminal:
    """stutter in a pseudo-terminal: what it wrote is kept whole, which no screen would show."""

    def __init__(self, args, w=100, h=30):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", h, w, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.out = b""

        def child():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        self.p = subprocess.Popen([STUTTER] + args, stdin=slave, stdout=slave, stderr=slave, preexec_fn=child,
                                  env=environment({"TERM": "xterm-256color", "LANG": "C.UTF-8", "XDG_CONFIG_HOME": TMP}))

    def read(self, seconds):
        until = time.monotonic() + seconds
        while self.master is not None and (left := until - time.monotonic()) > 0:
            r, _, _ = select.select([self.master], [], [], min(left, 0.05))
            if r:
                try:
                    self.out += os.read(self.master, 65536)
                except OSError as e:
                    if e.errno != errno.EIO:
                        raise
                    return
            if self.p.poll() is not None and not r:
                return

    def wait(self, deadline=20):
        until = time.monotonic() + deadline
        while self.p.poll() is None and time.monotonic() < until:
            self.read(0.05)
        self.read(0.1)
        return self.p.poll()

    def close(self):
        for fd in (self.master, self.slave):
            if fd is not None:
                os.close(fd)


def last_of(out, on, off):
    """Whether the last of the two sequences in OUT is the one that gives the terminal back."""
    return out.rfind(off) >= out.rfind(on)


bad = []
folder = os.path.join(TMP, "work")
os.mkdir(folder)
shm, groups = shared_memory(), cgroups()
for i in range(N):
    how = ENDS[i % len(ENDS)] if N >= len(ENDS) else rng.choice(ENDS)
    loads = rng.sample(LOADS, rng.choice((0, 1, 2, 3)))
    args = ["--dir", folder, "--size", "64M", "--probe", "timer,echo", "--policy", rng.choice(("fifo:80", "other"))]
    args += ["--load", ",".join(loads)] if loads else []
    args += ["--device", "none"] if rng.random() < 0.3 else []
    record = os.path.join(TMP, f"{i}.jsonl") if rng.random() < 0.4 else None
    args += ["--record", record] if record else []
    t = Terminal(args)
    t.read(rng.random() * 1.2)
    for k in rng.sample(["h", "t", "l", "z", "?", "s", "g", "T", "p", "r", "]", "\t", "x", "1", "5", "a", "m", " ", "+"], rng.randrange(5)):
        if t.p.poll() is None:
            os.write(t.master, k.encode())
            t.read(rng.random() * 0.15)
    drew = b"\x1b[?1049h" in t.out
    if how == "hangup":
        os.close(t.master)
        t.master = None
    elif isinstance(how, str):
        # A prompt or a view may be open, and the program may not have come up: keep asking, as a person would.
        for _ in range(100):
            os.write(t.master, (b"\x1b" if how != "\x03" else b"") + how.encode())
            t.read(0.2)
            if t.p.poll() is not None:
                break
    else:
        os.kill(t.p.pid, how)
    status = t.wait()
    name = f"{i}: {how!r} {' '.join(args)}"
    why = []
    if status is None:
        why.append("still runs")
        os.kill(t.p.pid, signal.SIGKILL)
        t.p.wait()
    if isinstance(how, str) and how != "hangup" and status not in (0, None):
        why.append(f"status {status}")
    if isinstance(how, int) and how in (signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL) and status != -how:
        why.append(f"status {status} after signal {how}")
    if drew and how not in ("hangup", signal.SIGKILL):
        if not last_of(t.out, b"\x1b[?1049h", b"\x1b[?1049l"):
            why.append("the alternate screen stays")
        if not last_of(t.out, b"\x1b[?25l", b"\x1b[?25h"):
            why.append("the cursor stays hidden")
        if not last_of(t.out, b"\x1b[?1000h", b"\x1b[?1000l"):
            why.append("mouse mode stays")
        if termios.tcgetattr(t.slave)[:4] != t.before[:4]:
            why.append("terminal modes differ")
    t.close()
    wait_until(lambda: not leftovers("stutter"), 5)
    if left := leftovers("stutter"):
        why.append(f"left: {left}")
    if os.listdir(folder):
        why.append(f"files: {os.listdir(folder)}")
    if record and os.path.exists(record):
        with open(record, "rb") as f:
            data = f.read()
        whole = data[:data.rfind(b"\n") + 1].splitlines()
        for n, line in enumerate(whole):
            try:
                json.loads(line)
            except ValueError:
                why.append(f"recording: line {n + 1} is broken")
        if how not in (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT) and whole and b'"summary"' not in whole[-1][:40]:
            why.append("recording: no summary")
    if why:
        bad.append(name + ": " + "; ".join(why))

ok(not bad, f"{N} random endings leave nothing and a sane terminal", "\n".join(bad))
wait_until(lambda: shared_memory() <= shm and cgroups() <= groups, 5)
equal(sorted(shared_memory() - shm), [], "no shared memory is left")
equal(sorted(cgroups() - groups), [], "no memory cgroup is left")
done()
