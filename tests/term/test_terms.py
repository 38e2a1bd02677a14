#!/usr/bin/env python3
"""Any terminal and any locale: a usable screen, or one clear line and nothing started."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import *
from ptys import *

ARGS = [STUTTER, "--probe", "timer"]
BASE = {"XDG_CONFIG_HOME": TMP, "DISPLAY": None, "COLORTERM": None}

# libgpm, which curses loads on the console and lets go of, keeps a few bytes: a sanitizer would count them as ours
NO_LEAKS = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}

for term in ("vt100", "xterm-mono", "vt102", "linux", "screen-256color", "xterm", "xterm-256color", "tmux-256color"):
    with Pty(ARGS, 90, 28, env={**BASE, **(NO_LEAKS if term == "linux" else {})}, term=term) as p:
        ok(p.wait_for("disk-write"), f"TERM={term}: a screen")
        p.type("q")
        equal(p.ended(), 0, f"TERM={term}: q ends it")
        if term in ("vt100", "xterm-mono", "vt102"):
            ok(not re.search(rb"\x1b\[[0-9;]*[34]8;[25];", p.sent), f"TERM={term}: no colours are sent")
for term in ("dumb", "no-such-terminal", "", None):
    with Pty(ARGS, 90, 28, env={**BASE, "TERM": term}, term=term or "") as p:
        equal(p.ended(), 1, f"TERM={term}: exit 1")
        wait_until(lambda: b"\n" in p.sent)
        text = p.sent.decode("utf-8", "replace").strip()
        ok(text.startswith("stutter: ") and "\x1b" not in text and len(text.splitlines()) == 1, f"TERM={term}: one clear line", repr(text))
with Pty(ARGS, 90, 28, env={**BASE, "NO_COLOR": "1"}) as p:
    ok(p.wait_for("disk-write"), "NO_COLOR: a screen")
    ok(not re.search(rb"\x1b\[(3[0-7]|9[0-7]|38)[;m]", p.sent), "NO_COLOR: without colours")
    p.type("q")
    p.ended()
for env, utf8 in (({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True), ({"LANG": "C", "LC_CTYPE": None}, False), ({"LANG": "C.UTF-8", "LC_ALL": "C"}, False)):
    with Pty(ARGS, 90, 28, env={**BASE, **env}, lang=env["LANG"]) as p:
        p.wait_for("disk-write")
        high = any(b >= 0x80 for b in p.sent)
        ok(high == utf8, f"{env}: {'UTF-8' if utf8 else 'ASCII only'}")
        p.type("q")
        equal(p.ended(), 0, f"{env}: ends")
r = run(f"{STUTTER} </dev/null | cat", env=BASE)
ok("\x1b" not in r.out + r.err and len(r.err.splitlines()) == 1, "no terminal: one line, no escape codes", repr(r))
r = run(f"{STUTTER} run --probe timer --for 300ms --json | head -1", env=BASE)
ok(r.code == 0 and r.out.startswith("{") and "\x1b" not in r.out, "run --json | head -1", repr(r))
no_leftovers("nothing runs on")
done()
