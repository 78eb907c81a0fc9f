#!/usr/bin/env python3
"""`lacuna bundle` and `lacuna notes`: a finding opens elsewhere with its view and notes; scrubbed, nothing tells whose it is;
what a stranger made of one is refused with words."""
import gzip
import json
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import zipfile

DEMO = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"]) / "assets" / "demo.trace.json.gz"


def lacuna(*words, code=0, state=None):
    environment = {**os.environ, "XDG_STATE_HOME": str(state)} if state else os.environ
    done = subprocess.run([os.environ["LACUNA_BIN"], *map(str, words)], capture_output=True, text=True, env=environment)
    assert done.returncode == code, (words, done)
    return done.stdout if code == 0 else done.stderr


def slices(trace, where="1"):
    return json.loads(lacuna("query", trace, f"SELECT ts, dur FROM slice WHERE {where} ORDER BY ts, dur", "--json"))["rows"]


def notes_are_kept_and_handed_on(folder):
    mine, theirs = folder / "mine", folder / "theirs"
    assert "no notes" in lacuna("notes", DEMO, state=mine)
    lacuna("notes", DEMO, "--add", "look\nhere", "--steps", "3..3", state=mine)
    noted = json.loads(lacuna("notes", DEMO, "--json", "--export", folder / "notes.json", state=mine))["notes"]
    assert [n["note"] for n in noted] == ["look\nhere"] and noted[0]["on"] == "range", noted
    assert noted[0]["endNs"] > noted[0]["startNs"]
    lacuna("notes", DEMO, "--import", folder / "notes.json", state=theirs)
    lacuna("notes", DEMO, "--import", folder / "notes.json", state=theirs)  # again: the same
    assert json.loads(lacuna("notes", DEMO, "--json", state=theirs))["notes"] == noted
    assert lacuna("notes", DEMO, "--csv", state=theirs).splitlines()[0] == "start_ns,end_ns,on,name,note"
    (folder / "wrong.json").write_text("[1]")
    assert "holds no notes" in lacuna("notes", DEMO, "--import", folder / "wrong.json", code=1, state=mine)
    for text in ("[1]", "a letter", "{}"):
        (folder / "letter.txt").write_text(text)
        assert "is not replaced" in lacuna("notes", DEMO, "--export", folder / "letter.txt", code=1, state=mine)
        assert (folder / "letter.txt").read_text() == text
    lacuna("notes", DEMO, "--export", folder / "notes.json", state=mine)  # notes may be replaced
    assert "cannot be opened" in lacuna("notes", DEMO, "--import", folder / "none.json", code=1, state=mine)
    return mine, noted


def writers_at_the_same_time_lose_nothing(folder):
    """`lacuna notes` reads what is there, adds to it and writes it: nobody else may write between."""
    state, count = folder / "many", 12
    lacuna("notes", DEMO, state=state)  # it is imported
    running = [subprocess.Popen([os.environ["LACUNA_BIN"], "notes", DEMO, "--add", f"note {i}"], stdout=subprocess.DEVNULL,
                                env={**os.environ, "XDG_STATE_HOME": str(state)}) for i in range(count)]
    assert [r.wait() for r in running] == [0] * count
    notes = json.loads(lacuna("notes", DEMO, "--json", state=state))["notes"]
    text = "\n".join(n["note"] for n in notes)
    assert {f"note {i}" for i in range(count)} == set(text.splitlines()), text


def a_finding_opens_elsewhere(folder, mine, noted):
    finding = folder / "a.lacuna"
    said = json.loads(lacuna("bundle", DEMO, "--steps", "2..4", "-o", finding, "--query", "SELECT 1", "--json", state=mine))
    names = zipfile.ZipFile(finding).namelist()
    assert zipfile.ZipFile(finding).testzip() is None and said["members"] == names, names
    assert {"trace.json.gz", "view.state", "queries.sql", "report.md", "report.html"} <= set(names), names
    assert said["whyNoPicture"] is not None or "pictures/timeline.png" in names
    assert said["notes"] == 1 and said["changes"] is None and said["bytes"] == finding.stat().st_size
    nobody = folder / "nobody"
    assert json.loads(lacuna("notes", finding, "--json", state=nobody))["notes"] == noted
    part = slices(finding)
    lacuna("cut", DEMO, "--steps", "2..4", "-o", folder / "cut.json")
    assert part and part == slices(folder / "cut.json") and len(part) < len(slices(DEMO))
    archive = zipfile.ZipFile(finding)
    report, page = archive.read("report.md").decode(), archive.read("report.html").decode()
    assert "## Notes" in report and "look" in report and "a.lacuna/trace.json.gz" in report, report
    assert "/tmp" not in report + page and "<svg" in page and not re.search(r"(src|href)=|<script|url\(", page)
    command = next(line.strip() for line in report.splitlines() if line.strip().startswith("lacuna stats"))
    lacuna(*command.replace("a.lacuna", str(finding)).split()[1:])  # the places named in it are there
    view = json.loads(archive.read("view.state"))
    assert (view["view"]["beginNs"], view["view"]["endNs"]) == (said["startNs"], said["endNs"]) and "files" not in view
    assert "no such file" not in lacuna("bundle", DEMO, "-o", finding, code=1)
    assert zipfile.ZipFile(finding).namelist() == names  # it stays without --force
    lacuna("bundle", DEMO, "-o", finding, "--no-picture", "--force")
    assert slices(finding) == slices(DEMO)
    assert "ends in .lacuna" in lacuna("bundle", DEMO, "-o", folder / "a.zip", code=1)
    lacuna("bundle", finding, "-o", folder / "b.lacuna", "--no-picture")  # of a finding, too
    assert slices(folder / "b.lacuna") == slices(DEMO)
    assert "the file that was read" in lacuna("bundle", finding, "-o", finding, "--force", code=1)


def scrubbed_tells_nobody(folder):
    secrets = ["acme", "bob", "node7", "hunter2"]
    events = [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "python /home/bob/acme.py"}},
              {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "ts": 0, "args": {"name": "acme loader"}}]
    for k, (cat, name) in enumerate([("cpu_op", "aten::mm"), ("user_annotation", "acme stage"), ("cpu_op", "acme::fuse"),
                                     ("python_function", "/home/bob/acme/t.py(3): run_acme"), ("user_annotation", "ProfilerStep#1"),
                                     ("cuda_runtime", "cudaLaunchKernel")]):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 2, "ts": 1000.125 + 100 * k, "dur": 50.5,
                       "args": {"token": "hunter2", "correlation": k, "Concrete Inputs": ["/home/bob/x"]}})
    events.append({"ph": "X", "cat": "kernel", "name": "acme_kernel", "pid": 0, "tid": 7, "ts": 1600.5, "dur": 9,
                   "args": {"device": 0, "stream": 7, "correlation": 5}})
    events += [{"ph": phase, "cat": "http", "name": "call", "pid": 1, "tid": 2, "ts": ts, "id": "bob@node7/acme.txt", "scope": "node7"}
               for phase, ts in (("b", 1700), ("e", 1800))]
    trace = folder / "bobs_acme_run.json"
    trace.write_text(json.dumps({"traceEvents": events, "hostname": "node7", "trace_name": "/home/bob/acme.json",
                                 "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}]}))
    state = folder / "scrub"
    lacuna("notes", trace, "--add", "see /home/bob/acme.md", state=state)
    finding = folder / "s.lacuna"
    said = json.loads(lacuna("bundle", trace, "--scrub", "-o", finding, "--json", state=state))
    assert said["replaced"] >= 6 and said["leftOut"] >= 3, said
    archive = zipfile.ZipFile(finding)
    for name in archive.namelist():
        content = archive.read(name)
        content = gzip.decompress(content) if name.endswith(".gz") else content
        for secret in secrets:
            assert secret.encode() not in content and secret not in name, (name, secret)
    assert slices(finding) == slices(trace)  # to the nanosecond
    names = {row[0] for row in json.loads(lacuna("query", finding, "SELECT name FROM slice", "--json"))["rows"]}
    assert {"aten::mm", "ProfilerStep#1", "cudaLaunchKernel"} <= names and len(names) == 8, names
    changes = pathlib.Path(said["changes"])
    assert "acme stage\tname-" in changes.read_text() and changes.stat().st_mode & 0o077 == 0
    assert all(line in changes.read_text() for line in archive.read("scrubbed.txt").decode().split("\n\n")[1].split())


def a_scrubbed_report_is_the_original_or_says_so(folder):
    """Kernels keep their classes. Steps that only the user's own name makes are lost, which scrubbed.txt says."""
    def trace_of(step):
        events = [{"ph": "X", "cat": "user_annotation", "name": step.format(k), "pid": 1, "tid": 2, "ts": 1000 + 100 * k, "dur": 90}
                  for k in range(4)]
        for k in range(4):
            events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 1005 + 100 * k, "dur": 2,
                        "args": {"correlation": k + 1}},
                       {"ph": "X", "cat": "kernel", "name": "acme_conv2d_fprop", "pid": 0, "tid": 7, "ts": 1010 + 100 * k, "dur": 60,
                        "args": {"device": 0, "stream": 7, "correlation": k + 1}}]
        trace = folder / "own.json"
        trace.write_text(json.dumps({"traceEvents": events}))
        return trace

    finding = folder / "own.lacuna"
    for step, options, words in (("execute_context_0(0)_generation_4({})", [], None), ("iteration {}", [], None),
                                 ("acme {}", ["--steps-from", "acme *"], "the number of steps"),
                                 ("acme {}", ["--steps-from", "acme *", "--from-us", "0", "--to-us", "250"], "the number of steps")):
        lacuna("bundle", trace_of(step), "--scrub", "--no-picture", "--force", "-o", finding, *options)
        said = zipfile.ZipFile(finding).read("scrubbed.txt").decode()
        assert ("another answer" in said) == (words is not None) and (words or "") in said, (step, said)
        archive = zipfile.ZipFile(finding)
        assert all(b"acme" not in archive.read(name) for name in archive.namelist()), step
        assert b"acme" not in gzip.decompress(archive.read("trace.json.gz")), step
        assert "convolution" in lacuna("report", finding), step


def several_ranks_go_together(folder):
    copies = [folder / f"{name}.json.gz" for name in ("bob_one", "bob_two")]
    for copy in copies:
        copy.write_bytes(DEMO.read_bytes())
    finding = folder / "two.lacuna"
    said = json.loads(lacuna("bundle", *copies, "--scrub", "--steps", "3..3", "--no-picture", "-o", finding, "--json"))
    assert said["members"][:2] == ["trace-1.json.gz", "trace-2.json.gz"], said
    assert len(json.loads(lacuna("info", finding, "--json"))["files"]) == 2
    assert b"bob" not in b"".join(zipfile.ZipFile(finding).read(n) for n in said["members"] if not n.endswith(".gz"))
    brief = lacuna("report", DEMO, "--brief", "--markdown", "--tokens", "200")
    assert brief.startswith("## ") and "**" in brief and len(brief) <= 800, brief
    (folder / "-dash.json.gz").write_bytes(DEMO.read_bytes())
    brief = subprocess.run([os.environ["LACUNA_BIN"], "report", "--brief", "--", "-dash.json.gz"], cwd=folder, capture_output=True, text=True)
    assert "lacuna stats ./-dash.json.gz --from-us" in brief.stdout, brief


def strangers_are_refused(folder):
    trace = gzip.compress(json.dumps({"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]}).encode())

    def finding(name, members, change=None):
        path = folder / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in members:
                archive.writestr(member, content)
        if change:
            path.write_bytes(change(path.read_bytes()))
        return path

    for name in ("../trace.json.gz", "a/../../trace.json.gz"):
        path = finding("up.lacuna", [(name, trace)])
        assert lacuna("info", path, code=1).strip(), name
        assert not (folder.parent / "trace.json.gz").exists()
    link = zipfile.ZipInfo("trace.json")
    link.external_attr = 0o120777 << 16
    path = finding("link.lacuna", [(link, "/etc/passwd")])
    assert "root:" not in lacuna("info", path, code=1)
    bomb = finding("bomb.lacuna", [("trace.json", b" " * (8 << 20))])
    assert lacuna("info", bomb, "--max-bytes", "1M", code=1).strip()
    sizes = finding("sizes.lacuna", [("trace.json.gz", trace)],
                    lambda data: data.replace(struct.pack("<I", len(trace)), struct.pack("<I", 1 << 30)))
    done = subprocess.run([os.environ["LACUNA_BIN"], "info", sizes], capture_output=True, text=True)
    assert done.returncode in (0, 1) and done.stdout + done.stderr, done
    for view in (b"[" * 100_000, b"{\"version\": 1, \"view\": {\"beginNs\": 1e99, \"endNs\": 2}}", b"\xff" * 100, b" " * (5 << 20)):
        path = finding("view.lacuna", [("trace.json.gz", trace), ("view.state", view)])
        assert json.loads(lacuna("notes", path, "--json", state=folder / "nobody"))["notes"] == []
        assert slices(path) == [[1000, 1000]]


with tempfile.TemporaryDirectory() as made:
    place = pathlib.Path(made)
    writers_at_the_same_time_lose_nothing(place)
    kept, listed = notes_are_kept_and_handed_on(place)
    a_finding_opens_elsewhere(place, kept, listed)
    scrubbed_tells_nobody(place)
    a_scrubbed_report_is_the_original_or_says_so(place)
    several_ranks_go_together(place)
    strangers_are_refused(place)
