#!/usr/bin/env python3
"""The window in a browser: who gets in, what breaks and comes back, several pages, files there and back, pictures."""

import base64
import glob
import http.client
import json
import os
import random
import signal
import socket
import struct
import subprocess
import threading
import time
import zlib

import window_driver as driver
from browser_driver import Browser, BrowserWindow, Server, skip_without_browser
from websocket import Refused, WebSocket
from window_driver import DEMO, Failure, check, visible_ns

HELLO = b"\x01" + struct.pack("<I", 1) + struct.pack("<I", 0)


def resize(width=800, height=600):
    return b"\x09" + struct.pack("<fff", width, height, 1)


def answer(frame):
    return b"\x0a" + struct.pack("<IH", frame, 1)


class Line:
    """TCP from a port of its own to the server's: it can be cut, and held up."""

    def __init__(self, port):
        self.to = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.open = []
        self.is_up = True
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            if not self.is_up:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self.to))
            self.open += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(source, sink), daemon=True).start()

    @staticmethod
    def carry(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        self.is_up = False
        for end in self.open:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.open = []

    def close(self):
        self.cut()
        self.listener.close()


class Served:
    """A server without a browser."""

    def __init__(self, arguments=()):
        self.arguments = arguments

    def __enter__(self):
        self.folder = driver.tempfile.mkdtemp(prefix="lacuna_e2e_")
        self.state_file = os.path.join(self.folder, "state.json")
        environment = dict(os.environ, XDG_CONFIG_HOME=self.folder, XDG_STATE_HOME=self.folder,
                           LACUNA_TEST_STATE=self.state_file)
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            environment.pop(name, None)
        self.log = open(os.path.join(self.folder, "log"), "w")
        self.server = Server([*self.arguments, DEMO], environment, self.log, self.folder)
        return self

    def __exit__(self, *_):
        self.server.process.terminate()
        status = self.server.process.wait(10)
        self.log.close()
        driver.shutil.rmtree(self.folder)
        check(status == 0, f"the server ended with {status}")

    def socket(self, token=None, headers=None, path="/socket"):
        token = self.server.token if token is None else token
        return WebSocket(self.server.port, path, ["lacuna", "token." + token], headers)

    def get(self, path, method="GET", headers=None, body=None):
        line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        line.request(method, path, body, headers or {})
        answer = line.getresponse()
        data = answer.read()
        line.close()
        return answer.status, data, answer.headers


def first_frame(line):
    """The window's number, once its first frame is there."""
    window = None
    while True:
        message = line.receive()
        if isinstance(message, str):
            window = json.loads(message).get("window", window)
        elif isinstance(message, tuple):
            raise Failure(f"the connection was closed: {message}")
        elif message[0] == 1:
            return window


def refused(make):
    try:
        make()
    except Refused as error:
        return str(error)
    raise Failure("it was let in")


def nobody_gets_in_without_the_token(_display):
    with Served() as served:
        token = served.server.token
        check(served.server.url.startswith("http://127.0.0.1:"), served.server.url)
        check(len(token) == 32, "a token of 128 bits")
        for wrong in ("", "0" * 32, token[:-1], token + "0", token.upper() + " "):
            check("403" in refused(lambda: served.socket(wrong)), f"{wrong!r}")
        check("403" in refused(lambda: WebSocket(served.server.port, "/socket", ["lacuna"])), "no token")
        check("403" in refused(lambda: WebSocket(served.server.port, f"/socket?token={token}")), "a token in the address")
        status, page, headers = served.get("/")
        check(status == 200 and token.encode() not in page, "the page itself holds no secret")
        check("script-src 'nonce-" in headers["Content-Security-Policy"], headers["Content-Security-Policy"])
        check(len(page) < 150_000 and b"http://" not in page.replace(b"http://www.w3.org", b""), "a page of its own")
        check(served.get("/?token=" + "1" * 32)[0] == 403, "a wrong token in the address")
        check(served.get("/?token=" + token)[0] == 200, "the address that was printed")
        check(served.get("/download?id=1")[0] == 403 and served.get("/upload?name=a", "POST", body=b"x")[0] == 403, "files")
        right = {"Authorization": "Bearer " + token}
        check(served.get("/download?id=1", headers=right)[0] == 404, "no such download")
        for path in ("/etc/passwd", "/../../etc/passwd", "/download?id=/etc/passwd", "/download?id=../../etc/passwd"):
            check(served.get(path, headers=right)[0] == 404, path)
        first_frame_of(served)


def first_frame_of(served):
    line = served.socket()
    line.send(HELLO + resize())
    first_frame(line)
    line.close()


def other_sites_are_refused(_display):
    """Another page of the same browser, and one that made its name lead here (DNS rebinding)."""
    with Served() as served:
        port = served.server.port
        for origin in ("https://evil.example", f"http://evil.example:{port}", "null", f"http://127.0.0.1:{port + 1}"):
            check("403" in refused(lambda: served.socket(headers={"Origin": origin})), origin)
        for host in (f"evil.example:{port}", "evil.example", f"127.0.0.1.evil.example:{port}", ""):
            check("403" in refused(lambda: served.socket(headers={"Host": host})), host)
            check(served.get("/", headers={"Host": host})[0] == 403, f"the page for {host!r}")
        # A forwarded port is another one; the page's own origin has it then, too.
        for host in ("127.0.0.1:9999", "localhost:9999", f"LOCALHOST:{port}"):
            served.socket(headers={"Host": host, "Origin": "http://" + host.lower()}).close()
        with socket.create_connection(("127.0.0.1", port)):
            pass
        outside = socket.socket()
        outside.settimeout(5)
        address = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
        if address:
            try:
                outside.connect((address[0], port))
                raise Failure("the port is open to other machines")
            except OSError:
                pass


def others_reach_it_only_where_that_is_asked_for(_display):
    """--bind: by the machine's address, with a warning, and not by a name that somebody made lead here."""
    own = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
    own = [address for address in own if "." in address]
    if not own:
        return print("       this machine has no address but 127.0.0.1")
    with Served(["--bind", "0.0.0.0"]) as served:
        port = served.server.port
        with open(served.log.name) as log:
            check("is not encrypted" in log.read(), "no warning")
        line = WebSocket(port, "/socket", ["lacuna", "token." + served.server.token],
                         {"Origin": f"http://{own[0]}:{port}"}, host=own[0])
        line.send(HELLO + resize())
        first_frame(line)
        line.close()
        check("403" in refused(lambda: WebSocket(port, "/socket", ["lacuna", "token." + "0" * 32], host=own[0])), "no token")
        check("403" in refused(lambda: served.socket(headers={"Host": f"evil.example:{port}"})), "a name of others")


def malformed_messages_cost_their_connection_alone(_display):
    chance = random.Random(11)
    with Served() as served:
        honest = served.socket()
        honest.send(HELLO + resize())
        first_frame(honest)
        victim = served.socket()
        victim.send(HELLO + resize())
        window = first_frame(victim).encode()
        hello = HELLO[:5] + struct.pack("<I", len(window)) + window
        sent = 0
        while sent < 10_000:
            line = served.socket()
            if chance.random() < 0.7:
                line.send(hello + resize())
            try:
                # Until it is thrown out, and a little beyond.
                for _ in range(chance.randrange(1, 40)):
                    sent += 1
                    kind = chance.choice((0, 2, 2, 3, 4, 5, 6, 8, 9, 11, 13, 255))
                    body = bytes([kind]) + chance.randbytes(chance.randrange(0, 24))
                    line.send(body, chance.choice((None, None, None, None, 1)))
                if chance.random() < 0.05:
                    line.socket.sendall(chance.randbytes(200))  # no frame at all
            except (ConnectionError, BrokenPipeError):
                pass
            line.close()
        too_long = served.socket()
        too_long.send(HELLO + resize())
        too_long.socket.sendall(b"\x82\xff" + struct.pack(">Q", 1 << 40) + b"abcd")
        try:
            while not isinstance(too_long.receive(), tuple):
                pass
        except (ConnectionError, BrokenPipeError):
            pass
        too_long.close()
        check(served.server.process.poll() is None, "the server ended")
        honest.send(b"\x0c")
        while True:
            message = honest.receive()
            check(not isinstance(message, tuple), f"the honest page was thrown out: {message}")
            if isinstance(message, str) and "here" in json.loads(message):
                break
        honest.close()


def files_come_and_go(_display):
    with Served() as served:
        line = served.socket()
        line.send(HELLO + resize())
        window = first_frame(line)
        right = {"Authorization": "Bearer " + served.server.token}
        with open(DEMO, "rb") as file:
            data = file.read()
        before = set(glob.glob(os.path.join(driver.tempfile.gettempdir(), "lacuna-web-*")))
        path = f"/upload?name=..%2F..%2F.hidden%2Fmine.json.gz&window={window}"
        check(served.get(path, "POST", right, data)[0] == 200, "the upload")
        end = time.monotonic() + 20
        number = 1
        while True:
            line.send(b"\x0c" + answer(number))
            try:
                with open(served.state_file) as file:
                    state = json.load(file)
            except (OSError, ValueError):
                state = {}
            if state.get("title") == "mine.json.gz" and state["hasTrace"]:
                break
            check(time.monotonic() < end, f"the upload did not open: {driver.brief(state)}")
            message = line.receive()
            if isinstance(message, bytes) and message[0] == 1:
                number = struct.unpack("<I", message[1:5])[0]
        made = [f for f in glob.glob(os.path.join(driver.tempfile.gettempdir(), "lacuna-web-*")) if f not in before]
        check(len(made) == 1 and os.stat(made[0]).st_mode & 0o077 == 0, "the folder is ours alone")
        check(served.get(path.replace(window, "0" * 32), "POST", right, b"x")[0] == 410, "an upload to no window")
        check(not os.path.exists("/tmp/.hidden"), "names lead nowhere")
        line.close()
    check(not os.path.exists(made[0]), "uploads go with the server")


def idle_sends_nothing(_display):
    with Served() as served:
        line = served.socket()
        line.send(HELLO + resize())
        line.socket.settimeout(2)
        try:
            while True:  # until it has come to rest
                message = line.receive()
                if isinstance(message, bytes) and message[0] == 1:
                    line.send(answer(struct.unpack("<I", message[1:5])[0]))
        except (TimeoutError, socket.timeout):
            pass
        line.socket.settimeout(10)
        try:
            line.receive()
            raise Failure("an idle window sent something")
        except (TimeoutError, socket.timeout):
            check(line.rest == b"", "an idle window sent something")
        line.close()


def a_page_that_takes_nothing_gets_one_frame(_display):
    """Frames are not queued for it: of all that it moves, one goes until it answers."""
    with Served() as served:
        line = served.socket()
        line.send(HELLO + resize())
        first_frame(line)
        line.socket.settimeout(1.5)
        frames = 0
        for step in range(60):
            line.send(b"\x05" + struct.pack("<ff", 300 + step, 200 + step))
        try:
            while True:
                message = line.receive()
                frames += isinstance(message, bytes) and message[0] == 1
        except (TimeoutError, socket.timeout):
            pass
        check(frames == 0, f"{frames} frames came while the first one was not answered")
        line.send(answer(1))
        message = line.receive()
        while not isinstance(message, bytes):
            message = line.receive()
        check(message[0] == 1 and struct.unpack("<I", message[1:5])[0] == 2, "the newest comes when the page is ready")
        line.close()


def the_view_comes_back(display):
    """A reload, a line that breaks, a browser that sleeps."""
    window = BrowserWindow(display, [DEMO])
    line = None
    try:
        state = window.loaded()
        check("token" not in window.browser.evaluate("location.href"), "the token stays in the address")
        check(window.browser.evaluate("document.title").startswith("demo.trace.json.gz"), "the title")
        window.move(640, 300)
        window.hold("w", 0.4)
        seen = visible_ns(window.settled())
        check(seen < visible_ns(state) * 0.9, "W does nothing")

        drawn = "typeof lacunaFigures == 'object' && lacunaFigures.drawn > 0"
        window.browser.ask("Page.reload")
        time.sleep(0.2)
        window.browser.wait(drawn, "nothing is drawn after a reload")
        window.settled()
        window.wait(lambda s: visible_ns(s) == seen, "reloading changed the view")
        window.hold("w", 0.3)
        closer = visible_ns(window.settled())
        check(closer < seen, "keys do nothing after a reload")

        # Another page, through a line that can be cut; the port is another one, as with ssh -L.
        window.state_file += ".1"
        line = Line(window.server.port)
        window.browser.ask("Page.navigate", url=window.server.url.replace(str(window.server.port), str(line.port)))
        time.sleep(0.2)
        window.browser.wait(drawn, "nothing is drawn through a forwarded port")
        window.browser.wait("document.getElementById('message').hidden", "it does not connect")
        window.loaded()
        window.hold("w", 0.4)
        seen = visible_ns(window.settled())
        frames = window.browser.evaluate("lacunaFigures.drawn")
        line.cut()
        window.browser.wait("!document.getElementById('message').hidden", "the page does not say that the line is gone")
        check("Lacuna does not answer" in window.browser.evaluate("document.getElementById('message').textContent"), "words")
        line.is_up = True
        window.browser.wait("document.getElementById('message').hidden", "the page does not connect again")
        window.browser.wait(f"lacunaFigures.drawn > {frames}", "nothing is drawn after that")
        window.settled()
        window.wait(lambda s: visible_ns(s) == seen, "the view did not come back")
        check(window.server.process.poll() is None, "the server ended")

        window.browser.signal(signal.SIGSTOP)
        time.sleep(6)
        window.browser.signal(signal.SIGCONT)
        window.move(600, 320)
        window.probe()
    finally:
        window.kill()
        if line:
            line.close()


def a_server_that_ends_is_said(display):
    window = BrowserWindow(display, [DEMO])
    try:
        window.loaded()
        window.server.process.send_signal(signal.SIGTERM)
        check(window.server.process.wait(10) == 0, "it ends well")
        window.browser.wait("document.getElementById('message').textContent.includes('Lacuna does not answer')",
                            "the page does not say that the server is gone")
    finally:
        window.kill()


def two_pages_are_two_windows(display):
    window = BrowserWindow(display, [DEMO])
    try:
        window.loaded()
        second = window.browser.ask("Target.createTarget", url=window.server.url)["targetId"]
        other = os.path.join(window.folder, "state.json.1")
        end = time.monotonic() + 30
        while True:
            try:
                with open(other) as file:
                    if json.load(file)["hasTrace"]:
                        break
            except (OSError, ValueError, KeyError):
                pass
            check(time.monotonic() < end, "the second page has no window of its own")
            time.sleep(0.1)
        before = visible_ns(window.state())
        line = WebSocket(window.browser.port, "/devtools/page/" + second)
        for kind in ("keyDown", "keyUp"):
            line.send(json.dumps({"id": 1, "method": "Input.dispatchKeyEvent", "params": {
                "type": kind, "key": "+", "code": "Equal", "text": "+" if kind == "keyDown" else "",
                "windowsVirtualKeyCode": 187}}))
            line.receive()
        end = time.monotonic() + 20
        while True:
            with open(other) as file:
                now = json.load(file)
            if visible_ns(now) < before * 0.95:
                break
            check(time.monotonic() < end, "keys do nothing in the second page")
            time.sleep(0.1)
        check(visible_ns(window.state()) == before, "both pages are one window")
        line.close()
    finally:
        window.kill()


def fingers_input_methods_and_the_clipboard(display):
    """What comes from a browser alone: composed text, touch, what is copied."""
    window = BrowserWindow(display, [DEMO])
    browser = window.browser
    try:
        window.loaded()
        window.key("slash")
        window.wait(lambda s: s["omnibox"]["focused"], "no search box")
        browser.ask("Input.imeSetComposition", text="\u3042", selectionStart=1, selectionEnd=1)
        browser.ask("Input.insertText", text="\u4e9c\u00e9")
        # And nothing of what it was while it was composed.
        window.wait(lambda s: s["omnibox"]["text"] == "\u4e9c\u00e9", "what was composed does not arrive")
        window.key("Escape", "Escape", "Home")
        before = visible_ns(window.settled())

        def touch(kind, *points):
            browser.ask("Input.dispatchTouchEvent", type=kind,
                        touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])

        touch("touchStart", (600, 300), (680, 300))
        for step in range(1, 11):
            touch("touchMove", (600 - 8 * step, 300), (680 + 8 * step, 300))
        touch("touchEnd")
        window.wait(lambda s: visible_ns(s) < before * 0.7, "two fingers do not zoom")
        window.settled()
        window.key("Home")
        state = window.settled()
        lane = max(state["visibleSlices"], key=lambda s: s["x1"] - s["x0"])
        touch("touchStart", ((max(lane["x0"], 300) + min(lane["x1"], 1200)) / 2, (lane["y0"] + lane["y1"]) / 2))
        touch("touchEnd")
        name = window.wait(lambda s: s["selection"]["kind"] == "slice", "a tap selects nothing")["selection"]["name"]
        window.key("ctrl+c")
        window.wait(lambda s: s["copied"] == name, "nothing is copied")
        browser.ask("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        browser.wait(f"navigator.clipboard.readText().then(text => text === {json.dumps(name)})", "it is not in the clipboard")
    finally:
        window.kill()


def downloads_arrive(display):
    window = BrowserWindow(display, [DEMO])
    try:
        window.loaded()
        got = os.path.join(window.folder, "got")
        window.browser.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=got)
        for key, name, magic in (("ctrl+e", "part.json.gz", b"\x1f\x8b"), ("ctrl+shift+e", "view.png", b"\x89PNG")):
            window.key(key)
            window.wait(lambda s: s["exportOpen"], f"{key} opened no dialog")
            window.press("export_path")
            window.key("ctrl+a")
            window.type(os.path.join(window.folder, name))
            window.key("Return")
            path = os.path.join(got, name)
            end = time.monotonic() + 20
            while not os.path.exists(path):
                check(time.monotonic() < end, f"{name} does not arrive: {window.state()['notice']}")
                time.sleep(0.05)
            with open(path, "rb") as file:
                check(file.read(8).startswith(magic), f"{name} is something else")
    finally:
        window.kill()


def frames_that_are_damaged_hurt_no_page(display):
    """What decodes frames in the page is given thousands that are not what the server sends: each is drawn or refused, in
    bounded time."""
    window = BrowserWindow(display, [DEMO])
    try:
        window.loaded()
        with open(os.path.join(driver.ROOT, "app", "web", "page", "wire.js")) as file:
            wire = file.read()
        shown = window.browser.evaluate("sessionStorage.getItem('lacuna-window')").encode()
        line = WebSocket(window.server.port, "/socket", ["lacuna", "token." + window.server.token])
        line.send(HELLO[:5] + struct.pack("<I", len(shown)) + shown + resize())
        message = line.receive()
        while isinstance(message, str) or message[0] != 1:  # the first frame of a connection has all
            message = line.receive()
        check(len(message) > 4000, "the window is empty")
        body = base64.b64encode(zlib.decompress(message[5:], -15)).decode()
        said = json.loads(window.browser.evaluate("""(() => {
          %s
          const body = Uint8Array.from(atob('%s'), c => c.charCodeAt(0));
          new WireDecoder().decode(body);
          let seed = 12345, refused = 0, longest = 0;
          const chance = most => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) %% most;
          for (let i = 0; i < 3000; ++i) {
            let bytes = body.slice(0, i %% 3 ? body.length : chance(body.length));
            for (let n = chance(8); n >= 0; --n) bytes[chance(bytes.length)] = chance(4) ? chance(256) : 255;
            const begin = performance.now();
            try { const decoder = new WireDecoder(); decoder.decode(bytes); decoder.decode(bytes); }
            catch (error) { ++refused; if (!(error instanceof Error)) throw error; }
            longest = Math.max(longest, performance.now() - begin);
          }
          return JSON.stringify({refused, longest});
        })()""" % (wire, body)))
        check(1000 < said["refused"] < 3000, f"{said}")
        said = window.browser.evaluate("document.getElementById('message').textContent")
        check("another tab" in said, f"the page whose window another one took says {said!r}")
        line.close()
    finally:
        window.kill()


def picture(window, path):
    subprocess.run(["import", "-window", "root", path], env=window.environment, check=True)
    return path


def differing(one, other):
    """Pixels that are not nearly the same."""
    done = subprocess.run(["compare", "-metric", "AE", "-fuzz", "12%", one, other, "null:"], capture_output=True, text=True)
    return float(done.stderr.split()[0])


def pages_are_drawn_as_in_the_window(_display):
    """Six pages, pixel by pixel: but for how long loading took, and the edges of lines."""
    if driver.shutil.which("compare") is None:
        return print("       without ImageMagick nothing is compared")
    keys = ["ctrl+1", "ctrl+2", "ctrl+3", "ctrl+8", "ctrl+9", "ctrl+5"]
    pictures = {}
    folder = driver.tempfile.mkdtemp(prefix="lacuna_e2e_")

    def different(key):
        return differing(pictures[driver.Window, key], pictures[BrowserWindow, key])

    def same(key):
        return different(key) <= 1280 * 800 * 0.002

    for kind in (driver.Window, BrowserWindow):
        display = driver.Display()
        window = kind(display, [DEMO])
        try:
            window.loaded()
            for key in keys:
                window.key(key)
                window.move(640, 798)
                window.settled()
                for _ in range(20):
                    time.sleep(0.5)  # until the screen shows what the state says: on a busy machine that takes longer
                    pictures[kind, key] = picture(window, os.path.join(folder, f"{kind.__name__}{key}.png"))
                    if kind is driver.Window or same(key):
                        break
        finally:
            window.kill()
            display.close()
    for key in keys:
        check(same(key), f"{key}: {different(key):.0f} pixels differ, see {folder}")
    driver.shutil.rmtree(folder)


def two_pixels_a_unit_are_drawn_as_in_a_picture(_display):
    """The same at device pixel ratio 2, which Xvfb's own windows do not have: against `lacuna screenshot`."""
    if driver.shutil.which("compare") is None:
        return print("       without ImageMagick nothing is compared")
    panels = {"ctrl+1": "statistics", "ctrl+2": "gaps", "ctrl+3": "report", "ctrl+8": "calls", "ctrl+5": "import",
              "ctrl+m": "memory"}
    folder = driver.tempfile.mkdtemp(prefix="lacuna_e2e_")
    display = driver.Display(2560, 1600)
    window = BrowserWindow.__new__(BrowserWindow)
    window.scale = 2
    try:
        window.__init__(display, [DEMO], 2560, 1600)
        check(window.browser.evaluate("devicePixelRatio") == 2, "the page's density")
        window.loaded()
        for key, panel in panels.items():
            window.key(key)
            window.move(1280, 1598)
            window.settled()
            time.sleep(0.5)
            drawn = os.path.join(folder, panel + ".png")
            done = subprocess.run([driver.PROGRAM, "screenshot", DEMO, "-o", drawn, "--size", "2560x1600", "--density", "2",
                                   "--panel", panel], capture_output=True, text=True)
            check(done.returncode == 0, done.stderr)
            different = differing(drawn, picture(window, os.path.join(folder, panel + "-page.png")))
            check(different <= 2560 * 1600 * 0.004, f"{panel}: {different:.0f} pixels differ, see {folder}")
    finally:
        window.kill()
        display.close()
    driver.shutil.rmtree(folder)


if __name__ == "__main__":
    skip_without_browser()
    driver.run_apart([nobody_gets_in_without_the_token, other_sites_are_refused, others_reach_it_only_where_that_is_asked_for,
                      malformed_messages_cost_their_connection_alone, files_come_and_go, idle_sends_nothing,
                      a_page_that_takes_nothing_gets_one_frame, the_view_comes_back, a_server_that_ends_is_said,
                      two_pages_are_two_windows, fingers_input_methods_and_the_clipboard,
                      downloads_arrive, frames_that_are_damaged_hurt_no_page, pages_are_drawn_as_in_the_window,
                      two_pixels_a_unit_are_drawn_as_in_a_picture])
