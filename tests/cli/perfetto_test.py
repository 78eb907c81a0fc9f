#!/usr/bin/env python3
"""`lacuna info`, `stats`, `gaps` and `query` of a Perfetto trace as PyTorch writes it: gzip, names interned, all begins
before all ends, kernels as render stages. Its numbers are reckoned here.

    LACUNA_BIN=build/dev/app/lacuna tests/cli/perfetto_test.py [-v] [TestClass.test_name]
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "fuzz"))
from make_seeds import message  # noqa: E402

LACUNA = os.environ.get("LACUNA_BIN", "")
KERNELS = 40
BASE = 1_790_000_000_000_000_000


def lacuna(*arguments):
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run([LACUNA, *map(str, arguments)], capture_output=True, timeout=120, env=environment)


def answer(*arguments):
    done = lacuna(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def named(number, text):
    return message((1, number), (2, text))


def pytorch_trace():
    """A kernel of 6 us every 10 us, launched 5 us before it starts; in between, the GPU has nothing to do for 4 us."""
    packets = [
        message((8, BASE), (6, message((1, message((1, 6), (2, BASE))), (1, message((1, 1), (2, BASE)))))),
        message((60, message((1, 1), (3, message((1, 42), (6, "python")))))),
        message((60, message((1, 2), (5, 1), (4, message((1, 42), (2, 7), (5, "main")))))),
        message((10, 1), (13, 1), (12, message(
            (1, named(1, "cuda_runtime")), (2, named(1, "cudaLaunchKernel")), (2, named(2, "sgemm")),
            (24, named(1, "Kernel")), (24, named(2, "[7] stream 7")), (1000, named(1, "sgemm"))))),
    ]

    def at(time, *fields):
        packets.append(message((10, 1), (13, 2), (8, BASE + time), *fields))
    for i in range(KERNELS):
        at(10_000 * i, (11, message((9, 1), (11, 2), (10, 1), (3, 1), (3000, message((1, i + 1))),
                                    (4, message((10, "correlation"), (4, 700 + i))))))
    for i in range(KERNELS):
        at(10_000 * i + 2_000, (11, message((9, 2), (11, 2))))
    for i in range(KERNELS):
        at(10_000 * i + 5_000, (53, message((1, i + 1), (2, 6_000), (11, 0), (13, 2), (14, 1), (19, 1), (20, 2),
                                            (6, message((1, "correlation"), (2, str(700 + i)))))))
    return b"".join(message((1, packet)) for packet in packets)


class Perfetto(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name) / "trace.pftrace"
        cls.path.write_bytes(gzip.compress(pytorch_trace(), mtime=0))  # as PyTorch does under this name

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_info(self):
        info = answer("info", self.path)
        self.assertEqual(info["format"], "Perfetto protobuf")
        self.assertEqual(info["links"]["linked"], KERNELS)
        self.assertEqual(info["links"]["unlinked"], 0)
        self.assertEqual(info["baseTimeNs"], BASE // 86_400_000_000_000 * 86_400_000_000_000)
        self.assertEqual(info["report"], [])

    def test_stats(self):
        rows = {row["name"]: row for row in answer("stats", self.path)["rows"]}
        self.assertEqual(rows["sgemm"]["count"], KERNELS)
        self.assertEqual(rows["sgemm"]["totalNs"], 6_000 * KERNELS)
        self.assertEqual(rows["cudaLaunchKernel"]["totalNs"], 2_000 * KERNELS)

    def test_gaps(self):
        streams = answer("gaps", self.path, "--causes")["streams"]
        self.assertEqual([(s["device"], s["stream"]) for s in streams], [("0", "7")])
        self.assertEqual(streams[0]["idleNs"], 4_000 * (KERNELS - 1))

    def test_query(self):
        rows = answer("query", self.path, "SELECT count(*), min(delay), max(delay) FROM launch")["rows"]
        self.assertEqual(rows, [[KERNELS, 5_000, 5_000]])

    def test_a_folder_brings_its_traces_along(self):
        self.assertEqual(answer("info", self.folder.name)["links"]["linked"], KERNELS)

    def test_the_second_opening_is_the_same(self):
        sql = "SELECT s.ts, s.name, a.key, a.display_value FROM slice s LEFT JOIN args a USING (arg_set_id) ORDER BY s.id, a.id"
        first = answer("query", self.path, sql)["rows"]
        self.assertEqual(answer("query", self.path, sql)["rows"], first)
        self.assertEqual(answer("query", "--no-cache", self.path, sql)["rows"], first)


if __name__ == "__main__":
    unittest.main()
