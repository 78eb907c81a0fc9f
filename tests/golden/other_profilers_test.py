#!/usr/bin/env python3
"""The same work as each profiler writes it: info, stats and gaps must tell of it what is counted here, from the list of
what was done, and never from the files."""
import json
import os
import pathlib
import random
import sqlite3
import struct
import subprocess
import tempfile

LACUNA = os.environ["LACUNA_BIN"]
THREAD = 4711


def work(seed):
    """(stream, launch, start, end, correlation) in ns, streams busy one after the other, with gaps."""
    rng, done, free, now = random.Random(seed), [], {}, 1_000_000
    for correlation in range(1, 200):
        stream = rng.choice((1, 2))
        now += rng.randrange(2, 40) * 1000
        start = max(free.get(stream, 0), now + rng.randrange(5, 30) * 1000)
        end = start + rng.randrange(1, 60) * 1000
        free[stream] = end
        done.append((stream, now, start, end, correlation))
    return done


def wanted(done):
    answer = {}
    for stream in sorted({w[0] for w in done}):
        spans = sorted((w[2], w[3]) for w in done if w[0] == stream)
        window, busy = spans[-1][1] - spans[0][0], sum(end - start for start, end in spans)
        answer[str(stream)] = (len(spans), window, busy, window - busy)
    return answer


def database(path, script, tables):
    with sqlite3.connect(path) as file:
        file.executescript(script)
        for table, rows in tables.items():
            file.executemany(f"INSERT INTO {table} VALUES({','.join('?' * len(rows[0]))})", rows)
    file.close()


def rocpd(path, done):
    at = "_00001eca"
    database(path, f"""
CREATE TABLE rocpd_string{at}(id INTEGER PRIMARY KEY, string TEXT);
CREATE TABLE rocpd_info_agent{at}(id INTEGER PRIMARY KEY, nid, type, type_index);
CREATE TABLE rocpd_info_kernel_symbol{at}(id INTEGER PRIMARY KEY, display_name);
CREATE TABLE rocpd_event{at}(id INTEGER PRIMARY KEY, category_id, stack_id);
CREATE TABLE rocpd_region{at}(nid, pid, tid, start, "end", name_id, event_id);
CREATE TABLE rocpd_kernel_dispatch{at}(nid, pid, tid, agent_id, kernel_id, queue_id, stream_id, start, "end", event_id);
INSERT INTO rocpd_string{at} VALUES(1,'hipLaunchKernel'),(2,'HIP_RUNTIME_API_EXT'),(3,'KERNEL_DISPATCH');
INSERT INTO rocpd_info_agent{at} VALUES(5,1,'GPU',0);
INSERT INTO rocpd_info_kernel_symbol{at} VALUES(7,'gemm');""", {
        f"rocpd_event{at}": [e for w in done for e in ((2 * w[4], 2, w[4]), (2 * w[4] + 1, 3, w[4]))],
        f"rocpd_region{at}": [(1, 1, THREAD, w[1], w[1] + 500, 1, 2 * w[4]) for w in done],
        f"rocpd_kernel_dispatch{at}": [(1, 1, THREAD, 5, 7, 9, w[0], w[2], w[3], 2 * w[4] + 1) for w in done]})


def rpd(path, done):
    database(path, """
CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, string TEXT);
CREATE TABLE rocpd_op(id, gpuId, queueId, start, "end", description_id, opType_id);
CREATE TABLE rocpd_api(id, pid, tid, start, "end", apiName_id, args_id);
CREATE TABLE rocpd_api_ops(id, api_id, op_id);
INSERT INTO rocpd_string VALUES(1,'hipLaunchKernel'),(2,'gemm'),(3,'KernelExecution'),(4,'');""", {
        "rocpd_op": [(w[4], 0, w[0], w[2], w[3], 2, 3) for w in done],
        "rocpd_api": [(w[4] + 1000, 1, THREAD, w[1], w[1] + 500, 1, 4) for w in done],
        "rocpd_api_ops": [(w[4], w[4] + 1000, w[4]) for w in done]})


def ascend(path, done):
    database(path, """
CREATE TABLE STRING_IDS(id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE TASK(startNs, endNs, deviceId, streamId, connectionId, globalTaskId, taskType);
CREATE TABLE CANN_API(startNs, endNs, type, globalTid, connectionId, name);
INSERT INTO STRING_IDS VALUES(1,'AI_CORE'),(2,'launch');""", {
        "TASK": [(w[2], w[3], 0, w[0], w[4], w[4], 1) for w in done],
        "CANN_API": [(w[1], w[1] + 500, 10000, THREAD, w[4], 2) for w in done]})


def field(number, value):
    def varint(n):
        return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def xplane(path, done):
    def event(start, end, correlation):
        return field(4, field(1, 1) + field(2, start * 1000) + field(3, (end - start) * 1000) +
                     field(4, field(1, 1) + field(3, correlation)))

    def plane(name, called, lines):
        return field(1, field(2, name) + b"".join(field(3, line) for line in lines) +
                     field(4, field(1, 1) + field(2, field(1, 1) + field(2, called))) +
                     field(5, field(1, 1) + field(2, field(1, 1) + field(2, "correlation_id"))))
    streams = [field(1, s) + field(2, f"Stream #{s}(Compute)") +
               b"".join(event(w[2], w[3], w[4]) for w in done if w[0] == s) for s in (1, 2)]
    calls = field(1, THREAD) + field(2, "python") + b"".join(event(w[1], w[1] + 500, w[4]) for w in done)
    path.write_bytes(plane("/device:GPU:0", "gemm", streams) + plane("/host:CPU", "cuLaunchKernel", [calls]))


def chrome(path, names, events):
    named = [{"ph": "M", "name": f"{what}_name", "pid": pid, "tid": tid, "args": {"name": name}}
             for what, pid, tid, name in names]
    path.write_text(json.dumps({"traceEvents": named + events + [{}]}))


def slices(done, gpu, call, name, more):
    """Work on the lane that gpu() says, and calls on theirs; more(w) has further keys of either."""
    events = []
    for w in done:
        pid, tid = gpu(w)
        events += [{"ph": "X", "name": name, "pid": call, "tid": THREAD, "ts": w[1] / 1000, "dur": 0.5, **more(w)[0]},
                   {"ph": "X", "name": "gemm", "pid": pid, "tid": tid, "ts": w[2] / 1000, "dur": (w[3] - w[2]) / 1000,
                    **more(w)[1]}]
    return events


def jax(path, done):
    def both(w):
        return ({"args": {"correlation_id": str(w[4])}},) * 2
    names = [("process", 1, 0, "/device:GPU:0"), ("process", 701, 0, "/host:CPU")]
    chrome(path, names + [("thread", 1, s, f"Stream #{s}(Compute)") for s in (1, 2)],
           slices(done, lambda w: (1, w[0]), 701, "cuLaunchKernel", both))


def rocprof(path, done):
    flows = [{"ph": phase, "cat": "DataFlow", "name": "dep", "id": str(w[4]), "pid": pid, "tid": tid, "ts": ts / 1000}
             for w in done for phase, pid, tid, ts in (("s", 2, THREAD, w[1]), ("t", 6, w[0], w[2]))]
    chrome(path, [("process", 2, 0, "1 CPU HIP API"), ("process", 6, 0, "5 GPU0")],
           slices(done, lambda w: (6, w[0]), 2, "hipLaunchKernel", lambda w: ({}, {})) + flows)


def unitrace(path, done):
    def both(w):
        return {"cat": "cpu_op", "id": w[4] - 1}, {"cat": "gpu_op", "args": {"id": str(w[4] - 1)}}
    chrome(path, [("process", 100, 0, "HOST<h> rank 0"), ("process", 200, 0, "DEVICE<h>[0000:4d:00.0]")],
           slices(done, lambda w: (200, w[0]), 100, "zeCommandListAppendLaunchKernel", both))


def timeline(path, done):
    chrome(path, [("process", s, 0, f"/gpu:0/context#0/stream#{s}:Kernel Compute") for s in (1, 2)] +
           [("process", 9, 0, "/host:CPU Compute")],
           slices(done, lambda w: (w[0], 0), 9, "MatMul", lambda w: ({"cat": "Op"}, {"cat": "Op"})))


WRITERS = {"rocpd.db": rocpd, "old.rpd": rpd, "ascend_pytorch_profiler_0.db": ascend, "host.xplane.pb": xplane,
           "jax.trace.json": jax, "results.json": rocprof, "unitrace.json": unitrace, "timeline.json": timeline}


def said(*words):
    return json.loads(subprocess.run([LACUNA, *map(str, words), "--json"], capture_output=True, text=True, check=True).stdout)


def main():
    done = work(3)
    with tempfile.TemporaryDirectory() as folder:
        for name, write in WRITERS.items():
            path = pathlib.Path(folder, name)
            write(path, done)
            streams = {s["stream"]: (s["events"], s["windowNs"], s["busyNs"], s["idleNs"]) for s in said("gaps", path)["streams"]}
            assert streams == wanted(done), f"{name}: {streams} instead of {wanted(done)}"
            launched = said("query", path, "SELECT count(*) FROM launch")["rows"][0][0]
            assert launched == (0 if write is timeline else len(done)), f"{name}: {launched} launches"
            named = "AI_CORE" if write is ascend else "gemm"
            assert named in json.dumps(said("stats", path)), f"{name}: no {named} in its statistics"
            print(f"{name}: {len(done)} activities, {launched} launches")


if __name__ == "__main__":
    main()
