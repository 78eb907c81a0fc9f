"""`lacuna report --json` against a computation of its own, on traces of the project and on every shared one.

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
KINDS = ("kernel", "memcpy", "memset", "communication", "waitingKernel", "runtime", "dataLoading", "cpu", "other")


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


PROFILER_FREE = {"Lazy Function Loading", "Command Buffer Full", "Runtime Triggered Module Loading", "Driver Compiler"}


def find_window(events):
    """Steps as (annotation's begin, end, name, paced begin, paced end), how many are warm-up, and the window."""
    steps = sorted((a, b, e["name"]) for a, b, e in events
                   if is_step(str(e["name"])) and e.get("cat") in OPERATOR | ANNOTATION)
    engine = [(a, b, e["name"]) for a, b, e in events
              if re.match(r"execute_(\d+_)?context_\d+\(|step\[(EXTEND|DECODE|MIXED) ", str(e["name"]))
              and e.get("cat") in OPERATOR | ANNOTATION]
    if not steps:  # of inference servers, the outermost
        steps = sorted((a, b, n) for a, b, n in engine
                       if not any((x, y) != (a, b) and x <= a and b <= y for x, y, _ in engine))
    if not steps:
        work = [(a, b) for a, b, e in events
                if e.get("cat") in OPERATOR | RUNTIME | ANNOTATION or (e.get("cat") in GPU and b > a)]
        return [], 0, (min(a for a, _ in work), max(b for _, b in work))
    launches = {}
    for a, b, e in sorted((x for x in events if x[2].get("cat") in RUNTIME), key=lambda x: x[0]):
        launches.setdefault(e.get("args", {}).get("correlation"), a)
    gpu = [(launches.get(e["args"].get("correlation")), b) for _, b, e in events if e.get("cat") in GPU]
    paced, before = [], -1 << 62
    for a, b, name in steps:
        end = max([b] + [y for at, y in gpu if at is not None and a <= at < b])
        begin = max(a, before)
        paced.append((a, b, name) + ((begin, end) if end > begin else (a, b)))
        before = max(before, end)
    profiler = [(a, b) for a, b, e in events if e.get("cat") == "overhead" and e["name"] not in PROFILER_FREE]
    loading = [(a, b) for a, b, e in events if is_data_loading(str(e["name"]))
               and e.get("cat") in OPERATOR | ANNOTATION | {"python_function"}]
    lengths = [y - x for *_, x, y in paced]
    if len(lengths) > 1:
        waited = sorted(length(clip(loading, x, y)) for *_, x, y in paced[1:])[(len(lengths) - 2) // 2]
        median = sorted(lengths[1:])[(len(lengths) - 2) // 2]
        if lengths[0] > 1.5 * median:
            lengths = [n - length(clip(profiler, x, y)) - (length(clip(loading, x, y)) if waited * 10 >= median else 0)
                       for n, (*_, x, y) in zip(lengths, paced)]
    warm = 0
    while warm + 2 < len(steps) and not engine:
        rest = sorted(lengths[warm + 1:])
        if lengths[warm] <= 1.5 * rest[(len(rest) - 1) // 2] or lengths[warm] - rest[-1] < rest[-1] - rest[0]:
            break
        warm += 1
    if sum(lengths[:warm]) > sum(lengths[warm:]):
        warm = 0
    return paced, warm, (paced[warm][3], max(p[4] for p in paced[warm:]))


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
    for (a, b, name, x, y), step in zip(steps, report["steps"]):
        expect(path, name, step["name"], name)
        expect(path, f"{name}.lengthNs", step["lengthNs"], y - x)
        for key, value in time_use(sets, x, y).items():
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
        expect(path, "causes", sum(c["lostNs"] for c in device["causes"]), device["idleNs"])

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


def subtract(a, b):
    """What is in the union `a` and not in the union `b`."""
    left, b = [], union(b)
    for x, y in union(a):
        for u, v in b:
            if v <= x or u >= y:
                continue
            if u > x:
                left.append((x, u))
            x = max(x, v)
        if x < y:
            left.append((x, y))
    return left


MATRIX = re.compile(r"aten::(_?(add|b|badd|addb)?b?mm_?|mv|dot|linear|matmul|.*conv(?!ert).*|.*scaled_dot_product.*|"
                    r"_native_multi_head_attention)$")
COPIES = re.compile(r"aten::(copy_?|clone|contiguous|to|_to_copy|cat|stack|repeat|tile|reshape)$")
WAITS = re.compile("<built-in (function (sleep|select|wait|waitpid|read|write|open|fsync|unlink)>|"
                   "method (acquire of _thread|poll of select|(read|write|flush)\\w* of _io))")


def check_cpu(path):
    """A trace without a GPU: the process's time by kind, its operators, gaps and threads."""
    _, events = load(path)
    result = subprocess.run([LACUNA, "report", str(path), "--json"], capture_output=True, check=True)
    (report,) = json.loads(result.stdout)["reports"]
    cpu = report["cpu"]
    steps, warm, (begin, end) = find_window(events)
    expect(path, "window", (report["window"]["startNs"], report["window"]["endNs"]), (begin, end))
    pid = cpu["pid"]
    mine = [(a, b, e) for a, b, e in events if str(e["pid"]) == pid]
    operators = [(a, b, e) for a, b, e in mine if e.get("cat") in OPERATOR and not is_step(e["name"])
                 and not e["name"].startswith("Optimizer.") and not is_data_loading(e["name"])
                 and not is_host_communication(e["name"])]
    spans = [(a, b) for a, b, _ in operators]
    data = [(a, b) for a, b, e in mine if is_data_loading(e["name"])]
    collectives = [(a, b) for a, b, e in mine if is_host_communication(e["name"])]
    whole = [(min([begin] + [s[0] for s in steps]), max([end] + [s[1] for s in steps]))]
    use = {"dataLoading": union(data), "operators": subtract(spans, data),
           "collectives": subtract(collectives, data + spans)}
    gaps = subtract(whole, data + spans + collectives)
    in_steps = [(a, b) for a, b, *_ in steps] or whole
    # Frames that wait have no frames inside.
    waits = [(a, b) for a, b, e in mine if str(e["tid"]) == cpu["tid"] and WAITS.match(e["name"])]
    use["waiting"] = subtract(gaps, subtract(gaps, waits))
    use["outsideSteps"] = subtract(subtract(gaps, in_steps), waits)
    gaps = subtract(gaps, subtract(gaps, in_steps))
    use["longGaps"] = subtract([g for g in gaps if g[1] - g[0] >= 1_000_000], waits)
    use["python"] = subtract([g for g in gaps if g[1] - g[0] < 1_000_000], waits)
    for name, parts in use.items():
        expect(path, "cpu." + name, cpu["time"][name + "Ns"], length(clip(parts, begin, end)))
        for (a, b, step, *_), got in zip(steps, cpu["steps"]):
            expect(path, f"{step}.{name}", got[name + "Ns"], length(clip(parts, a, b)))
    inside = clip(gaps, begin, end)
    expect(path, "gaps", (cpu["shortGaps"], cpu["longGaps"]),
           (sum(length([g]) < 1_000_000 for g in inside), sum(length([g]) >= 1_000_000 for g in inside)))
    outside = length(clip(use.pop("outsideSteps"), begin, end))
    most = max(use, key=lambda k: length(clip(use[k], begin, end)))
    if length(clip(use[most], begin, end)) * 2 >= end - begin - outside:
        words = {"operators": "cpuOperators", "python": "cpuPython", "longGaps": "cpuLongGaps", "waiting": "cpuWaiting",
                 "dataLoading": "dataLoading", "collectives": "communication"}[most]
    else:
        words = "cpuMixed"
    expect(path, "verdict", report["verdict"], words)

    # Own times: each moment of a thread belongs to its innermost event, if that is an operator.
    own = defaultdict(int)
    calls = 0
    short = 0
    for tid in {str(e["tid"]) for _, _, e in mine}:
        thread = sorted(((a, b, e) for a, b, e in mine if str(e["tid"]) == tid), key=lambda x: (x[0], -x[1]))
        for i, (a, b, e) in enumerate(thread):
            if not any(e is o[2] for o in operators) or not clip([(a, b)], begin, end):
                continue
            children = []
            for x, y, _ in thread[i + 1:]:
                if x >= b:
                    break
                children.append((x, y))
            time = length(clip([(a, b)], begin, end)) - length(clip(clip(children, a, b), begin, end))
            own[e["name"]] += time
            calls += 1
            short += time if time < 10_000 else 0
    expect(path, "calls", cpu["operatorCalls"], calls)
    expect(path, "own", cpu["ownNs"], sum(own.values()))
    expect(path, "short calls", cpu["shortCallsNs"], short)
    expect(path, "matrix", cpu["matrixNs"], sum(t for n, t in own.items() if MATRIX.match(n)))
    expect(path, "copies", cpu["copiesNs"], sum(t for n, t in own.items() if COPIES.match(n)))
    for row in report["operators"]:
        expect(path, row["name"], row["selfCpuNs"], own[row["name"]])
    by_thread = defaultdict(list)
    for a, b, e in operators:
        by_thread[str(e["tid"])].append((a, b))
    expect(path, "threads", {t["tid"]: t["operatorsNs"] for t in cpu["threads"]},
           {t: length(clip(s, begin, end)) for t, s in by_thread.items() if length(clip(s, begin, end))})
    changes = sorted((t, d) for s in by_thread.values() for a, b in union(clip(s, begin, end)) for t, d in ((a, 1), (b, -1)))
    now = two = before = 0
    for t, d in changes:
        two += (t - before) * (now >= 2)
        now, before = now + d, t
    expect(path, "parallel", cpu["operatorsParallelNs"], two)


fixtures = sorted((ROOT / "tests" / "fixtures").glob("*torch_cpu*.trace.json.gz"))
assert len(fixtures) > 10
for path in fixtures:
    check_cpu(path)

fixture_folder = ROOT / "tests" / "fixtures"
own = [ROOT / "assets" / "demo.trace.json.gz", fixture_folder / "labelled_gaps.json.gz",
       *sorted((fixture_folder / "eight_ranks").glob("*.json.gz")), *sorted(fixture_folder.glob("what_if_*.json.gz"))]
assert len(own) > 10
shared = sorted(TRACES.glob("*.json.gz")) + sorted(TRACES.glob("param_v100_dlrm_8rank/*.json.gz"))
for path in own + shared:
    check(path)
print("\n".join(failures[:60]) or f"{len(own)} + {len(shared)} + {len(fixtures)} traces agree")
if not shared and not failures:
    print(f"no shared traces in {TRACES}")
    sys.exit(77)
sys.exit(1 if failures else 0)
