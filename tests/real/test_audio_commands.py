#!/usr/bin/env python3
"""What a person meets of sound: the list of devices, the headroom, a device that is gone, all on cards of the tests' own."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
from card import Card, Watch
from tap import *

# stutter list devices
card = Card()
card.RATE, card.CHANNELS, card.PERIOD_MIN, card.PERIOD_MAX = 44100, 2, 64, 1024
r = run([STUTTER, "list", "devices", "--json"], env=card.env)
rows = {d["name"]: d for d in json.loads(r.out)} if r.code == 0 and r.out.startswith("[") else {}
if not rows and r.code == 0:
    j = json.loads(r.out)
    rows = {d["name"]: d for d in next(v for v in j.values() if isinstance(v, list))}
ok("card" in rows and "none" in rows, "the list names the card and that there may be none", r)
ok("plugin" in rows["card"]["kind"] and "test card" in rows["card"]["kind"], "a plugin is named", rows["card"])
text = json.dumps(rows["card"])
ok("44100" in text and "64" in text and "1024" in text, "with its ranges", text)
ok(r.err == "", "and libraries print nothing of their own", r.err)
card.OPEN_ERROR = 16
r = run([STUTTER, "list", "devices"], env=card.env)
ok(any(l.startswith("card ") and "busy" in l for l in r.out.splitlines()), "one that is busy is said to be", r)
card.OPEN_ERROR, card.OPEN_HANGS = 0, 1
r = run([STUTTER, "list", "devices"], env=card.env)
ok(any(l.startswith("card ") and "does not answer" in l for l in r.out.splitlines()), "one that hangs holds nobody up", r)
ok(r.code == 0 and not r.late and r.seconds < 10, "for long", f"{r.seconds} s")
card.OPEN_HANGS = 0

# stutter headroom
card = Card()
card.PERIOD_MIN = 512
r = run([STUTTER, "headroom", "--device", "card", "--for", "1s", "--load", "burn:1", "--json"], env=card.env)
j = json.loads(r.out) if r.code == 0 else {"loads": []}
names = [l["load"] for l in j["loads"]]
ok(names == ["none", "burn"], "headroom has a row without load and one for each", r)
held = [l for l in j["loads"] if l["outcome"] == "held"]
ok(held and all(l["period_frames"] >= 512 and abs(l["buffer_ms"] - l["buffer_frames"] / 48) < 0.1 and l["late_max_ns"] > 0 for l in held),
   "each with the buffer that holds, as it was granted", j)
r = run([STUTTER, "headroom", "--device", "card", "--for", "1s"], env=card.env)
ok(r.code == 0 and "none" in r.out and " x " in r.out and max(map(len, r.out.splitlines())) <= 78, "as a table too", r)
r = run([STUTTER, "headroom", "--device", "nonesuch", "--for", "1s"], env=card.env)
ok(r.code == 1 and r.err.count("\n") == 1 and "nonesuch" in r.err, "no device: one line, exit 1", r)

# A card that drops out at every small buffer: the answer is the first that holds
card = Card()
w = start([STUTTER, "headroom", "--device", "card", "--for", "2s", "--json"], env=card.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
stalls = 0
while w.poll() is None:
    if card.STARTS and not card.STALL_NS:
        card.STALL_NS = 12_000_000  # 12 ms: no buffer of less holds
    time.sleep(0.2)
j = json.loads(w.stdout.read())
row = j["loads"][0]
ok(row["outcome"] == "held" and row["buffer_ms"] > 12 and row["buffer_ms"] < 100, "stalls of 12 ms need a buffer of more", j)
ok(row["failed_period_frames"] < row["period_frames"], "and the one before it dropped out", row)

# Gone in the middle, and back, as a recording tells it
card = Card()
w = Watch(["--probe", "audio", "--device", "card", "--buffer", "4x256", "--for", "60s"], env=card.env)
ok(w.until("running"), "it plays", lambda: w.facts)
wait_until(lambda: w.ticks > 8)
card.GONE = 1
ok(w.until("lost"), "a device that is gone is said to be", lambda: w.facts)
ok("no such device" in w.facts["reason"], "and why", w.facts)
silent = w.facts.get("silent_s", 0)
ok(wait_until(lambda: w.facts.get("silent_s", 0) > silent + 0.5), "the silence is counted while it lasts", lambda: w.facts)
card.GONE = 0
ok(w.until("running"), "it comes back by itself", lambda: w.facts)
ok(wait_until(lambda: any(e["event"] == "gap" for e in w.events)), "what was between is a gap, no latency", lambda: w.events)
w.end()
no_leftovers("nothing is left")
done()
