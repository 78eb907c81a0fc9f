#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets: make_seeds.py OUTPUT_FOLDER

OUT/json: real traces cut down to a few events of each kind (tests/fixtures, and ../shared/traces when
it is there), and the JSON literals of the importer's own tests. OUT/compression: some of them as gzip
and zstd. OUT/pickle: snapshots and dumps. OUT/sql: the queries of the tests.
OUT/nsys: small SQLite files with the tables of an export, and of other profilers. OUT/xplane: planes of XProf. OUT/perfetto: traces with a packet of each kind. OUT/stacks: a
profile of each kind. OUT/archive: zip and tar. OUT/settings: every setting. OUT/wire: records of every type (capture/wire/record.h). Deterministic; standard library only.
"""
import gzip
import io
import json
import os
import pathlib
import pickle
import re
import sqlite3
import struct
import sys
import tarfile
import tempfile
import zipfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST_BYTES = 4096         # of a seed: small inputs are fuzzed fast
MOST_FILE = 20 << 20      # traces larger than this have nothing that smaller ones lack


def texts():
    """The JSON texts of traces at hand, decompressed."""
    shared = pathlib.Path(os.environ.get("LACUNA_SHARED_TRACES", ROOT.parent / "shared" / "traces"))
    folders = [ROOT / "tests" / "fixtures", ROOT / "assets", shared]
    for folder in folders:
        if not folder.is_dir():
            continue
        for path in sorted(folder.rglob("*")):
            if not path.is_file() or not re.search(r"\.(json|gz)$", path.name):
                continue
            if re.search(r"\.(facts|ref)\.json$|\.txt\.gz$", path.name):
                continue
            data = path.read_bytes()
            if data[:2] == b"\x1f\x8b":
                data = zlib.decompressobj(31).decompress(data, MOST_FILE + 1)
            if len(data) <= MOST_FILE:
                yield data.decode("utf-8", "replace")


def cut_down(text):
    """The first event of each (phase, category) with the keys around them; None when it is broken."""
    try:
        trace = json.loads(text)
    except ValueError:
        return None
    events = trace if isinstance(trace, list) else trace.get("traceEvents", [])
    if not isinstance(events, list):
        return None
    seen, chosen, size = {}, [], 0
    for event in events:
        if not isinstance(event, dict):
            continue
        kind = (str(event.get("ph")), str(event.get("cat")))
        seen[kind] = seen.get(kind, 0) + 1
        length = len(json.dumps(event))
        if seen[kind] <= 2 and size + length < MOST_BYTES * 3 // 4:
            chosen.append(event)
            size += length
    if isinstance(trace, list):
        return json.dumps(chosen, ensure_ascii=False)
    head = {k: v for k, v in trace.items() if k != "traceEvents" and len(json.dumps(v)) < 300}
    return json.dumps({**head, "traceEvents": chosen}, ensure_ascii=False, separators=(",", ":"))


def literals():
    """Raw string literals of the tests that look like JSON."""
    for path in sorted((ROOT / "tests" / "import").glob("*.cpp")):
        for literal in re.findall(r'R"\((.*?)\)"', path.read_text(encoding="utf-8"), re.DOTALL):
            if literal.lstrip().startswith(("{", "[")):
                yield literal
                yield f'{{"traceEvents":[{literal}]}}' if literal.startswith("{\"ph") else f"[{literal}"


def zstd_raw(data):
    """A zstd frame of one raw block: valid, not compressed."""
    return b"\x28\xb5\x2f\xfd" + b"\x80" + b"\x58" + struct.pack("<I", len(data)) + \
        struct.pack("<I", len(data) << 3 | 1)[:3] + data


SLOT = 16
# Type: slots, as in capture/wire/record.h.
THREAD_RECORDS = {1: 3, 2: 1, 3: 3, 4: 1, 5: 3, 6: 3, 7: 1, 8: 3, 9: 1, 10: 1}
GPU_RECORDS = {40: 7, 41: 5, 42: 5, 43: 3, 44: 3, 45: 3, 46: 7, 47: 4}


def record(kind, slots, time, name=2, depth=0):
    return struct.pack("<QIHBB", time, name, 0, kind, depth).ljust(SLOT, b"\0") + \
        struct.pack("<Q", time + 50).ljust(SLOT * (slots - 1), b"\1")[:SLOT * (slots - 1)]


def object_name(kind, device, number):
    """A CUDA device, context or stream gets the name 2."""
    return struct.pack("<QIHBBIIII", 5, 2, 0, 27, 0, kind, device, number, 0)


def gpu_record(kind, slots, device, context, stream):
    """A kernel or graph (head, end, correlation, device, context, stream) whose objects have those names."""
    return struct.pack("<QIHBBQIIII", 200, 2, 0, kind, 0, 250, 1, device, context, stream).ljust(SLOT * slots, b"\1")


def to_ring(ring, data):
    """As wire_fuzz.cpp reads it: the ring, the number of slots, the slots."""
    return bytes((ring, len(data) // SLOT)) + data


def wire_seeds():
    control = struct.pack("<QIHBB", 4, 2, 0, 20, 0) + b"name".ljust(SLOT, b"\0")  # a string
    control += b"".join(record(kind, 2, 5) for kind in (22, 23, 24, 25)) + record(21, 1, 5) + record(26, 3, 5)
    for kind, slots in THREAD_RECORDS.items():
        begun = record(1, 3, 1) + record(2, 1, 100)
        yield to_ring(0, control) + to_ring(2, begun + record(kind, slots, 200, depth=1) + record(4, 1, 300))
    for kind, slots in GPU_RECORDS.items():
        yield to_ring(0, control) + to_ring(2, record(1, 3, 1)) + to_ring(1, record(kind, slots, 200) * 2 + record(43, 3, 100))
    objects = object_name(0, 0, 1) + object_name(1, 0, 3) + object_name(2, 1, 7) + object_name(2, 0xffffffff, 8) + \
        object_name(3, 0, 0)
    used = gpu_record(40, 7, 1, 3, 7) + gpu_record(46, 7, 1, 3, 8)
    yield to_ring(0, control + objects) + to_ring(1, used)
    yield to_ring(0, control) + to_ring(1, used) + to_ring(0, objects) + to_ring(1, used)


def pickle_seeds():
    """A snapshot of every kind of entry, and a dump of the flight recorder."""
    stack = [{"name": "f", "filename": "/a/b.py", "line": 3}, {"name": "forward", "filename": "/a/c.py", "line": 4}]
    events = [{"action": action, "addr": 4096 * n, "size": 4096, "stream": n % 2, "time_us": 1_750_000_000_000_000 + n,
               "frames": stack[n % 2:]}
              for n, action in enumerate(("segment_alloc", "alloc", "free_requested", "free_completed", "segment_map",
                                          "segment_unmap", "segment_free", "snapshot", "oom", "mine", "alloc"))]
    blocks = [{"address": 40960, "size": 4096, "requested_size": 4000, "state": "active_allocated", "frames": stack},
              {"size": 512, "state": "inactive", "history": [{"real_size": 500, "frames": stack, "addr": 0}]}]
    segment = {"device": 0, "address": 40960, "total_size": 4608, "allocated_size": 4096, "active_size": 4096,
               "stream": 0, "segment_type": "small", "segment_pool_id": (0, 1), "is_expandable": True,
               "frames": [], "blocks": blocks}
    notes = [{"stage": stage, "name": "ProfilerStep#1", "device": 0, "time_us": 1_750_000_000_000_004} for stage in ("START", "END")]
    snapshot = {"segments": [segment], "device_traces": [events, [], events[:2]], "external_annotations": notes,
                "allocator_settings": {"expandable_segments": False, "x": {"1": 0.5}}}
    entry = {"pg_id": 0, "process_group": ("0", "default_pg"), "collective_seq_id": 3, "p2p_seq_id": 0, "record_id": 1,
             "profiling_name": "nccl:all_reduce", "state": "started", "is_p2p": False, "retired": False,
             "time_created_ns": 1_790_000_000_000_000_000, "time_discovered_completed_ns": None,
             "input_sizes": [[10, 20]], "input_dtypes": ["Float"], "frames": stack}
    dump = {"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
            "pg_status": {"0": {"last_completed_collective": 2}}, "entries": [entry, {**entry, "is_p2p": True}]}
    for protocol in (2, 4):
        for value in (snapshot, [segment], dump):
            yield pickle.dumps(value, protocol)
    yield b"[[-1, 1, 10, 0], [5000, 2, 20, 4]]"
    yield b"[[1, 2], [[0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 0, 0, 0, 0, 0]]]"


def sql_seeds():
    """The queries in the tests of model/query."""
    for path in sorted((ROOT / "tests" / "query").glob("*.cpp")):
        text = re.sub(r'"\s*\n\s*"', "", path.read_text(encoding="utf-8"))  # literals that go on
        for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
            if re.match(r"(?i)\s*(SELECT|WITH|CREATE|INCLUDE|DROP|EXPLAIN)\b", literal):
                yield literal.replace('\\"', '"').replace("\\n", "\n")


def nsys_seeds():
    """The export that the tests make, whole, with a view for a table, and with each table alone."""
    text = (ROOT / "tests" / "query" / "nsys_test.cpp").read_text(encoding="utf-8")
    script = re.search(r'kExport = R"\((.*?)\)"', text, re.DOTALL).group(1)
    tables = re.findall(r"CREATE TABLE (\w+)", script)
    alone = [";".join(s for s in script.split(";") if re.search(rf"\b{table}\b", s)) + ";" for table in tables]
    view = script + "CREATE VIEW OSRT_API AS SELECT start, end, globalTid, nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME;"
    with tempfile.TemporaryDirectory() as folder:
        for number, statements in enumerate([script, view, *alone]):
            path = pathlib.Path(folder) / f"{number}.sqlite"
            connection = sqlite3.connect(path)
            connection.executescript("PRAGMA page_size = 512;" + statements)
            connection.close()
            yield path.read_bytes()


def dialect_seeds():
    """Chrome JSON of other profilers, of a few kernels."""
    os.environ.setdefault("LACUNA_BIN", "")
    sys.path.insert(0, str(ROOT / "tests" / "golden"))
    import other_profilers_test as others
    with tempfile.TemporaryDirectory() as folder:
        for name, write in others.WRITERS.items():
            if name.endswith(".json"):
                path = pathlib.Path(folder, name)
                write(path, others.work(1)[:3])
                yield path.read_text(encoding="utf-8")


def database_seeds():
    """What other profilers write into SQLite files: the databases of their tests, grown by one script after another."""
    for path in (ROOT / "tests" / "formats" / f"{name}_test.cpp" for name in ("rocpd", "ascend")):
        scripts = re.findall(r'R"\((.*?)\)"', path.read_text(encoding="utf-8"), re.DOTALL)
        with tempfile.TemporaryDirectory() as folder:
            for number, script in enumerate(s for s in scripts if "CREATE TABLE" in s or "INSERT INTO" in s):
                if "VALUES('schema_version'" in script or "CREATE TABLE STRING_IDS" in script:
                    file = pathlib.Path(folder) / f"{number}.sqlite"
                connection = sqlite3.connect(file)
                connection.executescript("PRAGMA page_size = 512;" + script.replace("@", ""))
                connection.close()
                yield file.read_bytes()


def field(number, value):
    """A field of protobuf: a number, or bytes."""
    def varint(n):
        return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def stack_seeds():
    """A profile as each sampling profiler writes it; the ends of texts are cut off by who mutates them."""
    frames = [{"name": "main", "file": "/app/train.py", "line": 3}, {"name": "step"}]
    schema = "https://www.speedscope.app/file-format-schema.json"
    yield json.dumps({"$schema": schema, "shared": {"frames": frames}, "profiles": [
        {"type": "sampled", "name": "t", "unit": "seconds", "startValue": 0, "samples": [[0, 1], [0]], "weights": [0.1, 0.2]},
        {"type": "evented", "name": "e", "unit": "none", "events": [
            {"type": "O", "at": 1, "frame": 0}, {"type": "C", "at": 2, "frame": 0}]}]}).encode()
    tables = {"stackTable": {"prefix": [None, 0], "frame": [0, 1]}, "frameTable": {"func": [0, 1], "line": [None, 7]},
              "funcTable": {"name": [0, 1], "fileName": [2, 2]}, "stringArray": ["main", "step", "a.py"]}
    yield json.dumps({"meta": {"interval": 1, "startTime": 5}, "shared": tables, "threads": [
        {"name": "t", "pid": 1, "tid": "2", "samples": {"stack": [1, 0], "timeDeltas": [1, 2]}}]}).encode()
    yield json.dumps({"meta": {"interval": 1}, "threads": [
        {"name": "t", "samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 1.5], [None, 2]]},
         "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None, 0]]},
         "frameTable": {"schema": {"location": 0}, "data": [[0]]}, "stringTable": ["f (in libc.so)"]}]}).encode()
    yield (b"py app 10/11 [003] 5.000001: 25 cycles:u:\n\t7f00aa step+0x3c (/usr/lib/a.so)\n"
           b"\t7f00bb py::main:/a.py (/tmp/perf-10.map)\n\n")
    yield b"main;step;read 2\nidle 1\n"
    yield bytes.fromhex("0a0408031004" "12060a0201021201ff" "220608011a0208" "2204080122020801" "2a0408011005") + \
        b"".join(b"\x32" + bytes([len(s)]) + s for s in (b"", b"main", b"step", b"cpu", b"nanoseconds", b"f"))
    for path in sorted((ROOT / "tests" / "fixtures" / "requests").glob("*.otel.json*")):
        yield path.read_bytes()


def archive_seeds():
    """Archives with a stored, a deflated and a nested file."""
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as zipped:
            zipped.writestr(zipfile.ZipInfo("a/b.json"), '{"traceEvents":[]}', method)
            zipped.writestr(zipfile.ZipInfo("../c.json"), "[]", method)
        yield out.getvalue()
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=form) as tar:
            for name in ("a.json", "d" * 120 + ".json"):
                entry = tarfile.TarInfo(name)
                entry.size = 2
                tar.addfile(entry, io.BytesIO(b"[]"))
        yield out.getvalue()[:MOST_BYTES]


def xplane_seeds():
    """A GPU with a stream and a line beside it, and a host, with stats of each kind."""
    def event(name, offset, duration, *stats):
        return field(4, field(1, name) + field(2, offset) + field(3, duration) + b"".join(field(4, s) for s in stats))

    def names(number, *texts):
        return b"".join(field(number, field(1, i + 1) + field(2, field(1, i + 1) + field(2, text)))
                        for i, text in enumerate(texts))
    stats = [field(1, 1) + field(3, 7), field(1, 2) + field(5, "regs:32 grid:1,2,3 block:4,5,6 size:7"),
             field(1, 3) + field(7, 1), field(1, 3) + b"\x11" + struct.pack("<d", 0.5)]
    known = names(4, "gemm", "MemcpyD2H", "$a.py:3 f") + names(5, "correlation_id", "kernel_details", "hlo_op")
    for plane, lines in (("/device:GPU:0", ("Stream #13(Compute)", "XLA Modules")), ("/host:CPU", ("python",)),
                         ("/device:TPU:0", ("XLA Ops", "Steps"))):
        body = field(1, 1) + field(2, plane)
        for number, line in enumerate(lines):
            body += field(3, field(1, number) + field(2, line) + field(3, 1000) + event(1, 5000, 1000, *stats) +
                          event(2, 8001, 1999) + event(3, 0, 9000, stats[0]))
        yield field(1, body + known) + field(4, "host")


def varint(number):
    """As protobuf writes it; negative ones in ten bytes."""
    number &= (1 << 64) - 1
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def message(*fields):
    """A protobuf message of (number, value): integers, floats, texts, and bytes of messages."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        elif isinstance(value, float):
            out += varint(number << 3 | 1) + struct.pack("<d", value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return out


def perfetto_seeds():
    """Packets of each kind that is read, alone and in one trace (protos/perfetto/trace)."""
    def named(number, text):
        return message((1, number), (2, text))

    def annotated(*values):
        return tuple((4, message((10, f"key{i}"), value)) for i, value in enumerate(values))
    nested = ((11, message((10, "a"), (4, -1))), (11, message((10, "b"), (12, message((5, 1.5))))))
    packets = [
        message((8, 1), (6, message((1, message((1, 6), (2, 100))), (1, message((1, 1), (2, 10**18))),
                                    (1, message((1, 64), (2, 5), (3, 1), (4, 1000))), (2, 6)))),
        message((8, 1), (60, message((1, 1), (3, message((1, 5), (6, "app"), (8, "label")))))),
        message((8, 1), (60, message((1, 2), (5, 1), (4, message((1, 5), (2, 7), (5, "main")))))),
        message((8, 1), (60, message((1, 3), (5, 2), (2, "COMPUTE AGENT [4] QUEUE [1] GPU"), (12, -3), (11, 3)))),
        message((8, 1), (60, message((1, 4), (5, 3), (8, message((3, 3), (4, 1000), (5, 1)))))),
        message((10, 1), (13, 1), (12, message((1, named(1, "cat")), (2, named(1, "name")), (3, named(1, "key")),
                                               (29, named(1, "value")), (24, named(1, "Kernel")),
                                               (24, named(2, "[7] stream 7")), (23, message((1, 1), (2, 5), (3, 4))),
                                               (1000, named(1, "sgemm")), (1001, named(1, "registers_per_thread")))),
                (59, message((58, 64), (11, message((11, 2), (31, 4)))))),
        message((10, 1), (13, 2), (8, 10), (11, message((9, 1), (3, 1), (10, 1), (12, 4), (3000, message((1, 9), (2, 8))),
                                                        *annotated((4, 1), (3, 2**63), (6, "x"), (2, 1), *nested)))),
        message((10, 1), (13, 2), (8, 10), (11, message((9, 2), *annotated((9, "[1]"), (7, 4096))))),
        message((10, 1), (8, 30), (58, 6), (11, message((9, 3), (11, 3), (22, "c"), (23, "i"), (36, 5), (42, 6)))),
        message((10, 1), (8, 40), (58, 6), (11, message((9, 4), (11, 4), (30, 7)))),
        message((10, 1), (8, 50), (58, 6), (11, message((11, 0), (23, "x"), (6, message((2, ord("X")), (3, 10), (8, 1),
                                                                                     (13, 2), (18, 5), (19, 7)))))),
        message((10, 1), (8, 50), (58, 6), (11, message((23, "b"), (6, message((2, ord("b")), (11, 3), (7, "s")))))),
        message((10, 1), (13, 2), (8, 60), (58, 6), (53, message((1, 9), (2, 10), (13, 2), (14, 1), (19, 1), (18, 8),
                (5, 1), (6, message((1, "correlation"), (2, "12"))), (15, 6),
                (21, message((1, message((1, 4))), (3, message((1, 1), (4, 32)))))))),
        message((8, 70), (58, 6), (53, message((2, 10), (3, 0), (4, 0), (7, message((2, message((1, "q"))),
                                                                                  (3, message((1, "s")))))))),
        message((8, 70), (58, 6), (52, message((3, 0), (1, message((1, message((1, 1), (2, "power"), (7, 29))))),
                                               (2, message((1, 1), (3, 2.5)))))),
        message((8, 70), (58, 6), (63, message((1, 3), (2, "tag"), (3, "text")))),
        message((8, 70), (58, 6), (65, message((2, message((1, 5), (5, 1), (5, 2)))))),
        message((8, 70), (58, 6), (129, message((1, 0), (2, 100)))),
        message((128, message((1, message((1, "GPU"), (5, "uuid"), (6, message((1, "k"), (2, "v")))))))),
        message((2, message((1, message((1, 5), (3, "app"))), (2, message((1, 7), (2, "main"), (3, 5)))))),
        message((10, 1), (44, message((1, 5), (2, 7), (6, 1000)))),
        message((10, 1), (11, message((1, 5), (2, 5), (8, 5), (9, 1), (23, "old")))),
        message((10, 1), (42, 1)), message((8, 1), (1, b"")),
    ]
    whole = b"".join(message((1, packet)) for packet in packets)
    yield whole
    yield message((1, message((50, zlib.compress(whole)))))
    yield message((1, message((133, zstd_raw(whole)))))
    for packet in packets:
        yield message((1, packet))


SETTINGS = {  # each of a kind and within its bounds
    "theme": "light", "gpuFirst": False, "gpuStays": False, "squeezeFrames": False, "colourByClass": True,
    "headline": False, "reportRight": True, "tourSeen": True, "uiScale": 1.25, "drawerPart": 0.3, "memoryPart": 0.5,
    "detailsPart": 0.3, "reportPart": 0.4, "headerPx": 300, "windowWidth": 1280, "windowHeight": 800,
    "hiddenColumns": ["statistics/Min"], "keys": {"zoom-in": "w", "pan-left": ["a", "Left"], "quit": None},
    "recent": ["/a/b.json"], "queries": ["SELECT 1"], "savedQueries": ["SELECT 2"],
    "places": [{"host": "box", "transport": "docker exec -i box"}],
    "launches": [{"command": "python a.py", "directory": "~", "environment": "A=b", "nvtx": True, "cuda": False,
                  "wait": 1, "warmup": 1, "active": 3, "repeat": 1, "keep": "seconds", "limit": 60}]}


def main():
    out = pathlib.Path(sys.argv[1])
    plain, packed, wire, pickles = out / "json", out / "compression", out / "wire", out / "pickle"
    queries, databases, settings = out / "sql", out / "nsys", out / "settings"
    planes, perfetto = out / "xplane", out / "perfetto"
    stacks, archives = out / "stacks", out / "archive"
    for folder in (plain, packed, wire, pickles, queries, databases, planes, settings, perfetto, stacks, archives):
        folder.mkdir(parents=True, exist_ok=True)
    seeds = []
    for text in texts():
        if len(text) <= MOST_BYTES:
            seeds.append(text)
        elif (small := cut_down(text)) is not None:
            seeds.append(small)
    seeds += literals()
    seeds += dialect_seeds()
    unique = sorted({seed.encode()[:MOST_BYTES] for seed in seeds})
    for number, seed in enumerate(unique):
        (plain / f"seed_{number:04}").write_bytes(seed)
    for number, seed in enumerate(unique[:: max(1, len(unique) // 12)]):
        zipped = gzip.compress(seed, mtime=0)
        (packed / f"gzip_{number:02}").write_bytes(zipped)
        (packed / f"gzip_members_{number:02}").write_bytes(zipped + gzip.compress(b"[]", mtime=0))
        (packed / f"zstd_{number:02}").write_bytes(zstd_raw(seed))
        (packed / f"zstd_gzip_{number:02}").write_bytes(zstd_raw(zipped) + b"\x50\x2a\x4d\x18\x02\0\0\0ab")
    for number, seed in enumerate(wire_seeds()):
        (wire / f"records_{number:02}").write_bytes(seed)
    for number, seed in enumerate(pickle_seeds()):
        (pickles / f"pickle_{number:02}").write_bytes(seed)
    for number, seed in enumerate(sorted(set(sql_seeds()))):
        (queries / f"query_{number:03}").write_text(seed, encoding="utf-8")
    for number, seed in enumerate(nsys_seeds()):
        (databases / f"export_{number:02}").write_bytes(seed)
    for number, seed in enumerate(database_seeds()):
        (databases / f"database_{number:02}").write_bytes(seed)
    for number, seed in enumerate(xplane_seeds()):
        (planes / f"plane_{number}").write_bytes(seed)
    for number, seed in enumerate(perfetto_seeds()):
        (perfetto / f"trace_{number:02}").write_bytes(seed)
    for number, seed in enumerate(stack_seeds()):
        (stacks / f"profile_{number}").write_bytes(seed)
    for number, seed in enumerate(archive_seeds()):
        (archives / f"archive_{number}").write_bytes(seed)
    (settings / "all").write_text(json.dumps(SETTINGS), encoding="utf-8")
    print(f"{len(unique)} JSON seeds in {plain}")


if __name__ == "__main__":
    main()
