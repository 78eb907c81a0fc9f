"""The window of the lacuna program in a notebook's cell, or in a browser."""
from __future__ import annotations

import atexit
import html
import importlib.util
import os
import subprocess
import threading
import time
from collections.abc import Sequence

from ._program import LacunaError, program
from .recording import Recording
from .trace import Paths, Picture, words_of
from .trace import open as open_trace


class Window:
    """A window that a browser shows: `url`, with its token. Notebooks show it in the cell. It ends with close(), and with
    this process."""

    def __init__(self, words: Sequence[str], height: int, proxied: bool) -> None:
        self.height = height
        more = ["--allow-origin", "*"] if proxied else []  # the proxy's page is another one, and asks who reads it
        # A kernel that is killed closes nothing.
        self._process = subprocess.Popen([program(), "web", "--idle-exit", "8h", *more, *words], stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self._process.stdout is not None and self._process.stderr is not None
        self.url = self._process.stdout.readline().strip()
        if not self.url:
            raise LacunaError(self._process.stderr.read().strip() or "lacuna web did not start")
        # What it says later is read, so that it never waits for a reader.
        threading.Thread(target=self._process.stderr.read, daemon=True).start()
        atexit.register(self.close)
        self._address = self.url
        if proxied:
            rest = self.url.split("//", 1)[1]
            port, query = rest.split(":", 1)[1].split("/", 1)
            prefix = os.environ.get("JUPYTERHUB_SERVICE_PREFIX", "/").rstrip("/")
            self._address = f"{prefix}/proxy/{port}/{query}"

    def close(self) -> None:
        """Ends the window; the cell says so."""
        atexit.unregister(self.close)
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()

    def _repr_html_(self) -> str:
        return (f'<iframe src="{html.escape(self._address)}" width="100%" height="{int(self.height)}" '
                'style="border: 0" allow="clipboard-read; clipboard-write; fullscreen"></iframe>')

    def __repr__(self) -> str:
        return f"<lacuna.Window {self.url}>"


def _is_behind_jupyter() -> bool:
    """Whether the notebook's page comes from a Jupyter server. Kernels of VS Code have none, or it is not what shows it."""
    if "JUPYTERHUB_SERVICE_PREFIX" in os.environ:
        return True
    return "JPY_SESSION_NAME" in os.environ and not any(name.startswith("VSCODE_") for name in os.environ)


def show(what: Paths | Recording | None = None, *, command: Sequence[str] | None = None, height: int = 600,
         proxy: bool | None = None) -> Window | Picture:
    """The window, in the cell of a notebook: of a trace, of a recording while it is made or once it is over, or of a
    command while it runs.

        lacuna.show("trace.json.gz", height=600)
        lacuna.show(command=["python", "train.py"])
        with lacuna.record("train.json.gz", ["python", "train.py"]) as recording:
            display(lacuna.show(recording))

    The cell reaches it through jupyter-server-proxy where that is installed and a Jupyter server started this kernel,
    else at 127.0.0.1: that is right where the browser is on this machine, or the port is forwarded (VS Code does so by
    itself). proxy=True and proxy=False say which. Where no window can be shown, a picture of the trace is.
    """
    if proxy is None:
        proxy = _is_behind_jupyter() and importlib.util.find_spec("jupyter_server_proxy") is not None
    if command is not None:
        if what is not None:
            raise ValueError("either a trace or a command")
        return Window(["live", "--", *command], height, proxy)
    if isinstance(what, Recording):
        while what.live is not None and what.returncode is None:
            if os.path.exists(what.live):
                return Window(["attach", what.live], height, proxy)
            time.sleep(0.01)  # it begins just now
        what.wait()
        what = what.path
    try:
        return Window(words_of(what) if what is not None else [], height, proxy)
    except LacunaError:
        if what is None:
            raise
        with open_trace(what) as trace:
            return trace.picture(height=height)
