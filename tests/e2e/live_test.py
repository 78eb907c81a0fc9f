"""A recording in the window: launched from the dialog with real keys, watched while it grows, stopped,
saved and opened again; and what happens when the program or the window is killed."""

import glob
import gzip
import json
import os
import signal
import subprocess
import sys
import time

import window_driver as driver
from window_driver import check
from waiting import wait_until

BUILD = os.path.dirname(os.path.dirname(os.path.abspath(driver.PROGRAM)))
DEMO = os.path.join(BUILD, "capture", "lacuna-demo")


def launch(window, command):
    """From the dialog, by keys alone."""
    window.key("ctrl+l")
    window.wait(lambda s: s["live"]["dialog"], "no launch dialog")
    window.probe()
    window.key("ctrl+a")
    window.type(command)
    window.wait(lambda s: s["live"]["command"] == command, "the command was not typed")
    window.key("Return")
    return window.wait(lambda s: not s["live"]["dialog"] and s["live"]["recording"], "nothing was launched")


def over(window, seconds=60):
    return window.wait(lambda s: s["live"]["recording"] and not s["live"]["running"], "the recording does not end", seconds)


def come_to_rest(window):
    """Keys coast a little. The end of what is in view."""
    at = None
    while at != window.state()["view"]["camera"]["endNs"]:
        at = window.state()["view"]["camera"]["endNs"]
        window.probe()
        time.sleep(0.3)
    return at


def leave_nothing_running(window):
    """A killed window leaves its program alone: not so a test that failed."""
    live = window.state().get("live") or {}
    if live.get("running"):
        try:
            os.killpg(live["pid"], signal.SIGKILL)
        except OSError:
            pass


def discard(window):
    window.key("ctrl+w")
    window.wait(lambda s: s["live"]["saveDialog"], "closing an unsaved recording must ask")
    window.key("alt+d")
    window.wait(lambda s: not s["live"]["recording"] and not s["hasTrace"], "not closed")


def launches_grows_follows_and_stops(window):
    launch(window, DEMO + " 2000")
    first = window.wait(lambda s: s["live"]["running"] and s["hasTrace"] and s["slices"] > 0, "nothing is shown")
    check(first["live"]["following"], "it must follow the newest")
    # It grows, and the view goes with it.
    later = window.wait(lambda s: s["slices"] > first["slices"] + 100, "it does not grow")
    check(later["view"]["camera"]["endNs"] > first["view"]["camera"]["endNs"], "the view does not follow")
    check(later["statistics"]["events"] > first["statistics"]["events"], "the statistics do not grow")
    window.wait(lambda s: s["live"]["overlay"] > 0, "what runs now is not drawn")
    names = {s["name"] for s in later["visibleSlices"]}
    check("demo" in later["live"]["console"], "no output of the program")

    # A pan by hand ends following, L resumes.
    window.key("a")
    still = window.wait(lambda s: not s["live"]["following"], "a pan must end following")
    window.wait(lambda s: s["slices"] > still["slices"], "it must go on growing")
    at = come_to_rest(window)
    more = window.state()["slices"]
    window.wait(lambda s: s["slices"] > more, "it must go on growing")
    check(window.state()["view"]["camera"]["endNs"] == at, "the view must stand still")
    window.key("l")
    window.wait(lambda s: s["live"]["following"] and s["view"]["camera"]["endNs"] > at, "L must follow again")

    # Pause: the picture stands, the recording goes on.
    window.key("p")
    paused = window.wait(lambda s: s["live"]["paused"], "P must pause")
    window.wait(lambda s: s["live"]["events"] > paused["live"]["events"] + 50, "pausing must not stop capturing")
    check(window.state()["slices"] == paused["slices"], "the picture must stand still")
    window.key("p")
    window.wait(lambda s: not s["live"]["paused"] and s["slices"] > paused["slices"], "P must resume")

    # SQL tells of what came so far, and the answer stays while more comes.
    window.key("ctrl+9")
    window.wait(lambda s: s["page"] == "query" and s["sql"]["editing"], "Ctrl+9 does not open the editor")
    window.key("ctrl+a", "Delete")
    window.type("select ts, dur, name from slice where name = 'forward'")
    before = window.state()["sql"]["answers"]
    window.key("ctrl+Return")
    asked = window.wait(lambda s: s["sql"]["answers"] > before and not s["sql"]["computing"], "no answer while it runs")
    check(asked["live"]["running"] and asked["sql"]["error"] == "" and asked["sql"]["rows"] > 0, asked["sql"])
    more = window.wait(lambda s: s["slices"] > asked["slices"] + 50, "it must go on growing")
    check(more["sql"]["rows"] == asked["sql"]["rows"], "the answer does not stay")
    window.key("Escape")

    # Stop.
    window.key("ctrl+period")
    state = over(window)
    check(state["live"]["state"] == "The program was stopped", state["live"]["state"])
    check("The target was stopped." in state["live"]["console"], state["live"]["console"][-300:])
    state = window.settled()
    check(state["live"]["dropped"] == 0, "records were dropped")
    check(state["events"] == state["live"]["events"], "everything captured must be shown")
    return names


def saves_and_reopens_with_the_same_numbers(window):
    before = window.settled()
    path = os.path.join(window.folder, "saved.json.gz")
    window.key("ctrl+s")
    window.wait(lambda s: s["live"]["saveDialog"], "no save dialog")
    window.probe()
    window.key("ctrl+a")
    window.type(path[:-len(".json.gz")])  # without an extension: it gets that one
    window.key("Return")
    saved = window.wait(lambda s: s["live"]["savedPath"] == path and not s["live"]["saveDialog"], "not saved")
    check(not saved["live"]["unsaved"], "it is saved")
    check(saved["notice"].startswith("Saved " + path), f"saving says {saved['notice']!r}")
    check(path in saved["recent"], "a saved recording is a recent file")
    with gzip.open(path) as file:
        document = json.load(file)
    check(len(document["traceEvents"]) == before["events"], "the file has all events")
    window.key("ctrl+w")  # asks nothing
    window.wait(lambda s: not s["hasTrace"], "not closed")
    window.key("ctrl+o")
    window.wait(lambda s: s["fileBrowserOpen"], "no open dialog")
    window.press("path")
    window.key("ctrl+a")
    window.type(path)
    window.key("Return")
    after = window.loaded()
    for key in ("events", "slices", "span", "home", "steps"):
        check(after[key] == before[key], f"{key}: {before[key]} live, {after[key]} reopened")
    for key in ("rows", "events", "firstName", "firstTotalNs"):
        check(after["statistics"][key] == before["statistics"][key],
              f"statistics {key}: {before['statistics'][key]} live, {after['statistics'][key]} reopened")
    window.key("ctrl+w")
    window.wait(lambda s: not s["hasTrace"], "not closed")


def console_and_exit_status(window):
    launch(window, "/bin/sh -c 'echo out; echo err >&2; exit 3'")
    state = over(window)
    check(state["live"]["exit"] == "exited with code 3", state["live"]["exit"])
    check("out\n" in state["live"]["console"] and "err\n" in state["live"]["console"], state["live"]["console"])
    window.wait(lambda s: s["page"] == "console", "a failure must show the console")
    discard_after(window, "ctrl+w")
    window.wait(lambda s: not s["live"]["recording"], "not closed")


def a_plain_program_says_what_was_looked_for(window):
    launch(window, "/bin/sleep 60")
    time.sleep(2)  # longer than a program may take to start
    window.probe()
    state = window.state()
    if state.get("slices", 0) == 0:  # it is not watched by other means
        check(not state["hasTrace"] and "live_waiting" in state["places"], "an empty timeline says nothing")
        check(state["page"] == "console", "what it writes is not shown")
        window.key("ctrl+s")
        window.probe()
        check(not window.state()["live"]["saveDialog"], "it offers to save nothing")
    pid = state["live"]["pid"]
    window.key("ctrl+w")
    window.wait(lambda s: s["live"]["saveDialog"], "closing must ask: the program runs")
    window.key("Return" if state["live"]["events"] == 0 else "alt+d")
    window.wait(lambda s: not s["live"]["recording"] and not s["live"]["saveDialog"], "not closed")
    window.wait(lambda s: not os.path.exists(f"/proc/{pid}"), "the program goes on")


def discard_after(window, key):
    """Presses a key that ends the recording, and gives up what is unsaved, if there is anything."""
    asks = window.state()["live"]["unsaved"]
    window.key(key)
    if asks:
        window.wait(lambda s: s["live"]["saveDialog"], "an unsaved recording is given up without a question")
        window.key("alt+d")


def launches_again(window):
    launch(window, "/bin/sh -c 'echo first; sleep 0.2'")
    first = over(window)["live"]["pid"]
    window.key("ctrl+1")
    window.key("ctrl+6")
    window.wait(lambda s: s["page"] == "console", "Ctrl+6 must show the console")
    discard_after(window, "ctrl+shift+r")
    window.wait(lambda s: s["live"]["recording"] and s["live"]["pid"] != first, "it was not launched again")
    over(window)
    discard_after(window, "ctrl+w")
    window.wait(lambda s: not s["live"]["recording"], "not closed")


def wrong_commands_are_told(window):
    window.key("ctrl+l")
    window.wait(lambda s: s["live"]["dialog"], "no launch dialog")
    window.probe()
    window.key("ctrl+a")
    window.type("'unclosed")
    window.key("Return")
    window.probe()
    check(window.state()["live"]["dialog"], "a command that makes no sense must not start")
    window.key("ctrl+a")
    window.type("/no/such/program x")
    window.key("Return")
    state = window.wait(lambda s: "/no/such/program" in s["live"]["dialogFailure"], "the dialog does not say why")
    check(state["live"]["dialog"] and state["live"]["command"] == "/no/such/program x",
          "the dialog must come back with what was typed")
    check(not state["error"] and not state["live"]["recording"], "told twice")
    window.probe()
    window.type("y")
    window.wait(lambda s: s["live"]["command"] != "/no/such/program x" and not s["live"]["dialogFailure"],
                "the reason must go with what failed")
    window.key("Escape")
    window.wait(lambda s: not s["live"]["dialog"], "Escape must close the dialog")
    # History: up goes to what was launched.
    window.key("ctrl+l")
    window.wait(lambda s: s["live"]["dialog"], "no launch dialog")
    window.probe()
    for text, what in (("exit 3", "the latest launch"), ("first", "the one before"), (DEMO, "the first")):
        window.key("Up")
        window.wait(lambda s: text in s["live"]["command"], f"Up must show {what}")
    window.key("Escape")
    window.wait(lambda s: not s["live"]["dialog"], "Escape must close the dialog")


def a_killed_program_leaves_its_recording(window):
    launch(window, DEMO + " 2000")
    state = window.wait(lambda s: s["live"]["events"] > 300, "nothing is captured")
    os.kill(state["live"]["pid"], signal.SIGKILL)
    state = over(window)
    check("signal 9" in state["live"]["exit"], state["live"]["exit"])
    state = window.settled()
    check(state["events"] == state["live"]["events"] and state["events"] > 300, "everything captured must be shown")
    discard(window)


def closing_asks_and_ends_the_program(window):
    launch(window, DEMO + " 2000")
    pid = window.wait(lambda s: s["live"]["events"] > 100, "nothing is captured")["live"]["pid"]
    window.key("ctrl+w")
    window.wait(lambda s: s["live"]["saveDialog"], "closing a recording under way must ask")
    window.key("Escape")
    window.wait(lambda s: not s["live"]["saveDialog"] and s["live"]["running"], "Escape must go on recording")
    discard(window)
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "the program's end")
    folder = os.path.join(window.environment["XDG_CACHE_HOME"], "lacuna")
    check(not os.listdir(folder), "a discarded recording must leave nothing")


def a_killed_window_hurts_nobody():
    """Of the program, and of what was recorded: it lies in the cache folder and can be opened."""
    display = driver.Display()
    window = driver.Window(display, environment=cache())
    marker = os.path.join(window.folder, "went on")
    try:
        window.probe()
        launch(window, f"/bin/sh -c '{DEMO} 60; echo said to nobody; echo done > \"{marker}\"'")
        window.wait(lambda s: s["live"]["events"] > 200, "nothing is captured")
        folder = os.path.join(window.environment["XDG_CACHE_HOME"], "lacuna")
        window.process.kill()
        window.process.wait(10)
        wait_until(lambda: os.path.exists(marker), "the end of a program without its window")
        parts = glob.glob(os.path.join(folder, "recording-*", "part-*.trace.json.zst"))
        check(len(parts) == 1, f"what was recorded must be there: {parts}")
        done = subprocess.run([driver.PROGRAM, "info", "--json", parts[0]], capture_output=True, text=True, timeout=60)
        check(done.returncode == 0, done.stderr)
        check(json.loads(done.stdout)["slices"] > 100, "what was recorded must be readable")
    finally:
        window.kill()
        display.close()


def a_wide_page_without_events_is_read_in_lines():
    display = driver.Display(1920, 1080)
    nothing = ["live", "--no-states", "--no-stacks", "--no-metrics", "--", "/bin/sleep", "30"]
    window = driver.Window(display, nothing, 1920, 1080, environment=cache())
    try:
        window.wait(lambda s: "live_sought" in s["places"], "nothing says what was looked for")
        window.probe()
        places = window.state()["places"]
        lines = places["live_sought"][1] - places["live_waiting"][1]
        check(lines < 200, f"the words stand below each other over {lines} pixels")
    finally:
        leave_nothing_running(window)
        window.kill()
        display.close()


def the_command_line_launches_within_a_limit():
    display = driver.Display()
    window = driver.Window(display, ["live", "--keep-gb", "0.00005", "--env", "GREETING=hello there", "--", "/bin/sh", "-c",
                                     f'echo "$GREETING"; exec {DEMO} 60'], environment=cache())
    try:
        state = over(window)
        check("hello there" in state["live"]["console"], state["live"]["console"])
        state = window.settled()
        check(state["live"]["forgotten"] > 100, "a limit must forget")
        check(0 < state["slices"] < 300, f"{state['slices']} slices for a limit of about 200 events")
        check(state["events"] >= state["live"]["events"] - state["live"]["forgotten"], "what is not forgotten is shown")
        check(state["span"]["endNs"] - state["span"]["beginNs"] < 2_000_000_000, "the newest must be kept, not the oldest")
        window.key("ctrl+q")
        window.wait(lambda s: s["live"]["saveDialog"], "quitting an unsaved recording must ask")
        window.key("alt+d")
        window.end()
        check(window.process.wait(10) == 0, "the program did not end well")
    finally:
        leave_nothing_running(window)
        window.kill()
        display.close()


def cache():
    folder = os.path.join("/tmp", f"lacuna_e2e_cache_{os.getpid()}")
    os.makedirs(folder, exist_ok=True)
    return {"XDG_CACHE_HOME": folder}


def main():
    driver.skip_unless_possible()
    failed = []
    display = driver.Display()
    window = driver.Window(display, environment=cache())
    window.probe()
    tests = (a_plain_program_says_what_was_looked_for, launches_grows_follows_and_stops,
             saves_and_reopens_with_the_same_numbers, launches_again, console_and_exit_status, wrong_commands_are_told, a_killed_program_leaves_its_recording, closing_asks_and_ends_the_program)
    only = sys.argv[1:]
    for test in tests + (a_killed_window_hurts_nobody, a_wide_page_without_events_is_read_in_lines,
                         the_command_line_launches_within_a_limit):
        if only and test.__name__ not in only:
            continue
        began = time.monotonic()
        try:
            test(window) if test in tests else test()
            print(f"ok     {test.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
        except (driver.Failure, KeyError, subprocess.TimeoutExpired) as error:
            print(f"FAILED {test.__name__}: {error!r}" if isinstance(error, KeyError)
                  else f"FAILED {test.__name__}: {error}", flush=True)
            failed.append(test.__name__)
            break  # the next ones stand on this one
    if not failed and not only:
        status = window.close()
        if status != 0:
            failed.append(f"exit status {status}")
            print(f"FAILED: exit status {status}")
    leave_nothing_running(window)
    window.kill()
    display.close()
    subprocess.run(["rm", "-rf", cache()["XDG_CACHE_HOME"]], check=False)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
