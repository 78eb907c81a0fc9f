#!/usr/bin/env python3
"""What opening the files of other profilers costs, against looking at each of their bytes once:

    LACUNA_BIN=build/release/app/lacuna tests/bench/other_formats.py [--events 400000] [--rounds 3]

Each kind is written once, with names and nesting as its profiler writes them, and opened by `lacuna info --no-cache`, less
what that takes of an empty trace. The floor is zlib's crc32 over the bytes, as they are in memory; both take turns."""

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import tempfile
import time
import zlib

LACUNA = os.environ.get("LACUNA_BIN", "build/release/app/lacuna")
NAMES = [f"module.layer{i}.forward" for i in range(200)]


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """A field of protobuf: a number, text, bytes, or the fields of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def collapsed(count, file):
    for i in range(count):
        file.write(f"main;train;step;{NAMES[i % 200]};aten::op{i % 1000} {i % 9 + 1}\n".encode())


def perf_script(count, file):
    for i in range(count // 4):
        file.write(f"python3 4711/4712 {100 + i / 1e4:.6f}: 10000 cycles:\n\t    7f01 {NAMES[i % 200]}+0x10 (/usr/lib/a.so)\n"
                   f"\t    7f02 step+0x1 (train)\n\t    7f03 main+0x1 (train)\n\n".encode())


def speedscope(count, file):
    frames = [{"name": name, "file": "a.py", "line": i} for i, name in enumerate(NAMES)]
    events = []
    for i in range(count // 2):
        events += [{"type": "O", "frame": i % 200, "at": i * 2}, {"type": "C", "frame": i % 200, "at": i * 2 + 1}]
    file.write(json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": frames},
                           "profiles": [{"type": "evented", "name": "t", "unit": "microseconds", "startValue": 0,
                                         "endValue": count, "events": events}]}).encode())


def pprof(count, file):
    texts = ["", "cpu", "nanoseconds", *NAMES]
    file.write(field(1, field(1, 1) + field(2, 2)))
    for i in range(200):
        file.write(field(5, field(1, i + 1) + field(2, i + 3)))
        file.write(field(4, field(1, i + 1) + field(4, field(1, i + 1))))
    for i in range(count // 2):
        places = b"".join(varint((i + k) % 200 + 1) for k in range(6))
        file.write(field(2, field(1, places) + field(2, varint(10000))))
    for text in texts:
        file.write(field(6, text))


def perfetto(count, file):
    track = field(60, field(1, 7) + field(2, "t") + field(4, field(1, 1) + field(2, 2)))
    file.write(field(1, track + field(10, 1)))
    for i in range(count // 2):
        for kind, more in ((1, field(23, NAMES[i % 200])), (2, b"")):
            event = field(9, kind) + field(11, 7) + more
            file.write(field(1, field(8, i * 2000 + kind * 500) + field(10, 1) + field(11, event)))


def nccl_inspector(count, file):
    for i in range(count // 8):
        file.write(json.dumps({"header": {"id": "0x1", "rank": 0, "n_ranks": 8, "nnodes": 1},
                               "metadata": {"inspector_output_format_version": "v4.0", "dump_timestamp_us": 1000 + 10 * i,
                                            "hostname": "h", "pid": 1},
                               "coll_perf": {"coll": "AllReduce", "coll_sn": i, "coll_msg_size_bytes": 1048576,
                                             "coll_exec_time_us": 8, "coll_algobw_gbs": 1.5, "coll_busbw_gbs": 2.5}}).encode()
                   + b"\n")


def rpd(count, file):
    file.close()
    os.remove(file.name)
    base = sqlite3.connect(file.name)
    base.executescript("CREATE TABLE rocpd_string(id, string);"
                       "CREATE TABLE rocpd_op(id, gpuId, queueId, start, \"end\", description_id, opType_id);"
                       "CREATE TABLE rocpd_api(id, pid, tid, start, \"end\", apiName_id, args_id);"
                       "CREATE TABLE rocpd_api_ops(api_id, op_id);")
    base.executemany("INSERT INTO rocpd_string VALUES(?, ?)", list(enumerate(NAMES, 1)))
    rows = range(1, count // 2)
    base.executemany("INSERT INTO rocpd_op VALUES(?, 0, 0, ?, ?, ?, 1)", ((i, i * 10 + 5, i * 10 + 9, i % 200 + 1) for i in rows))
    base.executemany("INSERT INTO rocpd_api VALUES(?, 1, 1, ?, ?, ?, 1)", ((i, i * 10, i * 10 + 4, i % 200 + 1) for i in rows))
    base.executemany("INSERT INTO rocpd_api_ops VALUES(?, ?)", ((i, i) for i in rows))
    base.commit()
    base.close()


KINDS = {"a.collapsed": collapsed, "a.perf.txt": perf_script, "a.speedscope.json": speedscope, "a.pprof": pprof,
         "a.pftrace": perfetto, "a.jsonl": nccl_inspector, "a.rpd": rpd}


def seconds(path):
    began = time.monotonic()
    done = subprocess.run([LACUNA, "info", "--no-cache", path], capture_output=True, text=True)
    took = time.monotonic() - began
    assert done.returncode == 0, (path, done.stderr)
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--events", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{options.events} events, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="lacuna_bench_") as folder:
        empty = os.path.join(folder, "empty.json")
        with open(empty, "w") as file:
            file.write('{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]}')
        for name, write in KINDS.items():
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                write(options.events, file)
            with open(path, "rb") as file:
                data = file.read()
            rows = []
            for _ in range(options.rounds):
                start = seconds(empty)
                opened = seconds(path) - start
                began = time.monotonic()
                zlib.crc32(data)
                rows.append((opened, time.monotonic() - began))
            opened = statistics.median(row[0] for row in rows)
            ratio = statistics.median(row[0] / row[1] for row in rows)
            print(f"{name:<20} {len(data) / 1e6:7.1f} MB  {opened * 1e3:7.0f} ms  {len(data) / 1e6 / opened:6.0f} MB/s  "
                  f"{ratio:6.1f} x the floor")


if __name__ == "__main__":
    main()
