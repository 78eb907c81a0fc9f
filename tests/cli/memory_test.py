#!/usr/bin/env python3
"""`lacuna memory` and `lacuna hang` against independent arithmetic: snapshots made by a small allocator and
written by Python's own pickle in every protocol, traces with [memory] records, damaged and hostile pickles.

    LACUNA_BIN=build/dev/app/lacuna tests/cli/memory_test.py [-v] [TestClass.test_name]
"""
import collections
import glob
import gzip
import json
import os
import pathlib
import pickle
import random
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LACUNA = os.environ.get("LACUNA_BIN", "")
SAMPLES = ROOT.parent / "shared" / "samples"
TRACES = pathlib.Path(os.environ.get("LACUNA_SHARED_TRACES", ROOT.parent / "shared" / "traces"))


def lacuna(*arguments):
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run([LACUNA, *map(str, arguments)], capture_output=True, timeout=120, env=environment)


def answer(*arguments):
    done = lacuna(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Allocator:
    """Makes a snapshot as PyTorch would: one segment per size class, blocks within, a history of both."""

    def __init__(self, seed, devices=1, events=400, base=0x7F0000000000, times=True):
        self.random = random.Random(seed)
        self.frames = [{"name": f"f{i}", "filename": f"/home/me/model{i % 7}.py", "line": i + 1} for i in range(40)]
        self.frames += [{"name": "at::_ops::mm::call(x)", "filename": "??", "line": 0}]
        self.time = 1_750_000_000_000_000
        self.segments, self.traces = [], []
        for device in range(devices):
            self.make_device(device, events, base + (device << 40), times)

    def stack(self):
        return self.random.sample(self.frames, self.random.randrange(0, 12))

    def make_device(self, device, events, base, times):
        size, slots = 1 << 16, 64
        segment = {"device": device, "address": base, "total_size": size * slots, "stream": 0,
                   "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False, "frames": []}
        held = {slot: self.stack() for slot in range(0, slots, 9)}
        trace = []

        def add(action, slot, stack):
            self.time += self.random.randrange(0, 50)
            entry = {"action": action, "addr": base + slot * size, "size": size, "stream": 0, "frames": stack}
            if times:
                entry["time_us"] = self.time
            trace.append(entry)

        for _ in range(events):
            slot = self.random.randrange(slots)
            if slot in held:
                held.pop(slot)
                add("free_requested", slot, self.stack())
                add("free_completed", slot, self.stack())
            else:
                held[slot] = self.stack()
                add("alloc", slot, held[slot])
        segment["blocks"] = [
            {"address": base + slot * size, "size": size, "requested_size": size,
             "state": "active_allocated" if slot in held else "inactive", "frames": held.get(slot, [])}
            for slot in range(slots)]
        segment["allocated_size"] = segment["active_size"] = len(held) * size
        segment["requested_size"] = segment["active_size"]
        self.segments.append(segment)
        self.traces.append(trace)

    def snapshot(self):
        return {"segments": self.segments, "device_traces": self.traces,
                "allocator_settings": {"expandable_segments": False, "garbage_collection_threshold": 0.5,
                                       "roundup_power2_divisions": {"1": 0}},
                "external_annotations": [{"stage": "START", "name": "step", "device": 0, "time_us": self.time}]}


def reference(snapshot):
    """Devices of the reference script, written again."""
    out = []
    for device, trace in enumerate(snapshot["device_traces"]):
        if not trace:
            continue
        live = sum(b["size"] for s in snapshot["segments"] if s["device"] == device
                   for b in s["blocks"] if b["state"] != "inactive")
        change = sum(e["size"] * {"alloc": 1, "free_completed": -1}.get(e["action"], 0) for e in trace)
        now = start = peak = live - change
        at = trace[0].get("time_us")
        for e in trace:
            now += e["size"] * {"alloc": 1, "free_completed": -1}.get(e["action"], 0)
            if now > peak:
                peak, at = now, e.get("time_us")
        out.append({"device": device, "events": len(trace), "activeAtStartBytes": start, "activeAtEndBytes": live,
                    "peakActiveBytes": peak, "peakTimeUs": at,
                    "actions": dict(collections.Counter(e["action"] for e in trace))})
    return out


def frame_of(stack):
    own = [f for f in stack if f["line"] > 0]
    if own:
        return f"{own[0]['name']}  {own[0]['filename']}:{own[0]['line']}"
    return "aten::mm" if stack else "(stack not recorded)"


def holders(snapshot, device, time):
    """Bytes by frame after the last event at or before a time, by replaying forward."""
    trace = snapshot["device_traces"][device]
    live = {}
    seen = set()
    for e in trace:  # what was there before: freed without an alloc, or live at the end without one
        if e["action"] == "alloc":
            seen.add(e["addr"])
        elif e["action"] == "free_completed" and e["addr"] not in seen:
            seen.add(e["addr"])
            live[e["addr"]] = (e["size"], [])
    for s in snapshot["segments"]:
        for b in s["blocks"]:
            if s["device"] == device and b["state"] != "inactive" and b["address"] not in seen:
                live[b["address"]] = (b["size"], b["frames"])
    last = max((i for i, e in enumerate(trace) if e["time_us"] <= time), default=-1)
    for e in trace[:last + 1]:
        if e["action"] == "alloc":
            live[e["addr"]] = (e["size"], e["frames"])
        elif e["action"] == "free_completed":
            del live[e["addr"]]
    sums = collections.Counter()
    for size, stack in live.values():
        sums[frame_of(stack)] += size
    return dict(sums)


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, data, name="snapshot.pickle"):
        path = pathlib.Path(self.folder.name) / name
        path.write_bytes(data)
        return path

    def fails(self, path, *words, command="memory"):
        done = lacuna(command, path, "--json")
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 1, text)
        self.assertEqual(done.stdout, b"")
        for word in words:
            self.assertIn(word, text)


class Snapshots(Case):
    def check(self, snapshot, data):
        got = answer("memory", self.file(data))
        segments = snapshot["segments"]
        self.assertEqual(
            [got["segments"][k] for k in ("count", "totalBytes", "allocatedBytes", "activeBytes", "blocks")],
            [len(segments), *(sum(s[k] for s in segments) for k in ("total_size", "allocated_size", "active_size")),
             sum(len(s["blocks"]) for s in segments)])
        devices = [{k: d[k] for k in reference(snapshot)[0]} for d in got["devices"]]
        self.assertEqual(devices, reference(snapshot))
        self.assertEqual(got["notUnderstood"], 0)
        self.assertEqual(got["remarks"], [])
        return got

    def test_every_protocol_gives_the_same(self):
        snapshot = Allocator(1, devices=3).snapshot()
        answers = []
        for protocol in (2, 3, 4, 5):
            got = self.check(snapshot, pickle.dumps(snapshot, protocol))
            answers.append(got)
        for other in answers[1:]:
            self.assertEqual(other, answers[0])

    def test_a_writer_without_a_memo(self):
        snapshot = Allocator(2, events=60).snapshot()
        import io
        stream = io.BytesIO()
        writer = pickle._Pickler(stream, 4)
        writer.fast = True
        writer.dump(snapshot)
        self.check(snapshot, stream.getvalue())

    def test_addresses_beyond_2_63(self):
        snapshot = Allocator(3, base=0xFF00_0000_0000_0000).snapshot()
        got = self.check(snapshot, pickle.dumps(snapshot, 2))
        self.assertGreaterEqual(got["live"][0]["address"], 1 << 63)

    def test_compressed(self):
        snapshot = Allocator(4).snapshot()
        self.check(snapshot, gzip.compress(pickle.dumps(snapshot)))

    def test_holders_at_any_time(self):
        snapshot = Allocator(5, devices=2).snapshot()
        path = self.file(pickle.dumps(snapshot))
        times = [e["time_us"] for e in snapshot["device_traces"][0]]
        for time in (times[0], times[17], times[len(times) // 2], times[-1]):
            got = answer("memory", path, "--at", time)
            mine = {h["name"]: h["bytes"] for h in got["holders"] if h["device"] == 0}
            self.assertEqual(sorted(mine.items()), sorted(holders(snapshot, 0, time).items()))
            relative = answer("memory", path, "--at", time - times[0])
            self.assertEqual([h for h in relative["holders"] if h["device"] == 0],
                             [h for h in got["holders"] if h["device"] == 0])
        for by in ("category", "stack", "segment"):
            got = answer("memory", path, "--by", by)
            for device in got["devices"]:
                total = sum(h["bytes"] for h in got["holders"] if h["device"] == device["device"])
                self.assertEqual(total, device["peakActiveBytes"], by)

    def test_before_there_were_times(self):
        snapshot = Allocator(6, times=False).snapshot()
        got = answer("memory", self.file(pickle.dumps(snapshot)))
        self.assertIsNone(got["devices"][0]["peakTimeUs"])
        self.assertIn("No times", got["remarks"][0])
        self.assertEqual(got["devices"][0]["peakActiveBytes"], reference(snapshot)[0]["peakActiveBytes"])

    def test_frames_in_the_history_of_a_block(self):
        stack = [{"name": "old", "filename": "/home/me/old.py", "line": 3}]
        blocks = [{"size": 512, "state": "inactive"},
                  {"size": 1024, "state": "active_allocated",
                   "history": [{"addr": 512, "real_size": 1000, "frames": stack}]}]
        segment = {"device": 0, "address": 0, "total_size": 1536, "blocks": blocks, "segment_type": "small", "stream": 0}
        got = answer("memory", self.file(pickle.dumps([segment])))
        self.assertEqual(got["segments"]["activeBytes"], 1024)
        self.assertEqual([(h["name"], h["bytes"]) for h in got["holders"]], [("old  /home/me/old.py:3", 1024)])
        self.assertIn("No history", got["remarks"][0])

    def test_out_of_memory_is_explained(self):
        mib = 1 << 20
        blocks = [{"address": i * mib, "size": mib, "requested_size": mib, "frames": [],
                   "state": "active_allocated" if i % 2 else "inactive"} for i in range(8)]
        segment = {"device": 0, "address": 0, "total_size": 8 * mib, "allocated_size": 4 * mib, "active_size": 4 * mib,
                   "requested_size": 4 * mib, "stream": 0, "segment_type": "large", "blocks": blocks, "frames": []}
        oom = {"action": "oom", "device_free": 1000, "addr": 1000, "size": 3 * mib, "stream": 0, "time_us": 10, "frames": []}
        snapshot = {"segments": [segment], "device_traces": [[oom]]}
        path = self.file(pickle.dumps(snapshot))
        got = answer("memory", path)["outOfMemory"]
        self.assertEqual(len(got), 1)
        for key, value in (("timeUs", 10), ("requestedBytes", 3 * mib), ("deviceFreeBytes", 1000),
                           ("reservedBytes", 8 * mib), ("cachedBytes", 4 * mib), ("largestFreeBytes", mib),
                           ("cause", "fragmented")):
            self.assertEqual(got[0][key], value, key)
        self.assertIn("expandable_segments", " ".join(got[0]["explanation"]))
        self.assertIn("fragmentation", lacuna("memory", path).stdout.decode())
        self.assertIn("fragmentation", lacuna("memory", path, "--html").stdout.decode())

    def test_nothing_in_it_and_something_else(self):
        empty = answer("memory", self.file(pickle.dumps({"segments": [], "device_traces": [[], []]})))
        self.assertIn("CPU only", empty["remarks"][0])
        self.assertEqual(empty["segments"]["count"], 0)
        self.assertEqual(empty["devices"], [])
        self.fails(self.file(pickle.dumps({"weights": [1.5, 2], 3: None})), "not of an allocator snapshot", "weights")
        self.fails(self.file(pickle.dumps([1, 2])), "it holds a list")
        self.fails(self.file(pickle.dumps({"entries": [], "version": "2.10"})), "lacuna hang")

    def test_lost_entries_are_counted(self):
        snapshot = Allocator(7, events=20).snapshot()
        snapshot["device_traces"][0].insert(3, {"action": "alloc", "size": "many"})
        got = answer("memory", self.file(pickle.dumps(snapshot)))
        self.assertEqual(got["notUnderstood"], 1)
        self.assertIn("left out", " ".join(got["remarks"]))

    def test_folded_and_compared(self):
        one, two = Allocator(8).snapshot(), Allocator(9).snapshot()
        a, b = self.file(pickle.dumps(one), "a.pickle"), self.file(pickle.dumps(two), "b.pickle")
        lines = lacuna("memory", a, "--folded", "--at", "end").stdout.decode().splitlines()
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in lines), reference(one)[0]["activeAtEndBytes"])
        got = answer("memory", a, "--at", "end", "--compare", b)["difference"]
        change = reference(two)[0]["activeAtEndBytes"] - reference(one)[0]["activeAtEndBytes"]
        self.assertEqual(sum(d["changeBytes"] for d in got), change)
        self.assertEqual([d["otherBytes"] - d["bytes"] for d in got], [d["changeBytes"] for d in got])
        text = lacuna("memory", a, "--at", "end", "--compare", b, "--limit", "0").stdout.decode()
        table = text[text.index("Compared with"):].splitlines()[1:]
        self.assertEqual(table[0].split(), ["Held", "There", "Change", "Holder"])
        self.assertEqual(len(table), len(got) + 1)
        for line, row in zip(table[1:], got):
            self.assertTrue(line.endswith("  " + row["name"]), line)
        # Two files are the same; of two, folded lines have both numbers, for a flame graph of the difference.
        self.assertEqual(answer("memory", a, b, "--at", "end")["difference"], got)
        lines = lacuna("memory", a, b, "--folded", "--at", "end").stdout.decode().splitlines()
        numbers = [line.rsplit(" ", 2)[1:] for line in lines]
        self.assertEqual(sum(int(there) - int(here) for here, there in numbers), change)


class Hostile(Case):
    def test_one_beside_other_files_is_not_passed_over(self):
        snapshot = self.file(pickle.dumps(Allocator(3).snapshot()))
        trace = ROOT / "assets" / "demo.trace.json.gz"
        for files in ((snapshot, snapshot, snapshot), (snapshot, trace), (trace, snapshot)):
            done = lacuna("memory", *files)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(b"an allocator snapshot among several files", done.stderr)

    def test_what_would_execute_is_refused(self):
        class Evil:
            def __reduce__(self):
                return os.system, ("touch " + str(pathlib.Path(folder) / "executed"),)
        folder = self.folder.name
        for protocol, name in ((2, "GLOBAL"), (4, "STACK_GLOBAL")):
            self.fails(self.file(pickle.dumps({"segments": [Evil()]}, protocol)), name + " is refused", "byte ")
        self.assertEqual(sorted(os.listdir(folder)), ["snapshot.pickle"])

    def test_every_truncation(self):
        data = pickle.dumps(Allocator(10, events=6).snapshot(), 4)
        steps = sorted(random.Random(1).sample(range(1, len(data)), 60)) + [len(data) - 1]
        for size in steps:
            self.fails(self.file(data[:size]), "lacuna: ")

    def test_bombs(self):
        self.fails(self.file(b"\x80\x04" + b"(" * 100_000), "nest deeper", "byte 1002")
        self.fails(self.file(b"\x80\x04]r\xff\xff\xff\xff."), "LONG_BINPUT 4294967295")
        laughs = b"\x80\x04" + b"".join(b"](" + (b"h" + bytes([max(i, 1) - 1])) * 10 * (i > 0) + b"e\x94" for i in range(200))
        done = lacuna("memory", self.file(laughs + b"."))
        self.assertEqual(done.returncode, 1)
        self.fails(self.file(b"\x80\x04X\xff\xff\xff\x7f" + b"a" * 100), "16 MiB")


class MemoryRecords(Case):
    def expected(self, path):
        data = json.load(gzip.open(path))
        events = data["traceEvents"] if isinstance(data, dict) else data
        devices = collections.defaultdict(list)
        for e in events:
            if e.get("name") == "[memory]":
                devices[(e["args"]["Device Type"], e["args"]["Device Id"])].append(e)
        out = {}
        for (kind, number), records in devices.items():
            records.sort(key=lambda e: float(e["ts"]))
            first = records[0]["args"]
            now = peak = first["Total Allocated"] - first["Bytes"] if "Total Allocated" in first else 0
            at = records[0]["ts"]
            for e in records:
                now += e["args"]["Bytes"]
                if now > peak:
                    peak, at = now, e["ts"]
            out["cpu" if kind == 0 else f"gpu:{number}"] = (len(records), peak, float(at), now)
        return out

    def test_peaks_are_those_of_the_running_sums(self):
        paths = glob.glob(str(ROOT / "tests/fixtures/*.json.gz")) + glob.glob(str(TRACES / "*.json.gz"))
        checked = 0
        for path in sorted(paths):
            if b'"[memory]"' not in gzip.open(path).read():
                continue
            got = answer("memory", path)
            mine = {d["device"]: (d["events"], d["peakActiveBytes"], d["activeAtEndBytes"]) for d in got["devices"]}
            wanted = self.expected(path)
            self.assertEqual(mine, {k: (v[0], v[1], v[3]) for k, v in wanted.items()}, path)
            for d in got["devices"]:
                self.assertAlmostEqual(d["peakTimeUs"], wanted[d["device"]][2], delta=1)
                self.assertEqual(d["totalsUnlikeRunningSum"], 0)
                held = sum(h["bytes"] for h in got["holders"] if h["device"] == d["device"])
                self.assertEqual(held, d["peakActiveBytes"], path)
            checked += 1
        self.assertGreaterEqual(checked, 4)

    def test_an_address_that_is_allocated_again_was_freed_before(self):
        def record(ts, size, total):
            return {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": ts,
                    "args": {"Addr": 4096, "Bytes": size, "Device Type": 1, "Device Id": 0, **total}}
        for totals in ({"Total Allocated": 100}, {}):
            path = self.file(json.dumps([record(ts, 100, totals) for ts in (10, 20, 30)]).encode(), "lost.json")
            (device,) = answer("memory", path)["devices"]
            self.assertEqual((device["peakActiveBytes"], device["activeAtEndBytes"], device["freesLost"]), (100, 100, 2))
            self.assertEqual(device["totalsUnlikeRunningSum"], 0)
            self.assertIn("2 allocations where something was still held", lacuna("memory", path).stdout.decode())
        # Where the total of the file has both, both are held.
        both = [record(10, 100, {"Total Allocated": 100}), record(20, 50, {"Total Allocated": 150})]
        (device,) = answer("memory", self.file(json.dumps(both).encode(), "both.json"))["devices"]
        self.assertEqual((device["peakActiveBytes"], device["freesLost"]), (150, 0))

    def test_the_demo_frees_what_it_allocates(self):
        (device,) = answer("memory", ROOT / "assets/demo.trace.json.gz")["devices"]
        self.assertEqual((device["freesUnmatched"], device["freesLost"]), (0, 0))

    def test_a_trace_without(self):
        done = lacuna("memory", ROOT / "tests/fixtures/torch_cpu_threads.pt.trace.json.gz")
        self.assertEqual(done.returncode, 0)
        self.assertIn("profile_memory=True", done.stdout.decode())


class Timelines(Case):
    ROWS = [[-1, 1, 1000, 0], [5000, 2, 200, 4], [6000, 2, 50, 7], [6000, 3, -200, 4], [6000, 3, 200, 5], [9000, 4, -50, 7]]

    def test_raw_rows(self):
        got = answer("memory", self.file(gzip.compress(json.dumps(self.ROWS).encode()), "a.raw.json.gz"))
        self.assertEqual((got["peakActiveBytes"], got["peakTimeUs"], got["rows"]), (1250, 6, 6))
        bytes_of = {c["name"]: c["bytes"] for c in got["categories"]}
        self.assertEqual([bytes_of[k] for k in ("parameter", "activation", "gradient", "unknown")], [1000, 0, 200, 50])
        self.assertEqual(list(bytes_of), ["parameter", "optimizerState", "input", "temporary", "activation",
                                          "gradient", "autogradDetail", "unknown"])

    def test_series(self):
        series = [[10, 20, 30], [[0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 9, 9, 9, 9, 9, 9, 9, 9], [0, 0, 0, 0, 0, 0, 0, 0, 1]]]
        path = self.file(json.dumps(series).encode(), "a.json")
        got = answer("memory", path)
        self.assertEqual((got["peakActiveBytes"], got["peakTimeUs"]), (72, 20))
        self.assertEqual(answer("memory", path, "--at", "15")["activeBytes"], 36)
        self.fails(self.file(json.dumps(series).encode()[:-5], "b.json"), "cut off", "byte ")

    def test_the_published_file(self):
        path = SAMPLES / "memory" / "hta_memory_timeline.raw.gz"
        if not path.exists():
            self.skipTest("no shared samples")
        rows = json.load(gzip.open(path))
        sums, peak = [0] * 8, 0
        by_time = collections.defaultdict(list)
        first = min(r[0] for r in rows if r[0] >= 0)
        for t, _, size, category in rows:
            by_time[(t if t >= 0 else first) // 1000].append((size, category))
        for t in sorted(by_time):
            for size, category in by_time[t]:
                sums[category] += size
            peak = max(peak, sum(sums))
        got = answer("memory", path, "--at", "end")
        self.assertEqual(got["rows"], len(rows))
        self.assertEqual([c["bytes"] for c in got["categories"]], sums)
        self.assertEqual(got["peakActiveBytes"], peak)
        counters = {c["name"] for c in answer("info", path)["counters"]}  # it opens as a trace, too
        self.assertEqual(counters, {"Memory · " + name + " bytes" for name in (
            "all", "parameter", "optimizer state", "input", "temporary", "activation", "gradient", "autograd detail",
            "unknown")})


def is_message(name):
    return "->" in name or "<-" in name


class Hangs(Case):
    def dump(self, rank, entries, ranks=3, status=True, messages_before=0, coalesced=False):
        out = []
        messages = messages_before  # each rank counts its own sends and receives
        for seq, (name, state) in enumerate(entries, 1):
            done = state == "completed"
            messages += is_message(name)
            out.append({"record_id": seq - 1, "pg_id": 0, "process_group": ("0", "default_pg"), "collective_seq_id": 1 if coalesced else seq,
                        "p2p_seq_id": messages, "op_id": seq, "profiling_name": name, "time_created_ns": 1_790_000_000_000_000_000 + seq,
                        "input_sizes": [[10]], "output_sizes": [[10]], "input_dtypes": ["Float"], "output_dtypes": ["Float"],
                        "state": state, "time_discovered_started_ns": None, "time_discovered_completed_ns": seq if done else None,
                        "retired": done, "timeout_ms": 1000, "is_p2p": coalesced or is_message(name),
                        "frames": [{"name": f"step{seq}", "filename": "/home/me/train.py", "line": rank + 1}]})
        value = {"version": "2.10", "entries": out, "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(ranks)))}}}
        return self.file(pickle.dumps(value, 2), f"nccl_trace_rank_{rank}")

    def test_a_trace_is_no_dump(self):
        for text in (b'{"traceEvents": []}', b'\xef\xbb\xbf \n[{"ph": "X"}]'):
            self.fails(self.file(text), "JSON, as a trace is", "flight recorder", "lacuna info", command="hang")

    def hang(self, *paths):
        done = lacuna("hang", *paths, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_rank_that_never_came(self):
        reduce = ("nccl:all_reduce", "completed")
        paths = [self.dump(0, [reduce, ("nccl:all_reduce", "started")]), self.dump(1, [reduce]),
                 self.dump(2, [reduce, ("nccl:all_reduce", "scheduled")])]
        got = self.hang(*paths)
        self.assertEqual(got["completed"], 1)
        self.assertEqual(len(got["neverCompleted"]), 1)
        hung = got["neverCompleted"][0]
        self.assertEqual((hung["seq"], hung["kind"], hung["enteredRanks"], hung["missingRanks"], hung["expectedRanks"]),
                         (2, "missingRanks", [0, 2], [1], [0, 1, 2]))
        self.assertEqual(hung["ranks"][1]["frames"], ["step2  /home/me/train.py:3"])
        text = lacuna("hang", *paths).stdout.decode()
        self.assertIn("rank 1 never entered it", text)
        self.assertIn("step1  /home/me/train.py:2", text)
        without = self.hang(paths[0], paths[2])["neverCompleted"][0]
        self.assertEqual((without["missingRanks"], without["ranksWithoutDump"]), ([], [1]))

    def test_a_message_that_nobody_receives(self):
        send, done = "nccl:send 0->1", "completed"
        paths = [self.dump(0, [(send, done), (send, "started")]), self.dump(1, [("nccl:recv 1<-0", done)])]
        hung = self.hang(*paths)["neverCompleted"]
        self.assertEqual([(h["kind"], h["enteredRanks"], h["missingRanks"], h["expectedRanks"]) for h in hung],
                         [("missingRanks", [0], [1], [0, 1])])
        text = lacuna("hang", *paths).stdout.decode()
        self.assertIn("rank 1 never entered it\nrank 1 was last in nccl:recv 1<-0 1, which completed", text)

    def test_messages_pair_up_by_their_ends_not_by_their_numbers(self):
        done = "completed"
        paths = [self.dump(0, [("nccl:send 0->1", done), ("nccl:send 0->2", "started")]),
                 self.dump(1, [("nccl:recv 1<-0", done)]),
                 self.dump(2, [("nccl:recv 2<-0", "started"), ("nccl:recv 2<-1", "scheduled")])]
        got = self.hang(*paths)
        self.assertEqual(got["completed"], 1)
        self.assertEqual([(h["name"], h["kind"], h["enteredRanks"], h["missingRanks"]) for h in got["neverCompleted"]],
                         [("nccl:send 0->2", "allEntered", [0, 2], []), ("nccl:recv 2<-1", "missingRanks", [2], [1])])
        self.assertIn("both ranks entered it, but it did not finish on each", lacuna("hang", *paths).stdout.decode())

    def test_messages_of_a_coalesced_group_are_done_when_it_is(self):
        def batch(names, state):  # of one number of the collective; only the group's own entry tells its state
            return [(name, "scheduled") for name in names] + [("nccl:coalesced", state)]
        done = batch(["nccl:send 0->1", "nccl:recv 0<-1"], "completed")
        answered = batch(["nccl:recv 1<-0", "nccl:send 1->0"], "completed")
        paths = [self.dump(0, done, coalesced=True), self.dump(1, answered, coalesced=True)]
        self.assertEqual(self.hang(*paths)["neverCompleted"], [])
        paths = [self.dump(0, batch(["nccl:send 0->1"], "started"), coalesced=True), self.dump(1, [], coalesced=True)]
        self.assertEqual([(h["name"], h["missingRanks"]) for h in self.hang(*paths)["neverCompleted"]],
                         [("nccl:send 0->1", [1])])

    def test_messages_that_the_recorder_no_longer_holds_are_not_missed(self):
        send, receive, done = "nccl:send 0->1", "nccl:recv 1<-0", "completed"
        paths = [self.dump(0, [(send, done), (send, done), (send, "started")], messages_before=7),
                 self.dump(1, [(receive, done), (receive, "started")], messages_before=8)]
        got = self.hang(*paths)
        self.assertEqual([(h["kind"], h["enteredRanks"]) for h in got["neverCompleted"]], [("allEntered", [0, 1])])
        self.assertEqual(got["completed"], 2)

    def test_ranks_that_disagree_and_ranks_that_wait(self):
        paths = [self.dump(0, [("nccl:all_reduce", "started")], 2), self.dump(1, [("nccl:broadcast", "started")], 2)]
        self.assertEqual(self.hang(*paths)["neverCompleted"][0]["kind"], "mismatch")
        paths = [self.dump(r, [("nccl:all_reduce", "started")], 2) for r in range(2)]
        self.assertEqual(self.hang(*paths)["neverCompleted"][0]["kind"], "allEntered")

    def test_the_recorded_files(self):
        paths = sorted((SAMPLES / "flight_recorder").glob("fr_*.pkl"))
        if not paths:
            self.skipTest("no shared samples")
        got = self.hang(*paths)
        self.assertEqual((got["completed"], got["neverCompleted"], [f["rank"] for f in got["files"]]), (10, [], [0, 1]))
        self.assertEqual(got["ranks"][1]["lastCompleted"]["seq"], 10)

    def test_other_pickles(self):
        self.fails(self.file(pickle.dumps({"segments": []})), "lacuna memory", command="hang")
        self.fails(self.file(pickle.dumps([])), "no dump of PyTorch's flight recorder", command="hang")
        self.fails(self.file(pickle.dumps({"entries": [1]})[:-3]), "cut off", "byte ", command="hang")


class Samples(Case):
    def test_reference_answers(self):
        references = sorted((SAMPLES / "memory").glob("*.ref.json"))
        if not references:
            self.skipTest("no shared samples")
        for reference_path in references:
            ref = json.loads(reference_path.read_text())
            got = answer("memory", str(reference_path).replace(".ref.json", ".pickle"))
            s, r = got["segments"], ref["segments"]
            self.assertEqual([s[k] for k in ("count", "totalBytes", "allocatedBytes", "activeBytes", "blocks", "byType")],
                             [r[k] for k in ("count", "total_size", "allocated_size", "active_size", "blocks", "by_type")])
            self.assertEqual({k: [v["count"], v["bytes"]] for k, v in s["blockStates"].items()}, r["block_states"])
            names = {"device": "device", "events": "events", "actions": "actions", "firstUs": "first_us", "lastUs": "last_us",
                     "activeAtStartBytes": "active_at_start", "activeAtEndBytes": "active_at_end",
                     "peakActiveBytes": "peak_active", "peakTimeUs": "peak_us"}
            self.assertEqual([{k: d[k] for k in names} for d in got["devices"]],
                             [{k: d[v] for k, v in names.items()} for d in ref["devices"]])
            for d, wanted in zip(got["devices"], ref["devices"]):
                states = [d["at"], *d["fragmentation"]]
                self.assertEqual([x["allocatedBytes"] + x["freeBytes"] for x in states], [x["reservedBytes"] for x in states])
                self.assertEqual(states[-1]["allocatedBytes"], d["activeAtEndBytes"])
                largest = [{"size": x["bytes"], "time_us": x["timeUs"], "frames": x["frames"],
                            "innermost_frame": [x["innermostFrame"]["file"].rsplit("/", 1)[-1],
                                                x["innermostFrame"]["line"], x["innermostFrame"]["name"]]}
                           for x in d["largest"]]
                self.assertEqual(largest, wanted["largest"])
            self.assertEqual((got["annotations"], got["keys"]), (ref["annotations"], ref["keys"]))


if __name__ == "__main__":
    if not LACUNA:
        print("LACUNA_BIN is not set")
        sys.exit(77)
    unittest.main()
