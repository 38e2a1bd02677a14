"""A bare pseudo-terminal: every byte that a program sends, its modes before and after. For what tmux can't tell."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import threading
import time

from tap import *

ENTER = re.compile(rb"\x1b\[\?1049h")
LEAVE = re.compile(rb"\x1b\[\?1049l")


class Pty:
    """CMD on a terminal of its own, as its controlling one. What it sends is collected in .sent until pause()."""

    def __init__(self, cmd, w=80, h=24, env=None, term="xterm-256color", lang="C.UTF-8", **more):
        self.master, self.slave = pty.openpty()
        self.resize(w, h)
        self.before = termios.tcgetattr(self.slave)
        self.sent = b""
        self.reading = True
        self.gone = False
        where = {"LANG": lang, "LC_ALL": None, "LC_CTYPE": None, "TERM": term, **(env or {})}
        self.p = start(cmd, where, stdin=self.slave, stdout=self.slave, stderr=self.slave,
                       preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), **more)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.p)
        self.close()

    def _read(self):
        while not self.gone:
            if not self.reading:
                time.sleep(0.01)
                continue
            try:
                if select.select([self.master], [], [], 0.05)[0]:
                    self.sent += os.read(self.master, 65536)
            except (OSError, ValueError):
                return

    def pause(self, paused=True):
        """Takes nothing any more, as a terminal that hangs."""
        self.reading = not paused

    def resize(self, w, h):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", h, w, 0, 0))

    def type(self, text):
        os.write(self.master, text if isinstance(text, bytes) else text.encode())

    def wait_for(self, pattern, deadline=DEADLINE):
        return wait_until(lambda: re.search(pattern if isinstance(pattern, bytes) else pattern.encode(), self.sent), deadline)

    def modes(self):
        return termios.tcgetattr(self.slave)

    def ended(self, deadline=DEADLINE):
        """Its exit status (negative: signal), or None where it still runs."""
        wait_until(lambda: self.p.poll() is not None, deadline)
        return self.p.poll()

    def settled(self):
        """All that was sent, once nothing more came for a moment."""
        def quiet():
            n = len(self.sent)
            time.sleep(0.1)
            return n == len(self.sent)
        wait_until(quiet, 5)
        return self.sent

    def restored(self):
        """Why the terminal is not as it was, or ""."""
        sent, why = self.settled(), []
        if self.modes() != self.before:
            why.append(f"modes differ: {self.modes()} were {self.before}")
        for what, on, off in (("alternate screen", b"\x1b[?1049h", b"\x1b[?1049l"), ("mouse", b"\x1b[?1000h", b"\x1b[?1000l"),
                              ("mouse (SGR)", b"\x1b[?1006h", b"\x1b[?1006l"), ("keypad", b"\x1b=", b"\x1b>")):
            if sent.rfind(on) > sent.rfind(off):
                why.append(f"{what} still on")
        if max(sent.rfind(b"\x1b[?25l"), -1) > max(sent.rfind(b"\x1b[?25h"), sent.rfind(b"\x1b[?12l\x1b[?25h")):
            why.append("cursor still hidden")
        return "; ".join(why)

    def close(self):
        self.gone = True
        self.thread.join(1)
        for fd in (self.master, self.slave):
            if fd >= 0:
                os.close(fd)
        self.master = self.slave = -1
