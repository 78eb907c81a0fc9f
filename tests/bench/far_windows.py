#!/usr/bin/env python3
"""By hand: two windows look at one trace of another machine over one slow line, from a real sshd of the test's own.

    tests/bench/far_windows.py LACUNA [--events 250000] [--bytes-a-second 1250000] [--delay-ms 50]

The line, which both share, is 10 Mbit/s and 50 ms each way, if nothing else is said. Once without a fetch, once while the
first window fetches all of it: after how long each has its first picture, from the command and from when the trace was
read there, and how long pans take in turns, from asking to having; the line's way there and back is twice the delay.
"""

import statistics
import time

from far_options import options_of


def add_options(parser):
    parser.add_argument("--events", type=int, default=250_000)


def main():
    options = options_of(__doc__, 1_250_000, 50, add_options)
    import window_driver as driver
    from remote_support import Machine
    import there_test
    driver.skip_unless_possible()
    displays = driver.Display(), driver.Display()  # a key goes to the window in front
    for fetches in (False, True):
        print("while the first fetches all of it:" if fetches else "without a fetch:", flush=True)
        machine, windows = Machine(through=True), []
        try:
            there_test.trace_there(machine, options.events)
            machine.proxy.bytes_a_second, machine.proxy.delay = options.bytes_a_second, options.delay_ms / 1e3
            for n in range(2):
                began = last_read = time.monotonic()
                more = [] if fetches and n == 0 else ["--no-fetch"]
                windows.append(driver.window_on(machine, displays[n], "--on", "box", "big.json", *more))
                while not (state := windows[n].state()).get("thinned"):
                    words = state.get("there", {}).get("words", "")
                    if not words or "reads it" in words or "opens it" in words:
                        last_read = time.monotonic()
                    driver.check(time.monotonic() < began + 120, f"nothing is seen: {words}")
                    time.sleep(0.01)
                now = time.monotonic()
                print(f"  window {n + 1}: first picture {now - began:.1f} s after the command, {(now - last_read) * 1e3:.0f} ms "
                      f"after it was last said to be read there", flush=True)
            took = [[], []]
            for window in windows:
                window.wait(lambda s: s["answers"]["isAnswered"] and not s["there"]["asking"], "no rest", 60)
                there_test.picture_after(window, lambda w=window: w.hold("w", 0.9))
            for key in "ddadda":
                for n, window in enumerate(windows):
                    _, state = there_test.picture_after(window, lambda w=window: w.hold(key, 0.3))
                    took[n].append(state["there"]["lastNs"] / 1e6)
            for n, window in enumerate(windows):
                there = window.state()["there"]
                print(f"  window {n + 1}: pans {', '.join(f'{ms:.0f}' for ms in took[n])} ms (median "
                      f"{statistics.median(took[n]):.0f}); {there['fetched'] / 1e6:.1f} of {there['total'] / 1e6:.1f} MB fetched",
                      flush=True)
        finally:
            for window in windows:
                window.kill()
            machine.close()
    for display in displays:
        display.close()


if __name__ == "__main__":
    main()
