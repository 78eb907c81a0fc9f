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
# TraceLens' categories of the operators that were captured.
CATEGORIES = {
    "aten::mm": "GEMM",
    "aten::copy_": "elementwise",
    "sgl_kernel::silu_and_mul": "elementwise",
    "aiter::rmsnorm": "RMSNorm",
    "aiter::add_rmsnorm": "RMSNorm",
    "sglang::store_cache": "InferenceAttention",
    "sglang_profiler::attention_paged_attention_ragged_100": "InferenceAttention",
    "sgl_kernel::rotary_embedding": "RoPE_fwd",
    "aten::gather": "other",
}


def class_of(module):
    return re.sub(r"_\d+$", "", module) if module else "NA"


def query(sql):
    done = subprocess.run([LACUNA, "query", TRACE, sql, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["rows"]


@unittest.skipUnless(TRACE.is_file(), "the shared samples are not here")
class SglangDecode(unittest.TestCase):
    def setUp(self):
        self.reference = json.loads((KERNELS / "sglang_decode.ref.json").read_text())["by_category"]

    def check(self, ours, wanted):
        self.assertEqual(set(ours), set(wanted))
        for key, ns in wanted.items():
            self.assertLess(abs(ours[key] - ns), 1000, (key, ours[key], ns))

    def test_kernel_time_by_module(self):
        ours, wanted = collections.Counter(), collections.Counter()
        for module, ns in query("SELECT module, dur FROM gpu_kernel"):
            ours[class_of(module)] += ns
        for row in self.reference:
            wanted[row["module"]] += row["kernel_ms"] * 1e6
        self.check(ours, wanted)

    def test_kernel_time_by_category_and_module(self):
        ours, wanted = collections.Counter(), collections.Counter()
        for module, operator, ns in query("SELECT module, operator, dur FROM gpu_kernel WHERE captured_id IS NOT NULL"):
            ours[CATEGORIES.get(operator, operator), class_of(module)] += ns
        for row in self.reference:
            # What the graph did not run has no module, or is the sampler's.
            if row["module"] not in ("NA", "nn.Module: Sampler"):
                wanted[row["category"], row["module"]] += row["kernel_ms"] * 1e6
        self.check(ours, wanted)

    def test_all_nodes_are_known(self):
        done = subprocess.run([LACUNA, "info", TRACE, "--json"], capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout)["graphNodes"], {
            "nodes": 544, "ofCaptureTrace": 544, "byName": 544, "ofTrace": 0, "annotated": 0, "unknown": 0})


if __name__ == "__main__":
    program = unittest.main(exit=False)
    sys.exit(77 if program.result.wasSuccessful() and program.result.skipped else not program.result.wasSuccessful())
