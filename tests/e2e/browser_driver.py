"""The window in a browser: `lacuna web` and the distribution's Chromium under Xvfb, in kiosk mode, so that the page is
where the window would be. Keys and mouse events are real ones, by xdotool; the state is what the program dumps.

With LACUNA_E2E_BROWSER in the environment window_driver takes this for its Window, so that any of its tests runs so."""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request

import window_driver as driver
from window_driver import PROGRAM, SKIPPED, check
from websocket import WebSocket

CHROMIUM = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


def skip_without_browser():
    driver.skip_unless_possible()
    if CHROMIUM is None:
        print("skipped: Chromium is not installed (apt-get install chromium)")
        sys.exit(SKIPPED)


class Server:
    """`lacuna web`, and the address that it prints."""

    def __init__(self, arguments, environment, log, cwd):
        self.process = subprocess.Popen([PROGRAM, "web", *arguments], env=environment, stdout=subprocess.PIPE, stderr=log,
                                        cwd=cwd, text=True)
        self.url = self.process.stdout.readline().strip()
        check(self.url.startswith("http://"), f"no address was printed but {self.url!r}")
        self.port = int(self.url.split(":")[2].split("/")[0])
        self.token = self.url.split("token=")[1]


class Browser:
    """A Chromium with one page, which fills the display."""

    def __init__(self, url, folder, environment, width, height, scale=1, more=()):
        self.profile = os.path.join(folder, "chromium")
        port_file = os.path.join(self.profile, "DevToolsActivePort")
        if os.path.exists(port_file):
            os.remove(port_file)
        self.process = subprocess.Popen(
            [CHROMIUM, "--kiosk", url, "--no-sandbox", "--no-first-run", "--disable-dev-shm-usage",
             f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "--window-position=0,0",
             f"--force-device-scale-factor={scale}", "--remote-debugging-port=0", "--remote-allow-origins=*",
             "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--password-store=basic",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-default-browser-check",
             "--disable-features=Translate,MediaRouter", *more],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        end = time.monotonic() + 30
        while not os.path.exists(port_file) or not open(port_file).read().strip():
            check(self.process.poll() is None and time.monotonic() < end, "Chromium does not start")
            time.sleep(0.05)
        self.port = int(open(port_file).read().split()[0])
        self.asked = 0
        self.lines = {}

    def pages(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/json") as answer:
            return [page for page in json.load(answer) if page["type"] == "page" and page["url"].startswith("http")]

    def page(self, number=0):
        """The line to a page, the oldest first."""
        end = time.monotonic() + 20
        while len(self.pages()) <= number:
            check(time.monotonic() < end, "the page did not open")
            time.sleep(0.05)
        chosen = list(reversed(self.pages()))[number]
        if chosen["id"] not in self.lines:
            self.lines[chosen["id"]] = WebSocket(self.port, "/devtools/page/" + chosen["id"])
        return self.lines[chosen["id"]]

    def ask(self, method, number=0, **parameters):
        """One command of Chromium's protocol."""
        line = self.page(number)
        self.asked += 1
        line.send(json.dumps({"id": self.asked, "method": method, "params": parameters}))
        while True:
            answer = json.loads(line.receive())
            if answer.get("id") == self.asked:
                check("error" not in answer, f"{method}: {answer.get('error')}")
                return answer["result"]

    def evaluate(self, script, number=0):
        answer = self.ask("Runtime.evaluate", number, expression=script, awaitPromise=True, returnByValue=True,
                          userGesture=True)
        check("exceptionDetails" not in answer, f"{script}: {answer.get('exceptionDetails')}")
        return answer["result"].get("value")

    def wait(self, script, message, seconds=20, number=0):
        end = time.monotonic() + seconds
        while True:
            value = self.evaluate(script, number)
            if value:
                return value
            check(time.monotonic() < end, message)
            time.sleep(0.05)

    def processes(self):
        """It and all that it started."""
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/stat") as file:
                    session = int(file.read().rsplit(")", 1)[1].split()[3])
            except (OSError, IndexError):
                continue
            if session == self.process.pid:
                found.append(int(entry))
        return found

    def signal(self, signal):
        for process in self.processes():
            try:
                os.kill(process, signal)
            except ProcessLookupError:
                pass

    def close(self):
        for line in self.lines.values():
            line.close()
        self.signal(9)
        self.process.wait(10)


class BrowserWindow(driver.Window):
    scale = 1  # device pixels per CSS pixel; sizes and places of the mouse are device pixels

    def start(self, arguments, width, height):
        skip_without_browser()
        self.server = Server(arguments, self.environment, self.log, self.folder)
        self.process = self.server.process
        self.browser = Browser(self.server.url, self.folder, self.environment, width, height, self.scale)
        self.id = self.shown(self.browser.process.pid, "--class", "chromium")
        # Without a window manager it makes itself a pixel smaller.
        self.xdotool("windowsize", self.id, str(width), str(height))
        self.browser.wait(f"innerWidth == {width // self.scale} && innerHeight == {height // self.scale}",
                          "the page does not fill the display")
        self.browser.wait("typeof lacunaFigures == 'object' && lacunaFigures.drawn > 0", "the page draws nothing")

    def end(self):
        """The server goes on when its window is closed: it ends with its terminal."""
        self.browser.wait("!document.getElementById('message').hidden", "the page does not say that its window is closed")
        self.browser.close()
        self.process.terminate()

    def kill(self):
        if hasattr(self, "browser"):
            self.browser.close()
        super().kill()
