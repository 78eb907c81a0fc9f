#!/usr/bin/env python3
"""Comparison by structure: operators of two traces with counts and kernel times as the JSON of the files has them, and
the places of a small pair, eager and compiled."""
import bisect
import collections
import decimal
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures"
SHARED = HERE.parent.parent.parent / "shared"
LACUNA = os.environ["LACUNA_BIN"]
PAIR = FIXTURES / "structure_eager.json.gz", FIXTURES / "structure_compiled.json.gz"


def compared(a, b, *options):
    done = subprocess.run([LACUNA, "diff", a, b, "--json", *options], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def events_of(path):
    text = path.read_bytes()
    document = json.loads(gzip.decompress(text) if path.suffix == ".gz" else text, parse_float=decimal.Decimal,
                          parse_int=decimal.Decimal)
    events = document["traceEvents"] if isinstance(document, dict) else document
    return [e for e in events if e.get("ph") == "X"]


def is_compiled(name):
    return "CompiledFxGraph" in name or "CompiledFunction" in name or name.startswith(("Torch-Compiled Region", "triton_"))


def across(name):
    return "CompiledFxGraph" if "CompiledFxGraph" in name else re.sub("0x[0-9a-fA-F]{6,}", "0x*", name)


def operators_of(path):
    """By name: calls, ns of the kernels launched inside, ns of those with no other operator in between; and of each
    kernel its ns and whether its launch is there."""
    def ns(us):
        return int(us * 1000)
    events, threads = events_of(path), collections.defaultdict(list)
    for e in events:
        if e.get("cat") == "cpu_op" or e.get("cat") == "user_annotation" and is_compiled(e["name"]):
            threads[e["pid"], e["tid"]].append((ns(e["ts"]), ns(e["ts"] + e["dur"]), across(e["name"])))
    rows, kernels = collections.defaultdict(lambda: [0, 0, 0]), []
    for slices in threads.values():
        slices.sort(key=lambda s: (s[0], -s[1]))
        for _, _, name in slices:
            rows[name][0] += 1
    calls = {int(e["args"]["correlation"]): e for e in events
             if e.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in e.get("args", {})}
    for e in events:
        if e.get("cat") != "kernel":
            continue
        time = ns(e["ts"] + e["dur"]) - ns(e["ts"])
        call = calls.get(int(e["args"].get("correlation", -1)))
        kernels.append((time, call is not None))
        if call is None:
            continue
        at, slices = ns(call["ts"]), threads[call["pid"], call["tid"]]
        around = [s for s in slices[:bisect.bisect_right(slices, (at, decimal.Decimal("inf"), ""))] if s[1] > at]
        for name in {s[2] for s in around}:
            rows[name][1] += time
        if around:
            rows[around[-1][2]][2] += time
    return rows, kernels


class Structure(unittest.TestCase):
    def agrees(self, a, b, common):
        answer = compared(a, b)
        structure = answer["structure"]
        rows, operators = structure["rows"], {row["name"]: row for row in structure["operators"]}
        wanted = {side: operators_of(path) for side, path in (("a", a), ("b", b))}
        self.assertEqual(len(set(wanted["a"][0]) & set(wanted["b"][0])), common)
        for side, (names, kernels) in wanted.items():
            for name, (count, time, own) in names.items():
                got = operators[name][side]
                # Where a file's times end between two ns, so may each kernel's.
                self.assertEqual(got["count"], count, name)
                self.assertLessEqual(abs(got["kernelNs"] - time), len(kernels), name)
                self.assertLessEqual(abs(got["ownKernelNs"] - own), len(kernels), name)
            self.assertEqual({n for n, row in operators.items() if row[side]["count"]}, set(names))
            # Kernels make the whole: what the rows by name have, and no more than the file.
            whole = sum(row[side]["totalNs"] for row in answer["rows"] if row["category"] == "kernel")
            below = [row[side] for row in rows if row["kind"] == "kernel" and row[side]]
            self.assertEqual(sum(row["kernelNs"] for row in below), whole)
            self.assertEqual(sum(row["count"] for row in below), rows[0][side]["kernels"])
            self.assertEqual(rows[0][side]["kernelNs"], whole)
            self.assertLessEqual(whole, sum(time for time, _ in kernels))
            self.assertGreaterEqual(whole, sum(time for time, has_launch in kernels if has_launch))
        for i, row in enumerate(rows):
            if row["kind"] != "kernel":
                inside = [r for r in rows if r["parent"] == i]
                for side in ("a", "b"):
                    self.assertEqual(sum(r[side]["kernelNs"] for r in inside if r[side]),
                                     row[side]["kernelNs"] if row[side] else 0, row["name"])

    def test_operators_of_the_pair(self):
        self.agrees(*PAIR, common=3)

    def test_operators_of_two_makers_of_gpus(self):
        a, b = SHARED / "traces/tracelens_h100_qwen1.5_0.5b.json.gz", SHARED / "samples/kernels/mi300x_qwen1.5_0.5b.json.gz"
        if not a.exists() or not b.exists():
            self.skipTest("the traces are not here")
        self.agrees(a, b, common=45)

    def test_operators_of_eager_and_compiled_code(self):
        a, b = (SHARED / f"samples/verdicts/64_bf16_cold_{how}.json" for how in ("eager", "compile"))
        if not a.exists() or not b.exists():
            self.skipTest("the traces are not here")
        self.agrees(a, b, common=0)
        rows = compared(a, b)["structure"]["rows"]
        self.assertEqual([(r["relation"], r["a"]["names"], r["b"]["names"]) for r in rows if r["relation"] == "fused"],
                         [("fused", ["aten::matmul", "aten::add"], ["CompiledFxGraph"]),
                          ("fused", ["aten::mm", "aten::add"], ["aten::addmm"])])

    def test_places_of_the_pair(self):
        structure = compared(*PAIR)["structure"]
        rows = structure["rows"]
        self.assertTrue(structure["modules"])

        def place(*names):
            found = [r for r in rows if (r["a"] or {}).get("names") == names[0] and (r["b"] or {}).get("names") == names[-1]
                     and r["kind"] != "kernel"]
            self.assertEqual(len(found), 1, names)
            return found[0]
        network = place(["nn.Module: Network"])
        self.assertEqual((network["relation"], network["a"]["count"]), ("same", 3))
        region = place(["nn.Module: Block"], ["Torch-Compiled Region: 0/0"])
        self.assertEqual(rows[region["parent"]], network)
        self.assertEqual(region["relation"], "replaced")
        self.assertEqual((region["a"]["kernelNs"], region["b"]["kernelNs"]), (3 * 162_000, 3 * 124_000))
        addmm = place(["aten::addmm"])
        self.assertEqual(rows[addmm["parent"]], region)
        self.assertEqual(addmm["kernelDifferenceNs"], 3 * (96_000 - 100_000))
        norm = place(["aten::pow", "aten::mean", "aten::rsqrt", "aten::mul"], ["triton_red_fused_mean_mul_pow_rsqrt_0"])
        self.assertEqual((norm["relation"], norm["kernelDifferenceNs"]), ("fused", 3 * (16_000 - 36_000)))
        self.assertEqual(place(["aten::gelu", "aten::add"], ["triton_poi_fused_add_gelu_1"])["relation"], "fused")
        self.assertEqual(place(["aten::embedding"])["movedNs"], 0)
        # The other way round, the same.
        back = compared(*reversed(PAIR))["structure"]["rows"]
        self.assertEqual([r["relation"] for r in back if r["b"] and r["b"]["names"][0] == "aten::pow"], ["split"])

    def test_a_bound_keeps_the_largest_differences_and_what_is_around_them(self):
        whole, few = (compared(*PAIR, *options)["structure"] for options in ((), ("--limit", "6")))
        self.assertEqual(len(few["rows"]), 6)
        self.assertEqual(few["rowCount"], len(whole["rows"]))
        least = min(r["movedNs"] for r in few["rows"])
        self.assertEqual(sum(r["movedNs"] > least for r in whole["rows"]), sum(r["movedNs"] > least for r in few["rows"]))
        for i, row in enumerate(few["rows"]):
            self.assertTrue(row["parent"] is None if i == 0 else row["parent"] < i)

    def test_the_pair_is_what_its_generator_makes(self):
        done = subprocess.run([sys.executable, "-B", HERE / "structure_pair.py", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
