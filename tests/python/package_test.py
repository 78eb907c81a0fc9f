#!/usr/bin/env python3
"""The Python package: tables, queries, reports, recordings, files. Whatever of pyarrow, nanoarrow, polars, pandas and
DuckDB is installed must read them and agree with `lacuna stats`; $LACUNA_PYTHON_ENGINES names a Python that has them.
Runs under pytest where it is installed."""
import gzip
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"])
OTHER = os.environ.get("LACUNA_PYTHON_ENGINES")
if __name__ == "__main__" and OTHER and not os.environ.get("LACUNA_IN_OTHER_PYTHON"):
    sys.exit(subprocess.run([OTHER, "-B", *sys.argv], env={**os.environ, "LACUNA_IN_OTHER_PYTHON": "1"}).returncode)

if not os.environ.get("LACUNA_INSTALLED"):  # set: the installed package is tested
    sys.path.insert(0, str(SOURCE / "app/python"))
import lacuna  # noqa: E402

sys.path.insert(0, str(SOURCE / "tests/support"))
from waiting import wait_until  # noqa: E402

DEMO = SOURCE / "assets/demo.trace.json.gz"
EVENTS = [
    {"ph": "M", "name": "process_name", "pid": 10, "tid": 0, "args": {"name": "python"}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 10, "tid": 11, "ts": 100.25, "dur": 50, "args": {"External id": 1}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 10, "tid": 11, "ts": 110, "dur": 5,
     "args": {"correlation": 7}},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 130, "dur": 20,
     "args": {"device": 0, "stream": 7, "correlation": 7, "grid": [4, 2, 1]}},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 160, "dur": 10,
     "args": {"device": 0, "stream": 7, "correlation": 8}},
    {"ph": "C", "name": "mem", "pid": 10, "tid": 11, "ts": 120, "args": {"bytes": 5}},
]


def has(module):
    return importlib.util.find_spec(module) is not None


if has("pytest"):
    import pytest

    Skipped = pytest.skip.Exception
else:
    class Skipped(Exception):
        pass


def needs(*modules):
    for module in modules:
        if not has(module):
            raise Skipped(f"no {module}")


def needs_reader():
    if not has("pyarrow"):
        needs("nanoarrow")


def small(folder, name="small.json", rank=None):
    path = pathlib.Path(folder) / name
    document = {"traceEvents": EVENTS}
    if rank is not None:
        document["distributedInfo"] = {"rank": rank, "world_size": 2}
    path.write_text(json.dumps(document))
    return path


def stats(path):
    """By name and category: count and total ns, as the program says."""
    done = subprocess.run([os.environ["LACUNA_BIN"], "stats", str(path), "--json"], capture_output=True, text=True, check=True)
    return {(row["name"], row["category"]): (row["count"], row["totalNs"]) for row in json.loads(done.stdout)["rows"]}


def error_of(call):
    try:
        call()
    except lacuna.LacunaError as error:
        return str(error)
    raise AssertionError("no LacunaError")


def test_tables_have_the_rows_of_the_trace(tmp_path):
    needs_reader()
    with lacuna.open(small(tmp_path)) as trace:
        rows = trace.slices.to_pylist()
        assert [(r["id"], r["ts"], r["dur"], r["name"], r["tid"], r["pid"]) for r in rows] == [
            (0, 100250, 50000, "aten::mm", 11, 10), (1, 110000, 5000, "cudaLaunchKernel", 11, 10),
            (2, 130000, 20000, "gemm", 7, 0), (3, 160000, 10000, "gemm", 7, 0)]
        assert len(trace.slices) == 4 and "dur" in trace.slices.columns
        gap, = trace.gaps.to_pylist()
        assert (gap["ts"], gap["dur"], gap["before_id"], gap["after_id"]) == (150000, 10000, 2, 3)
        assert [k["grid_y"] for k in trace.kernels.to_pylist()] == [2, None]
        assert [(c["name"], c["value"]) for c in trace.counters.to_pylist()] == [("mem bytes", 5.0)]
        assert [r["operator"] for r in trace.query("SELECT operator FROM gpu_kernel").to_pylist()] == ["aten::mm", None]
        assert {a["key"] for a in trace.args.to_pylist()} >= {"args.External id", "args.grid[1]"}


def test_units_are_in_the_schema(tmp_path):
    needs("pyarrow")
    with lacuna.open(small(tmp_path)) as trace:
        for table in (trace.slices, trace.query("SELECT ts, dur, name FROM slice")):
            schema = table.to_pyarrow().schema
            assert str(schema.field("ts").type) == "int64" and schema.field("ts").metadata[b"unit"] == b"ns"
            assert b"unit" not in (schema.field("name").metadata or {})
        assert b"ns" in trace.slices.to_pyarrow().schema.field("dur").metadata[b"description"]


def test_queries_reports_and_the_table_of_torch():
    with lacuna.open(DEMO) as trace:
        report = trace.report()
        assert report == json.loads(subprocess.run([os.environ["LACUNA_BIN"], "report", str(DEMO), "--json"],
                                                   capture_output=True, text=True, check=True).stdout)
        assert report.verdict == report["reports"][0]["verdict"] and len(report.sentences) > 3
        assert set(report.tables) == set(lacuna.trace.ReportTables.NAMES)
        advice = [a["text"] for r in report["reports"] for a in r["advice"]]
        assert len(report.tables["advice"]) == len(advice) and len(report.tables["summary"]) == len(report["reports"])
        if has("pyarrow") or has("nanoarrow"):
            causes = [c["lostNs"] for r in report["reports"] for d in r["devices"] for c in d["causes"]]
            assert [row["lost_ns"] for row in report.tables["causes"].to_pylist()] == causes and causes
            assert [row["text"] for row in report.tables["sentences"].to_pylist()] == report.sentences
            summary, = report.tables["summary"].to_pylist()
            assert summary["time_busy_ns" if "time_busy_ns" in summary else "time_wall_ns"] > 0
            assert summary["verdict"] == report.verdict
        try:
            report.tables["kernels"]
        except KeyError:
            pass
        else:
            raise AssertionError("a report has no table kernels")
        limited = trace.query("SELECT * FROM slice", limit=3)
        assert len(limited) == 3 and limited.has_more
        assert not trace.query("SELECT 1").has_more
        torch = trace.torch_table(sort_by="self_cuda_time_total")
        assert len(torch) > 3
        if has("pyarrow") or has("nanoarrow"):
            assert {"name", "count", "self_cpu_ns", "cpu_total_ns"} <= set(torch.columns)
            times = [row["self_device_ns"] for row in torch.to_pylist()]
            assert times == sorted(times, reverse=True)
        trace.query("CREATE VIEW mine AS SELECT 5 AS five")
        assert len(trace.query("SELECT * FROM mine")) == 1  # it stays


def test_errors_name_what_is_wrong(tmp_path):
    with lacuna.open(small(tmp_path)) as trace:
        assert "no such column: nme" in error_of(lambda: trace.query("SELECT nme FROM slice"))
        assert "no table kernel" in error_of(lambda: trace.table("kernel"))
        assert "torch's table is not sorted by x" in error_of(lambda: trace.torch_table(sort_by="x"))
        assert len(trace.query("SELECT 1")) == 1  # it goes on
    turned = subprocess.run([os.environ["LACUNA_BIN"], "query", "SELECT 1", str(DEMO)], capture_output=True, text=True)
    assert turned.returncode == 1 and "a file where the SQL stands" in turned.stderr, turned.stderr
    missing = tmp_path / "missing.json"
    assert "missing.json" in error_of(lambda: lacuna.open(missing))
    (tmp_path / "broken.json").write_text("neither JSON")
    assert "broken.json" in error_of(lambda: lacuna.open(tmp_path / "broken.json"))


def test_paths_are_paths_whatever_they_look_like(tmp_path):
    for name in ("--help", "-o", "a b\udcff.json"):
        small(tmp_path, name)
        before = os.getcwd()
        os.chdir(tmp_path)
        try:
            for path in (name, os.fsencode(name), [pathlib.Path(name)]):
                with lacuna.open(path) as trace:
                    assert trace.slices.num_rows == 4, path
                    assert (trace.steps.num_rows, trace.streams.num_rows) == (0, 1)
        finally:
            os.chdir(before)
    for nothing, error in (([], ValueError), (None, TypeError), (3, TypeError)):
        try:
            lacuna.open(nothing)
        except error:
            continue
        raise AssertionError(f"open({nothing}) is no {error}")
    with lacuna.open(DEMO) as trace:
        try:
            trace.query("SELECT '\ud800'")
        except UnicodeEncodeError:
            pass
        assert trace.query("SELECT 1").num_rows == 1


def test_a_program_that_died_is_started_again(tmp_path):
    with lacuna.open(small(tmp_path)) as trace:
        trace._session._process.kill()
        trace._session._process.wait()
        assert len(trace.query("SELECT 1")) == 1


def test_readers_agree_with_stats():
    wanted = stats(DEMO)
    sql = "SELECT name, category, COUNT(*) AS count, SUM(dur) AS total FROM slices GROUP BY name, category"
    with lacuna.open(DEMO) as trace:
        slices = trace.slices
        checked = 0
        if has("duckdb") and has("pyarrow"):
            import duckdb

            con = duckdb.connect()
            con.register("slices", slices.to_pyarrow())
            assert {(n, c): (k, int(t)) for n, c, k, t in con.execute(sql).fetchall() if (n, c) in wanted} == wanted
            checked += 1
        if has("polars"):
            import polars

            for frame in (polars.DataFrame(slices), slices.to_polars()):
                got = frame.group_by("name", "category").agg(polars.len().alias("count"), polars.col("dur").sum())
                assert {(r["name"], r["category"]): (r["count"], r["dur"]) for r in got.to_dicts()
                        if (r["name"], r["category"]) in wanted} == wanted
            checked += 1
        if has("pandas") and has("pyarrow"):
            got = slices.to_pandas().groupby(["name", "category"])["dur"].agg(["count", "sum"])
            assert {key: (int(row["count"]), int(row["sum"])) for key, row in got.iterrows() if key in wanted} == wanted
            checked += 1
        if has("pyarrow"):
            import pyarrow

            assert pyarrow.table(slices).num_rows == len(slices)
            checked += 1
        if has("nanoarrow"):
            import nanoarrow

            assert nanoarrow.ArrayStream(slices).read_all().__len__() == len(slices)
            checked += 1
        totals = {(r["name"], r["category"]): (r["count"], r["total_ns"]) for r in trace.stats().to_pylist()} if checked else wanted
        assert totals == wanted
    if not checked:
        raise Skipped("no pyarrow, nanoarrow, polars, pandas or DuckDB")


def export(*words, expect=0):
    done = subprocess.run([os.environ["LACUNA_BIN"], "export", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == expect, (words, done.returncode, done.stderr)
    return done


def test_the_program_writes_arrow_files(tmp_path):
    trace, folder = small(tmp_path), tmp_path / "tables"
    files = json.loads(export(trace, "--arrow", folder, "--json").stdout)["files"]
    rows = {one["table"]: one["rows"] for one in files}
    assert rows["slices"] == 4 and rows["gaps"] == 1 and rows["launches"] == 1 and rows["counters"] == 1, rows
    assert all(one["rank"] is None and pathlib.Path(one["path"]).read_bytes().startswith(b"ARROW1") for one in files)
    export(trace, "--arrow", folder, "--tables", "gaps,slices")  # its own files it replaces
    (folder / "gaps.arrow").write_text("somebody's")
    refused = export(trace, "--arrow", folder, expect=1).stderr
    assert "gaps.arrow" in refused and "--force" in refused, refused
    assert (folder / "gaps.arrow").read_text() == "somebody's"
    export(trace, "--arrow", folder, "--force")
    assert "no table 'gap'" in export(trace, "--arrow", folder, "--tables", "gap", expect=2).stderr
    if has("pyarrow"):
        import pyarrow.feather

        assert pyarrow.feather.read_table(folder / "slices.arrow").column("dur").to_pylist() == [50000, 5000, 20000, 10000]
    if has("polars"):
        import polars

        assert polars.read_ipc(folder / "gaps.arrow")["dur"].to_list() == [10000]


def test_ranks_have_folders(tmp_path):
    ranks = tmp_path / "ranks"
    ranks.mkdir()
    small(ranks, "a.json", rank=3)
    small(ranks, "b.json", rank=1)
    (ranks / "notes.json").write_text('{"a": 1}')
    done = export(ranks, "--arrow", tmp_path / "out", "--tables", "slices", "--json")
    files = json.loads(done.stdout)["files"]
    assert sorted((one["rank"], one["rows"]) for one in files) == [(1, 4), (3, 4)], files
    assert (tmp_path / "out/rank=3/slices.arrow").exists()
    if has("pyarrow"):
        import pyarrow.dataset

        data = pyarrow.dataset.dataset(tmp_path / "out", format="ipc", partitioning="hive").to_table()
        assert sorted(set(data.column("rank").to_pylist())) == [1, 3] and data.num_rows == 8
    small(ranks, "c.json", rank=3)
    again = export(ranks, "--arrow", tmp_path / "out2", "--tables", "slices", "--json")
    assert "another trace has its rank" in again.stderr and len(json.loads(again.stdout)["files"]) == 3


def test_ranks_in_one_go_agree_with_stats(tmp_path):
    """All tables of several ranks, as a hive partition, in Arrow files and in Parquet."""
    needs("pyarrow")
    import pyarrow.dataset

    ranks = tmp_path / "ranks"
    ranks.mkdir()
    for rank in (0, 5):
        document = {"traceEvents": [dict(event) for event in EVENTS], "distributedInfo": {"rank": rank, "world_size": 6}}
        for event in document["traceEvents"]:
            if event["ph"] == "X":
                event["dur"] += rank  # no two ranks are alike
        (ranks / f"r{rank}.json").write_text(json.dumps(document))
    wanted = {(rank, *key): value for rank in (0, 5) for key, value in stats(ranks / f"r{rank}.json").items()}
    export(ranks, "--arrow", tmp_path / "arrow")
    # Each table by itself: a folder of several kinds of tables is no data set.
    for name, least in (("slices", 8), ("gaps", 2), ("launches", 2), ("counters", 2), ("args", 2 * 6)):
        files = [str(path) for path in sorted((tmp_path / "arrow").glob(f"rank=*/{name}.arrow"))]
        data = pyarrow.dataset.dataset(files, format="ipc", partitioning="hive", partition_base_dir=str(tmp_path / "arrow"))
        table = data.to_table()
        assert table.num_rows >= least and set(table.column("rank").to_pylist()) == {0, 5}, (name, table.num_rows)
    paths = lacuna.export(ranks, tmp_path / "parquet", format="parquet")
    assert {pathlib.Path(path).parent.name for path in paths} == {"rank=0", "rank=5"}
    pattern = str(tmp_path / "parquet/rank=*/slices.parquet")
    if has("duckdb"):
        import duckdb

        rows = duckdb.connect().execute(f"SELECT rank, name, category, COUNT(*), SUM(dur) FROM read_parquet('{pattern}', "
                                        "hive_partitioning = true) GROUP BY ALL").fetchall()
        assert {(int(r), n, c): (k, int(t)) for r, n, c, k, t in rows} == wanted
    if has("polars"):
        import polars

        frame = polars.scan_parquet(pattern, hive_partitioning=True).group_by("rank", "name", "category").agg(
            polars.len().alias("count"), polars.col("dur").sum()).collect()
        assert {(r["rank"], r["name"], r["category"]): (r["count"], r["dur"]) for r in frame.to_dicts()} == wanted
    if has("pandas"):
        import pandas

        frame = pandas.concat(pandas.read_parquet(tmp_path / f"parquet/rank={rank}/slices.parquet").assign(rank=rank)
                              for rank in (0, 5))
        got = frame.groupby(["rank", "name", "category"])["dur"].agg(["count", "sum"])
        assert {key: (int(row["count"]), int(row["sum"])) for key, row in got.iterrows()} == wanted
    # gemm ends at 150 us (155 of rank 5), the next begins at 160.
    for name in ("arrow", "parquet"):
        files = sorted((tmp_path / name).glob(f"rank=*/gaps.{name}"))
        gaps = pyarrow.dataset.dataset([str(path) for path in files], format="ipc" if name == "arrow" else name,
                                       partitioning="hive", partition_base_dir=str(tmp_path / name)).to_table()
        assert sorted(zip(gaps.column("rank").to_pylist(), gaps.column("dur").to_pylist())) == [(0, 10000), (5, 5000)]


def test_parquet(tmp_path):
    needs("pyarrow")
    import pyarrow.parquet

    trace, folder = small(tmp_path), tmp_path / "tables"
    done = subprocess.run([sys.executable, "-m", "lacuna", "export", str(trace), "--parquet", str(folder), "--tables",
                           "slices,gaps"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    table = pyarrow.parquet.read_table(folder / "slices.parquet")
    assert table.schema.field("dur").metadata[b"unit"] == b"ns" and table.column("dur").to_pylist()[0] == 50000
    lacuna.export(trace, folder, format="parquet", tables=["gaps"])  # its own it replaces
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), folder / "gaps.parquet")
    assert "not written by lacuna" in error_of(lambda: lacuna.export(trace, folder, format="parquet", tables=["gaps"]))
    if has("duckdb"):
        import duckdb

        assert duckdb.connect().execute(f"SELECT SUM(dur) FROM '{folder}/slices.parquet'").fetchall() == [(85000,)]


def test_recording_a_command(tmp_path):
    with lacuna.record(tmp_path / "command.json.gz", [sys.executable, "-c", "print(sum(range(10**5)))"]) as recording:
        pass
    assert recording.returncode == 0
    assert json.loads(gzip.decompress((tmp_path / "command.json.gz").read_bytes()))["traceEvents"]


def test_recording_this_process(tmp_path):
    before = dict(os.environ)
    with lacuna.record(tmp_path / "self.json.gz") as recording:
        with recording.range("outer range"), recording.range("inner range"):
            time.sleep(0.01)
    assert dict(os.environ) == before
    assert recording.returncode == 0
    events = json.loads(gzip.decompress((tmp_path / "self.json.gz").read_bytes()))["traceEvents"]
    ranges = {e["name"]: e for e in events if e.get("ph") == "X" and e["name"].endswith(" range")}
    assert set(ranges) == {"outer range", "inner range"}, sorted({e["name"] for e in events})
    assert ranges["inner range"]["dur"] >= 10_000 and ranges["inner range"]["pid"] == os.getpid()
    assert "recorded already" in error_of(lambda: lacuna.record(tmp_path / "b.json").__enter__())


def test_a_picture_for_notebooks():
    with lacuna.open(DEMO) as trace:
        try:
            picture = trace.picture(width=640, height=480)
        except lacuna.LacunaError as error:
            if "without graphics" in str(error):
                raise Skipped("no window in this build") from None
            raise
    assert picture._repr_png_().startswith(b"\x89PNG")

    class Shell:
        def register_magic_function(self, function, kind, name):
            self.magic = function
            assert (kind, name) == ("line_cell", "lacuna")

    shell = Shell()
    lacuna.load_ipython_extension(shell)
    assert shell.magic(str(DEMO)).png.startswith(b"\x89PNG")
    rows = shell.magic(str(DEMO), "SELECT COUNT(*) AS n FROM slice")
    assert len(rows) == 1


def test_the_window_in_a_notebook(tmp_path):
    import urllib.request

    try:
        window = lacuna.show(DEMO, height=500)
    except lacuna.LacunaError as error:
        raise Skipped(str(error)) from None
    if isinstance(window, lacuna.Picture):
        raise Skipped("this lacuna has no window")
    cell = window._repr_html_()
    assert f'src="{window.url}"' in cell and 'height="500"' in cell
    with urllib.request.urlopen(window.url) as page:
        assert b"<canvas" in page.read()
    process = window._process
    window.close()
    assert process.poll() == 0
    window.close()  # twice is no error
    proxied = lacuna.show(DEMO, proxy=True)
    assert 'src="/proxy/87' in proxied._repr_html_()
    words = pathlib.Path(f"/proc/{proxied._process.pid}/cmdline").read_bytes().split(b"\0")
    assert words.index(b"*") == words.index(b"--allow-origin") + 1
    request = urllib.request.Request(proxied.url, headers={"Host": "hub.example.org", "Origin": "https://hub.example.org"})
    with urllib.request.urlopen(request) as page:
        assert page.status == 200
    proxied.close()
    # What cannot be read is shown as an error there, too; what is no window falls back to a picture or says why.
    try:
        lacuna.show(tmp_path / "missing.json")
        raise AssertionError("no file, and no error")
    except lacuna.LacunaError as error:
        assert "missing.json" in str(error)


def test_which_pages_come_from_jupyter():
    from unittest import mock

    is_behind = sys.modules["lacuna.show"]._is_behind_jupyter
    for environment, expected in (({}, False), ({"JPY_SESSION_NAME": "n.ipynb"}, True), ({"JUPYTERHUB_SERVICE_PREFIX": "/u/"}, True),
                                  ({"JPY_SESSION_NAME": "n.ipynb", "VSCODE_PID": "1"}, False)):
        with mock.patch.dict(os.environ, environment, clear=True):
            assert is_behind() == expected, environment


def test_a_recording_is_shown_while_it_is_made(tmp_path):
    state_file = tmp_path / "state.json"
    os.environ["LACUNA_TEST_STATE"] = str(state_file)

    def live():
        try:
            state = json.loads(state_file.read_text())
            return state["hasTrace"] and state["live"]["running"] and state["live"]
        except (OSError, ValueError):
            return None

    spins = "import time\nwhile True: time.sleep(0.01)"
    try:
        with lacuna.record(tmp_path / "live.json.gz", [sys.executable, "-c", spins]) as recording:
            try:
                window = lacuna.show(recording)
                assert isinstance(window, lacuna.Window) and recording.returncode is None
                assert not wait_until(live, "what is recorded")["own"]
                window.close()
                assert recording.returncode is None  # it goes on without the window
            except lacuna.LacunaError as error:
                if "built without a window" not in str(error):
                    raise
                raise Skipped(str(error)) from None
            finally:
                recording._process.send_signal(signal.SIGINT)
    finally:
        del os.environ["LACUNA_TEST_STATE"]
    over = lacuna.show(recording)  # the trace
    assert recording.path in pathlib.Path(f"/proc/{over._process.pid}/cmdline").read_text().split("\0")
    over.close()
    with lacuna.record(tmp_path / "kept.json", ["true"], options=["--keep-seconds", "5"]) as kept:
        assert kept.live is None
    with lacuna.record(tmp_path / "alone.json", ["true"], live=False) as alone:
        assert alone.live is None


def test_the_package_is_typed():
    assert (pathlib.Path(lacuna.__file__).parent / "py.typed").exists()
    if has("mypy"):
        done = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--no-error-summary",
                               "--disallow-untyped-defs", str(SOURCE / "app/python/lacuna")], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def run_plainly():
    status = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(pathlib.Path(folder)) if test.__code__.co_argcount else test()
                print(f"ok       {name}")
            except Skipped as why:
                print(f"skipped  {name}: {why}")
            except Exception:
                import traceback

                status = 1
                print(f"FAILED   {name}")
                traceback.print_exc()
    return status


if __name__ == "__main__":
    if has("pytest"):
        sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-rs", __file__]))
    sys.exit(run_plainly())
