#!/usr/bin/env python3
"""Makes assets/demo.trace.json.gz: the trace that `app/run` opens.

    assets/make_demo_trace.py assets/demo.trace.json.gz     writes it
    assets/make_demo_trace.py --check FILE                  status 1 unless FILE holds the same JSON

It is SYNTHETIC and says so in its metadata and names: no such run ever took place. A small simulator
lets a training loop of a made-up transformer launch kernels on a made-up GPU, in the form in which
PyTorch's profiler writes traces, so that each cause of an idle GPU shows where it belongs:

    demo 1  slow data loading: every step waits for the loader thread
    demo 2  synchronisation: aten::item makes the CPU wait for the GPU, which then waits for the CPU
    demo 3  launch-bound: kernels so small that the CPU cannot launch them fast enough
    demo 4  healthy: large kernels keep the GPU busy, and the next batch is copied meanwhile

Deterministic (seeded, no clock) and standard library only. All times are integer nanoseconds.
"""
import contextlib
import gzip
import json
import random
import sys

PID = 4242                  # of the Python process
MAIN, AUTOGRAD, LOADER = 4242, 4310, 4355  # its threads
COMPUTE, COPY = 7, 20       # streams of device 0
BASE_TIME_NS = 1767225600_000000000  # 2026-01-01, as baseTimeNanoseconds
START = 5_000_000           # ns after the base at which the loop starts
US, MS = 1_000, 1_000_000
BLOCKS = 6
MIB = 1 << 20

GEMM = ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_{}_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
        "segment_k_off_kernel__5x_cublas")
ELEMENTWISE = ("void at::native::vectorized_elementwise_kernel<4, at::native::{0}, std::array<char*, "
               "{1}ul> >(int, at::native::{0}, std::array<char*, {1}ul>)")
ADD = ELEMENTWISE.format("CUDAFunctor_add<c10::BFloat16>", 3)
MUL = ELEMENTWISE.format("BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >", 3)
SQRT = ELEMENTWISE.format("sqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}", 2)
ADDCDIV = ELEMENTWISE.format("addcdiv_cuda_kernel(at::TensorIteratorBase&, c10::Scalar const&)::{lambda()#2}", 4)
FILL = ELEMENTWISE.format("FillFunctor<float>", 1)
GELU = ELEMENTWISE.format("GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}", 2)
GELU_BACKWARD = ELEMENTWISE.format(
    "GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}", 3)
LAYER_NORM = ("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>"
              "(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, "
              "float*, c10::BFloat16*)")
LAYER_NORM_BACKWARD = ("void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized"
                       "<c10::BFloat16, float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, "
                       "float const*, c10::BFloat16 const*, c10::BFloat16*, int)")
FLASH = ("void flash::flash_{}_kernel<Flash_{}_kernel_traits<64, 128, 64, 4, cutlass::bfloat16_t> >"
         "(Flash_{}_params)")
SOFTMAX = ("void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float, float, float, "
           "LogSoftMaxForwardEpilogue>(float*, float const*, int)")
NLL = "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>"
REDUCE = ("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::NormTwoOps"
          "<float, float, float>, unsigned int, float, 4> >")
MULTI_TENSOR = ("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
                "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::"
                "FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false> >")


class Recorder:
    """Collects events as lines of JSON, in the sections in which PyTorch writes them."""

    def __init__(self):
        self.sections = {name: [] for name in ("metadata", "cpu", "runtime", "gpu", "annotations", "marks")}

    def event(self, section, phase, name, pid, tid, ts, cat=None, dur=None, args=None, **more):
        fields = [f'"ph": "{phase}"']
        if cat is not None:
            fields.append(f'"cat": "{cat}"')
        fields += [f'"name": {json.dumps(name)}', f'"pid": {json.dumps(pid)}', f'"tid": {json.dumps(tid)}',
                   f'"ts": {micros(ts)}']
        if dur is not None:
            fields.append(f'"dur": {micros(dur)}')
        fields += [f'"{key}": {json.dumps(value)}' for key, value in more.items()]
        if args is not None:
            fields.append(f'"args": {json.dumps(args)}')
        self.sections[section].append("{" + ", ".join(fields) + "}")


def micros(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


class Thread:
    """A CPU thread: a clock that work moves on."""

    def __init__(self, run, tid, name):
        self.run = run
        self.tid = tid
        self.name = name
        self.now = START
        self.external = [0]  # External id of the innermost operator

    def work(self, ns):
        """The CPU computes for about that long."""
        self.now += max(100, int(ns * (0.85 + 0.3 * self.run.random.random())))

    @contextlib.contextmanager
    def span(self, cat, name, args=None, overhead=0):
        start = self.now
        external = self.external[-1]
        if cat in ("cpu_op", "user_annotation"):
            external = self.run.next_external()
            args = dict({"External id": external}, **(args or {}))
        self.external.append(external)
        self.work(overhead * 0.6 + 150)
        yield start
        self.work(overhead * 0.4 + 100)
        self.external.pop()
        section = "runtime" if cat == "cuda_runtime" else "cpu"
        self.run.recorder.event(section, "X", name, PID, self.tid, start, cat, self.now - start, args)

    def op(self, name, dims=None, overhead=1500):
        args = {"Input Dims": dims} if dims is not None else None
        return self.span("cpu_op", name, args, overhead)

    def annotation(self, name):
        return self.run.annotated(self, name)

    def frame(self, name):
        return self.span("python_function", name, {"Python id": self.run.next_python()}, 1200)

    def call(self, name, cbid, ns, correlated=True):
        """A CUDA runtime call. Returns (correlation, start)."""
        correlation = self.run.next_correlation()
        args = {"cbid": cbid, "correlation": correlation}
        if correlated:
            args["External id"] = self.external[-1]
        with self.span("cuda_runtime", name, args) as start:
            self.work(ns)
        return correlation, start


class Run:
    """The simulated machine: threads, streams, memory, and the ids that tie events together."""

    def __init__(self):
        self.random = random.Random(20260101)
        self.recorder = Recorder()
        self.main = Thread(self, MAIN, "thread 4242 (python)")
        self.autograd = Thread(self, AUTOGRAD, "thread 4310 (pt_autograd_0)")
        self.loader = Thread(self, LOADER, "thread 4355 (pt_data_loader)")
        self.ready = {COMPUTE: START, COPY: START}  # when a stream has done what was launched so far
        self.correlation = 1000
        self.external = 0
        self.python = 0
        self.sequence = 0
        self.scale = 1.0        # how long kernels take in the current part
        self.open_annotations = []
        self.allocated = 900 * MIB

    # --- ids -------------------------------------------------------------------------------------

    def next_correlation(self):
        self.correlation += 1
        return self.correlation

    def next_external(self):
        self.external += 1
        return self.external

    def next_python(self):
        self.python += 1
        return self.python

    # --- GPU -------------------------------------------------------------------------------------

    def enqueue(self, cat, name, correlation, launched, thread, stream, ns, args):
        """Puts one activity on a stream: it starts when the launch has arrived and the stream is free."""
        arrival = launched + 3_200 + int(1_300 * self.random.random())
        start = max(arrival, self.ready[stream] + 700 + int(500 * self.random.random()))
        duration = max(900, int(ns * (0.96 + 0.08 * self.random.random())))
        self.ready[stream] = start + duration
        args = dict({"External id": thread.external[-1], "queued": 0, "device": 0, "context": 1,
                     "stream": stream, "correlation": correlation}, **args)
        record = self.recorder
        record.event("gpu", "X", name, 0, stream, start, cat, duration, args)
        record.event("runtime", "s", "ac2g", PID, thread.tid, launched, "ac2g", id=correlation)
        record.event("gpu", "f", "ac2g", 0, stream, start, "ac2g", id=correlation, bp="e")
        for annotation in self.open_annotations:
            first, last = annotation.get(stream, (start, start))
            annotation[stream] = (min(first, start), max(last, start + duration))

    def kernel(self, thread, name, ns, blocks=264, threads=256, registers=40, stream=COMPUTE):
        correlation, launched = thread.call("cudaLaunchKernel", 211, 2_900)
        self.enqueue("kernel", name, correlation, launched, thread, stream, ns * self.scale, {
            "registers per thread": registers, "shared memory": 0,
            "blocks per SM": round(blocks / 132, 4), "warps per SM": round(blocks * threads / 32 / 132, 4),
            "grid": [blocks, 1, 1], "block": [threads, 1, 1],
            "est. achieved occupancy %": min(100, 100 * blocks * threads // (132 * 2048))})

    def copy(self, thread, direction, size, gigabytes_per_second, stream):
        correlation, launched = thread.call("cudaMemcpyAsync", 41, 4_200)
        ns = size / gigabytes_per_second + 900
        self.enqueue("gpu_memcpy", f"Memcpy {direction}", correlation, launched, thread, stream, ns,
                     {"bytes": size, "memory bandwidth (GB/s)": gigabytes_per_second})

    def memset(self, thread, size):
        correlation, launched = thread.call("cudaMemsetAsync", 51, 3_000)
        self.enqueue("gpu_memset", "Memset (Device)", correlation, launched, thread, COMPUTE, 1_100,
                     {"bytes": size})

    def wait_until(self, thread, time, call, cbid):
        """The CPU blocks in `call` until the GPU has got there."""
        correlation = self.next_correlation()
        with thread.span("cuda_runtime", call, {"cbid": cbid, "correlation": correlation}):
            thread.now = max(thread.now, time + 1_500)

    # --- what the profiler adds ------------------------------------------------------------------

    @contextlib.contextmanager
    def annotated(self, thread, name):
        """record_function: a span on the CPU and its projection on each stream it launched to."""
        reach = {}
        self.open_annotations.append(reach)
        with thread.span("user_annotation", name, overhead=1_000):
            yield
            external = thread.external[-1]
        self.open_annotations.pop()
        for stream, (start, end) in sorted(reach.items()):
            self.recorder.event("annotations", "X", name, 0, stream, start, "gpu_user_annotation", end - start,
                                {"External id": external})

    def allocate(self, thread, size):
        """[memory] as profile_memory writes it, and a counter that draws it."""
        address = 0x7F0000000000 + self.allocated + min(size, 0)
        self.allocated += size
        reserved = max(2048 * MIB, self.allocated // (512 * MIB) * 512 * MIB + 512 * MIB)
        self.recorder.event("marks", "i", "[memory]", PID, thread.tid, thread.now, "cpu_instant_event", s="t", args={
            "Addr": address, "Bytes": size, "Device Type": 1, "Device Id": 0,
            "Total Allocated": self.allocated, "Total Reserved": reserved})
        self.recorder.event("marks", "C", "GPU 0 memory (MiB)", PID, 0, thread.now, args={
            "allocated": round(self.allocated / MIB, 1), "reserved": reserved // MIB})

    def flow_to_backward(self, thread, start):
        """Ties a forward operator to its backward. Returns the sequence number."""
        self.sequence += 1
        self.recorder.event("marks", "s", "fwdbwd", PID, thread.tid, start, "fwdbwd", id=self.sequence)
        return self.sequence


# --- the model -------------------------------------------------------------------------------------

def view(thread, names):
    for name in names:
        with thread.op(name, overhead=700):
            pass


def linear(run, tape, gemm_us, shape):
    thread = run.main
    with thread.frame("nn.Module: Linear"):
        with thread.op("aten::linear", [shape, [shape[-1], shape[-1]], [shape[-1]]]):
            view(thread, ["aten::t"])
            with thread.op("aten::addmm", [[shape[-1]], shape, [shape[-1], shape[-1]]], 3_500) as start:
                run.kernel(thread, GEMM.format("tn"), gemm_us * US, 528, 384, 168)
            tape.append(("AddmmBackward0", run.flow_to_backward(thread, start), gemm_us))


def layer_norm(run, tape):
    thread = run.main
    with thread.frame("nn.Module: LayerNorm"), thread.op("aten::layer_norm"):
        with thread.op("aten::native_layer_norm", overhead=2_600) as start:
            view(thread, ["aten::empty"])
            run.kernel(thread, LAYER_NORM, 9 * US, 4096, 128, 32)
        tape.append(("NativeLayerNormBackward0", run.flow_to_backward(thread, start), 0))


def attention(run, tape):
    thread = run.main
    with thread.op("aten::scaled_dot_product_attention", overhead=3_000):
        with thread.op("aten::_scaled_dot_product_flash_attention", overhead=2_000):
            with thread.op("aten::_flash_attention_forward", overhead=4_000) as start:
                run.kernel(thread, FLASH.format("fwd", "fwd", "fwd"), 38 * US, 1024, 128, 240)
            tape.append(("ScaledDotProductFlashAttentionBackward0", run.flow_to_backward(thread, start), 0))


def pointwise(run, tape, op, kernel, backward=None):
    thread = run.main
    with thread.op(op, overhead=1_800) as start:
        run.kernel(thread, kernel, 7 * US, 2048, 128, 24)
        if backward:
            tape.append((backward, run.flow_to_backward(thread, start), 0))


def forward(run, shape):
    """The forward pass; returns what backward has to undo."""
    tape = []
    thread = run.main
    with thread.annotation("forward"), thread.frame("train.py(61): forward"):
        for block in range(BLOCKS):
            with thread.frame(f"nn.Module: TransformerBlock_{block}"):
                layer_norm(run, tape)
                linear(run, tape, 46, shape)
                attention(run, tape)
                linear(run, tape, 21, shape)
                pointwise(run, tape, "aten::add", ADD)
                layer_norm(run, tape)
                linear(run, tape, 55, shape)
                pointwise(run, tape, "aten::gelu", GELU, "GeluBackward0")
                linear(run, tape, 55, shape)
                pointwise(run, tape, "aten::add", ADD)
            run.allocate(thread, 96 * MIB)
        with thread.frame("nn.Module: CrossEntropyLoss"), thread.op("aten::cross_entropy_loss"):
            with thread.op("aten::_log_softmax") as start:
                run.kernel(thread, SOFTMAX, 18 * US, 2048, 1024, 32)
            tape.append(("LogSoftmaxBackward0", run.flow_to_backward(thread, start), 0))
            with thread.op("aten::nll_loss_forward"):
                run.kernel(thread, NLL, 5 * US, 1, 32, 30)
    return tape


def backward(run, tape):
    """Runs on the autograd thread while the main thread waits in loss.backward()."""
    main, thread = run.main, run.autograd
    with main.annotation("backward"), main.frame("torch/_tensor.py(570): backward"):
        thread.now = main.now + 9 * US
        per_block = (len(tape) - 1) // BLOCKS  # entry 0 is the loss
        for index, (name, sequence, gemm_us) in enumerate(reversed(tape)):
            with thread.span("cpu_op", f"autograd::engine::evaluate_function: {name}", None, 1_800):
                with thread.span("cpu_op", name, {"Sequence number": sequence}, 1_500) as start:
                    run.recorder.event("marks", "f", "fwdbwd", PID, thread.tid, start, "fwdbwd", id=sequence, bp="e")
                    if name == "AddmmBackward0":
                        for _ in range(2):  # gradient of the input, then of the weight
                            with thread.op("aten::mm", overhead=2_600):
                                run.kernel(thread, GEMM.format("nt"), gemm_us * US, 528, 384, 168)
                        with thread.op("aten::sum"):
                            run.kernel(thread, REDUCE, 6 * US, 128, 512, 32)
                    elif name == "ScaledDotProductFlashAttentionBackward0":
                        with thread.op("aten::_flash_attention_backward", overhead=4_000):
                            run.memset(thread, 4096)
                            run.kernel(thread, FLASH.format("bwd", "bwd", "bwd"), 96 * US, 1024, 128, 250)
                    elif name == "NativeLayerNormBackward0":
                        with thread.op("aten::native_layer_norm_backward", overhead=2_400):
                            run.kernel(thread, LAYER_NORM_BACKWARD, 14 * US, 4096, 128, 40)
                    else:
                        with thread.op("aten::gelu_backward" if "Gelu" in name
                                       else "aten::_log_softmax_backward_data"):
                            run.kernel(thread, GELU_BACKWARD, 9 * US, 2048, 128, 28)
            if index > 0 and index % per_block == 0:  # a block done: its activations are free
                run.allocate(thread, -96 * MIB)
        main.now = max(main.now, thread.now + 6 * US)


def optimizer(run, fused):
    thread = run.main
    with thread.annotation("optimizer"), thread.frame("torch/optim/adamw.py(220): step"):
        if fused:
            with thread.op("aten::_fused_adamw_", overhead=24_000):
                for _ in range(4):
                    run.kernel(thread, MULTI_TENSOR, 64 * US, 2048, 512, 48)
        else:  # one parameter after the other
            for _ in range(BLOCKS * 4):
                for op, kernel in (("aten::mul_", MUL), ("aten::add_", ADD), ("aten::sqrt", SQRT),
                                   ("aten::addcdiv_", ADDCDIV)):
                    with thread.op(op, overhead=2_000):
                        run.kernel(thread, kernel, 6 * US, 64, 128, 24)
        with thread.op("aten::zero_"), thread.op("aten::fill_"):
            run.kernel(thread, FILL, 4 * US, 512, 128, 16)


# --- the training loop -----------------------------------------------------------------------------

def load_batch(run, number, ms):
    """The loader thread makes one batch, from when it is free. Returns when the batch is there."""
    thread = run.loader
    with thread.span("user_annotation", f"load batch {number}", overhead=2_000):
        for _ in range(4):
            with thread.frame("dataset.py(88): __getitem__"):
                with thread.frame("dataset.py(97): decode_and_augment"):
                    thread.work(ms * MS / 5)
        with thread.op("aten::stack", overhead=3_000), thread.op("aten::cat"):
            thread.work(ms * MS / 8)
        with thread.op("aten::pin_memory", overhead=2_000):
            thread.work(ms * MS / 20)
    return thread.now


def next_batch(run, available, stream, size):
    """Waits until the loader has a batch and starts its copy to the GPU."""
    thread = run.main
    with thread.span("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", overhead=9_000):
        if available > thread.now:
            with thread.frame("<built-in method acquire of _thread.lock object>"):
                thread.now = available
    with thread.op("aten::to"), thread.op("aten::_to_copy"), thread.op("aten::copy_", overhead=2_000):
        run.copy(thread, "HtoD (Pinned -> Device)", size, 25.2, stream)


def item(run):
    """loss.item(): copies one number back and waits for everything before it."""
    thread = run.main
    with thread.op("aten::item"), thread.op("aten::_local_scalar_dense", overhead=1_500):
        run.copy(thread, "DtoH (Device -> Pageable)", 4, 0.01, COMPUTE)
        run.wait_until(thread, run.ready[COMPUTE], "cudaStreamSynchronize", 131)


PARTS = [
    # (title, steps, scale of kernels, ms per batch in the loader, bytes per batch)
    ("demo 1: slow data loading", 3, 1.0, 9.0, 12 * MIB),
    ("demo 2: aten::item synchronises", 2, 0.9, 1.0, 12 * MIB),
    ("demo 3: launch-bound small kernels", 4, 0.06, 0.3, MIB),
    ("demo 4: compute-bound, copies overlap", 3, 3.0, 1.5, 48 * MIB),
]


def train(run):
    step = 0
    for title, steps, scale, load_ms, batch_bytes in PARTS:
        run.scale = scale
        run.loader.now = max(run.loader.now, run.main.now)
        with run.main.annotation(title):
            if "overlap" in title:
                train_overlapped(run, step, steps, load_ms, batch_bytes)
            else:
                for number in range(step, step + steps):
                    train_step(run, number, load_ms, batch_bytes, synchronises="item" in title,
                               fused="launch" not in title)
            run.wait_until(run.main, run.ready[COMPUTE], "cudaDeviceSynchronize", 165)
        step += steps
    return step


def train_step(run, number, load_ms, batch_bytes, synchronises, fused):
    main = run.main
    with main.annotation(f"ProfilerStep#{number}"), main.frame("train.py(40): training_step"):
        next_batch(run, load_batch(run, number, load_ms), COMPUTE, batch_bytes)
        tape = forward(run, [32, 1024])
        if synchronises:  # "is the loss finite?"
            item(run)
            with main.frame("train.py(71): log_metrics"):
                main.work(500 * US)
        backward(run, tape)
        if synchronises:  # gradient norms one by one
            with main.frame("train.py(80): clip_gradients"):
                for _ in range(8):
                    with main.op("aten::linalg_vector_norm"):
                        run.kernel(main, REDUCE, 6 * US, 128, 512, 32)
                    item(run)
                    main.work(120 * US)
        optimizer(run, fused)


def train_overlapped(run, first, steps, load_ms, batch_bytes):
    """The next batch is copied on a stream of its own; the CPU is at most one step ahead."""
    main = run.main
    next_batch(run, load_batch(run, first, load_ms), COPY, batch_bytes)
    ends = []
    for number in range(first, first + steps):
        with main.annotation(f"ProfilerStep#{number}"), main.frame("train.py(110): overlapped_step"):
            if len(ends) > 1:
                run.wait_until(main, ends[-2], "cudaEventSynchronize", 137)
            main.call("cudaStreamWaitEvent", 147, 900)
            run.ready[COMPUTE] = max(run.ready[COMPUTE], run.ready[COPY])
            tape = forward(run, [128, 1024])
            if number + 1 < first + steps:
                with main.frame("train.py(118): prefetch"):
                    next_batch(run, load_batch(run, number + 1, load_ms), COPY, batch_bytes)
            backward(run, tape)
            optimizer(run, fused=True)
            ends.append(run.ready[COMPUTE])


def name_rows(run):
    record = run.recorder

    def row(kind, pid, tid, **args):
        record.event("metadata", "M", kind, pid, tid, START, args=args)

    row("process_name", PID, 0, name="Lacuna demo (synthetic): python")
    row("process_labels", PID, 0, labels="CPU")
    row("process_sort_index", PID, 0, sort_index=PID)
    row("process_name", 0, 0, name="Lacuna demo (synthetic): GPU")
    row("process_labels", 0, 0, labels="GPU 0")
    row("process_sort_index", 0, 0, sort_index=5_000_000)
    for order, thread in enumerate((run.main, run.autograd, run.loader)):
        row("thread_name", PID, thread.tid, name=thread.name)
        row("thread_sort_index", PID, thread.tid, sort_index=order)
    for stream, name in ((COMPUTE, "stream 7 (compute)"), (COPY, "stream 20 (copies)")):
        row("thread_name", 0, stream, name=name)
        row("thread_sort_index", 0, stream, sort_index=stream)


def demo_json():
    run = Run()
    steps = train(run)
    name_rows(run)
    header = {
        "schemaVersion": 1,
        "traceName": "Lacuna demo (synthetic)",
        "synthetic": "Made by assets/make_demo_trace.py. No such run took place; no number here says "
                     "anything about a real GPU.",
        "steps": steps,
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": BASE_TIME_NS,
        "deviceProperties": [{
            "id": 0, "name": "Synthetic H100-like GPU", "totalGlobalMem": 85_028_765_696,
            "computeMajor": 9, "computeMinor": 0, "numSms": 132, "warpSize": 32,
            "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048}],
    }
    lines = [line for section in run.recorder.sections.values() for line in section]
    head = json.dumps(header, indent=1)[:-2]
    return (head + ',\n "traceEvents": [\n' + ",\n".join(lines) + "\n]}\n").encode()


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        with gzip.open(sys.argv[2]) as file:
            if file.read() != demo_json():
                sys.exit(f"{sys.argv[2]} is not what {sys.argv[0]} makes; run it again")
    elif len(sys.argv) == 2:
        with open(sys.argv[1], "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            packed.write(demo_json())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
