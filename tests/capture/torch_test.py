#!/usr/bin/env python3
"""Records real PyTorch programs (CPU). Needs a Python with torch: LACUNA_TORCH_PYTHON, else ../venv-torch beside
the project, else python3. Skipped, saying so, where none has torch; building the operator library needs a C++ compiler.
"""
import collections
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from record_support import LACUNA, ROOT, Case, nested

sys.path.append(str(ROOT / "tests/golden"))
from same_operators import check_same, table_of  # noqa: E402

CACHE = tempfile.TemporaryDirectory(prefix="lacuna-torch-cache-")

TRAIN = """
import threading, torch
torch.set_num_threads(1)
model = torch.nn.Linear(16, 16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(6):
    optimizer.zero_grad()
    model(torch.ones(8, 16)).sum().backward()
    optimizer.step()
thread = threading.Thread(target=lambda: torch.mm(torch.ones(3, 5), torch.ones(5, 7)))
thread.start()
thread.join()
"""

# The same loop under torch.profiler, while Lacuna records the process; key_averages() goes to stdout.
WITH_KINETO = """
import json, sys, torch
from torch.profiler import ProfilerActivity, profile, record_function
torch.set_num_threads(1)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(64, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
def loop():
    for _ in range(3):
        optimizer.zero_grad()
        with record_function("forward"):
            x = torch.cat([torch.ones(8, 32), torch.ones(8, 32)])
            loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
loop()
with profile(activities=[ProfilerActivity.CPU], record_shapes=True, acc_events=True) as profiler:
    loop()
profiler.export_chrome_trace(sys.argv[1])
print(json.dumps([[e.key, e.count] for e in profiler.key_averages()]))
"""

DISTRIBUTED = """
import threading, torch
import torch.distributed as dist
from torch.utils.data import DataLoader, TensorDataset
torch.set_num_threads(1)
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(32, 32))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for (x,) in DataLoader(TensorDataset(torch.ones(16, 32)), batch_size=4, num_workers=1):
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
thread = threading.Thread(target=lambda: torch.ones(2) + 1, name="checkpointer")
thread.start()
thread.join()
dist.destroy_process_group()
"""

# Tensors of sizes that nothing else has: before, in and after a profiler of the program's own, and on another thread.
ALLOCATING = """
import sys, threading, torch
from torch.profiler import ProfilerActivity, profile
torch.set_num_threads(1)
kept = torch.empty(12345)
temporary = torch.empty(2222)
del temporary
x = torch.ones(61, 67, requires_grad=True)
(x @ x.t()).sum().backward()
with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
    inside = torch.empty(7777)
profiler.export_chrome_trace(sys.argv[1])
after = torch.empty(3333)
thread = threading.Thread(target=lambda: torch.empty(4444))
thread.start()
thread.join()
"""


def find_python():
    for python in (os.environ.get("LACUNA_TORCH_PYTHON"), ROOT.parent / "venv-torch/bin/python", "python3"):
        python = shutil.which(python) if python else None
        if python and subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
            return python
    return None


PYTHON = find_python()


class Torch(Case):
    def setUp(self):
        super().setUp()
        self.script = self.folder / "train.py"

    def run_script(self, text, options=(), **environment):
        self.script.write_text(text)
        environment.setdefault("XDG_CACHE_HOME", CACHE.name)
        return self.record(PYTHON, self.script, options=options, environment=environment, timeout=900)

    def test_operators_steps_and_threads(self):
        r = self.run_script(TRAIN)
        self.assertIn("operators through RecordFunction", r.stderr)
        names = r.names()
        self.assertEqual(names["aten::linear"], 6)
        self.assertEqual(names["aten::mm"] + names["aten::addmm"] >= 7, True, names)
        self.assertEqual([n for n in sorted(names) if n.startswith("ProfilerStep#")], [f"ProfilerStep#{i}" for i in range(6)])
        self.assertEqual(names["Optimizer.step#SGD.step"], 6)
        operators = [e for e in r.slices() if e["cat"] == "cpu_op"]
        for tid in {e["tid"] for e in operators}:
            self.assertTrue(nested([e for e in r.slices() if e["tid"] == tid]), tid)
        linear = {e["tid"] for e in r.slices("aten::linear")}
        backward = {e["tid"] for e in r.slices() if e["name"].startswith("autograd::engine")}
        thread = {e["tid"] for e in r.slices("aten::mm")} - linear - backward
        self.assertEqual(len(linear), 1)
        self.assertEqual(len(thread), 1)
        self.assertEqual(r.trace["lacuna"]["dropped"], 0)
        self.assertEqual(r.trace["lacuna"]["corrupt"], 0)

    def test_same_as_kineto(self):
        """Operators, their nesting, numbers, inputs and arrows are those of torch.profiler's own trace. The two files
        are tests/fixtures/beside_*, once recorded with LACUNA_KEEP_BESIDE=FOLDER."""
        kineto = self.folder / "kineto.json"
        self.script.write_text(WITH_KINETO)
        ours = self.record(PYTHON, self.script, kineto, options=["--shapes"],
                           environment={"XDG_CACHE_HOME": CACHE.name}, timeout=900)
        if keep := os.environ.get("LACUNA_KEEP_BESIDE"):
            for name, path in (("lacuna", ours.path), ("kineto", kineto)):
                text = re.sub(r'("(?:host_name|traceName)": )"[^"]*"', r'\1"-"', path.read_text())
                (pathlib.Path(keep) / f"beside_{name}.pt.trace.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
        span = check_same(self, ours.trace, json.loads(kineto.read_text()))
        self.assertEqual(table_of(LACUNA, ours.path, ours.trace, span),
                         dict(json.loads(ours.done.stdout.splitlines()[0])))

    def test_shapes(self):
        r = self.run_script(TRAIN, options=["--shapes"])
        linear = r.slices("aten::linear")[0]
        self.assertEqual(linear["args"]["Input Dims"], [[8, 16], [16, 16], [16]])
        done = subprocess.run([LACUNA, "stats", r.path, "--group-by", "name", "--columns", "count,flops", "--json"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(linear["args"]["Input type"], ["float", "float", "float"])
        self.assertNotIn("INTERNAL ASSERT", r.stderr)

    def test_allocator(self):
        """Allocations with the thread and operator that made them, except while the program profiles itself."""
        kineto = self.folder / "kineto.json"
        self.script.write_text(ALLOCATING)
        r = self.record(PYTHON, self.script, kineto, options=["--allocator"], environment={"XDG_CACHE_HOME": CACHE.name},
                        timeout=900)
        self.assertIn("operators through RecordFunction, and its allocations", r.stderr)
        records = [e for e in r.events if e["ph"] == "i" and e["name"] == "[memory]"]

        def of(floats):
            return [e for e in records if abs(e["args"]["Bytes"]) == 4 * floats]
        self.assertEqual([e["args"]["Bytes"] > 0 for e in of(12345)][:1], [True])
        first, then = of(2222)
        self.assertEqual((first["args"]["Addr"], first["args"]["Bytes"]), (then["args"]["Addr"], -then["args"]["Bytes"]))
        self.assertEqual(len([e for e in of(3333) if e["args"]["Bytes"] > 0]), 1)
        self.assertNotEqual(of(4444)[0]["tid"], first["tid"])
        self.assertEqual([e for e in of(7777) if e["args"]["Bytes"] > 0], [])
        gradient = [e for e in of(61 * 67) if e["args"]["Bytes"] > 0]
        self.assertGreaterEqual(len(gradient), 2, "nothing of the backward pass")
        theirs = [e["args"]["Bytes"] for e in json.loads(kineto.read_text())["traceEvents"] if e["name"] == "[memory]"]
        self.assertIn(4 * 7777, theirs)
        counters = [e for e in r.events if e["ph"] == "C" and e["name"] == "CPU memory"]
        self.assertEqual([e["args"]["allocated bytes"] for e in counters],
                         [e["args"]["Total Allocated"] for e in records if e["args"]["Device Type"] == 0])
        memory = json.loads(subprocess.run([LACUNA, "memory", r.path, "--json"], capture_output=True,
                                           text=True, check=True).stdout)
        held = {h["name"]: h for h in memory["holders"]}
        self.assertGreaterEqual(held["aten::empty"]["largestBytes"], 4 * 12345, memory)
        nothing = self.run_script(TRAIN)
        self.assertEqual([e for e in nothing.events if e["name"] == "[memory]"], [])

    def test_torchrun(self):
        """Ranks, workers and threads have names, and each rank is reported on its own, in one trace or in several."""
        self.script.write_text(DISTRIBUTED)
        command = [PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", self.script]
        r = self.record(*command, environment={"XDG_CACHE_HOME": CACHE.name}, timeout=900)
        facts = r.trace["distributedInfo"]
        self.assertEqual((facts["backend"], facts["ranks"], facts["world_size"]), ("gloo", [0, 1], 2))
        self.assertEqual(facts["pg_config"][0]["pg_size"], 2)
        names = sorted(p["name"] for p in self.info(r.path)["processes"] if p["name"].startswith("rank 1"))
        self.assertEqual(len(names), 2, names)
        self.assertTrue(names[1].endswith(" · DataLoader worker 0"), names)
        threads = {t["name"] for t in self.info(r.path)["threads"]}
        self.assertIn("checkpointer", threads)
        together = json.loads(subprocess.run([LACUNA, "report", "--json", r.path], capture_output=True, text=True,
                                             check=True).stdout)["reports"]
        self.assertEqual([report["rank"] for report in together], [0, 1])
        self.assertEqual([len(report["steps"]) for report in together], [4, 4])

    def test_schedule(self):
        r = self.run_script(TRAIN, options=["--wait", "1", "--warmup", "1", "--active", "2", "--repeat", "1"])
        self.assertEqual(sorted(n for n in r.names() if n.startswith("ProfilerStep#")), ["ProfilerStep#2", "ProfilerStep#3"])
        self.assertEqual(r.names()["aten::linear"], 2)

    def test_skipped_steps_are_left_out_by_the_program_itself(self):
        """Between the rounds of a schedule operators are not even told of; those of the rounds are all there, whoever
        counts the steps."""
        loop = """
import os, time, torch, torch.profiler as p
model = torch.nn.Linear(16, 16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def train():
    with p.record_function("a step"):
        model(torch.ones(8, 16)).sum().backward()
        optimizer.step()
    time.sleep(0.002)  # the viewer says that it counts these steps, and that takes some ms
%s
"""
        by_optimizer = "for _ in range(120): train()\nif os.fork() == 0:\n    torch.mm(torch.ones(3, 5), torch.ones(5, 7))\n    os._exit(0)\nos.wait()"
        by_profiler = ("with p.profile(activities=[p.ProfilerActivity.CPU], schedule=p.schedule(wait=120, warmup=1, active=1)) as prof:\n"
                       "    for _ in range(120):\n        train()\n        prof.step()\n")
        schedule = ["--wait", "38", "--warmup", "2", "--active", "2"]  # 40 and 41, 82 and 83
        for text in (by_optimizer, by_profiler):
            whole = self.run_script(loop % text)
            kept = self.run_script(loop % text, options=schedule)
            self.assertLess(kept.trace["lacuna"]["records"], whole.trace["lacuna"]["records"] / 2)
            steps = kept.slices("a step")
            self.assertEqual(len(steps), 4, [e["ts"] for e in steps])
            one = self.inside(whole, whole.slices("a step")[20])
            for step in steps:
                self.assertEqual(self.inside(kept, step), one)
        self.assertEqual(one["aten::linear"], 1)

    @staticmethod
    def inside(recording, step):
        return collections.Counter(e["name"] for e in recording.slices() if e["cat"] == "cpu_op" and e["pid"] == step["pid"]
                                   and step["ts"] <= e["ts"] < step["ts"] + step["dur"])

    def test_one_series_of_steps(self):
        """torch.profiler's own steps, prof.step() without them, two optimizers: a step a round, never two."""
        loop = """
import torch, torch.profiler as p
model = torch.nn.Linear(16, 16)
a, b = (torch.optim.SGD(model.parameters(), lr=0.1) for _ in range(2))
def train():
    model(torch.ones(8, 16)).sum().backward()
    a.step()
    b.step()
%s
"""
        own = "with p.profile(activities=[p.ProfilerActivity.CPU], schedule=p.schedule(wait=1, warmup=1, active=2)) as prof:\n"
        plain = "with p.profile(activities=[p.ProfilerActivity.CPU]) as prof:\n"
        rounds = "    for _ in range(4):\n        train()\n        prof.step()\n"
        for text, most in ((own + rounds, 5), (plain + rounds, 4), ("for _ in range(4): train()", 4),
                           (plain + rounds.replace("train()", "torch.mm(torch.ones(3, 5), torch.ones(5, 7))"), 4)):
            r = self.run_script(loop % text)
            steps = [e for e in r.slices() if e["name"].startswith("ProfilerStep#")]
            # torch.profiler begins a last one after the last prof.step().
            self.assertTrue(4 <= len(steps) <= most, (text, [e["name"] for e in steps]))
            self.assertEqual(len({e["name"] for e in steps}), len(steps))

    def test_silent_without_torch_and_chained(self):
        (self.folder / "other").mkdir()
        (self.folder / "other" / "sitecustomize.py").write_text("print('the other one')\n")
        r = self.run_script("import sys; print('torch' in sys.modules, sys.modules['sitecustomize'].__file__)",
                            PYTHONPATH=str(self.folder / "other"))
        self.assertTrue(r.done.stdout.startswith("the other one\nFalse "), r.done.stdout)
        self.assertIn("/other/sitecustomize.py", r.done.stdout)
        self.assertIn("nothing was recorded", r.stderr)

    def test_no_compiler(self):
        r = self.run_script(TRAIN, PATH="/nonexistent", XDG_CACHE_HOME=str(self.folder / "cache"))
        self.assertIn("no C++ compiler", r.stderr)
        self.assertIn("exited with code 0", r.stderr)


if __name__ == "__main__":
    if not LACUNA:
        sys.exit("LACUNA_BIN is not set")
    if PYTHON is None:
        print("skipped: no Python with torch (LACUNA_TORCH_PYTHON)")
        sys.exit(77)
    unittest.main()
