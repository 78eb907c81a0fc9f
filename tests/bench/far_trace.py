#!/usr/bin/env python3
"""By hand: a large trace that is looked at over a slow line, in a real window, from a real sshd of the test's own.

    tests/bench/far_trace.py LACUNA TRACE [--bytes-a-second 1250000] [--delay-ms 50] [--fetch] [--places 0.1,0.5,0.9]

LACUNA is a release build. The line is 10 Mbit/s and 50 ms each way, if nothing else is said. For the first picture, and
at each place (a part of the trace's length) for zooms and pans with the page of statistics, with the gaps and with a
range: milliseconds from asking to having, of that the work there, bytes, and from the end of the input until nothing is
asked any more. With --fetch all of the trace is on its way here meanwhile.
"""

import pathlib
import statistics
import time

from far_options import options_of


def add_options(parser):
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("--places", default="0.1,0.35,0.6,0.85")
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--cold", action="store_true", help="forget what was kept of it there")


def summary(values):
    values = sorted(values)
    return f"median {statistics.median(values):4.0f}, most {values[-1]:4.0f} ms of {len(values)}"


class Look:
    """A window on the trace, and what its pictures took."""

    def __init__(self, window, check):
        self.window, self.check = window, check
        self.took = {}

    def rest(self, seconds=120):
        return self.window.wait(lambda s: s["thinned"] and not s["there"]["asking"] and not s["animating"] and
                                s["answers"]["isAnswered"], "it does not come to rest", seconds)

    def act(self, name, what):
        before = self.rest()["there"]["pictures"]
        what()
        ended = time.monotonic()
        try:
            state = self.window.wait(lambda s: s["there"]["pictures"] > before and not s["there"]["asking"] and
                                     not s["animating"], "no picture", 3)
        except Exception:
            return print(f"  {name:24}: it was there already")
        wall = (time.monotonic() - ended) * 1e3
        there = state["there"]
        self.took.setdefault(name, []).append((there["lastNs"] / 1e6, there["lastThereNs"] / 1e6, there["lastBytes"]))
        print(f"  {name:24}: {there['lastNs'] / 1e6:5.0f} ms ({there['lastThereNs'] / 1e6:4.0f} there), "
              f"{there['lastBytes']:7} bytes; {wall:5.0f} ms after the input; "
              f"{there['pictures'] - before} pictures; view "
              f"{(state['view']['camera']['endNs'] - state['view']['camera']['beginNs']) / 1e6:.3f} ms", flush=True)


def main():
    options = options_of(__doc__, 1_250_000, 50, add_options)
    import window_driver as driver
    from remote_support import Machine
    import there_test
    driver.skip_unless_possible()
    display = driver.Display()
    machine = Machine(through=True)
    window = None
    try:
        (machine.home / "big.json").symlink_to(options.trace.resolve())
        kept = options.trace.resolve().parent / "far_trace_cache"
        kept.mkdir(exist_ok=True)
        (machine.home / ".cache").symlink_to(kept)
        machine.proxy.bytes_a_second = options.bytes_a_second
        machine.proxy.delay = options.delay_ms / 1e3
        began = time.monotonic()
        more = [] if options.fetch else ["--no-fetch"]
        window = driver.window_on(machine, display, "--on", "box", "big.json", *more)
        last_read, words = began, ""
        while not window.state().get("thinned"):
            before, words = words, window.state().get("there", {}).get("words", "")
            if words != before:
                last_read = time.monotonic()
            driver.check(time.monotonic() < began + 300, f"nothing is seen: {words}")
            time.sleep(0.01)
        now = time.monotonic()
        there = window.state()["there"]
        print(f"first picture {now - began:.1f} s after the command, {(now - last_read) * 1e3:.0f} ms after the last word of "
              f"how far it was read there ({there['lastThereNs'] / 1e6:.0f} ms there); {there['bytes']} bytes", flush=True)
        window.wait(lambda s: s["answers"]["isAnswered"], "no statistics", 300)
        print(f"statistics {time.monotonic() - began:.1f} s after the command", flush=True)
        window.key("ctrl+2")
        window.wait(lambda s: s["answers"]["hasGaps"], "no gaps", 300)
        print(f"gaps with causes {time.monotonic() - began:.1f} s after the command", flush=True)
        look = Look(window, driver.check)
        state = look.rest()
        tracks = state["view"]["tracks"]
        y = tracks["y"] + tracks["height"] / 2 if "height" in tracks else tracks["y"] + 200
        for page in ("ctrl+1", "ctrl+2"):
            window.key(page)
            name = {"ctrl+1": "statistics", "ctrl+2": "gaps"}[page]
            for place in map(float, options.places.split(",")):
                look.rest()
                window.key("Home", "Home")
                time.sleep(0.5)
                look.rest()
                x = tracks["x"] + (driver.WIDTH - tracks["x"] - 40) * place * 0.7
                for step in range(4):
                    look.act(f"zoom {step} ({name})", lambda: window.wheel(x, y, 8, modifier="ctrl"))
                    for key in "dda":
                        look.act(f"pan {step} ({name})", lambda: window.hold(key, 0.3))
        state = look.rest()
        window.key("Home", "Home")
        look.rest()
        for place in map(float, options.places.split(",")):
            x = tracks["x"] + (driver.WIDTH - tracks["x"] - 40) * place * 0.7
            window.key("Escape")
            look.act("range", lambda: window.drag(x, tracks["y"] - 8, x + 60, tracks["y"] - 8))
            look.rest()
        for name, took in look.took.items():
            print(f"{name:24}: {summary([ms for ms, _, _ in took])}; there {summary([ms for _, ms, _ in took])}; "
                  f"bytes at most {max(size for _, _, size in took)}")
        pans = [one for name, took in look.took.items() if name.startswith("pan") for one in took]
        zooms = [one for name, took in look.took.items() if name.startswith("zoom") for one in took]
        print(f"all pans: {summary([ms for ms, _, _ in pans])}; all zooms: {summary([ms for ms, _, _ in zooms])}")
    finally:
        if window:
            window.kill()
        machine.close()
        display.close()


if __name__ == "__main__":
    main()
