"""Traces as tables."""
from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Callable, Dict, Union

from ._program import run, word_of
from .session import Session
from .table import Table

Path = Union[str, bytes, "os.PathLike[str]"]
Paths = Union[Path, Iterable[Path]]


def words_of(paths: Paths) -> list[str]:
    words = [word_of(path) for path in ([paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths)]
    if not words:
        raise ValueError("no trace is named")
    return words


class Picture:
    """A picture of a trace: notebooks show it. `png` holds its bytes."""

    def __init__(self, png: bytes) -> None:
        self.png = png

    def _repr_png_(self) -> bytes:
        return self.png

    def save(self, path: str | os.PathLike[str]) -> None:
        pathlib.Path(path).write_bytes(self.png)


class ReportTables(Mapping[str, Table]):
    """The lists of a report as tables, made when asked for: report.tables["causes"].to_pandas()."""

    #: What there is. summary: one row a report; steps, devices, causes (idle time of each GPU), operators, memory,
    #: advice (with what a replay of it gained), sentences (the report in words: section, text, tone).
    NAMES = ("summary", "steps", "devices", "causes", "operators", "memory", "advice", "sentences")

    def __init__(self, ask: Callable[[dict[str, Any]], Any]) -> None:
        self._ask = ask

    def __getitem__(self, name: str) -> Table:
        if name not in self.NAMES:
            raise KeyError(name)
        table: Table = self._ask({"report": {"table": name}})
        return table

    def __iter__(self) -> Iterator[str]:
        return iter(self.NAMES)

    def __len__(self) -> int:
        return len(self.NAMES)


class Report(Dict[str, Any]):
    """What `lacuna report --json` writes, as a dict, with its lists as tables beside it."""

    def __init__(self, document: dict[str, Any], ask: Callable[[dict[str, Any]], Any]) -> None:
        super().__init__(document)
        #: Tables in Arrow's format; each row has the path and rank of its trace. While the trace is open.
        self.tables = ReportTables(ask)

    @property
    def verdict(self) -> str:
        """What limits the speed ("launchBound", …), of the first trace."""
        return str(self["reports"][0]["verdict"])

    @property
    def sentences(self) -> list[str]:
        """The report in words, of all traces."""
        return [line["text"] for report in self["reports"] for section in report["sections"] for line in section["lines"]]


class Trace:
    """A loaded trace, or several on one time axis. Made by lacuna.open(); a context manager.

    The trace is held by a lacuna program, which ends with this object. Times are int64 ns, ids those of SQL:
    trace.query(f"SELECT * FROM args WHERE arg_set_id = {n}").
    """

    def __init__(self, paths: Paths, skip_categories: Iterable[str] = ()) -> None:
        self.paths = words_of(paths)
        self._options = [f"--skip-category={name}" for name in skip_categories]
        self._session = Session([*self.paths, *self._options])
        self._session.start()

    def close(self) -> None:
        self._session.close()

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def query(self, sql: str, limit: int = 0, steps: int | None = None) -> Table:
        """Rows of a query in Perfetto's dialect of SQL, as `lacuna query` gives them. Tables and views that it makes stay
        until the trace is closed. limit: at most so many rows (Table.has_more tells); 0: all. steps: of SQLite, after
        which the query is given up (LacunaError); 0: none; as `lacuna query --steps` without it."""
        answer: Table = self._session.ask({"sql": sql, "limit": limit} | ({} if steps is None else {"steps": steps}))
        return answer

    def table(self, name: str) -> Table:
        """One of the tables that `lacuna export` writes: slices, gaps, launches, kernels, operators, steps, streams,
        counters, flows, tracks, threads, processes, args."""
        answer: Table = self._session.ask({"table": name})
        return answer

    @property
    def slices(self) -> Table:
        """Everything with a start and a duration: id, ts, dur, name, category, depth, parent_id, tid, pid, …"""
        return self.table("slices")

    @property
    def gaps(self) -> Table:
        """Idle intervals of GPU streams: ts, dur, stream, cause, what is to blame, what is before and after."""
        return self.table("gaps")

    @property
    def kernels(self) -> Table:
        """Kernels, copies and sets: ts, dur, name, stream, grid, block, occupancy, bytes, launch and operator."""
        return self.table("kernels")

    @property
    def launches(self) -> Table:
        """Runtime calls and the GPU work that they launched."""
        return self.table("launches")

    @property
    def operators(self) -> Table:
        """Calls of operators, with the GPU work that they launched."""
        return self.table("operators")

    @property
    def steps(self) -> Table:
        """Steps of the program."""
        return self.table("steps")

    @property
    def roofline(self) -> Table:
        """Operators by shape: FLOP and bytes of a call, TFLOP/s, GB/s, and what bounds them by the roofline model."""
        return self.table("roofline")

    @property
    def streams(self) -> Table:
        """Streams of GPUs: how busy each was."""
        return self.table("streams")

    @property
    def counters(self) -> Table:
        """Samples of counters: ts, value, name, pid."""
        return self.table("counters")

    @property
    def args(self) -> Table:
        """Args of all events, a row for each value. Large: query() reads only those that are asked for."""
        return self.table("args")

    def stats(self) -> Table:
        """What `lacuna stats` prints: by name, count, total, self, average, …"""
        answer: Table = self._session.ask({"stats": {}})
        return answer

    def report(self) -> Report:
        """What limits the speed and why: the document of `lacuna report --json` as a dict, its lists as Arrow tables
        (report.tables["causes"]), its words (report.verdict, report.sentences)."""
        return Report(self._session.ask({"report": {}}), self._session.ask)

    def torch_table(self, sort_by: str = "", group_by_input_shape: bool = False, group_by_stack_n: int = 0,
                    top_level_events_only: bool = False, include_python_functions: bool = False) -> Table:
        """torch.profiler's key_averages(), to the digit; the keys of `lacuna stats --table torch --json` in snake_case."""
        answer: Table = self._session.ask({"torch": {
            "sort_by": sort_by, "group_by_input_shape": group_by_input_shape, "group_by_stack_n": group_by_stack_n,
            "top_level_events_only": top_level_events_only, "include_python_functions": include_python_functions}})
        return answer

    def picture(self, start_ns: int | None = None, end_ns: int | None = None, *, width: int = 1600, height: int = 700,
                light: bool = False, select: str = "", panel: str = "") -> Picture:
        """A picture of the window, of a range in ns as in `ts`; without one, of all."""
        words = ["screenshot", *self.paths, *self._options, "--size", f"{width}x{height}"]
        if start_ns is not None and end_ns is not None:
            words += ["--from-us", f"{start_ns / 1000:.3f}", "--to-us", f"{end_ns / 1000:.3f}"]
        for option, value in (("--select", select), ("--panel", panel)):
            words += [option, value] if value else []
        with tempfile.TemporaryDirectory(prefix="lacuna-") as folder:
            path = os.path.join(folder, "picture.png")
            run([*words, "-o", path, *(["--light"] if light else [])])
            return Picture(pathlib.Path(path).read_bytes())

    def _repr_png_(self) -> bytes:
        return self.picture().png


def open(paths: Paths, skip_categories: Iterable[str] = ()) -> Trace:  # noqa: A001
    """Loads a trace: whatever `lacuna info` reads. Several files, a folder or a pattern come on one time axis.

    skip_categories: events left out while loading, "python_function" for instance.
    """
    return Trace(paths, skip_categories)
