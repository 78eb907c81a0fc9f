#!/usr/bin/env python3
"""`lacuna jobs` and `lacuna request` against a stand-in for PyTorch jobs that speaks Kineto's protocol.

    LACUNA_BIN=build/dev/app/lacuna tests/capture/kineto_jobs_test.py
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import unittest

from record_support import LACUNA, Case
from waiting import wait_until

PEER = pathlib.Path(__file__).with_name("kineto_peer.py")


class Kineto(Case):
    def setUp(self):
        super().setUp()
        self.sockets = self.folder / "s"
        self.traces = self.folder / "t"
        self.out = self.folder / "out"
        for folder in (self.sockets, self.traces):
            folder.mkdir()
        self.environment = {k: v for k, v in os.environ.items()
                            if k not in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "SLURM_JOB_ID", "CUDA_VISIBLE_DEVICES")}
        self.environment.update(KINETO_IPC_SOCKET_DIR=str(self.sockets), KINETO_ONDEMAND_TRACE_DIR=str(self.traces))

    def job(self, *arguments, rank=None, size=2, **more):
        environment = dict(self.environment, KINETO_USE_DAEMON="1", **more)
        if rank is not None:
            environment.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(size))
        process = subprocess.Popen([sys.executable, "-B", PEER, *arguments], env=environment, text=True,
                                   stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def lacuna(self, *arguments, code=0, **more):
        done = subprocess.run([LACUNA, *map(str, arguments)], capture_output=True, text=True, timeout=100,
                              env=dict(self.environment, **more), cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        # The socket is not held any longer than that, and what jobs wrote is not left behind.
        self.assertFalse((self.sockets / "dynolog").exists())
        return done

    def request(self, *arguments, **more):
        return self.lacuna("request", "-o", self.out, *arguments, **more)

    def trace(self, name):
        return json.loads((self.out / name).read_text())

    # --- jobs ------------------------------------------------------------------------------------

    def test_jobs_with_rank_gpu_and_command(self):
        first = self.job("--how=", rank=0, CUDA_VISIBLE_DEVICES="4,6")
        second = self.job("--how=busy", rank=1, CUDA_VISIBLE_DEVICES="4,6")
        jobs = json.loads(self.lacuna("jobs", "--json").stdout)
        self.assertEqual([(j["pid"], j["rank"], j["world_size"], j["gpu"], j["state"]) for j in jobs["jobs"] if j["kineto"]],
                         [(first.pid, 0, 2, "4", "ready"), (second.pid, 1, 2, "6", "busy")])
        self.assertRegex(jobs["jobs"][0]["command"], r"^python\S* -B .*kineto_peer.py --how=$")
        self.assertEqual(jobs["problems"], [])
        text = self.lacuna("jobs").stdout
        self.assertRegex(text, rf"(?m)^ *{first.pid}  Kineto +0/2 +4 +ready +python")

    def test_one_that_starts_ranks_is_a_launcher_and_none_of_all(self):
        launcher = self.job("--start=0/2", "--start=1/2")
        def jobs_now():
            return json.loads(self.lacuna("jobs", "--json").stdout)["jobs"]

        wait_until(lambda: sorted(j["launcher"] for j in jobs_now()) == [False, False, True], "both ranks")
        jobs = jobs_now()
        self.assertEqual([(j["rank"], j["launcher"]) for j in jobs], [(0, False), (1, False), (None, True)])
        self.assertEqual(jobs[2]["pid"], launcher.pid)
        self.request("all", "--duration", "100ms")
        self.assertEqual(sorted(os.listdir(self.out)), ["rank0.json", "rank1.json"])

    def test_no_job(self):
        self.assertIn("KINETO_USE_DAEMON=1", self.lacuna("jobs").stdout)
        self.assertIn("KINETO_USE_DAEMON=1", self.request("all", code=1).stderr)
        self.assertFalse(self.out.exists())

    def test_silent_ones_are_told_of(self):
        job = self.job("--how=mute")
        stopped = self.job()
        stopped.send_signal(signal.SIGSTOP)
        try:
            text = self.lacuna("jobs").stdout
            self.assertRegex(text, rf"{job.pid} +Kineto +- +- +silent")
            self.assertIn(f"{stopped.pid} is silent: it is stopped", text)
            self.assertIn("it is stopped", self.request(stopped.pid, "--wait", 2, code=1).stderr)
            self.assertIn("it did not ask within 2 s", self.request(job.pid, "--wait", 2, code=1).stderr)
            self.assertFalse(self.out.exists())  # nothing came to lie in it
            self.out.mkdir()
            self.request(job.pid, "--wait", 2, code=1)
            self.assertTrue(self.out.exists())  # it was there
        finally:
            stopped.send_signal(signal.SIGCONT)

    def test_the_doctor_says_so(self):
        def line():
            done = subprocess.run([LACUNA, "doctor"], capture_output=True, text=True, env=self.environment, timeout=60)
            return next(l for l in done.stdout.splitlines() if " Running jobs " in l)
        self.assertIn("note", line())
        self.job()
        self.assertRegex(line(), r"^good +Running jobs +1 started with KINETO_USE_DAEMON")
        with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as daemon:
            daemon.bind(str(self.sockets / "dynolog"))
            self.assertIn(f"they ask python3 (process {os.getpid()})", line())

    # --- requests --------------------------------------------------------------------------------

    def test_a_window_of_one(self):
        job = self.job()
        done = self.request(job.pid, "--duration", "300ms", "--shapes", "--stack", "--memory", "--modules")
        name = f"pid{job.pid}.json"
        self.assertEqual(done.stdout, f"{self.out / name}\n")
        lines = self.trace(name)["request"].splitlines()
        self.assertEqual(lines[1:], ["ACTIVITIES_WARMUP_PERIOD_SECS=1", "ACTIVITIES_DURATION_MSECS=300",
                                     "PROFILE_REPORT_INPUT_SHAPES=true", "PROFILE_WITH_STACK=true",
                                     "PROFILE_PROFILE_MEMORY=true", "PROFILE_WITH_MODULES=true"])
        self.assertRegex(lines[0], rf"^ACTIVITIES_LOG_FILE={self.traces}/lacuna_[0-9a-f]{{32}}\.json$")
        self.assertEqual(os.listdir(self.traces), [])
        # A second one takes another name, and replaces the first only when told so.
        first = (self.out / name).read_bytes()
        again = self.request(job.pid, "--duration", "100ms")
        self.assertEqual(again.stdout, f"{self.out}/pid{job.pid}-2.json\n")
        self.assertEqual((self.out / name).read_bytes(), first)
        forced = self.request(job.pid, "--duration", "100ms", "--force")
        self.assertEqual(forced.stdout, f"{self.out / name}\n")
        self.assertNotEqual((self.out / name).read_bytes(), first)
        self.assertEqual(os.listdir(self.traces), [])

    def test_snapshots_of_memory(self):
        jobs = [self.job(rank=rank) for rank in (0, 1)]
        done = self.request("all", "--memory-snapshot", "--duration", "200ms")
        self.assertEqual(done.stdout.splitlines(), [f"{self.out}/rank{rank}.pickle" for rank in (0, 1)])
        self.assertNotIn("all begin at", done.stderr)
        for rank in (0, 1):
            said = json.loads(self.lacuna("memory", self.out / f"rank{rank}.pickle", "--json").stdout)
            self.assertEqual(said["segments"]["activeBytes"], 512)
        self.assertEqual(os.listdir(self.traces), [])
        # Not overwritten; not with what has no meaning here.
        again = self.request("all", "--memory-snapshot", "--duration", "200ms")
        self.assertEqual(again.stdout.splitlines(), [f"{self.out}/rank{rank}-2.pickle" for rank in (0, 1)])
        for odd in (["--iterations", "2"], ["--memory"]):
            self.request("all", "--memory-snapshot", *odd, code=2)
        for job in jobs:
            job.kill()

    def test_a_snapshot_that_does_not_come(self):
        for how, words in (("dies", "it ended before"), ("empty", "wrote no snapshot")):
            job = self.job("--how", how)
            done = self.request(job.pid, "--memory-snapshot", "--duration", "100ms", code=1)
            self.assertIn(words, done.stderr)
            self.assertEqual(os.listdir(self.traces), [])
            self.assertFalse(self.out.exists())
            job.kill()
            job.wait()

    def test_ranks_begin_at_one_moment(self):
        jobs = [self.job(rank=rank, size=3) for rank in range(3)]
        done = self.request("ranks", "0-1", "--duration", "200ms")
        self.assertIn("all begin at", done.stderr)
        began = [self.trace(f"rank{rank}.json")["began"] for rank in (0, 1)]
        wanted = [re.search(r"PROFILE_START_TIME=(\d+)$", self.trace(f"rank{rank}.json")["request"])[1] for rank in (0, 1)]
        self.assertEqual(wanted[0], wanted[1])
        for moment in began:
            self.assertAlmostEqual(moment, int(wanted[0]) / 1000, delta=0.1)
        self.assertEqual(len(os.listdir(self.out)), 2)
        self.assertTrue(all(job.poll() is None for job in jobs))
        self.assertIn("rank 7: no job here has it", self.request("rank", "7", code=1).stderr)

    def test_iterations(self):
        job = self.job()
        self.request(job.pid, "--iterations", 3, "--multiple-of", 100)
        self.assertEqual(self.trace(f"pid{job.pid}.json")["request"].splitlines()[1:],
                         ["PROFILE_START_ITERATION=0", "ACTIVITIES_WARMUP_ITERATIONS=1", "ACTIVITIES_ITERATIONS=3",
                          "ACTIVITIES_DURATION_MSECS=0", "PROFILE_START_ITERATION_ROUNDUP=100"])

    def test_one_that_has_not_begun_its_loop_is_asked_again(self):
        job = self.job("--how=early")
        self.request(job.pid, "--iterations", 1, "--wait", 20)
        self.assertEqual(len(self.trace(f"pid{job.pid}.json")["traceEvents"]), 2)

    def test_an_answer_that_is_read_late(self):
        job = self.job("--how=lost", "--ask", "1")
        self.request(job.pid, "--duration", "100ms")
        self.assertEqual(len(self.trace(f"pid{job.pid}.json")["traceEvents"]), 2)

    def test_one_without_operators_is_told_of(self):
        job = self.job("--how=empty")
        self.assertIn("no operator and no kernel is in it", self.request(job.pid, "--duration", "100ms").stderr)

    # --- what goes wrong -------------------------------------------------------------------------

    def test_busy_and_never_a_step(self):
        busy = self.job("--how=busy")
        self.assertIn("it is being profiled already", self.request(busy.pid, "--wait", 1.5, code=1).stderr)
        idle = self.job("--how=no-steps")
        self.assertIn("no step of an optimizer came within 2 s",
                      self.request(idle.pid, "--iterations", 2, "--wait", 2, code=1).stderr)
        self.assertFalse(self.out.exists())

    def test_killed(self):
        dying, fine = self.job("--how=dies", rank=0), self.job(rank=1)
        done = self.request("all", "--duration", "200ms", code=1)
        self.assertIn(f"rank 0 (process {dying.pid}): failed: it ended before its trace was written", done.stderr)
        self.assertEqual(done.stdout, f"{self.out}/rank1.json\n")
        self.assertEqual(os.listdir(self.traces), [])
        self.assertIsNone(fine.poll())

    def test_interrupted(self):
        job = self.job("--how=slow")
        process = subprocess.Popen([LACUNA, "request", str(job.pid), "--duration", "100ms", "-o", self.out],
                                   env=self.environment, stderr=subprocess.PIPE, text=True)
        said = ""
        while "records" not in said:
            line = process.stderr.readline()
            self.assertTrue(line, said)
            said += line
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=10)[1]
        self.assertRegex(said, rf"it has the request all the same, and writes {self.traces}/lacuna_[0-9a-f]+_{job.pid}\.json")
        self.assertEqual(process.returncode, 1)

    def test_not_jobs(self):
        sleeper = subprocess.Popen(["sleep", "60"], env=self.environment)
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        self.assertIn("it was started without KINETO_USE_DAEMON=1", self.request(sleeper.pid, code=1).stderr)
        self.assertIn("there is no such process", self.request(2 ** 22 - 1, code=1).stderr)
        elsewhere = self.job(KINETO_ONDEMAND_TRACE_DIR="/nonexistent")
        self.assertIn("it could not write its trace: /nonexistent", self.request(elsewhere.pid, code=1).stderr)
        for words in (("x",), ("all", "12"), ("ranks", "3-1"), ("ranks",), ("0",)):
            self.assertIn("lacuna:", self.request(*words, code=1).stderr)
        self.request("all", "--duration", "0s", code=2)
        self.request("all", "--duration", "1s", "--iterations", 2, code=2)

    def test_a_daemon_that_is_there_stays(self):
        job = self.job()
        with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as daemon:
            daemon.bind(str(self.sockets / "dynolog"))
            done = subprocess.run([LACUNA, "request", str(job.pid), "-o", self.out], capture_output=True, text=True,
                                  env=self.environment, timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"another program answers the jobs there: python3 (process {os.getpid()}); it stays", done.stderr)
            done = subprocess.run([LACUNA, "jobs"], capture_output=True, text=True, env=self.environment, timeout=60)
            self.assertRegex(done.stdout, rf"{job.pid} .*silent")
            self.assertIn("it stays", done.stdout)
            daemon.settimeout(5)
            while daemon.recv(4096)[8:11] != b"req":
                pass
            self.assertTrue(daemon.recv(4096))  # it still comes here
        # A daemon that was killed leaves its socket's file; that is no daemon.
        self.request(job.pid, "--duration", "100ms")

    def test_the_abstract_socket(self):
        """In a network namespace of its own, since there is one such socket in each."""
        alone = ["unshare", "--user", "--map-current-user", "--net"]
        if not shutil.which("unshare") or subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
            self.skipTest("no network namespace of its own may be had here")
        script = f"'{sys.executable}' -B '{PEER}' --seconds 20 & '{LACUNA}' jobs --json && " \
                 f"'{LACUNA}' request $! --duration 100ms -o '{self.out}'; s=$?; kill $!; exit $s"
        environment = dict(self.environment, KINETO_USE_DAEMON="1")
        del environment["KINETO_IPC_SOCKET_DIR"]
        done = subprocess.run([*alone, "bash", "-c", "sleep 0; " + script], capture_output=True, text=True, timeout=60,
                              env=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(os.listdir(self.out)), 1)

    def test_jobs_of_other_users_get_no_answer(self):
        """At the abstract socket, which has no permissions."""
        alone = ["unshare", "--net"]
        if os.geteuid() != 0 or not shutil.which("setpriv") or subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
            self.skipTest("needs root, for a second user and a network namespace")
        script = f"KINETO_USE_DAEMON=1 setpriv --reuid 65534 --clear-groups '{sys.executable}' -B '{PEER}' --seconds 30 & " \
                 f"sleep 1; '{LACUNA}' jobs; '{LACUNA}' request $! -o '{self.out}'; s=$?; kill $!; exit $s"
        environment = dict(self.environment)
        del environment["KINETO_IPC_SOCKET_DIR"]
        peer = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", "test", "-r", str(PEER)])
        if peer.returncode != 0:
            self.skipTest("the other user may not read the stand-in")
        done = subprocess.run([*alone, "bash", "-c", script], capture_output=True, text=True, timeout=60, env=environment)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("processes of other users asked, too: 1;", done.stdout)
        self.assertIn("it belongs to another user", done.stderr)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
