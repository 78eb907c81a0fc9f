"""Commands whose JSON is looked at, on traces of the tree and, where they are there, shared ones."""
import gzip
import json
import os
import pathlib
import pickle

SOURCE = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"])
FIXTURES = SOURCE / "tests" / "fixtures"
DEMO = SOURCE / "assets" / "demo.trace.json.gz"
SHARED = SOURCE / ".." / "shared"


def snapshot(path, runs_out):
    """A pickle as torch.cuda.memory._dump_snapshot() writes it."""
    frames = [{"filename": "train.py", "line": 3, "name": "step"}]
    entries = [{"action": action, "addr": address, "size": size, "stream": 0, "time_us": 100 + n, "frames": frames}
               for n, (action, address, size) in enumerate([("segment_alloc", 4096, 1 << 20), ("alloc", 4096, 512),
                                                            ("alloc", 8192, 4096), ("free_requested", 4096, 512),
                                                            ("free_completed", 4096, 512)])]
    if runs_out:
        entries.append({"action": "oom", "addr": 1 << 20, "device_free": 1 << 20, "size": 1 << 30, "stream": 0, "time_us": 200,
                        "frames": frames})
    block = {"address": 8192, "size": 4096, "requested_size": 4000, "state": "active_allocated", "frames": frames}
    segment = {"device": 0, "address": 4096, "total_size": 1 << 20, "allocated_size": 4096, "active_size": 4096,
               "requested_size": 4000, "stream": 0, "segment_type": "small", "segment_pool_id": (0, 0),
               "is_expandable": False, "frames": frames, "blocks": [block]}
    path.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [entries], "allocator_settings": {"a": 1},
                                   "external_annotations": [{"stage": "START", "name": "x", "device": 0, "time_us": 1}]},
                                  protocol=4))
    return path


def flight_recorder(path, sequence):
    entry = {"record_id": sequence, "pg_id": 0, "process_group": ("0", "default_pg"), "collective_seq_id": sequence,
             "p2p_seq_id": 0, "op_id": sequence, "profiling_name": "nccl:all_reduce", "time_created_ns": 1000,
             "input_sizes": [[4]], "output_sizes": [[4]], "input_dtypes": ["Float"], "output_dtypes": ["Float"],
             "state": "scheduled" if sequence > 1 else "completed", "time_discovered_started_ns": None,
             "time_discovered_completed_ns": None, "retired": sequence == 1, "timeout_ms": 600000, "is_p2p": False,
             "frames": [{"name": "step", "filename": "train.py", "line": 3}]}
    path.write_bytes(pickle.dumps({"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
                                   "pg_status": {}, "entries": [dict(entry, record_id=1, collective_seq_id=1, op_id=1,
                                                                     state="completed", retired=True)]
                                   + ([entry] if sequence > 1 else [])}, protocol=4))
    return path


def plain(path, events):
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def server(path):
    """Ten steps of an inference server that decode, fewer requests in the first, and one that reads a prompt."""
    events = []
    for n in range(11):
        name = "step[EXTEND bs=1 toks=64]" if n == 5 else f"step[DECODE bs={2 if n == 0 else 8}]"
        events += [{"ph": "X", "cat": "user_annotation", "name": name, "ts": n * 100, "dur": 40, "pid": 1, "tid": 1},
                   {"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "ts": n * 100 + 5, "dur": 5, "pid": 1,
                    "tid": 1, "args": {"correlation": n + 1}},
                   {"ph": "X", "cat": "kernel", "name": "gemm", "ts": n * 100 + 12, "dur": 60, "pid": 0, "tid": 7,
                    "args": {"device": 0, "stream": 7, "correlation": n + 1}}]
    return plain(path, events)


def runs(folder):
    """(command, its words) for each; `folder` is for files that are made here."""
    traces = [DEMO, *sorted(FIXTURES.glob("torch_cpu_mlp*.pt.trace.json.gz")), FIXTURES / "lacuna_torch_cpu_train.pt.trace.json.gz",
              FIXTURES / "labelled_gaps.json.gz", FIXTURES / "beside_lacuna.pt.trace.json.gz",
              server(folder / "server.json"),
              plain(folder / "bare.json", [{"ph": "X", "name": "f", "ts": 1, "dur": 2, "pid": 1, "tid": 1}])]
    traces += sorted(SHARED.glob("traces/*.json.gz"))[:2]
    for trace in traces:
        yield "info", [trace]
        yield "report", [trace]
        yield "report", ["--brief", trace]
        yield "gaps", [trace]
        for how in ("--causes", "--by-operator", "--dead-windows", "--launches"):
            yield "gaps", [how, trace]
        yield "stats", [trace]
        for by in ("cpu", "gpu", "idle"):
            yield "calls", ["--by", by, trace]
        yield "roofline", [trace]
        yield "diff", [DEMO, trace]
        yield "check", [DEMO, trace, "--fail-on", "step>3%", "--fail-on", "kernel:none>1%"]
    for by in ("shape", "module", "stack", "step", "stream", "rank", "family", "class"):
        yield "stats", ["--group-by", by, DEMO]
    yield "stats", ["--group-by", "name", "--columns", "count,p50,grid,block,occupancy,flops,bytes,gbps,gpu_time,launch_delay", DEMO]
    yield "stats", ["--histogram", "aten::item", DEMO]
    yield "stats", ["--table", "torch", FIXTURES / "torch_cpu_mlp_memory.pt.trace.json.gz"]
    yield "stats", ["--table", "torch", "--group-by-input-shape", "--group-by-stack-n", "3", FIXTURES / "torch_cpu_mlp_stack.pt.trace.json.gz"]
    spans = FIXTURES / "requests"
    yield "requests", [spans / "vllm.trace.json"]
    yield "requests", [DEMO, "--requests", spans / "sglang.otel.jsonl"]
    yield "critical-path", [DEMO]
    yield "what-if", [DEMO]
    yield "what-if", ["--no-cause", "sync", "--scale", "aten::item=0.5", DEMO]
    ranks = FIXTURES / "eight_ranks"
    yield "info", [ranks]
    yield "job", [ranks]
    yield "job", [FIXTURES / "job_preempted"]
    yield "job", [ranks, "--compare", FIXTURES / "job_preempted"]
    one, other = snapshot(folder / "one.pickle", True), snapshot(folder / "other.pickle", False)
    yield "memory", [one]
    yield "memory", [one, "--compare", other]
    for pick in sorted(SHARED.glob("samples/memory/*forward.pickle")):
        yield "memory", [pick]
    yield "memory", [FIXTURES / "torch_cpu_mlp_memory.pt.trace.json.gz"]
    timeline = folder / "timeline.json.gz"
    timeline.write_bytes(gzip.compress(json.dumps([[1, 2, 3], [[0] * 9, [1] * 9, [2] * 9]]).encode()))
    yield "memory", [timeline]
    yield "hang", [flight_recorder(folder / "fr_0", 2), flight_recorder(folder / "fr_1", 1)]
    yield "query", [DEMO, "SELECT ts, name, NULL AS none, 0.5 AS half FROM slice LIMIT 3"]
    yield "export", [DEMO, "--arrow", folder / "tables"]
    yield "cut", [DEMO, "--steps", "3..3", "-o", folder / "part.json"]
    yield "notes", [DEMO, "--add", "look here", "--steps", "3..3"]
    yield "bundle", [DEMO, "--steps", "3..3", "--scrub", "--no-picture", "-o", folder / "part.lacuna"]
    yield "env", []
    yield "jobs", []
    yield "kernel", ["sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "no such kernel"]
