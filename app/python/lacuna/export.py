"""Tables of traces as files."""
from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Iterable
from typing import Any

from ._program import LacunaError, run, word_of
from .trace import Paths, words_of


def export(paths: Paths, folder: str | os.PathLike[str], *, format: str = "arrow",  # noqa: A002
           tables: Iterable[str] = (), force: bool = False, compression: str = "zstd") -> list[str]:
    """Writes the tables of traces into a folder, as `lacuna export` does; returns the files' paths.

    format: "arrow", or "parquet" (needs pyarrow): NAME.parquet with `compression`. Several traces have folders rank=N.
    Files of others are not replaced unless `force`.
    """
    if format not in ("arrow", "parquet"):
        raise ValueError(f'format is "arrow" or "parquet", not {format!r}')
    words = ["export", *words_of(paths), "--json"]
    if chosen := ",".join(tables):
        words += ["--tables", chosen]
    if format == "arrow":
        return _files(run([*words, "--arrow", word_of(folder), *(["--force"] if force else [])]))
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise LacunaError("Parquet needs pyarrow: pip install pyarrow") from error
    written = []
    with tempfile.TemporaryDirectory(prefix="lacuna-") as scratch:
        for source in _files(run([*words, "--arrow", scratch])):
            target = (pathlib.Path(folder) / pathlib.Path(source).relative_to(scratch)).with_suffix(".parquet")
            if target.exists() and not force and not _is_ours(target):
                raise LacunaError(f"{target}: is there already, and was not written by lacuna")
            target.parent.mkdir(parents=True, exist_ok=True)
            _to_parquet(source, target, compression)
            written.append(str(target))
            os.unlink(source)
    return written


def _files(said: str) -> list[str]:
    import json

    return [one["path"] for one in json.loads(said)["files"]]


def _is_ours(path: pathlib.Path) -> bool:
    import pyarrow.parquet as parquet

    try:
        return b"lacuna.table" in (parquet.read_schema(path).metadata or {})
    except Exception:  # whatever it is, it is no table of ours
        return False


def _to_parquet(source: str, target: pathlib.Path, compression: str) -> None:
    """Batch by batch; a reader never sees half a file."""
    import pyarrow
    import pyarrow.parquet as parquet

    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with pyarrow.memory_map(source) as mapped, pyarrow.ipc.open_file(mapped) as reader:
            schema: Any = reader.schema
            with parquet.ParquetWriter(part, schema, compression=compression) as writer:
                for i in range(reader.num_record_batches):
                    writer.write_batch(reader.get_batch(i))
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
