"""What an agent may ask of traces. Each method is a tool: its docstring is what the model reads."""
from __future__ import annotations

import collections
import os
import pathlib
import tempfile
from typing import Any, Callable, Literal

from .. import trace as _trace
from .._program import LacunaError
from .answers import ask, fit, run, short
from .folders import Folders

Grouping = Literal["name", "shape", "module", "stack", "step", "stream", "rank", "family", "class"]
GapsBy = Literal["causes", "operator", "longest"]

_MOST_ROWS = 1000
_MOST_SQL = 100_000
#: Of SQLite: some seconds.
_MOST_STEPS = 500_000_000
_OPEN_TRACES = 2


class Tools:
    """Answers about files below some folders, each at most `characters` long. One call at a time."""

    def __init__(self, folders: Folders, characters: int = 20_000, timeout: float = 300) -> None:
        self._folders = folders
        self._characters = characters
        self._timeout = timeout
        self._open: collections.OrderedDict[str, _trace.Trace] = collections.OrderedDict()

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()

    def reading(self) -> list[Callable[..., Any]]:
        """The tools that change nothing."""
        return [self.open, self.brief, self.report, self.gaps, self.statistics, self.query, self.critical_path,
                self.what_if, self.compare, self.job, self.memory, self.picture]

    def writing(self) -> list[Callable[..., Any]]:
        return [self.cut]

    # --- tools -------------------------------------------------------------------------------------

    def open(self, path: str = ".") -> str:
        """What is at a path: the traces of a folder, or what a trace holds (format, events, time span in ns, GPUs, what
        was repaired). Start here if you do not know the file; else with brief."""
        real = self._folders.there(path)
        if os.path.isdir(real):
            files = [{"path": file, "bytes": os.path.getsize(file)} for file in self._folders.traces(path)]
            folders = sorted(entry.path for entry in os.scandir(real) if entry.is_dir(follow_symlinks=False))
            return self._fit({"folder": real, "traces": files, "folders": folders})
        info = ask(["info", self._folders.trace(path)], self._timeout)
        wanted = ("format", "rank", "worldSize", "gpuModel", "events", "slices", "spanNs", "startNs", "endNs", "categories",
                  "devices", "processes", "report")
        return self._fit({key: info[key] for key in wanted if key in info})

    def brief(self, trace: str, tokens: int = 800) -> str:
        """Why a trace is slow, in a few sentences: the verdict and how sure it is, what to change with what that gains,
        and the places to look at with their exact ranges in ns. Ask this first."""
        tokens = _within("tokens", tokens, 50, 20_000)
        return self._ask(["report", "--brief", "--tokens", str(tokens), self._folders.trace(trace)])

    def report(self, trace: str, section: str = "") -> str:
        """The whole report: time, steps, GPUs and the causes of their idle time, kernels, operators, memory, advice. Long:
        without a section it lists the sections with their sentences; with one (its title) that alone."""
        reports = []
        for report in ask(["report", self._folders.trace(trace)], self._timeout)["reports"]:
            sections = {part["title"]: [line["text"] for line in part["lines"]] for part in report["sections"]}
            if section:
                if section not in sections:
                    raise LacunaError(f"there is no section {section!r}; there are {', '.join(sections)}")
                sections = {section: sections[section]}
            reports.append({key: report[key] for key in ("path", "rank", "verdict") if key in report} | {"sections": sections})
        return self._fit({"reports": reports})

    def gaps(self, trace: str, by: GapsBy = "causes", limit: int = 10) -> str:
        """Why the GPU is idle: its idle time by cause, by the operator that the CPU was in, or the longest gaps one by one
        (per stream, with ids for query)."""
        limit = _within("limit", limit, 1, _MOST_ROWS)
        how = {"causes": ["--causes"], "operator": ["--by-operator"], "longest": ["--limit", str(limit)]}
        if by not in how:
            raise LacunaError("gaps are shown by causes, operator or longest")
        return self._ask(["gaps", *how[by], self._folders.trace(trace)], limit)

    def statistics(self, trace: str, group_by: Grouping = "name", sort_by: str = "total", start_ns: int | None = None,
                   end_ns: int | None = None, steps: str = "", limit: int = 20) -> str:
        """Count, total, self time and more of all slices, by name, module, kernel class, stream …; of all of a trace, of a
        range in ns, or of steps ("3..5")."""
        words = ["stats", f"--group-by={group_by}", f"--sort-by={sort_by}", *_range(start_ns, end_ns)]
        if steps:
            words.append(f"--steps={steps}")
        limit = _within("limit", limit, 1, _MOST_ROWS)
        return self._ask([*words, "--limit", str(limit), self._folders.trace(trace)])

    def query(self, trace: str, sql: str, limit: int = 50) -> str:
        """Rows of SQL over a trace, read-only. Perfetto's tables (slice: id, ts, dur, name, category, depth, parent_id,
        track_id; thread, process, counter, args …) and Lacuna's: gap (ts, dur, stream, cause, blamed …), gpu_kernel, launch,
        operator, step, stream. Times are ns. PRAGMA-free; "SELECT name FROM perfetto_tables" lists tables."""
        limit = _within("limit", limit, 1, _MOST_ROWS)
        if len(sql) > _MOST_SQL:
            raise LacunaError(f"the query is longer than {_MOST_SQL} characters")
        try:
            table = self._session(self._folders.trace(trace)).query(sql, limit=limit, steps=_MOST_STEPS)
        except UnicodeEncodeError as error:
            raise LacunaError("the query is no text") from error
        rows = [[short(value) for value in row.values()] for row in table.to_pylist()]
        return self._fit({"columns": table.columns, "rows": rows, "hasMore": table.has_more})

    def critical_path(self, trace: str, steps: str = "", limit: int = 20) -> str:
        """What the time of a trace, or of steps ("3..5"), was spent on one after the other: the chain of work without which
        it would have been shorter, added up by name."""
        limit = _within("limit", limit, 1, _MOST_ROWS)
        path = ask(["critical-path", *([f"--steps={steps}"] if steps else []), self._folders.trace(trace)], self._timeout)
        totals: dict[tuple[str, str], list[Any]] = {}
        for part in path["parts"]:
            total = totals.setdefault((part["name"], part["category"]), [0, 0, part])
            total[0] += part["durationNs"]
            total[1] += 1
            if part["durationNs"] > total[2]["durationNs"]:
                total[2] = part
        rows = [{"name": short(name), "category": category, "totalNs": total, "parts": count,
                 "longest": {"startNs": longest["startNs"], "durationNs": longest["durationNs"], "lane": longest["lane"]}}
                for (name, category), (total, count, longest) in sorted(totals.items(), key=lambda one: -one[1][0])]
        return self._fit({"startNs": path["startNs"], "endNs": path["endNs"], "wallNs": path["wallNs"],
                          "byName": rows[:limit], "names": len(rows)})

    def what_if(self, trace: str, without_causes: list[str] | None = None, without_gaps_of: list[str] | None = None,
                scale: dict[str, float] | None = None, overlap_communication: bool = False) -> str:
        """What a change would gain, by replaying the trace with it: without a cause of gaps (sync, data_loading,
        launch_bound …), without the gaps that an operator is to blame for, with kernels or operators that take so many times
        as long ({"gemm": 0.5}). Without a change: what would gain most."""
        words = ["what-if"]
        words += [f"--no-cause={cause}" for cause in without_causes or []]
        words += [f"--no-gap={name}" for name in without_gaps_of or []]
        words += [f"--scale={name}={factor}" for name, factor in (scale or {}).items()]
        words += ["--overlap", "comm"] if overlap_communication else []
        return self._ask([*words, self._folders.trace(trace)])

    def compare(self, before: str, after: str, fail_on: list[str] | None = None, limit: int = 15) -> str:
        """Whether `after` is slower or faster than `before`, how sure that is, and what changed: each a trace, or a folder
        of runs. fail_on: limits like "step>3%", "class:gemm>5%", "cause:data_loading>1ms"."""
        limit = _within("limit", limit, 1, _MOST_ROWS)
        sides = [word for path in self._folders.traces(before) for word in ("--baseline", path)]
        runs = self._folders.traces(after)
        if not sides or not runs:
            raise LacunaError("there is no trace to compare")
        limits = [f"--fail-on={text}" for text in fail_on or []]
        return self._ask(["check", *limits, *sides, *runs], limit)

    def job(self, folder: str, limit: int = 20) -> str:
        """The ranks of a distributed job, a trace each: who comes late to collectives, what that costs the others, why."""
        limit = _within("limit", limit, 1, _MOST_ROWS)
        job = ask(["job", *self._some_traces(folder)], self._timeout)
        job.pop("cells", None)
        job["collectives"] = sorted(job["collectives"], key=lambda one: -max(one["waitNs"].values(), default=0))
        return self._fit(job, limit)

    def memory(self, path: str, limit: int = 15) -> str:
        """Who holds GPU memory at its peak, and why it ran out: of an allocator snapshot (.pickle), a trace with memory
        events, or an exported memory timeline."""
        limit = _within("limit", limit, 1, _MOST_ROWS)
        return self._ask(["memory", "--limit", str(limit), self._folders.trace(path)], limit)

    def picture(self, trace: str, start_ns: int | None = None, end_ns: int | None = None, select: str = "") -> bytes:
        """A picture (PNG) of the timeline, of all of it or of a range in ns; select: a name whose longest slice is marked."""
        words = _range(start_ns, end_ns)
        if len(words) == 1:
            raise LacunaError("a range has start_ns and end_ns")
        words += [f"--select={select}"] if select else []
        with tempfile.TemporaryDirectory(prefix="lacuna-") as folder:
            file = pathlib.Path(folder) / "picture.png"
            run(["screenshot", "--size", "1280x720", *words, "-o", str(file), self._folders.trace(trace)], self._timeout)
            if not file.exists():
                raise LacunaError("no picture was made")
            return file.read_bytes()

    def cut(self, trace: str, output: str, start_ns: int | None = None, end_ns: int | None = None, steps: str = "") -> str:
        """Writes a small trace of a range in ns, or of steps ("3..5"), to a new file (.json.gz) in the folders that may be
        read."""
        words = [*_range(start_ns, end_ns), *([f"--steps={steps}"] if steps else [])]
        if not words:
            raise LacunaError("name a range or steps")
        target = self._folders.new_trace(output)
        return self._ask(["cut", *words, "-o", target, self._folders.trace(trace)])

    def record(self, command: list[str], output: str, seconds: float = 60) -> str:
        """Runs a command and records it: GPU work, operators, Python stacks. It is ended after so many seconds. The trace
        is written to a new file (.json.gz)."""
        if not command:
            raise LacunaError("name the command to record")
        if not 0 < seconds <= 3600:
            raise LacunaError("seconds are above 0 and at most 3600")
        target = self._folders.new_trace(output)
        said = run(["record", "--no-status", "-o", target, "--duration", f"{seconds:g}s", "--cwd", self._folders.roots[0],
                    "--", *command], seconds + self._timeout)
        if not os.path.exists(target):
            raise LacunaError("nothing was recorded: " + said[-1000:])
        return self._fit({"trace": target, "said": said[-4000:]})

    # --- helpers -----------------------------------------------------------------------------------

    def _session(self, path: str) -> _trace.Trace:
        """Loaded traces; the one that was not asked for the longest time goes."""
        if path in self._open:
            self._open.move_to_end(path)
        else:
            self._open[path] = _trace.Trace(path)
            while len(self._open) > _OPEN_TRACES:
                self._open.popitem(last=False)[1].close()
        return self._open[path]

    def _some_traces(self, path: str) -> list[str]:
        files = self._folders.traces(path)
        if not files:
            raise LacunaError(f"{path[:200]}: there are no traces in it")
        return files

    def _ask(self, words: list[str], limit: int = 0) -> str:
        return self._fit(ask(words, self._timeout), limit)

    def _fit(self, document: Any, limit: int = 0) -> str:
        if limit and isinstance(document, dict):
            for key, value in document.items():
                if isinstance(value, list) and len(value) > limit:
                    document[key] = value[:limit]
        return fit(document, self._characters)


def _within(name: str, value: int, least: int, most: int) -> int:
    if not least <= value <= most:
        raise LacunaError(f"{name} is from {least} to {most}")
    return value


def _range(start_ns: int | None, end_ns: int | None) -> list[str]:
    """--from-us and --to-us take microseconds with three decimals. "=" keeps a minus from being an option."""
    words = []
    for option, value in (("--from-us", start_ns), ("--to-us", end_ns)):
        if value is not None:
            if abs(value) >= 1 << 63:
                raise LacunaError("a time in ns has 64 bits")
            sign = "-" if value < 0 else ""
            words.append(f"{option}={sign}{abs(value) // 1000}.{abs(value) % 1000:03}")
    return words
