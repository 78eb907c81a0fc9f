#!/usr/bin/env python3
"""`lacuna attach PID`: what is seen from outside of a program that was started without Lacuna, and what is said of it."""
import collections
import resource
import signal
import subprocess
import sys
import unittest

from record_support import LACUNA, Case, clean_environment, load
from waiting import wait_until

SCRIPT = '''
import sys, threading, time
def spin(until):
    while time.monotonic() < until:
        sum(range(2000))
def rest():
    time.sleep(float(sys.argv[1]))
threading.Thread(target=rest, name="rester").start()
print("ready", flush=True)
spin(time.monotonic() + float(sys.argv[1]))
'''


class AttachProcess(Case):
    def start(self, *command, wait="ready\n", **more):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=clean_environment(**more))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        if wait:
            self.assertEqual(process.stdout.readline(), wait)
        return process

    def script(self, seconds):
        path = self.folder / "spin.py"
        path.write_text(SCRIPT)
        return self.start(sys.executable, path, str(seconds))

    def attach(self, *arguments, code=0):
        done = subprocess.run([LACUNA, "attach", *map(str, arguments)], capture_output=True, text=True, timeout=60,
                              env=clean_environment())
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_stacks_and_states_from_outside(self):
        process = self.script(30)
        out = self.folder / "out.json"
        done = self.attach(process.pid, "-o", out, "--duration", "1.5s")
        self.assertEqual(done.stdout, f"{out}\n")
        self.assertIsNone(process.poll())
        trace = load(out)
        slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
        states = collections.Counter(e["name"] for e in slices if 1_000_000_000 <= e["tid"] < 2_000_000_000)
        self.assertTrue(states, slices[:3])
        if "may not be read" in done.stderr:
            self.skipTest("this kernel does not let us read its stacks")
        spun = sum(e["dur"] for e in slices if e["name"].endswith("spin") and e["tid"] == 2_000_000_000 + process.pid)
        self.assertGreater(spun, 0.7e6)
        rested = sum(e["dur"] for e in slices if e["name"].endswith("rest") and e["tid"] > 2_000_000_000)
        self.assertGreater(rested, 0.7e6)

    def test_until_it_ends_or_ctrl_c(self):
        process = self.script(1)
        done = self.attach(process.pid, "-o", self.folder / "a.json.gz")
        self.assertIn(f"process {process.pid} has ended", done.stderr)
        self.info(self.folder / "a.json.gz")
        process = self.script(30)
        looking = subprocess.Popen([LACUNA, "attach", str(process.pid), "-o", self.folder / "b.json"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment())
        self.assertIn("looking at", looking.stderr.readline())
        written = self.folder / "b.json"
        wait_until(lambda: written.exists() and b'"X"' in written.read_bytes(), "a slice")
        looking.send_signal(signal.SIGINT)
        looking.communicate(timeout=20)
        self.assertEqual(looking.returncode, 0)
        self.assertIsNone(process.poll())
        self.assertTrue(load(self.folder / "b.json")["traceEvents"])

    def test_a_full_disk(self):
        """Nothing empty is left, and what was there stays."""
        def full():
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        process = self.script(30)
        old = self.folder / "old.json"
        self.attach(process.pid, "-o", old, "--duration", "300ms")
        before = old.read_bytes()
        for out in (old, self.folder / "new.json", self.folder / "new.json.gz"):
            done = subprocess.run([LACUNA, "attach", str(process.pid), "-o", out, "--duration", "1s"], text=True,
                                  capture_output=True, timeout=60, env=clean_environment(), preexec_fn=full)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("File too large", done.stderr)
        self.assertEqual(old.read_bytes(), before)
        self.assertEqual(sorted(p.name for p in self.folder.glob("*.json*")), ["old.json"])

    def test_what_can_be_done(self):
        process = self.start("sleep", "30", wait="")
        said = self.attach(process.pid, code=1).stderr
        self.assertIn("has neither Lacuna's collector nor PyTorch's KINETO_USE_DAEMON=1", said)
        self.assertIn(f"lacuna attach {process.pid} -o FILE", said)
        job = self.start("sleep", "30", wait="", KINETO_USE_DAEMON="1", KINETO_IPC_SOCKET_DIR="")
        self.assertIn(f"lacuna request {job.pid} --duration 2s", self.attach(job.pid, code=1).stderr)
        self.assertIn("there is no such process", self.attach(2 ** 22 - 1, code=1).stderr)
        self.assertIn("-o is for a process", self.attach("name", "-o", "x", code=1).stderr)
        (self.folder / "mine.txt").write_text("text")
        self.attach(process.pid, "-o", self.folder / "mine.txt", "--duration", "1s", code=1)
        self.assertEqual((self.folder / "mine.txt").read_text(), "text")


if __name__ == "__main__":
    unittest.main(verbosity=2)
