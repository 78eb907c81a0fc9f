#!/usr/bin/env python3
"""Programs with a known bottleneck, and whether the report names it and the function to blame.

    LACUNA_BIN=build/dev/app/lacuna tests/capture/plants_test.py
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

from record_support import LACUNA, Case, clean_environment

PLANTS = pathlib.Path(__file__).resolve().parents[3] / "shared/samples/recording"
DOCTOR = subprocess.run([LACUNA, "doctor"], capture_output=True, text=True).stdout if LACUNA else ""

# Program, then what the report must say, as patterns.
PURE = {
    "sleep": ("""
import time
def throttle(): time.sleep(.02)
for _ in range(40): sum(range(50000)); throttle()
""", ["sleeping", "It sleeps:", r"time\.sleep +~"]),
    "lock": ("""
import threading, time
lock = threading.Lock()
def hold():
    for _ in range(15):
        with lock: time.sleep(.01)
threads = [threading.Thread(target=hold) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
""", ["waiting for a lock", "It waits for other threads:", r"hold"]),
    "network": ("""
import socket, threading, time
a, b = socket.socketpair()
def serve():
    for _ in range(30): data = b.recv(10); time.sleep(.03); b.send(data)
def ask(): a.send(b"x"); a.recv(10)
threading.Thread(target=serve).start()
for _ in range(30): ask()
""", ["waiting for the network", "Read and write in a thread of its own", r"a\.recv"]),
    "child": ("""
import subprocess
def pack(): subprocess.run(["sleep", "0.05"])
for _ in range(12): pack()
""", ["waiting for a child", "The work is in a process that it started"]),
}


class Plants(Case):
    def setUp(self):
        super().setUp()
        if not re.search(r"Python stacks +by sampling", DOCTOR) or not re.search(r"Thread states +every", DOCTOR):
            self.skipTest("this machine lets neither stacks nor states be seen")

    def report(self, *command):
        out = self.folder / "plant.json"
        done = subprocess.run([LACUNA, "record", "-q", "--force", "-o", out, "--", *command], capture_output=True,
                              text=True, env=clean_environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run([LACUNA, "report", out], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.sub(r"\n    +", " ", done.stdout)

    def test_pure_python(self):
        # The interpreter itself: a shim of scripts around it would be what is recorded first.
        python = os.path.realpath(sys.executable)
        for name, (program, wanted) in PURE.items():
            path = self.folder / f"{name}_plant.py"
            path.write_text(program)
            report = self.report(python, str(path))
            for pattern in wanted:
                self.assertRegex(report, pattern, f"{name}:\n{report}")

    def test_loops_with_operators(self):
        python = os.environ.get("LACUNA_TORCH_PYTHON", sys.executable)
        if not PLANTS.is_dir() or subprocess.run([python, "-c", "import torch"], capture_output=True).returncode != 0:
            self.skipTest("no PyTorch here (LACUNA_TORCH_PYTHON), or no ../shared")
        for kind, pattern in (("sleep", r'in the state "waiting: sleep"; most in [^;]*throttle \u2192 time\.sleep'),
                              ("json", r"save_metrics")):
            report = self.report(python, str(PLANTS / "gap.py"), kind)
            self.assertRegex(report, pattern, f"{kind}:\n{report}")
            self.assertNotIn("What happened in them the trace does not say", report)


if __name__ == "__main__":
    if not LACUNA:
        sys.exit("LACUNA_BIN is not set")
    unittest.main()
