#!/usr/bin/env python3
"""Steps of a small network, eager and compiled, as torch.profiler writes them with
with_modules=True: structure_eager.json.gz and structure_compiled.json.gz in tests/fixtures. Usage: structure_pair.py [--check]
"""
import gzip
import json
import pathlib
import sys

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
CATEGORIES = {"m": "python_function", "o": "cpu_op", "a": "user_annotation"}


class Program:
    """Frames that hold each other on one thread; kernels run one after the other on one stream."""

    def __init__(self):
        self.events, self.now, self.gpu, self.correlation = [], 1000, 1500, 0

    def frame(self, kind, name, inside):
        begin = self.now
        self.now += 2
        for part in inside:
            self.play(part)
        self.now += 2
        self.events.append({"ph": "X", "cat": CATEGORIES[kind], "name": name, "pid": 10, "tid": 10, "ts": begin,
                            "dur": self.now - begin, "args": {}})
        self.now += 1

    def kernel(self, name, us):
        self.correlation += 1
        args = {"correlation": self.correlation, "External id": self.correlation}
        self.events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 10, "tid": 10,
                            "ts": self.now, "dur": 3, "args": args})
        self.gpu = max(self.gpu, self.now + 5)
        self.events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": self.gpu, "dur": us,
                            "args": {**args, "device": 0, "stream": 7}})
        self.gpu += us + 1
        self.now += 4

    def play(self, part):
        self.frame(*part) if len(part) == 3 else self.kernel(*part)

    def packed(self):
        text = json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
                           "traceEvents": self.events}, separators=(",", ":"))
        return gzip.compress(text.encode(), mtime=0)


def operator(name, *inside):
    return ("o", name, inside)


def module(name, *inside):
    return ("m", "nn.Module: " + name, inside)


def elementwise(what):
    return f"void at::native::vectorized_elementwise_kernel<4, at::native::{what}, std::array<char*, 2ul> >(int)"


GEMM, WIDE = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn", "ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_tn"


def linear(n, us):
    return module(f"Linear_{n}", operator("aten::linear", operator("aten::t", operator("aten::transpose")),
                                          operator("aten::addmm", (GEMM, us))))


def eager(n):
    norm = module(f"RMSNorm_{n}", operator("aten::pow", (elementwise("pow_tensor_scalar_kernel_impl"), 11)),
                  operator("aten::mean", ("void at::native::reduce_kernel<512, 1, at::native::MeanOps>(int)", 7)),
                  operator("aten::rsqrt", (elementwise("rsqrt_kernel_cuda"), 5)),
                  operator("aten::mul", (elementwise("BinaryFunctor<MulFunctor>"), 13)))
    block = module(f"Block_{n}", norm, linear(2 * n, 40), operator("aten::gelu", (elementwise("GeluCUDAKernelImpl"), 17)),
                   linear(2 * n + 1, 60), operator("aten::add", (elementwise("CUDAFunctor_add"), 9)))
    return [module("Embedding_0", operator("aten::embedding", ("indexSelectLargeIndex", 6))), block,
            operator("aten::argmax", ("void at::native::reduce_kernel<512, 1, at::native::ArgMaxOps>(int)", 8))]


def compiled(n):
    norm, gelu = "triton_red_fused_mean_mul_pow_rsqrt_0", "triton_poi_fused_add_gelu_1"
    graph = ("a", "## Call CompiledFxGraph f5jqyzzs ##", (
        operator(norm, (norm, 16)), operator("aten::addmm", (WIDE, 35)), operator(gelu, (gelu, 12)),
        operator("aten::addmm", (GEMM, 61))))
    return [module("Embedding_0", operator("aten::embedding", ("indexSelectLargeIndex", 6))),
            operator("Torch-Compiled Region: 0/0", operator("TorchDynamo Cache Lookup"), graph),
            operator("aten::argmax", ("void at::native::reduce_kernel<512, 1, at::native::ArgMaxOps>(int)", 8))]


def make(parts):
    program = Program()
    for step in range(3):
        program.frame("a", f"ProfilerStep#{step + 2}", [module("Network_0", *parts(0))])
        program.now = program.gpu = max(program.now, program.gpu) + 10
    return program.packed()


FILES = {"structure_eager.json.gz": eager, "structure_compiled.json.gz": compiled}


def main():
    wrong = 0
    for name, parts in FILES.items():
        made = make(parts)
        if "--check" not in sys.argv:
            (FIXTURES / name).write_bytes(made)
        elif gzip.decompress((FIXTURES / name).read_bytes()) != gzip.decompress(made):
            print(f"{name} is not what structure_pair.py makes")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
