"""Sounds for tests: made with sox, and decoded with the library that the program itself uses."""
import array
import ctypes
import ctypes.util
import subprocess


def make(path, *effects, rate=44100, channels=2):
    """A sound that never repeats itself and is never quite silent, in the format that PATH's ending names."""
    effects = effects or ("synth", "2.5", "pinknoise", "vol", "0.5")
    bits = ["-b", "16"] if path.endswith((".wav", ".flac")) else []
    subprocess.run(["sox", "-R", "-n", "-r", str(rate), "-c", str(channels), *bits, path, *effects], check=True,
                   stderr=subprocess.DEVNULL)
    return path


class _Info(ctypes.Structure):
    _fields_ = [("frames", ctypes.c_int64), ("rate", ctypes.c_int), ("channels", ctypes.c_int), ("format", ctypes.c_int),
                ("sections", ctypes.c_int), ("seekable", ctypes.c_int)]


def decode(path):
    """(rate, channels, samples as an array of 16 bit numbers)"""
    lib = ctypes.CDLL("libsndfile.so.1")
    lib.sf_open.restype = ctypes.c_void_p
    lib.sf_open.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]
    lib.sf_readf_short.restype = ctypes.c_int64
    lib.sf_readf_short.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
    lib.sf_close.argtypes = [ctypes.c_void_p]
    info = _Info()
    f = lib.sf_open(path.encode(), 0x10, ctypes.byref(info))
    lib.sf_command.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
    lib.sf_command(f, 0x10C0, None, 1)  # SFC_SET_CLIPPING
    out = array.array("h")
    buf = (ctypes.c_short * (4096 * info.channels))()
    while (n := lib.sf_readf_short(f, buf, 4096)) > 0:
        out.extend(buf[:n * info.channels])
    lib.sf_close(f)
    return info.rate, info.channels, out


def read(path):
    a = array.array("h")
    with open(path, "rb") as f:
        data = f.read()
    a.frombytes(data[:len(data) // 2 * 2])
    return a
