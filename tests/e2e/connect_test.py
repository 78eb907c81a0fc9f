#!/usr/bin/env python3
"""Hosts, commands and pasted text in the dialog of other machines that nobody can have meant: each is told of, ssh gets
none of them, and what is opened is of the machine that is listed."""

import os
import pathlib
import shutil
import tempfile

import window_driver as driver
from window_driver import DEMO, Window, check

MINE = "touch${IFS}mine"
HOSTS = (
    (f"-oProxyCommand={MINE}", "does not begin with -"),
    ("me@-oProxyCommand=x", "does not begin with -"),
    (f"$({MINE})", "has no $"),
    (f"`{MINE}`", "has no `"),
    (f"x;{MINE}", "has no ;"),
    ("x|sh", "has no |"),
    ("a'b", "has no '"),
    ("a b", "has no blanks"),
)


def fill(window, place, text):
    window.press(place)
    window.key("ctrl+a")
    window.type(text)


def problem_of(window, words, what):
    state = window.wait(lambda s: words in s["connect"]["problem"] and not s["connect"]["busy"], f"{what}: not told")
    check(len(state["connect"]["problem"]) < 100_000, "the problem is as long as what is wrong")


def hostile(folder, window):
    window.wait(lambda s: s["hasTrace"], "no trace")
    window.key("n")
    window.wait(lambda s: s["selection"]["kind"] == "gap", "no gap is chosen")
    window.key("alt+c")  # text of several lines
    window.key("ctrl+shift+h")
    window.wait(lambda s: s["live"]["connectDialog"], "no dialog")
    for host, words in HOSTS:
        fill(window, "connect_host", host)
        window.key("Return")
        problem_of(window, words, host)
    window.press("connect_host")
    window.key("ctrl+a", "ctrl+v", "Return")
    problem_of(window, "has no blanks", "lines of text")
    # Very long: what is told stays short enough to leave the buttons where they are.
    fill(window, "connect_host", "-x" * 30)
    for _ in range(10):
        window.key("ctrl+a", "ctrl+c", "End", "ctrl+v")
    window.key("Return")
    problem_of(window, "does not begin with -", "a very long host")
    at = window.settled()["places"]["connect_open"]
    check(at[1] < driver.HEIGHT - 40, f"the buttons are pushed out of the window: {at}")
    fill(window, "connect_host", "box")
    fill(window, "connect_transport", "docker exec 'x")
    window.key("Return")
    problem_of(window, "is not closed", "an open quote in the transport")
    fill(window, "connect_transport", "env")
    fill(window, "connect_command", "python 'x")
    window.press("connect_record")
    problem_of(window, "is not closed", "an open quote in the command")
    check(not (folder / "called").exists(), "ssh was called")
    check(not (folder / "mine").exists(), "a host was run")


def of_the_machine_that_is_listed(window):
    fill(window, "connect_command", " ")
    window.key("BackSpace")
    fill(window, "connect_host", "  first ")  # as it is pasted
    window.press("connect_look")
    window.wait(lambda s: "b.json.gz" in s["connect"]["entries"], "the home is not listed", 30)
    fill(window, "connect_host", "second")
    window.press("connect_open")
    state = window.wait(lambda s: not s["live"]["connectDialog"], "it does not open", 60)
    state = window.wait(lambda s: "b.json.gz" in s["title"], f"another is open: {state['title']}", 60)
    check("first:b.json.gz" in state["title"], state["title"])


def what_nobody_can_have_meant(display):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "bin/ssh").write_text(f"#!/bin/sh\ntouch {folder}/called\n")
        (folder / "bin/ssh").chmod(0o755)
        (folder / "bin/lacuna").symlink_to(os.path.abspath(driver.PROGRAM))
        shutil.copy(DEMO, folder / "b.json.gz")
        window = Window(display, [DEMO], environment={"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": name})
        try:
            hostile(folder, window)
            of_the_machine_that_is_listed(window)
        finally:
            window.kill()


driver.run_apart([what_nobody_can_have_meant])
