#!/usr/bin/env python3
"""Records small real PyTorch traces on the CPU, each with the table PyTorch prints for it.

Run by hand; its output is committed to tests/fixtures:

    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch numpy
    /tmp/torch/bin/python tests/golden/record_torch_cpu.py [OUTPUT_FOLDER]

Per case NAME it writes
    NAME.pt.trace.json.gz       export_chrome_trace(), gzip with mtime 0
    NAME.key_averages.txt       key_averages().table() in several forms, as printed
A new recording changes every number in them: run tests/golden/reference.py afterwards.
"""
import gzip
import os
import pathlib
import re
import sys
import tempfile

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


class Mlp(torch.nn.Module):
    def __init__(self, width=64, depth=3):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


def train(steps, each_step, width=64, batch=32):
    """A training loop with the annotations that people write."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Mlp(width)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(steps):
        with record_function("## data ##"):
            x = torch.randn(batch, width)
            target = torch.zeros(batch, width)
        with record_function("## forward ##"):
            loss = torch.nn.functional.mse_loss(model(x), target)
        with record_function("## backward ##"):
            optimizer.zero_grad()
            loss.backward()
        with record_function("## optimizer ##"):
            optimizer.step()
        loss.item()
        each_step()


# name -> (arguments of profile(), steps recorded)
CASES = {
    "torch_cpu_mlp": (dict(record_shapes=True), 4),
    "torch_cpu_mlp_stack": (dict(record_shapes=True, with_stack=True, with_modules=True), 2),
    "torch_cpu_mlp_memory": (dict(record_shapes=True, profile_memory=True), 4),
}

# The forms of the table that are kept: heading -> (arguments of key_averages(), of table())
TABLES = {
    "key_averages().table()": ({}, {}),
    "key_averages().table(sort_by='self_cpu_time_total')": ({}, {"sort_by": "self_cpu_time_total"}),
    "key_averages().table(sort_by='cpu_time_total', row_limit=10)":
        ({}, {"sort_by": "cpu_time_total", "row_limit": 10}),
    "key_averages(group_by_input_shape=True).table(sort_by='self_cpu_time_total')":
        ({"group_by_input_shape": True}, {"sort_by": "self_cpu_time_total"}),
}
STACK_TABLES = {
    "key_averages(group_by_stack_n=3).table(sort_by='self_cpu_time_total', row_limit=20)":
        ({"group_by_stack_n": 3}, {"sort_by": "self_cpu_time_total", "row_limit": 20}),
}


def record(name, arguments, steps, folder):
    warmup = 2
    with profile(activities=[ProfilerActivity.CPU],
                 schedule=schedule(wait=0, warmup=warmup, active=steps, repeat=1),
                 acc_events=True, **arguments) as profiler:
        train(warmup + steps, profiler.step)
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "trace.json")
        profiler.export_chrome_trace(path)
        text = pathlib.Path(path).read_bytes()
    # The name of the scratch file and of this machine are nobody's business.
    text = text.replace(path.encode(), f"{name}.pt.trace.json".encode())
    text = re.sub(rb'("host_name": )"[^"]*"', rb'\1"host"', text)
    with open(folder / f"{name}.pt.trace.json.gz", "wb") as file:
        with gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            packed.write(text)
    tables = dict(TABLES, **(STACK_TABLES if arguments.get("with_stack") else {}))
    with open(folder / f"{name}.key_averages.txt", "w", encoding="utf-8") as file:
        file.write(f"torch {torch.__version__}, profile({arguments}), {steps} steps\n")
        for heading, (grouping, form) in tables.items():
            file.write(f"\n==== {heading}\n{profiler.key_averages(**grouping).table(**form)}\n")
    print(name, len(text), "bytes of JSON")


def main():
    here = pathlib.Path(__file__).resolve().parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here.parent / "fixtures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (arguments, steps) in CASES.items():
        record(name, arguments, steps, folder)


if __name__ == "__main__":
    main()
