#!/usr/bin/env python3
"""A program whose every gap has a cause that is known because it was put there, and the labels of its gaps.

    tests/golden/labelled_gaps.py     writes tests/fixtures/labelled_gaps.json.gz and .labels.json

Each episode: a kernel that was queued in time ends, then something that the episode is named for keeps the stream idle,
then the next kernel. The labels have the form of gap_labels.json; they come from what the episode does, not from the
trace: nothing here reads events back.
"""
import gzip
import json
import pathlib

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
NAME = "labelled_gaps"
MAIN, STREAM, SIDE = 100, 7, 13


class Program:
    """Times in microseconds. `gpu`: when stream 7 is through with what it has; the CPU is ahead of it or not."""

    def __init__(self):
        self.events, self.labels = [], []
        self.cpu, self.gpu, self.correlation = 0, 0, 0

    def slice(self, category, name, start, end, tid=MAIN, pid=1, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start,
                            "dur": end - start, "args": args})

    def on_cpu(self, category, name, length, **args):
        self.slice(category, name, self.cpu, self.cpu + length, **args)
        self.cpu += length

    def call(self, name="cudaLaunchKernel", length=4):
        self.correlation += 1
        self.on_cpu("cuda_runtime", name, length, correlation=self.correlation)
        return self.correlation

    def kernel(self, name, start, length, correlation, stream=STREAM, category="kernel"):
        self.slice(category, name, start, start + length, tid=stream, pid=0, device=0, stream=stream,
                   correlation=correlation)
        if stream == STREAM:
            self.gpu = start + length

    def queued(self, length=400):
        """A kernel that is launched while the one before it runs; its start leaves the spacing of a queue."""
        correlation = self.call()
        start = max(self.gpu + 1, self.cpu + 3)
        if start > self.gpu + 1:
            raise AssertionError("the CPU was late")
        self.kernel("gemm", start, length, correlation)

    def label(self, cause, why, others=()):
        """The gap that begins now."""
        self.labels.append({"file": NAME + ".json.gz", "stream": f"0:{STREAM}", "startNs": self.gpu * 1000,
                            "cause": cause, "why": why, **({"or": list(others)} if others else {})})

    def late_kernel(self):
        correlation = self.call()
        self.kernel("gemm", self.cpu + 3, 600, correlation)


def spacing(program, length):
    program.label("kernel_spacing", "the next kernel was queued long before; 1 us is what the GPU takes between two")
    program.queued()


def launch_bound(program, length):
    program.label("launch_bound", f"an operator computes on the CPU for {length} us before it launches")
    program.cpu = program.gpu - 20
    program.on_cpu("cpu_op", "aten::nonzero_static", 20 + length)
    program.late_kernel()


def synchronisation(program, length):
    program.label("synchronisation", f"the CPU waited for this kernel, and only then prepared the next for {length} us")
    begin = program.cpu
    program.correlation += 1
    program.cpu = program.gpu + 4
    program.slice("cuda_runtime", "cudaStreamSynchronize", begin, program.cpu, correlation=program.correlation)
    program.on_cpu("cpu_op", "aten::add", length)
    program.late_kernel()


def data_loading(program, length):
    program.label("data_loading", f"the next batch came after {length} us")
    program.cpu = program.gpu - 10
    program.on_cpu("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10 + length)
    program.late_kernel()


def allocation(program, length):
    program.label("allocation", f"cudaMalloc took {length} us")
    program.cpu = program.gpu - 5
    program.call("cudaMalloc", 5 + length)
    program.late_kernel()


def first_use(program, length):
    program.label("first_use", f"the module of the kernel was loaded for {length} us")
    program.cpu = program.gpu - 5
    program.call("cuModuleLoadData", 5 + length)
    program.late_kernel()


def profiler(program, length):
    program.label("profiler_overhead", f"CUPTI flushed its buffers for {length} us")
    program.cpu = program.gpu - 5
    program.slice("overhead", "Buffer Flush", program.cpu, program.cpu + 5 + length, tid=0, pid=-1)
    program.on_cpu("cpu_op", "aten::add", 5 + length)
    program.late_kernel()


def dependency(program, length):
    program.label("dependency", f"the next kernel waited for one on another stream, which ran for {length} us more")
    side, waits = program.call(), program.call()
    program.kernel("side", program.gpu - 50, 50 + length, side, stream=SIDE)
    program.kernel("gemm", program.gpu + length + 2, 600, waits)


def communication(program, length):
    program.label("communication", f"the next kernel waited for a collective on another stream for {length} us")
    side, waits = program.call(), program.call()
    program.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", program.gpu - 50, 50 + length, side, stream=20)
    program.kernel("gemm", program.gpu + length + 2, 600, waits)


def graph(program, length):
    correlation = program.call("cudaGraphLaunch", 8)
    program.kernel("node", program.gpu + 1, 100, correlation)
    program.label("inside_graph", f"both kernels are nodes of one graph, which was launched in time, {length} us apart")
    program.kernel("node", program.gpu + length, 600, correlation)


def not_recorded(program, length):
    program.label("not_recorded", "nothing in the file says when the next kernel was launched")
    program.kernel("gemm", program.gpu + length, 600, 0)
    program.cpu = program.gpu - 500


def preempted(program, length):
    program.label("thread_not_scheduled", f"the thread had no core for {length} us")
    program.cpu = program.gpu - 5
    program.slice("thread_state", "preempted", program.cpu, program.cpu + 5 + length, tid=1_000_000_000 + MAIN)
    program.on_cpu("cpu_op", "aten::add", 5 + length)
    program.late_kernel()


EPISODES = (spacing, launch_bound, synchronisation, data_loading, allocation, first_use, profiler, dependency,
            communication, graph, not_recorded, preempted)


def build():
    program = Program()
    program.kernel("gemm", 10, 600, program.call())
    for step in range(4):
        begin = program.cpu
        for number, episode in enumerate(EPISODES):
            program.queued()
            episode(program, 150 + 70 * step + 11 * number)
            # The next one is queued while this one's last kernel runs.
            program.cpu = max(program.cpu, program.gpu - 500)
        program.cpu = max(program.cpu, program.gpu - 300)
        program.slice("user_annotation", f"ProfilerStep#{step + 3}", begin, program.cpu)
        program.cpu += 1
    program.label("outside_steps", "the last step had ended")
    program.cpu = program.gpu + 900
    program.late_kernel()
    return program


def made():
    """What belongs into the fixtures: file name -> bytes."""
    program = build()
    trace = json.dumps({"schemaVersion": 1, "traceEvents": program.events}, separators=(",", ":"))
    labels = "[\n " + ",\n ".join(json.dumps(label) for label in program.labels) + "\n]\n"
    return {f"{NAME}.json.gz": gzip.compress(trace.encode(), mtime=0), f"{NAME}.labels.json": labels.encode()}


if __name__ == "__main__":
    for name, data in made().items():
        (FIXTURES / name).write_bytes(data)
        print(FIXTURES / name)
