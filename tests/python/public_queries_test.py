#!/usr/bin/env python3
"""Twenty kinds of queries that people ask of such traces in public, each asked twice: of lacuna's SQL, and of DuckDB on the
exported tables, which knows nothing of SQLite or of our virtual tables. $LACUNA_PYTHON_ENGINES names a Python that has
duckdb and pyarrow; skipped without."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"])
OTHER = os.environ.get("LACUNA_PYTHON_ENGINES")
if OTHER and not os.environ.get("LACUNA_IN_OTHER_PYTHON"):
    sys.exit(subprocess.run([OTHER, "-B", *sys.argv], env={**os.environ, "LACUNA_IN_OTHER_PYTHON": "1"}).returncode)
try:
    import duckdb
    import pyarrow  # noqa: F401
except ImportError:
    print("skipped: no duckdb and pyarrow")
    sys.exit(77)
sys.path.insert(0, str(SOURCE / "app/python"))
import lacuna  # noqa: E402

# (what it is like, our SQL, DuckDB's; None: the same text)
ABOVE = """WITH RECURSIVE up(slice, id, parent_id, name, category, depth) AS (
  SELECT id, id, parent_id, name, category, depth FROM slice
  UNION ALL SELECT up.slice, s.id, s.parent_id, s.name, s.category, s.depth FROM up JOIN slice s ON s.id = up.parent_id)"""
CASES = [
    ("1: time in a region by name, with text in double quotes",
     'DROP VIEW IF EXISTS region; CREATE VIEW region AS SELECT MAX(ts) AS a, MAX(ts + dur) AS b FROM slice WHERE '
     'name = "ProfilerStep#5"; SELECT SUM(dur), name FROM slice WHERE ts >= (SELECT a FROM region) AND ts + dur <= '
     '(SELECT b FROM region) GROUP BY name',
     "SELECT SUM(dur), name FROM slice WHERE ts >= (SELECT MAX(ts) FROM slice WHERE name = 'ProfilerStep#5') AND ts + dur <= "
     "(SELECT MAX(ts + dur) FROM slice WHERE name = 'ProfilerStep#5') GROUP BY name"),
    ("2: share of a track by name",
     "SELECT name, COUNT(dur), SUM(dur) / 1000000, AVG(dur) / 1000000, SUM(dur) * 100.0 / (SELECT SUM(dur) FROM slice WHERE "
     "track_id IN (3) AND name NOT LIKE 'ProfilerStep#%') FROM slice WHERE track_id IN (3) GROUP BY name",
     "SELECT name, COUNT(dur), SUM(dur) // 1000000, AVG(dur) / 1000000, SUM(dur) * 100.0 / (SELECT SUM(dur) FROM slice WHERE "
     "track_id IN (3) AND name NOT LIKE 'ProfilerStep#%') FROM slice WHERE track_id IN (3) GROUP BY name"),
    ("3: kernels by a part of their name",
     "SELECT name, COUNT(*), SUM(dur) / 1e6, SUM(dur) / 1e3 / COUNT(*) FROM slice WHERE dur > 0 AND category = 'kernel' AND "
     "(name LIKE '%gemm%' OR name LIKE '%Elementwise%') GROUP BY name",
     "SELECT name, COUNT(*), SUM(dur) / 1e6, SUM(dur) / 1e3 / COUNT(*) FROM slice WHERE dur > 0 AND category = 'kernel' AND "
     "(name ILIKE '%gemm%' OR name ILIKE '%Elementwise%') GROUP BY name"),
    ("4: kernels whose launch lies in a slice of some name, by flows and a correlated table function",
     "SELECT name, COUNT(*) FROM slice s WHERE category = 'kernel' AND (SELECT COUNT(*) FROM flow f JOIN "
     "ancestor_slice(f.slice_out) a WHERE f.slice_in = s.id AND a.name LIKE 'autograd%') > 0 GROUP BY name",
     ABOVE + " SELECT s.name, COUNT(DISTINCT s.id) FROM slice s JOIN flow f ON f.slice_in = s.id JOIN up ON up.slice = "
     "f.slice_out AND up.id <> up.slice WHERE s.category = 'kernel' AND up.name ILIKE 'autograd%' GROUP BY s.name"),
    ("5: the outermost operator above each kernel's launch, and the number of the kernel of its name",
     "WITH RECURSIVE up(kernel, id, parent_id, name, category) AS (SELECT f.slice_in, s.id, s.parent_id, s.name, s.category "
     "FROM flow f JOIN slice s ON s.id = f.slice_out UNION ALL SELECT up.kernel, s.id, s.parent_id, s.name, s.category FROM up "
     "JOIN slice s ON s.id = up.parent_id) SELECT k.id, MIN(up.id), ROW_NUMBER() OVER (PARTITION BY k.name ORDER BY k.ts, k.id) "
     "FROM slice k JOIN up ON up.kernel = k.id WHERE k.category = 'kernel' AND up.category = 'cpu_op' AND up.name GLOB "
     "'aten::*' GROUP BY k.id, k.name, k.ts",
     "WITH RECURSIVE up(kernel, id, parent_id, name, category) AS (SELECT f.slice_in, s.id, s.parent_id, s.name, s.category "
     "FROM flow f JOIN slice s ON s.id = f.slice_out UNION ALL SELECT up.kernel, s.id, s.parent_id, s.name, s.category FROM up "
     "JOIN slice s ON s.id = up.parent_id) SELECT k.id, MIN(up.id), ROW_NUMBER() OVER (PARTITION BY k.name ORDER BY k.ts, k.id) "
     "FROM slice k JOIN up ON up.kernel = k.id WHERE k.category = 'kernel' AND up.category = 'cpu_op' AND up.name LIKE "
     "'aten::%' GROUP BY k.id, k.name, k.ts"),
    ("6: collectives of a group as a pivot of their args",
     "SELECT arg_set_id, MAX(CASE WHEN key = 'args.In msg nelems' THEN display_value END), MAX(CASE WHEN key = 'args.dtype' THEN "
     "display_value END) FROM args WHERE arg_set_id IN (SELECT arg_set_id FROM args WHERE key = 'args.Process Group Description' "
     "AND display_value IN ('tp', 'dp')) GROUP BY arg_set_id", None),
    ("7: kernels with an arg of theirs",
     "SELECT id, ts / 1e3, dur / 1e3, name, track_id, EXTRACT_ARG(arg_set_id, 'args.External id') FROM slice WHERE category = "
     "'kernel' AND dur > 0 ORDER BY ts",
     "SELECT s.id, ts / 1e3, dur / 1e3, name, track_id, a.int_value FROM slice s LEFT JOIN args a ON a.arg_set_id = s.arg_set_id "
     "AND a.key = 'args.External id' WHERE category = 'kernel' AND dur > 0 ORDER BY ts"),
    ("8: several statements, an index, a full outer join",
     "CREATE TEMP TABLE c AS SELECT s.id, s.category, a.int_value AS n FROM slice s JOIN args a ON a.arg_set_id = s.arg_set_id "
     "WHERE a.key = 'args.correlation'; CREATE UNIQUE INDEX i ON c (id); SELECT k.id, r.id FROM (SELECT * FROM c WHERE category = "
     "'kernel') k FULL OUTER JOIN (SELECT * FROM c WHERE category = 'cuda_runtime') r ON r.n = k.n",
     "WITH c AS (SELECT s.id, s.category, a.int_value AS n FROM slice s JOIN args a ON a.arg_set_id = s.arg_set_id WHERE a.key = "
     "'args.correlation') SELECT k.id, r.id FROM (SELECT * FROM c WHERE category = 'kernel') k FULL OUTER JOIN (SELECT * FROM c "
     "WHERE category = 'cuda_runtime') r ON r.n = k.n"),
    ("9: runtime calls of a track with their correlation, deep ones in a range",
     "SELECT slice.id, slice.name, a.display_value FROM slice LEFT JOIN args AS a ON a.arg_set_id = slice.arg_set_id AND a.key = "
     "'args.correlation' WHERE category IN ('cuda_runtime', 'cuda_driver') AND track_id = 0 AND depth > 1 AND ts BETWEEN "
     "(SELECT MIN(ts) FROM slice) AND (SELECT AVG(ts) FROM slice)", None),
    ("10: three args of a kernel, one as a number",
     "SELECT s.id, a.display_value, CAST(b.display_value AS DOUBLE) * 2, c.int_value FROM slice s JOIN args a ON a.arg_set_id = "
     "s.arg_set_id AND a.key = 'args.dtype' JOIN args b ON b.arg_set_id = s.arg_set_id AND b.key = 'args.In msg nelems' JOIN args c "
     "ON c.arg_set_id = s.arg_set_id AND c.key = 'args.correlation' WHERE s.name LIKE '%SendRecv%'", None),
    ("11: gaps of the GPU by a running maximum, with the call around the launch that ends each",
     "INCLUDE PERFETTO MODULE slices.with_context; CREATE PERFETTO VIEW dev_op AS SELECT id, ts, ts + dur AS te, utid FROM "
     "thread_slice WHERE category IN ('kernel', 'gpu_memcpy', 'gpu_memset'); CREATE PERFETTO TABLE hole AS SELECT id, ts - "
     "MAX(te) OVER (PARTITION BY utid ORDER BY ts, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS idle FROM dev_op; "
     "SELECT h.id, h.idle, (SELECT a.id FROM ancestor_slice(f.slice_out) a ORDER BY depth DESC LIMIT 1), COUNT(*) OVER (PARTITION "
     "BY h.id) FROM hole h LEFT JOIN flow f ON f.slice_in = h.id WHERE h.idle > 0",
     "WITH dev_op AS (SELECT id, ts, ts + dur AS te, track_id FROM slice WHERE category IN ('kernel', 'gpu_memcpy', "
     "'gpu_memset')), hole AS (SELECT id, ts - MAX(te) OVER (PARTITION BY track_id ORDER BY ts, id ROWS BETWEEN UNBOUNDED PRECEDING "
     "AND 1 PRECEDING) AS idle FROM dev_op) SELECT h.id, h.idle, s.parent_id, COUNT(*) OVER (PARTITION BY h.id) FROM hole h LEFT "
     "JOIN flow f ON f.slice_in = h.id LEFT JOIN slice s ON s.id = f.slice_out WHERE h.idle > 0"),
    ("12: use of the GPU by step, with the time in the queue",
     "SELECT p.name, COUNT(*), SUM(k.dur), SUM(k.ts - l.ts) FROM slice p JOIN slice k ON k.ts >= p.ts AND k.ts < p.ts + p.dur JOIN "
     "flow f ON f.slice_in = k.id JOIN slice l ON l.id = f.slice_out WHERE p.category = 'gpu_user_annotation' AND p.name GLOB "
     "'ProfilerStep#*' AND k.category = 'kernel' GROUP BY p.id, p.name",
     "SELECT p.name, COUNT(*), SUM(k.dur), SUM(k.ts - l.ts) FROM slice p JOIN slice k ON k.ts >= p.ts AND k.ts < p.ts + p.dur JOIN "
     "flow f ON f.slice_in = k.id JOIN slice l ON l.id = f.slice_out WHERE p.category = 'gpu_user_annotation' AND p.name LIKE "
     "'ProfilerStep#%' AND k.category = 'kernel' GROUP BY p.id, p.name"),
    ("13: slices with their processes, threads and a pivot of args",
     "SELECT s.id, coalesce(p.pid, pp.pid), t.tid, max(CASE WHEN a.key IN ('args.stream', 'args.correlation') THEN a.int_value "
     "END), printf('%.3f', s.dur / 1000.0) FROM slice s LEFT JOIN args a ON a.arg_set_id = s.arg_set_id LEFT JOIN thread_track tt "
     "ON tt.id = s.track_id LEFT JOIN thread t ON t.utid = tt.utid LEFT JOIN process p ON p.upid = t.upid LEFT JOIN process_track "
     "pt ON pt.id = s.track_id LEFT JOIN process pp ON pp.upid = pt.upid GROUP BY s.id",
     "SELECT s.id, coalesce(p.pid, pp.pid), t.tid, max(CASE WHEN a.key IN ('args.stream', 'args.correlation') THEN a.int_value "
     "END), format('{:.3f}', s.dur / 1000.0) FROM slice s LEFT JOIN args a ON a.arg_set_id = s.arg_set_id LEFT JOIN thread_track tt "
     "ON tt.id = s.track_id LEFT JOIN thread t ON t.utid = tt.utid LEFT JOIN process p ON p.upid = t.upid LEFT JOIN process_track "
     "pt ON pt.id = s.track_id LEFT JOIN process pp ON pp.upid = pt.upid GROUP BY s.id, p.pid, pp.pid, t.tid, s.dur"),
    ("14: time covered by kinds of collectives, overlap once",
     "SELECT kind, SUM(CASE WHEN te > before THEN te - MAX(ts, before) ELSE 0 END) FROM (SELECT CASE WHEN EXTRACT_ARG(arg_set_id, "
     "'args.Process Group Description') = 'tp' THEN 'tp' WHEN name GLOB 'nccl*' THEN 'other' ELSE 'work' END AS kind, ts, ts + dur AS "
     "te, COALESCE(MAX(ts + dur) OVER (ORDER BY ts, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before FROM slice WHERE "
     "category = 'kernel') GROUP BY kind",
     "SELECT kind, SUM(CASE WHEN te > before THEN te - GREATEST(ts, before) ELSE 0 END) FROM (SELECT CASE WHEN a.display_value = 'tp' "
     "THEN 'tp' WHEN name LIKE 'nccl%' THEN 'other' ELSE 'work' END AS kind, ts, ts + dur AS te, COALESCE(MAX(ts + dur) OVER (ORDER BY "
     "ts, s.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before FROM slice s LEFT JOIN args a ON a.arg_set_id = "
     "s.arg_set_id AND a.key = 'args.Process Group Description' WHERE category = 'kernel') GROUP BY kind"),
    ("15: kernels with pid and tid",
     "SELECT p.pid, t.tid, s.ts, s.dur FROM slice s JOIN thread_track tt ON tt.id = s.track_id JOIN thread t ON t.utid = tt.utid LEFT "
     "JOIN process p ON p.upid = t.upid WHERE category = 'kernel' AND dur > 0",
     "SELECT pid, tid, ts, dur FROM slice WHERE category = 'kernel' AND dur > 0"),
    ("16: annotations of the GPU", "SELECT name, COUNT(*), SUM(dur) / 1e6 FROM slice WHERE category = 'gpu_user_annotation' GROUP BY name",
     None),
    ("17: collectives in their order", "SELECT ts, dur, name FROM slice WHERE name LIKE '%nccl%' ORDER BY ts",
     "SELECT ts, dur, name FROM slice WHERE name ILIKE '%nccl%' ORDER BY ts"),
    ("18: distinct names, and all columns",
     "SELECT DISTINCT(s.name), q.track_id, q.category, q.depth, q.cat = q.category, q.slice_id = q.id FROM slice s JOIN slice q ON q.id = "
     "s.id WHERE s.name LIKE '%gemm%'",
     "SELECT DISTINCT name, track_id, category, depth, 1, 1 FROM slice WHERE name ILIKE '%gemm%'"),
    ("19: a view of slices that have a device",
     "CREATE OR REPLACE PERFETTO VIEW on_device AS SELECT id, name, ts, dur FROM thread_or_process_slice WHERE "
     "extract_arg(arg_set_id, 'args.device') IS NOT NULL; SELECT * FROM on_device",
     "SELECT s.id, s.name, s.ts, s.dur FROM slice s WHERE EXISTS (SELECT 1 FROM args a WHERE a.arg_set_id = s.arg_set_id AND a.key = "
     "'args.device')"),
    ("20: what went wrong on import", "SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0",
     "SELECT '' AS name, 0 AS value WHERE false"),
]


def collectives(folder):
    """Operators, launches and collectives of two groups, with flows."""
    events = [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python"}}]
    for n in range(60):
        at = 1000 * n
        name = ["ncclDevKernel_AllReduce", "ncclDevKernel_SendRecv", "sgemm_128x64"][n % 3]
        args = {"stream": 7 + n % 2, "device": 0, "correlation": n, "External id": n // 2}
        if n % 3 < 2:
            args |= {"Process Group Description": ["tp", "dp"][n % 2], "In msg nelems": 100 * n, "dtype": "Float"}
        events += [
            {"ph": "X", "cat": "cpu_op", "name": "aten::outer", "pid": 1, "tid": 2, "ts": at, "dur": 400.5},
            {"ph": "X", "cat": "cpu_op", "name": "autograd::engine" if n % 4 else "c10d::send", "pid": 1, "tid": 2, "ts": at + 1, "dur": 300},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": at + 10, "dur": 5,
             "args": {"correlation": n}},
            {"ph": "s", "id": n, "cat": "ac2g", "name": "ac2g", "pid": 1, "tid": 2, "ts": at + 10},
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7 + n % 2, "ts": at + 100, "dur": 500 + 7 * (n % 5) * (n % 2 + 1) * 20,
             "args": args},
            {"ph": "f", "bp": "e", "id": n, "cat": "ac2g", "name": "ac2g", "pid": 0, "tid": 7 + n % 2, "ts": at + 100}]
    for n in range(6):
        events.append({"ph": "X", "cat": "gpu_user_annotation", "name": f"ProfilerStep#{n}", "pid": 0, "tid": 9, "ts": 10000 * n, "dur": 9990})
    path = folder / "collectives.json"
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def database(trace):
    connection = duckdb.connect()
    for name, table in (("slice", "slices"), ("flow", "flows"), ("args", "args"), ("thread", "threads"), ("process", "processes"),
                        ("track", "tracks")):
        connection.register(name, trace.table(table).to_pyarrow())
    connection.execute("CREATE VIEW thread_track AS SELECT * FROM track WHERE utid IS NOT NULL AND event_type = 'slice'")
    connection.execute("CREATE VIEW process_track AS SELECT * FROM track WHERE upid IS NOT NULL AND event_type = 'slice'")
    return connection


def normal(rows):
    def value(v):
        if v is None or isinstance(v, str):
            return (0, "") if v is None else (2, v)
        return (1, f"{float(v):.9g}" if abs(float(v)) < 1e15 and float(v) != int(v) else str(int(v)))
    return sorted(tuple(value(v) for v in row) for row in rows)


def main():
    wrong = empty = 0
    with tempfile.TemporaryDirectory() as folder:
        answered = {}
        for path in (SOURCE / "assets/demo.trace.json.gz", collectives(pathlib.Path(folder))):
            with lacuna.open(path) as trace:
                other = database(trace)
                for what, ours, theirs in CASES:
                    said = normal(zip(*(column.to_pylist() for column in trace.query(ours).to_pyarrow().columns)))
                    expected = normal(other.execute(theirs or ours).fetchall())
                    answered[what] = max(answered.get(what, 0), len(said))
                    if said != expected:
                        wrong += 1
                        print(f"FAILED {path.name} {what}: {len(said)} rows, DuckDB {len(expected)}; first that differ:",
                              next(((a, b) for a, b in zip(said, expected) if a != b), None))
    for what, rows in answered.items():
        print(f"{rows:>6} rows  {what}")
        if rows == 0 and not what.startswith("20"):
            empty += 1
            print("FAILED: no trace had an answer")
    return 1 if wrong or empty else 0


if __name__ == "__main__":
    sys.exit(main())
