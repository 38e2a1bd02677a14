#!/usr/bin/env python3
"""D: the picker of the audio device, in a real terminal, with cards of the tests' own."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
from card import Card, PLUGIN
from tap import *

other = Card("other")
page = os.path.dirname(other.env["ALSA_CONFIG_PATH"])
card = Card("card", more=f'pcm.other {{ type stutter page "{page}/page" hint {{ show on description "the other card" }} }}\n')

with Tmux([STUTTER, "--probe", "audio", "--device", "card", "--buffer", "4x256"], 110, 30, env=card.env) as t:
    ok(t.wait_for("audio card"), "the monitor plays on the card", t.screen)
    t.keys("D")
    ok(t.wait_for("audio devices") and t.wait_for("the other card"), "D lists the devices", t.screen)
    screen = t.screen()
    ok("in use" in screen and "none" in screen and "the clock" in screen, "with their state, and that there may be none", screen)
    wait_until(lambda: "Enter" in t.screen())
    rows = [l for l in t.screen().splitlines()[1:] if l.strip()]
    steps = next(i for i, l in enumerate(rows) if l.lstrip(" >").startswith("other"))
    for _ in range(steps):
        t.keys("Down")
    ok(wait_until(lambda: any(l.lstrip().startswith("> other") for l in t.screen().splitlines())), "Down goes to another one", t.screen)
    t.keys("Enter")
    ok(t.wait_for("audio other"), "Enter plays on it, in the same session", t.screen)
    ok(wait_until(lambda: other.PLAYED > 0 and card.OPENS == card.CLOSES), "and no more on the first", t.screen)
    t.keys(">")
    ok(t.wait_for("512"), "a larger buffer is granted live", t.screen)
    t.keys("D")
    t.wait_for("audio devices")
    t.keys("Escape")
    ok(wait_until(lambda: "audio devices" not in t.screen()), "Escape goes back and changes nothing", t.screen)
    t.keys("q")
    ok(wait_until(lambda: other.OPENS == other.CLOSES), "q closes the device")
no_leftovers("nothing is left")
done()
