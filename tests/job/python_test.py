#!/usr/bin/env python3
"""lacuna.job() of app/python: the same answer from a local pool, from Dask and from Ray as from the program, broken traces
told, and a worker killed meanwhile. Engines that are not installed are skipped; with none, the local pool is tested.
$LACUNA_PYTHON_ENGINES names a Python that has them."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"])
OTHER = os.environ.get("LACUNA_PYTHON_ENGINES")
if OTHER and not os.environ.get("LACUNA_IN_OTHER_PYTHON"):
    sys.exit(subprocess.run([OTHER, "-B", *sys.argv], env={**os.environ, "LACUNA_IN_OTHER_PYTHON": "1"}).returncode)

sys.path.insert(0, str(SOURCE / "app/python"))
os.environ["PYTHONPATH"] = str(SOURCE / "app/python")
import lacuna  # noqa: E402


def write_traces(folder, ranks):
    args = {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 10, "Group size": ranks, "device": 0,
            "Process Group Name": "0", "Process Group Ranks": str(list(range(ranks))), "stream": 20}
    for rank in range(ranks):
        events = [{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 20, "ts": 1000 * n + 7 * rank,
                   "dur": 500 - 7 * rank, "args": args} for n in range(20)]
        (folder / f"rank{rank}.json").write_text(
            json.dumps({"distributedInfo": {"rank": rank, "world_size": ranks}, "traceEvents": events}))


def check(answer, ranks, broken=()):
    assert answer["ranks"] == [r for r in range(ranks) if r not in broken], answer["ranks"]
    last = max(answer["ranks"])
    for rank in answer["ranks"]:
        assert answer["waitedNs"][str(rank)] == 20 * 7000 * (last - rank), rank
    told = [p for p in answer["problems"] if p["kind"] == "unreadable"]
    assert [pathlib.Path(p["file"]).name for p in told] == [f"rank{r}.json" for r in broken], answer["problems"]


def slow_program(folder):
    """A lacuna that takes its time, so that a worker can be killed while it works, and notes who called it."""
    script = folder / "slow-lacuna"
    script.write_text(f"#!/bin/sh\n[ \"$1\" = digest ] && echo $PPID >> {folder}/callers && sleep 0.7\n"
                      f"exec {os.environ['LACUNA_BIN']} \"$@\"\n")
    script.chmod(0o755)
    return str(script)


def kill_one(folder, own):
    """Kills the first worker that is seen at work; it is of this test's own cluster."""
    callers = folder / "callers"
    for _ in range(600):
        if callers.exists():
            for line in callers.read_text().split():
                if int(line) != own:
                    os.kill(int(line), signal.SIGKILL)
                    (folder / "killed").write_text(line)
                    return
        time.sleep(0.05)


def check_engine(engine, traces, folder, **options):
    check(lacuna.job(traces, engine=engine, **options), 6, broken=(3,))
    callers = folder / "callers"
    if callers.exists():
        callers.unlink()
    killer = threading.Thread(target=kill_one, args=(folder, os.getpid()))
    killer.start()
    check(lacuna.job(traces, engine=engine, **options), 6, broken=(3,))
    killer.join()
    assert (folder / "killed").exists(), "no worker was killed"
    (folder / "killed").unlink()


def main():
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as other:
        traces, folder = pathlib.Path(name), pathlib.Path(other)
        write_traces(traces, 6)
        check(lacuna.job(traces), 6)
        (traces / "rank3.json").write_text("{\"traceEvents\": [")
        check(lacuna.job(str(traces / "*.json"), workers=2), 6, broken=(3,))
        made = lacuna.digest(traces / "rank1.json")
        assert made[:6] == b"ARROW1"
        for wrong in (lambda: lacuna.job(traces / "rank3.json"), lambda: lacuna.job(folder)):
            try:
                wrong()
            except lacuna.LacunaError:
                continue
            raise AssertionError("no error")
        os.environ["LACUNA_BIN"], real = slow_program(folder), os.environ["LACUNA_BIN"]
        tested = ["local"]
        try:
            import dask.distributed
        except ImportError:
            print("skipped: dask.distributed is not installed")
        else:
            with dask.distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                                               local_directory=str(folder)) as cluster, \
                    dask.distributed.Client(cluster) as client:
                check_engine("dask", traces, folder, client=client)
            tested.append("dask")
        try:
            import ray
        except ImportError:
            print("skipped: ray is not installed")
        else:
            os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False,
                     object_store_memory=100 << 20)
            check_engine("ray", traces, folder)
            ray.shutdown()
            tested.append("ray")
        try:
            import fsspec
        except ImportError:
            print("skipped: fsspec is not installed")
        else:
            memory = fsspec.filesystem("memory")
            for path in traces.glob("*.json"):
                memory.pipe(f"/job/{path.name}", path.read_bytes())
            os.environ["LACUNA_BIN"] = real
            check(lacuna.job("memory://job/*.json"), 6, broken=(3,))
            tested.append("memory://")
        print("tested:", ", ".join(tested))
    return 0


if __name__ == "__main__":
    sys.exit(main())
