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
