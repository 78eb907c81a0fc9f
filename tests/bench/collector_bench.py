#!/usr/bin/env python3
"""Cost of the collector in the target, by hand: LACUNA_BIN=… LACUNA_TARGETS=… tests/bench/collector_bench.py

NVTX: push+pop pairs as ratios to two readings of the time-stamp counter, in one run (the floor: a pair has two
times), alone and with 7 threads beside. CUDA: 100,000 launches a second through the fake libraries: without
CUPTI, with the stand-in alone (it writes its records and throws them away), captured; and the drop counter. Rates: how many ranges a second a recording takes without a drop.

    tests/bench/collector_bench.py [rates SECONDS]     only the rates, for SECONDS each (default: 5)
    tests/bench/collector_bench.py launches            only the CUDA part
    tests/bench/collector_bench.py dormant [ROUNDS]    programs asleep against programs without Lacuna (default: 9): NVTX
                                                       ranges, launches through the fake CUDA, and a PyTorch loop where
                                                       LACUNA_TORCH_PYTHON has torch
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


def dormant(rounds):
    """Nothing captures: what it costs to be ready for it. Each kind in a process of its own, in turns; medians."""
    said = json.loads(subprocess.run([LACUNA, "env", "--json"], capture_output=True, text=True, check=True).stdout)
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("LACUNA_", "NVTX_", "CUDA_INJECTION"))}
    asleep = dict(plain)
    for v in said["variables"]:
        asleep[v["name"]] = v["value"] + (":" + plain[v["name"]] if v["prepend"] and plain.get(v["name"]) else "")
    kinds = {"without": plain, "asleep": asleep}

    def turns(measure):
        found = {}
        for _ in range(rounds):
            for kind, environment in kinds.items():
                for name, value in measure(environment).items():
                    found.setdefault(name, {}).setdefault(kind, []).append(value)
        return found

    def run(command, environment):
        return subprocess.run([*map(str, command)], env=environment, capture_output=True, text=True, check=True).stdout

    print(f"asleep, medians of {rounds} rounds in turns")
    ranges = turns(lambda environment: rows(run([TARGETS / "nvtx_target", "bench", "0"], environment)))
    for name, found in ranges.items():
        before, after = (statistics.median(found[kind]) for kind in kinds)
        print(f"  {name:<40} {before:7.2f} ns without, {after:7.2f} ns asleep, {after - before:+.2f} ns")

    def compare(title, unit, found):
        before, after = (statistics.median(found[kind]) for kind in kinds)
        spread = ", ".join(f"{kind} {min(found[kind]):.0f} to {max(found[kind]):.0f}" for kind in kinds)
        print(f"  {title:<40} {before:9.1f} {unit} without, {after:9.1f} {unit} asleep, "
              f"{100 * (after / before - 1):+.2f} % ({spread})")

    for major in (12, 13):
        fake = TARGETS / f"fake{major}"
        if not fake.exists():
            continue
        more = {"LD_LIBRARY_PATH": f"{fake}:{TARGETS / 'fakecuda'}", "FAKE_DRIVER_VERSION": f"{major}000"}
        target = TARGETS / "cuda_target"
        work = run([target, "rounds"], {**plain, **more}).strip()

        def launch(environment):
            text = run([target, "work", 100_000, work], {**environment, **more})
            return {"": float(re.search(r"([0-9.]+) ns of the thread's time", text)[1])}
        compare(f"a launch and its work, fake CUDA {major}", "ns", turns(launch)[""])
    python = os.environ.get("LACUNA_TORCH_PYTHON")
    if python and subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        from torch_bench import LOOP  # noqa: E402

        def steps(environment):
            text = run([python, "-c", LOOP, "plain"], environment)
            return {"": next(float(line.split()[1]) for line in text.splitlines() if line.startswith("result"))}
        compare("a PyTorch step of some 730 operators", "us", turns(steps)[""])


if sys.argv[1:2] == ["dormant"]:
    dormant(int(sys.argv[2]) if len(sys.argv) > 2 else 9)
    sys.exit()
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
