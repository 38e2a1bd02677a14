#!/usr/bin/env python3
"""Through a sound server: PulseAudio with a null sink, private to this test. It is named, stopped, killed and started again."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
from card import Watch
from tap import *

if not shutil.which("pulseaudio"):
    skip_all("no pulseaudio here (make check-deps)")

SOCKET = os.path.join(TMP, "pulse.sock")
CONF = os.path.join(TMP, "asound.conf")
ENV = {"ALSA_CONFIG_PATH": CONF, "HOME": TMP, "XDG_RUNTIME_DIR": TMP, "PULSE_RUNTIME_PATH": TMP, "PULSE_STATE_PATH": TMP,
       "PULSE_COOKIE": os.path.join(TMP, "cookie"), "DBUS_SESSION_BUS_ADDRESS": "none:", "XDG_CONFIG_HOME": TMP}
with open(CONF, "w") as f:
    f.write("</usr/share/alsa/alsa.conf>\n"
            f'pcm.server {{ type pulse server "unix:{SOCKET}" }}\n')


def serve():
    p = start(["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disallow-exit",
               "--realtime=no", "--high-priority=no", "-L", f"module-native-protocol-unix socket={SOCKET} auth-anonymous=1",
               "-L", "module-null-sink sink_name=null rate=44100 norewinds=1"], env=ENV,
              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: os.path.exists(SOCKET) or p.poll() is not None)
    return p


def busy(pid):
    """CPU seconds of a process."""
    with open(f"/proc/{pid}/stat") as f:
        s = f.read().rsplit(")", 1)[1].split()
    return (int(s[11]) + int(s[12])) / os.sysconf("SC_CLK_TCK")


def cpu_pct(w, seconds=2.0):
    a, t = busy(w.p.pid), time.monotonic()
    time.sleep(seconds)  # a span to measure over, not a wait for anything
    return (busy(w.p.pid) - a) / (time.monotonic() - t) * 100


server = serve()
w = Watch(["--probe", "audio", "--device", "server", "--buffer", "4x512", "--rate", "44100", "--for", "120s"], env=ENV)
ok(w.until("running"), "it plays through a sound server", lambda: w.facts)
wait_until(lambda: w.facts.get("played_s", 0) > 1.5)
ok(w.facts["played_s"] > 1.5, "and the server's clock counts", w.facts)
ok(w.facts["hardware"] == 0 and w.facts["doubts"] & 2 and "Pulse" in w.facts["reason"], "the server is named, and that it is no hardware", w.facts)
ok(w.facts["rate"] == 44100, "with what was granted", w.facts)

server.send_signal(signal.SIGSTOP)
since = time.monotonic()
ok(w.until("lost"), "a stopped server is seen", lambda: w.facts)
took = time.monotonic() - since
ok(took < 3, "soon", f"{took} s")
pct = cpu_pct(w)
ok(pct < 5, "and costs next to nothing", f"{pct} %")
server.send_signal(signal.SIGCONT)
ok(w.until("running"), "it goes on when the server does", lambda: w.facts)

end(server)
ok(w.until("lost"), "a killed server is seen", lambda: w.facts)
pct = cpu_pct(w)
ok(pct < 5, "and costs next to nothing", f"{pct} %")
os.path.exists(SOCKET) and os.unlink(SOCKET)
server = serve()
ok(w.until("running"), "it finds the next server by itself", lambda: w.facts)
played = w.facts["played_s"]
ok(wait_until(lambda: w.facts["played_s"] > played + 1), "and plays on", lambda: w.facts)
ok(w.facts["silent_s"] > 3, "the silence is on the account", w.facts)

# Opening a stopped server hangs: the rest does not
w.end()
server.send_signal(signal.SIGSTOP)
since = time.monotonic()
r = run([STUTTER, "run", "--probe", "audio,timer", "--device", "server", "--for", "2s", "--json"], env=ENV, deadline=60)
took = time.monotonic() - since
server.send_signal(signal.SIGCONT)
probes = {p["name"]: p for p in json.loads(r.out)["probes"]} if r.out else {}
ok(r.code == 0 and probes["timer"]["samples"] > 500, "a server that does not answer holds nothing else up", r)
ok(probes and probes["audio"]["state"] == "lost" and "answer" in probes["audio"]["reason"], "and it is said", r)
ok(took < 12, "it ends all the same", f"{took} s")
end(server)
no_leftovers("nothing is left")
done()
