#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets: make_seeds.py OUTPUT_FOLDER

OUT/json: real traces cut down to a few events of each kind (tests/fixtures, and ../shared/traces when
it is there), and the JSON literals of the importer's own tests. OUT/compression: some of them as gzip
and zstd. Deterministic; standard library only.
"""
import gzip
import json
import os
import pathlib
import re
import struct
import sys
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


def main():
    out = pathlib.Path(sys.argv[1])
    plain, packed = out / "json", out / "compression"
    for folder in (plain, packed):
        folder.mkdir(parents=True, exist_ok=True)
    seeds = []
    for text in texts():
        if len(text) <= MOST_BYTES:
            seeds.append(text)
        elif (small := cut_down(text)) is not None:
            seeds.append(small)
    seeds += literals()
    unique = sorted({seed.encode()[:MOST_BYTES] for seed in seeds})
    for number, seed in enumerate(unique):
        (plain / f"seed_{number:04}").write_bytes(seed)
    for number, seed in enumerate(unique[:: max(1, len(unique) // 12)]):
        zipped = gzip.compress(seed, mtime=0)
        (packed / f"gzip_{number:02}").write_bytes(zipped)
        (packed / f"gzip_members_{number:02}").write_bytes(zipped + gzip.compress(b"[]", mtime=0))
        (packed / f"zstd_{number:02}").write_bytes(zstd_raw(seed))
        (packed / f"zstd_gzip_{number:02}").write_bytes(zstd_raw(zipped) + b"\x50\x2a\x4d\x18\x02\0\0\0ab")
    print(f"{len(unique)} JSON seeds in {plain}")


if __name__ == "__main__":
    main()
