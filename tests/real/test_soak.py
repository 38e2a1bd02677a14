#!/usr/bin/env python3
"""Under everything for a while: loads come and go, views change, sizes change, it records. Memory, descriptors and CPU stay
level. SOAK_MINUTES says how long (default: half a minute; CI: 2; make soak: 30)."""
import os
import random
import shlex
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import *

MINUTES = float(os.environ.get("SOAK_MINUTES") or (2 if os.environ.get("CI") else 0.5))
SEED = int(os.environ.get("SEED", "0")) or random.randrange(1 << 30)
rng = random.Random(SEED)
diag(f"SEED={SEED}")
ENV = {"XDG_CONFIG_HOME": TMP, "DISPLAY": None}
WORK = os.path.join(TMP, "work")
os.mkdir(WORK)


def figures(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
        rss = next(int(l.split()[1]) for l in f if l.startswith("Rss:"))
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as f:
        cpu = int(f.read().split()[0]) / 1e9
    return rss, len(os.listdir(f"/proc/{pid}/fd")), cpu


record = os.path.join(TMP, "soak.jsonl")
COMMAND = "exec " + shlex.join([STUTTER, "--device", "none", "--cpus", "each", "--dir", WORK, "--size", "64M", "--record", record])
with Tmux(COMMAND, 120, 36, env=ENV) as t:
    ok(t.wait_for(r"audio .*\d(µs|ms)"), "the monitor measures")
    pid = t.pid()
    until = time.monotonic() + 60 * MINUTES
    seen = []
    while time.monotonic() < until:
        t.keys(rng.choice(["1", "2", "3", "5", "6", "7", "8", "9", "x", "x", "h", "t", "l", "c", "z", "?", "s", "[", "]", "Tab", "g", "T", "Up", "Down",
                           "+", "-", "Space"]))
        if rng.random() < 0.1:
            t.resize(rng.randrange(20, 160), rng.randrange(5, 50))
        time.sleep(0.2)
        seen.append((time.monotonic(), *figures(pid)))
    t.keys("Escape", "x", "l")
    wait_until(lambda: len(descendants(pid)) <= 3)
    third = max(1, len(seen) // 3)
    early, late = seen[third:2 * third], seen[2 * third:]
    rss = [statistics.median(s[1] for s in part) for part in (early, late)]
    # what a session keeps grows for its first hours and then stays: 8 MiB at most
    ok(rss[1] - rss[0] <= 8192 and rss[1] <= 64 << 10, f"resident memory stays level: {rss[0]:.0f} then {rss[1]:.0f} KiB")
    fds = [statistics.median(s[2] for s in part) for part in (early, late)]
    ok(fds[1] <= fds[0] + 4, f"descriptors stay level: {fds[0]:.0f} then {fds[1]:.0f}")
    cpu = [(part[-1][3] - part[0][3]) / (part[-1][0] - part[0][0]) for part in (early, late)]
    ok(cpu[1] <= 3 * cpu[0] + 0.02, f"the main thread's CPU stays level: {100 * cpu[0]:.1f}% then {100 * cpu[1]:.1f}%")
    t.keys("q")
    equal(t.status(), 0, "q ends it")
equal(os.listdir(WORK), [], "no file is left")
no_leftovers("nothing runs on")
r = run([STUTTER, "export", record, "--format", "hist"], env=ENV)
ok(r.code == 0 and r.out, "the recording reads", repr(r)[:400])
done()
