#!/usr/bin/env python3
"""Files that scripts made are what the scripts make: the demo trace, every .ref.json, labelled gaps and eight ranks."""
import json
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
import eight_ranks  # noqa: E402
import labelled_gaps  # noqa: E402
import reference  # noqa: E402


class MadeFiles(unittest.TestCase):
    def test_the_demo_trace_is_what_its_generator_makes(self):
        generator = ROOT / "assets" / "make_demo_trace.py"
        done = subprocess.run([sys.executable, "-B", generator, "--check", ROOT / "assets" / "demo.trace.json.gz"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_demo_trace_is_small_and_says_that_it_is_synthetic(self):
        packed = (ROOT / "assets" / "demo.trace.json.gz").read_bytes()
        self.assertLess(len(packed), 400_000)
        self.assertEqual(packed[4:8], bytes(4), "a time in the gzip header makes it irreproducible")
        document = json.loads(reference.gzip.decompress(packed))
        self.assertIn("synthetic", document["traceName"])
        names = [e["args"]["name"] for e in document["traceEvents"] if e["name"] == "process_name"]
        self.assertTrue(all("synthetic" in name for name in names), names)
        self.assertIn("Synthetic", document["deviceProperties"][0]["name"])

    def test_references_are_what_reference_py_makes(self):
        traces = {path.name.removesuffix(".json.gz"): path
                  for path in [*(ROOT / "tests" / "fixtures").glob("*.json.gz"), *(ROOT / "assets").glob("*.json.gz")]}
        found = sorted((ROOT / "tests" / "fixtures").glob("*.ref.json"))
        self.assertGreaterEqual(len(found), 4)
        for path in found:
            with self.subTest(path=path.name):
                made = reference.reference(str(traces[path.name.removesuffix(".ref.json")]))
                self.assertEqual(made, json.loads(path.read_text(encoding="utf-8")))

    def test_fixtures_with_a_known_truth_are_what_their_makers_make(self):
        def unpacked(name, data):
            return reference.gzip.decompress(data) if name.endswith(".gz") else data
        for maker in (labelled_gaps, eight_ranks):
            for name, data in maker.made().items():
                with self.subTest(path=name):
                    self.assertEqual(unpacked(name, data), unpacked(name, (ROOT / "tests" / "fixtures" / name).read_bytes()))


if __name__ == "__main__":
    unittest.main()
