"""Answers that fit into a model's context, and the program that gives them."""
from __future__ import annotations

import json
import subprocess
import threading
from typing import Any

from .._program import LacunaError, program

#: More than this of an answer of the program is not read.
_MOST_BYTES = 256 << 20
_MOST_ERROR = 2000


def run(words: list[str], timeout: float) -> str:
    """Runs the program. Its standard input and output are not ours: those are the protocol's."""
    process = subprocess.Popen([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None and process.stderr is not None
    errors: list[bytes] = []
    stderr = process.stderr

    def read_errors() -> None:
        while chunk := stderr.read(65536):
            if sum(map(len, errors)) < 1 << 20:
                errors.append(chunk)

    is_late = threading.Event()

    def end_it() -> None:
        is_late.set()
        process.kill()

    reader = threading.Thread(target=read_errors, daemon=True)
    reader.start()
    timer = threading.Timer(timeout, end_it)
    timer.start()
    try:
        said = process.stdout.read(_MOST_BYTES + 1)
        if len(said) > _MOST_BYTES:
            process.kill()
            raise LacunaError("the answer is larger than 256 MiB: ask for less")
        code = process.wait()
    finally:
        timer.cancel()
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
        reader.join(timeout=10)
        process.stderr.close()
    if is_late.is_set():
        raise LacunaError(f"no answer within {timeout:g} s: ask for less, for instance for a shorter range")
    words_of_error = b"".join(errors).decode(errors="replace").strip()
    if code != 0 and not said:
        raise LacunaError(words_of_error[:_MOST_ERROR] or f"lacuna ended with exit code {code}")
    return said.decode(errors="replace")


def ask(words: list[str], timeout: float) -> Any:
    """What a command says as JSON."""
    said = run([*words, "--json"], timeout)
    try:
        return json.loads(said)
    except ValueError as error:
        raise LacunaError("the program gave no answer that can be read") from error


def _text(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _largest_list(value: Any, path: str = "") -> tuple[int, str, list[Any]] | None:
    """The list with more than one entry that takes most characters by itself, without lists inside of it that take most
    of that."""
    best: tuple[int, str, list[Any]] | None = None
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in items:
        found = _largest_list(inside, f"{path}.{key}" if path else str(key))
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    if isinstance(value, list) and len(value) > 1:
        size = len(_text(value))
        if best is None or size >= 2 * best[0]:
            best = (size, path, value)
    return best


def fit(document: Any, characters: int) -> str:
    """The document as JSON of at most so many characters: the ends of its longest lists go first, and are counted in
    "leftOut". Texts that alone are too long are cut."""
    left_out: dict[str, int] = {}
    document = json.loads(_text(document))
    while len(_text(document)) > characters - len(_text(left_out)) - 20:
        found = _largest_list(document)
        if found is None:
            break
        _, path, entries = found
        keep = len(entries) // 2
        left_out[path] = left_out.get(path, 0) + len(entries) - keep
        del entries[keep:]
    if left_out and isinstance(document, dict):
        document["leftOut"] = left_out
    text = _text(document)
    return text if len(text) <= characters else text[:characters] + " … (cut: ask for less)"


def short(value: Any, characters: int = 400) -> Any:
    """A cell of a row: long texts are cut."""
    if isinstance(value, (bytes, bytearray)):
        value = value.hex()
    return value[:characters] + "…" if isinstance(value, str) and len(value) > characters else value
