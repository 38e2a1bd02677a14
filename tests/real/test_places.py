#!/usr/bin/env python3
"""Where people start it, and what happens to the machine meanwhile: no capabilities, nice, a cpuset, RLIMIT_RTTIME; the clock
is set, the machine suspended, a CPU goes. It runs, says what it lost, and time in which nothing ran is no latency."""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import *

if os.geteuid():
    skip_all("needs root, to give it up")
FOLDER = tempfile.mkdtemp(prefix="stutter-places.", dir="/tmp")
atexit.register(shutil.rmtree, FOLDER, True)
os.chmod(FOLDER, 0o777)
COPY = os.path.join(FOLDER, "stutter")
shutil.copy(STUTTER, COPY)
os.chmod(COPY, 0o755)
NO_BUS = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"}
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
BARE = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs"]


def measured(*wrap, options=(), probes="timer,echo", seconds="1500ms", env=NO_BUS):
    """(the summary, its warnings in one text, its probes)"""
    r = run([*wrap, COPY, "run", "--device", "none", "--probe", probes, "--for", seconds, "--json", *options], env=env)
    try:
        j = json.loads(r.out)
    except ValueError:
        ok(False, f"{' '.join(wrap)}: complete JSON", r)
        return {}, str(r), []
    return j, "; ".join(j["valid"]["warnings"]), j["probes"]


def measures(what, probes):
    ok(probes and all(p["samples"] > 5 and p["max_ns"] >= p["avg_ns"] >= p["min_ns"] >= 0 for p in probes),
       f"{what}: it runs and measures", probes)


j, why, probes = measured(*BARE)
measures("without capabilities", probes)
ok("timer: asked fifo:80, got other" in why, "without capabilities: it says what it lost", why)
ok(probes and probes[0]["effective"] == "other", "without capabilities: the effective policy", probes)

j, why, probes = measured("unshare", "-fpmu", "--mount-proc", *BARE, options=["--load", "process:1,procfs", "--dir", FOLDER])
measures("in a container of its own", probes)
ok("asked fifo:80, got other" in why, "in a container of its own: it says what it lost", why)
ok(all(l["work"] > 0 for l in j.get("loads", []) if l["state"] == "on") and any(l["state"] == "on" for l in j.get("loads", [])),
   "in a container of its own: its loads work", j.get("loads"))

j, why, probes = measured("nice", "-n", "10", *NOBODY)
measures("under nice", probes)
ok(re.search(r"timer: asked fifo:80, got other:[1-9]", why) and re.search(r"echo: started at nice [1-9]", why), "under nice: both probes say so", why)
j, why, probes = measured("nice", "-n", "10")
ok("timer" not in why and re.search(r"echo: started at nice [1-9]", why), "under nice, as root: only the ordinary process is nice", why)

if run(["prlimit", "--rtprio=10:10", "true"]).code == 0:
    j, why, probes = measured("prlimit", "--rtprio=10:10", *NOBODY)
    measures("rtprio 10", probes)
    ok(probes and probes[0]["effective"] == "fifo:10" and "timer: asked fifo:80, got fifo:10" in why, "rtprio 10: what it got is said", (why, probes))
else:
    skip("rtprio 10: what it got is said", "this root may not raise RLIMIT_RTPRIO; the unit test of policies has it")

j, why, probes = measured(*NOBODY, options=["--dma-latency"])
measures("/dev/cpu_dma_latency may not be opened", probes)
ok("--dma-latency: " in why, "/dev/cpu_dma_latency may not be opened: it says so", why)

j, why, probes = measured("prlimit", "--memlock=65536:65536", *NOBODY, options=["--load", "procfs,process:1", "--dir", FOLDER], probes="timer,audio,echo", seconds="3s")
measures("ulimit -l 64", probes)
ok("timer: memory could not be locked" in why and "audio: memory could not be locked" in why and all(p["state"] == "running" for p in probes),
   "ulimit -l 64: it says what that means", (why, probes))
ok(all(l["state"] != "failed" for l in j.get("loads", []) if l["name"] in ("procfs", "process")), "ulimit -l 64: the loads work", j.get("loads"))

SET = f"/sys/fs/cgroup/cpuset/stutter-test-{os.getpid()}"
cpus = sorted(os.sched_getaffinity(0))
try:
    os.mkdir(SET)
    atexit.register(lambda: os.path.isdir(SET) and os.rmdir(SET))
    for name, value in (("cpuset.cpus", str(cpus[0])), ("cpuset.mems", open(f"{SET}/../cpuset.mems", encoding="ascii").read())):
        with open(f"{SET}/{name}", "w", encoding="ascii") as f:
            f.write(value)
except OSError as e:
    skip("in a cpuset: a refused CPU is named", str(e))
else:
    if len(cpus) > 1:
        j, why, probes = measured("sh", "-c", f'echo $$ > {SET}/cgroup.procs; exec "$@"', "sh", probes="timer",
                                  options=["--cpus", f"{cpus[0]},{cpus[1]}"])
        measures("in a cpuset", probes)
        ok(f"timer cpu{cpus[1]}: the CPU asked for was refused" in why and f"cpu{cpus[0]}:" not in why and not j["valid"]["ok"],
           "in a cpuset: a refused CPU is named", why)
    else:
        skip("in a cpuset: a refused CPU is named", "one CPU only")

j, why, probes = measured("prlimit", "--rttime=20000:20000")
measures("RLIMIT_RTTIME of 20 ms", probes)
ok(probes and probes[0]["effective"] == "fifo:80" and "timer" not in why, "RLIMIT_RTTIME of 20 ms: real-time all the same", probes)

# A CPU that goes and comes back in the middle.
ONLINE = f"/sys/devices/system/cpu/cpu{cpus[-1]}/online"


def online(on):
    with open(ONLINE, "w", encoding="ascii") as f:
        f.write("1" if on else "0")


def with_a_cpu_gone(back):
    p = start([COPY, "run", "--probe", "timer,echo", "--cpus", "each", "--for", "4s", "--json"], env=NO_BUS, stdout=subprocess.PIPE, text=True)
    wait_until(lambda: len({frozenset(os.sched_getaffinity(int(t))) for t in os.listdir(f"/proc/{p.pid}/task")}) > len(cpus))
    time.sleep(1)  # of measuring before
    try:
        online(False)
        time.sleep(1)  # and without it
        if back:
            online(True)
        j = json.loads(p.communicate(timeout=60)[0])
    finally:
        online(True)
    return j, "; ".join(j["valid"]["warnings"]), j["probes"]


try:
    if len(cpus) < 2:
        raise OSError("one CPU only")
    online(True)
except OSError as e:
    skip("a CPU taken offline", str(e))
else:
    last, n = cpus[-1], os.sysconf("SC_NPROCESSORS_CONF")
    j, why, probes = with_a_cpu_gone(False)
    measures("a CPU is taken offline", probes)
    ok(f"timer cpu{last}: the CPU asked for was refused" in why and f"{n - 1} of {n} CPUs left" in why, "a CPU is taken offline: it says so", why)
    j, why, probes = with_a_cpu_gone(True)
    ok(f"timer cpu{last}: for a time it ran on another CPU" in why and f"for a time only {n - 1} of {n} CPUs" in why and not j["valid"]["ok"],
       "a CPU goes and comes back: its figures stay in doubt", why)
    ok(f"timer cpu{cpus[0]}:" not in why, "a CPU goes and comes back: those of the others do not", why)

# Clocks that jump in the middle of a recording.
JUMP = os.path.join(BUILD, "tests", "jumpclock.so")
REC = os.path.join(TMP, "jump.jsonl")


def jumped(slept=0, set_by=0):
    env = {**NO_BUS, "LD_PRELOAD": JUMP, "JUMP_AT": str(time.monotonic() + 1), "SLEPT": str(slept), "SET": str(set_by)}
    if os.path.exists(REC):
        os.unlink(REC)
    j, why, probes = measured(options=["--record", REC], probes="timer,job", env=env, seconds="2500ms")
    lines = [json.loads(l) for l in open(REC, encoding="utf-8")]
    return j, why, probes, [l["t"] for l in lines if l["type"] == "tick"], [l for l in lines if l.get("event") == "gap"]


if "asan" in BUILD:
    skip("clocks that jump", "a sanitizer must be loaded first")
else:
    for by in (-3600, 86400 * 400):
        j, why, probes, ticks, gaps = jumped(set_by=by)
        ok(probes and probes[0]["max_ns"] < 2e9 and not gaps and 2 < j["elapsed_s"] < 30,
           f"the clock is set by {by} s: no latency and no gap", (j, gaps))
        ok(ticks == sorted(ticks) and ticks[-1] < 30, f"the clock is set by {by} s: the recording's time goes on", ticks)
    j, why, probes, ticks, gaps = jumped(slept=3600)
    ok(probes and probes[0]["max_ns"] < 2e9, "suspended for an hour: that is no latency", probes)
    ok(any(g.get("text") == "suspended" and abs(g.get("value", 0) - 3600e9) < 60e9 for g in gaps), "suspended: the recording has the gap", gaps)
    ok("gap" in why, "suspended: the summary says that time was left out", why)
    ok(ticks == sorted(ticks) and ticks[-1] < 30, "suspended: the recording's time is the measured time", ticks)

no_leftovers("nothing runs on")
done()
