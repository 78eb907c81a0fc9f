#!/usr/bin/env python3
"""Records real NVTX programs with `lacuna record` and compares what comes out with what they did.

    LACUNA_BIN=build/dev/app/lacuna LACUNA_TARGETS=build/dev/tests/capture/targets tests/capture/record_test.py
"""
import collections
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import unittest

from record_support import LACUNA, Case, Recording, clean_environment, nested
from waiting import wait_until


def wait_for_tick(path):
    """Until the file of a recording has what its target did, who waits."""
    wait_until(lambda: b'"tick"' in path.read_bytes(), "a tick")


def wait_until_it_grows(path):
    """Until more was recorded than now."""
    size = path.stat().st_size
    wait_until(lambda: path.stat().st_size > size, "more of the recording")


def switches_of(pid):
    """How often a process has gone to sleep by itself."""
    return int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1])


class Nvtx(Case):
    def test_every_call(self):
        r = self.record(self.target(), "all")
        names = r.names()
        for name in ("outer", "inner \u00e9\U0001f600", "coloured", "second use", "registered", "registered wide",
                     "a name that is longer than sixteen bytes 1", "a name that is longer than sixteen bytes 2",
                     'control \x01 "quoted" \\ \ufffd'):
            self.assertEqual(names[name], 1, name)
        self.assertEqual(names["first use"], 2)
        self.assertEqual(names[""], 2)
        outer, = r.slices("outer")
        inner, = r.slices("inner \u00e9\U0001f600")
        coloured, = r.slices("coloured")
        self.assertTrue(outer["ts"] <= inner["ts"] <= coloured["ts"])
        self.assertTrue(coloured["ts"] + coloured["dur"] <= inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"])
        self.assertEqual(coloured["args"], {"category": "seventh", "color": "#ff112233", "payload": -5})
        self.assertEqual(r.slices("registered")[0]["args"],
                         {"domain": "my.domain", "category": "domain seven", "payload": 2.5})
        self.assertEqual(r.slices("registered wide")[0]["args"]["payload"], 0.25)
        self.assertEqual(sorted(r.names("i").elements()), sorted(["mark", "wide mark", "coloured", "registered wide"]))
        self.assertEqual(r.names("b"), collections.Counter(["started", "started wide", "registered wide"]))
        self.assertEqual(r.names("e"), r.names("b"))
        self.assertIn("named thread", r.metadata("thread_name").values())
        self.assertEqual(r.trace["lacuna"]["dropped"], 0)
        self.assertEqual(r.trace["lacuna"]["corrupt"], 0)
        self.assertIn("1 end of a range without a start, or pop without a push", r.stderr)
        self.assertNotIn("wrong", r.stderr)

    def test_two_hundred_threads(self):
        r = self.record(self.target(), "threads", 200)
        names = r.names()
        for i in range(200):
            self.assertEqual(names[f"thread {i}"], 100)
        self.assertEqual(names["same in all"], 200)
        self.assertEqual(len({e["tid"] for e in r.slices()}), 201)  # and the main thread's static initialiser
        for tid in {e["tid"] for e in r.slices()}:
            self.assertTrue(nested(r.slices(tid=tid)))

    def test_more_threads_than_rings(self):
        """Address space for a few rings only: the other threads share the control ring, nothing is lost."""
        r = self.record("sh", "-c", f"ulimit -v 900000; exec {self.target()} threads 40", options=["--ring-kb", "65536"])
        self.assertEqual(sum(r.names()[f"thread {i}"] for i in range(40)), 4000, r.stderr)
        self.assertEqual(r.trace["lacuna"]["dropped"], 0)

    def test_ten_thousand_short_threads(self):
        r = self.record(self.target(), "turns", 10000)
        self.assertEqual(r.names()["short-lived"], 10000)
        self.assertEqual(r.trace["lacuna"]["dropped"], 0)

    def test_static_initialisers_and_ends(self):
        r = self.record(self.target(), "exit")
        for name in ("static initialiser", "static destructor", "atexit", "thread", "thread destructor"):
            self.assertEqual(r.names()[name], 1, name)

    def test_unique_and_long_names(self):
        r = self.record(self.target(), "unique", 30000)
        self.assertEqual(len([n for n in r.names() if n.startswith("unique ")]), 30000)
        r = self.record(self.target(), "long", 100000)
        self.assertEqual(r.names()["x" * 100000], 1)
        r = self.record(self.target(), "long", 3 << 20)
        self.assertEqual(r.names()["x" * (1 << 20)], 1)
        self.assertIn("lost or cut", r.stderr)
        self.assertEqual(r.names()["after long"], 1)


class Processes(Case):
    def test_fork_and_exec(self):
        r = self.record(self.target(), "forks")
        names = r.names()
        self.assertEqual(names["in parent"], 1)
        self.assertEqual(names["in child"], 50)
        self.assertEqual(names["registered before fork"], 1)
        self.assertEqual(r.slices("registered before fork")[0]["args"]["domain"], "inherited")
        self.assertEqual(names["simple"], 1)
        self.assertEqual(names["across fork"], 1)
        self.assertEqual(names["after fork"], 1)
        pids = {n: {e["pid"] for e in r.slices(n)} for n in ("in parent", "in child", "simple", "after fork")}
        self.assertEqual(pids["in parent"], pids["after fork"])
        self.assertEqual(len(set().union(*pids.values())), 3)
        self.assertEqual(r.trace["lacuna"]["processes"], 3)
        self.assertEqual(r.trace["lacuna"]["corrupt"], 0)

    def test_exec_in_place(self):
        r = self.record(self.target(), "exec")
        self.assertEqual(r.names()["before exec"], 1)
        self.assertEqual(r.names()["simple"], 1)
        self.assertEqual(r.names()["static initialiser"], 2)

    def test_closes_all_descriptors(self):
        r = self.record(self.target(), "close")
        self.assertEqual(r.names()["after closing"], 1000)
        self.assertEqual(r.names()["child after closing"], 1)
        self.assertEqual(r.names()["last"], 1)
        self.assertNotIn("wrong", r.stderr)

    def test_killed_target(self):
        r = self.record(self.target(), "kill", 1000, code=128 + signal.SIGKILL)
        self.assertEqual(r.names()["before kill"], 1000)
        self.assertEqual(r.names("B"), {"open at kill": 1})
        self.assertIn("was killed by signal 9", r.stderr)

    def test_exit_code_in_words(self):
        """The command's exit code is that of the recording, unless that is not wanted."""
        self.assertIn("exited with code 3", self.record(self.target(), "fail", code=3).stderr)
        self.assertEqual(self.record(self.target(), "fail", options=["--exit-zero"]).names()["simple"], 1)

    def test_orphans(self):
        """What the command leaves behind is recorded to its end, also what begins to be captured later."""
        r = self.record(self.target(), "orphan", 500)
        self.assertEqual(r.names()["late"], 500)
        self.assertRegex(r.stderr, r"recorded processes go on: nvtx_target \(\d+\)")
        r = self.record("sh", "-c", f"(sleep 0.8; {self.target()} simple) & true")
        self.assertEqual(r.names()["simple"], 1)
        r = self.record(self.target(), "orphan", 500, options=["--wait-for", "child"])
        self.assertEqual(r.names()["parent"], 1)
        self.assertEqual(r.names()["late"], 0)
        self.assertIn("what they do now is not recorded", r.stderr)

    def test_what_kept_the_hook_out(self):
        for command, words in (([sys.executable, "-I", "-c", "import time; time.sleep(0.3)"], "ran with -I, which keeps"),
                               (["env", "-i", "/bin/sleep", "0.3"], "ran without the environment that Lacuna gave")):
            r = self.record(*command)
            self.assertIn("nothing was recorded", r.stderr)
            self.assertIn(words, r.stderr)
            self.assertNotIn("used neither", r.stderr)
        self.assertNotIn("-I, which", self.record(sys.executable, "-c", "import time; time.sleep(0.2)", "-I").stderr)
        if os.geteuid() == 0 and shutil.which("setpriv"):
            r = self.record("setpriv", "--reuid", "65534", "--clear-groups", "sleep", "0.4")
            self.assertIn("ran as user 65534, and only processes of your own user (0) are recorded", r.stderr)

    def test_steps(self):
        """Steps come from a named range, from torch.profiler, or from time; and it is said when none came."""
        def steps(r):
            return sorted(n for n in r.names() if n.startswith("ProfilerStep#"))
        schedule = ["--wait", "1", "--active", "2", "--repeat", "1"]
        r = self.record(self.target(), "steps", 6, options=["--step-range", "my step", *schedule])
        self.assertEqual(steps(r), ["ProfilerStep#1", "ProfilerStep#2"])
        self.assertEqual(r.names()["work"], 2)
        self.assertRegex(r.stderr, rf"\n?lacuna: {len(r.slices())} slices of 1 process in ")
        r = self.record(self.target(), "profiler_steps", 5)
        self.assertEqual(steps(r), [f"ProfilerStep#{i}" for i in range(5)])
        self.assertEqual(sum(r.names()[n] for n in steps(r)), 5, "one series")
        r = self.record(self.target(), "steps", 30, options=["--step-every", "0.1", *schedule])
        self.assertTrue(3 <= r.names()["work"] <= 25, r.names())
        r = self.record(self.target(), "steps", 6, options=schedule)
        self.assertEqual(r.names()["work"], 6)
        self.assertIn("no training step came", r.stderr)
        self.assertIn("--step-range", r.stderr)
        r = self.record(self.target(), "steps", 6, options=["--step-range", "MyStep"])
        self.assertIn("no range called 'MyStep' ended, so that the recording has no steps; there were 'my step'", r.stderr)
        done = self.run_lacuna("record", "-o", "none.json", "--active", "2", "--wait", "9", "--step-range", "my step",
                               "--", self.target(), "steps", 3)
        self.assertIn("3 steps came", done.stderr)
        self.assertFalse((self.folder / "none.json").exists(), "no empty file")

    def test_a_prompt_is_left_alone(self):
        """On a terminal: a status line while nothing reads it, none once something does, and none if not wanted."""
        script = "sleep 0.8; printf 'na%s? ' me; read x; sleep 0.6; echo \"hello $x\""
        for options, has_status in ([], True), (["--no-status"], False), (["--quiet"], False):
            leader, follower = pty.openpty()
            path = self.folder / "out.json"
            process = subprocess.Popen([LACUNA, "record", *options, "-o", path, "--", "sh", "-c", script], stdin=follower,
                                       stdout=follower, stderr=follower, env=clean_environment(), start_new_session=True)
            os.close(follower)
            seen = b""

            def read_on(seconds):
                text, end = b"", time.time() + seconds
                while time.time() < end:
                    if select.select([leader], [], [], 0.05)[0]:
                        try:
                            text += os.read(leader, 4096)
                        except OSError:  # the other side is closed
                            return text
                return text

            while not seen.endswith(b"name? ") and b"name? " not in seen:
                seen += read_on(0.1)
            self.assertEqual(b"processes |" in seen, has_status, seen)
            after = read_on(1.2)
            self.assertIn(after, (b"", b"\x1b[K"), "nothing is written over a prompt")
            os.write(leader, b"Ada\n")
            rest = read_on(3)
            process.wait(30)
            os.close(leader)
            self.assertIn(b"hello Ada", rest)
            self.assertNotIn(b"processes |", rest)
            self.assertEqual(b"lacuna: recording" in seen, options != ["--quiet"])

    def test_nothing_to_capture(self):
        r = self.record("true")
        self.assertIn("nothing was recorded", r.stderr)
        self.assertEqual(r.slices(), [])

    def test_no_such_command(self):
        path = self.folder / "none.json"
        done = subprocess.run([LACUNA, "record", "-o", path, "--", "/no/such/program"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/no/such/program", done.stderr)
        self.assertFalse(path.exists())

    def test_the_demo_takes_a_number_of_steps_alone(self):
        demo = pathlib.Path(LACUNA).resolve().parent.parent / "capture" / "lacuna-demo"
        for odd in (["--unknown"], ["0"], ["-3"], ["2x"], [""], ["1", "2"]):
            done = subprocess.run([demo, *odd], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (2, ""), odd)
            self.assertIn(f"'{odd[-1]}' is no number of steps", done.stderr)

    def run_lacuna(self, *arguments, **variables):
        return subprocess.run([LACUNA, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=self.folder,
                              env=clean_environment(**variables))

    def test_nothing_is_overwritten(self):
        """What Lacuna did not write stays without --force; what it wrote stays until there is something new."""
        victim = self.folder / "victim.py"
        victim.write_text("print('I live')\n")
        done = self.run_lacuna("record", "-o", victim, "--", sys.executable, victim)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not a trace that Lacuna wrote", done.stderr)
        self.assertIn("--force", done.stderr)
        self.assertEqual(done.stdout, "", "it must not start")
        self.assertEqual(victim.read_text(), "print('I live')\n")
        before = self.record(self.target(), "simple").path.read_bytes()
        path = self.folder / "out.json"
        for command, code in (["/no/such/program"], 1), (["true"], 0):
            done = self.run_lacuna("record", "-o", path, "--no-stacks", "--no-states", "--", *command)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(path.read_bytes(), before, command)
        self.assertIn("stays as it was", done.stderr)
        self.assertNotEqual(self.record(self.target(), "simple").path.read_bytes(), before)
        done = self.run_lacuna("record", "--force", "-o", victim, "--", self.target(), "simple")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"simple"', victim.read_text())
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"victim.py", "out.json"}, "nothing hidden is left")

    def test_same_second_and_same_name(self):
        """Recordings begun together write a file each; of one name only the first is made."""
        command = ["--", self.target(), "flood", "20000"]
        both = [subprocess.Popen([LACUNA, "record", *command], cwd=self.folder, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True, env=clean_environment(RANK=rank))
                for rank in ("0", "1", "1")]
        for process in both:
            self.assertEqual(process.wait(60), 0, process.stderr.read())
            process.stderr.close()
        files = sorted(self.folder.iterdir())
        self.assertEqual(len(files), 3, files)
        names = [re.match(r".*-(\d+)-rank(\d)(-2)?\.", p.name).groups() for p in files]
        self.assertEqual(sorted(rank for _, rank, _ in names), ["0", "1", "1"])
        seconds = [second for second, rank, _ in names if rank == "1"]  # two, where one began as a second ended
        self.assertEqual([n for _, rank, n in names if rank == "1"].count("-2"), 2 - len(set(seconds)), files)
        for path in files:
            self.assertEqual(Recording(path, subprocess.CompletedProcess([], 0, "", "")).names()["f"], 20000)
        path, process, target = self.start()
        done = self.run_lacuna("record", "--force", "-o", path, *command)
        self.assertEqual(done.returncode, 1)
        self.assertIn("another process is writing this file", done.stderr)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertGreater(Recording(path, process).names()["tick"], 0)

    def test_names_of_outputs(self):
        for _ in range(2):
            done = self.run_lacuna("record", "-o", "%h-r%r-%n%%.json", "--", self.target(), "simple", RANK="7")
            self.assertEqual(done.returncode, 0, done.stderr)
        host = os.uname().nodename
        self.assertEqual({p.name for p in self.folder.iterdir()}, {f"{host}-r7-1%.json", f"{host}-r7-2%.json"})
        self.assertIn("%p", self.run_lacuna("record", "-o", "a%.json", "--", "true").stderr)

    def start(self, *options, mode="wait"):
        path = self.folder / "live.json"
        process = subprocess.Popen([LACUNA, "record", "-o", path, *options, "--", self.target(), mode], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment(),
                                   start_new_session=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        line = process.stdout.readline()
        self.assertTrue(line.startswith("ready "), line)
        return path, process, int(line.split()[1])

    def test_stop_from_outside(self):
        path, process, _ = self.start()
        wait_for_tick(path)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, err)
        self.assertIn("stopping the target: SIGINT", err)
        self.assertIn("was killed by signal 2", err)
        report = self.info(path)
        self.assertEqual([line for line in report["report"] if line["severity"] == "data_loss"], [])

    def record_in_terminal(self, path, when_it_closes=signal.SIG_DFL):
        """Records in a terminal of its own, which closes once something is recorded."""
        process, terminal = pty.fork()
        if process == 0:
            signal.signal(signal.SIGHUP, when_it_closes)
            os.execve(LACUNA, [LACUNA, "record", "-o", str(path), "--", self.target(), "wait"], clean_environment())
        said = b""
        while b"ready " not in said:
            said += os.read(terminal, 4096)
        target = int(re.search(rb"ready (\d+)", said).group(1))
        wait_for_tick(path)
        os.close(terminal)
        return process, target

    def test_terminal_that_closes(self):
        """As when the line to a machine breaks: the target goes with its terminal, what came is a whole file."""
        path = self.folder / "closed.json"
        process, _ = self.record_in_terminal(path)
        self.assertIn(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), (128 + signal.SIGHUP, 128 + signal.SIGINT))
        json.loads(path.read_text())
        self.assertGreater(Recording(path, subprocess.CompletedProcess([], 0, "", "")).names()["tick"], 0)

    def test_terminal_that_closes_under_nohup(self):
        """Both go on, though nobody reads what the recorder says."""
        path = self.folder / "closed.json"
        process, target = self.record_in_terminal(path, signal.SIG_IGN)
        wait_until_it_grows(path)
        os.kill(target, 0)  # still there
        os.kill(process, signal.SIGINT)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 128 + signal.SIGINT)
        json.loads(path.read_text())

    def test_killed_viewer(self):
        """What was written is readable; the target runs on and can be ended."""
        path, process, target = self.start()
        wait_for_tick(path)
        process.kill()
        process.wait()
        switches = switches_of(target)
        wait_until(lambda: switches_of(target) > switches + 10, "what it does by itself")
        stat = pathlib.Path(f"/proc/{target}/stat").read_text().rsplit(")", 1)[1].split()[0]
        self.assertIn(stat, "SR")
        os.kill(target, signal.SIGKILL)
        done = subprocess.run([LACUNA, "stats", path, "--csv"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tick", done.stdout)


    def test_killed_target_and_viewer(self):
        """What reached the disk opens, and a range that nobody ended is told."""
        path, process, target = self.start()
        wait_for_tick(path)
        os.kill(target, signal.SIGKILL)
        process.kill()
        process.wait()
        done = subprocess.run([LACUNA, "stats", path, "--csv"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tick", done.stdout)
        again = self.record(self.target(), "simple")  # nothing is left that stands in the way
        self.assertEqual(again.names()["simple"], 1)


class Losses(Case):
    def test_full_ring_drops_and_counts(self):
        number = 300000
        r = self.record(self.target(), "flood", number, options=["--ring-kb", "4"])
        lacuna = r.trace["lacuna"]
        self.assertGreater(lacuna["dropped"], 0)
        self.assertIn(" dropped: a ring was full", r.stderr)
        # Every push and pop of the flood came, or was counted.
        self.assertEqual(r.names()["after flood"], 1)
        self.assertEqual(r.names()["inner"], 1)
        after, = r.slices("after flood")
        inner, = r.slices("inner")
        self.assertTrue(after["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= after["ts"] + after["dur"])
        tid = after["tid"]
        self.assertTrue(nested(r.slices(tid=tid)))
        self.assertLessEqual(r.names()["f"], number)

    def test_disk_full(self):
        """/dev/full refuses every byte: the target runs to its end all the same, and the loss is said."""
        done = subprocess.run([LACUNA, "record", "-o", "/dev/full", "--", self.target(), "unique", "50000"], text=True,
                              capture_output=True, timeout=120, env=clean_environment())
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("No space left on device", done.stderr)
        self.assertIn("exited with code 0", done.stderr)


class Files(Case):
    def test_gzip_and_times(self):
        before = time.time_ns()
        r = self.record(self.target(), "simple", output="out.json.gz")
        after = time.time_ns()
        self.assertEqual((self.folder / "out.json.gz").read_bytes()[:2], b"\x1f\x8b")
        simple, = r.slices("simple")
        unix = r.trace["baseTimeNanoseconds"] + round(simple["ts"] * 1000)
        self.assertTrue(before < unix < after, (before, unix, after))
        self.assertGreater(simple["dur"], 0)
        self.assertLess(simple["dur"], 1000)
        self.assertEqual(r.metadata("process_name")[(simple["pid"], 0)], "nvtx_target")

    def test_rules_of_perfetto(self):
        """What Perfetto's JSON importer asks of events, by its format rules (it is not at hand to be asked itself):
        it drops slices that do not nest, flows and async events without an id, and wants numbers as numbers."""
        for command in (["all"], ["threads", 8], ["forks"], ["unique", 2000]):
            r = self.record(self.target(), *command)
            self.assertIsInstance(r.trace["traceEvents"], list)
            self.assertIn(r.trace.get("displayTimeUnit"), ("ms", "ns"))
            threads, open_async = collections.defaultdict(list), collections.Counter()
            for e in sorted(r.events, key=lambda e: e["ts"]):
                self.assertIn(e["ph"], "XBibeMsf")
                for key in ("pid", "tid"):
                    self.assertIsInstance(e[key], int)
                    self.assertTrue(-1 <= e[key] < 1 << 32)
                self.assertIsInstance(e["ts"], (int, float))
                self.assertIsInstance(e["name"], str)
                self.assertIsInstance(e.get("args", {}), dict)
                if e["ph"] == "X":
                    self.assertGreaterEqual(e["dur"], 0)
                    threads[e["pid"], e["tid"]].append(e)
                elif e["ph"] in "be":
                    key = (e["pid"], e["cat"], e["id"])
                    open_async[key] += 1 if e["ph"] == "b" else -1
                    self.assertGreaterEqual(open_async[key], 0, e)
                elif e["ph"] in "sf":
                    self.assertTrue(e["id"] >= 0 and e["cat"])
                elif e["ph"] == "i":
                    self.assertIn(e["s"], ("t", "p", "g"))
                elif e["ph"] == "M":
                    self.assertIn(e["name"], ("process_name", "process_labels", "process_sort_index", "thread_name",
                                              "thread_sort_index", "process_rank", "sample_period_ns"))
            for slices in threads.values():
                self.assertTrue(nested(slices))

    def test_table_and_reopening(self):
        r = self.record(self.target(), "threads", 8)
        self.assertIn("same in all", r.done.stdout)
        report = self.info(r.path)
        self.assertEqual(report["report"], [])


class Doctor(Case):
    """Where a recording and who watches it meet, in `lacuna doctor`."""

    def watching(self, **variables):
        # It loads CUPTI, over whose threads the leak check stumbles now and then.
        options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        environment = {k: v for k, v in clean_environment(**variables, ASAN_OPTIONS=options).items() if v}
        done = subprocess.run([LACUNA, "doctor"], capture_output=True, text=True, timeout=120, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.search(r"^(good|note|MISSING) +Watching +(.*(?:\n +-> .*)?)", done.stdout, re.M).groups()

    def test_watching(self):
        runtime, other = self.folder / "run", self.folder / "tmp"
        runtime.mkdir(mode=0o700)
        other.mkdir()
        self.assertEqual(self.watching(XDG_RUNTIME_DIR=str(runtime)),
                         ("good", f"{runtime}/lacuna, private: sockets of lacuna record --live"))
        (runtime / "lacuna").chmod(0o755)
        state, text = self.watching(XDG_RUNTIME_DIR=str(runtime))
        self.assertEqual(state, "MISSING")
        self.assertIn("chmod 700", text)
        state, text = self.watching(XDG_RUNTIME_DIR="", TMPDIR=str(other))
        self.assertEqual(state, "note")
        self.assertIn(f"{other}/lacuna-{os.getuid()}, private, since XDG_RUNTIME_DIR is not set", text)
        self.assertIn("-> nothing; but lacuna attach looks there only", text)
        state, text = self.watching(XDG_RUNTIME_DIR=str(self.folder / "none"), TMPDIR=str(other))
        self.assertEqual(state, "note")
        self.assertIn("none, where nothing can be written", text)


if __name__ == "__main__":
    if not LACUNA:
        sys.exit("LACUNA_BIN is not set")
    unittest.main()
