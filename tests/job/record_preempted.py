#!/usr/bin/env python3
"""Records tests/fixtures/job_preempted/: four ranks of a gloo job on the CPU, of which rank 2 shares its core with a busy
loop from its first step on.

    LACUNA_BIN=build/release/app/lacuna TORCH_PYTHON=/tmp/torch/bin/python tests/job/record_preempted.py

TORCH_PYTHON needs PyTorch (2.8.0 was used), this user the right to lower niceness. What `lacuna record` wrote is cut: kept
are steps from number 1 on, collectives, and of the main threads the states of 0.2 ms or more.
"""
import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

TRAIN = """
import time, torch
import torch.distributed as dist
torch.set_num_threads(1)
dist.init_process_group("gloo")
weights = torch.nn.Parameter(torch.ones(64, 64))
optimizer = torch.optim.SGD([weights], lr=0.01)
for step in range(5):
    optimizer.zero_grad()
    until = time.process_time() + 0.03   # of CPU: a thread that is preempted takes longer by the clock
    while time.process_time() < until: sum(range(200))
    (torch.ones(64, 64) @ weights).sum().backward()
    dist.all_reduce(weights.grad)
    optimizer.step()
dist.barrier()
dist.destroy_process_group()
"""
RANKS, SLOW, LEAST_US = 4, 2, 200
FIXTURE = pathlib.Path(__file__).resolve().parent.parent / "fixtures/job_preempted"


def record(folder):
    script = folder / "train.py"
    script.write_text(TRAIN)
    ranks = []
    for rank in range(RANKS):
        # Others of this machine may have the cores: the ranks go before them, and the busy loop before rank SLOW.
        core, nice = (1, -2) if rank == SLOW else (0, -12)
        environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(RANKS), "MASTER_ADDR": "127.0.0.1",
                       "MASTER_PORT": "29577"}
        ranks.append(subprocess.Popen(
            [os.environ["LACUNA_BIN"], "record", "-q", "-o", folder / f"rank{rank}.json", "--no-stacks", "--no-metrics",
             "--", "taskset", "-c", str(core), "nice", "-n", str(nice), os.environ["TORCH_PYTHON"], script],
            env=environment))
    busy = subprocess.Popen(["taskset", "-c", "1", "nice", "-n", "-8", sys.executable, "-c", "while True: pass"])
    try:
        for one in ranks:
            assert one.wait() == 0
    finally:
        busy.send_signal(signal.SIGKILL)


def cut(trace):
    events = trace["traceEvents"]
    steps = [e for e in events if e["name"].startswith("ProfilerStep#") and e["name"] != "ProfilerStep#0"]
    begin, main = min(e["ts"] for e in steps), steps[0]["tid"]
    def is_kept(e):
        if e["ph"] == "M":
            return e["name"] == "process_name" or e["tid"] in (main, main + 1_000_000_000)
        if e["ph"] != "X" or e["ts"] + e["dur"] < begin:
            return False
        if e.get("cat") == "thread_state":
            return e["tid"] == main + 1_000_000_000 and e["dur"] >= LEAST_US
        return e in steps or e["name"].startswith("gloo:")
    return {**trace, "traceEvents": [e for e in events if is_kept(e)]}


def main():
    FIXTURE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        record(folder)
        for rank in range(RANKS):
            made = json.dumps(cut(json.loads((folder / f"rank{rank}.json").read_text())), separators=(",", ":"))
            (FIXTURE / f"rank{rank}.json.gz").write_bytes(gzip.compress(made.encode(), 9, mtime=0))


main()
