"""`lacuna report --json` against a computation of its own, on every shared trace.

Nothing here is shared with the program: events are read with Python's json, times are exact
integers of ns (Decimal), intervals are swept naively. Definitions: lacuna report --help and
peers.md 3.4.
"""
import decimal
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
from collections import defaultdict

ROOT = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"])
TRACES = pathlib.Path(os.environ.get("LACUNA_SHARED_TRACES") or ROOT / ".." / "shared" / "traces")
LACUNA = os.environ["LACUNA_BIN"]

GPU = {"kernel": "kernel", "gpu_memcpy": "memcpy", "gpu_memset": "memset",
       "Kernel": "kernel", "Memcpy": "memcpy", "Memset": "memset"}
OPERATOR = {"cpu_op", "Operator"}
RUNTIME = {"cuda_runtime", "cuda_driver", "Runtime"}
ANNOTATION = {"user_annotation"}
COMMUNICATION = re.compile(
    "nccl|rccl|hccl|msccl|nvshmem|deep_ep|allreduce|all_reduce|cross_device_reduce|allgather|"
    "all_gather|reduce_scatter|reducescatter|alltoall|all_to_all", re.I)
KINDS = ("kernel", "memcpy", "memset", "communication", "runtime", "dataLoading", "cpu", "other")


def ns(value):
    return int((decimal.Decimal(str(value)) * 1000).to_integral_value())


def load(path):
    with gzip.open(path) as file:
        data = json.load(file, strict=False, parse_float=decimal.Decimal)
    events = []
    for e in data["traceEvents"]:
        if e.get("ph") == "X" and "dur" in e:
            start = ns(e["ts"])
            events.append((start, start + max(0, ns(e["dur"])), e))
    return data, events


def union(spans):
    merged = []
    for a, b in sorted(s for s in spans if s[1] > s[0]):
        if merged and a <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], b)
        else:
            merged.append([a, b])
    return [tuple(m) for m in merged]


def clip(spans, a, b):
    return [(max(x, a), min(y, b)) for x, y in spans if min(y, b) > max(x, a)]


def length(spans):
    return sum(b - a for a, b in union(spans))


def is_step(name):
    return name.startswith("ProfilerStep")


def is_data_loading(name):
    return name.startswith(("enumerate(DataLoader)#", "enumerate(DataPipe)#")) or (
        "torch/utils/data/dataloader.py(" in name
        and any(f in name for f in (": __next__", ": _next_data", ": _get_data")))


def is_host_communication(name):
    return name.startswith(("gloo:", "c10d::barrier", "c10d::monitored_barrier_", "mpi:"))


def find_window(events):
    steps = sorted((a, b, e["name"]) for a, b, e in events
                   if is_step(str(e["name"])) and e.get("cat") in OPERATOR | ANNOTATION)
    if not steps:
        work = [(a, b) for a, b, e in events
                if e.get("cat") in OPERATOR | RUNTIME | ANNOTATION or e.get("cat") in GPU]
        return [], 0, (min(a for a, _ in work), max(b for _, b in work))
    warm = 0
    while warm + 2 < len(steps):
        rest = sorted(b - a for a, b, _ in steps[warm + 1:])
        if steps[warm][1] - steps[warm][0] <= 1.5 * rest[(len(rest) - 1) // 2]:
            break
        warm += 1
    return steps, warm, (steps[warm][0], max(b for _, b, _ in steps[warm:]))


def sets_of(events):
    sets = defaultdict(list)
    for a, b, e in events:
        name, cat = str(e["name"]), e.get("cat")
        if cat in GPU:
            kind = GPU[cat]
            sets["communication" if kind == "kernel" and is_communication(name) else kind].append((a, b))
        elif cat in RUNTIME:
            sets["runtime"].append((a, b))
        elif cat in OPERATOR | ANNOTATION | {"python_function"}:
            if is_data_loading(name):
                sets["dataLoading"].append((a, b))
            if is_host_communication(name):
                sets["host"].append((a, b))
            if cat in OPERATOR and not (is_step(name) or is_data_loading(name) and cat != "python_function"
                                        or name.startswith("Optimizer.")):
                sets["cpu"].append((a, b))
    return sets


def is_communication(name):
    return not name.startswith("triton_") and COMMUNICATION.search(name) is not None


def time_use(sets, a, b):
    inside = {k: clip(v, a, b) for k, v in sets.items()}
    use, before, so_far = {}, [], 0
    for kind in KINDS[:-1]:
        more = inside.get(kind, []) + (inside.get("host", []) if kind == "communication" else [])
        before = union(before + more)
        now = length(before)
        use[kind + "Ns"] = now - so_far
        so_far = now
    use["otherNs"] = (b - a) - so_far
    use["wallNs"] = b - a
    compute, comm = inside.get("kernel", []), inside.get("communication", [])
    use["gpuBusyNs"] = length(compute + comm + inside.get("memcpy", []) + inside.get("memset", []))
    use["computeNs"] = length(compute)
    use["communicationKernelNs"] = length(comm)
    use["overlapNs"] = length(compute) + length(comm) - length(compute + comm)
    return use


failures = []


def expect(path, what, got, wanted, tolerance=0):
    if isinstance(wanted, float) or tolerance:
        ok = abs(got - wanted) <= tolerance + 1e-9 * abs(wanted)
    else:
        ok = got == wanted
    if not ok:
        failures.append(f"{path}: {what}: {got} instead of {wanted}")


def check(path):
    data, events = load(path)
    result = subprocess.run([LACUNA, "report", str(path), "--json"], capture_output=True, check=True)
    (report,) = json.loads(result.stdout)["reports"]
    steps, warm, (begin, end) = find_window(events)
    expect(path, "window", (report["window"]["startNs"], report["window"]["endNs"]), (begin, end))
    expect(path, "warm-up", report["window"]["warmUpSteps"], warm)
    sets = sets_of(events)
    use = time_use(sets, begin, end)
    for key, value in use.items():
        expect(path, "time." + key, report["time"][key], value)
    expect(path, "sum", sum(report["time"][k + "Ns"] for k in KINDS), end - begin)
    expect(path, "steps", len(report["steps"]), len(steps))

    gpu = [(a, b, e) for a, b, e in events if e.get("cat") in GPU]
    launches = {}
    for a, b, e in sorted((x for x in events if x[2].get("cat") in RUNTIME), key=lambda x: x[0]):
        launches.setdefault(e.get("args", {}).get("correlation"), (a, b, e))
    for (a, b, name), step in zip(steps, report["steps"]):
        expect(path, name, step["name"], name)
        for key, value in time_use(sets, a, b).items():
            expect(path, f"{name}.{key}", step[key], value)
        ends = [y for x, y, e in gpu
                if e["args"].get("correlation") in launches
                and a <= launches[e["args"]["correlation"]][0] < b]
        expect(path, f"{name}.gpuLagNs", step["gpuLagNs"], max(0, max(ends) - b) if ends else 0)

    # Devices: busy and idle add up, and the causes to the idle time.
    for device in report["devices"]:
        own = [(a, b) for a, b, e in gpu if str(e["args"].get("device", e["pid"])) == device["device"]]
        expect(path, "busy", device["busyNs"], length(clip(own, begin, end)))
        expect(path, "idle", device["idleNs"], end - begin - device["busyNs"])
        expect(path, "causes", sum(c["lostNs"] for c in device["causes"]) + device["edgesNs"],
               device["idleNs"])

    # Kernels and copies: counts, clipped times, bytes, occupancy weighted by time.
    rows = defaultdict(lambda: [0, 0, 0])
    occupancy = weight = small = compute = 0
    for a, b, e in gpu:
        if not (a < end and b > begin or begin <= a < end):
            continue
        time = max(0, min(b, end) - max(a, begin))
        row = rows[e["name"]]
        row[0] += 1
        row[1] += time
        row[2] += int(e["args"].get("bytes", 0))
        if GPU[e["cat"]] != "kernel" or is_communication(e["name"]):
            continue
        compute += time
        # 0, although one block on a part of the multiprocessors is 1 % or more: the estimate failed.
        threads = 1
        for side in e["args"].get("block", [0]):
            threads *= int(side)
        least = min(1, float(e["args"].get("blocks per SM", -1))) * threads / 2048
        failed = float(e["args"].get("est. achieved occupancy %", 0)) == 0 and least >= 0.01
        if "est. achieved occupancy %" in e["args"] and not failed:
            occupancy += float(e["args"]["est. achieved occupancy %"]) * time
            weight += time
        if float(e["args"].get("blocks per SM", 1)) < 1:
            small += time
    got = {r["name"]: [r["count"], r["totalNs"], r["bytes"]] for r in report["kernels"] + report["copies"]}
    for name, row in rows.items():
        if name in got and GPU.get(name) is None:
            shown = got[name] if row[2] else got[name][:2] + [0]
            expect(path, name[:40], shown, row)
    expect(path, "rows", len(got), len(rows))
    kernel = report["kernel"]
    expect(path, "occupancy", kernel["occupancyPercent"], occupancy / weight if weight else 0.0, 1e-3)
    expect(path, "small grids", kernel["smallGridNs"], small)
    expect(path, "compute", sum(r["totalNs"] for r in report["kernels"]
                                if not is_communication(r["name"])), compute)

    # Memory: the peaks of the records.
    peaks = {}
    running = defaultdict(int)
    records = sorted((e for e in data["traceEvents"] if e.get("name") == "[memory]"),
                     key=lambda e: ns(e["ts"]))
    for e in records:
        args = e["args"]
        key = f"gpu:{args['Device Id']}" if args["Device Type"] in (1, 6, 12, 20) else "cpu"
        running[key] = args["Total Allocated"] if "Total Allocated" in args else running[key] + args["Bytes"]
        if key not in peaks or running[key] > peaks[key][0]:
            peaks[key] = (running[key], ns(e["ts"]))
    expect(path, "memory", {m["device"]: (m["peakBytes"], m["peakTimeNs"]) for m in report["memory"]},
           peaks)

    # What has no launch in the file.
    unlinked = [e for _, _, e in gpu if e["args"].get("correlation") not in launches]
    expect(path, "unlinked", report["missing"]["unlinked"], len(unlinked))


paths = sorted(TRACES.glob("*.json.gz")) + sorted(TRACES.glob("param_v100_dlrm_8rank/*.json.gz"))
if not paths:
    print(f"no traces in {TRACES}")
    sys.exit(77)
for path in paths:
    check(path)
print("\n".join(failures[:60]) or f"{len(paths)} traces agree")
sys.exit(1 if failures else 0)
