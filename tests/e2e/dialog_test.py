#!/usr/bin/env python3
"""The desktop's file dialogs: a portal on a session bus of our own, zenity where there is none, and ours where there
is neither or it does not answer."""

import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

from window_driver import (DEMO, SKIPPED, Display, Failure, Window, brief, check, skip_unless_possible)

HERE = os.path.dirname(os.path.abspath(__file__))


class Bus:
    """A session bus that starts nothing by itself."""

    def __init__(self):
        self.process = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address=1"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().strip()
        check(self.address, "dbus-daemon did not start")

    def close(self):
        self.process.kill()
        self.process.wait(10)
        self.process.stdout.close()


class Portal:
    def __init__(self, bus, mode=""):
        self.process = subprocess.Popen([PYTHON, "-B", os.path.join(HERE, "fake_portal.py"), mode],
                                        env=dict(os.environ, DBUS_SESSION_BUS_ADDRESS=bus.address),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.said = b""
        self.next("ready")

    def next(self, key, seconds=15):
        """The next line that has `key`."""
        end = time.monotonic() + seconds
        while True:
            line, newline, rest = self.said.partition(b"\n")
            if newline:
                self.said = rest
                if key in json.loads(line):
                    return json.loads(line)
                continue
            readable, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            check(readable, f"the portal was not told of {key!r}")
            more = os.read(self.process.stdout.fileno(), 65536)
            check(more, f"the portal ended before {key!r}")
            self.said += more

    def respond(self, response, *uris):
        self.process.stdin.write(json.dumps({"response": response, "uris": uris}).encode() + b"\n")
        self.process.stdin.flush()

    def close(self):
        self.process.kill()
        self.process.wait(10)
        self.process.stdin.close()
        self.process.stdout.close()


class Desktop:
    """A window on a desktop with a bus, and with a portal unless `mode` is None."""

    def __init__(self, display, mode="", arguments=(), environment=None):
        self.bus = Bus()
        self.portal = None
        self.window = None
        try:
            if mode is not None:
                self.portal = Portal(self.bus, mode)
            outside = {"LACUNA_FILE_DIALOG": "", "SSH_CONNECTION": "", "XDG_RUNTIME_DIR": "",
                       "DBUS_SESSION_BUS_ADDRESS": self.bus.address}
            self.window = Window(display, arguments, environment={**outside, **(environment or {})})
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for part in (self.window and self.window.kill, self.portal and self.portal.close, self.bus.close):
            if part:
                part()

    def ask(self, key="ctrl+o"):
        """Presses the key; what the portal was asked for."""
        self.window.probe()
        self.window.key(key)
        call = self.portal.next("method")
        self.window.wait(lambda s: s["desktopDialogOpen"], "the window waits for no dialog")
        return call


def uri(path):
    return pathlib.Path(path).as_uri()


def copy_of_demo(folder, name):
    path = os.path.join(folder, name)
    shutil.copy(DEMO, path)
    return path


def the_portal_opens_a_file(display, folder):
    path = copy_of_demo(folder, "a b%\u00e4.json.gz")
    with Desktop(display) as desktop:
        window = desktop.window
        call = desktop.ask()
        check(call["method"] == "OpenFile" and call["title"] == "Open trace", f"it was asked for {call}")
        check(int(call["parent"].removeprefix("x11:"), 16) == int(window.id), f"of {window.id}: {call['parent']}")
        options = call["options"]
        check(options["multiple"] is True and options["current_folder"] == window.folder + "\0", f"options: {options}")
        check(["Traces", "All files"] == [name for name, _ in options["filters"]], f"filters: {options['filters']}")
        check([0, "*.json"] in options["filters"][0][1], f"filters: {options['filters']}")
        check(not window.state()["fileBrowserOpen"], "our own dialog is open as well")
        check("desktop's dialog" in window.state()["notice"], "nothing says where to choose")
        window.key("question")  # the window goes on
        window.wait(lambda s: s["shortcutsOpen"], "the window does not react beside the dialog")
        window.key("Escape")
        desktop.portal.respond(0, uri(path))
        state = window.loaded()
        check(state["paths"] == [path], f"another file is open: {state['paths']}")
        check(not state["desktopDialogOpen"] and not state["notice"], "it is still waited for")
        # The next one starts where this file lies.
        call = desktop.ask()
        check(call["options"]["current_folder"] == folder + "\0", f"options: {call['options']}")
        desktop.portal.respond(1)
        window.wait(lambda s: not s["desktopDialogOpen"], "it is still waited for")
        check(window.close() == 0, "the program did not end well")


def several_files_and_one_to_compare_with(display, folder):
    one, two = copy_of_demo(folder, "one.json.gz"), copy_of_demo(folder, "two.json.gz")
    with Desktop(display) as desktop:
        window = desktop.window
        desktop.ask()
        desktop.portal.respond(0, uri(one), uri(two))
        check(window.loaded()["paths"] == [one, two], "not both are open")
        call = desktop.ask("ctrl+shift+o")
        check(call["title"].startswith("Compare "), f"the dialog is titled {call['title']}")
        desktop.portal.respond(0, uri(one))
        window.wait(lambda s: s["compare"]["hasOther"], "nothing is compared")


def saving_asks_for_a_path(display, folder):
    chosen = os.path.join(folder, "chosen here")
    with Desktop(display, arguments=[DEMO]) as desktop:
        window = desktop.window
        window.loaded()
        for response in (1, 0):  # cancelled at first
            window.key("ctrl+e")
            window.press("browse")
            call = desktop.portal.next("method")
            options = call["options"]
            check(call["method"] == "SaveFile" and "filters" not in options, f"it was asked for {call}")
            check(call["title"] == "Export the range as a trace", f"it was asked for {call}")
            check(options["current_name"] == "demo-range.trace.json.gz"
                  and options["current_folder"] == os.path.dirname(DEMO) + "\0", f"options: {options}")
            window.wait(lambda s: s["desktopDialogOpen"] and s["exportOpen"], "nothing is waited for")
            desktop.portal.respond(response, uri(chosen))
            window.wait(lambda s: not s["desktopDialogOpen"] and s["exportOpen"], "it is still waited for")
            if response == 1:
                window.key("Escape")
        window.press("export_save")
        window.wait(lambda s: s["notice"].startswith("Wrote"), "nothing was written", 30)
        check(os.path.getsize(chosen + ".json.gz") > 1000, "nothing is at the chosen path")
        # The desktop's dialog goes with ours, or when asked to.
        for gives_up in (lambda: window.press("browse"), lambda: window.key("Escape")):
            window.key("Escape", "ctrl+e")
            window.press("browse")
            desktop.portal.next("method")
            window.wait(lambda s: s["desktopDialogOpen"], "nothing is waited for")
            gives_up()
            desktop.portal.next("closed")
            window.wait(lambda s: not s["desktopDialogOpen"], "it is still waited for")
        check(not window.state()["exportOpen"], "Esc left our dialog open")
    with Desktop(display, None, arguments=[DEMO]) as desktop:
        desktop.window.loaded()
        desktop.window.key("ctrl+e")
        desktop.window.press("browse")
        desktop.window.wait(lambda s: "does not answer" in s["notice"] and not s["desktopDialogOpen"],
                            "nothing says that there is no dialog")


def cancelling_changes_nothing(display, folder):
    with Desktop(display, arguments=[DEMO]) as desktop:
        window = desktop.window
        window.loaded()
        for response in (1, 2):  # 2: the dialog was closed
            desktop.ask()
            desktop.portal.respond(response)
            state = window.wait(lambda s: not s["desktopDialogOpen"], "it is still waited for")
            state = window.settled()
            check(state["paths"] == [DEMO] and not state["fileBrowserOpen"] and not state["error"], brief(state))


def other_machines_files_are_refused(display, folder):
    with Desktop(display) as desktop:
        desktop.ask()
        desktop.portal.respond(0, "sftp://far/trace.json", uri(DEMO))
        desktop.window.wait(lambda s: "sftp://far/trace.json" in s["error"], "nothing says that it cannot be opened")
        desktop.window.key("Escape")
        check(desktop.window.loaded()["paths"] == [DEMO], "the other file is not open")


def an_answer_before_the_request_is_known(display, folder):
    with Desktop(display, "early") as desktop:
        desktop.window.probe()
        desktop.window.key("ctrl+o")
        desktop.portal.next("method")
        desktop.window.wait(lambda s: not s["desktopDialogOpen"] and not s["notice"], "it is waited for for ever")
        check(not desktop.window.settled()["fileBrowserOpen"], "a cancelled dialog is followed by another")


def without_a_portal_ours_opens(display, folder):
    for mode in (None, "files-off"):
        with Desktop(display, mode) as desktop:
            desktop.window.probe()
            desktop.window.key("ctrl+o")
            state = desktop.window.wait(lambda s: s["fileBrowserOpen"], f"no dialog ({mode})")
            check(state["browser"]["title"] == "Open trace", brief(state))
    # Nor where nobody listens at the bus's address, or there is none, or the portal's screen is another's.
    for environment in ({"DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/nowhere"}, {"DBUS_SESSION_BUS_ADDRESS": "xyz"},
                        {"DBUS_SESSION_BUS_ADDRESS": ""}):
        with Desktop(display, environment=environment) as desktop:
            desktop.window.probe()
            desktop.window.key("ctrl+o")
            desktop.window.wait(lambda s: s["fileBrowserOpen"], f"no dialog with {environment}")
    with Desktop(display, environment={"SSH_CONNECTION": "10.0.0.1 50000 10.0.0.2 22"}) as desktop:
        desktop.window.probe()
        desktop.window.key("ctrl+o")
        desktop.window.wait(lambda s: s["fileBrowserOpen"], "the far machine's portal is asked")


def a_portal_that_never_answers(display, folder):
    with Desktop(display, "silent") as desktop:
        window = desktop.window
        desktop.ask()
        window.wait(lambda s: s["fileBrowserOpen"] and not s["desktopDialogOpen"], "no dialog instead")
        window.key("Escape")
        # Whoever does not want to wait asks again.
        desktop.ask()
        window.key("ctrl+o")
        window.wait(lambda s: s["fileBrowserOpen"] and not s["desktopDialogOpen"], "asking again opens nothing")
        window.key("Escape")
        check(window.close() == 0, "the program did not end well")
    # One that opened a dialog which nobody sees.
    with Desktop(display) as desktop:
        desktop.ask()
        desktop.window.key("ctrl+o")
        desktop.window.wait(lambda s: s["fileBrowserOpen"] and not s["desktopDialogOpen"], "asking again opens nothing")
        desktop.portal.next("closed")


def a_portal_or_bus_that_ends(display, folder):
    with Desktop(display) as desktop:
        desktop.ask()
        desktop.portal.process.kill()
        desktop.window.wait(lambda s: s["fileBrowserOpen"] and not s["desktopDialogOpen"], "no dialog without the portal")
    with Desktop(display) as desktop:
        desktop.ask()
        desktop.bus.process.kill()
        desktop.window.wait(lambda s: s["fileBrowserOpen"] and not s["desktopDialogOpen"], "no dialog without the bus")


def closing_the_window_closes_the_dialog(display, folder):
    with Desktop(display) as desktop:
        desktop.ask()
        check(desktop.window.close() == 0, "the program did not end well")
        desktop.portal.next("closed")
    with Desktop(display, "silent") as desktop:
        desktop.ask()
        check(desktop.window.close() == 0, "the program did not end well")


def nothing_talks_to_the_bus_before(display, folder):
    with Desktop(display) as desktop:
        desktop.window.settled()
        with open(f"/proc/{desktop.window.process.pid}/maps") as file:
            check("libsystemd" not in file.read(), "the library is there before a dialog is")
        desktop.ask()
        with open(f"/proc/{desktop.window.process.pid}/maps") as file:
            check("libsystemd" in file.read(), "this test looks for the wrong library")


def zenity_where_there_is_no_portal(display, folder):
    programs = os.path.join(folder, "programs")
    os.mkdir(programs)
    path = os.path.join(programs, "zenity")
    with open(path, "w") as file:
        file.write(f'#!/bin/sh\nprintf "%s\\n" "$@" >"{folder}/asked"\n'
                   f'if [ -e "{folder}/answer" ]; then cat "{folder}/answer"; else exec sleep 1000; fi\n')
    os.chmod(path, 0o755)
    environment = {"PATH": programs + ":" + os.environ["PATH"]}
    with Desktop(display, None, environment=environment) as desktop:
        window = desktop.window
        window.probe()
        window.key("ctrl+o")
        window.wait(lambda s: s["desktopDialogOpen"] and os.path.exists(os.path.join(folder, "asked")), "no zenity")
        check(window.close() == 0, "a zenity that is open keeps the program from its end")
    with open(os.path.join(folder, "asked")) as file:
        check("--title=Open trace" in file.read().splitlines(), "it was asked for something else")
    with open(os.path.join(folder, "answer"), "w") as file:
        file.write(DEMO + "\n")
    with Desktop(display, None, environment=environment) as desktop:
        desktop.window.probe()
        desktop.window.key("ctrl+o")
        check(desktop.window.loaded()["paths"] == [DEMO], "another file is open")


def python_with_gi():
    """The distribution's package is for its own Python."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "from gi.repository import Gio"], capture_output=True).returncode == 0:
            return python
    return None


def skip_without_a_bus():
    if shutil.which("dbus-daemon") is None or PYTHON is None:
        print("skipped: dbus-daemon or python3-gi is not installed")
        sys.exit(SKIPPED)


def main():
    skip_unless_possible()
    skip_without_a_bus()
    display = Display()
    failed = 0
    try:
        for test in TESTS:
            if sys.argv[1:] and test.__name__ not in sys.argv[1:]:
                continue
            folder = tempfile.mkdtemp(prefix="lacuna_dialog_")
            try:
                test(display, folder)
                print(f"ok     {test.__name__}", flush=True)
            except (Failure, KeyError, subprocess.TimeoutExpired) as error:
                print(f"FAILED {test.__name__}: {error!r}", flush=True)
                failed += 1
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    finally:
        display.close()
    sys.exit(1 if failed else 0)


PYTHON = python_with_gi()
TESTS = [the_portal_opens_a_file, several_files_and_one_to_compare_with, saving_asks_for_a_path,
         cancelling_changes_nothing,
         other_machines_files_are_refused, an_answer_before_the_request_is_known, without_a_portal_ours_opens,
         a_portal_that_never_answers, a_portal_or_bus_that_ends, closing_the_window_closes_the_dialog,
         nothing_talks_to_the_bus_before, zenity_where_there_is_no_portal]

main()
