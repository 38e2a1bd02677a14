#!/usr/bin/env python3
"""A/B in the monitor: captures, the compare view, the knob and what it is put back to, the blind test."""
import os
import shlex
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from knob import *
from tap import *

ENV = {"XDG_CONFIG_HOME": TMP, "DISPLAY": None}


def monitor(*more):
    return Tmux([STUTTER, "--probe", "timer,echo", *more], 120, 36, env=ENV)


def turn_to_b(t):
    """Presses k until B is set: one that comes too early is refused, one that is taken shows soon."""
    while not (t.keys("k"), wait_until(lambda: setting() == "fast", 5))[1]:
        pass


KNOB_ARGS = ["--a", f"echo slow > {KNOB}", "--b", f"echo fast > {KNOB}", "--read", f"cat {KNOB}", "--rounds", "2", "--each", "600ms",
             "--settle", "100ms"]

set_to("slow")
with monitor(*KNOB_ARGS) as t:
    ok(t.wait_for(r"timer +\d"), "the monitor measures")
    t.keys("c")
    ok(t.wait_for("Nothing to compare yet"), "c without captures says what to press")
    t.keys("a")
    ok(t.wait_for("capturing, a ends"), "a begins slot A")
    wait_until(lambda: re.search(r"A +[1-9]\.\d+s", t.screen()))
    t.keys("b")
    ok(t.wait_for("capturing, b ends"), "b begins slot B, and A ends")
    wait_until(lambda: re.search(r"B +[1-9]\.\d+s", t.screen()))
    t.keys("b")
    s = t.wait_for("too short to say")
    ok("p99.9" in s and "within 1 ms" in s and "change (95% interval)" in s, "A and B stand beside each other", s)
    t.keys("k")
    ok(wait_until(lambda: setting() == "slow") and t.wait_for("to A|ready|busy"), "k turns the knob to A first")
    turn_to_b(t)
    equal(setting(), "fast", "k again turns it to B")
    t.keys("l")
    t.keys("K")
    ok(t.wait_for("2 rounds: b blind"), "K asks before it begins")
    t.type("b\n")
    s = t.wait_for("round 1 of 2")
    ok(s and "µs" not in s and "ms" not in s, "no figure is on the screen of a blind test", s)
    for n in (1, 2):
        ok(t.wait_for(f"round {n} of 2[^?]*which felt better"), f"round {n} is asked for")
        t.keys("0" if n == 1 else "1")
    ok(t.wait_for(r"chance|sure|guess|right"), "at its end it says how often one was right", t.screen)
    t.keys("Escape")
    ok(t.wait_for("loads"), "and goes back to the view")
    t.keys("K")
    t.wait_for("2 rounds: b blind")
    t.type("o\n")
    ok(t.wait_for("A B B A"), "open rounds take turns too", t.screen)
    t.keys("c")
    ok(t.wait_for(r"A +[1-9]\.\d+s.*B +[1-9]\.\d+s"), "and fill both slots", t.screen)
    t.keys("q")
    equal(t.status(), 0, "q ends it")
equal(setting(), "slow", "the state found at the start is put back")
no_leftovers("no guardian stays behind")

set_to("slow")
with monitor(*KNOB_ARGS) as t:
    t.wait_for(r"timer +\d")
    turn_to_b(t)
    os.kill(t.pid(), signal.SIGKILL)
    ok(wait_until(lambda: setting() == "slow"), "kill -9 with the knob at B: the guardian puts it back", setting())
no_leftovers("and goes")

# what can't be put back is said, once the screen is gone
set_to("slow")
SAID = os.path.join(TMP, "said")
LINE = shlex.join([STUTTER, "--probe", "timer", *KNOB_ARGS, "--restore", "echo no more of this >&2; false"])
with Tmux(f"exec {LINE} 2>{SAID}", 120, 36, env=ENV) as t:
    t.wait_for(r"timer +\d")
    turn_to_b(t)
    t.keys("q")
    equal(t.status(), 1, "a knob that can't be put back: the exit status tells")
    said = open(SAID, encoding="utf-8").read()
    ok(said.startswith("stutter: ") and said.count("\n") == 1 and "\x1b" not in said, "and one line says so", said)

with monitor() as t:
    t.wait_for(r"timer +\d")
    t.keys("k")
    ok(t.wait_for("no knob: start with --a CMD --b CMD"), "without a knob k says how to have one")
    t.keys("A")
    t.wait_for("slot A:")
    t.type("/nonexistent.jsonl\n")
    ok(t.wait_for("nonexistent"), "a recording that is not there is named")
    t.keys("q")
    equal(t.status(), 0, "q ends it")
done()
