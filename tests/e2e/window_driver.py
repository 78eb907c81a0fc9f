"""Runs the real program in a real window under Xvfb, sends real keys and mouse events with xdotool,
and reads what the window shows from its test-only state dump (LACUNA_TEST_STATE)."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
ROOT = os.environ.get("LACUNA_SOURCE_DIR",
                      os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..")))
PROGRAM = os.environ.get("LACUNA_BIN", os.path.join(ROOT, "build", "dev", "app", "lacuna"))
SHARED = os.environ.get("LACUNA_SHARED_TRACES", os.path.join(ROOT, "..", "shared", "traces"))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
DEMO = os.path.join(ROOT, "assets", "demo.trace.json.gz")
WIDTH, HEIGHT = 1280, 800


class Failure(Exception):
    pass


def check(condition, message):
    if not condition:
        raise Failure(message)


def skip_unless_possible():
    for tool in ("Xvfb", "xdotool"):
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is not installed")
            sys.exit(SKIPPED)
    if not os.access(PROGRAM, os.X_OK):
        print(f"failed: no program at {PROGRAM} (set LACUNA_BIN)")
        sys.exit(1)


def run_from_palette(window, name):
    window.key("ctrl+shift+p")
    window.wait(lambda s: s["omnibox"]["focused"], "no palette")
    window.type(name)
    window.wait(lambda s: s["omnibox"]["chosen"].endswith(name), f"the palette does not find {name!r}")
    window.key("Return")


class Display:
    """An Xvfb on a display of its own choice."""

    def __init__(self, width=WIDTH, height=HEIGHT):
        read_end, write_end = os.pipe()
        # In a namespace of processes (support/apart.py) an Xvfb takes those of others for dead, and their displays.
        number = [f":{random.randrange(1000, 50000)}"] if os.environ.get("LACUNA_APART") else []
        self.process = subprocess.Popen(
            ["Xvfb", *number, "-displayfd", str(write_end), "-screen", "0", f"{width}x{height}x24",
             "-nolisten", "tcp", "-noreset"],
            pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write_end)
        number = b""
        while not number.endswith(b"\n"):
            byte = os.read(read_end, 1)
            if not byte:
                raise Failure("Xvfb did not start")
            number += byte
        os.close(read_end)
        self.name = ":" + number.decode().strip()

    def close(self):
        self.process.terminate()
        self.process.wait(10)


class Window:
    """The program, its window and its state."""

    def __init__(self, display, arguments=(), width=WIDTH, height=HEIGHT, environment=None,
                 settings=None):
        """`settings`: more of the settings file, or its whole text."""
        self.folder = tempfile.mkdtemp(prefix="lacuna_e2e_")
        self.state_file = os.path.join(self.folder, "state.json")
        config = os.path.join(self.folder, "config", "lacuna")
        os.makedirs(config)
        self.settings_file = os.path.join(config, "settings.json")
        with open(self.settings_file, "w") as file:
            file.write(settings if isinstance(settings, str) else
                       json.dumps({"windowWidth": width, "windowHeight": height, **(settings or {})}))
        self.environment = dict(os.environ, DISPLAY=display.name, LACUNA_TEST_STATE=self.state_file,
                                XDG_CONFIG_HOME=os.path.join(self.folder, "config"),
                                XDG_STATE_HOME=os.path.join(self.folder, "state"),
                                LACUNA_FILE_DIALOG="builtin", LIBGL_ALWAYS_SOFTWARE="1")
        self.environment.update(environment or {})
        self.environment.pop("WAYLAND_DISPLAY", None)
        self.log = open(os.path.join(self.folder, "log"), "w+")
        self.start(arguments, width, height)
        self.xdotool("windowmove", self.id, "0", "0")
        self.xdotool("windowfocus", "--sync", self.id)

    def start(self, arguments, _width, _height):
        self.process = subprocess.Popen([PROGRAM, *arguments], env=self.environment,
                                        stdout=self.log, stderr=self.log, cwd=self.folder)
        self.id = self.shown(self.process.pid, "--name", "Lacuna")

    def shown(self, pid, *how):
        """The program's window, once it is there. A window that goes while they are looked through ends a search."""
        for left in reversed(range(5)):
            try:
                return self.xdotool("search", "--sync", "--pid", str(pid), "--onlyvisible", *how).split()[-1]
            except Failure as failure:
                if "BadWindow" not in str(failure) or left == 0:
                    raise

    def end(self):
        """What Ctrl+Q does not end."""

    # Input.
    def xdotool(self, *arguments):
        done = subprocess.run(["xdotool", *arguments], env=self.environment, text=True,
                              capture_output=True, timeout=30)
        check(done.returncode == 0, f"xdotool {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def key(self, *names):
        """Presses keys one after the other ("n", "shift+n", "ctrl+f", "question")."""
        self.xdotool("key", "--delay", "30", *names)

    def hold(self, name, seconds):
        self.xdotool("keydown", name)
        time.sleep(seconds)
        self.xdotool("keyup", name)

    def type(self, text):
        self.xdotool("type", "--delay", "20", "--", text)

    def move(self, x, y):
        self.xdotool("mousemove", str(int(x)), str(int(y)))

    def click(self, x, y, button=1, repeat=1):
        self.move(x, y)
        self.probe()  # a frame to see what is under the mouse
        self.xdotool("click", "--repeat", str(repeat), "--delay", "60", str(button))

    def press(self, place):
        """Clicks a widget that the state dump names."""
        x, y = 0, 0
        while True:
            now = self.wait(lambda s: s["places"][place], f"no {place} on the screen")["places"][place]
            if now == [x, y]:
                break
            x, y = now  # a window that just appeared may still be finding its size
            self.move(x, y)
            self.probe()
        self.xdotool("click", "1")

    def drag(self, x0, y0, x1, y1, button=1, modifier=None):
        self.move(x0, y0)
        self.probe()
        if modifier:
            self.xdotool("keydown", modifier)
        self.xdotool("mousedown", str(button))
        self.probe()  # pressed here, however slow the machine is
        for step in range(1, 9):
            self.move(x0 + (x1 - x0) * step / 8, y0 + (y1 - y0) * step / 8)
            time.sleep(0.02)
        self.xdotool("mouseup", str(button))
        if modifier:
            self.xdotool("keyup", modifier)

    def wheel(self, x, y, notches, modifier=None):
        """Positive: away from the user (up)."""
        self.move(x, y)
        self.probe()
        if modifier:
            self.xdotool("keydown", modifier)
        self.xdotool("click", "--repeat", str(abs(notches)), "--delay", "30",
                     "4" if notches > 0 else "5")
        if modifier:
            self.xdotool("keyup", modifier)

    # State.
    def state(self):
        try:
            with open(self.state_file) as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def wait(self, condition, message, seconds=15):
        """Until condition(state) holds; gives the state."""
        end = time.monotonic() + seconds
        while True:
            state = self.state()
            try:
                if state and condition(state):
                    return state
            except (KeyError, TypeError):
                pass  # not there yet
            check(self.process.poll() is None,
                  f"{message}: the program ended with {self.process.returncode}\n{self.output()}")
            check(time.monotonic() < end, f"{message}\nstate: {brief(state)}")
            time.sleep(0.02)

    def probe(self, seconds=15):
        """Waits until everything sent so far has been handled: F9 does nothing but being counted,
        and events stay in order."""
        before = self.state().get("probes", 0)
        self.xdotool("key", "F9")
        self.wait(lambda s: s["probes"] > before, "the window does not react", seconds)

    def settled(self, seconds=15):
        """The state once nothing loads, moves or computes any more."""
        self.probe(seconds)
        previous = None
        end = time.monotonic() + seconds
        while True:
            state = self.wait(lambda s: not s["loading"] and not s.get("animating")
                              and not (s.get("statistics") or {}).get("computing"),
                              "does not come to rest", seconds)
            if state == previous:
                return state
            previous = state
            check(time.monotonic() < end, "the state keeps changing")
            time.sleep(0.1)

    def loaded(self):
        self.wait(lambda s: s["hasTrace"] and not s["loading"], "the trace did not load", 30)
        return self.settled()

    def output(self):
        self.log.flush()
        with open(self.log.name) as file:
            return file.read()

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        """Ctrl+Q; the exit status."""
        if self.process.poll() is None:
            self.key("ctrl+q")
            self.end()
        try:
            status = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure("the program did not end on Ctrl+Q")
        finally:
            self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        return status

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def window_on(machine, display, *arguments, **more):
    """A window whose ssh reaches `machine` (tests/capture/remote_support.py)."""
    there = machine.environment()
    names = ("PATH", "HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")
    return Window(display, arguments, environment={**{k: there[k] for k in names}, **more})


def opened_twice(change, look):
    """Calls change(window) with a window on the demo, ends that, and calls look(again, made) with one that has its state
    folder: `made` is what change() gave."""
    display = Display()
    windows = []
    try:
        windows.append(Window(display, [DEMO]))
        windows[0].loaded()
        made = change(windows[0])
        windows[0].key("ctrl+q")
        windows[0].end()
        windows[0].process.wait(10)
        windows.append(Window(display, [DEMO], environment={"XDG_STATE_HOME": os.path.join(windows[0].folder, "state")}))
        windows[1].loaded()
        look(windows[1], made)
        check(windows[1].close() == 0, "exit status")
    finally:
        for window in windows:
            window.kill()
        display.close()


def brief(state):
    return json.dumps({k: v for k, v in state.items() if k != "visibleSlices"})[:1500]


def visible_ns(state):
    return state["view"]["camera"]["endNs"] - state["view"]["camera"]["beginNs"]


def time_at(state, x):
    """The time under a screen coordinate."""
    view = state["view"]
    return view["camera"]["beginNs"] + (x - view["tracks"]["x"]) * view["nsPerPx"]


def run_apart(tests):
    """Runs functions that take a display and open windows of their own; only those named on the command line, if any.
    Ends the program."""
    skip_unless_possible()
    display = Display()
    os.environ["DISPLAY"] = display.name  # of programs that a test starts itself
    failed = False
    for test in tests:
        if sys.argv[1:] and test.__name__ not in sys.argv[1:]:
            continue
        began = time.monotonic()
        try:
            test(display)
            print(f"ok     {test.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
        except (Failure, KeyError, subprocess.TimeoutExpired) as error:
            print(f"FAILED {test.__name__}: {error!r}", flush=True)
            failed = True
    display.close()
    sys.exit(1 if failed else 0)


def run(tests, arguments=()):
    """Runs functions that take a window with the trace loaded; one window for all of them."""
    skip_unless_possible()
    display = Display()
    failed = []
    window = None
    try:
        window = Window(display, arguments)
        window.loaded()
        window.key("ctrl+1")  # a new trace opens on its report
        for test in tests:
            began = time.monotonic()
            try:
                test(window)
                print(f"ok     {test.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
            except (Failure, KeyError, subprocess.TimeoutExpired) as error:
                print(f"FAILED {test.__name__}: {error!r}" if isinstance(error, KeyError)
                      else f"FAILED {test.__name__}: {error}", flush=True)
                failed.append(test.__name__)
                if window.process.poll() is not None:
                    break
                window.key("Escape", "Escape", "Home")
        if not failed:
            status = window.close()
            check(status == 0, f"exit status {status}")
    except Failure as error:
        print(f"FAILED: {error}")
        failed.append("the window")
    finally:
        if window is not None:
            window.kill()
        display.close()
    sys.exit(1 if failed else 0)


if os.environ.get("LACUNA_E2E_BROWSER"):
    from browser_driver import BrowserWindow as Window  # the same walks in a page
