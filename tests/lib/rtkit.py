"""A RealtimeKit for tests: speaks the D-Bus wire protocol on a socket of its own, and really gives threads SCHED_RR."""
import os
import socket
import struct
import threading

LIMITS = {"MaxRealtimePriority": ("i", 20), "RTTimeUSecMax": ("x", 200000)}
WIDTH = {"u": ("<I", 4), "i": ("<i", 4), "t": ("<Q", 8), "x": ("<q", 8)}


def _pad(data, to):
    return data + b"\0" * (-len(data) % to)


def _string(data, s):
    return _pad(data, 4) + struct.pack("<I", len(s)) + s.encode() + b"\0"


def _field(data, code, signature, value):
    data = _pad(data, 8) + bytes([code, 1]) + signature.encode() + b"\0"
    return _pad(data, 4) + struct.pack("<I", value) if signature == "u" else _string(data, value)


def _reply(serial, to, signature="", body=b"", error=None):
    fields = _field(b"", 5, "u", to)
    if error:
        fields = _field(fields, 4, "s", error)
    if signature:
        fields = _pad(fields, 8) + bytes([8, 1]) + b"g\0" + bytes([len(signature)]) + signature.encode() + b"\0"
    head = struct.pack("<cBBBIII", b"l", 3 if error else 2, 1, 1, len(body), serial, len(fields)) + fields
    return _pad(head, 8) + body


def _read_exactly(c, n):
    data = b""
    while len(data) < n:
        part = c.recv(n - len(data))
        if not part:
            raise ConnectionError
        data += part
    return data


def _message(c):
    """(serial, member, body) of the next message."""
    head = _read_exactly(c, 16)
    length, serial, fields = struct.unpack("<III", head[4:])
    fields = _read_exactly(c, (fields + 7) // 8 * 8)
    body = _read_exactly(c, length)
    at, member = 0, ""
    while at + 4 < len(fields):
        at = (at + 7) // 8 * 8
        code, kind = fields[at], fields[at + 2:at + 3]
        at += 4
        if kind == b"g":
            at += fields[at] + 2
            continue
        at = (at + 3) // 4 * 4
        value = struct.unpack_from("<I", fields, at)[0]
        at += 4
        if kind in b"so":
            if code == 3:
                member = fields[at:at + value].decode()
            at += value + 1
    return serial, member, body


class RealtimeKit:
    """WAY: "gives", "refuses", or "hangs" (takes connections and never answers). `asked`: what it was asked for."""

    def __init__(self, folder, way="gives"):
        self.way, self.asked = way, []
        path = os.path.join(folder, "bus-" + way)
        self.address = "unix:path=" + path
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(path)
        os.chmod(path, 0o777)
        self.listening.listen(8)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            c = self.listening.accept()[0]
            threading.Thread(target=self._talk, args=(c,), daemon=True).start()

    def _talk(self, c):
        try:
            self._greet(c)
            serial = 1
            while True:
                to, member, body = _message(c)
                serial += 1
                c.sendall(self._answer(serial, to, member, body))
        except (ConnectionError, OSError):
            c.close()

    def _greet(self, c):
        line = b""
        while True:
            part = c.recv(1)
            if not part:
                raise ConnectionError
            line += part
            if not line.endswith(b"\r\n"):
                continue
            word = line.strip(b"\0\r\n")
            line = b""
            if self.way == "hangs":
                continue
            if word.startswith(b"AUTH"):
                c.sendall(b"OK 0123456789abcdef0123456789abcdef\r\n")
            elif word.startswith(b"NEGOTIATE"):
                c.sendall(b"ERROR\r\n")
            elif word == b"BEGIN":
                return

    def _answer(self, serial, to, member, body):
        if member == "Hello":
            return _reply(serial, to, "s", _string(b"", ":1.1"))
        if member == "Get":
            signature, value = next(v for k, v in LIMITS.items() if k.encode() in body)
            form, width = WIDTH[signature]
            variant = bytes([1]) + signature.encode() + b"\0"
            return _reply(serial, to, "v", _pad(variant, width) + struct.pack(form, value))
        if member == "MakeThreadRealtime" and self.way == "gives":
            tid, priority = struct.unpack("<QI", body[:12])
            self.asked.append((tid, priority))
            os.sched_setscheduler(tid, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(priority))
            return _reply(serial, to)
        return _reply(serial, to, "s", _string(b"", "no"), "org.freedesktop.DBus.Error.AccessDenied")
