"""What may go wrong with a recording in the window: program and window killed together, a disk that is full
while saving, recordings left behind. And a PyTorch program, live."""

import glob
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import window_driver as driver
from window_driver import check

sys.path.insert(0, os.path.join(driver.ROOT, "tests", "capture"))
BUILD = os.path.dirname(os.path.dirname(os.path.abspath(driver.PROGRAM)))
DEMO = os.path.join(BUILD, "capture", "lacuna-demo")

TORCH = """
import time, torch
torch.set_num_threads(1)
model = torch.nn.Linear(16, 16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(60):
    optimizer.zero_grad()
    model(torch.ones(8, 16)).sum().backward()
    optimizer.step()
    time.sleep(0.02)
"""


class Skipped(Exception):
    pass


def over(window, seconds=60):
    return window.wait(lambda s: s["live"]["recording"] and not s["live"]["running"], "the recording does not end", seconds)


def save_as(window, path):
    window.key("ctrl+s")
    window.wait(lambda s: s["live"]["saveDialog"], "no save dialog")
    window.probe()
    window.key("ctrl+a")
    window.type(path)
    window.key("Return")


def kill_both_and_offer_what_is_left(display, cache):
    window = driver.Window(display, ["live", "--", DEMO, "2000"], environment=cache)
    state = window.wait(lambda s: s["live"]["events"] > 400, "nothing is captured")
    os.killpg(state["live"]["pid"], signal.SIGKILL)
    window.process.kill()
    window.process.wait(10)
    window.kill()
    parts = glob.glob(os.path.join(cache["XDG_CACHE_HOME"], "lacuna", "recording-*", "part-*.trace.json.zst"))
    check(len(parts) == 1, f"what was recorded must be there: {parts}")
    # As if it had been so long that it had two parts.
    shutil.copy(parts[0], os.path.join(os.path.dirname(parts[0]), "part-9999.trace.json.zst"))
    # The next window offers it, opens it, and deletes it when told to.
    window = driver.Window(display, environment=cache)
    try:
        window.wait(lambda s: s["live"]["oldRecordings"] == 1, "what was left behind must be offered")
        window.press("old_open")
        state = window.loaded()
        check(state["slices"] > 400, f"{state['slices']} slices of what was recorded")
        done = subprocess.run([driver.PROGRAM, "info", "--json", parts[0]], capture_output=True, text=True, timeout=60)
        check(state["slices"] == 2 * json.loads(done.stdout)["slices"], "both parts must be shown")
        check(os.path.exists(parts[0]), "opening deletes nothing")
        window.key("ctrl+w")
        window.wait(lambda s: not s["hasTrace"], "not closed")
        window.press("old_delete")
        window.wait(lambda s: s["live"]["oldRecordings"] == 0, "it must be gone from the list")
        check(not os.path.exists(parts[0]), "it must be gone")
    finally:
        window.kill()


def a_signal_ends_program_and_window(display, cache):
    """SIGTERM: the program ends with the window, both are said, and the recording is kept."""
    window = driver.Window(display, ["live", "--", DEMO, "4000"], environment=cache)
    try:
        state = window.wait(lambda s: s["live"]["events"] > 400, "nothing is captured")
        window.process.send_signal(signal.SIGTERM)
        check(window.process.wait(20) == 0, f"exit code {window.process.returncode}")
        check(not os.path.exists(f"/proc/{state['live']['pid']}"), "the program goes on")
        window.log.seek(0)
        said = window.log.read()
        check(f"Terminated: ending the program (process {state['live']['pid']})" in said, said)
        check("the recording is kept" in said, said)
        listed = subprocess.run([driver.PROGRAM, "recordings"], capture_output=True, text=True,
                                env=dict(os.environ, **cache), timeout=60).stdout
        check("lacuna-demo" in listed and len(listed.splitlines()) == 1, listed)
    finally:
        window.kill()


def full_disk_while_saving(display, cache):
    window = driver.Window(display, ["live", "--", DEMO, "40"], environment=cache)
    try:
        over(window)
        before = window.settled()
        path = os.path.join(window.folder, "out.json")
        with open(path, "w") as file:
            file.write("what was there before")
        # Not Lacuna's: Enter alone does not replace it, Alt+R agrees.
        save_as(window, path)
        window.probe()
        check(window.state()["live"]["saveDialog"], "what Lacuna did not write must not be replaced at once")
        with open(path) as file:
            check(file.read() == "what was there before", "it was replaced")
        # As on a disk without room, but for what the window tells of its state.
        resource.prlimit(window.process.pid, resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
        window.key("alt+r", "Return")
        window.wait(lambda s: "File too large" in s["error"], "a full disk must be told")
        resource.prlimit(window.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        check(os.listdir(window.folder).count("out.json") == 1, "out.json")
        check(not [name for name in os.listdir(window.folder) if name.startswith(".saving")], "something hidden is left")
        state = window.state()
        check(state["live"]["unsaved"] and state["events"] == before["events"], "nothing of the recording may be lost")
        with open(path) as file:
            check(file.read() == "what was there before", "what was there before must stay")
        window.key("Escape")
        window.wait(lambda s: not s["error"], "the error stays")
        save_as(window, path)
        window.probe()
        window.key("alt+r", "Return")
        window.wait(lambda s: s["live"]["savedPath"] == path and not s["live"]["unsaved"], "not saved")
        with open(path) as file:
            check(len(json.load(file)["traceEvents"]) == before["events"], "the file has all events")
    finally:
        window.kill()


def a_torch_program(display, cache):
    try:
        from torch_test import find_python
        python = find_python()
    except Exception as error:  # unittest.SkipTest, or its helpers are elsewhere
        raise Skipped(f"no Python with torch: {error}") from None
    if not python:
        raise Skipped("no Python with torch")
    window = driver.Window(display, ["live", "--", str(python), "-c", TORCH], environment=cache)
    try:
        # The operator library is built first, for a minute of a busy machine.
        first = window.wait(lambda s: s["live"]["running"] and s["hasTrace"] and s["slices"] > 50, "no operators", 280)
        window.wait(lambda s: s["slices"] > first["slices"] + 50 or not s["live"]["running"], "it does not grow", 60)
        over(window)
        state = window.settled()
        check("exited with code 0" in state["live"]["exit"], state["live"]["console"])
        check(state["live"]["dropped"] == 0, "it dropped")
        path = os.path.join(window.folder, "torch.json")
        save_as(window, path)
        window.wait(lambda s: s["live"]["savedPath"] == path, "not saved")
        with open(path) as file:
            events = json.load(file)["traceEvents"]
        names = [e["name"] for e in events if e["ph"] == "X"]
        check(names.count("aten::linear") == 60, f"{names.count('aten::linear')} calls of aten::linear")
        check(len([n for n in names if n.startswith("ProfilerStep#")]) == 60, "a step for each optimizer.step()")
        check(len(events) == state["events"], "the file has what was shown")
    finally:
        window.kill()


def old_slices_go_to_disk(display, cache):
    """Where little memory is allowed; all of them stay in reach."""
    target = os.path.join(BUILD, "tests", "capture", "targets", "nvtx_target")
    if not os.path.exists(target):
        raise Skipped("no nvtx_target")
    arguments = ["live", "--no-metrics", "--", target, "rate", "300000", "6"]
    window = driver.Window(display, arguments, environment={**cache, "LACUNA_MEMORY": "64M"})
    try:
        window.wait(lambda s: s["live"].get("diskBytes", 0) > 20_000_000, "nothing goes to disk", 60)
        over(window)
        state = window.settled()
        check(state["live"]["dropped"] == 0, "it dropped")
        check(state["live"]["diskBytes"] > 20_000_000, "it stays there")
        files = glob.glob(os.path.join(cache["XDG_CACHE_HOME"], "lacuna", "spill*"))
        check(not files, f"it has no name: {files}")
        window.key("Home")
        state = window.settled()
        check(state["slices"], "all of it is drawn")
    finally:
        window.kill()


def main():
    driver.skip_unless_possible()
    failed = False
    display = driver.Display()
    for test in (kill_both_and_offer_what_is_left, a_signal_ends_program_and_window, full_disk_while_saving, old_slices_go_to_disk,
                 a_torch_program):
        if sys.argv[1:] and test.__name__ not in sys.argv[1:]:
            continue
        folder = tempfile.mkdtemp(prefix="lacuna_e2e_cache_")
        began = time.monotonic()
        try:
            test(display, {"XDG_CACHE_HOME": folder})
            print(f"ok     {test.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
        except Skipped as why:
            print(f"skipped {test.__name__}: {why}", flush=True)
        except (driver.Failure, KeyError, OSError) as error:
            print(f"FAILED {test.__name__}: {error!r}", flush=True)
            failed = True
        shutil.rmtree(folder, ignore_errors=True)
    display.close()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
