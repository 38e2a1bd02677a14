"""A setting to turn, for tests of A and B: a file that holds one word."""
import os

from tap import TMP

KNOB = os.path.join(TMP, "knob")


def setting():
    with open(KNOB, encoding="ascii") as f:
        return f.read().strip()


def set_to(v):
    with open(KNOB, "w", encoding="ascii") as f:
        f.write(v + "\n")
