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
if "allocator" in sys.argv:  # what CUDA's allocator says, where there is no GPU; all else is PyTorch's own
    import torch.cuda.memory
    seen = []
    torch._C._cuda_record_memory_history = lambda enabled, *more: seen.append(enabled)
    frame = {"filename": "train.py", "name": "forward", "line": 7}
    def snapshot(*_):
        block = {"address": 4096, "size": 512, "requested_size": 500, "state": "active_allocated", "frames": [frame]}
        event = {"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "time_us": 10, "frames": [frame]}
        return {"segments": [{"device": 0, "address": 4096, "total_size": 1024, "allocated_size": 512, "active_size": 512,
                              "requested_size": 500, "stream": 0, "segment_type": "small", "segment_pool_id": (0, 0),
                              "is_expandable": False, "frames": [], "blocks": [block]}],
                "device_traces": [[event] if "all" in seen else []], "allocator_settings": {}, "external_annotations": []}
    torch._C._cuda_memorySnapshot = snapshot
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
                jobs = json.loads(self.lacuna("jobs", "--json").stdout)["jobs"]
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

    def test_snapshot_of_the_allocator(self):
        """Kineto and PyTorch's Python are real; what CUDA's allocator would say is given by the program."""
        for python in PYTHONS:
            with self.subTest(python):
                job = self.start(python, "allocator")
                path = self.lacuna("request", job.pid, "--memory-snapshot", "--duration", "500ms",
                                   "-o", self.folder / f"snap{job.pid}").stdout.strip()
                self.assertEqual(path, str(self.folder / f"snap{job.pid}/pid{job.pid}.pickle"))
                said = json.loads(self.lacuna("memory", path, "--json").stdout)
                self.assertEqual(said["segments"]["activeBytes"], 512)
                self.assertEqual([device["events"] for device in said["devices"]], [1])  # history was on
                self.assertEqual([h["name"] for h in said["holders"]], ["forward  train.py:7"])
                self.assertFalse(list(pathlib.Path("/tmp").glob("lacuna_" + "[0-9a-f]" * 32 + "*.json*")))
                job.kill()

    def test_snapshot_without_a_gpu(self):
        for python in PYTHONS:
            with self.subTest(python):
                job = self.start(python)
                done = subprocess.run([LACUNA, "request", str(job.pid), "--memory-snapshot", "--duration", "100ms",
                                       "-o", self.folder / "none", "--force"], capture_output=True, text=True, timeout=100,
                                      env=self.environment)
                words = ("nothing is in it: the process holds no memory of CUDA's allocator" if done.returncode == 0 else
                         "wrote no snapshot")
                self.assertIn(words, done.stderr)
                self.assertFalse(list(pathlib.Path("/tmp").glob("lacuna_" + "[0-9a-f]" * 32 + "*.json*")))
                self.assertIsNone(job.poll())
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
