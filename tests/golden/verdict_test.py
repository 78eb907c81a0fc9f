"""Verdict, busy share and gain of traces whose bottleneck was planted, and reports that must not contradict themselves.

Traces come from simulators: planted.py beside this file, and the shared bench's gen_verdict.py where it is there. Each
tells the truth beside the trace: the wall time, how long the GPU is busy in it, and what is gained without the plant.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import planted  # noqa: E402

ROOT = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"])
SHARED = ROOT / ".." / "shared"
LACUNA = os.environ["LACUNA_BIN"]
CHANGE = {"overhead": ["--no-cause", "launch_bound"], "data_loading": ["--no-cause", "data_loading"],
          "item_sync": ["--no-cause", "synchronisation"], "blocking_copy": ["--no-cause", "blocking_copy"],
          "first_use": ["--no-cause", "first_use"], "allocation": ["--no-cause", "allocation"],
          "communication": ["--overlap", "comm"], "python_work": ["--no-cause", "launch_bound"]}
SEEDS = (1, 16, 23)

failures = []


def run(*args):
    return subprocess.run([LACUNA, *map(str, args)], capture_output=True, text=True)


def judge(path, truth, change=None):
    """One trace: 5 points of the busy share, a tenth of the gain or 2 points of the wall."""
    def expect(ok, what):
        if not ok:
            failures.append(f"{path.name}: {what}")
    answer = run("report", path, "--json")
    if answer.returncode != 0:
        return expect(False, answer.stderr.strip())
    (report,) = json.loads(answer.stdout)["reports"]
    device = next(d for d in report["devices"] if d["device"] == str(truth["gpu"]))
    wall = report["window"]["wallNs"]
    expect(device["verdict"] == truth["verdict"], f"verdict {device['verdict']} instead of {truth['verdict']}")
    busy, wanted = device["busyNs"] / wall, truth["busy_ns"] / truth["wall_ns"]
    expect(abs(busy - wanted) <= 0.05, f"busy {busy:.3f} instead of {wanted:.3f}")
    expect(sum(c["lostNs"] for c in device["causes"]) == device["idleNs"], "causes do not add up to the idle time")
    check = run("report", path, "--check")
    expect(check.returncode == 0, check.stdout + check.stderr)
    if change is None or "wall_without_ns" not in truth:
        return
    gain = truth["wall_ns"] - truth["wall_without_ns"]
    answer = json.loads(run("what-if", path, *change, "--json").stdout)
    got = answer["replayedNs"] - answer["predictedNs"]
    expect(abs(got - gain) <= max(0.1 * gain, 0.02 * truth["wall_ns"]), f"gain {got} instead of {gain}")
    best = max((a["gainNs"] for a in report["advice"] if a["gainNs"] is not None), default=0)
    expect(abs(best - gain) <= max(0.1 * gain, 0.02 * truth["wall_ns"]), f"advice gains {best} instead of {gain}")


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    count = 0
    for kind in planted.KINDS:
        for seed in SEEDS:
            path = folder / f"planted_{kind}_{seed}.json"
            truth = planted.write(path, kind, random.Random(seed))
            judge(path, truth, planted.CHANGE.get(kind))
            count += 1
    generator = SHARED / "bench" / "gen_verdict.py"
    if generator.exists():
        for kind in "compute overhead data_loading item_sync blocking_copy first_use allocation communication python_work " \
                    "graph".split():
            for seed in SEEDS:
                for variant in ([], ["--tail"], ["--no-steps"]):
                    path = folder / f"{kind}_{seed}{''.join(variant)}.json"
                    subprocess.run([sys.executable, str(generator), str(path), "--kind", kind, "--seed", str(seed),
                                    *variant], check=True, stdout=subprocess.DEVNULL)
                    judge(path, json.loads(pathlib.Path(f"{path}.truth").read_text()), CHANGE.get(kind))
                    count += 1

# What tutorials show first, and files from the field: the answer that a reader of them would give.
cases = {"verdicts/64_bf16_cold_eager.json": "launch", "verdicts/64_bf16_cold_compile.json": "launch",
         "field/03_first_use_launch_call.json": "firstUse", "field/09_verdict_zero_zero_zero.json": "notRecorded",
         "field/01_what_if_with_trace_span.json": "synchronisation"}
for name, verdict in cases.items():
    path = SHARED / "samples" / name
    if path.exists():
        got = json.loads(run("report", path, "--json").stdout)["reports"][0]["verdict"]
        if got != verdict:
            failures.append(f"{name}: verdict {got} instead of {verdict}")

# Every real trace there is: no report contradicts itself.
paths = sorted((ROOT / "tests" / "fixtures").glob("*.trace.json.gz")) + [ROOT / "assets" / "demo.trace.json.gz"]
for pattern in ("traces/*.json.gz", "traces/param_v100_dlrm_8rank/*.json.gz", "samples/*.gz", "samples/kernels/*.gz",
                "samples/kernels/*/*.gz", "samples/nsys/*.sqlite", "samples/critical_path/*.gz", "samples/field/0*.json"):
    paths += sorted(SHARED.glob(pattern))
for path in paths:
    answer = run("report", path, "--check")
    if answer.returncode != 0 and "contradicts itself" in answer.stderr:
        failures.append(f"{path.name}: {answer.stderr}")

print("\n".join(failures[:60]) or f"{count} planted causes and {len(paths)} traces agree")
sys.exit(1 if failures else 0)
