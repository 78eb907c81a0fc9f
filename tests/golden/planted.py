"""Traces of one bottleneck each that is known by construction: kinds that the shared bench's simulator lacks.

write(path, kind, random) writes a Kineto-like trace and returns the truth: verdict, gpu, wall_ns, busy_ns and, where a
change is known, wall_without_ns, which is the wall of the same program without the plant.
"""
import json

US = 1000
KINDS = ("two_gpus", "autograd_thread", "graph_branches", "prefetch", "accumulation", "optimizer")
CHANGE = {"two_gpus": ["--no-cause", "data_loading"], "autograd_thread": ["--no-cause", "launch_bound"],
          "accumulation": ["--no-cause", "synchronisation"], "optimizer": ["--no-cause", "launch_bound"]}
VERDICT = {"two_gpus": "dataLoading", "autograd_thread": "launch",
           "graph_branches": "compute", "prefetch": "compute", "accumulation": "synchronisation", "optimizer": "launch"}


class Program:
    """One process: threads with clocks of their own, streams that run what was launched in order."""

    def __init__(self, random):
        self.random = random
        self.events = []
        self.spans = {}  # by GPU
        self.free = {}   # by GPU and stream
        self.now = {"main": 0}
        self.correlation = random.randrange(100, 5000)

    def cpu(self, name, category, start, end, thread="main", **args):
        tid = {"main": 100, "backward": 200, "loader": 300}[thread]
        self.events.append(dict(ph="X", cat=category, name=name, pid=100, tid=tid, ts=start, dur=end - start, args=args))

    def work(self, name, thread, ns):
        """The thread does something of its own."""
        start = self.now[thread]
        self.now[thread] += ns
        self.cpu(name, "cpu_op", start, self.now[thread], thread)

    def launch(self, operator, kernel, ns, thread="main", gpu=0, stream=7, cost=6 * US):
        """An operator that launches one kernel; returns when the kernel ends."""
        self.correlation += 1
        start = self.now[thread]
        call = start + cost // 2
        self.now[thread] = start + cost
        self.cpu(operator, "cpu_op", start, self.now[thread], thread)
        self.cpu("cudaLaunchKernel", "cuda_runtime", call, call + 3 * US - 500, thread, correlation=self.correlation)
        begin = max(call + 3 * US + 2 * US, self.free.get((gpu, stream), 0) + 1 * US)
        self.kernel(kernel, begin, ns, gpu, stream)
        return begin + ns

    def kernel(self, name, begin, ns, gpu=0, stream=7):
        self.free[gpu, stream] = begin + ns
        self.spans.setdefault(gpu, []).append((begin, begin + ns))
        self.events.append(dict(ph="X", cat="kernel", name=name, pid=gpu, tid=stream, ts=begin, dur=ns, args={
            "device": gpu, "stream": stream, "correlation": self.correlation}))

    def synchronise(self, until, name="cudaStreamSynchronize", thread="main"):
        self.correlation += 1
        start = self.now[thread]
        self.now[thread] = max(start + 2 * US, until + 4 * US)
        self.cpu(name, "cuda_runtime", start, self.now[thread], thread, correlation=self.correlation)

    def wall(self):
        return max([*self.now.values(), *(end for spans in self.spans.values() for _, end in spans)])


def build(kind, random, planted):
    """The program, and the end of the last step on the CPU."""
    program = Program(random)
    sizes = [random.randrange(60, 160) * US for _ in range(24)]
    waits = [random.randrange(15_000, 40_000) * US for _ in range(4)]
    pauses = [random.randrange(200, 600) * US for _ in range(96)]
    for step in range(4):
        begin = program.now["main"]
        if kind == "two_gpus":
            if planted:
                program.cpu("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "user_annotation", begin,
                            begin + waits[step])
                program.now["main"] += waits[step]
            for ns in sizes:
                program.launch("aten::mm", "sgemm", ns, gpu=0)
                program.launch("aten::relu", "relu", ns // 3, gpu=1)
            program.synchronise(program.free[0, 7], "cudaDeviceSynchronize")
        elif kind == "autograd_thread":
            ends = [program.launch("aten::mm", "sgemm", ns // 4) for ns in sizes[:12]]
            program.now["backward"] = program.now["main"] + 5 * US
            for i, ns in enumerate(sizes):
                if planted:
                    program.work("MulBackward0", "backward", pauses[24 * step + i])
                ends.append(program.launch("aten::mm", "sgemm_backward", ns // 2, thread="backward"))
            program.now["main"] = program.now["backward"] + 5 * US
            program.synchronise(max(ends))
        elif kind == "graph_branches":
            program.correlation += 1
            call = program.now["main"] + 10 * US
            program.cpu("cudaGraphLaunch", "cuda_runtime", call, call + 30 * US, correlation=program.correlation)
            program.now["main"] = call + 40 * US
            at = max(call + 35 * US, program.free.get((0, 7), 0))
            for i in range(0, 24, 2):
                program.kernel("left", at, sizes[i], stream=7)
                program.kernel("right", at + 2 * US, sizes[i + 1], stream=13)
                at = max(program.free[0, 7], program.free[0, 13]) + 1 * US
            program.free[0, 7] = at
        elif kind == "prefetch":
            # Another thread loads; the main thread finds its batch there.
            program.now["loader"] = begin
            program.work("decode", "loader", sum(sizes) // 2)
            for ns in sizes:
                program.launch("aten::mm", "sgemm", ns)
            program.synchronise(program.free[0, 7] - sizes[-1])
        elif kind == "accumulation":
            for micro in range(8):
                for ns in sizes[:12]:
                    last = program.launch("aten::mm", "sgemm", ns // 5)
                if planted:
                    program.synchronise(last)  # loss.item()
                program.work("log", "main", 180 * US)
        elif kind == "optimizer":
            for ns in sizes:
                program.launch("aten::mm", "sgemm", ns)
            for i in range(24 * 8):
                program.launch("aten::add_", "tiny", 2 * US, cost=(60 if planted else 3) * US)
            program.synchronise(program.free[0, 7])
        program.cpu(f"ProfilerStep#{step + 3}", "user_annotation", begin, program.now["main"])
        program.now["main"] += 2 * US
    return program


def union(spans):
    total, at = 0, 0
    for start, end in sorted(spans):
        total += max(0, end - max(start, at))
        at = max(at, end)
    return total


def write(path, kind, random):
    state = random.getstate()
    program = build(kind, random, True)
    gpu = 0
    events = [dict(e, ts=e["ts"] / 1000, dur=e["dur"] / 1000) for e in program.events]
    events.append(dict(ph="X", cat="Trace", name="PyTorch Profiler (0)", pid="Spans", tid="PyTorch Profiler", ts=-20,
                       dur=program.wall() / 1000 + 60, args={}))
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    truth = {"verdict": VERDICT[kind], "gpu": gpu, "wall_ns": program.wall() - 2 * US,
             "busy_ns": union(program.spans[gpu])}
    if kind in CHANGE:
        random.setstate(state)
        truth["wall_without_ns"] = build(kind, random, False).wall() - 2 * US
    return truth
