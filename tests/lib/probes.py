"""Drives one probe through the small program build/tests/probe_drive, for tests: its figures as a dict."""
import json
import os
import shutil
import subprocess

from tap import *

DRIVE = os.path.join(BUILD, "tests", "probe_drive")
OFF, STARTING, RUNNING, LOST, FAILED = range(5)
POLICY, THROTTLED, AFFINITY, UNLOCKED, BURN, INTERVAL = 1, 8, 16, 32, 128, 256
LAST_CPU = max(os.sched_getaffinity(0))


def begin(kind, seconds, *options, wrap=(), **more):
    """Starts it in the background; give what it returns to figures()."""
    return start([*wrap, DRIVE, kind, str(seconds), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                 **more)


def figures(p, deadline=120):
    out, err = p.communicate(timeout=deadline)
    lines = [json.loads(line) for line in out.splitlines()]
    return {"code": p.returncode, "err": err, "steps": lines[:-1], **(lines[-1] if lines else {})}


def drive(kind, seconds, *options, **more):
    return figures(begin(kind, seconds, *options, **more))


def shared_copy():
    """The driver where any user can run it, and a folder that any user can write to."""
    folder = tempfile.mkdtemp(prefix="stutter-probe.", dir="/tmp")
    os.chmod(folder, 0o777)
    atexit.register(shutil.rmtree, folder, True)
    copy = os.path.join(folder, "drive")
    shutil.copy(DRIVE, copy)
    os.chmod(copy, 0o755)
    return copy, folder


class Hog:
    """Holds a CPU at a real-time priority for HOLD seconds of every PERIOD, on an absolute schedule."""
    CODE = """
import os, sys, time
cpu, prio, hold, period = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
os.sched_setaffinity(0, {cpu})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(prio))
due = time.monotonic()
while True:
    due += period
    time.sleep(max(0, due - time.monotonic()))
    while time.monotonic() < due + hold:
        pass
"""

    def __init__(self, cpu, prio, hold, period):
        self.p = start(["python3", "-c", self.CODE, str(cpu), str(prio), str(hold), str(period)])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.p)
