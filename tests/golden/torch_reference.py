#!/usr/bin/env python3
"""torch.profiler's table, by torch's own code, for a trace that torch wrote earlier.

    /tmp/torch/bin/python tests/golden/torch_reference.py TRACE.json[.gz] [--check PAIR.txt] [--write OUT.txt.gz]

PyTorch makes the table in two steps: C++ hands a list of events to Python (KinetoEvent), and
torch/autograd/profiler_util.py builds the tree, the averages and the text. The second step is plain
Python and is used here as it is. The first step needs the machine that recorded the trace, so this
script replaces it: it makes the list of events again from trace.json. What the file does not say is
decided by the rules below, which are those of model/torch/torch_events.h, written independently.

  thread      an operator's: its (pid, tid). A runtime call with an "External id": that of the operator
              with this id. Without: the thread that stopped the profiler, which the file does not
              name; taken to be the one with the first ProfilerStep, else that of the process's tid == pid,
              else that of the first operator.
  linked      "External id" > 0 of a kernel, copy, set or runtime call that is the id of an operator;
              of a cuda_sync, too, unless it is its own correlation
  start       of the trace: the ts of the span "PyTorch Profiler (0)"; else the first event
  end         an operator still open when the profiler stopped reaches beyond that span in the file.
              torch ends it with the event around it, or with the span, and calls it asynchronous.
  annotation  on a GPU: Kineto's writer starts it 1 ns early and ends it 1 ns late (older: 1 us early).
              Undone where that makes it start with a kernel of its stream.
  shapes      "Input Dims" with lists of tensors as []
  stack       "Call stack", split at ';'
  backward    an event whose parent is "autograd::engine::evaluate_function: " + its own name

--check compares with a file that record_torch_cpu.py wrote; --write makes such a file.
"""
import argparse
import ast
import gzip
import json
import pathlib
import re
import sys
from collections import Counter, defaultdict
from decimal import Decimal
from types import SimpleNamespace

import torch
from torch.autograd import DeviceType
from torch.autograd.profiler import profile
from torch.autograd.profiler_util import EventList

DEVICE_CATEGORIES = {"kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset", "gpu_user_annotation",
                     "cuda_sync", "cuda_profiler_range"}
KERNEL_CATEGORIES = {"kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"}
RUNTIME_CATEGORIES = {"cuda_runtime", "cuda_driver", "runtime", "driver", "hip_runtime", "xpu_runtime",
                      "xpu_driver", "mtia_runtime", "privateuse1_runtime", "privateuse1_driver", "overhead"}
OPERATOR_CATEGORIES = {"cpu_op", "operator", "user_annotation"}
ANNOTATIONS = {"user_annotation", "gpu_user_annotation"}
BACKWARD = "autograd::engine::evaluate_function: "


def nanos(number):
    return int((Decimal(str(number)) * 1000).to_integral_value())


class Event:
    """One event of the file, with the methods that torch's Python asks of a KinetoEvent."""

    def __init__(self, index, event):
        args = event.get("args") or {}
        self.index = index
        self._name = event.get("name", "")
        self.category = event.get("cat", "").lower()
        self.is_memory = self._name in ("[memory]", "[OutOfMemory]") and event["ph"] == "i"
        self.pid, self.tid = str(event.get("pid")), str(event.get("tid"))
        self.stream = (str(args.get("device", self.pid)), str(args.get("stream", self.tid)))
        self.start = nanos(event["ts"])
        self.end = self.start + max(nanos(event.get("dur", 0)), 0)
        self.id = int(args.get("External id", args.get("external id", 0)) or 0)
        self.correlation = int(args.get("correlation", 0) or 0)
        self.bytes = int(args.get("Bytes", 0) or 0)
        self.is_operator = self.category in OPERATOR_CATEGORIES
        self.on_device = self.category in DEVICE_CATEGORIES
        if self.is_memory:
            self.device = DeviceType(int(args.get("Device Type", 0)))
        else:
            self.device = DeviceType.CUDA if self.on_device else DeviceType.CPU
        self.linked = 0
        self.thread = (self.pid, self.tid)
        self.is_async_ = False
        self.structured = args.get("Input Dims") or []
        if isinstance(self.structured, str):  # some writers quote it
            self.structured = ast.literal_eval(self.structured)
        self.stack_ = [e for e in (args.get("Call stack") or "").split(";") if e]
        self.sequence = int(args.get("Sequence number", -1))
        self.forward = int(args.get("Fwd thread id", 0))
        self.scope_ = 0
        self.thread_number = 0

    def name(self): return self._name
    def start_ns(self): return self.start
    def end_ns(self): return self.end
    def device_type(self): return self.device
    def device_index(self): return 0
    def device_resource_id(self): return 0
    def nbytes(self): return self.bytes
    def is_async(self): return self.is_async_
    def start_thread_id(self): return self.thread_number
    def end_thread_id(self): return self.thread_number
    def fwd_thread_id(self): return self.forward
    def correlation_id(self): return self.id if self.is_operator else 0
    def linked_correlation_id(self): return self.linked
    def external_id(self): return self.id
    def overload_name(self): return ""
    def shapes(self):
        return [[] if any(isinstance(n, list) for n in dims) else dims for dims in self.structured]
    def stack(self): return self.stack_
    def scope(self): return self.scope_
    def sequence_nr(self): return self.sequence
    def flops(self): return 0
    def is_user_annotation(self): return self.category in ANNOTATIONS
    def is_python_function(self): return self.category == "python_function"
    def activity_type(self): return self.category
    def cuda_elapsed_us(self): return -1
    def privateuse1_elapsed_us(self): return -1
    def extra_meta(self): return {}
    def typed_metadata(self): return {}
    def concrete_inputs(self): return []
    def kwinputs(self): return {}
    def flow_id(self): return 0
    def flow_type(self): return 0
    def flow_start(self): return False
    def structured_input_shapes(self): return self.structured
    def structured_input_strides(self): return []
    def dtypes(self): return []
    def python_id(self): return -1
    def python_parent_id(self): return -1
    def python_module_id(self): return -1


def read_events(path):
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rb") as file:
        trace = json.loads(file.read().decode("utf-8", "replace"), parse_float=str, strict=False)
    events, span = [], None
    for index, event in enumerate(trace["traceEvents"] if isinstance(trace, dict) else trace):
        if event.get("ph") == "X" and event.get("cat") == "Trace":
            if event["name"].startswith("PyTorch Profiler"):
                span = (nanos(event["ts"]), nanos(event["ts"]) + nanos(event.get("dur", 0)))
        elif event.get("ph") == "X":
            events.append(Event(index, event))
        elif event.get("ph") == "i" and event.get("name") in ("[memory]", "[OutOfMemory]"):
            events.append(Event(index, event))
    return trace if isinstance(trace, dict) else {}, events, span


def undo_annotation_shift(events):
    starts, ends = defaultdict(set), defaultdict(set)
    for e in events:
        if e.category in KERNEL_CATEGORIES:
            starts[e.stream].add(e.start)
            ends[e.stream].add(e.end)
    annotations = [e for e in events if e.category == "gpu_user_annotation"]
    def fit(early, late):
        return sum(e.start + early in starts[e.stream] and e.end - late in ends[e.stream] for e in annotations)
    early, late = max([(0, 0), (1, 1), (1000, 0)], key=lambda shift: fit(*shift))
    for e in annotations:
        e.start, e.end = e.start + early, e.end - late


def stopping_thread(events):
    operators = sorted((e for e in events if e.is_operator), key=lambda e: (e.start, -e.end))
    for e in operators:
        if e.name().startswith("ProfilerStep#"):
            return e.thread
    for e in operators:
        if e.pid == e.tid:
            return e.thread
    return operators[0].thread if operators else None


def end_open_operators(events, end):
    open_ones = {id(e) for e in events if e.is_operator and e.end > end}
    if not open_ones:
        return
    stacks = defaultdict(list)
    for e in sorted((e for e in events if not e.on_device and not e.is_memory),
                    key=lambda e: (e.start, -e.end)):
        stack = stacks[e.thread]
        while stack and stack[-1].end < e.start:
            stack.pop()
        if id(e) in open_ones:
            e.is_async_ = True
            e.end = stack[-1].end if stack else end
        stack.append(e)


def assign_threads(events):
    operators = {}
    for e in events:
        if e.is_operator and e.id:
            operators.setdefault(e.id, e)
    stopper = stopping_thread(events)
    for e in events:
        if e.is_operator or e.is_python_function() or e.is_memory or e.category == "gpu_user_annotation":
            continue
        if e.category not in KERNEL_CATEGORIES | RUNTIME_CATEGORIES | DEVICE_CATEGORIES:
            continue
        own_correlation = e.on_device and e.category not in KERNEL_CATEGORIES and e.id == e.correlation
        if e.id in operators and not own_correlation:
            e.linked = e.id
            e.thread = operators[e.id].thread
        elif not e.on_device and stopper:
            e.thread = stopper
    numbers = {}
    for e in events:
        e.thread_number = numbers.setdefault(e.thread, 1000 + len(numbers))
    return numbers


def mark_backward(events, numbers):
    """Finds the operators of scope BACKWARD_FUNCTION, and which thread a "Fwd thread id" means."""
    stacks = defaultdict(list)
    forward_of = defaultdict(set)
    for e in sorted((e for e in events if e.is_operator), key=lambda e: (e.start, -e.end)):
        stack = stacks[e.thread]
        while stack and (e.start >= stack[-1].end or e.end > stack[-1].end):
            stack.pop()
        if stack and stack[-1].name() == BACKWARD + e.name():
            e.scope_ = 1
        stack.append(e)
        if e.forward == 0 and e.sequence >= 0:
            forward_of[e.sequence].add(e.thread)
    votes = defaultdict(Counter)
    for e in events:
        if e.forward:
            for thread in forward_of[e.sequence]:
                votes[e.forward][thread] += 1
    for e in events:
        if e.forward and votes[e.forward]:
            e.forward = numbers[votes[e.forward].most_common(1)[0][0]]


def function_events(path):
    trace, events, span = read_events(path)
    undo_annotation_shift(events)
    start = span[0] if span else min(e.start for e in events)
    if span:
        end_open_operators(events, span[1])
    numbers = assign_threads(events)
    mark_backward(events, numbers)
    # As torch hands them over: by start, else as in the file.
    events.sort(key=lambda e: (e.start, e.index))
    on_device = any(e.on_device for e in events)
    parser = SimpleNamespace(use_device="cuda" if on_device else None)
    result = SimpleNamespace(events=lambda: events, trace_start_ns=lambda: start)
    functions = EventList(profile._parse_kineto_results(parser, result), use_device=parser.use_device,
                          profile_memory=bool(trace.get("profile_memory", any(e.is_memory for e in events))))
    functions._build_tree()
    return functions


def calls_of(heading):
    """key_averages(a=1).table(b=2) -> ({a: 1}, {b: 2})"""
    def keywords(text):
        call = ast.parse(f"f({text})", mode="eval").body
        return {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    match = re.fullmatch(r"key_averages\((.*)\)\.table\((.*)\)", heading)
    grouping = keywords(match[1])
    if "group_by_input_shape" in grouping:  # the profiler's argument; its list of events has an s
        grouping["group_by_input_shapes"] = grouping.pop("group_by_input_shape")
    return grouping, keywords(match[2])


def read_text(path):
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def sections(text):
    """Yields (heading, table) of a file by record_torch_cpu.py."""
    for part in text.split("\n==== ")[1:]:
        heading, _, table = part.partition("\n")
        yield heading, table


# What is kept of traces that were recorded elsewhere, mostly with a GPU.
FORMS = [
    "key_averages().table(row_limit=-1)",
    "key_averages().table(sort_by='self_cuda_time_total')",
    "key_averages().table(sort_by='cuda_time_total', row_limit=25, top_level_events_only=True)",
    "key_averages().table(sort_by='cuda_time', row_limit=25, time_unit='us')",
    "key_averages().table(sort_by='self_cpu_time_total', row_limit=25, max_name_column_width=80)",
    "key_averages().table(sort_by='self_cuda_memory_usage', row_limit=25)",
    "key_averages(group_by_input_shape=True).table(sort_by='cpu_time_total', row_limit=40)",
    "key_averages(group_by_stack_n=4).table(sort_by='cuda_time_total', row_limit=20)",
    "key_averages(include_python_functions=True).table(sort_by='cpu_time_total', row_limit=40)",
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    functions = function_events(options.trace)
    if options.check:
        bad = 0
        for heading, want in sections(read_text(options.check)):
            grouping, form = calls_of(heading)
            got = functions.key_averages(**grouping).table(**form) + "\n"
            same = got.rstrip("\n") == want.rstrip("\n")
            bad += not same
            print("same   " if same else "DIFFERS", heading)
            if not same:
                wrong = [(a, b) for a, b in zip(want.split("\n"), got.split("\n")) if a != b]
                for a, b in wrong[:4]:
                    print("  torch", a, "\n  file ", b)
                print("  lines:", len(want.split("\n")), len(got.split("\n")), "different:", len(wrong))
        sys.exit(bad != 0)
    text = [f"torch {torch.__version__}, Python {sys.version.split()[0]}, from {options.trace.name}\n"]
    for heading in FORMS:
        grouping, form = calls_of(heading)
        text.append(f"\n==== {heading}\n{functions.key_averages(**grouping).table(**form)}\n")
    if options.write:
        with open(options.write, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            packed.write("".join(text).encode())
    else:
        print("".join(text))


if __name__ == "__main__":
    main()
