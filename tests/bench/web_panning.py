#!/usr/bin/env python3
"""How smoothly a page of `lacuna web` pans a trace, and what goes over the line for it:

    tests/bench/web_panning.py TRACE [--seconds N] [--mbit 20 --delay 30]

Chromium (software GL) in Xvfb at 1600x900 holds D and A in turn. Prints frames a second, bytes a frame, the server's CPU a
frame, and from pressing a key in a window at rest to the picture. With --mbit and --delay (ms each way) the line is a
proxy of ours that holds bytes back. Then 10 s in which nothing happens: bytes that went over the line. Last, without a browser, what the server sends to a client that answers at once.

The server's CPU is that of its whole process while panning: layout, drawing lists and packing them. `tests/bench/
frame_rate.py` measures the same walk in the window, whose rasteriser comes on top there."""

import argparse
import json
import os
import queue
import shutil
import socket
import statistics
import struct
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import window_driver as driver  # noqa: E402
from browser_driver import Browser, BrowserWindow, Server, skip_without_browser  # noqa: E402
from websocket import WebSocket  # noqa: E402

WIDTH, HEIGHT = 1600, 900


class SlowLine:
    """Carries TCP to a port, so many bits a second and so much later, each way."""

    def __init__(self, port, mbit, delay_ms):
        self.to, self.rate, self.delay = port, mbit * 1e6 / 8, delay_ms / 1e3
        self.bytes = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            far = socket.create_connection(("127.0.0.1", self.to))
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for source, sink in ((near, far), (far, near)):
                waiting = queue.Queue()
                threading.Thread(target=self.take, args=(source, waiting), daemon=True).start()
                threading.Thread(target=self.give, args=(sink, waiting), daemon=True).start()

    def take(self, source, waiting):
        free = time.monotonic()  # when the line has room again
        try:
            while data := source.recv(16384):
                self.bytes += len(data)
                free = max(free, time.monotonic()) + (len(data) / self.rate if self.rate else 0)
                waiting.put((free + self.delay, data))
        except OSError:
            pass
        waiting.put((0, b""))

    @staticmethod
    def give(sink, waiting):
        while True:
            due, data = waiting.get()
            if not data:
                break
            rest = due - time.monotonic()
            if rest > 0:
                time.sleep(rest)
            try:
                sink.sendall(data)
            except OSError:
                break
        sink.close()


class Window(BrowserWindow):
    def __init__(self, display, arguments, line):
        self.make_line = line
        super().__init__(display, arguments, WIDTH, HEIGHT)

    def start(self, arguments, width, height):
        self.server = Server(arguments, self.environment, self.log, self.folder)
        self.process = self.server.process
        self.line = self.make_line(self.server.port)
        url = self.server.url.replace(f":{self.server.port}/", f":{self.line.port}/")
        self.browser = Browser(url, self.folder, self.environment, width, height)
        self.id = self.xdotool("search", "--sync", "--pid", str(self.browser.process.pid), "--onlyvisible", "--class",
                               "chromium").split()[-1]
        self.xdotool("windowsize", self.id, str(width), str(height))
        self.browser.wait(f"innerWidth == {width} && innerHeight == {height}", "the page does not fill the display")
        self.browser.wait("lacunaFigures.drawn > 0", "the page draws nothing")

    def figures(self):
        return json.loads(self.browser.evaluate("JSON.stringify(lacunaFigures)"))


def part(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def pan(window, seconds):
    """Frames from holding keys, and what they cost."""
    window.move(WIDTH * 0.6, 300)
    window.hold("w", 0.6)
    window.settled(60)
    before, cpu, began = window.figures(), window.cpu_seconds(), time.monotonic()
    while time.monotonic() < began + seconds:
        window.hold("d", 1)
        window.hold("a", 1)
    took = time.monotonic() - began
    after = window.figures()
    frames = after["drawn"] - before["drawn"]
    sizes = after["sizes"][-(after["frames"] - before["frames"]):]
    print(f"panning: {frames / took:.1f} frames a second drawn, {(after['frames'] - before['frames']) / took:.1f} sent")
    print(f"bytes a frame: median {statistics.median(sizes) / 1e3:.1f} kB, p95 {part(sizes, .95) / 1e3:.1f} kB, "
          f"largest {max(sizes) / 1e3:.1f} kB")
    print(f"CPU a frame: server {(window.cpu_seconds() - cpu) * 1e3 / frames:.1f} ms, page's script "
          f"{(after['decodeMs'] - before['decodeMs'] + after['drawMs'] - before['drawMs']) / frames:.1f} ms")


def react(window, times):
    """From a key to the first picture after it, in a window at rest; by the page's own clock."""
    window.browser.evaluate("""addEventListener('keydown', () => globalThis.pressed = performance.now(), true)""")
    waits = []
    for i in range(times):
        window.settled(60)
        time.sleep(0.3)
        window.browser.evaluate("lacunaFigures.numbers.length = 0; globalThis.pressed = 0")
        window.key("s" if i % 2 else "w")
        window.browser.wait("pressed > 0 && lacunaFigures.numbers.some(([, at]) => at > pressed)", "nothing is drawn")
        waits.append(window.browser.evaluate("lacunaFigures.numbers.find(([, at]) => at > pressed)[1] - pressed"))
    print(f"a key to its picture: median {statistics.median(waits):.0f} ms, p95 {part(waits, .95):.0f} ms")


def pan_without_page(trace, seconds):
    """What the server sends to a page that takes no time: frames a second, and its CPU."""
    folder = tempfile.mkdtemp(prefix="lacuna_bench_")
    server = Server([trace], dict(os.environ, XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder), None, None)
    line = WebSocket(server.port, "/socket", ["lacuna", "token." + server.token])
    sizes = []

    def key(letter, is_pressed):
        line.send(struct.pack("<BHBBB", 2, ord(letter), ord(letter.lower()), is_pressed, 0))

    def take(seconds, is_at_rest=False):
        """Answers frames at once, for so long or until none came for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            line.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                message = line.receive()
            except (TimeoutError, socket.timeout):
                break
            if isinstance(message, bytes) and message[0] == 1:
                sizes.append(len(message))
                line.send(b"\x0a" + message[1:5] + b"\0\0")
                if is_at_rest:
                    end = time.monotonic() + seconds

    def cpu():
        with open(f"/proc/{server.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    try:
        line.send(struct.pack("<BII", 1, 1, 0))
        line.send(struct.pack("<Bfff", 9, WIDTH, HEIGHT, 1))
        take(5, is_at_rest=True)
        for kind in (7, 8):  # entered and focused
            line.send(bytes((kind, 1)))
        line.send(struct.pack("<Bff", 5, WIDTH * 0.6, 300))
        key("W", True)
        take(0.6)
        key("W", False)
        take(1, is_at_rest=True)
        sizes.clear()
        spent, began = cpu(), time.monotonic()
        while time.monotonic() < began + seconds:
            for letter in "DA":
                key(letter, True)
                take(1)
                key(letter, False)
        took = time.monotonic() - began
        print(f"without a page: {len(sizes) / took:.1f} frames a second sent, median {statistics.median(sizes) / 1e3:.1f} kB, "
              f"server {(cpu() - spent) * 1e3 / len(sizes):.1f} ms of CPU a frame")
    finally:
        server.process.terminate()
        server.process.wait()
        shutil.rmtree(folder)


def page_alone(window):
    """How often a second the page draws the same picture again, which costs the server nothing."""
    rate = window.browser.evaluate("""new Promise(done => {
        let count = 0;
        const began = performance.now();
        const again = () => {
          if (performance.now() > began + 4000) return done(count / 4);
          lacunaFigures.redraw();
          ++count;
          requestAnimationFrame(again);
        };
        again();
      })""")
    print(f"the page alone: {rate:.1f} frames a second")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("trace")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--mbit", type=float, default=0)
    parser.add_argument("--delay", type=float, default=0)
    parser.add_argument("--presses", type=int, default=20)
    options = parser.parse_args()
    skip_without_browser()
    display = driver.Display(WIDTH, HEIGHT)
    window = Window(display, [os.path.abspath(options.trace)], lambda port: SlowLine(port, options.mbit, options.delay))
    try:
        window.wait(lambda s: s["hasTrace"] and not s["loading"], "the trace did not load", 600)
        window.settled(120)
        print(f"{options.mbit or 'no bound of'} Mbit/s, {options.delay:.0f} ms each way; load {os.getloadavg()[0]:.1f}")
        pan(window, options.seconds)
        page_alone(window)
        react(window, options.presses)
        window.settled(60)
        time.sleep(3)
        before = window.line.bytes
        time.sleep(10)
        print(f"idle: {window.line.bytes - before} bytes in 10 s")
    finally:
        window.kill()
        display.close()
    pan_without_page(os.path.abspath(options.trace), options.seconds)


if __name__ == "__main__":
    main()
