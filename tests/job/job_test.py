#!/usr/bin/env python3
"""lacuna job and lacuna digest as programs: their JSON keys, and jobs whose truth is known (skipped where
../shared is not there)."""
import gzip
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

LACUNA = os.environ["LACUNA_BIN"]
SOURCE = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"])
SHARED = SOURCE.parent / "shared"


def run(*words, expect=0):
    done = subprocess.run([LACUNA, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == expect, (words, done.returncode, done.stderr)
    return done.stdout


def job(*paths):
    return json.loads(run("job", *paths, "--json"))


def trace(rank, starts, args):
    """Two collectives a rank: the other rank's start decides when they end."""
    events = []
    for n, (start, end) in enumerate(starts):
        events.append({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 20,
                       "ts": start, "dur": end - start, "args": {"device": 0, "stream": 20, **args}})
    return {"distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}, "traceEvents": events}


def two_ranks(folder):
    args = {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1000, "Out msg nelems": 1000, "Group size": 2,
            "Process Group Name": "0", "Process Group Description": "default_pg", "Process Group Ranks": "[0, 1]"}
    for rank, starts in ((0, [(100, 210), (300, 340)]), (1, [(200, 210), (310, 340)])):
        (folder / f"rank{rank}.json").write_text(json.dumps(trace(rank, starts, args)))


def check_comparison(folder):
    slow, well = folder / "slow", folder / "well"
    slow.mkdir(), well.mkdir()
    args = {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1000, "Out msg nelems": 1000, "Group size": 2,
            "Process Group Name": "0", "Process Group Description": "default_pg", "Process Group Ranks": "[0, 1]"}
    for rank, starts in ((0, [(100, 210), (300, 340)]), (1, [(200, 210), (310, 340)])):
        (slow / f"rank{rank}.json").write_text(json.dumps(trace(rank, starts, args)))
        (well / f"rank{rank}.json").write_text(json.dumps(trace(rank, [(200, 210), (310, 340)], args)))
    said = json.loads(run("job", slow, "--json", "--compare", well))
    assert said["a"]["ranks"] == said["b"]["ranks"] == 2 and said["a"]["waitedNs"] == 55_000 and said["b"]["waitedNs"] == 0, said
    change = said["collectives"][0]
    assert (change["name"], change["group"]) == ("allreduce", "default_pg") and change["a"]["waitedNs"] == 27_500, change
    words = run("job", slow, "--compare", well)
    assert "Waited in collectives" in words and "gone" in words, words
    run("job", slow, "--compare", folder / "nowhere", expect=1)
    run("job", slow, "--csv", "--compare", well, expect=2)
    assert json.loads(run("job", slow, "--compare", slow, "--json"))["stragglers"] == []


def check_keys(folder):
    two_ranks(folder)
    said = job(folder)
    assert said["ranks"] == [0, 1] and said["unmatched"] == 0 and said["stragglers"] == [], said
    assert {"rank", "offsetNs", "driftPpm", "residualNs"} <= set(said["clocks"][0])
    first = said["collectives"][0]
    assert (first["name"], first["group"], first["step"], first["ranks"]) == ("allreduce", "default_pg", None, [0, 1])
    assert first["lastRank"] == 1 and first["lateNs"] == 100_000 and first["waitNs"] == {"0": 100_000, "1": 0}
    assert first["transferNs"] == 10_000
    assert abs(first["busGBs"] - 4000 * 2 * 0.5 / 10_000) < 1e-9  # bytes, 2 (n - 1) / n, ns
    assert said["waitedNs"] == {"0": 110_000, "1": 0}
    # The same from digests, from a pattern and from files.
    for rank in (0, 1):
        run("digest", folder / f"rank{rank}.json", "-o", folder / f"rank{rank}.digest")
    for paths in ([folder / "*.digest"], [folder / "rank0.json", folder / "rank1.digest"]):
        again = job(*paths)
        for key in said.keys() - {"problems"}:
            assert again[key] == said[key], key
    digests = folder / "digests"
    digests.mkdir()
    for rank in (0, 1):
        shutil.move(folder / f"rank{rank}.digest", digests)
    assert job(digests)["waitedNs"] == said["waitedNs"]
    csv = run("job", folder, "--csv").splitlines()
    assert csv[0].startswith("name,group,") and csv[1].startswith("allreduce,default_pg,0,,2,1,100000,100000,10000,"), csv
    assert run("job", folder, "--csv", "--table", "waits").count("\n") == 5
    html = run("job", folder, "--html")
    assert html.startswith("<!DOCTYPE html>") and "<script" not in html and "rank 1" in html
    assert "rank" in run("job", folder)
    # One broken rank is told and not fatal; nothing but broken ones is.
    (folder / "rank2.json").write_text("{\"traceEvents\": [")
    broken = job(folder)
    assert broken["ranks"] == [0, 1], broken
    assert [p["rank"] for p in broken["problems"] if p["kind"] == "unreadable"] == [2], broken["problems"]
    run("job", folder / "rank2.json", expect=1)
    run("digest", folder / "rank2.json", "-o", folder / "x.digest", expect=1)
    run("job", folder / "nothing*", expect=1)
    run("job", expect=2)


def check_hostile(folder):
    """Digests cut off or of another version, a rank given twice, ranks without a common step, one rank, names that HTML and
    terminals would take for their own."""
    odd = "<b>\"x\"\x1b[31m\u202e & all_reduce"
    args = {"Collective name": odd, "dtype": "Float", "In msg nelems": 10, "Out msg nelems": 10, "Group size": 2,
            "Process Group Name": odd, "Process Group Description": odd, "Process Group Ranks": "[0, 1]"}
    for rank, starts in ((0, [(100, 210), (300, 340)]), (1, [(200, 210), (310, 340)])):
        (folder / f"rank{rank}.json").write_text(json.dumps(trace(rank, starts, args)))
        run("digest", folder / f"rank{rank}.json", "-o", folder / f"rank{rank}.digest")
    html = run("job", folder, "--html")
    assert "<b>\"x" not in html and "\x1b" not in html
    assert "\x1b" not in run("job", folder)
    assert job(folder)["collectives"][0]["name"] == odd
    whole = (folder / "rank1.digest").read_bytes()
    broken = folder / "broken.digest"
    for cut in (0, 7, 8, 100, len(whole) // 2):
        broken.write_bytes(whole[:cut])
        said = job(folder / "rank0.digest", broken)
        assert said["ranks"] == [0] and [p["kind"] for p in said["problems"]][:1] == ["unreadable"], (cut, said["problems"])
    key = b"lacuna.digest"
    at, other = whole.find(key), bytearray(whole)
    while at >= 0:  # in the schema, and once more in the footer
        value = other.find(b"\x01\0\0\0", at - 64)
        while not chr(other[value + 4]).isdigit():
            value = other.find(b"\x01\0\0\0", value + 1)
        other[value + 4] = ord("9")
        at = whole.find(key, at + 1)
    broken.write_bytes(other)
    said = job(folder / "rank0.digest", broken)
    assert "its version is 9, this lacuna reads version" in said["problems"][0]["text"], said["problems"]
    broken.unlink()
    (folder / "again.digest").write_bytes(whole)
    said = job(folder / "*.digest")
    assert said["ranks"] == [0, 1] and [p["kind"] for p in said["problems"]] == ["duplicate"], said["problems"]
    alone = job(folder / "rank0.json")
    assert alone["ranks"] == [0] and alone["missing"] == [1] and alone["collectives"] == [], alone
    apart = folder / "apart"
    apart.mkdir()
    for rank in (0, 1):
        made = trace(rank, [(1000 + 5000 * rank, 1100 + 5000 * rank)], args)
        made["traceEvents"].append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{10 + rank}", "pid": 1,
                                    "tid": 1, "ts": 900 + 5000 * rank, "dur": 300})
        (apart / f"rank{rank}.json").write_text(json.dumps(made))
    said = job(apart)
    assert said["ranks"] == [0, 1] and said["unmatched"] == 2, said
    assert "no two ranks have a collective in common: their traces have steps 10 to 10; steps 11 to 11" in run("job", apart)


def check_dlrm():
    """Eight ranks of DLRM: who was last, and each wait to the microsecond."""
    reference = json.loads((SHARED / "samples/ranks/param_v100_dlrm_8rank.json").read_text())
    traces = SHARED / "traces/param_v100_dlrm_8rank"
    said = job(traces)
    assert [c["lastRank"] for c in said["collectives"]] == [7, 7, 7, 7, 7, 5, 5, 4]
    assert {r: ns / 1000 for r, ns in said["waitedNs"].items()} == reference["waited_us"]
    for mine, theirs in zip(said["collectives"], reference["collectives"], strict=True):
        assert mine["name"] == theirs["name"] and mine["lateNs"] == theirs["late_us"] * 1000
        assert {r: ns / 1000 for r, ns in mine["waitNs"].items()} == theirs["waits_us"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        chance, offsets = random.Random(7), {}
        for path in sorted(traces.glob("*.trace.json.gz")):
            with gzip.open(path) as file:
                data = json.load(file)
            rank = data["distributedInfo"]["rank"]
            offsets[rank], drift = (chance.uniform(-3000, 3000), chance.uniform(-20e-6, 20e-6)) if rank else (0, 0)
            first = 1694128201400000
            for event in data["traceEvents"]:
                if event.get("ph") == "X":
                    event["dur"] = round(event["dur"] * (1 + drift), 3)
                    event["ts"] = round(event["ts"] + offsets[rank] + (event["ts"] - first) * drift, 3)
            (folder / f"{rank}.json").write_text(json.dumps(data))
        shifted = job(folder)
        assert [c["lastRank"] for c in shifted["collectives"]] == [7, 7, 7, 7, 7, 5, 5, 4]
        for clock in shifted["clocks"]:
            assert abs(clock["offsetNs"] / 1000 - offsets[clock["rank"]]) < 5, clock


def check_generated(folder, seed):
    """A job with planted stragglers and clocks (bench/gen_job.py)."""
    subprocess.run([sys.executable, SHARED / "bench/gen_job.py", folder, "--ranks", "16", "--seed", str(seed)], check=True,
                   stdout=subprocess.DEVNULL)
    truth = json.loads((folder / "truth.json").read_text())
    said = job(folder)
    named = {(s["rank"], tuple(s["steps"]), s["causeName"]) for s in said["stragglers"]}
    assert {(r, c) for r, _, c in named} == {(truth["slow_gpu"], "slower kernels"),
                                             (truth["slow_host"]["rank"], "data loading"),
                                             (truth["launch_bound"]["rank"], "launch-bound")}, named
    for s in said["stragglers"]:
        if s["causeName"] == "data loading":
            assert s["steps"] == [truth["slow_host"]["step"]]
        if s["causeName"] == "launch-bound":
            assert s["steps"] == [truth["launch_bound"]["step"]]
        assert s["cause"].startswith(s["causeName"] + ": ") and s["evidence"]
    for clock in said["clocks"]:
        assert abs(clock["offsetNs"] - truth["clock_ns"][clock["rank"] // 8]["offset"]) < 20_000, clock
    for rank, waited in truth["waited_ns"].items():
        assert abs(said["waitedNs"][rank] - waited) <= 0.01 * waited, rank
    for path in folder.glob("rank*.json.gz"):
        digest = folder / path.name.replace(".json.gz", ".digest")
        run("digest", path, "-o", digest)
        with gzip.open(path) as file:
            size = len(file.read())
        assert digest.stat().st_size <= 0.05 * size, (digest.stat().st_size, size)
    again = job(folder / "*.digest")
    for key in ("clocks", "collectives", "waitedNs", "unmatched"):
        assert again[key] == said[key], key


def main():
    with tempfile.TemporaryDirectory() as name:
        check_keys(pathlib.Path(name))
    with tempfile.TemporaryDirectory() as name:
        check_comparison(pathlib.Path(name))
    with tempfile.TemporaryDirectory() as name:
        check_hostile(pathlib.Path(name))
    if not (SHARED / "bench/gen_job.py").exists():
        print("keys checked; skipped: ../shared is not there")
        return 0
    check_dlrm()
    for seed in (1, 2, 3):
        with tempfile.TemporaryDirectory() as name:
            check_generated(pathlib.Path(name), seed)
    return 0


sys.exit(main())
