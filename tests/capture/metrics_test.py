#!/usr/bin/env python3
"""GPU and host metrics beside a recording, against a stand-in for NVIDIA's management library (fake/fake_nvml.cpp)."""
import collections
import json
import os
import statistics
import subprocess
import sys
import unittest

from record_support import LACUNA, ONLY_INSIDE, TARGETS, Case, Recording, clean_environment

GPU, HOST, CORES = 3_000_000_000, 3_100_000_000, 3_100_000_001
WORK = ("import time, os\nblock = bytearray(64 << 20)\n"
        "with open('%s', 'wb') as f:\n  f.write(block[:8 << 20]); f.flush(); os.fsync(f.fileno())\n"
        "while time.process_time() < %s and not os.path.exists('%s'): sum(range(1000))\n"
        "with open('%s', 'w') as f: f.write(str(time.process_time()))\n")
PATIENCE = 100  # s, until what never comes has failed


class Metrics(Case):
    def fake(self, how="", **more):
        library = TARGETS / "fakenvml" / "libnvidia-ml.so.1"
        self.assertTrue(library.exists(), library)
        return {"LACUNA_NVML": str(library), "FAKE_NVML": how, **more}

    def measured(self, seconds=PATIENCE, how="", options=(), until=None, **more):
        """Records a Python program that writes 8 MB and computes: until the stand-in was looked at often enough
        (fake_nvml.cpp), the recorder says `until`, or it has used so many seconds of a CPU."""
        script, enough = self.folder / "work.py", self.folder / "enough"
        enough.unlink(missing_ok=True)
        script.write_text(WORK % (self.folder / "written", seconds, enough, self.folder / "used"))
        path = self.folder / "out.json"
        command = [LACUNA, "record", "-o", path, "--no-stacks", *options, "--", sys.executable, script]
        recorder = subprocess.Popen(command, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                    env=clean_environment(**self.fake(how, FAKE_NVML_ENOUGH=str(enough), **more)))
        said = ""
        for line in recorder.stderr:
            said += line
            if until is not None and until in said:
                enough.touch()
        recorder.stderr.close()
        self.assertEqual(recorder.wait(), 0, said)
        return Recording(path, subprocess.CompletedProcess(command, 0, "", said))

    def counters(self, recording, pid):
        found = collections.defaultdict(list)
        for e in recording.events:
            if e["ph"] == "C" and e["pid"] == pid:
                for series, value in e["args"].items():
                    found[f"{e['name']} {series}"].append((e["ts"], value))
        return {name: sorted(values) for name, values in found.items()}

    def report(self, recording):
        done = subprocess.run([LACUNA, "report", "--json", recording.path], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_gpus(self):
        r = self.measured()
        self.assertEqual(r.metadata("process_name")[(GPU, 0)], "Hardware of GPU 0: Fake GPU 9000")
        self.assertEqual(r.metadata("process_labels")[(GPU, 0)], "SM clock up to 1980 MHz, power limit 700 W")
        first, second = self.counters(r, GPU), self.counters(r, GPU + 1)
        # Perfetto draws these: plain counter events, with nothing but numbers, in a process that has a name.
        counters = [e for e in r.events if e["ph"] == "C"]
        self.assertEqual({k for e in counters for k in e} - {"ph", "name", "pid", "tid", "ts", "args", "cat"}, set())
        self.assertTrue(all(type(v) in (int, float) for e in counters for v in e["args"].values()))
        self.assertEqual({e["pid"] for e in counters} - {pid for pid, _ in r.metadata("process_name")}, set())
        value = {name: statistics.median(v for _, v in values) for name, values in first.items()}
        self.assertEqual({n: value[n] for n in ("GPU busy %", "Memory busy %", "Memory used bytes", "Memory clock MHz",
                                                "Power W", "Temperature C")},
                         {"GPU busy %": 97, "Memory busy %": 41, "Memory used bytes": 5 << 30, "Memory clock MHz": 2619,
                          "Power W": 700, "Temperature C": 71})
        self.assertEqual((value["PCIe sent bytes/s"], value["PCIe received bytes/s"]), (1024000, 2048000))
        self.assertAlmostEqual(value["NVLink sent bytes/s"] / (100 << 20), 1, delta=0.2)
        self.assertAlmostEqual(value["NVLink received bytes/s"] / (200 << 20), 1, delta=0.2)
        self.assertEqual({v for _, v in second["SM clock MHz"]}, {210})
        self.assertNotIn("NVLink sent bytes/s", second)
        # A second of power cap, of 20 looks at least.
        clock = first["SM clock MHz"]
        self.assertEqual({v for _, v in clock}, {1980, 1095})
        down = next(t for t, v in clock if v == 1095)
        up = next(t for t, v in clock if t > down and v == 1980)
        looks = [t for t, _ in first["NVLink sent bytes/s"]]  # a number that differs each time
        self.assertGreater(up - down, 0.95e6)
        self.assertGreater(len([t for t in looks if down <= t < up]), 15)
        capped = [t for t, v in first["Throttled power cap"] if v == 1]
        self.assertEqual(capped[0], down)
        self.assertEqual([n for n in first if n.startswith("Throttled")], ["Throttled power cap"])  # others never held
        # A value that stays is told at the first look after half a second.
        still = [t for t, v in first["Temperature C"]]
        self.assertGreater(len(still), 5)
        for a, b in zip(still, still[1:]):
            self.assertGreaterEqual(b - a, 0.49e6)
            self.assertEqual([t for t in looks if a + 0.51e6 < t < b], [])
        # As evidence in the report, in words and in JSON.
        report = self.report(r)
        hardware = {h["gpu"]: h for h in report["reports"][0]["hardware"]}
        self.assertEqual(hardware["GPU 1"]["atWorkNs"], 0)
        fall, = hardware["GPU 0"]["clockFalls"]
        self.assertEqual((fall["lowestMhz"], fall["reason"]), (1095, "power cap"))
        self.assertEqual([h["reason"] for h in hardware["GPU 0"]["heldBack"]], ["power cap"])
        text = subprocess.run([LACUNA, "report", r.path], capture_output=True, text=True, timeout=60).stdout
        self.assertRegex(text, r"GPU 0's SM clock fell to 1,095 MHz \(usually 1,980 MHz\) at [0-9.]+ m?s for [0-9.]+ m?s: power cap")

    def test_a_job_of_ranks(self):
        """What a recording says of a GPU, in a job's traces: rank 3 has the second in which it was held back."""
        r = self.measured()
        clock = self.counters(r, GPU)["SM clock MHz"]
        down = next(t for t, v in clock if v == 1095)
        up = next(t for t, v in clock if t > down and v == 1980)
        hardware = [e for e in r.events if e["pid"] == GPU and e["ph"] in "CM"]
        step, folder = 200_000, self.folder / "job"  # us; three steps, each of which ends when all are there
        folder.mkdir()
        for rank in range(4):
            begin = down - 100_000 if rank == 3 else up + 300_000
            events = [dict(e, ts=e["ts"] - begin) if e["ph"] == "C" else e for e in hardware
                      if e["ph"] == "M" or 0 <= e["ts"] - begin < 3 * step]
            for n in range(3):
                work = n * step + (140_000 if rank == 3 else 20_000)
                slices = [("user_annotation", f"ProfilerStep#{n}", 1, 1, n * step, (n + 1) * step - 2000, {}),
                          ("kernel", "gemm", 0, 7, n * step + 1000, work, {"device": 0, "stream": 7}),
                          ("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, 20, work, n * step + 160_000,
                           {"device": 0, "stream": 20, "Collective name": "allreduce", "dtype": "Float",
                            "In msg nelems": 1000, "Out msg nelems": 1000, "Group size": 4, "Process Group Name": "0",
                            "Process Group Description": "dp", "Process Group Ranks": "[0, 1, 2, 3]"})]
                events += [{"ph": "X", "cat": c, "name": name, "pid": p, "tid": t, "ts": b, "dur": e - b, "args": a}
                           for c, name, p, t, b, e, a in slices]
            (folder / f"rank{rank}.json").write_text(json.dumps({
                "baseTimeNanoseconds": 1_750_000_000_000_000_000, "traceEvents": events,
                "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 4}}))
        done = subprocess.run([LACUNA, "job", folder], capture_output=True, text=True, timeout=60, env=clean_environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        words = " ".join(done.stdout.split())
        self.assertRegex(words, r"rank 3's clock fell to 1,095 MHz [0-9.]+ ms after its first step began: power cap; ")
        self.assertIn("the others' at 1980", words)

    def test_memory_of_a_process(self):
        enough = self.folder / "enough"
        process = subprocess.Popen(["sh", "-c", f"while [ ! -e '{enough}' ]; do sleep 0.1; done"])
        self.addCleanup(process.wait)
        self.addCleanup(enough.touch)
        path = self.folder / "out.json"
        done = subprocess.run([LACUNA, "attach", str(process.pid), "-o", path], text=True, capture_output=True,
                              timeout=PATIENCE,
                              env=clean_environment(**self.fake(FAKE_NVML_PID=str(process.pid), FAKE_NVML_LOOKS="5",
                                                                FAKE_NVML_ENOUGH=str(enough))))
        self.assertEqual(done.returncode, 0, done.stderr)
        mine = self.counters(Recording(path, done), process.pid)
        self.assertEqual({v for _, v in mine["GPU 0 memory of this process bytes"]}, {3 << 30})
        self.assertIn("SM clock MHz", self.counters(Recording(path, done), GPU))

    def test_visible_devices(self):
        for visible, there in (("1", {GPU + 1}), ("GPU-aaaa", {GPU}), ("0,1", {GPU, GPU + 1}), ("", set())):
            r = self.measured(PATIENCE if there else 0.7, CUDA_VISIBLE_DEVICES=visible, FAKE_NVML_LOOKS="3")
            self.assertEqual({e["pid"] for e in r.events if e["ph"] == "C" and GPU <= e["pid"] < HOST}, there, visible)

    def test_host_and_program(self):
        r = self.measured(3, how="absent")
        self.assertIn("no GPU metrics: NVML does not start: the NVIDIA driver is not loaded", r.stderr)
        root = next(e["pid"] for e in r.events if e["ph"] == "C" and e["name"] == "CPU of the program")
        program = self.counters(r, root)
        # What the program got of cores that it shares with other tests, and what it was seen to get.
        load = program["CPU of the program % of a core"]
        got = float((self.folder / "used").read_text())
        seen = sum(v / 100 * (later - t) / 1e6 for (t, v), (later, _) in zip(load, load[1:]))
        self.assertTrue(got / 2 < seen < got * 3 / 2, (got, load))
        self.assertGreater(max(v for _, v in program["Memory of the program bytes"]), 64 << 20)
        written = program["Disk of the program written bytes/s"]
        self.assertTrue(max(v for _, v in written) > 1e6 or not any(v for _, v in written), written)  # tmpfs is no disk
        host, cores = self.counters(r, HOST), self.counters(r, CORES)
        self.assertEqual(len(cores), os.cpu_count() if len(cores) else 0)
        self.assertGreater(statistics.median(v for _, v in host["CPU % of a core"]), 30)
        self.assertGreater(min(v for _, v in host["Memory bytes"]), 1 << 20)
        self.assertEqual(self.report(r)["reports"][0]["hardware"], [])

    def test_not_asked_for(self):
        r = self.measured(0.6, options=["--no-metrics"])
        self.assertEqual([e for e in r.events if e["ph"] == "C"], [])

    def test_rate(self):
        def pause(rate):
            looks = self.counters(self.measured(options=["--metrics-rate", rate], FAKE_NVML_LOOKS="12"), GPU)
            times = [t for t, _ in looks["NVLink sent bytes/s"]]
            return statistics.median(b - a for a, b in zip(times, times[1:]))
        self.assertLess(3 * pause("50"), pause("5"))

    def test_a_driver_that_hangs(self):
        silence = "GPU metrics are missing: NVIDIA's driver (NVML) does not answer"
        r = self.measured(how="hang", until=silence)  # and the recording ends, though the driver never does
        self.assertIn(silence, r.stderr)
        self.assertTrue([e for e in r.events if e["ph"] == "C" and e["pid"] == HOST])

    def test_a_driver_that_is_slow(self):
        r = self.measured(how="slow", FAKE_NVML_LOOKS="3")  # 1.2 s for a look at both GPUs, and as long between two
        first, second, *_ = [t for t, _ in self.counters(r, GPU)["SM clock MHz"]]
        self.assertGreaterEqual(second - first, 2.3e6)

    def test_a_gpu_that_is_lost(self):
        r = self.measured(how="lost", FAKE_NVML_LOOKS="20")
        self.assertEqual(self.counters(r, GPU), {})
        self.assertTrue([e for e in r.events if e["ph"] == "C" and e["pid"] == HOST])

    def test_nothing_but_metrics_replaces_nothing(self):
        path = self.folder / "out.json"
        done = subprocess.run([LACUNA, "record", "-q", "-o", path, "--", sys.executable, "-c", "pass"], text=True,
                              capture_output=True, timeout=60, env=clean_environment(**self.fake()))
        before = path.read_bytes()
        options = [o for o in ONLY_INSIDE if o != "--no-metrics"]
        done = subprocess.run([LACUNA, "record", "-o", path, *options, "--", "sleep", "1"], text=True,
                              capture_output=True, timeout=60, env=clean_environment(**self.fake()))
        self.assertIn("stays as it was", done.stderr)
        self.assertEqual(path.read_bytes(), before)

    def doctor(self, how, **more):
        done = subprocess.run([LACUNA, "doctor"], capture_output=True, text=True, timeout=60,
                              env=clean_environment(**{**self.fake(how), **more}))
        return next(line for line in done.stdout.splitlines() if "GPU metrics" in line)

    def test_doctor(self):
        self.assertRegex(self.doctor(""), r"NVML of driver 999.1 \(fake\), 2 GPUs, a look at one takes [0-9.]+ ms")
        self.assertIn("the NVIDIA driver is not loaded", self.doctor("absent"))
        self.assertIn("does not answer within 2 s", self.doctor("hang"))
        self.assertIn("not told: clocks, throttle reasons, power, utilisation, PCIe", self.doctor("lost"))
        self.assertIn("no NVIDIA driver here", self.doctor("", LACUNA_NVML="/nowhere/libnvidia-ml.so.1"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
