#!/usr/bin/env python3
"""The table of import times in docs/performance.md: each size against the floor of its own run.

    tests/bench/import_table.py BUILD [--folder DIR] [--rounds 5] [--events 250000 1000000 4000000]

BUILD is a release build with -DLACUNA_BENCH=ON. Traces are written to DIR (a temporary folder
otherwise; 330 MB per million events) and read once before the first round, so that all of it is
about a warm cache. Absolute times are those of this machine; the ratios are what to compare: floor and
import take turns in every round, and the ratio of a round is taken before the median over the rounds.
"""

import argparse
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def warm(path):
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 24):
            pass


def median(rows, key):
    return statistics.median(row[key] for row in rows)


def measure(bench, path, threads, rounds):
    warm(path)
    floors, imports, ratios, cpu_ratios = [], [], [], []
    for _ in range(rounds):
        floor = run(bench("parse_floor"), path, threads)
        whole = run(bench("import"), path, "--threads", threads)
        assert floor["events"] == whole["events"], (floor, whole)
        floors.append(floor)
        imports.append(whole)
        ratios.append(whole["seconds"] / floor["seconds"])
        cpu_ratios.append(whole["cpuSeconds"] / floor["cpuSeconds"])
    one = imports[0]
    print(f"| {one['events'] / 1e6:.2f} M | {one['jsonBytes'] / 1e6:.0f} | {threads} "
          f"| {median(floors, 'seconds'):.2f} | {median(imports, 'seconds'):.2f} "
          f"| {statistics.median(ratios):.2f} | {statistics.median(cpu_ratios):.2f} "
          f"| {1e9 * median(imports, 'seconds') / one['events']:.0f} "
          f"| {median(imports, 'peakBytes') / one['jsonBytes']:.2f} "
          f"| {(one['traceBytes'] + one['foldBytes']) / one['slices']:.0f} |", flush=True)


def compress(path, suffix):
    packed = path + suffix
    if not os.path.exists(packed):
        if suffix == ".gz":
            with open(path, "rb") as source, gzip.open(packed, "wb", 6) as target:
                shutil.copyfileobj(source, target, 1 << 20)
        else:
            subprocess.run(["zstd", "-q", "-3", path, "-o", packed], check=True)
    return packed


def measure_compressed(bench, path, suffix, rounds):
    packed = compress(path, suffix)
    warm(packed)
    alone, plain, whole, ratios = [], [], [], []
    for _ in range(rounds):
        alone.append(run(bench("import"), packed, "--decompress-only"))
        plain.append(run(bench("import"), path))
        whole.append(run(bench("import"), packed))
        ratios.append(whole[-1]["seconds"] / max(alone[-1]["seconds"], plain[-1]["seconds"]))
    print(f"| {suffix} | {os.path.getsize(packed) / 1e6:.0f} | {median(alone, 'seconds'):.2f} "
          f"| {median(plain, 'seconds'):.2f} | {median(whole, 'seconds'):.2f} "
          f"| {statistics.median(ratios):.2f} | {median(whole, 'peakBytes') / whole[0]['jsonBytes']:.2f} |", flush=True)


def measure_window(bench, path, rounds):
    shown = [run(bench("import"), path, "--previews") for _ in range(rounds)]
    plain = [run(bench("import"), path) for _ in range(rounds)]
    stops = [run(bench("import"), path, "--cancel-after", ms)["secondsToStop"]
             for ms in range(50, 1500, 150)]
    print(f"\nShown while it loads: first after {1000 * median(shown, 'firstPreviewSeconds'):.0f} ms, "
          f"{median(shown, 'previews'):.0f} times; the load then takes "
          f"{median(shown, 'seconds') / median(plain, 'seconds'):.2f} times as long. "
          f"Cancelled at 10 moments: all freed after at most {1000 * max(stops):.0f} ms.")


def measure_python(path):
    begin = time.monotonic()
    with open(path, "rb") as file:
        events = len(json.load(file)["traceEvents"])
    seconds = time.monotonic() - begin
    print(f"\nPython's json.load alone, {events / 1e6:.2f} M events: {seconds:.1f} s, "
          f"{1e9 * seconds / events:.0f} ns an event.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--folder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--events", type=int, nargs="+", default=[250000, 1000000, 4000000])
    options = parser.parse_args()
    folder = options.folder or tempfile.mkdtemp(prefix="lacuna-bench-")
    bench = lambda name: os.path.join(options.build, "tests", "bench_" + name)
    try:
        files = {}
        for events in options.events:
            files[events] = os.path.join(folder, f"trace-{events}.json")
            if not os.path.exists(files[events]):
                subprocess.run([bench("write_trace"), str(events), files[events]], check=True)
        cores = os.cpu_count()
        print("| events | MB | threads | floor s | import s | ratio | CPU ratio | ns/event | peak memory / JSON "
              "| bytes/slice |\n|---|---|---|---|---|---|---|---|---|---|")
        for events in options.events:
            measure(bench, files[events], cores, options.rounds)
        middle = files[min(options.events, key=lambda n: abs(n - 4000000))]
        if cores > 1:
            measure(bench, middle, 1, options.rounds)
        # The slower of decompressing and importing the plain file is the floor of doing both at once.
        print("\n| compressed | MB | decompressing alone s | plain import s | import s | import / slower of both "
              "| peak memory / JSON |\n|---|---|---|---|---|---|---|")
        for suffix in (".gz", ".zst"):
            if suffix == ".gz" or shutil.which("zstd"):
                measure_compressed(bench, middle, suffix, options.rounds)
        measure_window(bench, middle, options.rounds)
        measure_python(files[min(options.events)])
    finally:
        if not options.folder:
            shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
