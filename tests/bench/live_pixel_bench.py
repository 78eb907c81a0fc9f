#!/usr/bin/env python3
"""From the end of a range in a running program to the frame that shows it, by hand:

    LACUNA_BIN=build/release/app/lacuna LACUNA_TARGETS=build/dev/tests/capture/targets tests/bench/live_pixel_bench.py [gpu]

gpu: kernels and launches of a stand-in for CUPTI, which hands them over when it is told to flush, as the real one does.

A window under Xvfb records a program with a few ranges a second. Its state dump, written after each swap of buffers,
says how many slices are in the picture; the saved recording says when each of them ended. Polling adds a millisecond,
writing the dump several, so the figures are upper bounds. Ranges that end before the first picture are left out.
"""
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
os.environ["LACUNA_BIN"] = str(pathlib.Path(os.environ["LACUNA_BIN"]).resolve())
import window_driver as driver  # noqa: E402

TARGETS = pathlib.Path(os.environ["LACUNA_TARGETS"]).resolve()


def main():
    seconds, rate = 15, 40
    program, environment, running = ["nvtx_target", "rate", str(rate), str(seconds), "1"], {}, 0
    if sys.argv[1:] == ["gpu"]:
        program = ["cuda_target", "rate", str(rate // 2 * seconds), str(rate // 2)]  # a kernel and a launch each
        running = 1  # its range around everything: in the picture from the start
        environment = {"LD_LIBRARY_PATH": f"{TARGETS / 'fake13'}:{TARGETS / 'fakecuda'}", "FAKE_DRIVER_VERSION": "13000"}
    display = driver.Display()
    window = driver.Window(display, ["live", "--", str(TARGETS / program[0]), *program[1:]], environment=environment)
    seen = []  # (ns since the epoch, slices in the picture)
    last = 0
    state = {}
    while not (state.get("live", {}).get("recording") and not state["live"]["running"]):
        try:
            at = os.stat(window.state_file).st_mtime_ns
            if at != last:
                state = window.state()
                last = at
                if state.get("hasTrace"):
                    seen.append((at, state["slices"] + state["live"]["overlay"]))
        except (OSError, ValueError, KeyError):
            pass
        time.sleep(0.001)
    window.settled()
    path = os.path.join(window.folder, "out.json")
    window.key("ctrl+s")
    window.wait(lambda s: s["live"]["saveDialog"], "no save dialog")
    window.probe()
    window.key("ctrl+a")
    window.type(path)
    window.key("Return")
    window.wait(lambda s: s["live"]["savedPath"] == path, "not saved")
    with open(path) as file:
        trace = json.load(file)
    window.kill()
    display.close()
    base = trace["baseTimeNanoseconds"]
    ends = sorted(base + round((e["ts"] + e["dur"]) * 1000) for e in trace["traceEvents"] if e["ph"] == "X")
    first = seen[0][0]  # what ended before the window's first picture waited for the window
    late, i = [], 0
    for at, count in seen:
        while i < min(count - running, len(ends)) and ends[i] <= at:
            if ends[i] > first:
                late.append((at - ends[i]) / 1e6)
            i += 1
    late.sort()
    pick = lambda part: late[int(part * (len(late) - 1))]  # noqa: E731
    print(f"{len(late)} ranges, {len(seen)} frames in {seconds} s: end to frame p50 {pick(.5):.1f} ms, "
          f"p90 {pick(.9):.1f}, p99 {pick(.99):.1f}, most {late[-1]:.1f}; {trace['lacuna']['dropped']} dropped")


if __name__ == "__main__":
    main()
