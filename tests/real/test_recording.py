#!/usr/bin/env python3
"""Recordings as a user meets them: what is read back is what was printed, whatever way the recording ended."""
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import *  # noqa: E402,F403

PROBES = ["--probe", "timer,echo"]
REC = os.path.join(TMP, "r.jsonl")


def lines_of(path):
    with open(path, "rb") as f:
        return f.read()


def whole(path):
    """The last whole tick's time, and whether every whole line is JSON."""
    text = lines_of(path)
    last, good = 0.0, True
    for line in text[:text.rfind(b"\n") + 1].splitlines():
        try:
            j = json.loads(line)
        except ValueError:
            good = False
            continue
        if j.get("type") in ("tick", "pack"):
            last = j["t"]
    return last, good


# The summary of the recording is the live one, to the last digit, also where commas are decimal points.
r = run([STUTTER, "run", "--for", "3s", "--json", "--record", REC, *PROBES, "--load", "burn:1"], env={"LC_ALL": "de_DE.UTF-8"})
again = run([STUTTER, "export", REC, "--json"], env={"LC_ALL": "de_DE.UTF-8"})
live = None
try:
    live = json.loads(r.out)
except ValueError:
    pass
ok(r.code == 0 and live is not None, "run --json prints one JSON object", r)
ok(r.out.count("\n") == 1 and "\x1b" not in r.out, "on one line, without escape codes")
equal(again.out, r.out, "the summary of the recording is the live one to the last digit")
ok(live and live["probes"][0]["samples"] > 1000 and live["probes"][0]["max_ns"] >= live["probes"][0]["p99_ns"], "with figures in it")
last = json.loads(lines_of(REC).splitlines()[-1])
ok(last.pop("type") == "summary" and last == live, "and the recording's last line says the same")
ticks = [json.loads(x) for x in lines_of(REC).splitlines() if b'"type":"tick"' in x]
ok(len(ticks) >= 28 and all(k in ticks[-1]["probes"][0] for k in ("n", "min", "avg", "max", "hist")), "a tick each 100 ms")
ok(not re.search(rb"\d,\d{3}\b[^,\]]", lines_of(REC).splitlines()[-1].split(b'"cpu":')[-1]), "decimal points in any locale")
r = run([STUTTER, "run", "--for", "1s", *PROBES], env={"LC_ALL": "de_DE.UTF-8"})
ok(r.code == 0 and "\x1b" not in r.out and all(len(x) <= 78 for x in r.out.splitlines()), "the table for people has no escape codes and at most 78 columns", r)

# Signals end it in order.
for sig in (signal.SIGINT, signal.SIGTERM):
    os.unlink(REC)
    p = start([STUTTER, "run", "--for", "60s", "--json", "--record", REC, *PROBES], stdout=subprocess.PIPE)
    wait_until(lambda: os.path.exists(REC) and whole(REC)[0] > 0.5)
    p.send_signal(sig)
    out = p.communicate(timeout=60)[0].decode()
    try:
        good = json.loads(out)["elapsed_s"] > 0.5
    except ValueError:
        good = False
    ok(good and p.returncode == 0, f"signal {sig.name}: complete JSON of what was measured", out)
    ok(b'"type":"summary"' in lines_of(REC).splitlines()[-1], f"signal {sig.name}: a complete recording")
r = run(f"{STUTTER} run --for 1s --json --probe timer | head -1")
ok(json.loads(r.out)["probes"], "run --json | head -1")

# kill -9 at any moment: it reads up to the last whole line, at most one tick is lost.
random.seed(int(os.environ.get("SEED", "7")))
bad = []
for i in range(int(os.environ.get("KILLS", "20"))):
    try:
        os.unlink(REC)
    except OSError:
        pass
    began = time.monotonic()
    p = start([STUTTER, "run", "--for", "60s", "--record", REC, *PROBES], stdout=subprocess.DEVNULL)
    wait_until(lambda: os.path.exists(REC) and os.path.getsize(REC) > 0, step=0.002)
    time.sleep(random.random() * 0.8)
    end(p)
    t, good = whole(REC)
    x = run([STUTTER, "export", REC, "--json"])
    try:
        read_to = json.loads(x.out)["elapsed_s"]
    except ValueError:
        read_to = None
    if not good or read_to is None or abs(read_to - t) > 0.001:
        bad.append((i, t, good, x))
ok(not bad, "killed at any moment, every recording reads up to its last whole tick", bad[:2])
no_leftovers("nothing is left of those that were killed")

# A full disk: said once, and what was written stays valid.
if os.geteuid() == 0:
    small = os.path.join(TMP, "small")
    os.mkdir(small)
    m = run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", small])
    if m.code == 0:
        path = os.path.join(small, "r.jsonl")
        r = run([STUTTER, "run", "--for", "5s", "--record", path, *PROBES])
        t, good = whole(path)
        x = run([STUTTER, "export", path, "--json"])
        size = os.path.getsize(path)
        ended = lines_of(path).endswith(b"\n")
        run(["umount", small])
        ok(r.code == 1 and r.err.count("No space left") == 1, "a full disk is said once", r)
        ok("timer" in r.out, "and the figures are printed all the same", r)
        ok(good and ended and x.code == 0 and t > 0 and json.loads(x.out)["elapsed_s"] >= t - 0.001, "what was recorded stays valid", (size, t, x))
    else:
        skip("a full disk", "no tmpfs can be mounted")
else:
    skip("a full disk", "needs root to mount a small tmpfs")

# A stream, and views of it.
r = run(f"{STUTTER} run --for 2s --record - --probe timer > {REC}")
ok(r.code == 0 and json.loads(lines_of(REC).splitlines()[-1])["type"] == "summary", "--record - streams the recording", r)
r = run(f"{STUTTER} run --for 60s --record - --probe timer | head -3", deadline=60)
ok(r.out.count("\n") == 3 and not r.late and r.seconds < 50, "a stream ends when its reader goes", r)
for bad_name, text in (("empty", ""), ("no recording", "hello\n"), ("folder", None)):
    path = os.path.join(TMP, "bad")
    if text is None:
        path = TMP
    else:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    for command in (["export", path], ["compare", path, path], ["report", path, "-o", os.path.join(TMP, "x.html")]):
        r = run([STUTTER, *command])
        ok(r.code == 1 and r.err.count("\n") == 1 and r.err.startswith("stutter: ") and "\x1b" not in r.err, f"{command[0]}: {bad_name}: one clear line", r)
ok(not os.path.exists(os.path.join(TMP, "x.html")), "a page that could not be made leaves no file")
with Tmux([STUTTER, "view", REC], 100, 30) as t:
    ok(t.wait_for(r"paused 00:00:0\d/00:00:0\d"), "view opens a recording at its end", t.screen)
    t.keys("Home")
    ok(t.wait_for(r"paused 00:00:00/"), "Home: its start", t.screen)
    t.keys("Space")
    ok(t.wait_for(r"play x1 00:00:01/"), "Space plays it", t.screen)
    t.keys("End")
    ok(t.wait_for(r"(paused|play x1) 00:00:02/00:00:02"), "End: its end", t.screen)
    t.keys("1")
    ok(t.wait_for("recording"), "loads can't be switched in a recording, and it says so", t.screen)
    t.keys("h")
    ok(t.wait_for("istogram"), "the same views", t.screen)
    t.keys("q")
    equal(t.status(), 0, "q ends it")
with Tmux(f"{STUTTER} run --for 4s --record - --probe timer | {STUTTER} view -", 100, 30) as t:
    ok(t.wait_for(r"stream 00:00:0[1-9]"), "view follows a stream", t.screen)
    ok(t.wait_for("stream ended"), "and says when it has ended", t.screen)
    t.keys("q")
    equal(t.status(), 0, "keys come from the terminal")
done()
