"""The lacuna program: where it is, and running it."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

_INSTALLED = pathlib.Path(__file__).parent / "_program" / "bin" / "lacuna"


class LacunaError(RuntimeError):
    """What the lacuna program, or reading a trace, failed with."""


def program() -> str:
    """The lacuna program: $LACUNA_BIN, else the one installed with this package, else the one on PATH."""
    found = os.environ.get("LACUNA_BIN") or (str(_INSTALLED) if _INSTALLED.exists() else shutil.which("lacuna"))
    if not found:
        raise LacunaError("no lacuna program: put it on PATH, or its path into LACUNA_BIN")
    return found


def word_of(path: str | bytes | os.PathLike[str]) -> str:
    """A path as the program takes it. One that begins with "-" is a file as well, never an option."""
    word = os.fsdecode(path)
    return os.path.join(".", word) if word.startswith("-") else word


def run(words: list[str]) -> str:
    """Runs the program and returns what it wrote to standard output."""
    done = subprocess.run([program(), *words], capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise LacunaError(done.stderr.strip() or f"lacuna ended with exit code {done.returncode}")
    return done.stdout
