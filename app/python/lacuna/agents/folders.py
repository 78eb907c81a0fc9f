"""Which files an agent may name: those below the folders that the user named."""
from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable

from .._program import LacunaError
from ..jobs import TRACE_ENDINGS

#: What else lacuna reads beside traces that have their own endings.
_ENDINGS = (*TRACE_ENDINGS, ".pickle", ".pkl", ".digest", ".pftrace", ".perfetto-trace", ".nsys-rep", ".zst", ".gz")
_WRITTEN = (".json", ".json.gz", ".json.zst")


class Folders:
    """Every path is resolved, links included, before it is compared: what leads out of the folders is refused."""

    def __init__(self, folders: Iterable[str]) -> None:
        self.roots: list[str] = []
        for folder in folders:
            root = os.path.realpath(folder)
            if not os.path.isdir(root):
                raise LacunaError(f"{folder}: no such folder")
            self.roots.append(root)
        if not self.roots:
            raise LacunaError("name the folders whose traces may be read")

    def there(self, path: str) -> str:
        """The real path of something that is there; relative paths are looked for in each folder."""
        for candidate in self._candidates(path):
            try:
                real = os.path.realpath(candidate, strict=True)
            except (OSError, ValueError):
                continue
            return self._inside(real, path)
        raise LacunaError(f"{_shown(path)}: no such file in {', '.join(self.roots)}")

    def traces(self, path: str) -> list[str]:
        """A file, or the files in a folder that have a name like a trace. Links out of the folders are left out."""
        real = self.there(path)
        if not os.path.isdir(real):
            if not os.path.isfile(real):
                raise LacunaError(f"{_shown(path)}: neither a file nor a folder")
            return [real]
        found = []
        for name in sorted(os.listdir(real)):
            entry = os.path.realpath(os.path.join(real, name))
            if name.endswith(_ENDINGS) and os.path.isfile(entry) and self._is_inside(entry):
                found.append(entry)
        return found

    def trace(self, path: str) -> str:
        """One file."""
        real = self.there(path)
        if not os.path.isfile(real):
            raise LacunaError(f"{_shown(path)}: not a file; open lists what a folder has")
        return real

    def new_trace(self, path: str) -> str:
        """Where a trace may be written: nothing is there yet, and its folder is."""
        if not path.endswith(_WRITTEN):
            raise LacunaError(f"{_shown(path)}: a trace is written to a name that ends in {', '.join(_WRITTEN)}")
        folder, name = os.path.split(path)
        real = os.path.join(self.there(folder or self.roots[0]), name)
        if os.path.lexists(real):
            raise LacunaError(f"{_shown(path)}: there is such a file already")
        return real

    def _candidates(self, path: str) -> list[str]:
        if not path or "\0" in path:
            raise LacunaError("a path is text without NUL")
        return [path] if os.path.isabs(path) else [os.path.join(root, path) for root in self.roots]

    def _is_inside(self, real: str) -> bool:
        return any(pathlib.PurePath(real).is_relative_to(root) for root in self.roots)

    def _inside(self, real: str, path: str) -> str:
        if not self._is_inside(real):
            # Not where it leads: that would tell what lies outside.
            raise LacunaError(f"{_shown(path)}: outside of the folders that may be read ({', '.join(self.roots)})")
        return real


def _shown(path: str) -> str:
    return path if len(path) <= 200 else path[:200] + "…"
