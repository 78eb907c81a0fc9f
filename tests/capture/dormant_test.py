#!/usr/bin/env python3
"""Programs that sleep until somebody looks: `lacuna record --dormant`, `lacuna env`, `lacuna attach PID`, `lacuna jobs`."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import unittest

from record_support import LACUNA, SANITIZED, Case, FakeCudaCase, Recording, clean_environment
from waiting import wait_until


def listening(pid):
    """Names of the abstract sockets at which a dormant process waits."""
    with open("/proc/net/unix") as file:
        return [line.split()[-1] for line in file if f"@lacuna-dormant-{pid}-" in line and " 00010000 " in line]


def is_recorded(pid):
    """Whether a process has rings."""
    with open(f"/proc/{pid}/maps") as file:
        return "memfd:lacuna" in file.read()


def threads_of(pid):
    names = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/comm") as file:
            names[thread] = file.read().strip()
    return names


class Dormant(Case):
    def start(self, *command, options=(), wait=True, **more):
        process = subprocess.Popen([LACUNA, "record", "--dormant", *options, "--", *map(str, command)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=clean_environment(**more))
        for stream in (process.stdout, process.stderr):
            self.addCleanup(stream.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        if wait:
            wait_until(lambda: listening(process.pid), "its socket")
        return process

    def attach(self, pid, name="out.json", seconds=0.6, code=0, options=()):
        path = self.folder / name
        done = subprocess.run([LACUNA, "attach", str(pid), "-o", path, "--force", "--duration", f"{seconds}s", *options],
                              capture_output=True, text=True, timeout=60, env=clean_environment())
        self.assertEqual(done.returncode, code, done.stderr)
        return Recording(path, done) if code == 0 else done

    def test_woken_again_and_again(self):
        process = self.start(self.target(), "rate", 1000, 60)
        for n in range(4):
            r = self.attach(process.pid)
            self.assertIn("woke one process", r.stderr)
            outer = r.slices("outer")
            self.assertGreater(len(outer), 50, r.stderr)
            span = (max(e["ts"] for e in outer) - min(e["ts"] for e in outer)) / 1e6
            self.assertTrue(0.3 < span < 2.5, span)
            self.assertEqual({k: r.trace["lacuna"][k] for k in ("dropped", "corrupt", "lost_ends", "names_lost")},
                             dict.fromkeys(("dropped", "corrupt", "lost_ends", "names_lost"), 0))
            self.assertEqual({e["pid"] for e in outer}, {process.pid})
        self.assertIsNone(process.poll())
        # Nothing is left of it that grows: the memory of the rings went back.
        with open(f"/proc/{process.pid}/status") as file:
            resident = int(re.search(r"VmRSS:\s*(\d+)", file.read())[1])
        self.assertLess(resident, 40_000 if not SANITIZED else 10**9)

    def test_nothing_is_captured_while_it_sleeps(self):
        process = self.start(self.target(), "rate", 1000, 30)
        self.assertFalse(is_recorded(process.pid))
        # A thread has its name some time after its start.
        sleeper, = wait_until(lambda: [t for t, name in threads_of(process.pid).items() if name == "lacuna-sleep"],
                              "a thread that sleeps")
        def ticks():
            with open(f"/proc/{process.pid}/task/{sleeper}/stat") as file:
                return sum(map(int, file.read().rsplit(") ", 1)[1].split()[11:13]))
        before = ticks()
        time.sleep(1)
        self.assertEqual(ticks(), before)

    def test_two_watchers(self):
        process = self.start(self.target(), "rate", 1000, 30)
        first = subprocess.Popen([LACUNA, "attach", str(process.pid), "-o", self.folder / "first.json"],
                                 stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=clean_environment())
        self.assertIn("woke one process", first.stderr.readline())
        second = self.attach(process.pid, "second.json", code=1)
        self.assertIn(f"process {process.pid} is looked at by another lacuna already (process {first.pid})", second.stderr)
        done = subprocess.run([LACUNA, "jobs", "--json"], capture_output=True, text=True, timeout=60, env=clean_environment())
        mine, = [d for d in json.loads(done.stdout)["jobs"] if d["pid"] == process.pid]
        self.assertEqual(mine["watcher"], first.pid)
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=20)
        self.assertEqual(first.returncode, 0)
        self.assertGreater(len(self.attach(process.pid).slices("outer")), 50)

    def test_a_watcher_that_is_killed(self):
        process = self.start(self.target(), "rate", 1000, 60)
        for _ in range(3):
            watcher = subprocess.Popen([LACUNA, "attach", str(process.pid), "-o", self.folder / "killed.json", "--force"],
                                       stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=clean_environment())
            self.assertIn("woke one process", watcher.stderr.readline())
            wait_until(lambda: is_recorded(process.pid), "its rings")
            watcher.kill()
            watcher.communicate()
        self.assertIsNone(process.poll())
        self.assertGreater(len(self.attach(process.pid).slices("outer")), 50)

    def test_jobs_and_words(self):
        process = self.start(self.target(), "rate", 100, 30)
        done = subprocess.run([LACUNA, "jobs"], capture_output=True, text=True, timeout=60, env=clean_environment())
        self.assertRegex(done.stdout, rf"{process.pid}\s+dormant\s+-\s+-\s+asleep\s+nvtx_target rate 100 30")
        said = subprocess.run([LACUNA, "attach", str(process.pid)], capture_output=True, text=True, timeout=60)
        self.assertEqual(said.returncode, 1)
        self.assertIn(f"is dormant: lacuna attach {process.pid} -o FILE", said.stderr)
        done = subprocess.run([LACUNA, "record", "--dormant", "-o", "x.json", "--", "true"], capture_output=True, text=True)
        self.assertIn("--dormant records nothing by itself", done.stderr)

    def test_the_program_is_as_without_us(self):
        for code in (0, 7):
            process = self.start("sh", "-c", f"exit {code}", wait=False)
            self.assertEqual(process.wait(20), code)
        process = self.start("sh", "-c", "kill -TERM $$", wait=False)
        self.assertEqual(process.wait(20), -signal.SIGTERM)
        # A pipe whose reader goes ends a program as ever: lacuna's own SIGPIPE is not passed on.
        done = subprocess.run(["sh", "-c", f"{LACUNA} record -q --dormant -- yes | head -1"], capture_output=True, text=True,
                              timeout=20)
        self.assertEqual(done.stdout, "y\n")

    def test_python_without_torch_is_left_alone(self):
        process = self.start(sys.executable, "-c", "import time; print('up', flush=True); time.sleep(30)", wait=False)
        self.assertEqual(process.stdout.readline(), "up\n")
        self.assertEqual(listening(process.pid), [])

    def test_children(self):
        # A program that forks: the child is dormant by itself from its first range on, and wakes with its parent.
        process = self.start(self.target(), "forked_rate", 1000, 30)
        children = []
        def child_sleeps():
            with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
                children[:] = file.read().split()
            return len(children) == 1 and listening(children[0])
        wait_until(child_sleeps, "its sleep")
        r = self.attach(process.pid)
        self.assertIn("woke 2 processes", r.stderr)
        self.assertEqual({e["pid"] for e in r.slices("outer")}, {process.pid, int(children[0])})
        # One that is started while somebody looks is woken as well.
        r = self.attach(int(children[0]))
        self.assertEqual({e["pid"] for e in r.slices("outer")}, {int(children[0])})

    def test_environment(self):
        shell = subprocess.run([LACUNA, "env"], capture_output=True, text=True, timeout=20).stdout
        done = subprocess.run(["sh", "-c", shell + "env"], capture_output=True, text=True, env=clean_environment(PYTHONPATH="/mine"))
        got = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
        listed = json.loads(subprocess.run([LACUNA, "env", "--json"], capture_output=True, text=True).stdout)["variables"]
        for variable in listed:
            value = variable["value"] + ":/mine" if variable["prepend"] else variable["value"]
            self.assertEqual(got[variable["name"]], value)
        process = subprocess.Popen([self.target(), "rate", "1000", "30"], stdout=subprocess.DEVNULL,
                                   env=clean_environment(**{v["name"]: v["value"] for v in listed}))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_until(lambda: listening(process.pid), "its socket")
        self.assertGreater(len(self.attach(process.pid).slices("outer")), 50)
        # A recording of such a program is as ever.
        r = self.record(self.target(), "simple", environment={v["name"]: v["value"] for v in listed})
        self.assertEqual(len(r.slices("simple")), 1)

    def test_doctor(self):
        def doctor(**more):
            done = subprocess.run([LACUNA, "doctor"], capture_output=True, text=True, timeout=60, env=clean_environment(**more))
            return [line for line in done.stdout.splitlines() if " Dormant " in line or "INJECTION64" in line]
        process = self.start(self.target(), "rate", 100, 60)
        self.assertRegex("\n".join(doctor()), rf"good +Dormant +[0-9]+ runs?, .*\b{process.pid}\b.*no rights are needed")
        listed = json.loads(subprocess.run([LACUNA, "env", "--json"], capture_output=True, text=True).stdout)["variables"]
        variables = {v["name"]: v["value"] for v in listed}
        self.assertIn("Lacuna's own (lacuna env)", "\n".join(doctor(**variables)))
        for wrong, words in (({"LACUNA_COLLECTOR": "/nowhere/x.so"}, "/nowhere/x.so is not there"),
                             ({"NVTX_INJECTION64_PATH": "/other.so"}, "NVTX_INJECTION64_PATH is /other.so"),
                             ({"LACUNA_COLLECTOR": ""}, "LACUNA_DORMANT=1 and no LACUNA_COLLECTOR")):
            sleep = subprocess.Popen(["sleep", "60"], env=clean_environment(**{**variables, **wrong}))
            self.addCleanup(sleep.wait)
            self.addCleanup(sleep.kill)
            said, = [line for line in doctor() if f"process {sleep.pid} " in line]
            self.assertIn(words, said)
            sleep.kill()
            sleep.wait()

    def test_nonsense_at_the_socket(self):
        process = self.start(self.target(), "rate", 1000, 30)
        name, = listening(process.pid)
        for words in (b"", b"x", b"LACUNAD\0" + b"\xff" * 80, b"LACUNAD\0" + bytes(80), b"x" * 5000):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as guest:
                guest.connect("\0" + name[1:])
                guest.send(words)
        self.assertGreater(len(self.attach(process.pid).slices("outer")), 50)
        self.assertIsNone(process.poll())

    def test_cost_of_sleeping(self):
        if SANITIZED:
            self.skipTest("goes by the clock")
        def pair(environment):
            text = subprocess.run([self.target(), "bench", "0"], capture_output=True, text=True, timeout=60,
                                  env=clean_environment(**environment)).stdout
            return {n.strip(): float(ns) for n, ns in re.findall(r"^(.*?)\s+([0-9.]+) ns$", text, re.M)}
        listed = json.loads(subprocess.run([LACUNA, "env", "--json"], capture_output=True, text=True).stdout)["variables"]
        asleep = pair({v["name"]: v["value"] for v in listed})
        clock = asleep.pop("two reads of the time-stamp counter")
        del asleep["push+pop, a new name each time"]  # which is the time that it takes to make one
        for name, ns in asleep.items():  # 3 ns on a quiet machine, where two readings take 15 to 20 ns
            self.assertLess(ns, 0.5 * clock, (name, asleep, clock))


class DormantCuda(FakeCudaCase):
    MAJOR = 13

    def test_cupti_only_while_somebody_looks(self):
        environment = clean_environment(FAKE_DRIVER_VERSION="13000",
                                        LD_LIBRARY_PATH=f"{self.cupti}:{self.cupti.parent / 'fakecuda'}")
        process = subprocess.Popen([LACUNA, "record", "-q", "--dormant", "--", self.target("cuda_target"), "work", "2000000000", "20000"],
                                   env=environment, stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_until(lambda: listening(process.pid), "its socket")
        wait_until(lambda: "lacuna-sleep" in threads_of(process.pid).values(), "a thread that sleeps")
        with open(f"/proc/{process.pid}/maps") as file:
            self.assertNotIn("libcupti", file.read())
        for n in range(3):
            path = self.folder / f"{n}.json"
            done = subprocess.run([LACUNA, "attach", str(process.pid), "-o", path, "--duration", "0.5s"], text=True,
                                  capture_output=True, timeout=60, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            r = Recording(path, done)
            self.assertIn("GPU recording runs", r.stderr)
            self.assertGreater(len([e for e in r.slices() if e.get("cat") == "kernel"]), 100, r.stderr)
            self.assertNotIn("lacuna-fetch", threads_of(process.pid).values())
        self.assertIsNone(process.poll())


if __name__ == "__main__":
    unittest.main(verbosity=2)
