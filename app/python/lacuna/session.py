"""One lacuna program that holds a trace and answers (lacuna query --stdio)."""
from __future__ import annotations

import json
import subprocess
import threading
import weakref
from typing import Any

from ._program import LacunaError, program
from .table import Table


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    process.terminate()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


class Session:
    """Starts when first asked, again after an interruption. Threads take turns."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._finalizer: Any = None

    def start(self) -> None:
        """Loads the trace. LacunaError says why it cannot be."""
        with self._lock:
            self._started()

    def close(self) -> None:
        with self._lock:
            self._stop()

    def ask(self, request: dict[str, Any]) -> Any:
        """A Table, or what JSON says. UnicodeEncodeError: a text of the request is none (half a surrogate pair)."""
        line = json.dumps(request, ensure_ascii=False).encode() + b"\n"
        with self._lock:
            process = self._started()
            try:
                assert process.stdin is not None
                process.stdin.write(line)
                process.stdin.flush()
                head = self._line(process)
                if "error" in head:
                    raise LacunaError(head["error"])
                pieces = []
                while size := int.from_bytes(self._bytes(process, 4), "little"):
                    pieces.append(self._bytes(process, size))
                tail = self._line(process)
            except LacunaError:
                raise
            except BaseException:  # Ctrl+C amid an answer: the rest of it is nobody's
                self._stop()
                raise
        if "error" in tail:
            raise LacunaError(tail["error"])
        if head["kind"] == "json":
            return json.loads(b"".join(pieces))
        return Table(b"".join(pieces), tail["rows"], tail.get("hasMore", False))

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            # A session of its own: Ctrl+C is for Python.
            self._process = subprocess.Popen([program(), "query", "--stdio", *self._words], stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, start_new_session=True)
            self._finalizer = weakref.finalize(self, _end, self._process)
            try:
                head = self._line(self._process)
            except BaseException:
                self._stop()
                raise
            if "error" in head:
                self._stop()
                raise LacunaError(head["error"])
        return self._process

    def _stop(self) -> None:
        if self._finalizer is not None:
            self._finalizer()
        self._process = self._finalizer = None

    def _bytes(self, process: subprocess.Popen[bytes], size: int) -> bytes:
        assert process.stdout is not None
        got = process.stdout.read(size)
        if len(got) < size:
            code = process.wait()
            self._stop()
            raise LacunaError(f"the lacuna program ended with exit code {code}")
        return got

    def _line(self, process: subprocess.Popen[bytes]) -> dict[str, Any]:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.endswith(b"\n"):
            code = process.wait()
            self._stop()
            raise LacunaError(f"the lacuna program ended with exit code {code}")
        said: dict[str, Any] = json.loads(line)
        return said
