#!/usr/bin/env python3
"""Frames per second and CPU time per frame of the real window while it pans, under Xvfb with Mesa's
software renderer.

    LACUNA_BIN=build/release/app/lacuna tests/bench/frame_rate.py TRACE [SECONDS] [WIDTHxHEIGHT]

Holds A and D in turn over the whole trace (a little zoomed in, so that there is somewhere to pan to) and
reads the frame counter before and after. The CPU time is that of the program, renderer threads included,
the X server's apart; for one after the other on a busy machine it is the figure to compare. Then it presses
a key now and then while the view pans, and says when the window had taken it.
"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import window_driver as driver  # noqa: E402


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def answers(window, presses=15):
    """F9 does nothing but being counted; xdotool itself takes some milliseconds of the time."""
    window.xdotool("keydown", "d")
    times = []
    for press in range(presses):
        window.probe(60)
        before, began = window.state(), time.monotonic()
        window.xdotool("key", "F9")
        window.wait(lambda s: s["probes"] > before["probes"], "a key was lost", 60)
        times.append(1000 * (time.monotonic() - began))
        window.xdotool("keyup" if press % 2 == 0 else "keydown", "d")
    window.xdotool("keyup", "d")
    times.sort()
    print(f"a key is taken after {times[len(times) // 2]:.0f} ms (median), {times[-1]:.0f} ms at most")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10.0
    width, height = (int(v) for v in (sys.argv[3] if len(sys.argv) > 3 else "1600x900").split("x"))
    driver.skip_unless_possible()
    display = driver.Display(width, height)
    window = driver.Window(display, [os.path.abspath(sys.argv[1])], width, height,
                           environment={"LACUNA_TEST_STATE_ON_PROBE": "1"})
    try:
        end = time.monotonic() + 120
        while True:  # loaded, and nothing computes any more
            window.probe(60)
            state = window.state()
            if state.get("hasTrace") and not state["loading"] and not state["statistics"]["computing"]:
                break
            if time.monotonic() > end:
                sys.exit("the trace did not load")
            time.sleep(0.3)
        window.move(width * 0.6, height * 0.4)
        window.hold("w", 0.1)  # away from the outer limits
        time.sleep(1)
        window.probe()
        before = window.state()["frames"]
        began, used, server = time.monotonic(), cpu_seconds(window.process.pid), cpu_seconds(display.process.pid)
        while time.monotonic() - began < seconds:
            window.hold("d", 0.5)
            window.hold("a", 0.5)
        took = time.monotonic() - began
        used, server = cpu_seconds(window.process.pid) - used, cpu_seconds(display.process.pid) - server
        window.probe()
        frames = max(1, window.state()["frames"] - before)
        print(f"{frames / took:.1f} frames/s over {took:.1f} s; CPU {1000 * used / frames:.1f} ms a frame, "
              f"X server {1000 * server / frames:.1f} ms; load {os.getloadavg()[0]:.1f}")
        answers(window)
    finally:
        window.kill()
        display.close()


if __name__ == "__main__":
    main()
