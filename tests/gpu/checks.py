#!/usr/bin/env python3
"""One check of tests/gpu/run: checks.py NAME, with LACUNA_BIN and LACUNA_OUT. Exit status 77: skipped.

Counts and times of GPU activities are compared with Kineto's own trace of the same loop: counts per name must
agree, the sum of kernel times within 20 %.
"""
import collections
import gzip
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LACUNA, OUT = os.environ["LACUNA_BIN"], pathlib.Path(os.environ["LACUNA_OUT"])
GPU = ("kernel", "gpu_memcpy", "gpu_memset")


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def load(path):
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rt") as file:
        return json.load(file)


def record(name, *command, options=()):
    path = OUT / f"lacuna_{name}.json.gz"
    done = subprocess.run([LACUNA, "record", "-o", path, *options, "--", *map(str, command)], capture_output=True, text=True)
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.stderr
    assert "exited with code 0" in done.stderr, done.stderr
    return load(path), done


def gpu_events(trace, start=None):
    return [e for e in trace["traceEvents"] if e.get("cat") in GPU and (start is None or e["ts"] >= start)]


def need_torch():
    try:
        import torch
    except ImportError:
        skip("no torch")
    if not torch.cuda.is_available():
        skip("torch sees no GPU")


def check_links(trace):
    launches = {e["args"]["correlation"] for e in trace["traceEvents"] if e.get("cat") in ("cuda_runtime", "cuda_driver")}
    events = gpu_events(trace)
    linked = sum(e["args"]["correlation"] in launches for e in events)
    assert linked >= 0.99 * len(events), (linked, len(events))
    assert trace["lacuna"]["dropped"] == 0 and trace["lacuna"]["corrupt"] == 0, trace["lacuna"]


def check_demo():
    trace, done = record("demo", pathlib.Path(LACUNA).parent.parent / "capture/lacuna-demo", "10")
    if "on the CPU" in done.stdout:
        skip("the demo found no GPU")
    kernels = [e for e in trace["traceEvents"] if e.get("cat") == "kernel"]
    assert len(kernels) == 3 * 10 * 24, len(kernels)  # 3 phases, 10 steps, 8 + 16 kernels
    assert all(e["dur"] > 0 for e in kernels)
    check_links(trace)


def check_metrics():
    """What NVML says beside a recording, against nvidia-smi."""
    try:
        asked = subprocess.run(["nvidia-smi", "--query-gpu=name,clocks.max.sm,memory.used", "--format=csv,noheader,nounits"],
                               capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        skip("no nvidia-smi")
    trace, _ = record("metrics", pathlib.Path(LACUNA).parent.parent / "capture/lacuna-demo", "200")
    names = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "process_name"}
    first = 3_000_000_000
    for index, line in enumerate(asked):
        name, most, used = (word.strip() for word in line.split(","))
        if first + index not in names and os.environ.get("CUDA_VISIBLE_DEVICES") is not None:
            continue
        assert names[first + index] == f"Hardware of GPU {index}: {name}", names
        values = collections.defaultdict(list)
        for e in trace["traceEvents"]:
            if e["ph"] == "C" and e["pid"] == first + index:
                values[e["name"]].extend(e["args"].values())
        print(index, {k: (min(v), max(v), len(v)) for k, v in values.items()})
        assert 0 < max(values["SM clock"]) <= 1.05 * float(most), (max(values["SM clock"]), most)
        assert max(values["Memory used"]) >= 0.5 * float(used) * 2**20, (max(values["Memory used"]), used)
        assert max(values["Power"]) > 5 and 10 < max(values["Temperature"]) < 110, values


def check_counters():
    """The performance monitors beside the kernels of CUPTI's activity records: the SMs are active where kernels run."""
    demo = pathlib.Path(LACUNA).parent.parent / "capture/lacuna-demo"
    trace, done = record("counters", demo, "200", options=["--gpu-counters=500"])
    if "no GPU counters" in done.stderr or "NVIDIA driver" in done.stdout:
        skip(re.findall("GPU [0-9, ]*: no GPU counters: .*", done.stderr) or done.stdout)
    values = collections.defaultdict(list)
    for e in trace["traceEvents"]:
        if e["ph"] == "C" and e["name"] in ("SM active", "SM occupancy", "DRAM read", "DRAM write"):
            values[e["pid"], e["name"]].append((e["ts"], e["args"]["%"]))
    print({k: (len(v), max(x for _, x in v)) for k, v in values.items()})
    assert len({name for _, name in values}) == 4, values.keys()
    assert all(0 <= x <= 101 for v in values.values() for _, x in v)
    kernels = sorted((e["ts"], e["ts"] + e["dur"]) for e in trace["traceEvents"] if e.get("cat") == "kernel")
    assert kernels, "PM sampling keeps kernels from being recorded: docs/manual.md has to say so"
    first, last = kernels[0][0], kernels[-1][1]
    active = max((v for (_, name), v in values.items() if name == "SM active"), key=lambda v: max(x for _, x in v))
    busy = [t for t, x in sorted(active) if x > 1]
    print("kernels", first, last, "active", busy[:1], busy[-1:], "lost" if "counters are missing" in done.stderr else "")
    assert busy and abs(busy[0] - first) < 50e3 and busy[-1] < last + 50e3, "the clocks do not agree"


def check_dormant():
    """A program on the GPU is woken twice; its kernels come both times."""
    demo = pathlib.Path(LACUNA).parent.parent / "capture/lacuna-demo"
    if "on the CPU" in subprocess.run([demo, "1"], capture_output=True, text=True).stdout:
        skip("the demo found no GPU")
    process = subprocess.Popen([LACUNA, "record", "-q", "--dormant", "--", demo, "100000"], stdout=subprocess.DEVNULL)
    try:
        time.sleep(3)
        for n in range(2):
            path = OUT / f"dormant_{n}.json.gz"
            done = subprocess.run([LACUNA, "attach", str(process.pid), "-o", path, "--force", "--duration", "1s"],
                                  capture_output=True, text=True)
            print(done.stderr)
            assert done.returncode == 0, done.stderr
            kernels = [e for e in load(path)["traceEvents"] if e.get("cat") == "kernel"]
            assert len(kernels) > 10 and all(e["dur"] > 0 for e in kernels), (n, len(kernels))
            assert process.poll() is None
    finally:
        process.kill()
        process.wait()


def check_against_kineto(name):
    need_torch()
    kineto_path = OUT / f"kineto_{name}.json.gz"
    subprocess.run([sys.executable, HERE / "workload.py", name, "--kineto", kineto_path], check=True)
    kineto = collections.Counter(e["name"] for e in gpu_events(load(kineto_path)))
    trace, _ = record(name, sys.executable, HERE / "workload.py", name)
    check_links(trace)
    rounds = sorted(e["ts"] for e in trace["traceEvents"] if e.get("name") == "round" and e["ph"] == "X")
    ours = gpu_events(trace, rounds[3] if len(rounds) > 3 else None)  # three rounds of warm-up are not in Kineto's
    counts = collections.Counter(e["name"] for e in ours)
    different = {n: (counts[n], kineto[n]) for n in set(counts) | set(kineto) if counts[n] != kineto[n]}
    print("ours against Kineto, where different:", different)
    assert not different, different
    mine = sum(e["dur"] for e in ours)
    theirs = sum(e["dur"] for e in gpu_events(load(kineto_path)))
    print("GPU time", mine, "Kineto", theirs)
    assert 0.8 < mine / theirs < 1.25, (mine, theirs)
    if name == "graph":
        assert any("graph node id" in e["args"] for e in ours)


def check_profiler():
    need_torch()
    trace, done = record("profiler", sys.executable, HERE / "workload.py", "profiler")
    assert "held by torch.profiler" in done.stderr, done.stderr
    assert "GPU recording resumed" in done.stderr or "GPU recording runs" in done.stderr
    after = [e for e in trace["traceEvents"] if e.get("name") == "after the profiler"]
    assert after, "the CPU capture went on"
    assert gpu_events(trace, after[0]["ts"]), "the GPU recording resumed"


def check_overhead():
    need_torch()

    def seconds(*prefix, more=()):
        values = []
        for _ in range(3):
            done = subprocess.run([*map(str, prefix), sys.executable, HERE / "workload.py", "overhead", *more],
                                  capture_output=True, text=True)
            values.append(float(re.search(r"seconds ([0-9.e-]+)", done.stdout)[1]))
        return statistics.median(values)

    plain = seconds()
    ours = seconds(LACUNA, "record", "-o", OUT / "overhead.json", "--")
    kineto = seconds(more=["--kineto", str(OUT / "overhead_kineto.json")])
    for path in ("overhead.json", "overhead_kineto.json"):
        (OUT / path).unlink(missing_ok=True)
    line = f"overhead: none {plain:.4f} s, lacuna {ours / plain:.3f} x, Kineto {kineto / plain:.3f} x"
    print(line)
    with open(OUT / "report.txt", "a") as file:
        file.write(line + "\n")


CHECKS = {"demo": check_demo, "metrics": check_metrics, "counters": check_counters, "dormant": check_dormant, "profiler": check_profiler, "overhead": check_overhead}
name = sys.argv[1]
CHECKS[name]() if name in CHECKS else check_against_kineto(name)
