"""Other machines in the window: a file of one is chosen and opened, a recording there is watched over a line that is slow,
late, and breaks. With a real sshd of the test's own."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import window_driver as driver
from window_driver import check
from waiting import wait_until

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE / "tests/capture"))
from remote_support import LACUNA, Machine, why_no_sshd  # noqa: E402

BUILD = os.path.dirname(os.path.dirname(os.path.abspath(driver.PROGRAM)))
DEMO = os.path.join(BUILD, "capture", "lacuna-demo")


def info(path):
    done = subprocess.run([LACUNA, "info", "--json", path], capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout)


def opened_from_the_command_line(display):
    machine, window = Machine(), None
    try:
        shutil.copy(SOURCE / "assets/demo.trace.json.gz", machine.home / "a.json.gz")
        window = driver.window_on(machine, display, "--on", "box", "a.json.gz")
        state = window.wait(lambda s: s["hasTrace"], "the trace is not shown", 60)
        check("box:a.json.gz" in state["title"], state["title"])
    finally:
        if window:
            window.kill()
        machine.close()


def chosen_in_the_dialog(display):
    machine, window = Machine(), None
    try:
        folder = machine.home / "traces"
        folder.mkdir()
        shutil.copy(SOURCE / "assets/demo.trace.json.gz", folder / "b.json.gz")
        (folder / "notes.txt").write_text("no trace")
        window = driver.window_on(machine, display)
        window.wait(lambda s: not s["hasTrace"], "no start page")
        window.key("ctrl+shift+h")
        window.wait(lambda s: s["live"]["connectDialog"], "no dialog")
        window.type("nohost.invalid")
        window.key("Return")
        state = window.wait(lambda s: s["connect"]["problem"], "a host that is none must be told", 30)
        check("resolve" in state["connect"]["problem"], state["connect"]["problem"])
        window.press("connect_host")
        window.key("ctrl+a")
        window.type("box")
        window.key("Return")
        window.wait(lambda s: s["connect"]["entries"] == ["run", "traces"] or "traces" in s["connect"]["entries"],
                    "the home is not listed", 30)
        window.press("connect_folder")
        window.key("ctrl+a")
        window.type("~/traces")
        window.key("Return")
        state = window.wait(lambda s: "b.json.gz" in s["connect"]["entries"], "the folder is not listed", 30)
        window.press("connect_open")
        state = window.wait(lambda s: s["hasTrace"] and not s["live"]["connectDialog"], "what was fetched does not open", 60)
        check("box:b.json.gz" in state["title"], state["title"])
        # A command that is recorded there.
        window.key("ctrl+shift+h")
        window.wait(lambda s: s["live"]["connectDialog"], "no dialog")
        window.press("connect_command")
        window.type(f"{DEMO} 20")
        window.press("connect_record")
        window.wait(lambda s: s["live"]["recording"] and s["live"]["place"] == "box", "nothing is recorded there", 30)
        state = window.wait(lambda s: not s["live"]["running"] and s["slices"] > 100, "it does not end", 60)
        check(info(there(machine))["slices"] == window.settled()["slices"], "what is shown is what is in the file there")
    finally:
        if window:
            window.kill()
        machine.close()


def watched(window):
    return window.wait(lambda s: s["live"]["running"] and s["hasTrace"] and s["slices"] > 100, "nothing is shown", 60)


def there(machine):
    """The trace that was recorded there."""
    files = list(machine.home.glob("*.json.gz")) + list(machine.home.glob("*.json"))
    check(len(files) == 1, f"one trace there: {files}")
    return files[0]


def watched_over_a_slow_line_that_breaks(display):
    machine, window = Machine(through=True), None
    try:
        machine.proxy.delay = 0.15
        machine.proxy.bytes_a_second = 1_250_000  # 10 Mbit/s
        window = driver.window_on(machine, display, "--on", "box", "live", "--", DEMO, "100000")
        first = watched(window)
        check(first["live"]["place"] == "box" and not first["live"]["own"], "it is another machine's")
        check("box" in first["title"], first["title"])
        state = window.wait(lambda s: 100e6 < s["live"]["lateNs"] < 2e9, "late by the line's delay")
        driver.check(state["live"]["following"], "it follows")
        # The line breaks, and nobody answers for a while: the recording goes on there.
        machine.proxy.refuses = True
        machine.proxy.cut()
        cut = window.wait(lambda s: s["live"]["cut"], "a broken line must be told", 20)
        time.sleep(3)
        machine.proxy.refuses = False
        window.wait(lambda s: not s["live"]["cut"] and s["live"]["events"] > cut["live"]["events"] + 100,
                    "it does not take up what it missed", 40)
        # Ctrl+. ends what was started from here.
        window.key("ctrl+period")
        window.wait(lambda s: not s["live"]["running"], "it does not end", 60)
        state = window.settled()
        check(info(there(machine))["slices"] == state["slices"], "what is shown is what is in the file there")
        check(state["events"] == state["live"]["events"], f"{state['events']} of {state['live']['events']}")
    finally:
        if window:
            window.kill()
        machine.close()


def ends_while_the_line_is_broken(display):
    machine, window = Machine(through=True), None
    try:
        window = driver.window_on(machine, display, "--on", "box", "live", "--", DEMO, "60")
        watched(window)
        machine.proxy.refuses = True
        machine.proxy.cut()
        window.wait(lambda s: s["live"]["cut"], "a broken line must be told", 20)
        wait_until(lambda: not list((machine.home / "run/lacuna").glob("*.live")), "the recording's end there")
        machine.proxy.refuses = False
        window.wait(lambda s: not s["live"]["running"], "its end does not arrive", 60)
        state = window.settled()
        check(info(there(machine))["slices"] == state["slices"], "what was missed is taken from the file there")
    finally:
        if window:
            window.kill()
        machine.close()


def a_window_that_goes_costs_nothing(display):
    machine, window = Machine(), None
    try:
        window = driver.window_on(machine, display, "--on", "box", "live", "--", DEMO, "100000")
        watched(window)
        window.process.kill()
        window.process.wait(10)
        window.kill()
        window = driver.window_on(machine, display, "--on", "box", "attach")
        state = watched(window)
        window.wait(lambda s: s["slices"] > state["slices"] + 100, "the recording must go on")
        window.key("ctrl+period")
        window.wait(lambda s: not s["live"]["running"], "it does not end", 60)
        check(info(there(machine))["slices"] == window.settled()["slices"], "all of it")
    finally:
        if window:
            window.kill()
        machine.close()


def what_the_program_says(display):
    machine, window = Machine(), None
    try:
        window = driver.window_on(machine, display, "--on", "box", "live", "--", "sh", "-c",
                           f"echo hello from there; {DEMO} 30; echo oh no >&2; exit 3")
        state = window.wait(lambda s: s["live"]["recording"] and not s["live"]["running"], "it does not end", 60)
        check("hello from there" in state["live"]["console"] and "oh no" in state["live"]["console"],
              state["live"]["console"])
        check("code 3" in state["live"]["exit"], state["live"]["exit"])
        window.kill()
        window = None
        done = machine.lacuna("live", "--", "/no/such/program")
        check(done.returncode == 1 and "/no/such/program" in done.stderr, done.stderr)
        done = machine.lacuna("attach")
        check(done.returncode == 1 and "no recording to watch" in done.stderr, done.stderr)
    finally:
        if window:
            window.kill()
        machine.close()


def a_job_there_is_asked_and_opened_here(display):
    """Through a transport; the job is a stand-in that speaks Kineto's protocol."""
    machine, window, job = Machine(), None, None
    try:
        for name in ("s", "t"):
            (machine.home / name).mkdir()
        kineto = {"KINETO_IPC_SOCKET_DIR": f"{machine.home}/s", "KINETO_ONDEMAND_TRACE_DIR": f"{machine.home}/t"}
        job = subprocess.Popen([sys.executable, "-B", SOURCE / "tests/capture/kineto_peer.py", "--seconds", "200"],
                               stdout=subprocess.PIPE, text=True, env=dict(os.environ, **kineto, KINETO_USE_DAEMON="1"))
        check(job.stdout.readline() == "ready\n", "the stand-in does not start")
        words = " ".join(f"{k}={v}" for k, v in kineto.items())
        transport = f"env HOME={machine.home} PATH={machine.folder}/bin:{os.environ['PATH']} {words}"
        window = driver.window_on(machine, display, "--on", "box", "--transport", transport,
                           "request", str(job.pid), "--duration", "500ms", "--open")
        state = window.wait(lambda s: s["hasTrace"], "what came is not opened", 60)
        check(f"box:pid{job.pid}.json" in state["title"], state["title"])
    finally:
        if window:
            window.kill()
        if job:
            job.kill()
            job.wait()
            job.stdout.close()
        machine.close()


if __name__ == "__main__":
    if why_no_sshd():
        print("skipped: " + why_no_sshd())
        sys.exit(77)
    driver.run_apart((opened_from_the_command_line, chosen_in_the_dialog, watched_over_a_slow_line_that_breaks,
                      ends_while_the_line_is_broken, a_window_that_goes_costs_nothing, what_the_program_says,
                      a_job_there_is_asked_and_opened_here))
