#!/usr/bin/env python3
"""Dormant PyTorch programs (CPU): woken twice while they train, by duration and by steps; asleep otherwise. Needs a Python
with torch: LACUNA_TORCH_PYTHON, else python3; skipped where it has none."""
import json
import os
import shutil
import subprocess
import sys
import time
import unittest

from dormant_test import listening
from record_support import LACUNA, Case, clean_environment, load
from waiting import wait_until

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
    optimizer.step()
    time.sleep(0.01)
"""
PYTHON = shutil.which(os.environ.get("LACUNA_TORCH_PYTHON") or "python3")
OPERATORS = ("aten::linear", "aten::addmm", "aten::sum")


class DormantTorch(Case):
    def start(self, rank=None):
        environment = clean_environment()
        for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE"):
            environment.pop(name, None)
        if rank is not None:
            environment.update(RANK=str(rank), LOCAL_RANK="0", WORLD_SIZE="8000")
        process = subprocess.Popen([LACUNA, "record", "-q", "--dormant", "--", PYTHON, "-c", TRAIN], text=True,
                                   stdout=subprocess.PIPE, env=environment)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        wait_until(lambda: listening(process.pid), "its socket")
        return process

    def request(self, *arguments, folder="out"):
        done = subprocess.run([LACUNA, "request", "--force", "--wait", "300", "-o", self.folder / folder, *map(str, arguments)],
                              capture_output=True, text=True, timeout=400, env=clean_environment())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done, [load(path) for path in done.stdout.split()]

    def operators(self, trace):
        return [e for e in trace["traceEvents"] if e["ph"] == "X" and e.get("cat") == "cpu_op"]

    def test_woken_twice_while_it_trains(self):
        process = self.start()
        with open(f"/proc/{process.pid}/maps") as file:
            maps = file.read()
        self.assertNotIn("/lacuna/torch-", maps)  # the hook of operators
        self.assertNotIn("memfd:lacuna", maps)
        for n in range(2):
            done, (trace,) = self.request(process.pid, "--duration", "1s", folder=f"out{n}")
            operators = self.operators(trace)
            for name in OPERATORS:  # some 90 steps a second on a quiet machine
                self.assertGreater(sum(e["name"] == name for e in operators), 10, done.stderr)
            first, last = min(e["ts"] for e in operators), max(e["ts"] + e["dur"] for e in operators)
            self.assertTrue(0.5e6 < last - first < 1.01e6, last - first)
            self.assertEqual({e["pid"] for e in operators}, {process.pid})
            self.assertGreater(sum(e["name"].startswith("ProfilerStep") for e in trace["traceEvents"]), 10)
            jobs = subprocess.run([LACUNA, "jobs", "--json"], capture_output=True, text=True, env=clean_environment()).stdout
            state, = [j["state"] for j in json.loads(jobs)["jobs"] if j["pid"] == process.pid]
            self.assertEqual(state, "asleep")
        self.assertIsNone(process.poll())

    def test_steps(self):
        process = self.start()
        for n in range(2):
            done, (trace,) = self.request(process.pid, "--iterations", 3, folder=f"steps{n}")
            operators = self.operators(trace)
            self.assertEqual(sum(e["name"] == "aten::linear" for e in operators), 3, done.stderr)

    def test_two_ranks_at_one_moment(self):
        ranks = [self.start(rank=7200 + r) for r in range(2)]
        done, traces = self.request("ranks", "7200-7201", "--duration", "1s")
        self.assertEqual(len(traces), 2)
        begins = []
        for process, trace in zip(ranks, traces):
            operators = self.operators(trace)
            self.assertEqual({e["pid"] for e in operators}, {process.pid})
            begins.append(trace["baseTimeNanoseconds"] / 1e9 + min(e["ts"] for e in operators) / 1e6)
        self.assertLess(abs(begins[0] - begins[1]), 0.2, done.stderr)  # a step, and what the machine takes


if __name__ == "__main__":
    if PYTHON is None or subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode != 0:
        print("skipped: no Python with torch (LACUNA_TORCH_PYTHON)")
        sys.exit(77)
    unittest.main(verbosity=2)
