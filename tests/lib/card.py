"""A sound card for tests: the project's own ALSA plugin (tests/ioplug), with faults switched on and off from here.

    card = Card()
    r = run([STUTTER, "run", "--device", card.device], env=card.env)
    card.GONE = 1
"""
import mmap
import os
import re
import struct
import tempfile

from tap import BUILD, TMP, TOP

PLUGIN = os.path.join(BUILD, "tests", "ioplug", "libasound_module_pcm_stutter.so")


def _fields():
    text = open(os.path.join(TOP, "tests", "ioplug", "page.h")).read()
    body = re.sub(r"//.*", "", text[text.index("enum page_field {") + 17:text.index("};")])
    fields, n = {}, 0
    for item in (i.strip() for i in body.split(",")):
        if not item:
            continue
        name, _, value = (p.strip() for p in item.partition("="))
        if value:
            base, _, more = value.partition("+")
            n = fields[base.strip()[5:]] + int(more)
        fields[name[5:]] = n
        n += 1
    return fields


FIELDS = _fields()


class Card:
    """One card, called `card` in an ALSA configuration of its own. CAPTURE: file that keeps what it played."""

    def __init__(self, name="card", capture=None, more=""):
        d = tempfile.mkdtemp(dir=TMP)
        path = os.path.join(d, "page")
        with open(path, "wb") as f:
            f.write(bytes(8 * FIELDS["FIELDS"]))
        with open(path, "r+b") as f:
            object.__setattr__(self, "_page", mmap.mmap(f.fileno(), 0))
        conf = os.path.join(d, "asound.conf")
        with open(conf, "w") as f:
            f.write("</usr/share/alsa/alsa.conf>\n"
                    f'pcm_type.stutter {{ lib "{PLUGIN}" }}\n'
                    f'pcm.{name} {{ type stutter page "{path}"'
                    + (f' capture "{capture}"' if capture else "")
                    + ' hint { show on description "a card of the tests" } }\n' + more)
        object.__setattr__(self, "device", name)
        object.__setattr__(self, "env", {"ALSA_CONFIG_PATH": conf})

    def __getattr__(self, name):
        return struct.unpack_from("q", self._page, 8 * FIELDS[name])[0]

    def __setattr__(self, name, value):
        struct.pack_into("q", self._page, 8 * FIELDS[name], value)

    def silences(self):
        """The lengths of the last drop-outs in ns, as the card itself saw them."""
        n = min(self.DRY, 64)
        return sorted(struct.unpack_from("q", self._page, 8 * (FIELDS["SILENCE"] + i))[0] for i in range(n))


class Watch:
    """`stutter run --record -` as it goes on: what its first probe says of itself, and the events."""

    def __init__(self, args, env=None):
        import json
        import subprocess
        import threading
        import tap
        self.facts, self.events, self.ticks, self.header = {}, [], 0, None
        self.p = tap.start([tap.STUTTER, "run", "--record", "-"] + args, env=env, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)

        def follow():
            for line in self.p.stdout:
                j = json.loads(line)
                if j["type"] == "header":
                    self.header = j
                    self.facts.update(j["probes"][0].get("facts", {}))
                elif j["type"] == "tick":
                    self.ticks += 1
                    self.facts.update(j["probes"][0].get("facts", {}))
                elif j["type"] == "event":
                    self.events.append(j)

        self.thread = threading.Thread(target=follow, daemon=True)
        self.thread.start()

    def state(self):
        """off, starting, running, lost or failed"""
        return ["off", "starting", "running", "lost", "failed"][self.facts.get("state", 0)]

    def until(self, state, deadline=30):
        import tap
        return tap.wait_until(lambda: self.state() == state, deadline)

    def end(self):
        import signal
        if self.p.poll() is None:
            self.p.send_signal(signal.SIGINT)
        try:
            self.p.wait(20)
        except Exception:
            self.p.kill()
            self.p.wait()
        self.thread.join(5)
