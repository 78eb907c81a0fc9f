#!/usr/bin/env python3
"""Names that a program gives to its CUDA devices, contexts and streams through NVTX (a real NVTX program, stand-ins
for libcupti and libcuda): in the recording, and in the trace that Lacuna makes of it."""
import sys
import unittest

from record_support import LACUNA, FakeCudaCase

LONG = "x" * 5000 + '"\n\ufffd end'
STREAMS = {(0, 7): "stream 7 · default", (0, 13): "stream 13 · copies", (0, 14): "stream 14 · math é",
           (0, 15): "stream 15 · after", (0, 16): "stream 16 · " + LONG, (0, 17): "stream 17 · short-lived",
           (0, 77): "stream 77 · per thread", (1, 13): "stream 13 · of device 1", (1, 30): "stream 30 · a resource"}
UNNAMED = {(0, 18): "stream 18", (0, 19): "stream 19", (0, 21): "stream 21", (1, 14): "stream 14"}


class Fakes(FakeCudaCase):
    def run_target(self, *options):
        return self.record_cuda("cuda_names_target", options=options)

    def test_streams(self):
        r = self.run_target()
        self.assertEqual({(e["pid"], e["tid"]) for e in r.slices("work")}, {*STREAMS, *UNNAMED})
        names = {key: name for key, name in r.metadata("thread_name").items() if key[0] in (0, 1)}
        self.assertEqual(names, STREAMS)
        # Reopened: the same names, the streams without one as ever, and none that was never used.
        tracks = {(int(s["device"]), int(s["stream"])): s["name"] for s in self.info(r.path)["streams"]}
        self.assertEqual(tracks, {**STREAMS, **UNNAMED})

    def test_devices_and_contexts(self):
        r = self.run_target()
        labels = r.metadata("process_labels")
        self.assertEqual((labels[(0, 0)], labels[(1, 0)]), ("GPU 0 · first GPU", "GPU 1 · second GPU"))
        contexts = {(e["args"]["context"], e["args"].get("context name")) for e in r.slices("work")}
        self.assertEqual(contexts, {(1, "main context"), (2, None)})

    def test_what_cannot_be_named_is_said_once(self):
        self.assertEqual(self.run_target().stderr.count("CUPTI does not know its id"), 1)

    def test_without_gpu_capture(self):
        r = self.run_target("--no-cuda")
        self.assertEqual(r.slices("work"), [])
        self.assertEqual([key for key in r.metadata("thread_name") if key[0] in (0, 1)], [])


class Cupti12(Fakes):
    MAJOR = 12


class Cupti13(Fakes):
    MAJOR = 13


del Fakes  # only its two children run

if __name__ == "__main__":
    if not LACUNA:
        sys.exit("LACUNA_BIN is not set")
    unittest.main()
