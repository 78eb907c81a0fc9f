#!/usr/bin/env python3
"""Cost of the collector in the target, by hand: LACUNA_BIN=… LACUNA_TARGETS=… tests/bench/collector_bench.py

NVTX: push+pop pairs as ratios to two readings of the time-stamp counter, in one run (the floor: a pair has two
times), alone and with 7 threads beside. CUDA: what a launch through the fake libraries costs with and without us,
at 100,000 launches a second, and the drop counter.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile

LACUNA, TARGETS = os.environ["LACUNA_BIN"], pathlib.Path(os.environ["LACUNA_TARGETS"])


def record(*command, options=(), **environment):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        done = subprocess.run([LACUNA, "record", "-o", out, "--limit", "1", *options, "--", *map(str, command)],
                              capture_output=True, text=True, env={**os.environ, **environment}, check=True)
        return done.stdout, json.loads(out.read_text())["lacuna"]


def rows(text):
    return {name.strip(): float(ns) for name, ns in re.findall(r"^(.*?)\s+([0-9.]+) ns$", text, re.M)}


for threads in (0, 7):
    plain = rows(subprocess.run([TARGETS / "nvtx_target", "bench", str(threads)], capture_output=True, text=True).stdout)
    text, facts = record(TARGETS / "nvtx_target", "bench", threads)
    captured = rows(text)
    floor = captured["two reads of the time-stamp counter"]
    print(f"{threads} threads beside; dropped {facts['dropped']} of {facts['records'] + facts['dropped']} records")
    for name, ns in captured.items():
        print(f"  {name:<40} {ns:7.1f} ns  {ns / floor:5.2f} x two clock readings  (not captured {plain[name]:.1f} ns)")

for major in (12, 13):
    if not (TARGETS / f"fake{major}").exists():
        continue
    environment = {"LD_LIBRARY_PATH": f"{TARGETS / f'fake{major}'}:{TARGETS / 'fakecuda'}", "FAKE_DRIVER_VERSION": f"{major}000"}
    without, _ = record(TARGETS / "cuda_target", "rate", 300000, options=["--no-cuda"], **environment)
    text, facts = record(TARGETS / "cuda_target", "rate", 300000, **environment)
    print(f"fake CUPTI {major}: {text.splitlines()[0]}, without capture {without.splitlines()[0]}; dropped {facts['dropped']}")
