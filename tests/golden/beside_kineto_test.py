#!/usr/bin/env python3
"""One PyTorch process recorded by Lacuna and, from the inside, by Kineto at the same time: the statistics of
both files name the same operators equally often, and agree on their times but for what each costs the other.

The files come from tests/capture/torch_test.py (BESIDE_KINETO), torch 2.15 on a CPU.
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import unittest

LACUNA = os.environ.get("LACUNA_BIN", "")
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
OURS, KINETO = (FIXTURES / f"beside_{who}.pt.trace.json.gz" for who in ("lacuna", "kineto"))


def load(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def starts(trace):
    return [trace["baseTimeNanoseconds"] + round(e["ts"] * 1000) for e in trace["traceEvents"]
            if e["ph"] == "X" and e.get("cat") == "cpu_op"]


def rows(path, *options):
    done = subprocess.run([LACUNA, "stats", "--json", *options, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {row["name"]: row for row in json.loads(done.stdout)["rows"] if row["category"] == "cpu_op"}


class BesideKineto(unittest.TestCase):
    def test_same_operators(self):
        ours, kineto = load(OURS), load(KINETO)
        events = [e for e in ours["traceEvents"] if "ts" in e]
        begin = min(ours["baseTimeNanoseconds"] + round(e["ts"] * 1000) for e in events)
        since = min(starts(kineto)) - 20_000 - begin  # the model was made before Kineto began
        a, b = rows(OURS, "--from-us", str(since / 1000)), rows(KINETO)
        self.assertEqual({n: r["count"] for n, r in a.items()}, {n: r["count"] for n, r in b.items()})
        self.assertEqual(sum(r["count"] for r in a.values()), 540)
        for name, row in a.items():
            # Ours lie around Kineto's callbacks: each operator takes a fraction of a microsecond longer.
            with self.subTest(name=name):
                longer = (row["totalNs"] - b[name]["totalNs"]) / row["count"]
                self.assertLess(abs(longer), 20_000)


if __name__ == "__main__":
    if not LACUNA:
        sys.exit("LACUNA_BIN is not set")
    unittest.main()
