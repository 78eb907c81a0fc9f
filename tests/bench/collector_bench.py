#!/usr/bin/env python3
"""Cost of the collector in the target, by hand: LACUNA_BIN=… LACUNA_TARGETS=… tests/bench/collector_bench.py

NVTX: push+pop pairs as ratios to two readings of the time-stamp counter, in one run (the floor: a pair has two
times), alone and with 7 threads beside. CUDA: what a launch through the fake libraries costs with and without us,
at 100,000 launches a second, and the drop counter. Rates: how many ranges a second a recording takes without a drop.

    tests/bench/collector_bench.py [rates SECONDS]     only the rates, for SECONDS each (default: 5)
"""
import json
import os
import pathlib
import re
import subprocess
import sys
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


def rates(length):
    for number in (50_000, 500_000, 1_000_000, 2_000_000):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.json"
            done = subprocess.run(["/usr/bin/time", "-f", "%M KB", LACUNA, "record", "-o", out, "--limit", "1", "--",
                                   TARGETS / "nvtx_target", "rate", str(number), str(length)],
                                  capture_output=True, text=True, check=True)
            with open(out, "rb") as file:  # the counts close the file
                file.seek(-2000, os.SEEK_END)
                tail = file.read().decode()
            dropped = int(re.search(r'"dropped":\s*(\d+)', tail)[1])
            print(f"{number:>9} ranges/s for {length} s: {done.stdout.splitlines()[0]}, {dropped} records dropped, "
                  f"{out.stat().st_size / 1e6:.0f} MB, {done.stderr.splitlines()[-1]}")


if sys.argv[1:2] == ["rates"]:
    rates(float(sys.argv[2]) if len(sys.argv) > 2 else 5)
    sys.exit()
rates(5)
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
