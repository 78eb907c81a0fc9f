#!/usr/bin/env python3
"""`lacuna cut`: what overlaps a range, as a trace of its own; never over a file of somebody else's, nor its own source."""
import json
import os
import pathlib
import subprocess
import tempfile

DEMO = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"]) / "assets" / "demo.trace.json.gz"


def lacuna(*words, code=0):
    done = subprocess.run([os.environ["LACUNA_BIN"], *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, (words, done)
    return done.stdout if code == 0 else done.stderr


def slices(trace, where="1"):
    rows = json.loads(lacuna("query", trace, f"SELECT ts, dur, name FROM slice WHERE {where} ORDER BY ts, dur, name", "--json"))
    return rows["rows"]


with tempfile.TemporaryDirectory() as made:
    folder = pathlib.Path(made)
    info = json.loads(lacuna("info", DEMO, "--json"))
    begin, end = info["startNs"] + info["spanNs"] // 4, info["startNs"] + info["spanNs"] // 2
    words = [f"--from-us={begin // 1000}.{begin % 1000:03}", f"--to-us={end // 1000}.{end % 1000:03}"]
    said = json.loads(lacuna("cut", DEMO, *words, "-o", folder / "part.json.gz", "--json"))
    assert said["files"] == [str(folder / "part.json.gz")] and (said["startNs"], said["endNs"]) == (begin, end)
    expected = slices(DEMO, f"ts < {end} AND ts + dur > {begin}")
    assert slices(folder / "part.json.gz", f"ts + dur > {begin}") == expected and expected
    assert len(expected) < info["slices"]

    lacuna("cut", DEMO, "-o", folder / "all.json")
    assert slices(folder / "all.json") == slices(DEMO)
    lacuna("cut", folder / "all.json", *words, "-o", folder / "part.json.gz")  # it is Lacuna's own: replaced
    assert "trace itself" in lacuna("cut", folder / "all.json", "-o", folder / "all.json", code=1)
    (folder / "theirs.json").write_text("[]")
    lacuna("cut", DEMO, "-o", folder / "theirs.json", code=1)
    assert (folder / "theirs.json").read_text() == "[]"
    lacuna("cut", DEMO, "--from-us", "9", "--to-us", "3", "-o", folder / "none.json", code=1)
    lacuna("cut", DEMO, "--steps", "999", "-o", folder / "none.json", code=1)
    assert not (folder / "none.json").exists()
