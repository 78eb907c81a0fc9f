#!/usr/bin/env python3
"""What GPUs' performance monitors count beside a recording, against a stand-in for CUPTI's PM sampling (fake/fake_pm.cpp)."""
import collections
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from record_support import LACUNA, SANITIZED, TARGETS, Case, Recording, clean_environment
from waiting import wait_until

GPU = 3_000_000_000
NAMES = ("SM active", "SM occupancy", "DRAM read", "DRAM write")
PATIENCE = 2 if SANITIZED else 1  # recordings last so many times as long, since what samples takes longer to begin
LONG_ENOUGH = 1.5  # for two processes to begin and be refused


class GpuCounters(Case):
    def setUp(self):
        super().setUp()
        if not (TARGETS / "fakepm").exists():
            self.skipTest("built without headers of CUPTI's PM sampling: no fake library")

    def environment(self, how="", **more):
        return clean_environment(**{"LACUNA_NVML": str(TARGETS / "fakenvml/libnvidia-ml.so.1"),
                                    "LACUNA_CUPTI": str(TARGETS / "fakepm/libcupti.so.13"),
                                    "LD_LIBRARY_PATH": str(TARGETS / "fakecuda"), "FAKE_PM": how, **more})

    def counted(self, how="", seconds=2, gpus="GPU-aaaa", **more):
        path, seconds = self.folder / "out.json", seconds * PATIENCE
        began = time.monotonic()
        done = subprocess.run([LACUNA, "record", "--gpu-counters", "--force", "-o", path, "--no-stacks", "--", "sleep", str(seconds)],
                              text=True, capture_output=True, timeout=60,
                              env=self.environment(how, CUDA_VISIBLE_DEVICES=gpus, **more))
        self.took = time.monotonic() - began
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(self.took, seconds + 15, "a driver is not waited for")
        return Recording(path, done)

    def counters(self, recording, gpu=0):
        found = collections.defaultdict(list)
        for e in recording.events:
            if e["ph"] == "C" and e["pid"] == GPU + gpu and e["name"] in NAMES:
                self.assertEqual(list(e["args"]), ["%"])
                found[e["name"]].append((e["ts"] / 1e6, e["args"]["%"]))
        return {name: sorted(values) for name, values in found.items()}

    def workers(self):
        """Processes that sample, of this user's."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if b"\0sample-gpu\0" in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    def assert_no_workers(self):
        """Waits, since one that was killed goes a moment later, and tests beside this one may have some."""
        wait_until(lambda: not self.workers(), "what its workers do")

    def assert_half_busy(self, values, high):
        """On for 100 ms, off for 100 ms: as steps, at most 5 ms off at 200 samples a second."""
        self.assertEqual({v for _, v in values}, {0, high})
        turns = [t for (t, v), (_, before) in zip(values[1:], values) if v != before]
        self.assertGreater(len(turns), 8)
        for a, b in zip(turns, turns[1:]):
            self.assertAlmostEqual(b - a, 0.1, delta=0.011)

    def test_rows(self):
        r = self.counted(gpus="0,1")
        for gpu in (0, 1):
            found = self.counters(r, gpu)
            self.assertEqual(set(found), set(NAMES))
            for name, high in zip(NAMES, (97.3, 50.0, 40, 20.5)):
                self.assert_half_busy(found[name], high)
            # Where it was sampled: begins within the program's life, and goes on to its end.
            self.assertLess(found["SM active"][0][0], 1.5 * PATIENCE)
            self.assertGreater(found["SM active"][-1][0], 1.5 * PATIENCE)
        self.assertNotIn("GPU counters", r.stderr)
        self.assert_no_workers()

    def test_clocks(self):
        """CUPTI's own clock is CLOCK_REALTIME: what it says is put on the recording's all the same."""
        as_asked, as_real = self.counted(), self.counted("realtime")
        for r in (as_asked, as_real):
            self.assert_half_busy(self.counters(r)["SM active"], 97.3)
            times = [t for t, _ in self.counters(r)["SM active"]]
            self.assertTrue(0 <= times[0] and times[-1] < 60, times)

    def test_older_cupti_and_chips_that_count_cycles(self):
        self.assertEqual(set(self.counters(self.counted(seconds=1, FAKE_PM_VERSION="24"))), set(NAMES))
        found = self.counters(self.counted("cycles", seconds=1.5))
        turns = [t for (t, v), (_, before) in zip(found["SM active"][1:], found["SM active"]) if v != before]
        self.assertTrue(turns)

    def lines_until(self, process, begin, count=1):
        """What `process` writes up to so many lines that begin so."""
        lines = []
        while sum(line.startswith(begin) for line in lines) < count:
            lines.append(process.stdout.readline())
            self.assertTrue(lines[-1], lines[-20:])
        return lines

    def rest(self, process):
        """Asks it to end. Not by communicate(), which leaves out what was read ahead."""
        with process.stdout:
            process.stdin.close()
            lines = process.stdout.readlines()
        self.assertEqual(process.wait(timeout=60), 0)
        return lines

    def test_rate(self):
        script = [LACUNA, "sample-gpu", "--rate", "1000"]
        process = subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   env=self.environment(CUDA_VISIBLE_DEVICES="GPU-aaaa"))
        self.addCleanup(process.kill)
        # However long it takes to begin: 300 samples of a thousandth of a second each.
        lines = self.lines_until(process, "s ", 300)
        lines += self.rest(process)
        self.assertEqual(lines[-1], "end\n")
        samples = [int(line.split()[1]) for line in lines if line.startswith("s ")]
        self.assertEqual({b - a for a, b in zip(samples, samples[1:])}, {1_000_000})

    def test_metrics_that_a_chip_has_not(self):
        r = self.counted("lacks", seconds=1)
        self.assertEqual(set(self.counters(r)), {"SM active", "SM occupancy"})
        self.assertIn("GPU 0 (GH100) does not count with the rest: DRAM read, DRAM write", r.stderr)
        r = self.counted("passes", seconds=1)
        self.assertEqual(set(self.counters(r)), {"SM active", "SM occupancy"})

    def test_refusals(self):
        for how, words in (("privileges", "NVreg_RestrictProfilingToAdminUsers=0"), ("busy", "another profiler (ncu, nsys, DCGM) holds"),
                           ("taken", "another profiler (ncu, nsys, DCGM) holds"), ("mig", "the GPU is divided (MIG)"),
                           ("vgpu", "this is a virtual GPU (vGPU)"),
                           ("unknown", "cuptiPmSamplingGetCounterAvailability says 999: a newer libcupti may know")):
            r = self.counted(how, seconds=LONG_ENOUGH, gpus="0,1")
            self.assertEqual(self.counters(r), {}, how)
            self.assertRegex(r.stderr, r"GPU 0, 1: no GPU counters: [^\n]*" + re.escape(words))
            # The other metrics are there.
            self.assertTrue([e for e in r.events if e["ph"] == "C" and e["name"] == "SM clock"])

    def test_libraries(self):
        r = self.counted(seconds=LONG_ENOUGH, LACUNA_CUPTI=str(TARGETS / "fake13/libcupti.so.13"))
        self.assertRegex(r.stderr, r"no GPU counters: \S+/fake13/libcupti.so.13 is older than CUDA 12.6: set LACUNA_CUPTI")
        r = self.counted(seconds=LONG_ENOUGH, LACUNA_CUPTI="/nowhere/libcupti.so.13")
        self.assertIn("no GPU counters: /nowhere/libcupti.so.13 cannot be loaded (LACUNA_CUPTI)", r.stderr)
        r = self.counted(seconds=0.7, LD_LIBRARY_PATH="")
        if not any(pathlib.Path(p).exists() for p in ("/usr/lib/x86_64-linux-gnu/libcuda.so.1", "/usr/lib64/libcuda.so.1")):
            self.assertIn("no GPU counters: there is no NVIDIA driver (libcuda.so.1)", r.stderr)

    def test_no_gpu(self):
        """Asked for and not to be had is told, also where a machine without a driver is no news otherwise."""
        r = self.counted(seconds=0.7, LACUNA_NVML="/nowhere/libnvidia-ml.so.1")
        self.assertIn("no GPU metrics and counters: no NVIDIA driver here", r.stderr)
        self.assertIn("no GPU counters: the driver shows no GPU that this program may see", self.counted(seconds=0.7, gpus="").stderr)

    def test_of_a_process_that_runs(self):
        path, process = self.folder / "out.json", subprocess.Popen(["sleep", "20"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        done = subprocess.run([LACUNA, "attach", str(process.pid), "-o", path, "--gpu-counters", "--duration", "2s"], text=True,
                              capture_output=True, timeout=60, env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_half_busy(self.counters(Recording(path, done))["SM active"], 97.3)

    def test_overflow(self):
        r = self.counted("overflow", seconds=3.5)
        self.assertIn("GPU 0: some counters are missing: samples were lost 1 times", r.stderr)
        self.assertGreater(self.counters(r)["SM active"][-1][0], 2.5)  # it went on

    def test_a_slow_reader_loses_nothing_silently(self):
        """A process that samples and is stopped for longer than its buffers last says so."""
        process = subprocess.Popen([LACUNA, "sample-gpu", "--rate", "1000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   env=self.environment(CUDA_VISIBLE_DEVICES="GPU-aaaa"))
        self.addCleanup(process.kill)
        lines = self.lines_until(process, "s ", 10)
        process.send_signal(signal.SIGSTOP)
        time.sleep(1)
        process.send_signal(signal.SIGCONT)
        lines += self.lines_until(process, "lost ")
        lines += self.lines_until(process, "s ")  # it goes on
        lines += self.rest(process)
        samples = [int(line.split()[1]) for line in lines if line.startswith("s ")]
        self.assertEqual(samples, sorted(samples))

    def test_samples_that_make_no_sense(self):
        r = self.counted("odd", seconds=1)
        self.assertEqual(self.counters(r), {})
        self.assertRegex(r.stderr, r"GPU 0: some counters are missing: samples were lost \d{2,} times")

    def test_a_gpu_that_goes(self):
        r = self.counted("gone", seconds=2)
        self.assertIn("GPU 0: no more GPU counters: the GPU fails, or has fallen off the bus", r.stderr)
        self.assertGreater(len(self.counters(r)["SM active"]), 5)

    def test_a_library_that_crashes(self):
        r = self.counted("crash", seconds=4 if SANITIZED else 2)  # to report takes seconds there
        end = "exited with code 1" if SANITIZED else "was killed by signal 11"  # AddressSanitizer takes the signal
        self.assertIn(f"GPU 0: no more GPU counters: the process that samples them {end}", r.stderr)
        self.assertGreater(len(self.counters(r)["SM active"]), 5)

    def test_a_driver_that_hangs(self):
        r = self.counted("hang", seconds=2)
        self.assertGreater(len(self.counters(r)["SM active"]), 5)
        self.assert_no_workers()
        r = self.counted("deaf", seconds=1)
        self.assertIn("GPU 0: no GPU counters: NVIDIA's driver had not answered when the recording ended", r.stderr)
        self.assert_no_workers()
        r = self.counted("hang", seconds=7)  # told while it goes on
        self.assertIn("GPU 0: no more GPU counters: NVIDIA's driver does not answer", r.stderr)

    def test_lacuna_is_killed(self):
        process = subprocess.Popen([LACUNA, "record", "-q", "--gpu-counters", "-o", self.folder / "killed.json", "--", "sleep", "20"],
                                   env=self.environment(CUDA_VISIBLE_DEVICES="0,1"), start_new_session=True)
        wait_until(lambda: len(self.workers()) == 2, "what its workers do")
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        wait_until(lambda: not self.workers(), "what its workers do")

    def test_what_it_is_not_asked_for(self):
        path = self.folder / "out.json"
        for options in ([], ["--gpu-counters=0"], ["--gpu-counters=0", "--no-metrics"]):
            done = subprocess.run([LACUNA, "record", "--force", *options, "-o", path, "--no-stacks", "--", "sleep", "0.7"], text=True,
                                  capture_output=True, timeout=60, env=self.environment())
            self.assertEqual(self.counters(Recording(path, done)) if path.exists() else {}, {}, options)
        for options, words in ((["--gpu-counters=99999", "-o", path], "--gpu-counters: Value 99999 not in range"),
                               (["--gpu-counters", "--no-metrics", "-o", path], "which --no-metrics leaves out"),
                               (["--gpu-counters", "--dormant"], "--dormant records nothing by itself")):
            done = subprocess.run([LACUNA, "record", *options, "--", "true"], text=True, capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(words, done.stderr)

    def doctor(self, how="", **more):
        done = subprocess.run([LACUNA, "doctor"], capture_output=True, text=True, timeout=60, env=self.environment(how, **more))
        lines = done.stdout.splitlines()
        found = [i for i, line in enumerate(lines) if "GPU counters" in line]
        return " ".join(lines[found[0]:found[0] + 2]) if found else ""

    def test_doctor(self):
        self.assertRegex(self.doctor(), r"good +GPU counters +by --gpu-counters, of a GH100: " + ", ".join(NAMES))
        self.assertRegex(self.doctor("privileges"), r"note +GPU counters +not had: the driver keeps them for administrators +-> set NVreg_")
        self.assertRegex(self.doctor("busy"), r"note .*another profiler .* holds .* +-> end it first")
        self.assertRegex(self.doctor(LACUNA_CUPTI=str(TARGETS / "fake13/libcupti.so.13")), r"is older than CUDA 12.6 +-> set LACUNA_CUPTI")
        self.assertEqual(self.doctor(LACUNA_NVML="/nowhere/libnvidia-ml.so.1"), "")  # no GPU, no word
        self.assertIn("does not answer within 10 s", self.doctor("deaf"))
        self.assert_no_workers()


if __name__ == "__main__":
    unittest.main(verbosity=2)
