#!/usr/bin/env python3
"""`lacuna request` and `lacuna jobs` with dormant programs: windows of one, of several ranks at one moment, beside a
PyTorch job that asks by Kineto's protocol, stopped and killed ones."""
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time
import unittest

from dormant_test import listening
from kineto_jobs_test import PEER
from record_support import LACUNA, SANITIZED, Case, clean_environment, load
from waiting import wait_until

RANKS = 7100  # of nobody else's on this machine


class DormantRequest(Case):
    def setUp(self):
        super().setUp()
        for name in ("s", "t"):
            (self.folder / name).mkdir()
        # Kineto's jobs of this machine are left alone.
        self.environment = {k: v for k, v in clean_environment().items() if k not in ("RANK", "LOCAL_RANK", "WORLD_SIZE")}
        self.environment.update(KINETO_IPC_SOCKET_DIR=str(self.folder / "s"),
                                KINETO_ONDEMAND_TRACE_DIR=str(self.folder / "t"))

    def ended(self, process):
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def start(self, *arguments, rank=None, options=()):
        environment = dict(self.environment)
        if rank is not None:
            environment.update(RANK=str(rank), LOCAL_RANK="0", WORLD_SIZE="8000")
        process = self.ended(subprocess.Popen(
            [LACUNA, "record", "-q", "--dormant", *options, "--", self.target(), *map(str, arguments or ("rate", 1000, 90))],
            stdout=subprocess.DEVNULL, env=environment))
        wait_until(lambda: listening(process.pid), "its socket")
        return process

    def jobs(self):
        done = subprocess.run([LACUNA, "jobs", "--json"], capture_output=True, text=True, timeout=60, env=self.environment)
        return {j["pid"]: j for j in json.loads(done.stdout)["jobs"]}

    def peer(self, *arguments):
        process = self.ended(subprocess.Popen([sys.executable, "-B", PEER, "--seconds", "90", *arguments], text=True,
                                              stdout=subprocess.PIPE, env=dict(self.environment, KINETO_USE_DAEMON="1")))
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def request(self, *arguments, code=0):
        done = subprocess.run([LACUNA, "request", "-o", self.folder / "out", *map(str, arguments)], text=True, timeout=100,
                              capture_output=True, env=self.environment, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def window(self, name):
        """First and last moment of ranges in a trace, in s since 1970, and the trace."""
        trace = load(self.folder / "out" / name)
        ranges = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["name"] == "outer"]
        self.assertGreater(len(ranges), 20)
        base = trace["baseTimeNanoseconds"] / 1e9
        return (base + min(e["ts"] for e in ranges) / 1e6, base + max(e["ts"] + e["dur"] for e in ranges) / 1e6, trace)

    def test_a_window_of_one(self):
        process = self.start()
        for n in range(2):
            begin = time.time()
            done = self.request(process.pid, "--duration", "500ms", "--force")
            self.assertEqual(done.stdout, str(self.folder / "out" / f"pid{process.pid}.json") + "\n")
            self.assertIn(f"process {process.pid}: is woken", done.stderr)
            first, last, trace = self.window(f"pid{process.pid}.json")
            self.assertGreater(first, begin)
            self.assertTrue(0.4 < last - first < 0.502, last - first)
            self.assertEqual(trace["lacuna"]["dropped"], 0)
        self.assertIsNone(process.poll())
        self.assertEqual(self.jobs()[process.pid]["state"], "asleep")

    def test_a_second_window_has_files_of_its_own(self):
        process = self.start()
        names = []
        for n in range(3):
            done = self.request(process.pid, "--duration", "100ms")
            names.append(pathlib.Path(done.stdout.strip()).name)
        self.assertEqual(names, [f"pid{process.pid}.json", f"pid{process.pid}-2.json", f"pid{process.pid}-3.json"])
        traces = [(self.folder / "out" / name).read_bytes() for name in names]
        self.assertEqual(len(set(traces)), 3)
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()), sorted(names))
        self.request(process.pid, "--duration", "100ms", "--force")  # replaces the first
        self.assertNotEqual((self.folder / "out" / names[0]).read_bytes(), traces[0])
        self.assertEqual((self.folder / "out" / names[1]).read_bytes(), traces[1])

    def test_ranks_begin_at_one_moment(self):
        ranks = [self.start(rank=RANKS + r) for r in range(3)]
        done = self.request("ranks", f"{RANKS}-{RANKS + 2}", "--duration", "600ms")
        self.assertRegex(done.stderr, r"all begin at \d\d:\d\d:\d\d\.\d\d\d")
        windows = [self.window(f"rank{RANKS + r}.json") for r in range(3)]
        spread = max(w[0] for w in windows) - min(w[0] for w in windows)
        self.assertLess(spread, 0.01 if not SANITIZED else 0.1, windows and [w[:2] for w in windows])
        for process, (first, last, trace) in zip(ranks, windows):
            self.assertTrue(0.5 < last - first < 0.602, last - first)
            self.assertIn(process.pid, {e["pid"] for e in trace["traceEvents"] if e["ph"] == "X"})

    def test_beside_a_job_of_kineto(self):
        dormant, peer = self.start(), self.peer()
        done = self.request(f"{dormant.pid},{peer.pid}", "--duration", "1s")
        self.assertEqual(sorted(done.stdout.split()),
                         sorted(str(self.folder / "out" / f"pid{p.pid}.json") for p in (dormant, peer)))
        told = re.search(r"all begin at (\d\d):(\d\d):(\d\d)\.(\d\d\d)", done.stderr)
        first, last, _ = self.window(f"pid{dormant.pid}.json")
        at = time.localtime(first)
        begin = (int(told[1]) * 60 + int(told[2])) * 60 + int(told[3]) + int(told[4]) / 1000
        self.assertLess(abs((at.tm_hour * 60 + at.tm_min) * 60 + at.tm_sec + first % 1 - begin), 0.05, done.stderr)
        self.assertTrue(0.9 < last - first < 1.002, last - first)

    def test_the_other_job_dies_and_the_dormant_one_is_had(self):
        dormant, peer = self.start(), self.peer("--how=mute")
        request = subprocess.Popen([LACUNA, "request", f"{dormant.pid},{peer.pid}", "--duration", "300ms", "-o",
                                    self.folder / "out"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   env=self.environment)
        self.ended(request)
        peer.kill()
        peer.wait()
        out, said = request.communicate(timeout=60)
        self.assertEqual(request.returncode, 1, said)
        self.assertEqual(out, str(self.folder / "out" / f"pid{dormant.pid}.json") + "\n", said)

    def test_ctrl_c_keeps_what_came(self):
        process = self.start()
        request = self.ended(subprocess.Popen([LACUNA, "request", str(process.pid), "--duration", "60s", "-o",
                                               self.folder / "out"], stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                                              text=True, env=self.environment))
        line = ""
        while "records" not in line:
            line = request.stderr.readline()
            self.assertTrue(line)
        path = self.folder / "out" / f"pid{process.pid}.json"
        wait_until(lambda: path.exists() and path.read_bytes().count(b'"outer"') > 20, "more than it needs")
        request.send_signal(signal.SIGINT)
        out, said = request.communicate(timeout=20)
        self.assertEqual(request.returncode, 0, said)
        self.assertIn("it was stopped before its end", said)
        first, last, _ = self.window(f"pid{process.pid}.json")
        self.assertLess(last - first, 30)
        self.request(process.pid, "--duration", "200ms", "--force")  # it sleeps, and wakes again

    def test_the_program_ends_within_its_window(self):
        process = self.start("rate", 1000, 3)
        done = self.request(process.pid, "--duration", "60s")
        self.assertIn("it ended within its window", done.stderr)
        self.window(f"pid{process.pid}.json")

    def test_the_requester_is_killed(self):
        process = self.start()
        request = self.ended(subprocess.Popen([LACUNA, "request", str(process.pid), "--duration", "60s", "-o",
                                               self.folder / "other"], stderr=subprocess.PIPE, text=True,
                                              env=self.environment))
        while "records" not in request.stderr.readline():
            self.assertIsNone(request.poll())
        request.kill()
        request.communicate()
        self.request(process.pid, "--duration", "200ms")
        self.assertIsNone(process.poll())

    def test_what_cannot_be_had_is_said(self):
        process = self.start()
        for words, said in ((["--iterations", "2", "--wait", "1"], "no step of an optimizer came within 1 s"),
                            (["--memory-snapshot"], "started with KINETO_USE_DAEMON=1, too"),
                            (["--modules"], "started with KINETO_USE_DAEMON=1, too")):
            self.assertIn(said, self.request(process.pid, *words, code=1).stderr)
            self.assertFalse((self.folder / "out").exists())
        process.send_signal(signal.SIGSTOP)
        self.assertIn(f"process {process.pid}: it is stopped", self.request(process.pid, code=1).stderr)
        process.send_signal(signal.SIGCONT)
        watcher = self.ended(subprocess.Popen([LACUNA, "attach", str(process.pid), "-o", self.folder / "w.json"],
                                              stderr=subprocess.PIPE, text=True, env=self.environment))
        self.addCleanup(watcher.stderr.close)
        self.assertIn("woke one process", watcher.stderr.readline())
        self.assertIn(f"is looked at by another lacuna already (process {watcher.pid})",
                      self.request(process.pid, code=1).stderr)
        self.assertIn("it was started without KINETO_USE_DAEMON=1, and is not dormant", self.request(os.getpid(), code=1).stderr)

    def test_a_program_and_what_it_started(self):
        process = self.start("forked_rate", 1000, 60)

        def listening_children():
            with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
                return [child for child in file.read().split() if listening(child)]

        child, = wait_until(listening_children, "its child")
        done = self.request(f"{process.pid},{child}", "--duration", "400ms", code=1)
        self.assertIn(f"process {child}: it is in the trace of process {process.pid}, which started it", done.stderr)
        _, _, trace = self.window(f"pid{process.pid}.json")
        self.assertEqual({e["pid"] for e in trace["traceEvents"] if e["ph"] == "X" and e["name"] == "outer"},
                         {process.pid, int(child)})

    def test_a_full_disk(self):
        """What was there stays, nothing half is taken for whole, and where the rest is is told."""
        dormant, peer = self.start(), self.peer("--ask", "0.5")
        (self.folder / "out").mkdir()
        of_peer, of_dormant = (self.folder / "out" / f"pid{p.pid}.json" for p in (peer, dormant))

        def request(pid, bytes_left, *more):
            def few():
                resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_left, resource.RLIM_INFINITY))
            done = subprocess.run([LACUNA, "request", str(pid), "--duration", "400ms", "-o", self.folder / "out", *more],
                                  text=True, timeout=100, capture_output=True, env=self.environment, preexec_fn=few)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            return done.stderr

        said = request(peer.pid, 100)
        kept = re.search(r"failed: its trace is in (\S+), but: .*File too large", said)
        self.assertTrue(kept, said)
        self.assertTrue(json.loads(pathlib.Path(kept[1]).read_text())["traceEvents"])  # all of it
        self.assertEqual(list((self.folder / "out").iterdir()), [])
        of_peer.write_text("mine")
        request(peer.pid, 100, "--force")
        self.assertEqual(of_peer.read_text(), "mine")
        said = request(dormant.pid, 20_000)
        self.assertRegex(said, rf"File too large; {of_dormant} has what came before, and no end")
        self.assertEqual(sorted((self.folder / "out").iterdir()), sorted((of_peer, of_dormant)))
        self.assertEqual(self.jobs()[dormant.pid]["state"], "asleep")

    def test_something_lies_where_jobs_ask(self):
        peer = self.peer()
        place = self.folder / "s" / "dynolog"
        for make in (lambda: place.write_text("mine"), lambda: place.symlink_to(self.folder / "made"), place.mkdir):
            make()
            said = self.request(peer.pid, code=1).stderr
            self.assertIn(f"{place}: the path exists and is not a socket; it is not replaced", said)
            self.assertFalse((self.folder / "made").exists())
            place.rmdir() if place.is_dir() else place.unlink()
        self.environment["KINETO_IPC_SOCKET_DIR"] = "/no/such"
        done = subprocess.run([LACUNA, "jobs"], capture_output=True, text=True, timeout=60, env=self.environment)
        self.assertIn("/no/such/dynolog: No such file or directory (KINETO_IPC_SOCKET_DIR names it)", done.stdout + done.stderr)

    def test_jobs(self):
        dormant, peer = self.start(rank=RANKS), self.peer()
        mine = self.jobs()
        self.assertEqual({k: mine[dormant.pid][k] for k in ("kineto", "dormant", "rank", "state", "why_silent")},
                         {"kineto": False, "dormant": True, "rank": RANKS, "state": "asleep", "why_silent": ""})
        self.assertEqual({k: mine[peer.pid][k] for k in ("kineto", "dormant", "state")},
                         {"kineto": True, "dormant": False, "state": "ready"})
        text = subprocess.run([LACUNA, "jobs"], capture_output=True, text=True, timeout=60, env=self.environment).stdout
        self.assertRegex(text, rf"(?m)^ *{dormant.pid} +dormant +{RANKS}/8000 +- +asleep +nvtx_target rate")


if __name__ == "__main__":
    unittest.main(verbosity=2)
