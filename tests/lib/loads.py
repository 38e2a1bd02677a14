"""Drives loads through the small program build/tests/loads, for tests: on, off, levels, what they say of themselves,
and what the kernel says of their processes."""
import json
import os
import subprocess

from tap import *

DRIVER = os.path.join(BUILD, "tests", "loads")
NAMES = ["memory", "io", "process", "procfs", "disk-write", "disk-copy", "disk-read", "mmap", "alloc", "burn", "fork",
         "list"]  # x11 wants a server
ON_DISK = ["io", "disk-write", "disk-copy", "disk-read", "mmap"]
WAYS = ["on", "failed", "off"]


class Loads:
    """A running driver. `with Loads("-s", "64M") as l: l.on("memory")`."""

    def __init__(self, *options, dir=TMP, env=None, wrap=()):
        self.p = start([*wrap, DRIVER, "-d", dir, *options], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                       text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.p.poll() is None:
            self.p.stdin.close()
            self.p.wait(60)

    def say(self, *words):
        """Does one step; what the loads said meanwhile, the last of each, and whether it went well."""
        self.p.stdin.write(" ".join(str(w) for w in words) + "\n")
        self.p.stdin.flush()
        seen = {}
        while True:
            line = self.p.stdout.readline()
            if not line:
                raise RuntimeError(f"the driver has ended: {self.p.wait()}")
            said = json.loads(line)
            if "done" in said:
                return seen, said["done"]
            seen[said["name"]] = said

    def status(self, name):
        return self.say(name, "read")[0][name]

    def switch(self, name, on):
        return self.say(name, "on" if on else "off")[0][name]

    def await_state(self, name, state):
        return self.say(name, "await", state)[0][name]

    def on(self, name):
        """Switches it on and waits until it works (or has failed for good)."""
        self.switch(name, True)
        wait_until(lambda: self.status(name)["state"] != "starting")
        return self.status(name)

    def off(self, name):
        self.switch(name, False)
        return self.await_state(name, "off")

    def level(self, name, n):
        return self.say(name, "level", n)[0][name]

    def all_pids(self):
        """Every process of every load."""
        return descendants(self.p.pid)

    def supervisors(self):
        return [p for p in self.all_pids() if parent_of(p) == self.p.pid]

    def kill(self):
        self.p.kill()
        self.p.wait()


def parent_of(pid):
    """0 where it is gone."""
    s = stat_of(pid)
    return int(s[1]) if s else 0


def io_of(pids_):
    """Sums of /proc/PID/io."""
    total = {}
    for p in pids_:
        try:
            with open(f"/proc/{p}/io", encoding="ascii") as f:
                for line in f:
                    k, v = line.split(": ")
                    total[k] = total.get(k, 0) + int(v)
        except OSError:
            pass
    return total


def open_files(pids_, folder):
    """What PIDS_ have open in FOLDER, as the kernel names it."""
    found = []
    for p in pids_:
        try:
            for n in os.listdir(f"/proc/{p}/fd"):
                f = os.readlink(f"/proc/{p}/fd/{n}")
                if f.startswith(folder):
                    found.append(f)
        except OSError:
            pass
    return found


def device_bytes(path):
    """(read, written) bytes of the disk under PATH, by the device's own counters; None where it has none."""
    dev = os.stat(path).st_dev
    try:
        with open(f"/sys/dev/block/{os.major(dev)}:{os.minor(dev)}/stat", encoding="ascii") as f:
            n = f.read().split()
    except OSError:
        return None
    return int(n[2]) * 512, int(n[6]) * 512


def cpu_s(pids_):
    """CPU seconds of processes, those that they waited for included."""
    hz = os.sysconf("SC_CLK_TCK")
    return sum(sum(int(v) for v in s[11:15]) for p in pids_ if (s := stat_of(p))) / hz


def ours(pid):
    """Was process PID started by this test?"""
    try:
        with open(f"/proc/{pid}/environ", "rb") as f:
            return f"STUTTER_TEST_RUN={os.environ['STUTTER_TEST_RUN']}".encode() in f.read()
    except OSError:
        return False


def memory_cgroups():
    """Folders of cgroups that loads made; not those of loads that others run now."""
    found = set()
    for top, dirs, _ in os.walk("/sys/fs/cgroup"):
        for d in dirs:
            if d.startswith("stutter-") and d[8:].isdigit() and (ours(d[8:]) or not stat_of(d[8:])):
                found.add(os.path.join(top, d))
    return found


def seconds_of_work(l, name, s):
    """(status before, status after) of S seconds, or more, of its work."""
    a = l.status(name)
    l.say("wait", int(s * 1000))
    return a, l.status(name)
