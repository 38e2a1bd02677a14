#!/usr/bin/env python3
"""Music through the real libasound: what the card got is what the file has, and a drop-out is a hole in it."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
from card import Card, Watch
from sound import decode, make, read
from tap import *

FOR = "2s"


def path(name):
    return os.path.join(TMP, name)


def looped(sound, start, n):
    """N samples of SOUND, which is played round and round, from START on."""
    out = sound[start % len(sound):start % len(sound) + n]
    while len(out) < n:
        out += sound[:n - len(out)]
    return out


def play(card, file, *more, seconds=FOR):
    r = run([STUTTER, "run", "--probe", "audio", "--device", card.device, "--buffer", "4x1024", "--for", seconds, "--json", "--play", file, *more],
            env=card.env)
    try:
        return r, json.loads(r.out)["probes"][0]
    except (ValueError, KeyError):
        return r, None


# Nothing stalls: sample by sample the same, round after round
for name, rate, channels in (("a.mp3", 44100, 2), ("b.flac", 48000, 2), ("c.ogg", 22050, 1), ("d.wav", 32000, 1)):
    tape = path(name + ".tape")
    card = Card(capture=tape)
    r, p = play(card, make(path(name), "synth", "0.7", "pinknoise", "vol", "0.5", rate=rate, channels=channels))
    if not ok(p and p["state"] == "running", f"{name} plays", r):
        continue
    ok(p["rate"] == rate, f"{name}: the card runs at the file's rate", p)
    frate, fchannels, sound = decode(path(name))
    got = read(tape)
    if card.DRY:
        skip(f"{name}: what was played is what the file has", "the machine itself stalled")
    else:
        ok(len(got) > len(sound) * 2 and got == looped(sound, 0, len(got)), f"{name}: what was played is what the file has, looped",
           lambda: f"{len(got)} samples, {len(sound)} in the file, first difference at "
                   f"{next((i for i, (a, b) in enumerate(zip(got, looped(sound, 0, len(got)))) if a != b), None)}")
    ok(abs(p["played_s"] + p["silent_s"] - 1.5) < 0.25, f"{name}: played and silent are the time", p)

# A stall: exactly one hole, the music goes on where it was
tape = path("hole.tape")
card = Card(capture=tape)
file = make(path("hole.mp3"), "synth", "20", "pinknoise", "vol", "0.5")
w = Watch(["--probe", "audio", "--device", "card", "--buffer", "4x256", "--for", "60s", "--play", file], env=card.env)
w.until("running")
wait_until(lambda: w.ticks > 8)
before = card.DRY
card.STALL_NS = 400_000_000
wait_until(lambda: card.STALLS == 1 and card.STARTS > card.DRY)
wait_until(lambda: w.facts.get("xruns", 0) >= card.DRY)
w.end()
ok(card.DRY > before and w.facts.get("xruns") == card.DRY, "a stall is a drop-out", w.facts)
if card.DRY == 1:
    _, channels, sound = decode(file)
    got = read(tape)
    hole = next((i for i, (a, b) in enumerate(zip(got, sound)) if a != b), len(got)) // channels
    end = next((i for i in range(hole * channels, len(got)) if got[i]), len(got)) // channels
    length = (end - hole) / 44100 * 1e9
    period = 256 / 44100 * 1e9
    ok(abs(length - card.silences()[0]) <= period, "the hole is as long as the drop-out", f"{length} {card.silences()}")
    told = [e for e in w.events if e["event"] == "xrun"]
    ok(len(told) == 1 and abs(told[0]["value"] - length) <= period, "and it is told as it is", w.events)
    rest = got[end * channels:]
    ok(len(rest) > 1000 and rest == looped(sound, hole * channels, len(rest)), "before and after it, nothing is missing or smoothed over",
       lambda: f"hole {hole}..{end}, {len(rest)} after it")
else:
    skip("the hole is as long as the drop-out", "the machine itself stalled")

# What the card cannot do, ALSA converts, and that is said
card = Card()
card.RATE, card.CHANNELS = 48000, 2
r, p = play(card, make(path("mono.wav"), "synth", "1", "sine", "440", rate=44100, channels=1))
ok(p and p["state"] == "running" and "converts" in (p["reason"] or ""), "a conversion is said", p or r)
ok(p and p["played_s"] > 1, "and it plays", p)

# A tone
tape = path("tone.tape")
card = Card(capture=tape)
r = run([STUTTER, "run", "--probe", "audio", "--device", "card", "--buffer", "4x1024", "--rate", "44100", "--for", FOR, "--tone", "441"], env=card.env)
left = read(tape)[0::2]
ups = sum(1 for a, b in zip(left, left[1:]) if a < 0 <= b)
ok(r.code == 0 and len(left) > 44100 and abs(ups / len(left) * 44100 - 441) < 3, "a tone of 441 Hz is one", f"{ups} waves in {len(left)} frames")
ok(max(left) > 4000 and min(left) < -4000, "and it can be heard")
steps = max(abs(a - b) for a, b in zip(left, left[1:]))
ok(card.DRY or steps < 700, "without a click where it is looped", steps)

# No sound: one line, nothing started, nothing hangs
os.mkfifo(path("pipe"))
open(path("text.wav"), "w").write("this is no sound\n" * 100)
open(path("empty.mp3"), "w").close()
for what, file in (("no file", path("nothing.wav")), ("a folder", TMP), ("text", path("text.wav")), ("an empty file", path("empty.mp3")), ("a pipe", path("pipe"))):
    r = run([STUTTER, "run", "--probe", "audio", "--device", "none", "--for", "1s", "--play", file], deadline=20)
    ok(r.code in (1, 2) and r.err.count("\n") == 1 and r.err.startswith("stutter: ") and not r.out, f"{what} is refused in one line", r)
with open(path("a.mp3"), "rb") as f:
    data = f.read()
open(path("cut.mp3"), "wb").write(data[:len(data) // 3])
r, p = play(Card(), path("cut.mp3"))
ok(r.code == 0 and p and p["state"] == "running", "a file that was cut off plays as far as it goes", r)
no_leftovers("nothing is left")
done()
