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

# Program, then what the report must say, as patterns: the verdict or its share, the advice, and the line to blame.
PURE = {
    "sleep": ("""
import time
def throttle(): time.sleep(.02)
for _ in range(40): sum(range(50000)); throttle()
""", ["sleeping", r"It sleeps:.*Most of it in sleep_plant\.py:3: throttle \u2192 time\.sleep"]),
    "lock": ("""
import threading, time
lock = threading.Lock()
def hold():
    for _ in range(15):
        with lock: time.sleep(.01)
threads = [threading.Thread(target=hold) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
""", [r"its 4 threads in lock_plant\.py\(4\): hold, the mean one: waiting for a lock",
      r"It waits for other threads:.*Most of it in lock_plant\.py:6: hold \u2192 with lock",
      r"Meanwhile others were most in lock_plant\.py:6: hold \u2192 time\.sleep"]),
    "gil": ("""
import threading
def spin(n):
    s = 0
    for i in range(n): s += i
threads = [threading.Thread(target=spin, args=(3_000_000,)) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
""", [r"Verdict: bound by the lock of Python's interpreter \(GIL\)", r"Its threads run Python.*gil_plant\.py:5: spin"]),
    "network": ("""
import socket, threading, time
a, b = socket.socketpair()
def serve():
    for _ in range(30): data = b.recv(10); time.sleep(.03); b.send(data)
def ask(): a.send(b"x"); a.recv(10)
threading.Thread(target=serve).start()
for _ in range(30): ask()
""", ["waiting for the network", r"Read and write in a thread of its own.*network_plant\.py:6: ask \u2192 a\.recv"]),
    "child": ("""
import subprocess, sys
SLOW = chr(10).join(["import time", "def slow():", "    time.sleep(.3)", "slow()"])
def convert(): subprocess.run([sys.executable, "-c", SLOW])
for _ in range(4): convert()
""", ["waiting for a child", r"The work is in a process that it started.*child_plant\.py:4: convert",
      r"Meanwhile others were most in <string>:3: slow"]),
    "print": ("""
import os, sys
def log(i): print("step", i, "loss", i * .1, flush=True)
sys.stdout = open(os.devnull, "w")
for i in range(150_000): log(i)
""", [r"It writes messages:.*print_plant\.py:3: log \u2192 print"]),
    "collection": ("""
import gc
keep = [[{"a": [i]}] for i in range(200_000)]
def tidy(): gc.collect()
for _ in range(12): tidy()
""", [r"It collects garbage by hand:.*collection_plant\.py:4: tidy \u2192 gc\.collect"]),
    "loop": ("""
import asyncio, time
def render(): time.sleep(.03)
async def handle():
    for _ in range(30): await asyncio.sleep(.001); render()
async def main(): await asyncio.gather(handle(), asyncio.sleep(.2))
asyncio.run(main())
""", [r"A call blocks the event loop.*loop_plant\.py:3: render \u2192 time\.sleep"]),
    "pool": ("""
from concurrent.futures import ThreadPoolExecutor
import time
def fetch(i): time.sleep(.05)
with ThreadPoolExecutor(2) as pool: list(pool.map(fetch, range(40)))
""", [r"its 2 threads in concurrent/futures/thread\.py\(\d+\): _worker, the mean one: sleeping",
      r"It sleeps:.*pool_plant\.py:4: fetch \u2192 time\.sleep"]),
    "server": ('''
import subprocess, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self): self.query(); self.send_response(200); self.end_headers()
    def query(self): time.sleep(.03)
    def log_message(self, *a): pass
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
ask = f"""import socket
for _ in range(40):
    with socket.create_connection(("127.0.0.1", {server.server_port})) as s: s.sendall(b"GET / HTTP/1.0" + bytes((13, 10, 13, 10))); s.recv(9)"""
client = subprocess.Popen([sys.executable, "-c", ask])
threading.Thread(target=lambda: (client.wait(), server.shutdown())).start()
server.serve_forever()
''', [r"threads in socketserver\.py\(\d+\): \S*process_request_thread, the mean one: sleeping",
      r"It sleeps:.*server_plant\.py:6: Handler\.query \u2192 time\.sleep"]),
}


class Plants(Case):
    def setUp(self):
        super().setUp()
        if not re.search(r"Python stacks +by sampling", DOCTOR) or not re.search(r"Thread states +every", DOCTOR):
            self.skipTest("this machine lets neither stacks nor states be seen")

    def report(self, *command):
        out = self.folder / "plant.json"
        done = subprocess.run([LACUNA, "record", "-q", "--force", "-o", out, "--", *command], capture_output=True,
                              text=True, env=clean_environment(), cwd=self.folder)
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

    def test_cpu_quota(self):
        group = pathlib.Path("/sys/fs/cgroup/cpu", f"lacuna-plant-{os.getpid()}")
        try:
            group.mkdir()
            self.addCleanup(group.rmdir)
            (group / "cpu.cfs_period_us").write_text("100000")
            (group / "cpu.cfs_quota_us").write_text("20000")
        except OSError as error:
            self.skipTest(f"no CPU quota can be set here: {error}")
        path = self.folder / "quota_plant.py"
        path.write_text("""
import os, sys
open(sys.argv[1] + "/cgroup.procs", "w").write(str(os.getpid()))
def crunch(n):
    s = 0
    for i in range(n): s += i * i
for _ in range(12): crunch(1_200_000)
open("/sys/fs/cgroup/cpu/cgroup.procs", "w").write(str(os.getpid()))
""")
        report = self.report(os.path.realpath(sys.executable), str(path), str(group))
        self.assertRegex(report, r"The CPU quota of its cgroup is 0\.2 CPUs")
        self.assertRegex(report, r"The container's CPU quota is used up.*quota_plant\.py:6: crunch")

    def test_loops_with_operators(self):
        python = os.environ.get("LACUNA_TORCH_PYTHON", sys.executable)
        if not PLANTS.is_dir() or subprocess.run([python, "-c", "import torch"], capture_output=True).returncode != 0:
            self.skipTest("no PyTorch here (LACUNA_TORCH_PYTHON), or no ../shared")
        for kind, pattern in (("sleep", r'in the state "waiting: sleep"; most in [^;]*throttle \u2192 time\.sleep'),
                              ("json", r"save_metrics")):
            report = self.report(python, str(PLANTS / "gap.py"), kind)
            self.assertRegex(report, pattern, f"{kind}:\n{report}")
            self.assertNotIn("The trace does not say what happened in them", report)


if __name__ == "__main__":
    if not LACUNA:
        sys.exit("LACUNA_BIN is not set")
    unittest.main()
