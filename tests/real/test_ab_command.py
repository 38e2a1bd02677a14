#!/usr/bin/env python3
"""`stutter ab` as a user meets it: which is better, what the knob is put back to, commands that fail, hang or change nothing."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from knob import *
from tap import *

ENV = {"XDG_CONFIG_HOME": TMP}
SHORT = ["--probe", "timer", "--rounds", "2", "--each", "600ms", "--settle", "100ms"]


def command(a, b, *more):
    return [STUTTER, "ab", "--a", a, "--b", b, *more]


def knob():
    return command(f"echo slow > {KNOB}", f"echo fast > {KNOB}", "--read", f"cat {KNOB}")


set_to("found")
r = run([*knob(), *SHORT, "--restore", f'printf "%s\\n" "$STATE" > {KNOB}'], env=ENV)
ok(r.code == 0 and "2 of 2 rounds" in r.out and "too short to say" in r.out and "\x1b" not in r.out, "two rounds are too short to say, and it says so", r)
equal(setting(), "found", "what was found at the start is put back")

# a difference that is there: with B two thirds of the time of each CPU is taken
HOG = """
import os, sys, time
flag, cpu = sys.argv[1], int(sys.argv[2])
os.sched_setaffinity(0, {cpu})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(90))
while True:
    end = time.monotonic() + (0.030 if os.path.exists(flag) else 0)
    while time.monotonic() < end:
        pass
    time.sleep(0.015)
"""
if os.geteuid() == 0:
    flag = os.path.join(TMP, "held")
    hogs = [start(["python3", "-c", HOG, flag, str(cpu)]) for cpu in os.sched_getaffinity(0)]
    r = run([*command(f"rm -f {flag}", f"touch {flag}", "--restore", f"rm -f {flag}"), "--probe", "timer", "--rounds", "12", "--each", "800ms",
             "--settle", "200ms", "--json"], env=ENV)
    try:
        mean = json.loads(r.out)["comparisons"][0]
        ok(mean["better"] == "A" and mean["figures"]["avg_ns"]["change_pct"] > 0, "B takes two thirds of the CPUs: A is better", mean)
    except (ValueError, LookupError):
        ok(False, "B takes two thirds of the CPUs: A is better", r)
    ok(not os.path.exists(flag), "and the command that puts it back was run")
    for p in hogs:
        end(p)
else:
    skip("B takes two thirds of the CPUs: A is better", "needs real-time")

r = run([*command("true", "echo no such setting >&2; exit 3"), *SHORT], env=ENV)
ok(r.code == 1 and "command B failed (exit status 3): no such setting" in r.err, "a command that fails is named, with what it said", r)
set_to("found")
r = run([*command(f"echo slow > {KNOB}", "exit 1", "--read", f"cat {KNOB}", "--restore", f'printf "%s\\n" "$STATE" > {KNOB}'), *SHORT], env=ENV)
ok(r.code == 1 and setting() == "found", "... and the setting is put back", (r, setting()))
set_to("slow")
r = run([*command("true", "true", "--read", f"cat {KNOB}"), *SHORT], env=ENV)
ok(r.code == 1 and re.search(r"change|same|differ", r.err), "commands that change nothing that is read are named", r)
r = run([*knob(), *SHORT, "--load", "nonesuch"], env=ENV)
ok(r.code == 2 and r.err.count("\n") == 1 and "nonesuch" in r.err, "a load that there is not: one line, status 2", r)
for args in (["--a", "true"], [], ["--a", "true", "--b", "true", "--rounds", "1"]):
    r = run([STUTTER, "ab", *args], env=ENV)
    ok(r.code == 2 and r.err.count("\n") == 1, f"ab {' '.join(args)}: one line, status 2", r)

# ended by a person, in a command that hangs and between two
for sig in (signal.SIGINT, signal.SIGTERM):
    set_to("slow")
    p = start([*knob(), "--probe", "timer", "--rounds", "50", "--each", "500ms", "--settle", "100ms"], env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: setting() == "fast")
    p.send_signal(sig)
    out, err = p.communicate(timeout=60)
    ok(p.returncode == 0 and "of 50 rounds" in out, f"{sig.name}: what was measured is printed", (p.returncode, out, err))
    equal(setting(), "slow", f"{sig.name}: and the knob put back")
set_to("slow")
p = start([*command(f"echo slow > {KNOB}", f"echo fast > {KNOB}; sleep 1000", "--read", f"cat {KNOB}"), *SHORT], env=ENV, stdout=subprocess.PIPE,
          stderr=subprocess.PIPE, text=True)
wait_until(lambda: setting() == "fast")
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=60)
ok(setting() == "slow" and not leftovers("^sleep 1000"), "a command that hangs is ended, and what it did is put back", (p.returncode, err, setting()))

# blind, answers from a pipe
set_to("slow")
r = run(f"printf '1\\n2\\n' | {shlex.join([*knob(), *SHORT, '--blind'])}", env=ENV)
ok(r.code == 0 and "2 of 2 rounds" in r.out and re.search(r"guess|chance|right", r.out), "a blind test takes its answers from a pipe, all of them", r)
r = run(f"yes a | {shlex.join([*knob(), *SHORT, '--blind'])}", env=ENV)
ok(r.code == 1 and "nobody answers" in r.err, "what is no answer does not go on for ever", r)
equal(setting(), "slow", "and puts the knob back")
no_leftovers("no guardian and no command stays behind")
done()
