#!/usr/bin/env python3
"""Reference answers for the traces in tests/fixtures, computed without any code of Lacuna.

    tests/golden/reference.py TRACE.json[.gz] ...     writes tests/fixtures/TRACE.ref.json of each

Plain Python, exact integers, the shortest code that can be checked by reading. It defines what the
golden tests demand:

  time       ts and dur are microseconds; they are read as decimals, times 1000, half to even
  activity   X events whose category is kernel, gpu_memcpy or gpu_memset (any case, any era)
  stream     (args.device, args.stream)
  busy       length of the union of the activities of a stream; window: first start to last end
  gap        a stretch of the window without activity; before/after: the activities around it
  launch     the first X event of a runtime or driver category with the activity's correlation
  self       duration less that of the direct children: slices of one thread in the order (start,
             longest first, file) go into the innermost open slice that they fit in; one that fits
             nowhere, because it crosses, starts a stack of its own and is nobody's child
"""
import gzip
import hashlib
import json
import pathlib
import sys
from collections import Counter, defaultdict
from decimal import ROUND_HALF_EVEN, Decimal

KERNELS = {"kernel"}
ACTIVITIES = KERNELS | {"gpu_memcpy", "gpu_memset", "memcpy", "memset"}
LAUNCHES = {"cuda_runtime", "cuda_driver", "runtime", "driver"}
CPU_OPERATORS = {"cpu_op", "operator"}
NONE = "(none)"


def nanos(number):
    return int((Decimal(number) * 1000).quantize(Decimal(1), ROUND_HALF_EVEN))


class Slice:
    def __init__(self, index, event):
        arguments = event.get("args") or {}
        self.index = index
        self.name = event.get("name", "")
        self.category = event.get("cat", "")
        self.kind = self.category.lower()
        self.start = nanos(event["ts"])
        self.duration = nanos(event.get("dur", 0))
        self.end = self.start + self.duration
        self.correlation = int(arguments.get("correlation", 0) or 0)
        self.stream = (str(arguments.get("device", event.get("pid"))),
                       str(arguments.get("stream", event.get("tid"))))
        # GPU activities, their annotations and CPU work nest among themselves only.
        if self.kind in ACTIVITIES:
            self.track = ("stream",) + self.stream
        elif self.kind == "gpu_user_annotation":
            self.track = ("annotation",) + self.stream
        else:
            self.track = ("thread", str(event.get("pid")), str(event.get("tid")))


def by_name(slices):
    rows = {}
    for s in slices:
        rows.setdefault(s.name, []).append(s.duration)
    table = [{"name": name, "count": len(d), "total_ns": sum(d), "min_ns": min(d), "max_ns": max(d)}
             for name, d in rows.items()]
    return sorted(table, key=lambda r: (-r["total_ns"], r["name"]))


def walk(slices):
    """Busy time and gaps of slices that share a stream, as (gap start, gap end, before, after)."""
    busy, gaps, last = 0, [], None
    for s in sorted(slices, key=lambda s: (s.start, s.index)):
        if last is None:
            busy += s.duration
        else:
            if s.start > last.end:
                gaps.append((last.end, s.start, last, s))
            busy += max(0, s.end - max(s.start, last.end))
        if last is None or s.end > last.end:
            last = s
    return busy, gaps


def number_order(text):
    return (0, int(text), text) if text.lstrip("-").isdigit() else (1, 0, text)


def stream_table(slices):
    streams = defaultdict(list)
    for s in slices:
        streams[s.stream].append(s)
    table = []
    for (device, stream), members in sorted(
            streams.items(), key=lambda kv: (number_order(kv[0][0]), number_order(kv[0][1]))):
        busy, gaps = walk(members)
        first, last = min(s.start for s in members), max(s.end for s in members)
        table.append({"device": device, "stream": stream, "events": len(members),
                      "first_start_ns": first, "last_end_ns": last, "window_ns": last - first,
                      "busy_ns": busy, "idle_ns": last - first - busy,
                      "sum_dur_ns": sum(s.duration for s in members),
                      "merged_intervals": len(gaps) + 1})
    return table


def device_table(slices):
    devices = defaultdict(list)
    for s in slices:
        devices[s.stream[0]].append(s)
    return [{"device": device, "events": len(members), "busy_ns": walk(members)[0],
             "window_ns": max(s.end for s in members) - min(s.start for s in members)}
            for device, members in sorted(devices.items(), key=lambda kv: number_order(kv[0]))]


def largest_gaps(slices, launch_of, limit=20):
    streams = defaultdict(list)
    for s in slices:
        streams[s.stream].append(s)
    table = []
    for (device, stream), members in sorted(streams.items()):
        gaps = sorted(walk(members)[1], key=lambda g: (g[0] - g[1], g[0]))
        for start, end, before, after in gaps[:limit]:
            launch = launch_of.get(after.index)
            table.append({"device": device, "stream": stream, "start_ns": start, "end_ns": end,
                          "before": before.name, "after": after.name,
                          "launch": launch and launch.name,
                          "launch_start_ns": launch and launch.start})
    return table


def self_times(slices):
    """index of slice -> self time."""
    tracks = defaultdict(list)
    for s in slices:
        tracks[s.track].append(s)
    own = {s.index: s.duration for s in slices}
    for track, members in tracks.items():
        if track[0] == "stream":
            continue  # side by side, not nested
        stacks = []
        for s in sorted(members, key=lambda s: (s.start, -s.duration, s.index)):
            for stack in stacks:
                while stack and stack[-1].end <= s.start:
                    stack.pop()
                if not stack or s.end <= stack[-1].end:
                    if stack:
                        own[stack[-1].index] -= s.duration
                    stack.append(s)
                    break
            else:
                stacks.append([s])
    return own


def statistics(slices):
    own = self_times(slices)
    rows = {}
    for s in slices:
        rows.setdefault((s.name, s.category), []).append(s)
    return [{"name": name, "category": category, "count": len(members),
             "total_ns": sum(s.duration for s in members),
             "self_ns": sum(own[s.index] for s in members),
             "min_ns": min(s.duration for s in members), "max_ns": max(s.duration for s in members)}
            for (name, category), members in sorted(rows.items())]


def reference(path):
    opened = gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")
    with opened as file:
        document = json.loads(file.read(), parse_float=Decimal)
    events = document["traceEvents"] if isinstance(document, dict) else document
    slices = [Slice(i, e) for i, e in enumerate(events) if e["ph"] == "X"]
    # B and E are left to unit tests; what is in the fixtures must not need them.
    assert not any(e["ph"] in "BEbne" for e in events), "reference.py does not pair begins and ends"
    points = [nanos(e["ts"]) for e in events if e["ph"] in "iIRC"]
    activities = [s for s in slices if s.kind in ACTIVITIES]
    kernels = [s for s in slices if s.kind in KERNELS]
    operators = [s for s in slices if s.kind in CPU_OPERATORS]
    calls = [s for s in slices if s.kind in LAUNCHES]
    first_call = {}
    for s in calls:
        if s.correlation:
            first_call.setdefault(s.correlation, s)
    launch_of = {s.index: first_call[s.correlation] for s in activities if s.correlation in first_call}
    pairs = sorted((i, launch.index) for i, launch in launch_of.items())
    times = [s.start for s in slices] + points
    ends = [s.end for s in slices] + points
    kernel_rows = by_name(kernels)
    return {
        "trace": path.rsplit("/", 1)[-1],
        "counts": {"gpu_activities": len(activities), "kernels": len(kernels),
                   "runtime_calls": len(calls), "cpu_ops": len(operators)},
        "phases": dict(Counter(e["ph"] for e in events)),
        "categories": dict(Counter(e.get("cat", NONE) for e in events)),
        "span": {"start_ns": min(times), "end_ns": max(ends)},
        "kernels": {"distinct_names": len(kernel_rows),
                    "total_ns": sum(r["total_ns"] for r in kernel_rows), "top10": kernel_rows[:10]},
        "memcpy_memset_by_name": by_name([s for s in activities if s.kind not in KERNELS]),
        "cpu_ops_top10_by_total": by_name(operators)[:10],
        "streams_all_gpu_activity": stream_table(activities),
        "streams_kernels_only": stream_table(kernels),
        "devices_all_gpu_activity": device_table(activities),
        "largest_gaps": largest_gaps(activities, launch_of),
        "linkage": {
            "gpu_activities": len(activities), "linked": len(pairs),
            "unlinked": len(activities) - len(pairs),
            "kernels_linked": sum(1 for s in kernels if s.index in launch_of),
            "pairs_sha256": hashlib.sha256(
                "".join(f"{a}:{b}\n" for a, b in pairs).encode()).hexdigest(),
            "pairs_first10": [{"gpu_event_index": a, "launch_event_index": b,
                               "gpu_name": events[a]["name"], "launch_name": events[b]["name"]}
                              for a, b in pairs[:10]]},
        "statistics": statistics(slices),
    }


def main():
    folder = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
    for path in sys.argv[1:]:
        name = pathlib.Path(path).name.removesuffix(".gz").removesuffix(".json")
        target = folder / (name + ".ref.json")
        with open(target, "w", encoding="utf-8") as file:
            json.dump(reference(path), file, indent=1)
            file.write("\n")
        print(target)


if __name__ == "__main__":
    main()
