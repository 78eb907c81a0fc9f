#!/usr/bin/env python3
"""`lacuna mcp`, asked by the SDK's own client: every tool against real traces, hostile arguments, and a transcript from
"why is it slow" to what was planted. Where the mcp package is absent only what needs no SDK is tested."""
import asyncio
import base64
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"])
sys.path[:0] = [str(SOURCE / "app" / "python"), str(SOURCE / "tests" / "support")]
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
import simulated_runs  # noqa: E402

from lacuna import LacunaError  # noqa: E402
from lacuna.agents.answers import fit  # noqa: E402
from lacuna.agents.folders import Folders  # noqa: E402

DEMO = SOURCE / "assets" / "demo.trace.json.gz"
READING = {"open", "brief", "report", "gaps", "statistics", "query", "critical_path", "what_if", "compare", "job", "memory",
           "picture"}


def refusal(call):
    try:
        call()
    except LacunaError as error:
        return str(error)
    raise AssertionError("nothing was refused")


def test_only_files_below_the_folders(folder):
    inside, outside = folder / "in", folder / "outside"
    for made in (inside / "sub", outside, folder / "in-too"):
        made.mkdir(parents=True)
    for file in (inside / "a.json", inside / "sub" / "b.json", outside / "secret.json", folder / "in-too" / "c.json"):
        file.write_text("{}")
    (inside / "link.json").symlink_to(outside / "secret.json")
    (inside / "way").symlink_to(outside)
    (inside / "fine.json").symlink_to(inside / "sub" / "b.json")
    folders = Folders([str(inside)])
    assert folders.trace("a.json") == folders.trace(str(inside / "a.json")) == str(inside / "a.json")
    assert folders.trace("fine.json") == str(inside / "sub" / "b.json")
    for path in ("../outside/secret.json", "link.json", "way/secret.json", str(outside / "secret.json"), "/etc/passwd",
                 "sub/../../outside/secret.json", str(folder / "in-too" / "c.json"), "way", "/"):
        assert "outside" in refusal(lambda: folders.there(path)), path
    for path in ("", "a\0.json", "missing.json", "x" * 100_000, "\udcff"):
        refusal(lambda: folders.there(path))
    assert folders.traces(".") == [str(inside / "a.json"), str(inside / "sub" / "b.json")]  # of fine.json; not link.json
    assert folders.new_trace("sub/new.json.gz") == str(inside / "sub" / "new.json.gz")
    for path in ("a.json", "link.json", "way/new.json", "../new.json", "new.sh", "none/new.json", ".bashrc"):
        refusal(lambda: folders.new_trace(path))
    refusal(lambda: Folders([]))
    refusal(lambda: Folders([str(inside / "missing")]))


def test_answers_fit():
    document = {"a": list(range(10_000)), "b": {"rows": [{"name": "x" * 50, "n": i} for i in range(500)]}, "kept": 1}
    text = fit(document, 2000)
    assert len(text) <= 2000
    said = json.loads(text)
    assert said["kept"] == 1 and said["a"][0] == 0 and said["leftOut"]["b.rows"] == 500 - len(said["b"]["rows"])
    assert said["leftOut"]["a"] == 10_000 - len(said["a"])
    assert json.loads(fit({"small": [1, 2]}, 2000)) == {"small": [1, 2]}
    assert len(fit({"text": "y" * 9000}, 2000)) < 2100


def client_of(words):
    """A client of either version of the SDK: (async context of something with list_tools() and call_tool())."""
    import contextlib

    from mcp import ClientSession, StdioServerParameters, stdio_client

    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "app" / "python")}
    server = StdioServerParameters(command=sys.executable, args=["-B", "-m", "lacuna", "mcp", *map(str, words)], env=environment)

    @contextlib.asynccontextmanager
    async def connected():
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            yield session

    return connected()


async def asked(session, tool, **arguments):
    """(whether it is an error, text or bytes)"""
    result = await session.call_tool(tool, arguments)
    is_error = getattr(result, "is_error", None) or getattr(result, "isError", False)
    part, = result.content
    return bool(is_error), base64.b64decode(part.data) if part.type == "image" else part.text


async def told(session, tool, **arguments):
    is_error, text = await asked(session, tool, **arguments)
    assert not is_error, (tool, arguments, text)
    return json.loads(text) if isinstance(text, str) else text


async def refused(session, tool, **arguments):
    is_error, text = await asked(session, tool, **arguments)
    assert is_error and text, (tool, arguments, text)
    return text


async def check_tools(folder):
    trace = folder / "demo.trace.json.gz"
    trace.write_bytes(DEMO.read_bytes())
    async with client_of([folder]) as session:
        listed = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert set(listed) == READING | {"cut"}, set(listed)
        for tool in listed.values():
            schema = getattr(tool, "input_schema", None) or tool.inputSchema
            assert tool.description and schema["type"] == "object", tool
        name = trace.name
        assert [file["path"] for file in (await told(session, "open"))["traces"]] == [str(trace)]
        opened = await told(session, "open", path=name)
        start, end = opened["startNs"], opened["endNs"]
        brief, = (await told(session, "brief", trace=name))["briefs"]
        assert brief["answer"] and len(brief["places"]) <= 5
        for place in brief["places"]:
            assert start <= place["startNs"] <= place["endNs"] <= end
        sections = (await told(session, "report", trace=name))["reports"][0]["sections"]
        one = (await told(session, "report", trace=name, section=list(sections)[0]))["reports"][0]["sections"]
        assert list(one) == list(sections)[:1]
        assert (await told(session, "gaps", trace=name))["devices"][0]["causes"]
        assert await told(session, "gaps", trace=name, by="operator")
        assert (await told(session, "gaps", trace=name, by="longest", limit=3))["streams"]
        rows = (await told(session, "statistics", trace=name, group_by="class", limit=3))["rows"]
        assert 0 < len(rows) <= 3
        place = brief["places"][0]
        assert await told(session, "statistics", trace=name, start_ns=place["startNs"], end_ns=place["endNs"])
        answer = await told(session, "query", trace=name, sql="SELECT name, dur FROM slice ORDER BY dur DESC", limit=2)
        assert answer["columns"] == ["name", "dur"] and len(answer["rows"]) == 2 and answer["hasMore"]
        path = await told(session, "critical_path", trace=name)
        assert 0 < sum(row["totalNs"] for row in path["byName"]) <= path["wallNs"]
        gained = await told(session, "what_if", trace=name, without_causes=["sync"])
        assert gained["changes"] == ["--no-cause sync"] or gained["changes"], gained
        assert gained["predictedNs"] <= gained["replayedNs"]
        same = await told(session, "compare", before=name, after=name)
        assert same["verdict"] in ("same", "unknown")
        picture = await told(session, "picture", trace=name, start_ns=place["startNs"], end_ns=place["endNs"])
        assert picture.startswith(b"\x89PNG")
        cut = await told(session, "cut", trace=name, output="part.json.gz", start_ns=place["startNs"], end_ns=place["endNs"])
        assert cut["files"] == [str(folder / "part.json.gz")] and cut["events"] > 0
        assert (await told(session, "open", path="part.json.gz"))["slices"] > 0
        await refused(session, "cut", trace=name, output="part.json.gz", start_ns=place["startNs"], end_ns=place["endNs"])
    async with client_of([SOURCE / "tests" / "fixtures" / "eight_ranks"]) as session:
        job = await told(session, "job", folder=".")
        assert job["ranks"] == list(range(8)) and job["collectives"], job
    snapshot = {"segments": [], "device_traces": [[{"action": action, "addr": 1, "size": 4096, "stream": 0, "time_us": time,
                                                    "frames": [{"filename": "train.py", "line": 3, "name": "step"}]}
                                                   for time, action in enumerate(("alloc", "free_requested", "free_completed"))]]}
    (folder / "memory.pickle").write_bytes(pickle.dumps(snapshot, protocol=4))
    async with client_of([folder]) as session:
        assert (await told(session, "memory", path="memory.pickle"))["devices"][0]["peakActiveBytes"] == 4096


async def check_hostile(folder):
    (folder / "in").mkdir()
    (folder / "secret.json").write_text('{"traceEvents": []}')
    trace = folder / "in" / "demo.trace.json.gz"
    trace.write_bytes(DEMO.read_bytes())
    (folder / "in" / "broken.json").write_text('{"traceEvents": [')
    (folder / "in" / "--help").write_text("{}")
    name = trace.name
    async with client_of([folder / "in", "--characters", "5000"]) as session:
        for path in ("../secret.json", str(folder / "secret.json"), "/etc/passwd", "missing.json", "", "*", "\0", "--help",
                     "broken.json", "/proc/self/environ", "."):
            for tool in ("brief", "query") if path else ("brief",):
                said = await refused(session, tool, trace=path, **({"sql": "SELECT 1"} if tool == "query" else {}))
                assert "root:" not in said
        await refused(session, "compare", before=name, after="../secret.json")
        await refused(session, "job", folder="..")
        await refused(session, "cut", trace=name, output="../out.json.gz", steps="0..1")
        await refused(session, "cut", trace=name, output="out.sh", steps="0..1")
        await refused(session, "record", command=["touch", str(folder / "ran")], output="r.json.gz")
        assert not (folder / "ran").exists()
        for arguments in ({"tokens": -1}, {"tokens": 10**30}, {"tokens": "many"}, {"trace": 7}, {"tokens": 1.5}):
            await refused(session, "brief", **{"trace": name, **arguments})
        await refused(session, "gaps", trace=name, limit=10**9)
        await refused(session, "gaps", trace=name, by="--help")
        await refused(session, "statistics", trace=name, start_ns=1 << 70, end_ns=1 << 71)
        await refused(session, "statistics", trace=name, group_by="nothing")
        await refused(session, "statistics", trace=name, sort_by="--json")
        await refused(session, "what_if", trace=name, without_causes=["no such cause"])
        await refused(session, "picture", trace=name, start_ns=5)
        for sql in ("DROP TABLE slice", "ATTACH '/tmp/x' AS x", "SELECT load_extension('/tmp/x.so')", "SELEC", "",
                    f"SELECT readfile('{folder / 'secret.json'}')", "PRAGMA writable_schema = 1", "VACUUM INTO '/tmp/x'",
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
                    "SELECT " + "(" * 5000 + "1" + ")" * 5000, "SELECT 1;" * 200_000):
            await refused(session, "query", trace=name, sql=sql)
        for sql in ("SELECT hex(zeroblob(100000)) FROM slice", "SELECT name, name, name, dur FROM slice"):
            is_error, said = await asked(session, "query", trace=name, sql=sql, limit=1000)
            assert is_error or len(said) <= 5000, (sql, len(said))
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        answer = await told(session, "query", trace=name, sql=endless, limit=5)
        assert [row[0] for row in answer["rows"]] == [1, 2, 3, 4, 5] and answer["hasMore"]
        assert (await told(session, "brief", trace=name))["briefs"]  # it still answers


async def check_record(folder):
    async with client_of([folder, "--allow-record"]) as session:
        assert "record" in {tool.name for tool in (await session.list_tools()).tools}
        await refused(session, "record", command=[], output="r.json.gz")
        await refused(session, "record", command=["true"], output="../r.json.gz")
        await refused(session, "record", command=["true"], output="r.json.gz", seconds=1e9)
        made = await told(session, "record", command=[sys.executable, "-c", "sum(range(3000000)); print('done')"],
                          output="r.json.gz")
        assert made["trace"] == str(folder / "r.json.gz") and "done" in made["said"], made
        assert await told(session, "open", path="r.json.gz")


#: What an agent would see of each planted cause.
WORDS = {"item_sync": r"synchronisation.*aten::item|aten::item.*synchronisation", "data_loading": "DataLoader",
         "allocation": "cudaMalloc|cudaFree", "blocking_copy": "aten::to|cudaMemcpy", "communication": "AllReduce|NCCL|communicat"}


async def check_transcript(folder):
    """An agent that is asked "why is it slow" and follows what it is told."""
    gen = simulated_runs.simulator()
    if gen is None:
        print("transcript: skipped, as the shared simulator is not there")
        return
    for seed, (kind, words) in enumerate(WORDS.items(), start=60):
        simulated_runs.write(gen, folder / f"{kind}.json", *gen.run(kind, seed, 6, True, False, True), seed)
    async with client_of([folder]) as session:
        for kind, words in WORDS.items():
            name, calls, seen = f"{kind}.json", 0, ""
            brief, = (await told(session, "brief", trace=name))["briefs"]
            seen += json.dumps(brief)
            calls += 1
            place = brief["places"][0]
            seen += json.dumps(await told(session, "gaps", trace=name, by="operator"))
            seen += json.dumps(await told(session, "statistics", trace=name, start_ns=place["startNs"], end_ns=place["endNs"]))
            gained = await told(session, "what_if", trace=name)
            seen += json.dumps(gained["ranking"][:3])
            calls += 3
            assert calls <= 5 and brief["verdict"] == gen.VERDICT[kind], (kind, brief["verdict"])
            assert re.search(words, seen), (kind, seen)


def test_through_the_program(folder):
    """`lacuna mcp` of the program itself starts the module, and says what is missing where it is not installed."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "app" / "python"), "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run([os.environ["LACUNA_BIN"], "mcp", str(folder / "missing")], capture_output=True, text=True, env=environment,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 1 and "no such folder" in done.stderr, done
    (folder / "lacuna.py").write_text("raise SystemExit('the folder that one stands in is not looked at')")
    environment["PYTHONPATH"] = str(folder / "nothing")
    done = subprocess.run([os.environ["LACUNA_BIN"], "mcp", str(folder)], capture_output=True, text=True, env=environment, cwd=folder,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 1 and "pip install" in done.stderr and "is not looked at" not in done.stderr, done


def main():
    wanted = sys.argv[1:]
    tests = [test_only_files_below_the_folders, test_through_the_program]
    test_answers_fit()
    try:
        import mcp  # noqa: F401
    except ImportError:
        other = os.environ.pop("LACUNA_PYTHON_ENGINES", None)
        if other:  # it may have the package
            return subprocess.run([other, "-B", __file__, *wanted], check=False).returncode
        print("lacuna mcp with a client: skipped, as the mcp package is not there")
    else:
        tests += [lambda folder, check=check: asyncio.run(check(folder))
                  for check in (check_tools, check_hostile, check_record, check_transcript) if not wanted or check.__name__ in wanted]
    for test in tests:
        with tempfile.TemporaryDirectory() as made:
            test(pathlib.Path(made).resolve())
    return 0


sys.exit(main())
