#!/usr/bin/env python3
"""Cost of the collector in the target, by hand: LACUNA_BIN=… LACUNA_TARGETS=… tests/bench/collector_bench.py

NVTX: push+pop pairs as ratios to two readings of the time-stamp counter, in one run (the floor: a pair has two
times), alone and with 7 threads beside. CUDA: 100,000 launches a second through the fake libraries: without
CUPTI, with the stand-in alone (it writes its records and throws them away), captured; and the drop counter. Rates: how many ranges a second a recording takes without a drop.

    tests/bench/collector_bench.py [rates SECONDS]     only the rates, for SECONDS each (default: 5)
    tests/bench/collector_bench.py launches            only the CUDA part
"""
import json
import os
import pathlib
import re
import statistics
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


def launches(major, count=150_000, rounds=5):
    """100,000 launches a second with as much work between them: without CUPTI, with the stand-in alone, with us."""
    fake = TARGETS / f"fake{major}"
    plain = {**os.environ, "LD_LIBRARY_PATH": f"{fake}:{TARGETS / 'fakecuda'}", "FAKE_DRIVER_VERSION": f"{major}000"}
    alone = {**plain, "FAKE_CUPTI_ALONE": "1", "LD_PRELOAD": str(fake / f"libcupti.so.{major}")}
    target = str(TARGETS / "cuda_target")
    work = subprocess.run([target, "rounds"], env=plain, capture_output=True, text=True, check=True).stdout.strip()
    walls, cpus, records, dropped = {}, {}, [], 0
    for _ in range(rounds):  # in turns: the machine's speed changes
        for kind in ("without", "stand-in alone", "captured"):
            if kind == "captured":
                text, facts = record(target, "work", count, work, **{**plain, "FAKE_CUPTI_TIMES": "1"})
                dropped += facts["dropped"]
                records.append(float(re.search(r"([0-9.]+) ns a record", text)[1]))
            else:
                text = subprocess.run([target, "work", str(count), work], capture_output=True, text=True, check=True,
                                      env=alone if kind == "stand-in alone" else plain).stdout
            wall, cpu = re.search(r"([0-9.]+) ns, ([0-9.]+) ns of the thread's time", text).groups()
            walls.setdefault(kind, []).append(float(wall))
            cpus.setdefault(kind, []).append(float(cpu))
    print(f"fake CUPTI {major}: medians of {rounds} rounds in turns; dropped {dropped}; "
          f"{statistics.median(records):.1f} ns a record in CUPTI's buffer callback")
    for kind, wall in walls.items():
        slower = [100 * (statistics.median(times[kind]) / statistics.median(times["without"]) - 1) for times in (walls, cpus)]
        print(f"  {kind:<16} {statistics.median(wall):8.0f} ns a launch and its work, {slower[0]:+.1f} % "
              f"({slower[1]:+.1f} % of the thread's time)")


if sys.argv[1:2] == ["launches"]:
    for major in (12, 13):
        launches(major)
    sys.exit()
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
    if (TARGETS / f"fake{major}").exists():
        launches(major)
