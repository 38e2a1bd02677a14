#!/usr/bin/env python3
"""Out of everything: memory, descriptors, processes, space, time. A clear line or a working rest, never a crash."""
import json
import os
import resource
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import *

FAIL = os.path.join(BUILD, "tests", "failalloc.so")
COUNT = os.path.join(TMP, "count")
EVERY = int(os.environ.get("SCARCE_EVERY", "0"))  # 1: each allocation; 0: about sixty of them
BASE = [STUTTER, "run", "--for", "300ms", "--warmup", "0", "--device", "none", "--json"]
QUIET = {"XDG_CONFIG_HOME": TMP}


def good_end(r):
    """Did it end as it should: a whole result, or one clear line?"""
    if r.late or r.code < 0 or r.code > 2:
        return False
    if r.code == 0:
        try:
            json.loads(r.out)
        except ValueError:
            return False
        return True
    return len(r.err.splitlines()) == 1 and r.err.startswith("stutter: ")


r = run(BASE, env={**QUIET, "LD_PRELOAD": FAIL, "FAIL_COUNT": COUNT})
ok(good_end(r) and r.code == 0, "with all the memory it wants", repr(r))
with open(COUNT, encoding="ascii") as f:
    total = int(f.read())
ok(total > 20, f"{total} allocations of its own were seen")
for how in ("0", "1"):
    bad = []
    for n in range(1, total + 1, EVERY or max(1, total // 30)):
        r = run(BASE, env={**QUIET, "LD_PRELOAD": FAIL, "FAIL_AT": n, "FAIL_LONG": how}, deadline=20)
        if not good_end(r):
            bad.append(f"allocation {n}: {r!r}")
    ok(not bad, "no memory " + ("from any point on" if how == "1" else "once, at any point"), "\n".join(bad[:4]))
no_leftovers("nothing is left after running out of memory")


def limited(what, n):
    return lambda: resource.setrlimit(what, (n, n))


bad = []
for n in range(8, 44, 2):  # fewer, and the dynamic loader itself gives up
    r = run(BASE + ["--load", "io,fork"], env={**QUIET, "TMPDIR": TMP}, preexec_fn=limited(resource.RLIMIT_NOFILE, n), deadline=30)
    if not good_end(r):
        bad.append(f"{n} descriptors: {r!r}")
ok(not bad, "no descriptors: a clear line or a working rest", "\n".join(bad[:4]))
no_leftovers("nothing is left after running out of descriptors")

r = run(BASE, env=QUIET, preexec_fn=limited(resource.RLIMIT_AS, 64 << 20), deadline=30)
ok(good_end(r), "64 MiB of address space", repr(r))
r = run(BASE, env=QUIET, preexec_fn=limited(resource.RLIMIT_MEMLOCK, 0), deadline=30)
ok(good_end(r) and r.code == 0 and any("lock" in w for w in json.loads(r.out)["valid"]["warnings"]) or os.geteuid() == 0 and r.code == 0,
   "no memory may be locked", repr(r))
r = run(f"{' '.join(BASE)} > /dev/full", env=QUIET)
ok(r.code == 1 and len(r.err.splitlines()) == 1, "a full disk under the result is said", repr(r))
r = run(BASE + ["--record", "/dev/full"], env=QUIET)
ok(r.code in (0, 1) and ("space" in r.err or "space" in r.out), "a full disk under the recording is said", repr(r))
no_leftovers("nothing is left at the end")
done()
