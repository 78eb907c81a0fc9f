"""A job's traces become digests where they lie (map), and one answer from all of them (reduce)."""
from __future__ import annotations

import concurrent.futures
import functools
import glob
import json
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable
from typing import Any, Optional, Tuple, cast

from ._program import LacunaError, program, word_of
from ._program import run as _run
from .trace import Path, Paths

TRACE_ENDINGS = (".json", ".json.gz", ".json.zst", ".sqlite", ".db", ".rpd", ".xplane.pb")


#: A digest, or why there is none.
Outcome = Tuple[Optional[bytes], Optional[str]]


def _is_url(path: str) -> bool:
    return "://" in path


def _fsspec() -> Any:
    try:
        import fsspec  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise LacunaError("URLs need the fsspec package: pip install fsspec") from error
    return fsspec


def expand(paths: Paths) -> list[str]:
    """The files that paths, folders, patterns and URLs stand for, in order."""
    files: list[str] = []
    for one in [paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths:
        path = os.fsdecode(one)
        if _is_url(path):
            protocol = path.split("://")[0]
            if any(c in path for c in "*?["):
                system, _ = _fsspec().core.url_to_fs(path)
                files += [f"{protocol}://{found}" for found in sorted(system.glob(path))]
            else:
                files.append(path)
        elif os.path.isdir(path):
            inside = sorted(os.path.join(path, name) for name in os.listdir(path))
            traces = [f for f in inside if f.endswith(TRACE_ENDINGS)]
            files += traces or [f for f in inside if f.endswith(".digest")]
        elif not os.path.exists(path) and any(c in path for c in "*?["):
            files += sorted(glob.glob(path))
        else:
            files.append(path)
    if not files:
        raise LacunaError(f"no traces: {paths!r}")
    return files


def digest(path: Path, output: Path | None = None) -> bytes | None:
    """Reduces the trace (or digest) at a path or URL; returns the digest's bytes, or writes it to `output`."""
    path = os.fsdecode(path)
    with tempfile.TemporaryDirectory(prefix="lacuna-") as folder:
        local = path
        if _is_url(path):
            local = os.path.join(folder, path.rstrip("/").rsplit("/", 1)[-1] or "trace.json")
            with _fsspec().open(path, "rb") as source, open(local, "wb") as target:
                shutil.copyfileobj(source, target)
        made = local if local.endswith(".digest") else os.path.join(folder, "one.digest")
        if made != local:
            _run(["digest", word_of(local), "-o", made])
        if output is None:
            return pathlib.Path(made).read_bytes()
        shutil.copyfile(made, output)
        return None


def _map_one(path: str) -> Outcome:
    """What an engine runs for each trace: (digest, None), or (None, why not). A broken trace is no failure of the task:
    it would be tried again for nothing."""
    try:
        return digest(path), None
    except Exception as error:  # whatever a file system raises
        return None, f"{type(error).__name__}: {error}" if not isinstance(error, LacunaError) else str(error)


def _map_local(files: list[str], options: dict[str, Any]) -> list[Outcome]:
    workers = options.pop("workers", None) or os.cpu_count() or 1
    _no_more(options, "local", "workers")
    # Each thread waits for a process of its own: the lacuna program.
    with concurrent.futures.ThreadPoolExecutor(max_workers=workers) as pool:
        return list(pool.map(_map_one, files))


def _with_program(found: str) -> None:
    os.environ.setdefault("LACUNA_BIN", found)


def _map_in_task(found: str, path: str) -> Outcome:
    """As _map_one, in a process that may lack the environment of the caller."""
    if not os.environ.get("LACUNA_BIN") and not shutil.which("lacuna"):
        _with_program(found)
    return _map_one(path)


def _map_ray(files: list[str], options: dict[str, Any]) -> list[Outcome]:
    try:
        import ray  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise LacunaError('engine="ray" needs the ray package: pip install ray') from error
    retries = options.pop("retries", 3)
    _no_more(options, "ray", "retries")
    if not ray.is_initialized():
        ray.init(ignore_reinit_error=True, log_to_driver=False)
    task = ray.remote(num_cpus=1, max_retries=retries)(_ship(_map_in_task))
    found = program()
    outcomes: list[Outcome] = []
    for file, reference in [(file, task.remote(found, file)) for file in files]:
        try:
            outcomes.append(ray.get(reference))
        except ray.exceptions.RayError as error:  # its worker died more often than it may
            outcomes.append((None, f"lost {retries + 1} times: {error}".splitlines()[0]))
    return outcomes


def _map_dask(files: list[str], options: dict[str, Any]) -> list[Outcome]:
    try:
        from dask.distributed import Client, get_client  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise LacunaError('engine="dask" needs dask and distributed: pip install "dask[distributed]"') from error
    client, own = options.pop("client", None), None
    retries = options.pop("retries", 3)
    _no_more(options, "dask", "client, retries")
    if client is None:
        try:
            client = get_client()
        except ValueError:
            client = own = Client()
    try:
        task = functools.partial(_ship(_map_in_task), program())
        futures = client.map(task, files, retries=retries, pure=False)
        outcomes: list[Outcome] = []
        for future in futures:
            try:
                outcomes.append(future.result())
            except Exception as error:  # KilledWorker, or what the scheduler lost
                outcomes.append((None, f"lost: {type(error).__name__}: {error}"))
        return outcomes
    finally:
        if own is not None:
            own.close()


def _ship(function: Callable[[str, str], Outcome]) -> Callable[[str, str], Outcome]:
    """The function by value where cloudpickle can: workers need not have this package installed."""
    try:
        import sys

        from ray import cloudpickle  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        try:
            import cloudpickle  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ImportError:
            return function
    cloudpickle.register_pickle_by_value(sys.modules[__package__])  # _program too
    return function


def _no_more(options: dict[str, Any], engine: str, known: str) -> None:
    if options:
        raise TypeError(f'engine="{engine}" takes {known}; not {", ".join(sorted(options))}')


ENGINES = {"local": _map_local, "ray": _map_ray, "dask": _map_dask}


def job(paths: Paths, engine: str = "local", **options: Any) -> dict[str, Any]:
    """What `lacuna job --json` says of the ranks at `paths`: a path, folder, pattern or URL, or a list of them.

    engine  "local": a pool of processes (workers=N); "ray": the cluster that Ray is connected to, else a local one
            (retries=N); "dask": client=, else the current client, else a local cluster (retries=N).
    Each trace is reduced where the engine runs the task, so paths must be readable there; digests travel (a few percent of
    a trace) and are brought together here. A trace that cannot be read is in the answer's "problems" (kind
    "unreadable"), and the rest is analysed. LacunaError when none can be.
    """
    if engine not in ENGINES:
        raise ValueError(f"engine is one of {', '.join(ENGINES)}, not {engine!r}")
    files = expand(paths)
    outcomes = ENGINES[engine](files, dict(options))
    broken = [(file, why) for file, (_, why) in zip(files, outcomes) if why is not None]
    if len(broken) == len(files):
        raise LacunaError(f"none of {len(files)} traces could be read; the first: {broken[0][1]}")
    with tempfile.TemporaryDirectory(prefix="lacuna-") as folder:
        for n, (made, _) in enumerate(outcomes):
            if made is not None:
                (pathlib.Path(folder) / f"{n}.digest").write_bytes(made)
        answer = cast("dict[str, Any]", json.loads(_run(["job", folder, "--json"])))
    answer["problems"] += [{"kind": "unreadable", "rank": None, "file": file, "text": why} for file, why in broken]
    return answer
