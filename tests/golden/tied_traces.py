"""Small traces with many ties: times are few whole microseconds, so that spans touch, are empty, and begin or end together.

made(seed) is the same document for the same seed: threads of nested operators, launches with their kernels, copies and
collectives on streams of one or two GPUs, steps, synchronisation, memory, shapes and Python frames.
"""
import random

OPERATORS = ("aten::mm", "aten::add", "aten::item", "aten::copy_", "aten::convolution", "aten::sum", "autograd::engine::x",
             "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "Optimizer.step#SGD.step", "forward")
KERNELS = ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "void at::native::vectorized_elementwise_kernel<4>(int)",
           "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "triton_poi_fused_add_0", "k")
CALLS = ("cudaMalloc", "cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventRecord", "cudaStreamWaitEvent")


class Tied:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events, self.correlation, self.free = [], 0, {}
        self.gpus = 1 + seed % 2
        self.total = 0

    def pick(self, of):
        return of[int(self.random.random() * len(of))]

    def upto(self, most):
        return int(self.random.random() * (most + 1))

    def slice(self, cat, name, pid, tid, begin, end, **args):
        self.events.append(dict(ph="X", cat=cat, name=name, pid=pid, tid=tid, ts=begin, dur=end - begin, args=args))

    def launch(self, tid, begin, end):
        """A call and, most times, its work; some work has no call, some calls have no work."""
        self.correlation += 1
        what = self.upto(9)
        call = "cudaMemcpyAsync" if what == 0 else "cudaMemsetAsync" if what == 1 else "cudaLaunchKernel"
        if what != 2:
            self.slice("cuda_runtime", call, 1, tid, begin, end, correlation=self.correlation)
        if what == 3:
            return
        gpu, stream = self.upto(self.gpus - 1), self.pick((7, 7, 7, 20))
        start = max(self.free.get((gpu, stream), 0), begin + self.upto(2))
        stop = start + self.upto(4)
        self.free[gpu, stream] = stop
        args = {"device": gpu, "stream": stream, "correlation": self.correlation}
        if call == "cudaMemcpyAsync":
            kind, name = "gpu_memcpy", self.pick(("Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pageable)"))
            args.update({"bytes": 1 << self.upto(12), "memory bandwidth (GB/s)": 1.5})
        elif call == "cudaMemsetAsync":
            kind, name = "gpu_memset", "Memset (Device)"
            args.update({"bytes": 1 << self.upto(12)})
        else:
            kind, name = "kernel", self.pick(KERNELS)
            args.update({"grid": [1 + self.upto(3), 1, 1], "block": [32 << self.upto(3), 1, 1], "registers per thread": 32,
                         "shared memory": self.upto(2), "est. achieved occupancy %": self.upto(100),
                         "warps per SM": self.upto(8) / 2, "blocks per SM": self.upto(4) / 2})
            if "nccl" in name:
                args.update({"Collective name": "allreduce", "In msg nelems": 1 + self.upto(9), "Out msg nelems": 4,
                             "Group size": 2, "dtype": "Float", "Process Group Name": "0", "Process Group Description": "default",
                             "Process Group Ranks": "[0, 1]"})
        self.slice(kind, name, gpu, stream, start, stop, **args)
        self.events.append(dict(ph="s", cat="ac2g", name="ac2g", id=self.correlation, pid=1, tid=tid, ts=begin))
        self.events.append(dict(ph="f", bp="e", cat="ac2g", name="ac2g", id=self.correlation, pid=gpu, tid=stream, ts=start))

    def operator(self, tid, begin, end, depth):
        name = self.pick(OPERATORS)
        kind = "cpu_op" if "::" in name else "user_annotation" if self.upto(2) else "python_function"
        size = 1 + self.upto(3)
        self.slice(kind, name, 1, tid, begin, end, **{
            "External id": len(self.events), "Input Dims": [[size, 4], [4, size]], "Input type": ["float", self.pick(("float", "double"))],
            "Sequence number": self.upto(5), "Fwd thread id": 0})
        if not self.upto(3):
            size = self.pick((-512, 512, 1024))
            self.total += size
            self.events.append(dict(ph="i", s="t", cat="cpu_instant_event", name="[memory]", pid=1, tid=tid, ts=begin, args={
                "Device Type": 1, "Device Id": 0, "Addr": 4096 * (1 + self.upto(3)), "Bytes": size, "Total Allocated": self.total,
                "Total Reserved": 4096}))
        at = begin
        while at < end and depth < 4:
            stop = min(end, at + self.upto(5))
            what = self.upto(5)
            if what < 2:
                self.operator(tid, at, stop, depth + 1)
            elif what < 4:
                self.launch(tid, at, stop)
            elif what == 4:
                self.correlation += 1
                self.slice("cuda_runtime", self.pick(CALLS), 1, tid, at, stop, correlation=self.correlation)
            at = stop + (self.upto(2) if stop > at else 1)


def made(seed):
    it = Tied(seed)
    steps, length = ((3, 30), (6, 15))[seed // 2 % 2]
    for step in range(steps):
        begin = step * length
        if seed % 3:
            it.slice("user_annotation", f"ProfilerStep#{step + 3}", 1, 11, begin, begin + length - it.upto(1))
        for tid in (11, 12)[:1 + it.upto(1)]:
            at = begin
            while at < begin + length:
                stop = min(begin + length, at + 1 + it.upto(12))
                it.operator(tid, at, stop, 0)
                at = stop + it.upto(2)
    for event in it.events:
        event["ts"] += 1000
    return {"schemaVersion": 1, "baseTimeNanoseconds": 0, "deviceProperties": [
        {"id": gpu, "name": "Made GPU", "totalGlobalMem": 1 << 34, "numSms": 132, "computeMajor": 9, "computeMinor": 0}
        for gpu in range(it.gpus)], "distributedInfo": {"backend": "nccl", "rank": seed % 2, "world_size": 2},
        "record_shapes": 1, "with_stack": seed % 2, "profile_memory": 1, "traceEvents": it.events}
