#!/usr/bin/env python3
"""Ctrl-Z, kill -TSTP and fg: the shell has its terminal meanwhile, the loads rest and go on, the time between is a gap and
never latency, and the whole picture comes back, at another size too."""
import json

from ptys import *

RECORDING = os.path.join(TMP, "stopped.jsonl")
STOPPED_S = 2.5


def states(pid):
    return {stat_of(p)[0] for p in descendants(pid) if stat_of(p)}


def the_monitor():
    return next((p for p, c in leftovers("stutter").items() if "--record" in c.split()), None)


def modes(t):
    return re.sub("(rows|columns) [0-9]+", "", run(["stty", "-a", "-F", t.ask("#{pane_tty}")]).out)


def measure():
    """Lets it measure for a while that is longer than its warm-up, as its recording shows."""
    ticks = lambda: open(RECORDING, encoding="utf-8").read().count('"type":"tick"')
    want = ticks() + 15
    return wait_until(lambda: ticks() >= want)


with Tmux(None, 100, 30) as t:
    t.wait_for(r"\$")
    before = modes(t)
    t.type(f"{STUTTER} --probe timer --load procfs --record {RECORDING}\n")
    ok(t.wait_for("disk-copy"), "it runs in a shell with job control", t.screen)
    pid = wait_until(the_monitor)
    working = lambda: "T" not in states(pid) and len(descendants(pid)) >= 2  # a worker and who looks after it
    ok(wait_until(working), "with a load", lambda: descendants(pid))
    ok(measure(), "which it measures")

    for name, act in (("Ctrl-Z", lambda: t.keys("C-z")), ("kill -TSTP", lambda: os.kill(pid, signal.SIGTSTP))):
        act()
        ok(wait_until(lambda: stat_of(pid)[0] == "T"), f"{name}: it is stopped", stat_of(pid))
        ok(wait_until(lambda: "R" not in states(pid) and "T" in states(pid)), f"{name}: and so are its loads", lambda: states(pid))
        equal(t.ask("#{alternate_on}#{cursor_flag}#{mouse_any_flag}"), "010", f"{name}: screen, cursor and mouse are the shell's")
        t.keys("Enter")
        t.type("echo still $((40 + 2))\n")
        ok(t.wait_for("^still 42"), f"{name}: the shell can be used", t.screen)
        t.resize(120, 36)
        time.sleep(STOPPED_S)  # what must not be taken for latency
        t.type("fg\n")
        ok(t.wait_for("disk-copy") and t.ask("#{alternate_on}") == "1", f"{name}, fg: the screen is back", t.screen)
        lines = lambda: t.screen().rstrip("\n").split("\n")
        ok(wait_until(lambda: len(lines()) == 36 and "still 42" not in t.screen()), f"{name}, fg: all of it, at the new size", t.screen)
        ok(wait_until(lambda: stat_of(pid)[0] != "T" and working()), f"{name}, fg: the load works on", lambda: states(pid))
        ok(measure(), f"{name}, fg: and so does the measuring")
        t.resize(100, 30)

    # kill -STOP can't be answered, but its time is no latency either
    os.kill(pid, signal.SIGSTOP)
    ok(wait_until(lambda: stat_of(pid)[0] == "T"), "kill -STOP stops it")
    time.sleep(STOPPED_S)
    os.kill(pid, signal.SIGCONT)
    t.type("fg\n")
    ok(wait_until(lambda: stat_of(pid)[0] != "T") and t.wait_for("disk-copy"), "and it goes on", t.screen)
    measure()
    t.keys("C-l")
    ok(t.wait_for("disk-copy"), "with its picture", t.screen)
    t.keys("q")
    ok(wait_until(lambda: not stat_of(pid)), "q ends it")
    wait_until(lambda: t.ask("#{alternate_on}") == "0")
    ok(wait_until(lambda: modes(t) == before), "and the terminal's modes are as before", lambda: modes(t))

summary, gaps = {}, 0
for line in open(RECORDING, encoding="utf-8"):
    record = json.loads(line)
    summary = record if record["type"] == "summary" else summary
    gaps += record["type"] == "event" and record["event"] == "gap"
probe = (summary.get("probes") or [{}])[0]
ok(0 < (probe.get("max_ns") or 0) < STOPPED_S * 1e9 * 0.8, "the stopped time is not latency", summary)
ok(gaps >= 2, "but a gap that the recording tells of", gaps)
no_leftovers("nothing runs on")
done()
