"""Dormant programs in the window: `lacuna attach PID` and File > Attach… show one live, closing lets it sleep again; the
jobs dialog takes a trace of it; the Connect dialog does both on another machine, through ssh and a transport of one's own."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import window_driver as driver
from window_driver import check
from waiting import wait_until

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE / "tests/capture"))
os.environ.setdefault("LACUNA_BIN", driver.PROGRAM)
from remote_support import LACUNA, Machine, why_no_sshd  # noqa: E402

BUILD = os.path.dirname(os.path.dirname(os.path.abspath(driver.PROGRAM)))
TARGET = os.path.join(os.environ.get("LACUNA_TARGETS", os.path.join(BUILD, "tests", "capture", "targets")), "nvtx_target")


class Program:
    """A dormant program that pushes ranges, with a rank, so that it comes first."""

    def __init__(self, **environment):
        environment = {k: v for k, v in dict(os.environ, **environment).items()
                       if not k.startswith(("LACUNA_SOCKET", "LACUNA_CAPTURE", "NVTX_", "CUDA_INJECTION", "RANK", "WORLD_SIZE"))}
        self.process = subprocess.Popen([driver.PROGRAM, "record", "-q", "--dormant", "--", TARGET, "rate", "1000", "200"],
                                        stdout=subprocess.DEVNULL, env=environment)
        self.pid = self.process.pid
        self.wait(self.listens, "it is not dormant")

    def listens(self):
        with open("/proc/net/unix") as file:
            return any(f"@lacuna-dormant-{self.pid}-" in line and " 00010000 " in line for line in file)

    def is_asleep(self):
        done = subprocess.run([driver.PROGRAM, "jobs", "--json"], capture_output=True, text=True, timeout=60)
        state, = [j["state"] for j in json.loads(done.stdout)["jobs"] if j["pid"] == self.pid]
        return state == "asleep"

    def wait(self, what, message):
        wait_until(lambda: self.process.poll() is not None or what(), message)
        check(self.process.poll() is None, message)

    def close(self):
        self.process.kill()
        self.process.wait()


def grows(window, place=""):
    first = window.wait(lambda s: s["live"]["running"] and s["hasTrace"] and s["slices"] > 50, "nothing is shown", 40)
    check(first["live"]["place"] == place, first["live"]["place"])
    return window.wait(lambda s: s["slices"] > first["slices"] + 500, "it does not grow")


def attached_from_the_command_line(display):
    program, window = Program(), None
    try:
        window = driver.Window(display, ["attach", str(program.pid)])
        state = grows(window)
        check(state["live"]["own"] and state["live"]["pid"] == program.pid, "it is looked at from here")
        check(not program.is_asleep(), "it is awake")
        check("attached" in state["title"], state["title"])
        window.key("ctrl+shift+r")  # nothing to launch again
        window.key("ctrl+q")
        window.wait(lambda s: s["live"]["saveDialog"], "what was recorded is not saved: it asks")
        window.press("closing_discard")
        check(window.process.wait(20) == 0, "the window did not end well")
        program.wait(program.is_asleep, "it does not sleep again")
        # A window that is killed lets it sleep as well.
        window.kill()
        window = driver.Window(display, ["attach", str(program.pid)])
        grows(window)
        window.process.kill()
        window.process.wait(10)
        program.wait(program.is_asleep, "it does not sleep again after a kill")
    finally:
        if window:
            window.kill()
        program.close()


def attached_by_the_dialog(display):
    program, window = Program(), None
    try:
        window = driver.Window(display)
        window.wait(lambda s: program.pid in s["live"]["jobs"], "the start page does not show it", 20)
        window.key("ctrl+shift+j")
        window.wait(lambda s: s["live"]["attachDialog"], "no dialog")
        window.key("Escape")
        window.wait(lambda s: not s["live"]["attachDialog"], "Esc does not close it")
        window.key("ctrl+shift+j")
        window.wait(lambda s: s["live"]["attachDialog"], "no dialog")
        window.press("attach_target")
        window.key("ctrl+a")
        window.type("999999999")
        window.key("Return")
        window.wait(lambda s: "999999999" in s["error"], "a process that is none must be told")
        window.key("Escape")
        window.key("ctrl+shift+j")
        window.wait(lambda s: s["live"]["attachDialog"], "no dialog")
        window.press("attach_target")
        window.key("ctrl+a")
        window.type(str(program.pid))
        window.key("Return")
        state = grows(window)
        check(not state["live"]["attachDialog"], "the dialog goes")
        window.key("ctrl+period")
        state = window.wait(lambda s: not s["live"]["running"], "it does not stop looking")
        program.wait(program.is_asleep, "it does not sleep again")
        check(program.process.poll() is None, "the program must go on")
        state = window.settled()
        check(state["events"] == state["live"]["events"] and state["live"]["dropped"] == 0, "all that was recorded is shown")
        check("sleeps again" in state["live"]["console"], state["live"]["console"])
        window.key("ctrl+w")
        window.wait(lambda s: s["live"]["saveDialog"], "it asks")
        window.press("closing_discard")
        window.wait(lambda s: not s["live"]["recording"], "it does not close")
    finally:
        if window:
            window.kill()
        program.close()


def a_trace_of_it_is_taken(display):
    program, window = Program(), None
    try:
        window = driver.Window(display)
        window.wait(lambda s: program.pid in s["live"]["jobs"], "the start page does not show it", 20)
        window.key("ctrl+j")
        window.wait(lambda s: s["live"]["jobsDialog"], "no dialog")
        window.press("jobs_length")
        window.key("ctrl+a")
        window.type("0.5")
        window.key("Tab")
        window.press("jobs_take")
        state = window.wait(lambda s: s["hasTrace"] and not s["loading"], "no trace came", 40)
        check(state["slices"] > 300, f"half a second of it: {state['slices']}")
        program.wait(program.is_asleep, "it does not sleep again")
    finally:
        if window:
            window.kill()
        program.close()


def on_another_machine(display):
    if why_no_sshd():
        print("skipped:", why_no_sshd())
        return
    machine, program, window = Machine(), Program(), None
    try:
        window = driver.window_on(machine, display)
        window.wait(lambda s: not s["hasTrace"], "no start page")
        window.key("ctrl+shift+h")
        window.wait(lambda s: s["live"]["connectDialog"], "no dialog")
        window.type("box")
        window.press("connect_jobs")
        state = window.wait(lambda s: any(j["pid"] == program.pid for j in s["connect"]["jobs"]), "it is not listed", 30)
        job, = [j for j in state["connect"]["jobs"] if j["pid"] == program.pid]
        check(job["kind"] == "dormant", job)
        check(state["connect"]["jobs"][0]["pid"] == program.pid, "another dormant program runs on this machine")
        window.press("connect_job")
        window.press("connect_attach")
        grows(window, "box")
        check(not program.is_asleep(), "it is awake")
        window.key("ctrl+w")
        window.wait(lambda s: not s["live"]["recording"], "it does not close")
        window.key("ctrl+q")
        check(window.process.wait(20) == 0, "the window did not end well")
        program.wait(program.is_asleep, "it does not sleep again")
        with open(window.settings_file) as file:
            check({"host": "box", "transport": ""} in json.load(file)["places"], "the place is remembered")
    finally:
        if window:
            window.kill()
        program.close()
        machine.close()


def attached_on_another_machine_from_the_command_line(display):
    if why_no_sshd():
        print("skipped:", why_no_sshd())
        return
    machine, program, window = Machine(), Program(), None
    try:
        window = driver.window_on(machine, display, "--on", "box", "attach", str(program.pid))
        grows(window, "box")
        check(not program.is_asleep(), "it is awake")
        window.key("ctrl+q")
        check(window.process.wait(20) == 0, "the window did not end well")
        check(f"lacuna: the trace is box:{machine.home}/attached-{program.pid}-1.json.gz" in window.output(),
              window.output())
        program.wait(program.is_asleep, "it does not sleep again")
        written = machine.home / f"attached-{program.pid}-1.json.gz"
        program.wait(written.exists, "the trace is not there")
    finally:
        if window:
            window.kill()
        program.close()
        machine.close()


def nobody_watches_any_more(display):
    """--unwatched: it goes on while a window shows it, and ends some time after."""
    program, window, watcher = Program(), None, None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lacuna-unwatched-"))
    try:
        watcher = subprocess.Popen([driver.PROGRAM, "attach", str(program.pid), "-o", folder / "w.json", "--live",
                                    f"unwatched-{program.pid}", "--unwatched", "3s"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        check("woke one process" in watcher.stderr.readline(), "it is not woken")
        window = driver.Window(display, ["attach", f"unwatched-{program.pid}"])
        grows(window)
        shown = time.monotonic()
        while time.monotonic() < shown + 4:
            check(watcher.poll() is None, "it ends although it is watched")
            time.sleep(0.1)
        window.kill()
        killed = time.monotonic()
        check(watcher.wait(20) == 0, "it does not end well")
        check(2 < time.monotonic() - killed < 10, f"it ends after {time.monotonic() - killed:.1f} s")
        program.wait(program.is_asleep, "it does not sleep again")
        check(len(json.load(open(folder / "w.json"))["traceEvents"]) > 1000, "what came is kept")
    finally:
        for process in (watcher, window):
            if process:
                process.kill()
        if watcher:
            watcher.wait()
            watcher.stdout.close()
            watcher.stderr.close()
        program.close()
        shutil.rmtree(folder)


def through_a_transport(display):
    program, window = Program(), None
    try:
        folder = os.path.dirname(os.path.abspath(driver.PROGRAM))
        transport = f"env PATH={folder}:{os.environ['PATH']}"
        window = driver.Window(display, settings={"places": [{"host": "", "transport": transport}]})
        window.wait(lambda s: not s["hasTrace"], "no start page")
        window.key("ctrl+shift+h")
        window.wait(lambda s: s["live"]["connectDialog"], "no dialog")
        window.press("connect_transport")
        window.type(transport)
        window.press("connect_jobs")
        window.wait(lambda s: s["connect"]["jobs"] and s["connect"]["jobs"][0]["pid"] == program.pid, "it is not listed", 30)
        window.press("connect_job")
        window.press("connect_request")
        state = window.wait(lambda s: s["hasTrace"] and not s["loading"], "no trace came", 60)
        check(state["slices"] > 1000, state["slices"])
        program.wait(program.is_asleep, "it does not sleep again")
    finally:
        if window:
            window.kill()
        program.close()


if __name__ == "__main__":
    driver.run_apart((attached_from_the_command_line, attached_by_the_dialog, a_trace_of_it_is_taken, on_another_machine,
                      attached_on_another_machine_from_the_command_line, nobody_watches_any_more, through_a_transport))
