#!/usr/bin/env python3
"""The headless flight recorder: what is kept, when a recording begins and ends, and taking it while it goes on.

    LACUNA_BIN=build/dev/app/lacuna LACUNA_TARGETS=build/dev/tests/capture/targets tests/capture/flight_test.py
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

from record_support import LACUNA, ONLY_INSIDE, SANITIZED, Case, Recording, clean_environment, load
from waiting import wait_until


def begins(trace, name):
    return sorted(e["ts"] for e in trace["traceEvents"] if e["name"] == name and e["ph"] in "XB")


class Flight(Case):
    def environment(self):
        return clean_environment(XDG_CACHE_HOME=str(self.folder / "cache"))

    def start(self, *command, options=()):
        """A recording under way; its target prints "ready PID"."""
        process = subprocess.Popen([LACUNA, "record", "-o", self.folder / "out.json", *options, *ONLY_INSIDE, "--", *map(str, command)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment())
        self.addCleanup(lambda: (process.kill(), process.stdout.close(), process.stderr.close(), process.wait()))
        return process, int(process.stdout.readline().split()[1])

    def end(self, process):
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, err)
        return err

    def wait_for(self, path):
        wait_until(lambda: path.exists() and path.stat().st_size > 0, path)
        return load(path)

    def kept(self):
        """What is kept now of the recording that goes on."""
        self.recordings("--save", "-o", self.folder / "kept.json")
        return load(self.folder / "kept.json")

    def recordings(self, *arguments, code=0):
        done = subprocess.run([LACUNA, "recordings", *map(str, arguments)], capture_output=True, text=True, env=self.environment())
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_keeps_the_newest_and_is_taken_while_it_goes_on(self):
        process, pid = self.start(self.target(), "wait", options=["--keep-seconds", "1"])
        wait_until(lambda: self.kept()["lacuna"]["forgotten"] > 100 and not begins(self.kept(), "ready"), "what is too old")
        process.send_signal(signal.SIGUSR1)
        first = self.wait_for(self.folder / "out-1.json")
        self.assertTrue(0.8 <= (begins(first, "tick")[-1] - begins(first, "tick")[0]) / 1e6 <= 2)
        self.assertEqual(begins(first, "ready"), [], "the oldest is gone")
        self.assertGreater(first["lacuna"]["forgotten"], 100)
        self.assertIn("out.json", os.listdir(self.folder))
        self.assertEqual((self.folder / "out.json").stat().st_size, 0, "claimed, and not written yet")

        self.assertIn("under way", self.recordings().stdout)
        done = self.recordings("--save", "-o", self.folder / "asked.json.gz")
        asked = load(self.folder / "asked.json.gz")
        self.assertIn("asked.json.gz", done.stderr)
        self.assertGreater(begins(asked, "tick")[-1], begins(first, "tick")[-1])
        names = {e["args"]["name"] for e in asked["traceEvents"] if e["ph"] == "M" and e["name"] == "process_name"}
        self.assertTrue(any("nvtx_target" in n for n in names), names)
        victim = self.folder / "victim.py"
        victim.write_text("print()\n")
        refused = self.recordings("--save", "-o", victim, code=1)
        self.assertIn("not a trace that Lacuna wrote", refused.stderr)
        self.assertEqual(victim.read_text(), "print()\n")

        err = self.end(process)
        last = load(self.folder / "out.json")
        self.assertGreater(begins(last, "tick")[-1], begins(asked, "tick")[-1])
        self.assertLess((begins(last, "tick")[-1] - begins(last, "tick")[0]) / 1e6, 2)
        self.assertRegex(err, r"the last [\d.]+ m?s are kept; [\d,]+ older events were dropped")
        self.assertEqual(list((self.folder / "cache/lacuna").glob("recording-*")), [], "nothing is left behind")
        self.assertIn("none that keeps a part of itself is running", self.recordings().stdout)

    def test_a_range_that_runs_is_in_what_is_taken(self):
        process, pid = self.start(self.target(), "hang", options=["--keep-seconds", "60"])
        process.send_signal(signal.SIGUSR1)
        trace = self.wait_for(self.folder / "out-1.json")
        self.assertEqual([e["ph"] for e in trace["traceEvents"] if e["name"] == "hangs here"], ["B"])
        self.end(process)

    def test_a_killed_recorder_leaves_what_it_kept(self):
        process, pid = self.start(self.target(), "wait", options=["--keep-seconds", "30"])
        wait_until(lambda: len(begins(self.kept(), "tick")) > 10, "ticks")
        process.kill()
        process.wait()
        os.kill(pid, signal.SIGKILL)
        self.assertIn("unsaved", self.recordings().stdout)
        self.recordings("--save", "-o", self.folder / "left.json")
        self.assertGreater(len(begins(load(self.folder / "left.json"), "tick")), 10)

    def test_memory_limit_with_many_events(self):
        r = self.record(self.target(), "rate", 200000, 2, options=["--keep-gb", "0.02", "--ring-kb", "16384"],
                        environment={"XDG_CACHE_HOME": str(self.folder / "cache")})
        events = len(r.slices())
        # 20 MB are 78,000 events at 256 bytes. A look takes what has come since the last one, however much that is, so
        # on a busy machine less stays than that, or more.
        self.assertGreater(events, 0)
        if not SANITIZED:
            self.assertLess(events, 300_000)
        names = r.trace["lacuna"]["forgotten"] + events - (2 * 200000 + 2)  # those of threads count as events
        self.assertTrue(0 <= names <= 20, names)

    def test_without_a_limit_there_is_nothing_to_take(self):
        process, pid = self.start(self.target(), "wait")
        process.send_signal(signal.SIGUSR1)
        self.assertIn("no recording is kept", self.recordings("--save", code=1).stderr)
        said = "begins"
        while "SIGUSR1 takes what --keep-seconds or --keep-gb keep" not in said:
            self.assertTrue(said, "its standard error ended")
            said = process.stderr.readline()
        self.end(process)


class Window(Case):
    def test_delay_and_duration_end_the_target(self):
        r = self.record(self.target(), "wait", options=["--delay", "0.5", "--duration", "1"])
        self.assertIn("1.00 s are recorded (--duration); the command gets SIGTERM", r.stderr)
        ticks = [e for e in r.slices("tick")]
        self.assertEqual(r.slices("ready"), [])
        span = (ticks[-1]["ts"] - ticks[0]["ts"]) / 1e6
        self.assertTrue(0.7 <= span <= 1.001, span)

    def test_duration_ends_what_a_shell_started(self):
        r = self.record("sh", "-c", f"{self.target()} wait; echo never", options=["--duration", "1.5"])
        self.assertNotIn("never", r.done.stdout)
        pid = int(re.search(r"ready (\d+)", r.done.stdout)[1])
        wait_until(lambda: not pathlib.Path(f"/proc/{pid}").exists(), "its end")

    def test_kill_none_lets_it_go_on(self):
        r = self.record("sh", "-c", f"{self.target()} steps 40; exit 5", options=["--duration", "0.3", "--kill", "none"], code=5)
        self.assertIn("the command goes on", r.stderr)
        self.assertTrue(1 <= len(r.slices("my step")) < 40, len(r.slices("my step")))

    def test_start_on_a_range(self):
        r = self.record(self.target(), "phases", options=["--start-on", "training"])
        self.assertIn("the range to start on has begun", r.stderr)
        self.assertEqual(len(r.slices("step")), 20)
        self.assertEqual(r.slices("loading"), [])
        whole, = r.slices("whole")
        training, = r.slices("training")
        self.assertEqual(whole["ts"], training["ts"])
        self.assertGreater(whole["args"]["began_before_ns"], 100e6)

    def test_a_range_that_never_comes(self):
        for options, words, code in ((["--start-on", "training"], "no NVTX range or operator called 'training' began", 1),
                                     (["--start-on", "training", "--exit-zero"], "called 'training' began", 0),
                                     (["--delay", "1m"], "the command ended before --delay had passed", 0)):
            done = subprocess.run([LACUNA, "record", "-o", self.folder / "out.json", *options, "--", self.target(), "simple"],
                                  capture_output=True, text=True, env=clean_environment())
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertIn("no file was written", done.stderr)
            self.assertNotIn("nothing was recorded", done.stderr)
            self.assertEqual(os.listdir(self.folder), [])

    def test_times_as_elsewhere(self):
        for time in ("0.3", "0.3s", "300ms"):
            done = subprocess.run([LACUNA, "record", "--force", "-o", self.folder / "out.json", "--duration", time, "--",
                                   "sleep", "60"], capture_output=True, text=True, env=clean_environment())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("300 ms are recorded (--duration)", done.stderr)
        for time in ("5x", "nan", "soon"):
            done = subprocess.run([LACUNA, "record", "--duration", time, "--", "true"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--duration", done.stderr)

    def test_steps_count_from_the_begin(self):
        r = self.record(self.target(), "phases",
                        options=["--start-on", "training", "--step-range", "step", "--wait", "2", "--active", "3", "--repeat", "1"])
        self.assertEqual(len(r.slices("step")), 3)


if __name__ == "__main__":
    if not LACUNA:
        sys.exit("LACUNA_BIN is not set")
    unittest.main()
