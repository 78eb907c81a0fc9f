"""The numbers of Holistic Trace Analysis 0.5 to 0.6.1, without HTA and pandas, to compare with its tables and Lacuna's.

    from lacuna import hta
    pandas.DataFrame(hta.idle_time_breakdown("trace.json.gz"))
    hta.critical_path("trace.json.gz", annotation="ProfilerStep", instance=1)["by_bound"]

    python -m lacuna.hta idle TRACE          # the same as JSON
    python -m lacuna.hta critical-path TRACE

What HTA calls an event is an entry of traceEvents with a category and a duration; it is known by its place in that
list, from 0 on. Times are in microseconds. Where one ts of the file has a fraction, or an entry has no ts, HTA rounds
starts up and ends down to whole ones, and so are they here. Docstrings name the functions of HTA that are followed.
"""
from __future__ import annotations

import argparse
import bisect
import collections
import dataclasses
import gzip
import json
import math
import os
import re
import sys
from collections.abc import Callable
from typing import Any, Dict, Optional, Tuple, Union

from ._program import LacunaError

Time = Union[int, float]
Path = Union[str, "os.PathLike[str]"]

KERNEL_CATEGORIES = {"kernel", "Kernel", "gpu_memset", "Memset", "gpu_memcpy", "Memcpy", "mtia_ccp_events"}
CALL_CATEGORIES = {"cpu_op", "cuda_runtime", "cuda_driver"}
#: Calls that start one activity each.
LAUNCHES = {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync",
            "runFunction - job_prep_and_submit_for_execution", "hipLaunchKernel", "hipExtModuleLaunchKernel",
            "hipMemsetAsync", "hipMemcpyAsync", "hipMemcpyWithStream"}
#: Calls whose own time does not count.
BLOCKING = {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventQuery", "cudaEventSynchronize", "cudaMemcpy",
            "cudaMemcpyAsync"}
OVERHEAD = {"kernel_kernel_delay": "gpu_kernel_kernel_overhead", "kernel_launch_delay": "gpu_kernel_launch_overhead"}


def _integer(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return -1


class _Event:
    """A row of HTA's table. Numbers of `args` that it does not have are -1."""

    def __init__(self, index: int, entry: dict[str, Any], rounds: bool) -> None:
        ts, duration, args = entry["ts"], entry["dur"], entry.get("args")
        if rounds:
            ts, duration = math.ceil(ts), math.floor(float(ts) + duration) - math.ceil(ts)
        self.ts, self.duration, self.end = ts, duration, ts + duration  # type: Time, Time, Time
        self.index = index
        self.name, self.category = str(entry.get("name", "")), str(entry["cat"])
        self.pid, self.tid = entry.get("pid"), entry.get("tid")
        self.correlation, self.stream, self.wait_on_stream, self.wait_on_record = (
            _integer(args.get(key)) if isinstance(args, dict) else -1
            for key in ("correlation", "stream", "wait_on_stream", "wait_on_cuda_event_record_corr_id"))
        #: index_correlation: the event that launched this one, or that it launched. 0: not in the file; -1: none.
        self.link = min(self.correlation, 0)
        #: GPUKernelFilter
        self.is_on_gpu = self.stream >= 0 <= self.correlation or self.name in ("Event Sync", "Context Sync")
        self.start_node, self.end_node = 2 * index, 2 * index + 1


Events = Dict[int, _Event]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _read(trace: Path) -> Events:
    """parse_trace_dataframe() and transform_correlation_to_index()"""
    with open(trace, "rb") as file:
        text = file.read()
    document = json.loads(gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text)
    entries = document.get("traceEvents") if isinstance(document, dict) else document
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError(f"{os.fspath(trace)} has no list of traceEvents")
    rounds = any(not isinstance(entry.get("ts"), int) for entry in entries)
    events = {index: _Event(index, entry, rounds) for index, entry in enumerate(entries)
              if entry.get("cat") not in (None, "Trace") and all(_is_number(entry.get(key)) for key in ("ts", "dur"))}
    on_cpu: dict[int, int] = {}  # of several with one correlation the last counts
    on_gpu: dict[int, int] = {}
    for event in events.values():
        if event.correlation >= 0:
            (on_gpu if event.is_on_gpu else on_cpu)[event.correlation] = event.index
    for event in events.values():
        event.link = (on_cpu if event.is_on_gpu else on_gpu).get(event.correlation, event.link)
    return events


def _whole_steps(events: Events, include_last_step: bool) -> Events:
    """_filter_irrelevant_gpu_kernels(): of several steps the last one is left out, and GPU work without its launch."""
    steps = {text for event in events.values() for text in (event.name, event.category) if "ProfilerStep" in text}
    if len(steps) < 2:
        return events
    on_cpu = [event for event in events.values() if not event.is_on_gpu]
    if include_last_step:  # HTA lets the trace begin at 0, but not the ends of steps
        zero = min(event.ts for event in events.values())
        end = max((event.end for event in on_cpu if event.name in steps), default=-math.inf)
        on_cpu = [event for event in on_cpu if event.ts - zero <= end]
    else:
        start = max((event.ts for event in on_cpu if event.name in steps), default=-math.inf)
        on_cpu = [event for event in on_cpu if event.ts < start]
    correlations = {event.correlation for event in on_cpu}
    on_gpu = [event for event in events.values() if event.is_on_gpu and event.correlation in correlations]
    return {event.index: event for event in on_gpu + on_cpu}


def idle_time_breakdown(trace: Path, consecutive_kernel_delay_us: float = 30,
                        include_last_step: bool = False) -> list[dict[str, Any]]:
    """Idle time of each GPU stream, as HTA's get_idle_time_breakdown() says it.

    A gap lies between the end of an activity and the start of the next by start, on the streams with one number of all
    devices: where activities overlap it is negative, and idle time is no union. It is `host_wait` if the next was
    launched after that end, else `kernel_wait` if it is shorter than `consecutive_kernel_delay_us`, else `other`. Where
    the launch is not in the file, HTA takes the file's first event for it.

    With several different ProfilerSteps only activities count whose launch began before the last step; with
    `include_last_step`, before its end, with which HTA compares the time since the file's first event. HTA does not say
    in which order activities with one ts are; here it is the file's.

    Returns three rows for each stream: `stream`, `idle_category`, `idle_time` (microseconds), `idle_time_ratio` (of the
    stream's idle time; 0 without any) and the number of `gaps`. Raises ValueError for what is no Chrome trace.
    """
    events = _whole_steps(_read(trace), include_last_step)
    streams: dict[int, list[_Event]] = collections.defaultdict(list)
    for event in sorted(events.values(), key=lambda e: (e.ts, e.index)):
        if event.stream != -1 and event.category in KERNEL_CATEGORIES:
            streams[event.stream].append(event)
    rows = []
    for stream, activities in sorted(streams.items()):
        gaps: dict[str, list[Time]] = {"host_wait": [], "kernel_wait": [], "other": []}
        for before, event in zip(activities, activities[1:]):
            gap, launch = event.ts - before.end, events.get(event.link)
            is_late = launch is not None and launch.ts > before.end
            category = "host_wait" if is_late else "kernel_wait" if gap < consecutive_kernel_delay_us else "other"
            gaps[category].append(gap)
        total = sum(map(sum, gaps.values()))
        rows += [{"stream": stream, "idle_category": category, "idle_time": sum(some),
                  "idle_time_ratio": sum(some) / total if total else 0.0, "gaps": len(some)}
                 for category, some in gaps.items()]
    return rows


def shorten_name(name: str) -> str:
    """A name without arguments, template arguments and return type."""
    if name.startswith(("Memcpy", "Memset", "dma")) or not ("<" in name or "(" in name):
        return name
    kept = ""
    for letter in name.replace("->", ""):
        if letter in ">)":
            kept = kept[:max(kept.rfind("<" if letter == ">" else "("), 0)]
        else:
            kept += letter
    return kept.split(" ")[-1]


@dataclasses.dataclass
class _Edge:
    start: int
    end: int
    kind: str = ""
    weight: Time = 0
    event: Optional[_Event] = None  #: to which it is attributed


Launch = Tuple[_Event, _Event]  # the call, and what it launched


class _Launches:
    """_get_cuda_runtime_calls_df(): launches, apart by a key, in order of time."""

    def __init__(self, events: Events, key: Callable[[_Event, _Event], Any]) -> None:
        self.of: dict[Any, tuple[list[Time], list[_Event]]] = collections.defaultdict(lambda: ([], []))
        for call in sorted(events.values(), key=lambda e: e.ts):
            activity = events.get(call.link)
            if call.link > 0 and call.name in LAUNCHES and activity and activity.stream != -1 and activity.link > 0:
                times, activities = self.of[key(call, activity)]
                times.append(call.ts)
                activities.append(activity)

    def around(self, key: Any, ts: Time) -> list[_Event | None]:
        """What was launched last until then, and next."""
        times, activities = self.of[key]
        at = bisect.bisect_right(times, ts)
        return [activities[i] if 0 <= i < len(activities) else None for i in (at - 1, at)]


class _Graph:
    """CPGraph. Nodes are starts and ends of events; the order of edges decides between paths of one length."""

    def __init__(self, events: Events, clipped: list[_Event]) -> None:
        self.events = events
        self.clipped = clipped
        self.edges: dict[tuple[int, int], _Edge] = {}
        self.nodes = {event.index for event in clipped
                      if event.category in CALL_CATEGORIES or event.stream != -1 and event.correlation >= 0}
        self.before_records = self.launches_before_records()
        self.after_waits = self.launches_after_waits()
        self.last: dict[int, int] = {}  # by stream the node that ended last
        self.waits_for: dict[int, _Event] = {}  # activities: the second before the first
        self.add_call_stacks()
        self.add_kernels()

    def event_of(self, node: int) -> _Event:
        return self.events[node // 2]

    def time_of(self, node: int) -> Time:
        return self.event_of(node).end if node % 2 else self.event_of(node).ts

    def connect(self, start: int, end: int, kind: str, has_weight: bool = True) -> _Edge:
        """_add_edge_helper(): where there is such an edge already it keeps its place and its event."""
        edge = self.edges.setdefault((start, end), _Edge(start, end))
        edge.kind = kind
        edge.weight = self.time_of(end) - self.time_of(start) if has_weight else 0
        return edge

    def connect_in_stack(self, start: int, end: int, has_weight: bool = True, parent: _Event | None = None) -> None:
        """The same, and _attribute_edge()."""
        edge = self.connect(start, end, "operator", has_weight)
        edge.event = self.event_of(start) if start % 2 == 0 else self.event_of(end) if end % 2 else parent

    def add_call_stacks(self) -> None:
        """_construct_graph_from_call_stacks()"""
        threads: dict[Any, list[_Event]] = collections.defaultdict(list)
        for event in self.clipped:
            threads[event.pid, event.tid].append(event)
        for _, events in sorted(threads.items(), key=lambda thread: [(type(x).__name__, x) for x in thread[0]]):
            if all(event.stream == -1 for event in events):
                self.add_call_stack(events)

    def add_call_stack(self, events: list[_Event]) -> None:
        """_construct_graph_from_call_stack(): its walk, depth first, comes by starts and ends in this order."""
        points = [(e.end, 0, e.duration, -e.index, e) for e in events]
        points += [(e.ts, 1, -e.duration, e.index, e) for e in events]
        stack: list[_Event] = []
        last: int | None = None
        last_outermost: int | None = None
        last_parent: _Event | None = None
        depth = 0
        for _, is_start, _, _, event in sorted(points, key=lambda point: point[:4]):
            if not is_start:
                event = stack.pop()  # where slices cross, the innermost open one ends, whichever it is
            parent = stack[-1] if stack else None
            if is_start:
                stack.append(event)
            if event.index not in self.nodes:
                continue
            node = event.start_node if is_start else event.end_node
            if is_start and depth == 0 and last_outermost is not None:
                self.connect(last_outermost, node, "dependency", has_weight=False)
            depth += 1 if is_start else -1
            if last is not None:
                self.connect_in_stack(last, node, bool(is_start) or event.name not in BLOCKING, last_parent)
            last, last_parent = node, parent
            if depth == 0:
                last, last_outermost = None, node

    def launches_before_records(self) -> dict[int, _Event | None]:
        """_get_cuda_event_record_df(): by the correlation of a cudaEventRecord what was launched last to its stream."""
        stream_of: dict[int, Any] = {}
        for event in self.events.values():
            if event.wait_on_stream > -1:
                stream_of.setdefault(event.wait_on_record, (event.wait_on_stream, event.pid))
        launches = _Launches(self.events, lambda call, activity: (activity.stream, activity.pid))
        return {e.correlation: launches.around(stream_of[e.correlation], e.ts)[0] for e in self.events.values()
                if e.name == "cudaEventRecord" and e.correlation in stream_of}

    def launches_after_waits(self) -> dict[int, _Event | None]:
        """_get_cuda_stream_wait_event_df(): by cudaStreamWaitEvent what its thread launched next to its stream."""
        launches = _Launches(self.events, lambda call, activity: (call.pid, call.tid, activity.stream))
        return {e.index: launches.around((e.pid, e.tid, self.events[e.link].stream), e.ts)[1]
                for e in self.events.values()
                if e.name == "cudaStreamWaitEvent" and e.link > 0 and e.link in self.events}

    def queue_lengths(self) -> dict[int, int]:
        """TraceCounters: by event what the stream has to do; +1 by a launch, -1 by the start of what was launched."""
        calls = [e for e in self.events.values() if e.link > 0 and e.name in LAUNCHES]
        launched = {call.correlation for call in calls}
        on_gpu = [e for e in self.events.values() if e.stream != -1]
        stream_of = {e.correlation: e.stream for e in reversed(on_gpu)}
        changes = [(call, stream_of[call.correlation], 1) for call in calls if call.correlation in stream_of]
        changes += [(e, e.stream, -1) for e in on_gpu if e.correlation in launched]
        length: collections.Counter[int] = collections.Counter()
        lengths = {}
        for event, stream, change in sorted(changes, key=lambda c: c[0].ts):
            length[stream] += change
            lengths[event.index] = length[stream]
        return lengths

    def add_kernels(self) -> None:
        """_construct_graph_from_kernels()"""
        queue = self.queue_lengths()
        for event in sorted((e for e in self.clipped if e.correlation >= 0 and (e.stream != -1 or e.is_on_gpu)),
                            key=lambda e: e.end if e.category == "cuda_sync" else e.ts):
            if event.category == "cuda_sync":
                self.add_synchronisation(event)
                continue
            self.connect_in_stack(event.start_node, event.end_node)
            wait = None  # the node waited for
            source = self.waits_for.pop(event.index, None)
            if source and source.index in self.nodes:
                wait = source.end_node
                self.connect(wait, event.start_node, "sync_dependency", has_weight=False)
            before = self.last.get(event.stream)
            launch = self.events.get(event.link)
            if (launch and queue.get(launch.index) == 1 and queue.get(event.index) == 0
                    and all(node is None or self.time_of(node) < launch.ts for node in (before, wait))):
                if launch.index in self.nodes:
                    self.connect(launch.start_node, event.start_node, "kernel_launch_delay")
            elif before is not None and (wait is None or self.time_of(wait) < self.time_of(before)):
                self.connect(before, event.start_node, "kernel_kernel_delay").event = self.event_of(before)
            self.last[event.stream] = event.end_node

    def add_synchronisation(self, event: _Event) -> None:
        """handle_cuda_sync()"""
        ends = [end for stream, end in self.last.items() if event.name == "Context Sync" or stream == event.stream]
        if event.name in ("Stream Wait Event", "Event Sync"):
            source = self.before_records.get(event.wait_on_record)
            waiting = self.after_waits.get(event.link) if event.name == "Stream Wait Event" else None
            if source and waiting:
                self.waits_for[waiting.index] = source
            is_waited_for = source and event.name == "Event Sync" and source.index in self.nodes
            ends = [source.end_node] if source and is_waited_for else []
        for end in ends:
            if event.link in self.nodes:
                self.connect(end, self.events[event.link].end_node, "sync_dependency", has_weight=False)

    def longest_path(self) -> list[_Edge]:
        """critical_path(): networkx's dag_longest_path(), with weights of -1 and less counted as 0."""
        incoming: dict[int, list[_Edge]] = {}
        outgoing: dict[int, list[int]] = {}
        for edge in self.edges.values():
            for node in edge.start, edge.end:
                incoming.setdefault(node, [])
                outgoing.setdefault(node, [])
            incoming[edge.end].append(edge)
            outgoing[edge.start].append(edge.end)
        waiting = {node: len(edges) for node, edges in incoming.items()}
        order = [node for node, count in waiting.items() if count == 0]
        for node in order:  # which grows
            for end in outgoing[node]:
                waiting[end] -= 1
                if waiting[end] == 0:
                    order.append(end)
        if len(order) < len(incoming):
            raise LacunaError("HTA's graph of this trace has a cycle")
        best: dict[int, tuple[Time, _Edge | None]] = {}  # by node how far it is, and the edge that leads there
        for node in order:
            ways = [(best[e.start][0] + (0 if e.weight <= -1 else e.weight), e) for e in incoming[node]]
            best[node] = max(ways, key=lambda way: way[0], default=(0, None))
            if best[node][0] < 0:
                best[node] = 0, None
        path: list[_Edge] = []
        last = max(best.values(), key=lambda way: way[0])[1] if best else None
        while last:
            path.append(last)
            last = best[last.start][1]
        return path[::-1]


def _clip(events: Events, annotation: str, instance: int) -> list[_Event]:
    """critical_path_analysis(): what begins in an annotation, and the GPU work launched there."""
    begin, end = -math.inf, math.inf  # type: Time, Time
    if annotation:
        found = [event for event in events.values() if annotation in event.name]
        if not 0 <= instance < len(found):
            raise ValueError(f"there is no instance {instance} of {annotation!r}; HTA's table has {len(found)}")
        begin, end = found[instance].ts, found[instance].end
    inside = {e.index for e in events.values() if e.stream == -1 and begin <= e.ts <= end and e.duration > 0}
    launched = {events[index].link for index in inside}
    return [event for index, event in sorted(events.items())
            if (index in inside if event.stream == -1 else index in launched or event.name == "Stream Wait Event")]


def _bound_by(edge: _Edge) -> str:
    """bound_by()"""
    if edge.kind != "operator":
        return OVERHEAD.get(edge.kind, "")
    if edge.event is None or edge.event.stream < 0:
        return "cpu_bound"
    return "gpu_communication_bound" if re.match("nccl.*Kernel", shorten_name(edge.event.name)) else "gpu_compute_bound"


def critical_path(trace: Path, annotation: str = "ProfilerStep", instance: int = 0) -> dict[str, Any]:
    """The critical path of an annotation, as HTA's critical_path_analysis() and get_critical_path_breakdown() say it.

    `annotation` is what its name contains ("": all of the trace), `instance` its place in HTA's table, from 0 on: of
    several ProfilerSteps HTA leaves out the last one. HTA takes the longest chain of work that was launched, which
    begins and ends where such work does, so it can miss much of the annotation's time; it gives no time to calls that
    wait for the GPU, and sees only waits for which the file has cuda_sync events.

    Returns the number of `nodes` (starts and ends of events), `edges` and `events` on the path, that of `graph_nodes`
    and `graph_edges`, and microseconds: `total_us`, `by_bound`, `by_type` (kinds of edges), `by_name` (shortened, most
    first). Raises ValueError for what is no Chrome trace or not in it, LacunaError where HTA gives up.
    """
    events = _whole_steps(_read(trace), include_last_step=False)
    graph = _Graph(events, _clip(events, annotation, instance))
    for edge in graph.edges.values():
        stream = graph.event_of(edge.start).stream
        if edge.kind == "sync_dependency" and -1 != stream == graph.event_of(edge.end).stream:
            raise LacunaError("HTA finds a synchronisation inside one stream and gives up")
    path = graph.longest_path()
    if not path:
        raise LacunaError("HTA's graph of this annotation has no path")
    by_bound: dict[str, Time] = collections.defaultdict(int)
    by_type: dict[str, Time] = collections.defaultdict(int)
    by_name: dict[str, Time] = collections.defaultdict(int)
    for edge in path:
        by_bound[_bound_by(edge)] += edge.weight
        by_type["critical_path_" + edge.kind] += edge.weight
        if edge.event:
            by_name[shorten_name(edge.event.name)] += edge.weight
    return {"annotation": annotation, "instance": instance, "nodes": len(path) + 1, "edges": len(path),
            "events": len({node // 2 for edge in path for node in (edge.start, edge.end)}),
            "graph_nodes": len({node for ends in graph.edges for node in ends}), "graph_edges": len(graph.edges),
            "total_us": sum(edge.weight for edge in path), "by_bound": dict(sorted(by_bound.items())),
            "by_type": dict(sorted(by_type.items())),
            "by_name": dict(sorted(by_name.items(), key=lambda name: (-name[1], name[0])))}


def main(words: list[str] | None = None) -> int:
    """python -m lacuna.hta: writes JSON."""
    parser = argparse.ArgumentParser(prog="python -m lacuna.hta", description="Numbers of Holistic Trace Analysis.")
    commands = parser.add_subparsers(dest="command", required=True)
    idle = commands.add_parser("idle", help="host_wait, kernel_wait and other of each stream")
    idle.add_argument("--consecutive-kernel-delay-us", type=float, default=30, metavar="N",
                      help="shorter gaps are kernel_wait (default: 30)")
    idle.add_argument("--include-last-step", action="store_true", help="count work of the last ProfilerStep, too")
    path = commands.add_parser("critical-path", help="the longest chain of an annotation")
    path.add_argument("--annotation", default="ProfilerStep", metavar="NAME",
                      help='what its name contains; "": all of the trace (default: ProfilerStep)')
    path.add_argument("--instance", type=int, default=0, metavar="N", help="which of them (default: 0)")
    for command in idle, path:
        command.add_argument("trace", metavar="TRACE", help="Chrome JSON, gzip or plain")
    given = vars(parser.parse_args(words))
    answers: dict[str, Callable[..., Any]] = {"idle": idle_time_breakdown, "critical-path": critical_path}
    try:
        print(json.dumps(answers[given.pop("command")](**given), indent=1))
    except (OSError, EOFError, ValueError, LacunaError) as error:
        print(f"lacuna.hta: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
