"""Instructions that a sample takes on its way, counted by callgrind."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, TMP, run

EACH, TICKS = 100, 1000  # as a probe at 1 ms


def count(*functions):
    """Instructions in FUNCTIONS and below, a sample. None where valgrind can't run."""
    r = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={TMP}/cg", "--collect-atstart=no",
             *[f"--toggle-collect={f}" for f in functions],
             os.path.join(BUILD, "tests/sample_way"), str(EACH), str(TICKS)])
    m = re.search(r"Collected : (\d+)", r.err)
    if r.code or not m or r.out.strip() != str(EACH * TICKS):
        return None
    return int(m[1]) / (EACH * TICKS)


def costs():
    """What each part costs a sample, by name; {} where valgrind can't run."""
    parts = {"record": "record", "pop and add": "take_samples", "series": "series_add", "slice": "dist_take_slice",
             "total": "dist_add_slice", "window": "window_add"}
    found = {name: count(function) for name, function in parts.items()}
    return {} if None in found.values() else found
