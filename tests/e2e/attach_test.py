"""A window that watches a recording of another process (`lacuna record --live`, `lacuna attach`): lanes
grow, the numbers at the end are those of the file, a second window is refused, and one that is killed
costs the recording nothing."""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile

import window_driver as driver
from window_driver import check
from waiting import wait_until

BUILD = os.path.dirname(os.path.dirname(os.path.abspath(driver.PROGRAM)))
DEMO = os.path.join(BUILD, "capture", "lacuna-demo")


class Recording:
    """`lacuna record --live`, in a folder of its own."""

    def __init__(self, steps, output="out.json.gz", live=()):
        self.folder = tempfile.mkdtemp(prefix="lacuna_attach_")
        self.runtime = os.path.join(self.folder, "run")
        os.mkdir(self.runtime, 0o700)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.runtime, XDG_CACHE_HOME=os.path.join(self.folder, "cache"))
        self.output = os.path.join(self.folder, output)
        self.process = subprocess.Popen(
            [driver.PROGRAM, "record", "-o", self.output, "--live", *live, "--", DEMO, str(steps)],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=open(os.path.join(self.folder, "log"), "w"), cwd=self.folder)
        wait_until(lambda: "watch it with" in self.said() or self.process.poll() is not None, "a recording")
        check(self.process.poll() is None, "it does not record: " + self.said())

    def said(self):
        with open(os.path.join(self.folder, "log")) as log:
            return log.read()

    def attach(self, display, *arguments):
        return driver.Window(display, ["attach", *arguments], environment={
            k: self.environment[k] for k in ("XDG_RUNTIME_DIR", "XDG_CACHE_HOME")})

    def attach_refused(self, display, *arguments):
        done = subprocess.run([driver.PROGRAM, "attach", *arguments], env=dict(self.environment, DISPLAY=display.name),
                              capture_output=True, text=True, timeout=30)
        check(done.returncode == 1, f"attach {arguments}: {done.returncode} {done.stderr}")
        return done.stderr

    def stop(self):
        self.process.send_signal(signal.SIGINT)  # not the terminal's: the recording passes it on
        check(self.process.wait(30) == 128 + signal.SIGINT, self.said())

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        target = re.search(r"\(process (\d+)\)", self.said())
        try:
            if target and os.readlink(f"/proc/{target[1]}/exe") == os.path.realpath(DEMO):
                os.kill(int(target[1]), signal.SIGKILL)
        except OSError:
            pass  # it has ended
        shutil.rmtree(self.folder, ignore_errors=True)


def over(window):
    return window.wait(lambda s: s["live"]["recording"] and not s["live"]["running"], "it does not end", 60)


def watched_to_its_end(display):
    recording = Recording(2000)
    window = None
    try:
        sockets = os.listdir(os.path.join(recording.runtime, "lacuna"))
        check(len(sockets) == 1, f"one socket: {sockets}")
        mode = os.stat(os.path.join(recording.runtime, "lacuna", sockets[0])).st_mode
        check(stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600, f"mode {mode:o}")
        window = recording.attach(display)
        first = window.wait(lambda s: s["live"]["running"] and s["hasTrace"] and s["slices"] > 0, "nothing is shown")
        check(first["live"]["following"] and not first["live"]["own"], "it must follow another's recording")
        later = window.wait(lambda s: s["slices"] > first["slices"] + 100, "it does not grow")
        check(later["view"]["camera"]["endNs"] > first["view"]["camera"]["endNs"], "the view does not follow")
        window.wait(lambda s: s["live"]["overlay"] > 0, "what runs now is not drawn")
        check("another window" in recording.attach_refused(display), "a second window must be refused")
        window.key("ctrl+period")  # not ours to stop
        window.wait(lambda s: s["slices"] > later["slices"] + 50, "the window must not stop another's program")
        recording.stop()
        over(window)
        state = window.settled()
        check("signal 2" in state["live"]["exit"], state["live"]["exit"])
        check(state["live"]["dropped"] == 0 and not state["live"]["unsaved"], "nothing is lost by closing")
        check(state["events"] == state["live"]["events"], "everything recorded must be shown")
        done = subprocess.run([driver.PROGRAM, "info", "--json", recording.output], capture_output=True, text=True, timeout=60)
        info = json.loads(done.stdout)
        check(info["slices"] == state["slices"], f"{info['slices']} slices in the file, {state['slices']} shown")
        window.key("ctrl+q")  # asks nothing
        check(window.process.wait(10) == 0, "the window did not end well")
        check("no recording" in recording.attach_refused(display), "nothing is left to attach to")
    finally:
        if window:
            window.kill()
        recording.close()


def a_killed_window_costs_nothing(display):
    recording = Recording(200, "out.json", ["here"])
    window = None
    try:
        window = recording.attach(display, "here")
        window.wait(lambda s: s["live"]["events"] > 100, "nothing is shown")
        window.process.kill()
        window.process.wait(10)
        window.kill()
        # Another may come, at once.
        window = recording.attach(display, os.path.join(recording.runtime, "lacuna", "here.live"))
        window.wait(lambda s: s["live"]["events"] > 200, "the recording must go on, and be shown again")
        window.process.kill()
        window.process.wait(10)
        check(recording.process.wait(60) == 0, recording.said())
        check("exited with code 0" in recording.said(), recording.said())
        with open(recording.output) as file:
            trace = json.load(file)
        check(trace["lacuna"]["dropped"] == 0, "it dropped")
        check(len([e for e in trace["traceEvents"] if e["ph"] == "X" and e["name"] == "training step"]) == 3 * 200,
              "all steps of the three phases must be there")
    finally:
        if window:
            window.kill()
        recording.close()


def the_recorder_is_killed(display):
    recording = Recording(2000)
    window = None
    try:
        window = recording.attach(display)
        window.wait(lambda s: s["live"]["events"] > 200, "nothing is shown")
        recording.process.kill()
        state = over(window)
        check("without finishing its recording" in state["live"]["console"], state["live"]["console"])
        state = window.settled()
        check(state["slices"] > 100, "what was recorded must stay")
    finally:
        if window:
            window.kill()
        recording.close()


if __name__ == "__main__":
    driver.run_apart((watched_to_its_end, a_killed_window_costs_nothing, the_recorder_is_killed))
