#!/usr/bin/env python3
"""`lacuna check`: exit codes and forms on traces made here; and, where the shared simulator is there, no false alarm
among runs of one program and no planted change of 5 % that is let pass."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SOURCE = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "tests" / "support"))
import simulated_runs  # noqa: E402


def check(*words, code):
    done = subprocess.run([os.environ["LACUNA_BIN"], "check", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout if code != 2 else done.stderr


def trace(path, kernel_us, steps=6, name="void f<a|b>(`x`)", sets=0, busy_us=None):
    """Steps that take as long as their kernel and 100 us more; with so many memsets beside it."""
    events, at = [], 1000.0
    for step in range(steps):
        length = kernel_us + 100 + step % 2
        def slice_of(what, cat, start, dur, pid=1, tid=1, **args):
            events.append(dict(ph="X", name=what, cat=cat, ts=at + start, dur=dur, pid=pid, tid=tid, args=args))
        slice_of(f"ProfilerStep#{step}", "user_annotation", 0, length)
        slice_of("aten::mm", "cpu_op", 1, 30)
        slice_of("cudaLaunchKernel", "cuda_runtime", 5, 10, correlation=step + 1)
        slice_of(name, "kernel", 20, busy_us or kernel_us, pid=0, tid=7, correlation=step + 1, device=0, stream=7)
        for n in range(sets):
            slice_of("Memset (Device)", "gpu_memset", 30 + n, 1, pid=0, tid=9, device=0, stream=9)
        slice_of("cudaDeviceSynchronize", "cuda_runtime", 40, length - 45, correlation=100 + step)
        at += length
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def test_forms_and_exit_codes(folder):
    a, same, slower = trace(folder / "a.json", 1000), trace(folder / "same.json", 1000), trace(folder / "slower.json", 1060)
    assert check(a, same, code=0).startswith("as fast as before: +0.00 %")
    said = check(a, slower, code=1)
    assert said.startswith("slower by 5.5 %") and "aten::mm (+60.0 µs of GPU time)" in said, said
    assert "Limit step>3%: exceeded" in said
    check(a, slower, "--fail-on", "step>10%", code=0)
    check(a, slower, "--fail-on", "step>10%", "--fail-on", "operator:aten::mm>50us", code=1)
    assert "cannot tell: no run has it" in check(a, slower, "--fail-on", "kernel:nothing>1%", code=3)
    assert "too few" in check(a, trace(folder / "short.json", 2000, steps=3), code=3)
    assert check(slower, a, code=0).startswith("faster by")
    assert "other work" not in said
    more = check(a, trace(folder / "more.json", 1000, sets=3), code=0)
    assert "B does other work: 4 kernels, copies and sets a step, and A 1." in more, more

    busy = trace(folder / "busy.json", 1000, busy_us=1060)
    for form in ([], ["--markdown"], ["--junit"], ["--json"]):
        said = check(a, busy, "--fail-on", "busy>3%", *form, code=1)
        assert "exceeded: " in said and "passed" not in said, said
    assert said.split('"sentence": "')[1].startswith("as fast as before") and "; exceeded: busy>3%" in said, said

    document = json.loads(check(a, slower, "--json", code=1))
    assert document["verdict"] == "slower" and document["state"] == "exceeded" and document["step"]["difference"] == 60000
    assert document["limits"][0]["change"]["low"] > 0.03 * document["step"]["a"]
    assert {"kernel", "operator", "class", "busy"} <= {row["kind"] for row in document["changes"]}
    page = check(a, slower, "--markdown", code=1)
    assert "`void f<a\\|b>('x')`" in page and page.startswith("❌ **slower by 5.5 %"), page
    tests = ElementTree.fromstring(check(a, slower, "--junit", "--fail-on", "step>3%", "--fail-on", "idle>1ms",
                                         "--fail-on", "kernel:<&>1%", code=1))
    assert (tests.get("tests"), tests.get("failures"), tests.get("skipped")) == ("3", "1", "1")
    assert tests.find("testcase[@name='kernel:<&>1%']/skipped") is not None


def test_runs_of_a_baseline_that_lie_apart(folder):
    baseline = folder / "baseline"
    baseline.mkdir()
    for run, length in enumerate((1000, 1080, 920, 1040, 960)):
        trace(baseline / f"run{run}.json", length)
    (baseline / "notes.txt").write_text("no trace")
    (baseline / "broken.json").write_text("{")
    candidate = trace(folder / "candidate.json", 1060)
    check("--baseline", baseline, candidate, code=3)  # one run alone is within what runs differ by
    check("--baseline", baseline / "run0.json", candidate, code=1)
    check("--baseline", baseline, trace(folder / "bad.json", 1600), code=1)
    said = check("--baseline", baseline, candidate, "--fail-on", "step>60%", code=0)
    assert "30 and 6 steps of 5 and 1 runs" in said, said


def test_what_keeps_it_from_checking_is_never_a_verdict(folder):
    a = trace(folder / "a.json", 1000)
    (folder / "empty.json").write_text('{"traceEvents": []}')
    assert "A and B" in check(a, code=2)
    check(a, folder / "missing.json", code=2)
    check(a, folder / "empty.json", code=2)
    check(a, a, a, code=2)
    assert "is no limit" in check(a, a, "--fail-on", "speed>3%", code=2)
    check(a, a, "--json", "--junit", code=2)
    check(code=2)


def test_simulated_runs(folder):
    gen = simulated_runs.simulator()
    if gen is None:
        print("simulated runs: skipped, as the shared simulator is not there")
        return
    steps, certain = 12, 0
    for seed, kind in enumerate(gen.KINDS, start=400):
        def run(name, noise, plant=simulated_runs.Plant()):
            path = folder / f"{name}.json"
            simulated_runs.write(gen, path, *simulated_runs.simulate(gen, kind, seed, noise, steps, True, plant), noise)
            return path

        a = run("a", 1)
        equal = json.loads(check_any(a, run("b", 2)))
        assert equal["state"] != "exceeded" and equal["verdict"] in ("same", "unknown"), (kind, equal["sentence"])
        plant = simulated_runs.planted(gen, kind, seed, steps, 0.05, True, on_cpu=False)
        slower = json.loads(check_any(a, run("c", 3, plant)))
        assert slower["state"] != "kept" and slower["verdict"] in ("slower", "unknown"), (kind, slower["sentence"])
        certain += slower["state"] == "exceeded"
    # Steps of two kinds differ by more than that among themselves: data loading and Python at random.
    assert certain >= 8, certain


def check_any(*words):
    return subprocess.run([os.environ["LACUNA_BIN"], "check", *map(str, words), "--json"], capture_output=True, text=True).stdout


for test in (test_forms_and_exit_codes, test_runs_of_a_baseline_that_lie_apart,
             test_what_keeps_it_from_checking_is_never_a_verdict, test_simulated_runs):
    with tempfile.TemporaryDirectory() as made:
        test(pathlib.Path(made))
