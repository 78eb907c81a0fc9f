#!/usr/bin/env python3
"""One PyTorch process recorded by Lacuna and, from the inside, by Kineto at the same time: both files have the same
operators, nested alike, with the same arguments and arrows, and torch's table has the same rows of both.

The files come from tests/capture/torch_test.py (WITH_KINETO), torch 2.15 on a CPU.
"""
import gzip
import json
import os
import pathlib
import sys
import unittest

from same_operators import absolute, check_same, operators_of, table_of

LACUNA = os.environ.get("LACUNA_BIN", "")
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
OURS, KINETO = (FIXTURES / f"beside_{who}.pt.trace.json.gz" for who in ("lacuna", "kineto"))


def load(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


class BesideKineto(unittest.TestCase):
    def test_same_operators(self):
        ours, kineto = load(OURS), load(KINETO)
        span = check_same(self, ours, kineto)
        self.assertEqual(table_of(LACUNA, OURS, ours, span), table_of(LACUNA, KINETO))
        # Ours lie around Kineto's callbacks: each operator takes a fraction of a microsecond longer.
        common = [e for e in operators_of(ours) if absolute(ours, e["ts"]) >= span[0]]
        longer = sorted(a["dur"] - b["dur"] for a, b in zip(common, operators_of(kineto)))
        self.assertLess(abs(longer[len(longer) // 2]), 5)


if __name__ == "__main__":
    if not LACUNA:
        sys.exit("LACUNA_BIN is not set")
    unittest.main()
