#!/usr/bin/env python3
"""`lacuna requests`: what the first token of each request waited for, and what is said where that is not known."""
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

FIXTURES = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"]) / "tests" / "fixtures" / "requests"
BASE = 1_700_000_000_000_000_000
PARTS = ["aroundEngineNs", "queuedNs", "ownStepsNs", "otherStepsNs", "otherWorkNs", "idleNs", "notRecordedNs", "unknownNs"]


def lacuna(*words, code=0):
    done = subprocess.run([os.environ["LACUNA_BIN"], *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, (words, done)
    return done.stdout if code == 0 else done.stderr


def answer(*words):
    told = json.loads(lacuna("requests", *words, "--json"))
    for one in [told["firstToken"], *(row for row in told["rows"] if row["timeToFirstTokenNs"] is not None)]:
        whole = one["totalNs"] if "totalNs" in one else one["timeToFirstTokenNs"]
        assert sum(one[part] for part in PARTS) == whole, one
        assert sum(one["idleCauses"].values()) == one["idleNs"], one
    return told


def parts(row):
    return {part: row[part] for part in PARTS if row[part]}


def beside_the_trace():
    told = answer(FIXTURES / "vllm.trace.json")
    assert told["files"] == [str(FIXTURES / "vllm.trace.otel.json")]
    assert (told["requestCount"], told["otherSpans"], told["badSpans"], told["engineSteps"]) == (2, 1, 0, 4)
    assert told["clockUnixNs"] == BASE and told["outsideRecording"] == 0
    assert (told["recordedBeginNs"], told["recordedEndNs"]) == (1_000_000, 7_000_000)
    first, second = told["rows"]
    assert (second["id"], second["arrivalNs"], second["arrivalUnixNs"]) == ("cmpl-1", 500_000, BASE + 500_000)
    assert (second["promptTokens"], second["completionTokens"], second["hasStages"]) == (512, 4, False)
    assert parts(second) == {"aroundEngineNs": 250_000, "queuedNs": 1_200_000, "ownStepsNs": 2_800_000, "idleNs": 350_000}
    assert (first["queuedIdleNs"], second["queuedIdleNs"]) == (0, 150_000)  # [1000, 1100) and [1900, 1950) us
    # Its prefill is from -2200 to 2000 us; the recording begins at 1000, with a step that decodes.
    assert parts(first) == {"queuedNs": 800_000, "notRecordedNs": 3_200_000, "otherStepsNs": 800_000, "idleNs": 200_000}
    assert told["comparedWith"] == str(FIXTURES / "vllm.trace.json")
    text = lacuna("requests", FIXTURES / "vllm.trace.json")
    assert "the GPU is that of" not in text, text
    assert "2 requests; 1 other span\n" in text and "Medians: queue 1.00 ms" in text, text
    assert "taken to end with the first token" in " ".join(text.split()), text
    rows = list(csv.DictReader(io.StringIO(lacuna("requests", FIXTURES / "vllm.trace.json", "--csv"))))
    assert [row["own_steps_ns"] for row in rows] == ["0", "2800000"], rows


def stages_of_sglang():
    told = answer(FIXTURES / "vllm.trace.json", "--requests", FIXTURES / "sglang.otel.jsonl")
    first, second = told["rows"]
    assert first["hasStages"] and first["prefillNs"] == 3_100_000 and told["stageSpans"] == 5
    assert parts(first) == {"aroundEngineNs": 300_000, "queuedNs": 1_200_000, "ownStepsNs": 2_800_000, "idleNs": 300_000}
    assert parts(second) == {"unknownNs": 1_000_000} and second["queueNs"] is None
    text = lacuna("requests", FIXTURES / "vllm.trace.json", "--requests", FIXTURES / "sglang.otel.jsonl")
    assert [line.split()[-3:] for line in text.splitlines() if line.startswith("77 ")] == [["-", "-", "-"]], text


def what_is_not_known():
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        text = (FIXTURES / "vllm.trace.json").read_text()
        shutil.copy(FIXTURES / "vllm.trace.otel.json", folder / "requests.json")
        (folder / "a.json").write_text(text.replace('"baseTimeNanoseconds":1700000000000000000,', ""))
        told = answer(folder / "a.json")
        assert told["clockUnixNs"] is None and told["rows"][1]["arrivalNs"] is None
        assert parts(told["rows"][1]) == {"aroundEngineNs": 250_000, "queuedNs": 1_200_000, "unknownNs": 3_150_000}
        assert "does not tell when it was recorded" in lacuna("requests", folder / "a.json")
        both = [folder / "a.json", FIXTURES / "vllm.trace.json", "--requests", folder / "requests.json"]
        assert answer(*both)["comparedWith"] == str(folder / "a.json")
        assert f"the GPU is that of {folder / 'a.json'}" in " ".join(lacuna("requests", *both).split())
        (folder / "b.json").write_text(text.replace("17000000", "17000001"))
        told = answer(folder / "b.json")
        assert told["outsideRecording"] == 2 and parts(told["rows"][1])["notRecordedNs"] == 3_150_000
        assert "None of the requests lies in the time of the recording" in lacuna("requests", folder / "b.json")
        (folder / "c.json").write_text(text.replace("execute_context", "run_context"))
        told = answer(folder / "c.json")
        assert told["engineSteps"] == 0 and parts(told["rows"][1])["otherWorkNs"] == 2_800_000
        assert "no steps that tell prefill and decode" in lacuna("requests", folder / "c.json")
        # Nothing beside it, and nothing that can be read.
        (folder / "requests.json").rename(folder / "others.json")
        assert "--requests FILE" in lacuna("requests", folder / "a.json", code=1)
        (folder / "others.json").write_text('{"resourceSpans": [')
        assert "others.json: byte 19: " in lacuna("requests", folder / "a.json", "--requests", folder / "others.json", code=1)


def lanes_in_info_and_sql():
    info = lacuna("info", FIXTURES / "vllm.trace.json")
    assert "requests to the server read beside the trace" in info, info
    assert "vllm.trace.otel.json · Requests" in info, info
    told = json.loads(lacuna("info", FIXTURES / "vllm.trace.json", "--json"))
    assert [line["count"] for line in told["report"] if line["finding"] == "requests_read"] == [2], told["report"]
    sql = "SELECT name, ts, dur FROM slice WHERE name IN ('queue', 'prefill', 'decode') ORDER BY ts"
    rows = json.loads(lacuna("query", FIXTURES / "vllm.trace.json", sql, "--json"))["rows"]
    assert ["queue", 750_000, 1_200_000] in rows or {"name": "queue", "ts": 750_000, "dur": 1_200_000} in rows, rows


def the_trace_stays_the_same():
    """Notes on it and what is cut out of it go by the trace, whatever lies beside it."""
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        os.environ["XDG_STATE_HOME"] = str(folder / "state")
        trace = shutil.copy(FIXTURES / "vllm.trace.json", folder / "run.json")
        lacuna("notes", trace, "--add", "look here")
        shutil.copy(FIXTURES / "vllm.trace.otel.json", folder / "requests.json")
        assert "look here" in lacuna("notes", trace)
        done = json.loads(lacuna("cut", trace, "-o", folder / "part.json", "--json"))
        assert done["files"] == [str(folder / "part.json"), str(folder / "part-requests.json.json")], done
        lacuna("notes", folder / "requests.json", "--add", "of requests alone")
        assert "of requests" not in lacuna("notes", trace)


beside_the_trace()
stages_of_sglang()
what_is_not_known()
lanes_in_info_and_sql()
the_trace_stays_the_same()
