#!/usr/bin/env python3
"""What a graph replays by its capture trace, against TraceLens' sums by category and module
(../shared/samples/kernels/sglang_decode.ref.json).

    LACUNA_BIN=build/dev/app/lacuna tests/golden/capture_traces_test.py [-v] [TestClass.test_name]
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

LACUNA = os.environ.get("LACUNA_BIN", "build/dev/app/lacuna")
KERNELS = pathlib.Path(__file__).resolve().parents[3] / "shared" / "samples" / "kernels"
TRACE = KERNELS / "sglang_decode" / "decode.json.gz"
# What TraceLens' categories of operators are called by their names here.
CATEGORIES = [
    ("GEMM", r"aten::mm|aiter::gemm"),
    ("InferenceAttention", r"aiter::.*(pa_|paged|attention|kv_cache|reshape_and_cache)|RadixAttention"),
]


def query(sql):
    done = subprocess.run([LACUNA, "query", TRACE, sql, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["rows"]


@unittest.skipUnless(TRACE.is_file(), "the shared samples are not here")
class SglangDecode(unittest.TestCase):
    def setUp(self):
        self.reference = json.loads((KERNELS / "sglang_decode.ref.json").read_text())["by_category"]

    def test_kernel_time_by_module(self):
        ours = collections.Counter()
        counts = collections.Counter()
        for module, ns in query("SELECT module, dur FROM gpu_kernel WHERE kind = 'kernel'"):
            name = re.sub(r"_\d+$", "", module) if module else "NA"
            ours[name] += ns
            counts[name] += 1
        wanted = collections.Counter()
        wanted_counts = collections.Counter()
        for row in self.reference:
            wanted[row["module"]] += row["kernel_ms"] * 1e6
            wanted_counts[row["module"]] += row["count"]
        self.assertEqual(set(ours), set(wanted))
        for module in wanted:
            self.assertLess(abs(ours[module] - wanted[module]), 1000, (module, ours[module], wanted[module]))


if __name__ == "__main__":
    program = unittest.main(exit=False)
    sys.exit(77 if program.result.wasSuccessful() and program.result.skipped else not program.result.wasSuccessful())
