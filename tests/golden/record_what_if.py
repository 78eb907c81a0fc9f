#!/usr/bin/env python3
"""Records pairs of PyTorch runs on the CPU, before and after a real change, for what_if_pairs_test.py:

    nice -n -19 python3 record_what_if.py FOLDER    # torch 2.15 wrote those in tests/fixtures

what_if_loader_slow and what_if_loader_fast differ in how long a batch takes to be read: 60 ms and 25 ms.
what_if_logging and what_if_quiet differ in a range "write_log" of 40 ms in each step.
A run is taken again where something else kept the machine busy: the longest step lasts over 1.15 times the median.
"""
import gzip
import json
import pathlib
import statistics
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


class Batches(torch.utils.data.Dataset):
    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return 64

    def __getitem__(self, i):
        time.sleep(self.seconds)
        return torch.ones(64)


def record(path, seconds, logs=False):
    for _ in range(40):
        record_once(path, seconds, logs)
        with gzip.open(path, "rt") as file:
            steps = [e["dur"] for e in json.load(file)["traceEvents"] if e.get("name", "").startswith("ProfilerStep")]
        if max(steps) < 1.15 * statistics.median(steps):
            return
    sys.exit(f"{path}: the machine is too busy: {steps}")


def record_once(path, seconds, logs):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    loader = torch.utils.data.DataLoader(Batches(seconds), batch_size=1)
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=2, active=6, repeat=1)) as profiler:
        for step, batch in enumerate(loader):
            model(batch).sum().backward()
            if logs:
                with record_function("write_log"):
                    time.sleep(0.040)
            profiler.step()
            if step == 8:
                break
    profiler.export_chrome_trace(str(path))


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    record(folder / "what_if_loader_slow.pt.trace.json.gz", 0.060)
    record(folder / "what_if_loader_fast.pt.trace.json.gz", 0.025)
    record(folder / "what_if_logging.pt.trace.json.gz", 0.025, logs=True)
    record(folder / "what_if_quiet.pt.trace.json.gz", 0.025)
