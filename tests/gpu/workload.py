"""What tests/gpu/checks.py records: workload.py NAME [--kineto OUT]. Prints the seconds that the loop took.

With --kineto the same loop runs under torch.profiler and its trace and table are written beside each other.
"""
import sys
import time

import torch


def matmul_add(size):
    a = torch.randn(size, size, device="cuda")
    b = torch.randn(size, size, device="cuda")
    return lambda: torch.add(a @ b, b)


def make(name):
    if name in ("eager", "overhead", "profiler"):
        small, large = matmul_add(64), matmul_add(4096)
        return lambda: ([small() for _ in range(50)], [large() for _ in range(3)])
    if name == "compiled":
        small, large = torch.compile(matmul_add(64)), torch.compile(matmul_add(4096))
        return lambda: (small(), large())
    if name == "graph":
        work = matmul_add(64)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            work()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(5):
                work()
        return graph.replay
    if name == "streams":
        streams = [torch.cuda.Stream() for _ in range(3)]
        host = [torch.empty(1 << 20, pin_memory=True) for _ in streams]
        device = [torch.empty(1 << 20, device="cuda") for _ in streams]

        def copies():
            for stream, h, d in zip(streams, host, device):
                with torch.cuda.stream(stream):
                    d.copy_(h, non_blocking=True)
                    d.mul_(2)
                    h.copy_(d, non_blocking=True)

        return copies
    raise SystemExit("unknown workload " + name)


def loop(step, rounds=20):
    for _ in range(rounds):
        with torch.profiler.record_function("round"):
            step()
    torch.cuda.synchronize()


def main():
    name = sys.argv[1]
    step = make(name)
    loop(step, 3)
    if "--kineto" in sys.argv or name == "profiler":
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
            start = time.perf_counter()
            loop(step)
            seconds = time.perf_counter() - start
        if "--kineto" in sys.argv:
            out = sys.argv[sys.argv.index("--kineto") + 1]
            p.export_chrome_trace(out)
            with open(out.replace(".json.gz", ".table.txt").replace(".json", ".table.txt"), "w") as file:
                file.write(p.key_averages().table(sort_by="self_cuda_time_total", row_limit=-1))
        else:  # the takeover: afterwards the recording goes on
            with torch.profiler.record_function("after the profiler"):
                loop(step, 2)
                time.sleep(0.2)
    else:
        start = time.perf_counter()
        loop(step)
        seconds = time.perf_counter() - start
    print("seconds", seconds, flush=True)


main()
