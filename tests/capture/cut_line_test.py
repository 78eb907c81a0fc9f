#!/usr/bin/env python3
"""The line to another machine is cut, or the disk fills up, in each phase of what commands do there: words say what
happened, nothing hangs, what can go on does, and nothing half-written takes the place of a file. (Pictures and live
recordings: tests/e2e/remote_answers_test.py, remote_test.py.)"""
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from dormant_test import listening
from record_support import TARGETS, clean_environment
from remote_support import LACUNA
from waiting import wait_until

FOLDER = pathlib.Path(__file__).resolve().parent
(HELLO, _, _, _, _, _, _, ANSWER, DATA, OUT, ERR, _, _, DONE, _) = range(1, 16)
HAS_WINDOW = "\n  live " in subprocess.run([LACUNA, "--help"], capture_output=True, text=True).stdout
needs_window = unittest.skipUnless(HAS_WINDOW, "lacuna was built without a window")
PATIENCE_S = 60


def noisy_trace(path, events=6000):
    generator = random.Random(2)
    path.write_text(json.dumps({"traceEvents": [
        {"ph": "X", "pid": 1, "tid": 1, "ts": i * 10, "dur": 5, "name": f"n{generator.getrandbits(1200):x}"}
        for i in range(events)]}))


class CutLine(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lacuna-cut-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name in ("bin", "home"):
            (self.folder / name).mkdir()
        (self.folder / "run").mkdir(mode=0o700)
        (self.folder / "bin" / "lacuna").symlink_to(LACUNA)
        self.home = self.folder / "home"
        self.rules = self.folder / "rules"
        self.env = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"), XDG_RUNTIME_DIR=str(self.folder / "run"),
                        XDG_DATA_HOME=str(self.home / "data"))

    def on(self, *words, rules=(), **more):
        self.rules.write_text(json.dumps(list(rules)))
        transport = (f"{sys.executable} -B {FOLDER}/cut_line.py {self.rules} env HOME={self.home} "
                     f"PATH={self.folder}/bin:{os.environ['PATH']}")
        began = time.monotonic()
        done = subprocess.run([LACUNA, "--on", "box", "--transport", transport, *map(str, words)], capture_output=True,
                              text=True, timeout=PATIENCE_S, env=self.env, cwd=self.folder, stdin=subprocess.DEVNULL, **more)
        self.assertNotIn("Sanitizer", done.stderr)
        self.took = time.monotonic() - began
        return done

    def rules_left(self):
        return json.loads(self.rules.read_text())

    def fetched(self):
        return sorted(p for p in (self.folder / "cache/lacuna/remote").rglob("*") if p.is_file())

    def test_commands(self):
        noisy_trace(self.home / "a.json", 300)
        for phase, rule in (("hello", {"kind": HELLO, "at": "middle"}), ("before hello", {"kind": HELLO, "at": "before"}),
                            ("request", {"kind": HELLO, "at": "after"}), ("output", {"kind": OUT, "at": "middle"}),
                            ("closing", {"kind": DONE, "at": "before"})):
            with self.subTest(phase=phase):
                done = self.on("stats", "a.json", rules=[rule])
                self.assertEqual((done.returncode, self.rules_left()), (1, []), done.stderr)
                self.assertRegex(done.stderr, r"box: the line broke \(exit code 7\)")
                self.assertLess(self.took, 15)
        self.assertEqual(self.on("stats", "a.json").returncode, 0)

    def test_a_recording_there_is_saved(self):
        done = self.on("record", "-o", "r.json", "--", "sh", "-c", "echo begun; exec sleep 30",
                       rules=[{"kind": OUT, "at": "after"}])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("box: the line broke", done.stderr)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            told = subprocess.run([LACUNA, "info", self.home / "r.json"], capture_output=True, text=True, env=self.env)
            if told.returncode == 0:
                break
        self.assertEqual(told.returncode, 0, told.stderr)

    def test_a_dormant_program_there(self):
        """While it is woken, and within its window: it sleeps again, and what came lies there."""
        target = subprocess.Popen([LACUNA, "record", "-q", "--dormant", "--", TARGETS / "nvtx_target", "rate", "1000", "90"],
                                  stdout=subprocess.DEVNULL, env=clean_environment())
        self.addCleanup(target.wait)
        self.addCleanup(target.kill)
        wait_until(lambda: listening(target.pid), "its socket")

        def state():
            told = subprocess.run([LACUNA, "jobs", "--json"], capture_output=True, text=True, timeout=60, env=self.env)
            return next((j["state"] for j in json.loads(told.stdout)["jobs"] if j["pid"] == target.pid), "gone")

        def asleep_again():
            wait_until(lambda: state() == "asleep", "its sleep")

        for n, (words, rule) in enumerate(((["request", target.pid, "--duration", "60s", "-o", "d0"], {"kind": ERR, "at": "before"}),
                                           (["request", target.pid, "--duration", "60s", "-o", "d1"], {"kind": ERR, "lines": 2, "at": "after"}),
                                           (["attach", target.pid, "-o", "d2.json"], {"kind": ERR, "lines": 2, "at": "middle"}))):
            with self.subTest(words=words, rule=rule):
                done = self.on(*words, rules=[rule])
                self.assertEqual((done.returncode, self.rules_left()), (1, []), done.stderr)
                self.assertIn("box: the line broke", done.stderr)
                self.assertLess(self.took, 15)
                asleep_again()
                for file in [*(self.home / f"d{n}").glob("*"), *self.home.glob(f"d{n}.json")]:
                    json.loads(file.read_text())  # whole
        self.assertEqual(len(list(self.home.glob("d2.json"))), 1)
        done = self.on("request", target.pid, "--duration", "100ms", "-o", "d3")
        self.assertEqual(done.returncode, 0, done.stderr)

    @needs_window
    def test_fetches(self):
        trace = self.home / "a.json"
        noisy_trace(trace)
        for phase, rules, goes_on in (("find", [{"kind": ANSWER, "at": "middle"}], False),
                                      ("file", [{"kind": DATA, "nth": 3, "at": "middle"}], True),
                                      ("twice", [{"kind": DATA, "nth": 2, "at": "after"},
                                                 {"kind": HELLO, "at": "middle"}], True),
                                      ("its end", [{"kind": DONE, "nth": 2, "at": "before"}], True)):
            with self.subTest(phase=phase):
                shutil.rmtree(self.folder / "cache", ignore_errors=True)
                picture = self.folder / "a.png"
                picture.write_bytes(before := (b"\x89PNG\r\n\x1a\n" if goes_on else b"mine"))
                done = self.on("screenshot", "a.json", "-o", picture, rules=rules)
                self.assertEqual(self.rules_left(), [], done.stderr)
                self.assertIn("the line broke", done.stderr)
                self.assertEqual(done.returncode, 0 if goes_on else 1, done.stderr)
                if not goes_on:
                    self.assertEqual((self.fetched(), picture.read_bytes()), ([], before))
                    continue
                self.assertIn("trying again", done.stderr)
                file, = self.fetched()
                self.assertEqual((file.name, file.read_bytes()), ("box:a.json", trace.read_bytes()))
                self.assertTrue(picture.read_bytes().startswith(b"\x89PNG"))

    @needs_window
    def test_a_full_disk_here(self):
        trace = self.home / "a.json"
        noisy_trace(trace)

        def few():
            resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, resource.RLIM_INFINITY))

        done = self.on("screenshot", "a.json", "-o", "a.png", preexec_fn=few)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"box:a\.json.*File too large")
        self.assertFalse((self.folder / "a.png").exists())
        self.assertEqual([p.name for p in self.fetched()], ["part"])
        # Once there is room it goes on behind what came.
        had = self.fetched()[0].stat().st_size
        self.assertGreater(had, 100_000)
        done = self.on("screenshot", "a.json", "-o", "a.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        file, = self.fetched()
        self.assertEqual(file.read_bytes(), trace.read_bytes())

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_there_and_an_output_that_takes_no_more(self):
        noisy_trace(self.home / "a.json", 300)
        done = self.on("record", "-q", "-o", "/dev/full", "--", "true")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("/dev/full: No space left on device", done.stderr)
        transport = f"env HOME={self.home} PATH={self.folder}/bin:{os.environ['PATH']}"
        with open("/dev/full", "wb") as full:
            done = subprocess.run([LACUNA, "--on", "box", "--transport", transport, "stats", "a.json"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S, env=self.env)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output takes no more", done.stderr)

    def test_no_room_to_pack_what_is_installed(self):
        (self.folder / "tmp").mkdir()
        self.env["TMPDIR"] = str(self.folder / "tmp")

        def few():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, resource.RLIM_INFINITY))

        done = self.on("install-on", "--yes", preexec_fn=few)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(str(self.folder / "tmp"), done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])
        self.assertFalse((self.home / "data/lacuna/there").exists())

    def test_install_on(self):
        there = self.home / "data/lacuna/there"
        done = self.on("install-on", "--yes", rules=[{"sent": 300_000}])
        self.assertEqual((done.returncode, self.rules_left()), (1, []), done.stderr)
        self.assertIn("nothing was installed, and what was there stays", done.stderr)
        wait_until(lambda: not list(there.iterdir()), "the end of what was begun")


if __name__ == "__main__":
    unittest.main()
