#!/usr/bin/env python3
"""`lacuna jobs` and `lacuna request` with unmodified PyTorch programs (CPU). Needs Pythons with torch:
LACUNA_TORCH_PYTHONS (several, joined by ':'), else LACUNA_TORCH_PYTHON, else python3; skipped where none has it.
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

from record_support import LACUNA, Case

TRAIN = """
import sys, time, torch
torch.set_num_threads(1)
model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print("ready", flush=True)
end = time.time() + 240
while time.time() < end:
    optimizer.zero_grad()
    model(torch.ones(8, 64)).sum().backward()
    if "steps" in sys.argv: optimizer.step()
    time.sleep(0.01)
"""


def pythons():
    named = os.environ.get("LACUNA_TORCH_PYTHONS") or os.environ.get("LACUNA_TORCH_PYTHON") or "python3"
    found = [shutil.which(python) for python in named.split(":")]
    return [p for p in found if p and subprocess.run([p, "-c", "import torch"], capture_output=True).returncode == 0]


PYTHONS = pythons()


class KinetoTorch(Case):
    def setUp(self):
        super().setUp()
        # Away from other jobs of this machine.
        (self.folder / "s").mkdir()
        self.environment = {k: v for k, v in os.environ.items() if k not in ("RANK", "WORLD_SIZE", "LOCAL_RANK")}
        self.environment["KINETO_IPC_SOCKET_DIR"] = str(self.folder / "s")

    def start(self, python, *arguments, **more):
        (self.folder / "train.py").write_text(TRAIN)
        process = subprocess.Popen([python, self.folder / "train.py", *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True,
                                   env=dict(self.environment, KINETO_USE_DAEMON="1", **more))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def lacuna(self, *arguments, code=0):
        done = subprocess.run([LACUNA, *map(str, arguments)], capture_output=True, text=True, timeout=200,
                              env=self.environment, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def categories(self, path):
        trace = json.loads(pathlib.Path(path).read_text())
        return collections.Counter(e.get("cat") for e in trace["traceEvents"])

    def test_iterations_then_time_of_one(self):
        for python in PYTHONS:
            with self.subTest(python):
                job = self.start(python, "steps")
                began = time.monotonic()
                jobs = json.loads(self.lacuna("jobs", "--json").stdout)["jobs"]
                self.assertLess(time.monotonic() - began, 6)
                self.assertEqual([(j["pid"], j["state"]) for j in jobs], [(job.pid, "ready")])
                out = self.folder / f"out{job.pid}"
                # Three steps begun by the program's own thread: nothing is missing even in a first trace.
                path = self.lacuna("request", job.pid, "--iterations", 3, "-o", out).stdout.strip()
                names = collections.Counter(
                    e["name"] for e in json.loads(pathlib.Path(path).read_text())["traceEvents"] if e.get("cat") == "cpu_op")
                self.assertEqual(names["aten::linear"], 3, names)
                self.lacuna("info", path)
                path = self.lacuna("request", job.pid, "--duration", "1s", "--stack", "-o", f"{out}b").stdout.strip()
                found = self.categories(path)
                self.assertGreater(found["cpu_op"], 50, found)
                self.assertGreater(found["python_function"], 50, found)
                job.kill()

    def test_ranks_begin_together(self):
        for python in PYTHONS:
            with self.subTest(python):
                jobs = [self.start(python, RANK=str(rank), WORLD_SIZE="2", LOCAL_RANK=str(rank)) for rank in (0, 1)]
                out = self.folder / f"out{jobs[0].pid}"
                # The first ones may lack what ran while PyTorch loaded its profiler. And Kineto may let the moment pass
                # (it looks once a second, and does not begin late): that is told, and another try is made.
                for name in ("a", "b"):
                    for _ in range(4):
                        done = subprocess.run([LACUNA, "request", "all", "--duration", "2s", "--force", "-o", out / name],
                                              capture_output=True, text=True, timeout=100, env=self.environment)
                        if done.returncode == 0:
                            break
                        self.assertIn("let the moment pass", done.stderr)
                    self.assertEqual(done.returncode, 0, done.stderr)
                starts = []
                for rank in (0, 1):
                    trace = json.loads((out / f"b/rank{rank}.json").read_text())
                    self.assertGreater(self.categories(out / f"b/rank{rank}.json")["cpu_op"], 50)
                    start = min(e["ts"] for e in trace["traceEvents"] if e.get("cat") == "Trace")
                    starts.append(start / 1e6 + trace["baseTimeNanoseconds"] / 1e9)
                self.assertLess(abs(starts[0] - starts[1]), 0.25, starts)  # its thread wakes when it can
                for job in jobs:
                    job.kill()

    def test_never_a_step(self):
        for python in PYTHONS:
            with self.subTest(python):
                job = self.start(python)
                said = self.lacuna("request", job.pid, "--iterations", 2, "--wait", 4, "-o", self.folder / "none",
                                   code=1).stderr
                self.assertIn("no step of an optimizer came within 4 s", said)
                self.assertIsNone(job.poll())
                job.kill()

    def test_killed_meanwhile(self):
        for python in PYTHONS:
            with self.subTest(python):
                job = self.start(python, "steps")
                request = subprocess.Popen([LACUNA, "request", str(job.pid), "--duration", "60s", "-o",
                                            self.folder / f"killed{job.pid}"], env=self.environment,
                                           stderr=subprocess.PIPE, text=True)
                said = ""
                while "records" not in said:
                    line = request.stderr.readline()
                    self.assertTrue(line, said)
                    said += line
                job.kill()
                job.wait()
                said += request.communicate(timeout=20)[1]
                self.assertEqual(request.returncode, 1)
                self.assertIn("it ended before its trace was written", said)
                self.assertFalse(list(pathlib.Path("/tmp").glob(f"lacuna_*_{job.pid}.json*")))


if __name__ == "__main__":
    if not PYTHONS:
        print("skipped: no Python with torch (LACUNA_TORCH_PYTHONS, LACUNA_TORCH_PYTHON)")
        sys.exit(77)
    print("torch:", *(subprocess.run([p, "-c", "import torch; print(torch.__version__)"], capture_output=True,
                                     text=True).stdout.strip() for p in PYTHONS))
    unittest.main(verbosity=2)
