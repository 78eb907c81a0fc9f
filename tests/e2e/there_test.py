"""A trace of another machine is looked at while it is fetched: over a line of 10 Mbit/s and 50 ms each way, one that
breaks, and to a far side that cannot show it. With a real sshd of the test's own."""

import json
import os
import pathlib
import random
import subprocess
import sys
import time

import window_driver as driver
from window_driver import check
from waiting import wait_until

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE / "tests/capture"))
from remote_support import LACUNA, Machine, why_no_sshd  # noqa: E402

LINE = 1_250_000  # bytes a second: 10 Mbit/s
DELAY = 0.05  # each way


def trace_there(machine, events=250_000, name="big.json"):
    """Operators with calls inside, kernels on two streams, a counter; and args that do not compress, so that the line
    has something to carry: about 20 bytes an event."""
    generator = random.Random(11)
    path = machine.home / name
    with open(path, "w") as out:
        out.write('{"schemaVersion": 1, "traceEvents": [\n')
        t = 0
        for i in range(events // 5):
            noise = f"{generator.getrandbits(800):x}"
            d = 40 + generator.randrange(120)
            out.write(f'{{"ph":"X","cat":"cpu_op","name":"aten::op{i % 31}","pid":1,"tid":1,"ts":{t},"dur":{d},'
                      f'"args":{{"External id":{i},"noise":"{noise}"}}}},\n')
            for k in range(2):
                out.write(f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,'
                          f'"ts":{t + 3 + k * 18},"dur":{6 + k},"args":{{"correlation":{i * 2 + k + 1}}}}},\n')
                out.write(f'{{"ph":"X","cat":"kernel","name":"gemm{i % 7}","pid":0,"tid":{7 + k},"ts":{t + 20 + k * 5},'
                          f'"dur":{8 + generator.randrange(24)},"args":{{"device":0,"stream":{7 + k},'
                          f'"correlation":{i * 2 + k + 1}}}}},\n')
            t += d + generator.randrange(30)
        out.write('{"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}}]}\n')
    return path


def info(path):
    done = subprocess.run([LACUNA, "info", "--json", path], capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout)


def picture_after(window, what, seconds=20):
    """Does something, and waits for the picture that it asks for. Milliseconds from there, by the clock of the test, and
    what the window says of it."""
    before = window.wait(lambda s: not s["there"]["asking"], "a picture never comes", seconds)["there"]["pictures"]
    began = time.monotonic()
    what()
    while window.state()["there"]["pictures"] == before and time.monotonic() < began + seconds:
        what()  # half a width to both sides was there already
    state = window.wait(lambda s: s["there"]["pictures"] > before and not s["there"]["asking"] and not s["animating"],
                        "no picture of what is looked at comes", seconds)
    return (time.monotonic() - began) * 1e3, state


def seen_while_it_is_fetched(display):
    machine, window = Machine(through=True), None
    try:
        path = trace_there(machine)
        machine.proxy.bytes_a_second = LINE
        machine.proxy.delay = DELAY
        began = time.monotonic()
        window = driver.window_on(machine, display, "--on", "box", "big.json")
        last_read = time.monotonic()
        while True:
            state = window.state()
            words = state.get("there", {}).get("words", "")
            if state.get("thinned"):
                break
            if "reads it" in words or "opens it" in words or not words:
                last_read = time.monotonic()
            check(time.monotonic() < began + 60, f"nothing is seen: {words}")
            time.sleep(0.01)
        first_ms = (time.monotonic() - last_read) * 1e3
        state = window.wait(lambda s: s["thinned"] and s["there"]["pictures"] > 0 and not s["there"]["asking"], "no picture")
        there = state["there"]
        check("box:big.json" in state["title"], state["title"])
        check("Seen from box: a preview" in there["words"] and " fetched" in there["fetchWords"],
              f"{there['words']} {there['fetchWords']}")
        check(not there["isFetched"] and there["fetched"] < there["total"] / 2, f"fetched already: {there}")
        print(f"  seen {time.monotonic() - began:.1f} s after the start, {first_ms:.0f} ms after it was last said to be "
              f"read there; pictures took {there['bytes']} bytes")
        check(first_ms < 10_000, f"the first picture took {first_ms:.0f} ms")
        asked = []
        # Close enough that the ends of the trace are far away.
        for name, what in (("zoom", lambda: window.hold("w", 0.9)), ("pan", lambda: window.hold("d", 0.3)),
                           ("pan", lambda: window.hold("a", 0.4)), ("zoom", lambda: window.hold("w", 0.3)),
                           ("pan", lambda: window.hold("d", 0.3))):
            wall_ms, state = picture_after(window, what)
            there = state["there"]
            check(state["thinned"] and not there["isFetched"], "it must still be on its way here")
            asked.append((name, there["lastNs"] / 1e6))
            print(f"  {name}: {there['lastNs'] / 1e6:.0f} ms from asking to having ({there['lastThereNs'] / 1e6:.0f} ms "
                  f"there), {there['lastBytes']} bytes; {wall_ms:.0f} ms with the key held; "
                  f"{there['fetched'] / 1e6:.1f} of {there['total'] / 1e6:.1f} MB fetched")
        times = sorted(ms for _, ms in asked)
        check(times[len(times) // 2] < 2 * DELAY * 1e3 + 400, f"pictures come too late: {asked}")
        before = state
        fetched_at = there["fetched"]
        window.wait(lambda s: s["there"]["fetched"] > fetched_at + 1_000_000, "the fetch must go on", 30)
        state = window.wait(lambda s: not s["loading"] and not s["thinned"], "all of it never comes", 120)
        check(abs(state["view"]["camera"]["beginNs"] - before["view"]["camera"]["beginNs"])
              <= state["view"]["nsPerPx"], "the view stays where it was")
        check(state["slices"] == info(path)["slices"], f"all slices: {state['slices']}")
        check("there" not in state, "the line is not needed any more")
        print(f"  all of it after {time.monotonic() - began:.1f} s, {machine.proxy.passed / 1e6:.1f} MB on the line")
        # The second time it is here.
        window.kill()
        passed = machine.proxy.passed
        window = driver.window_on(machine, display, "--on", "box", "big.json")
        window.wait(lambda s: s["hasTrace"] and not s["loading"] and not s["thinned"], "the fetched file does not open", 60)
        check(machine.proxy.passed - passed < 100_000, "nothing is fetched twice")
    finally:
        if window:
            window.kill()
        machine.close()


def a_line_that_breaks(display):
    machine, window = Machine(through=True), None
    try:
        path = trace_there(machine, 150_000)
        machine.proxy.bytes_a_second = LINE
        machine.proxy.delay = DELAY
        window = driver.window_on(machine, display, "--on", "box", "big.json")
        window.wait(lambda s: s["thinned"] and not s["there"]["asking"], "nothing is seen", 60)
        machine.proxy.refuses = True
        machine.proxy.cut()
        state = window.wait(lambda s: "trying again" in s["there"]["words"], "a broken line must be told", 20)
        check(state["thinned"], "what was seen stays")
        window.hold("w", 0.5)
        machine.proxy.refuses = False
        pictures = state["there"]["pictures"]
        window.wait(lambda s: s["there"]["pictures"] > pictures and "Seen" in s["there"]["words"],
                    "pictures must come again", 40)
        state = window.wait(lambda s: not s["loading"] and not s["thinned"], "all of it never comes", 120)
        check(state["slices"] == info(path)["slices"], "all slices")
    finally:
        if window:
            window.kill()
        machine.close()


OLD = """
import os, struct, subprocess, sys, threading
serve = subprocess.Popen([%r, "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def back():
    while True:
        chunk = serve.stdout.read1(65536)
        if not chunk: os._exit(0)
        os.write(1, chunk)
threading.Thread(target=back, daemon=True).start()
def read(n):
    data = sys.stdin.buffer.read(n)
    if len(data) < n: serve.stdin.close(); serve.wait(); os._exit(0)
    return data
serve.stdin.write(read(14))
while True:
    head = read(12)
    size, kind, _, request = struct.unpack("<IHHI", head)
    payload = read(size)
    if kind == 4 and payload[:8] == struct.pack("<Q", 7): payload = struct.pack("<Q", 99) + payload[8:]
    serve.stdin.write(head + payload); serve.stdin.flush()
"""


def a_far_side_that_cannot_show_it(display):
    machine, window = Machine(), None
    try:
        path = trace_there(machine, 400_000)
        (machine.folder / "old.py").write_text(OLD % LACUNA)
        transport = f"env HOME={machine.home} XDG_CACHE_HOME={machine.home}/.cache {sys.executable} -B {machine.folder}/old.py"
        window = driver.window_on(machine, display, "--on", "box", "--transport", transport, "big.json")
        seen = set()
        while True:
            state = window.state()
            if "there" in state:
                seen.add(state["there"]["words"])
            check(not state.get("thinned"), "there is no preview of it")
            if state.get("hasTrace") and not state["loading"]:
                break
            time.sleep(0.01)
        check(any("No preview: the lacuna there is too old to show it" in words for words in seen), f"{seen}")
        check(state["slices"] == info(path)["slices"], "all slices")
    finally:
        if window:
            window.kill()
        machine.close()


def closed_while_it_is_fetched(display):
    """Cancel brings back what was there, and ends the far side; what came is gone on with."""
    machine, window = Machine(through=True), None
    try:
        trace_there(machine, 150_000)
        machine.proxy.bytes_a_second = LINE
        window = driver.window_on(machine, display, "--on", "box", "big.json")
        window.wait(lambda s: s["thinned"] and s["there"]["fetched"] > 500_000, "nothing is seen", 60)
        window.press("cancel")
        window.wait(lambda s: not s["loading"] and not s["hasTrace"] and not s["error"], "it does not end", 20)
        passed = machine.proxy.passed
        served = ["pgrep", "-f", f"{machine.folder}.*serve --stdio|^lacuna serve"]
        wait_until(lambda: not subprocess.run(served, capture_output=True).stdout, "the end of the far side")
        check(machine.proxy.passed - passed < 4_000_000, "it goes on behind the window's back")
        check(window.close() == 0, "it ends")
        window = None
    finally:
        if window:
            window.kill()
        machine.close()


if __name__ == "__main__":
    if why_no_sshd():
        print("skipped: " + why_no_sshd())
        sys.exit(77)
    driver.run_apart((seen_while_it_is_fetched, a_line_that_breaks, a_far_side_that_cannot_show_it,
                      closed_while_it_is_fetched))
