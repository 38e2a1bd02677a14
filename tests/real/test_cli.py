#!/usr/bin/env python3
"""The command line as a person meets it: help, lists, the manual's coverage, and what is refused."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import *

QUIET = {"XDG_CONFIG_HOME": TMP, "DISPLAY": None}


def listed(what):
    r = run([STUTTER, "list", what, "--json"], env=QUIET)
    ok(r.code == 0, f"list {what} --json", repr(r))
    return json.loads(r.out) if r.code == 0 else []


r = run([STUTTER, "--version"], env=QUIET)
ok(r.code == 0 and r.out.startswith("stutter "), "--version", repr(r))
r = run([STUTTER, "--help"], env=QUIET)
ok(r.code == 0 and "usage: stutter" in r.out and "--interval" in r.out and "headroom" in r.out, "--help", repr(r))
for c in ("run", "suite", "view", "ab", "compare", "report", "export", "headroom", "list"):
    r = run([STUTTER, c, "--help"], env=QUIET)
    ok(r.code == 0 and f"usage: stutter {c}" in r.out, f"{c} --help", repr(r))

with open(os.path.join(TOP, "man", "stutter.1"), encoding="utf-8") as f:
    # macros and escapes away: what is left is text to look in
    manual = f.read().replace("\\&", "").replace("\\-", "-")
words = set(manual.replace(",", " ").split())
loads, probes = listed("loads"), listed("probes")
for what, mark in ((probes, "name"), (loads, "name"), (listed("suites"), "name")):
    for row in what:
        ok(row[mark] in words, f"the manual knows {row[mark]}")
for row in listed("options"):
    ok("-" + row["name"] in words, f"the manual knows --{row['name']}")
for row in listed("keys"):
    ok(row["does"] and row["keys"], f"key {row['name']} is described")
    ok(any(row["keys"] in line for line in manual.splitlines()), f"the manual knows the key {row['keys']}")
shm = set(os.listdir("/dev/shm"))
r = run([STUTTER, "list", "devices", "--json"], env=QUIET)
ok(r.code == 0 and any(d["name"] == "none" for d in json.loads(r.out)) and not r.err, "list devices, and no library speaks", repr(r))
equal(set(os.listdir("/dev/shm")) - shm, set(), "no library leaves shared memory behind")
ok(len(listed("themes")) >= 8 and len(listed("roles")) > 20, "themes and roles are listed")
r = run([STUTTER, "list", "loads"], env=QUIET)
ok(r.code == 0 and all(row["does"] in r.out for row in loads) and "\x1b" not in r.out, "list loads as text")
for key, name in zip("1234567890", ("memory", "io", "process", "x11", "procfs", "disk-write", "disk-copy", "disk-read", "mmap", "alloc")):
    ok(any(row["key"] == key and row["name"] == name for row in loads), f"key {key} is {name}")
r = run(["mandoc", "-T", "lint", "-W", "error", os.path.join(TOP, "man", "stutter.1")])
ok(r.code == 0, "the manual is well-formed", repr(r))

BAD = [
    (["--frobnicate"], "frobnicate"), (["frobnicate"], "frobnicate"), (["run", "--load", "gravity"], "memory"),
    (["run", "--interval", "1us"], "10us to 10s"), (["run", "--interval", "1h"], "10us to 10s"),
    (["run", "--interval", "abc"], "abc"), (["run", "--cpus", "9999"], "9999"), (["run", "--probe", "sonar"], "timer"),
    (["run", "--policy", "fifo:100"], "99"), (["run", "--for"], "wants a value"), (["--theme"], "wants a value"),
    (["list"], "list what"), (["list", "planets"], "planets"), (["run", "--load", "memory:65"], "1 to 64"),
    (["run", "--play", "/nonexistent/x.wav"], "/nonexistent/x.wav"),
]
for args, says in BAD:
    r = run([STUTTER] + args, env=QUIET)
    lines = r.err.splitlines()
    ok(r.code == 2 and len(lines) == 1 and says in r.err and not r.out and "\x1b" not in r.err,
       f"refused in one line: {' '.join(args)}", repr(r))
r = run([STUTTER, "--theme", "no-such-theme"], env={**QUIET, "TERM": "xterm"})
ok(r.code in (1, 2) and len(r.err.splitlines()) == 1, "an unknown theme is one line", repr(r))
r = run([STUTTER], env=QUIET)
ok(r.code == 1 and len(r.err.splitlines()) == 1 and "terminal" in r.err and "\x1b" not in r.err + r.out,
   "the monitor without a terminal says so in one line", repr(r))
r = run(f"{STUTTER} list keys > /dev/full", env=QUIET)
ok(r.code == 1 and len(r.err.splitlines()) == 1, "a full disk under list is said", repr(r))
done()
