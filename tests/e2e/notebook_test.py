#!/usr/bin/env python3
"""`lacuna.show` in a cell of JupyterLab, through jupyter-server-proxy: a real server, kernel and Chromium, which reaches
nothing but the notebook's own address. Needs jupyterlab, ipykernel and jupyter-server-proxy, in this Python or in that of
$LACUNA_PYTHON_ENGINES."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import window_driver as driver
from browser_driver import Browser, skip_without_browser
from waiting import wait_until
from window_driver import DEMO, PROGRAM, check

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
NEEDED = "import ipykernel, jupyterlab, jupyter_server_proxy"
TOKEN = "of-the-notebook"
CANVAS = "document.querySelector('iframe[src*=\"/proxy/\"]')?.contentDocument?.querySelector('canvas')"


def python_with_jupyter():
    for python in (sys.executable, os.environ.get("LACUNA_PYTHON_ENGINES")):
        if python and subprocess.run([python, "-c", NEEDED], capture_output=True).returncode == 0:
            return python
    print("skipped: jupyterlab and jupyter-server-proxy are not installed (LACUNA_PYTHON_ENGINES: a Python that has them)")
    sys.exit(driver.SKIPPED)


class Notebook:
    """A server of Jupyter with one notebook, whose cells are not run yet."""

    def __init__(self, folder, environment, cells):
        cell = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
        (folder / "n.ipynb").write_text(json.dumps({
            "cells": [{**cell, "id": f"c{i}", "source": source} for i, source in enumerate(cells)],
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python", "language": "python"}},
            "nbformat": 4, "nbformat_minor": 5}))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [python_with_jupyter(), "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.port={self.port}",
             f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}", "--ServerApp.port_retries=0",
             "--LabApp.expose_app_in_browser=True", "--LabApp.news_url=", "--LabApp.check_for_updates_class="
             "jupyterlab.NeverCheckForUpdate"],
            env=environment, cwd=folder, stdout=open(folder / "log", "w"), stderr=subprocess.STDOUT)
        self.log = folder / "log"
        end = time.monotonic() + 60
        while not self.answers():
            check(self.process.poll() is None and time.monotonic() < end, f"Jupyter does not start: {self.log.read_text()}")
            time.sleep(0.1)

    def answers(self):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api").close()
            return True
        except (urllib.error.URLError, ConnectionError):
            return False

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def shown_in_a_cell(display):
    folder = pathlib.Path(driver.tempfile.mkdtemp(prefix="lacuna_e2e_"))
    state_file = folder / "state.json"
    environment = dict(os.environ, HOME=str(folder), XDG_CONFIG_HOME=str(folder), XDG_STATE_HOME=str(folder),
                       XDG_DATA_HOME=str(folder), XDG_RUNTIME_DIR=str(folder), DISPLAY=display.name, LACUNA_BIN=PROGRAM,
                       LACUNA_TEST_STATE=str(state_file), PYTHONPATH=str(SOURCE / "app/python"), PYTHONDONTWRITEBYTECODE="1")
    for name in [name for name in environment if name.startswith("VSCODE_")]:
        del environment[name]
    notebook = Notebook(folder, environment, ["import lacuna", f"lacuna.show({str(DEMO)!r}, height=500)"])
    browser = None
    try:
        browser = Browser(f"http://127.0.0.1:{notebook.port}/lab/tree/n.ipynb?token={TOKEN}", str(folder), environment, 1600,
                          900)
        browser.wait("window.jupyterapp?.shell.currentWidget?.context?.sessionContext?.session?.kernel?.status === 'idle'",
                     "the notebook has no kernel", 90)
        browser.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
        browser.wait(f"{CANVAS}?.width > 300", f"no window in the cell: {notebook.log.read_text()[-3000:]}", 60)

        def state():
            try:
                return json.loads(state_file.read_text())
            except (OSError, ValueError):
                return {}

        wait_until(lambda: state().get("hasTrace") and not state()["loading"], "the trace in the cell's window")
        frame = "document.querySelector('iframe[src*=\"/proxy/\"]')"
        check(browser.evaluate(f"{frame}.contentWindow.location.href.includes('token')") is False,
              "the token is gone from the page's address")
        # A key that the page in the cell gets does there what it does in the window.
        before = state()["view"]["camera"]
        browser.evaluate(f"{frame}.scrollIntoView()")
        box = browser.evaluate(f"(b => [b.x, b.y, b.width, b.height])({frame}.getBoundingClientRect())")
        x, y = box[0] + box[2] / 2, box[1] + 150
        for kind, more in (("mouseMoved", {}), ("mousePressed", {"button": "left", "clickCount": 1}),
                           ("mouseReleased", {"button": "left", "clickCount": 1})):
            browser.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)
        for kind in ("keyDown", "keyUp"):
            browser.ask("Input.dispatchKeyEvent", type=kind, key="w", code="KeyW", windowsVirtualKeyCode=87)
        wait_until(lambda: state()["view"]["camera"] != before, "the key W zooms")
    finally:
        if browser:
            browser.close()
        notebook.close()
    driver.shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    skip_without_browser()
    python_with_jupyter()
    driver.run_apart([shown_in_a_cell])
