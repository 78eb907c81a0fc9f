#!/usr/bin/env python3
"""The CUDA half of the collector against stand-ins for libcupti (12 and 13) and libcuda: no GPU needed.

They have the real record layouts and the documented behaviour; what NVIDIA's libraries really do is
checked by tests/gpu/run on a GPU.
"""
import os
import sys
import unittest

from record_support import LACUNA, SANITIZED, Case, FakeCudaCase, nested


class Fakes(FakeCudaCase):
    def run_target(self, *arguments, **how):
        return self.record_cuda("cuda_target", *arguments, **how)

    def test_everything(self):
        r = self.run_target("all")
        self.assertIn("GPU recording runs", r.stderr)
        self.assertEqual(r.names()["void gemm<float>(float*, int)"], 1)
        gemm, = r.slices("void gemm<float>(float*, int)")
        self.assertEqual((gemm["cat"], gemm["pid"], gemm["tid"], gemm["dur"]), ("kernel", 0, 7, 3.0))
        self.assertEqual({k: gemm["args"][k] for k in ("device", "context", "stream", "grid", "block",
                                                       "registers per thread", "shared memory")},
                         {"device": 0, "context": 1, "stream": 7, "grid": [108, 1, 1], "block": [256, 1, 1],
                          "registers per thread": 42, "shared memory": 1024})
        launch, = [e for e in r.slices("cudaLaunchKernel") if e["args"]["correlation"] == gemm["args"]["correlation"]]
        self.assertEqual((launch["cat"], launch["dur"]), ("cuda_runtime", 2.0))
        self.assertAlmostEqual(gemm["ts"] - launch["ts"], 5.0, places=3)
        work, = r.slices("work")
        self.assertEqual((work["pid"], work["tid"]), (launch["pid"], launch["tid"]))
        self.assertTrue(work["ts"] < launch["ts"] < work["ts"] + work["dur"], (work, launch))
        copy, = r.slices("Memcpy HtoD (Pinned -> Device)")
        self.assertEqual((copy["cat"], copy["args"]["bytes"], copy["args"]["memory bandwidth (GB/s)"]), ("gpu_memcpy", 4096, 4.096))
        memset, = r.slices("Memset (Device)")
        self.assertEqual((memset["cat"], memset["args"]["bytes"]), ("gpu_memset", 512))
        nodes = r.slices("in_graph")
        self.assertEqual(sorted(n["args"]["graph node id"] for n in nodes), [100, 101, 102])
        self.assertEqual({n["args"]["graph id"] for n in nodes}, {5})
        self.assertEqual(len({n["args"]["correlation"] for n in nodes}), 1)
        sync, = r.slices("Stream Sync")
        self.assertEqual((sync["cat"], sync["pid"], sync["tid"]), ("cuda_sync", 0, 7))
        self.assertEqual(r.slices("CUPTI buffer flush")[0]["cat"], "overhead")
        # Arrows: gemm, relu, copy from their launches, three from the graph's; none for the cut kernel.
        arrows = [e for e in r.events if e["ph"] in "sf"]
        self.assertEqual(len(arrows), 12)
        self.assertEqual(r.slices("cut"), [])
        self.assertEqual(r.trace["lacuna"]["incomplete_gpu"], 1)
        self.assertIn("1 GPU record left out: without a start or end", r.stderr)
        device, = r.trace["deviceProperties"]
        self.assertEqual((device["name"], device["numSms"], device["computeMajor"]), ("Fake GPU 9000", 77, 9))
        self.assertEqual(r.metadata("process_labels")[(0, 0)], "GPU 0")
        report = self.info(r.path)
        self.assertEqual(report["links"]["linked"], 6)

    def test_memory(self):
        r = self.run_target("memory", options=["--memory"])
        changes = sorted((e for e in r.events if e["name"] == "[memory]"), key=lambda e: e["ts"])
        self.assertEqual([(e["args"]["Bytes"], e["args"]["Total Allocated"], e["args"]["Device Type"], e["args"]["Device Id"])
                          for e in changes],
                         [(1000, 1000, 1, 0), (500, 1500, 1, 0), (64, 64, 0, -1), (-1000, 500, 1, 0), (-500, 0, 1, 0), (0, 0, 1, 0)])
        self.assertEqual({(e["ph"], e["cat"]) for e in changes}, {("i", "cpu_instant_event")})
        work, = r.slices("work")
        self.assertEqual({(e["pid"], e["tid"]) for e in changes}, {(work["pid"], work["tid"])})
        self.assertEqual(len(r.slices("in_graph")), 3)

    def test_memory_only_when_asked(self):
        self.assertEqual([e for e in self.run_target("memory").events if e["name"] == "[memory]"], [])

    def test_whole_graphs(self):
        r = self.run_target("memory", options=["--whole-graphs"])
        self.assertEqual(r.slices("in_graph"), [])
        graph, = r.slices("CUDA graph")
        self.assertEqual((graph["cat"], graph["tid"], graph["dur"], graph["args"]["graph id"]), ("kernel", 9, 3.0, 5))
        launch, = r.slices("cudaGraphLaunch")
        self.assertEqual(launch["args"]["correlation"], graph["args"]["correlation"])

    def test_many_without_drops(self):
        r = self.run_target("many", 100000)
        names = r.names()
        self.assertEqual((names["odd"], names["even"]), (50000, 50000))
        self.assertEqual(r.trace["lacuna"]["dropped"], 0)

    @unittest.skipIf(SANITIZED, "a recorder with sanitizers takes no 220,000 launches at this rate")
    def test_round_the_ring(self):
        """220,000 launches are more than twice as many slots as the ring has."""
        r = self.run_target("rate", 220000)
        self.assertEqual(r.trace["lacuna"]["dropped"], 0)
        kernels = r.slices("rated")
        self.assertEqual({(e["pid"], e["tid"], e["dur"], tuple(e["args"]["grid"]), e["args"]["shared memory"]) for e in kernels},
                         {(0, 7, 3.0, (108, 1, 1), 1024)})
        self.assertEqual(len({e["args"]["correlation"] for e in kernels}), 220000)

    def test_drops_of_cupti_are_counted(self):
        r = self.run_target("all", FAKE_CUPTI_DROP="17")
        self.assertEqual(r.trace["lacuna"]["dropped"], 17)
        self.assertIn("17 records dropped", r.stderr)

    def test_own_clock_of_cupti(self):
        r = self.run_target("all", FAKE_CUPTI_NO_V2="1")
        work, = r.slices("work")
        launch = r.slices("cudaLaunchKernel")[0]
        self.assertTrue(work["ts"] - 1 < launch["ts"] < work["ts"] + work["dur"] + 1, (work, launch))

    def test_held_by_another_profiler(self):
        r = self.run_target("later", FAKE_CUPTI_BUSY="2")
        self.assertIn("GPU recording paused: CUPTI is held by", r.stderr)
        if self.MAJOR == 13:
            self.assertIn("fake-kineto", r.stderr)
        self.assertEqual(r.slices("too early"), [])
        self.assertEqual(r.names()["in time"], 1)
        self.assertEqual(r.names()["work"], 1)

    def test_error_999(self):
        r = self.run_target("all", FAKE_CUPTI_ERROR="999")
        self.assertIn("no GPU recording", r.stderr)
        self.assertIn("999", r.stderr)
        self.assertEqual(r.names()["work"], 1)

    def test_taken_over(self):
        r = self.run_target("steal")
        self.assertIn("go to another profiler", r.stderr)
        self.assertIn("GPU recording resumed", r.stderr)
        self.assertEqual((r.names()["ours"], r.names()["ours again"]), (1, 1))
        self.assertLess(r.names()["theirs"], 30)  # those in their last buffer may come to us
        self.assertEqual(r.names()["work"], 1)

    def test_gives_way_and_comes_back(self):
        r = self.run_target("pause")
        self.assertIn("held by torch.profiler", r.stderr)
        self.assertEqual((r.names()["ours"], r.names()["while paused"], r.names()["ours again"]), (1, 1, 1))

    def test_not_asked_for(self):
        r = self.run_target("all", options=["--no-cuda"])
        self.assertEqual(r.names()["work"], 1)
        self.assertEqual([e for e in r.slices() if e["cat"] == "kernel"], [])


class Cupti12(Fakes):
    MAJOR = 12


class Cupti13(Fakes):
    MAJOR = 13


del Fakes  # only its two children run


class WithoutDriver(Case):
    def test_real_cupti_without_a_driver(self):
        """The injection in a process that has no driver: said, and nothing breaks."""
        r = self.record(self.target("nvtx_target"), "simple")
        self.assertEqual(r.names()["simple"], 1)


if __name__ == "__main__":
    if not LACUNA:
        sys.exit("LACUNA_BIN is not set")
    unittest.main()
