"""Recording a program, or this one."""
from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from ._program import LacunaError, program
from .trace import Trace
from .trace import open as open_trace

# Waits in the place of a recorded program: tells what recorded programs have in their environment, then waits for its
# input to end.
_STAND_IN = ("import json, os, sys\n"
             "names = ('NVTX_INJECTION64_PATH', 'CUDA_INJECTION64_PATH', 'PYTHONPATH')\n"
             "told = {k: v for k, v in os.environ.items() if k.startswith('LACUNA_') or k in names}\n"
             "os.write(int(sys.argv[1]), json.dumps(told).encode() + b'\\n')\n"
             "sys.stdin.buffer.read()\n")
# Options with which a recording cannot be watched, or is where its caller says.
_NOT_WATCHED = ("--live", "--keep-", "--dormant")
_LONGEST_SOCKET = 100  # bytes of a path; the system takes 107
_of_this_process: list[ctypes.CDLL] = []


class Recording:
    """A recording under way, or done. `path`: the trace; `returncode`: of the command, once it is over; `live`: the
    socket at which a window may watch it meanwhile (lacuna.show, `lacuna attach`), or None."""

    def __init__(self, path: str, process: subprocess.Popen[bytes]) -> None:
        self.path = path
        self.live: str | None = None
        self._process = process
        self._collector: ctypes.CDLL | None = None

    @property
    def returncode(self) -> int | None:
        return self._process.poll()

    def wait(self) -> int:
        """Waits until the command has ended and the trace is written."""
        return self._process.wait()

    @contextlib.contextmanager
    def range(self, name: str) -> Iterator[None]:
        """Names what this thread does meanwhile: a slice of the trace, where this process is recorded."""
        collector = self._collector
        if collector is not None:
            collector.lacuna_operator_begin(name.encode(), ctypes.c_longlong(-1), None, 2, 0, 0)
        try:
            yield
        finally:
            if collector is not None:
                collector.lacuna_operator_end()

    def open(self) -> Trace:
        """The trace, once the recording is over."""
        return open_trace(self.path)


@contextlib.contextmanager
def record(path: str | os.PathLike[str], command: Sequence[str] | None = None, *,
           options: Sequence[str] = (), live: bool = True) -> Iterator[Recording]:
    """Records a command, or this process, until the block ends.

        with lacuna.record("train.json.gz", ["python", "train.py"]) as recording:
            pass                                  # the block's end waits for the command
        recording.open().gaps

        with lacuna.record("step.json.gz") as recording:
            with recording.range("step"):         # and NVTX, CUDA and PyTorch's operators of this process, and of
                train_step()                      # the programs that it starts meanwhile

    options: more words for `lacuna record`, ["--shapes"] for instance. Of this process nothing is sampled, CUDA and NVTX
    are recorded if they were not in use before, and it can be recorded once. live: a window may watch meanwhile
    (lacuna.show); a compressed trace has a plain copy beside it until it ends, then. With --keep-seconds nobody can.
    """
    where = os.fspath(path)
    with _socket(live, options) as socket:
        words = [program(), "record", "-o", where, "--quiet", *options, *([f"--live={socket}"] if socket else [])]
        with _record_this(where, words) if command is None else _record_command(where, words, command) as recording:
            recording.live = socket
            yield recording


@contextlib.contextmanager
def _socket(live: bool, options: Sequence[str]) -> Iterator[str | None]:
    """A place for the socket of a recording, in a folder of ours alone; None where it cannot be watched."""
    if not live or any(word.startswith(_NOT_WATCHED) for word in options):
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="lacuna-") as folder:
        socket = os.path.join(folder, "live")
        yield socket if len(os.fsencode(socket)) <= _LONGEST_SOCKET else None


@contextlib.contextmanager
def _record_command(where: str, words: Sequence[str], command: Sequence[str]) -> Iterator[Recording]:
    process = subprocess.Popen([*words, "--", *command])
    try:
        yield Recording(where, process)
    finally:
        process.wait()


@contextlib.contextmanager
def _record_this(where: str, words: Sequence[str]) -> Iterator[Recording]:
    if _of_this_process:
        raise LacunaError("this process was recorded already; what a command does can be recorded again")
    read_end, write_end = os.pipe()
    stand_in = [sys.executable, "-S", "-c", _STAND_IN, str(write_end)]
    process = subprocess.Popen([*words, "--wait-for", "child", "--no-stacks", "--no-states", "--", *stand_in],
                               stdin=subprocess.PIPE, pass_fds=(write_end,))
    os.close(write_end)
    recording = Recording(where, process)
    before = dict(os.environ)
    try:
        with os.fdopen(read_end, "rb") as told:
            line = told.readline()
        if not line:
            raise LacunaError(f"the recording did not begin (exit code {process.wait()})")
        recording._collector = _join(line)
        yield recording
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
        os.environ.update(before)
        assert process.stdin is not None
        process.stdin.close()
        process.wait()


def _join(line: bytes) -> ctypes.CDLL:
    """Makes this process one of those that are recorded."""
    import json

    environment: dict[str, Any] = json.loads(line)
    os.environ.update(environment)
    collector = ctypes.CDLL(environment["LACUNA_COLLECTOR"])
    if not collector.lacuna_is_capturing():
        raise LacunaError("the recording does not take this process")
    _of_this_process.append(collector)
    if "torch" in sys.modules:
        hook = os.path.join(environment["PYTHONPATH"].split(os.pathsep)[0])
        sys.path.append(hook)
        import lacuna_torch  # type: ignore[import-not-found]

        lacuna_torch.capture(sys.modules["torch"])
        collector.InitializeInjection()
    return collector
