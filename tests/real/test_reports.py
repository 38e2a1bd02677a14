#!/usr/bin/env python3
"""Suites for real at small sizes, comparisons, exports and the page, as a user meets them."""
import json
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import *  # noqa: E402,F403

A, B = os.path.join(TMP, "old kernel.jsonl"), os.path.join(TMP, "b.jsonl")
SMALL = ["--size", "32M", "--settle", "200ms", "--dir", TMP]


def rows(r):
    try:
        return {x["name"]: x for x in json.loads(r.out)["rows"]}
    except ValueError:
        return {}


r = run([STUTTER, "suite", "irman", "--each", "1s", *SMALL, "--json", "--record", A])
irman = rows(r)
equal(list(irman), ["none", "memory", "io", "process"], "irman: its four rows")
ok(r.code == 0 and all(x["valid"] and x["complete"] and x["samples"] > 20 and x["min_ns"] <= x["avg_ns"] <= x["max_ns"] for x in irman.values()),
   "irman: each measured, min <= avg <= max", r)
ok(irman and all(irman[n]["work"] > 0 for n in ("memory", "io", "process")), "irman: each load did its work", r)
r = run([STUTTER, "suite", "latencytest", "none", "3x512B", "--device", "none", "--each", "1s", *SMALL], env={"DISPLAY": None})
ok(r.code == 0 and re.search(r"x11 .*\n.*INVALID: .*X", r.out), "latencytest: a load that cannot run invalidates its row, and says why", r)
ok(all(re.search(rf"^{n} +\d\S+s +\d+ +[\d.]+% +[\d.]+% +[\d.]+% +[\d.]+% ", r.out, re.M) for n in ("procfs", "disk-write", "disk-copy", "disk-read")),
   "latencytest: a row a load", r)
ok("3 x 128 frames at 44100 Hz" in r.out and all(len(x) <= 78 for x in r.out.splitlines()), "latencytest: NxMB in bytes, at most 78 columns", r)
r = run([STUTTER, "suite", "vm", "--device", "none", "--passes", "alloc=2,mmap=2", "--each", "60s", *SMALL, "--json"])
vm = rows(r)
ok(list(vm) == ["alloc", "mmap"] and all(x["passes"] == 2 and x["valid"] and x["bytes"] == 32 << 20 and x["elapsed_s"] > 0 for x in vm.values()),
   "vm: passes and their averages", r)
mine = os.path.join(TMP, "mine.suite")
with open(mine, "w", encoding="utf-8") as f:
    f.write("title = mine\ntable = contest\nprobe = job\njobs = 2\neach = 60s\n[none]\n[busy]\nload = burn\n")
r = run([STUTTER, "suite", mine, *SMALL, "--json"])
job = rows(r)
ok(list(job) == ["none", "busy"] and all(x["jobs"] == 2 and x["time_s"] > 0 for x in job.values()) and job["none"]["ratio"] == 1 and job["busy"]["ratio"] > 0,
   "contest: one's own suite from a file", r)
p = start([STUTTER, "suite", "irman", "--each", "30s", *SMALL], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
wait_until(lambda: len(descendants(p.pid)) > 0)
import time  # noqa: E402
time.sleep(1)
p.send_signal(signal.SIGINT)
out, err = (x.decode() for x in p.communicate(timeout=60))
ok(p.returncode == 0 and "ENDED EARLY" in out and "none" in out, "^C ends a suite with what it has, marked", out + err)
ok("\x1b" not in out and not err, "no progress line where standard error is no terminal", err)
for args, what in ((["nobody"], "nobody"), (["irman", "--each", "0"], "each"), ([], "name")):
    r = run([STUTTER, "suite", *args])
    ok(r.code == 2 and r.err.count("\n") == 1 and what in r.err, f"suite {' '.join(args)}: wrong use is one line", r)
no_leftovers("nothing is left of suites")

# Comparisons.
run([STUTTER, "run", "--for", "4s", "--record", A, "--probe", "timer,echo"])
run([STUTTER, "run", "--for", "4s", "--record", B, "--probe", "timer,echo", "--interval", "2ms", "--policy", "other"])
r = run([STUTTER, "compare", A, B], env={"LC_ALL": "de_DE.UTF-8"})
ok(r.code == 0 and all(len(x) <= 78 for x in r.out.splitlines()) and "\x1b" not in r.out, "compare: plain text of at most 78 columns", r)
ok("timer policy" in r.out and "timer period" in r.out and "NOT A FAIR COMPARISON" in r.out, "compare: says first what differs, and that it is not fair", r)
ok(re.search(r"^  old kernel +\S+s +\S+s", r.out, re.M) and re.search(r"^  b +\S+s", r.out, re.M), "compare: a row a recording", r)
r = run([STUTTER, "compare", A, A, A])
ok(r.code == 0 and "same" in r.out and "NOT A FAIR" not in r.out and r.out.count("old kernel") >= 6, "compare: three, and the same is the same", r)
r = run([STUTTER, "compare", "--json", A, B])
ok(r.code == 0 and json.loads(r.out)["comparisons"][0]["fair"] is False, "compare --json", r)
r = run([STUTTER, "compare", A])
ok(r.code == 2 and r.err.count("\n") == 1, "compare wants two", r)

# Exports.
s = json.loads(run([STUTTER, "export", A, "--json"]).out)
n = [p["samples"] + p["missed"] for p in s["probes"]]
r = run([STUTTER, "export", A, "--format", "hist"], env={"LC_ALL": "de_DE.UTF-8"})
counts = [list(map(int, x.split())) for x in r.out.splitlines() if not x.startswith("#")]
equal([sum(c[1 + i] for c in counts) for i in range(len(n))], n, "export hist: the counts are all values")
ok([c[0] for c in counts] == sorted({c[0] for c in counts}) and counts[-1][0] == max(p["max_ns"] for p in s["probes"]) // 1000,
   "export hist: microseconds rise to the maximum")
r = run([STUTTER, "export", A, "--format", "csv"], env={"LC_ALL": "de_DE.UTF-8"})
head, *body = [x.split(",") for x in r.out.splitlines()]
late = [x for x in body if x[1] == "timer" and x[2] == "late" and x[9] == "0"]
ok(all(len(x) == len(head) for x in body), "export csv: every line has every column")
equal((sum(int(x[3]) for x in late), max(int(x[7]) for x in late)), (s["probes"][0]["samples"], s["probes"][0]["max_ns"]), "export csv: its figures are the summary's")
om = os.path.join(TMP, "x.prom")
r = run([STUTTER, "export", A, "--format", "openmetrics", "-o", om])
text = open(om, encoding="utf-8").read()
families = re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M)
ok(r.code == 0 and text.endswith("# EOF\n") and len(families) == len({x for x, _ in families}), "export openmetrics: ends with # EOF, each family once")
ok(all(re.match(r"^[a-z_]+(\{([a-z_]+=\"([^\"\\\n]|\\.)*\",?)+\})? [-+0-9.e]+$", x) for x in text.splitlines() if not x.startswith("#")),
   "export openmetrics: every sample is well formed", text)
ok(f'stutter_latency_seconds_count{{probe="timer"}} {n[0]}\n' in text, "export openmetrics: the summary's count")

# The page. A recording from anyone: its names are text, never markup.
evil = os.path.join(TMP, "evil.jsonl")
with open(A, encoding="utf-8") as f, open(evil, "w", encoding="utf-8") as g:
    for i, line in enumerate(f):
        j = json.loads(line)
        if i == 0:
            j["host"]["name"] = "<script>alert(1)</script>\"'&"
            j["probes"][0]["label"] = "<img src=x onerror=alert(1)>"
        g.write(json.dumps(j) + "\n")
page = os.path.join(TMP, "x.html")
r = run([STUTTER, "report", A, evil, "-o", page])
html = open(page, encoding="utf-8").read()
ok(r.code == 0 and html.count("<svg") >= 4 and "prefers-color-scheme:dark" in html and "@media print" in html, "report: graphs, dark, light and print", r)
ok("<script" not in html and "<img" not in html and not re.search(r"<[^>]*(src|href)=|https?://|url\(|@import", html), "report: nothing fetched, nothing run, hostile names escaped")
ok("&lt;script&gt;" in html and not re.search(r"nan|inf[ \"L]", re.sub(r"<title>.*?</title>", "", html)), "report: every coordinate is a number")
chromium = shutil.which("chromium") or shutil.which("chromium-browser")
if chromium:
    png = os.path.join(TMP, "x.png")
    r = run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=420,1600", f"--user-data-dir={TMP}/chrome",
             f"--screenshot={png}", "file://" + page], deadline=120)
    ok(os.path.exists(png) and os.path.getsize(png) > 20000, "report: a browser draws it", r)
else:
    skip("report: a browser draws it", "no chromium")
done()
