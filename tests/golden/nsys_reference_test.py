#!/usr/bin/env python3
"""Exports of Nsight Systems against answers that know nothing of Lacuna: streams, kernels, copies, API calls, NVTX ranges,
launches. Of a made one, whose maker counted what it did (nsys_export.py); and of those beside the shared traces, whose
answers were computed from their tables alone (X.sqlite with X.ref.json)."""
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

import nsys_export

LACUNA = os.environ["LACUNA_BIN"]
SHARED = pathlib.Path(os.environ.get("LACUNA_SHARED_TRACES",
                                     pathlib.Path(os.environ["LACUNA_SOURCE_DIR"]) / "../shared/traces"))
FOLDER = SHARED.parent / "samples/nsys"


def said(*words):
    return json.loads(subprocess.run([LACUNA, *map(str, words), "--json"], capture_output=True, text=True, check=True).stdout)


def query(path, sql):
    return [tuple(row) for row in said("query", path, sql)["rows"]]


def nvtx_by_name(path):
    """Of the ranges (push/pop 59, start/end 60) and marks (34) of the file itself: count and total by text, without what
    PyTorch's emit_nvtx() writes behind the operator."""
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as file:
        columns = {row[1] for row in file.execute("PRAGMA table_info(NVTX_EVENTS)")}
        text = "COALESCE(e.text, s.value)" if {"text", "textId"} <= columns else "e.text" if "text" in columns else "s.value"
        join = "LEFT JOIN StringIds s ON s.id = e.textId" if "textId" in columns else ""
        rows = file.execute(f"SELECT {text}, COALESCE(e.end - e.start, 0) FROM NVTX_EVENTS e {join} "
                            "WHERE e.eventType = 34 OR e.eventType IN (59, 60) AND e.end IS NOT NULL").fetchall()
    found = {}
    for name, duration in rows:
        count, total = found.get(name := re.sub(r", (seq|op_id|sizes) = .*", "", name), (0, 0))
        found[name] = (count + 1, total + duration)
    return found


def check(name, got, wanted):
    if isinstance(got, dict) and got != wanted:
        got, wanted = ({k: one.get(k) for k in sorted({*got, *wanted}) if got.get(k) != wanted.get(k)} for one in (got, wanted))
    assert got == wanted, f"{name}: {str(got)[:500]} instead of {str(wanted)[:500]}"


def check_export(path, reference):
    streams = {(int(s["device"]), int(s["stream"])): s for s in said("gaps", path)["streams"]}
    check("streams", {key: (s["events"], s["windowNs"], s["busyNs"], s["idleNs"]) for key, s in streams.items()},
          {(s["device"], s["stream"]): (s["events"], s["window_ns"], s["busy_ns"], s["idle_ns"])
           for s in reference["streams"]})
    check("gaps", sum(g["durationNs"] for s in streams.values() for g in s["gaps"]),
          sum(s["idle_ns"] for s in reference["streams"]))
    kernels = {}
    for k in reference["kernels"]:
        kernels[k["name"]] = (k["count"], k["total_ns"], k["min_ns"], k["max_ns"])
    got = {name: tuple(rest) for name, *rest in query(
        path, "SELECT name, COUNT(*), SUM(dur), MIN(dur), MAX(dur) FROM slice WHERE category = 'kernel' GROUP BY name")}
    # The reference may list the heaviest alone.
    check("kernels", {name: got.get(name) for name in kernels}, kernels)
    check("number of kernels", sum(row[0] for row in got.values()), reference["counts"]["CUPTI_ACTIVITY_KIND_KERNEL"])
    calls = {a["name"]: (a["count"], a["total_ns"]) for a in reference["api"]}
    got = {name: tuple(rest) for name, *rest in query(
        path, "SELECT name, COUNT(*), SUM(dur) FROM slice WHERE category = 'cuda_runtime' GROUP BY name")}
    check("API calls", {name: got.get(name) for name in calls}, calls)
    # What neither the driver nor the system says is NVTX's, whatever it is taken for ("aten::" is an operator).
    shown = "FROM slice WHERE category NOT IN ('kernel', 'gpu_memcpy', 'gpu_memset', 'cuda_runtime', 'cuda_sync')"
    ranges = sum(reference["nvtx_by_type"].get(kind, 0) for kind in ("34", "59", "60"))  # marks: as Perfetto has instants
    check("number of NVTX ranges", query(path, f"SELECT COUNT(*) {shown}"), [(ranges,)])
    check("NVTX ranges by name",
          {name: tuple(rest) for name, *rest in query(path, f"SELECT name, COUNT(*), SUM(dur) {shown} GROUP BY name")},
          nvtx_by_name(path))
    copies = query(path, "SELECT SUM(bytes), SUM(dur), COUNT(*) FROM gpu_kernel WHERE kind = 'memcpy'")
    check("copies", copies, [tuple(sum(m[key] for m in reference["memcpy_by_kind"])
                                   for key in ("bytes", "total_ns", "count"))])
    launched = query(path, "SELECT COUNT(*) FROM launch JOIN slice ON slice.id = gpu_id WHERE category = 'kernel'")
    check("kernels with their launch", launched, [(reference["kernels_with_runtime_row"],)])
    print(f"{path.name}: as its reference says")


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "made.sqlite"
        check_export(path, nsys_export.write(path))
    for reference_path in sorted(FOLDER.glob("*.ref.json")):
        path = FOLDER / reference_path.name.replace(".ref.json", ".sqlite")
        if path.exists():
            check_export(path, json.loads(reference_path.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
