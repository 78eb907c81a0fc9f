#!/usr/bin/env python3
"""What looking at a program from outside costs it: CPU time and wall time of the same work, plain and recorded, in turns.

    LACUNA_BIN=build/release/app/lacuna tests/bench/sampling_bench.py [ROUNDS]

The work: a loop of small Python functions, four levels deep (no threads), and threads that hand each other a lock
20,000 times (context switches). Medians of ROUNDS (5), and what lacuna itself took of a CPU.
"""
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile

LACUNA = os.environ["LACUNA_BIN"]
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
WORK = {
    "calls": """
import time
def d(x): return x + 1
def c(x): return d(x) + 1
def b(x): return c(x) + 1
def a(x): return b(x) + 1
wall, cpu = time.perf_counter(), time.process_time()
for i in range(4_000_000): a(i)
print("RESULT", time.process_time() - cpu, time.perf_counter() - wall)
""",
    "switches": """
import threading, time
ping, pong = threading.Semaphore(0), threading.Semaphore(0)
def other():
    for i in range(20_000):
        ping.acquire(); pong.release()
t = threading.Thread(target=other); t.start()
wall, cpu = time.perf_counter(), time.process_time()
for i in range(20_000):
    ping.release(); pong.acquire()
print("RESULT", time.process_time() - cpu, time.perf_counter() - wall)
t.join()
""",
}
WAYS = {
    "plain": None,
    "nothing from outside": ["--no-stacks", "--no-states"],
    "states": ["--no-stacks"],
    "stacks 100/s": ["--no-states"],
    "stacks 1000/s": ["--no-states", "--stack-rate", "1000"],
    "both (default)": [],
}


def run(work, options):
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-I", "-c", work]
        if options is not None:
            command = [LACUNA, "record", "-o", f"{folder}/out.json", "--limit", "1", *options, "--", *command]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu, wall = map(float, re.search(r"RESULT (\S+) (\S+)", done.stdout).groups())
        all_cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return cpu, wall, all_cpu


for name, work in WORK.items():
    took = {way: [] for way in WAYS}
    for _ in range(ROUNDS):
        for way, options in WAYS.items():
            took[way].append(run(work, options))
    base = [statistics.median(column) for column in zip(*took["plain"])]
    print(f"{name}: plain {base[0]:.3f} s CPU, {base[1]:.3f} s wall; medians of {ROUNDS}")
    for way in WAYS:
        cpu, wall, all_cpu = (statistics.median(column) for column in zip(*took[way]))
        print(f"  {way:22} target CPU {100 * (cpu / base[0] - 1):+6.1f} %   wall {100 * (wall / base[1] - 1):+6.1f} %"
              f"   all processes {all_cpu:.2f} s CPU")
