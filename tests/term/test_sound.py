#!/usr/bin/env python3
"""The sound mark: asked for as a capture ends, kept beside its figures, on the screen and in the recording."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from card import *
from tap import *

ASKS = "how did it sound"


def capture(t, key, slot):
    t.keys(key)
    ok(t.wait_for(f"capturing, {key} ends"), f"{key} begins slot {slot}", t.screen)
    wait_until(lambda: re.search(rf"{slot} +[1-9]\.\d+s", t.screen()))


card = Card("card")
saved = os.path.join(TMP, "sound.jsonl")
with Tmux([STUTTER, "--probe", "audio", "--device", "card", "--buffer", "4x256", "--record", saved], 120, 30, env=card.env) as t:
    ok(t.wait_for("audio card"), "the monitor plays on the card", t.screen)
    t.keys("c")
    capture(t, "a", "A")
    t.keys("a")
    ok(t.wait_for(ASKS + r"\? 0-10, Enter: no mark"), "the end of a capture asks for the sound mark", t.screen)
    t.type("eleven\n")
    ok(t.wait_for("whole number from 0 to 10"), "what is no mark is said so", t.screen)
    ok("sound mark " not in t.screen().replace("a sound mark is", ""), "and not kept", t.screen)
    capture(t, "b", "B")
    ok(ASKS not in t.screen(), "a capture that begins while none runs asks nothing", t.screen)
    t.keys("b")
    t.wait_for(ASKS)
    t.type("7\n")
    ok(t.wait_for(r"B .*sound mark 7"), "a mark stands beside the capture's figures", t.screen)
    t.keys("a")
    t.wait_for("capturing, a ends")
    t.keys("a")
    t.wait_for(ASKS)
    t.type("\n")
    ok(wait_until(lambda: ASKS not in t.screen()), "Enter alone gives none", t.screen)
    t.keys("q")
    equal(t.status(), 0, "q ends it")
with open(saved, encoding="utf-8") as f:
    marks = [j["text"] for j in map(json.loads, f) if j.get("type") == "event" and "mark" in j.get("text", "")]
equal(marks, ["sound mark 7"], "the recording has this mark and no other")
out = run([STUTTER, "compare", saved, saved])
ok(", sound mark 7" in out.out, "compare shows it", out)
both = json.loads(run([STUTTER, "compare", "--json", saved, saved]).out)["comparisons"][0]
equal((both["a"]["sound_mark"], both["b"]["sound_mark"]), (7, 7), "and so does its JSON")

with Tmux([STUTTER, "--probe", "timer"], 120, 30) as t:
    t.wait_for(r"timer +\d")
    t.keys("c")
    capture(t, "a", "A")
    t.keys("a")
    ok(t.wait_for("slot A ends") and ASKS not in t.screen(), "without a probe that plays nobody is asked", t.screen)
    t.keys("q")
    equal(t.status(), 0, "q ends it")
done()
