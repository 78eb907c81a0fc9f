#!/usr/bin/env python3
"""Records programs without NVTX, CUDA or PyTorch and looks at what is seen of them from outside.

    LACUNA_BIN=build/dev/app/lacuna LACUNA_TARGETS=build/dev/tests/capture/targets tests/capture/sampled_test.py
"""
import collections
import ctypes
import os
import pathlib
import platform
import re
import shutil
import struct
import subprocess
import sys
import unittest

from record_support import LACUNA, Case, Recording, clean_environment, nested

# Known times in known functions; the driver's own thread sleeps meanwhile.
SCRIPT = '''
import os, sys, threading, time, zlib

def count(until):
    x = 0
    while time.process_time() < until:
        for i in range(1000):
            x += i

def pack(until):
    data = os.urandom(1 << 20) * 8
    while time.process_time() < until:
        zlib.compress(
            data, 6)

class Job:
    def run(self):
        count(time.process_time() + 0.2)
        pack(time.process_time() + 0.2)
        time.sleep(0.3)

def sleeper():
    time.sleep(0.4)

thread = threading.Thread(target=sleeper)
thread.start()
Job().run()
thread.join()
print(sys.version_info[1])
'''

# From standard input no source is to be had: what is called below is in the native stacks alone.
BELOW = '''
import os, time, zlib

def pack(until):
    f = zlib.compress
    data = os.urandom(1 << 19)
    while time.process_time() < until:
        f(data)

def key(x):
    for i in range(300):
        x += i
    return x

def order(until):
    while time.process_time() < until:
        sorted(range(2000), key=key)

pack(time.process_time() + 0.4)
order(time.process_time() + 0.4)
'''

# The first line goes before the function is called: the text that is on the disk then says another one.
EDITED = '''import os, time, zlib
def pack(data): return zlib.compress(data, 6)
text = open(__file__).read()
open(__file__, "w").write(text.replace("zlib.compress(data", "hash.nothing(data"))
data = os.urandom(1 << 19)
while time.process_time() < 0.5:
    pack(data)
'''

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}.get(platform.machine())
PROCESS_VM_READV = {"x86_64": 310, "aarch64": 270}.get(platform.machine())

DOCTOR = subprocess.run([LACUNA, "doctor"], capture_output=True, text=True).stdout if LACUNA else ""


def refuse(*calls):
    """For preexec_fn: these system calls fail with EPERM from here on, as a container's seccomp profile has it."""
    libc = ctypes.CDLL(None, use_errno=True)
    rules = [(0x20, 0, 0, 0)]
    for call in calls:
        rules += [(0x15, 0, 1, call), (0x06, 0, 0, 0x00050001)]
    rules.append((0x06, 0, 0, 0x7FFF0000))
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))

    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    what = Filter(len(rules), ctypes.addressof(program))

    def apply():
        if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(what), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "seccomp")

    apply.program = program  # the filter points to it
    return apply


def pythons():
    """Interpreters of this machine, one of each version that can be sampled."""
    found = {}
    candidates = ["/usr/bin/python3", sys.executable, *sorted(pathlib.Path.home().glob(".pyenv/versions/3.*/bin/python3"))]
    for path in map(str, candidates):
        if not os.access(path, os.X_OK):
            continue
        done = subprocess.run([path, "-I", "-c", "import sys, threading, zlib; print(sys.version_info[1])"],
                              capture_output=True, text=True)
        if done.returncode == 0 and 8 <= int(done.stdout) <= 13:
            found.setdefault(int(done.stdout), path)
    return found


def seconds(events):
    """Of the slices of each name that do not lie in one of the same name."""
    total = collections.Counter()
    for e in events:
        total[e["name"]] += e["dur"] / 1e6
    return total


def missed_seconds(r, period=0.01):
    """What the recording itself says that it could not see: a busy machine wakes the sampler late."""
    said = re.search(r"([\d,]+) stack samples? missing", r.stderr)
    return int(said[1].replace(",", "")) * period if said else 0


class Python(Case):
    def setUp(self):
        super().setUp()
        if not re.search(r"Python stacks +by sampling", DOCTOR):
            self.skipTest("this machine lets no other process be read")

    def script(self):
        path = self.folder / "job.py"
        path.write_text(SCRIPT)
        return path

    def check_stacks(self, r, minor):
        frames = r.slices(cat="python_sample")
        self.assertTrue(frames, r.stderr)
        for tid in {e["tid"] for e in frames}:
            self.assertTrue(nested([e for e in frames if e["tid"] == tid]), "frames nest")
        path = str(self.folder / "job.py")
        title = {line: [e for e in frames if re.fullmatch(rf"{re.escape(path)}\({line}\): (\w+\.)?\w+", e["name"])]
                 for line in (4, 10, 17, 22)}
        took = {line: sum(e["dur"] for e in events) / 1e6 for line, events in title.items()}
        unseen = missed_seconds(r)
        for line, least in ((4, 0.12), (10, 0.12), (17, 0.6), (22, 0.3)):
            self.assertGreater(took[line], 0, f"3.{minor}: line {line}: {took}, {r.stderr}")
            self.assertGreater(took[line] + unseen, least, f"3.{minor}: line {line}: {took}, {r.stderr}")
        self.assertLess(took[22], 1.5)
        for e in title[4]:
            self.assertEqual(e["args"]["file"], path)
            self.assertIn(e["args"]["line"], (5, 6, 7, 8))
            self.assertGreaterEqual(e["args"]["samples"], 1)
        thread, = {e["tid"] for e in title[22]}
        main, = {e["tid"] for e in title[17]}
        self.assertNotEqual(thread, main)
        names = r.metadata("thread_name")
        self.assertEqual({names[k] for k in names if k[1] == main} & {"python3 (main) \u00b7 stacks, sampled"},
                         {n for k, n in names.items() if k[1] == main})
        if minor >= 11:  # earlier versions do not say what on a line is called
            self.assertGreater(seconds(frames)["zlib.compress"] + unseen, 0.1)
            self.assertGreater(seconds(frames)["time.sleep"] + unseen, 0.5)
            self.assertEqual(seconds(frames)["range"], 0)

    def test_stacks_of_every_version(self):
        found = pythons()
        if not found:
            self.skipTest("no Python here that can be sampled")
        for minor, path in found.items():
            with self.subTest(python=path):
                r = self.record(path, "-I", self.script(), look=True)
                self.check_stacks(r, minor)
                self.assertEqual(r.trace["lacuna"]["dropped"], 0)
        # Reopened it is the same: estimates are marked, states come last.
        done = subprocess.run([LACUNA, "stats", r.path, "--limit", "0"], capture_output=True, text=True, check=True).stdout
        rows = [line for line in done.splitlines() if "_sample" in line or "thread_state" in line]
        self.assertIn("estimates from samples", done)
        self.assertTrue(all("~" in line for line in rows if "_sample" in line), done)
        kinds = ["thread_state" in line for line in rows]
        self.assertEqual(kinds, sorted(kinds))

    def inside(self, r, outer, inner):
        """Seconds of slices whose names match `inner` in those that match `outer`, and of these."""
        frames = [e for e in r.slices() if "sample" in e.get("cat", "")]
        around = [e for e in frames if re.search(outer, e["name"])]
        spans = sorted((e["ts"], e["ts"] + e["dur"]) for e in frames if re.search(inner, e["name"])
                       and any(a["tid"] == e["tid"] and a["ts"] <= e["ts"] < a["ts"] + a["dur"] for a in around))
        covered, until = 0, 0
        for begin, end in spans:
            covered += max(0, end - max(begin, until))
            until = max(until, end)
        return covered / 1e6, sum(e["dur"] for e in around) / 1e6

    @unittest.skipUnless(re.search(r"Native stacks +by sampling", DOCTOR), "this machine gives no perf events")
    def test_functions_in_c_below_python(self):
        """Whatever the version, without its source: extensions' functions, and callbacks in their place."""
        for minor, path in pythons().items():
            with self.subTest(python=path):
                (self.folder / "below.py").write_text(BELOW)
                r = self.record("sh", "-c", f"{path} -I - < {self.folder}/below.py", look=True)
                deflating, packing = self.inside(r, r": pack$", r"^deflate$")
                self.assertGreater(packing, 0.1, r.stderr)
                self.assertGreater(deflating, 0.4 * packing, f"3.{minor}")
                self.assertEqual(r.slices("f"), [], "a variable's name")
                if r.slices("zlib_compress"):  # it has symbols of its own
                    sorting, ordering = self.inside(r, r": order$", r"^list_sort")
                    self.assertGreater(sorting, 0.4 * ordering, f"3.{minor}")
                    called_back, sorting = self.inside(r, r"^list_sort_impl", r": key$")
                    self.assertGreater(called_back, 0.4 * sorting, f"3.{minor}")

    def test_a_source_that_was_edited_names_nothing(self):
        path = self.folder / "edited.py"
        path.write_text(EDITED)
        r = self.record(sys.executable, "-I", path, look=True)
        self.assertTrue([e for e in r.slices(cat="python_sample") if e["name"].endswith("(2): pack")], r.stderr)
        self.assertEqual(r.slices("hash.nothing"), [])

    def test_the_text_behind_c_is_a_source(self):
        if sys.version_info < (3, 11):
            self.skipTest("this Python does not say which call of a line it is in")
        r = self.record(sys.executable, "-I", "-c", "import time\ndef nap():\n    time.sleep(0.3)\nnap()", look=True)
        self.assertGreater(seconds(r.slices("time.sleep"))["time.sleep"] + missed_seconds(r), 0.2, r.stderr)

    def test_nothing_of_it_when_told(self):
        r = self.record(sys.executable, "-I", self.script(), options=["--no-stacks"], look=True)
        self.assertEqual(r.slices(cat="python_sample") + r.slices(cat="native_sample"), [])
        self.assertTrue(r.slices(cat="thread_state"))
        r = self.record(sys.executable, "-I", self.script(), options=["--no-states"], look=True)
        self.assertEqual(r.slices(cat="thread_state"), [])
        self.assertTrue(r.slices(cat="python_sample"))

    def test_a_thousand_a_second(self):
        r = self.record(sys.executable, "-I", self.script(), options=["--stack-rate", "1000"], look=True)
        samples = sum(e["args"]["samples"] for e in r.slices("time.sleep", cat="python_sample"))
        if sys.version_info >= (3, 11):
            missed = missed_seconds(r, 0.001) * 1000
            self.assertGreater(samples + missed, 120)  # of 0.7 s: 70 at the usual rate; the machine may be busy
        period, = {e["args"]["value"] for e in r.events if e["ph"] == "M" and e["name"] == "sample_period_ns"}
        self.assertEqual(period, 1_000_000)

    @unittest.skipUnless(PERF_EVENT_OPEN, "system call numbers of this machine are not known")
    def test_without_perf_events(self):
        path = self.folder / "out.json"
        done = subprocess.run([LACUNA, "record", "-o", path, "--", sys.executable, "-I", self.script()], text=True,
                              capture_output=True, env=clean_environment(), preexec_fn=refuse(PERF_EVENT_OPEN))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("thread states are looked up 100 times a second", done.stderr)
        self.assertIn("perf_event_open", done.stderr)
        self.assertIn("too short to be seen", done.stderr)
        r = Recording(path, done)
        self.check_stacks(r, sys.version_info[1])
        self.assertGreater(seconds(r.slices("waiting: sleep"))["waiting: sleep"], 0.5)
        ran = seconds(r.slices(cat="thread_state"))
        self.assertGreater(ran["running"] + ran["preempted"], 0.1)  # on a busy machine hardly any 10 ms are its own

    @unittest.skipUnless(PROCESS_VM_READV, "system call numbers of this machine are not known")
    def test_where_memory_may_not_be_read(self):
        path = self.folder / "out.json"
        done = subprocess.run([LACUNA, "record", "-o", path, "--", sys.executable, "-I", self.script()], text=True,
                              capture_output=True, env=clean_environment(), preexec_fn=refuse(PROCESS_VM_READV))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("its Python stacks may not be read", done.stderr)


class Native(Case):
    def test_stacks_and_states(self):
        for subject in ("Python stacks", "Native stacks", "Thread states"):
            self.assertIn(subject, DOCTOR)
        if not re.search(r"Native stacks +by sampling", DOCTOR):
            self.skipTest("this machine gives no perf events")
        self.check_target(self.target("sampled_target"))

    def test_a_large_program_is_named_as_well(self):
        """The symbols of large files are read beside the looks, and stacks wait for their names."""
        if not re.search(r"Native stacks +by sampling", DOCTOR):
            self.skipTest("this machine gives no perf events")
        large = self.folder / "sampled_target"
        shutil.copy(self.target("sampled_target"), large)
        os.truncate(large, 40 << 20)
        self.check_target(large)

    def check_target(self, target):
        r = self.record(target, look=True)
        frames = r.slices(cat="native_sample")
        took = seconds(frames)
        for name, least in (("main", 0.15), ("in_main(int)", 0.1), ("leaf(int)", 0.2), ("in_thread(int)", 0.1)):
            self.assertGreater(took[name] + missed_seconds(r), least, f"{took}, {r.stderr}")
        for e in frames:
            if e["name"] == "leaf(int)":
                self.assertTrue(e["args"]["file"].endswith("/sampled_target"))
        states = seconds(r.slices(cat="thread_state"))
        self.assertGreater(states["running"], 0.4)
        self.assertGreater(states["waiting: sleep"], 0.15)
        for tid in {e["tid"] for e in r.slices(cat="thread_state")}:
            own = sorted(((e["ts"], e["ts"] + e["dur"]) for e in r.slices(cat="thread_state", tid=tid)))
            for (_, end), (start, _) in zip(own, own[1:]):
                self.assertLess(abs(start - end), 0.002, "states have no holes")

    def test_what_the_recording_itself_starts_is_not_seen(self):
        """The compiler of the operator hook is started by the program, for the recording."""
        script = ("import os, subprocess, sys\n"
                  "work = [sys.executable, '-c', 'sum(i * i for i in range(3000000))']\n"
                  "subprocess.run(work, env=dict(os.environ, LACUNA_HELPER='1'))\n"
                  "subprocess.run(work)\n")
        r = self.record(sys.executable, "-c", script, look=True)
        seen = {e["pid"] for e in r.slices() if e["cat"] == "thread_state"}
        self.assertEqual(len(seen), 2, f"the program and what it starts for itself: {r.stderr}")

    def test_thread_states_alone_are_nothing_captured(self):
        """Every program runs and waits: that is in the file, and it is said that nothing else is."""
        r = self.record("sleep", "0.3", options=["--no-stacks"], look=True)
        self.assertIn("nothing was recorded but when threads ran and waited: no NVTX range", r.stderr)
        self.assertGreater(len([e for e in r.slices() if e["cat"] == "thread_state"]), 0)


if __name__ == "__main__":
    if not LACUNA:
        sys.exit("LACUNA_BIN is not set")
    unittest.main(verbosity=2)
