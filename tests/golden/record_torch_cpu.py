#!/usr/bin/env python3
"""Records small real PyTorch traces on the CPU, each with the table PyTorch prints for it.

Run by hand; its output is committed to tests/fixtures:

    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch numpy
    /tmp/torch/bin/python tests/golden/record_torch_cpu.py [OUTPUT_FOLDER] [CASE ...]

Per case NAME it writes
    NAME.pt.trace.json.gz       export_chrome_trace(), gzip with mtime 0
    NAME.key_averages.txt.gz    key_averages().table() in several forms, as printed
A new recording changes every number in them: run tests/golden/reference.py afterwards (which makes
the .ref.json of the cases that have one). On a machine with a GPU the profiler records it too.
"""
import gzip
import os
import pathlib
import platform
import re
import sys
import tempfile
import threading

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch._C._profiler import _ExperimentalConfig

HERE = pathlib.Path(__file__).resolve().parent
KEPT = []
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Mlp(nn.Module):
    def __init__(self, width=64, depth=3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


class ConvNet(nn.Module):
    """The stem and one block of a ResNet: convolution, batch norm, shortcut, pooling, classifier."""

    def __init__(self, channels=16):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, channels, 7, stride=2, padding=3, bias=False),
                                  nn.BatchNorm2d(channels), nn.ReLU(inplace=True),
                                  nn.MaxPool2d(3, stride=2, padding=1))
        self.first = nn.Conv2d(channels, 2 * channels, 3, stride=2, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(2 * channels)
        self.second = nn.Conv2d(2 * channels, 2 * channels, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(2 * channels)
        self.shortcut = nn.Conv2d(channels, 2 * channels, 1, stride=2, bias=False)
        self.classifier = nn.Linear(2 * channels, 10)

    def forward(self, x):
        x = self.stem(x)
        y = torch.relu(self.first_norm(self.first(x)))
        x = torch.relu(self.second_norm(self.second(y)) + self.shortcut(x))
        return self.classifier(x.mean((2, 3)))


def train(steps, each_step, width=64, batch=32):
    """A training loop with the annotations that people write."""
    model = Mlp(width).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(steps):
        with record_function("## data ##"):
            x = torch.randn(batch, width, device=DEVICE)
            target = torch.zeros(batch, width, device=DEVICE)
        with record_function("## forward ##"):
            loss = nn.functional.mse_loss(model(x), target)
        with record_function("## backward ##"):
            optimizer.zero_grad()
            loss.backward()
        with record_function("## optimizer ##"):
            optimizer.step()
        loss.item()
        each_step()


def matmul_add(steps, each_step, width):
    """The seeds' program: a product and a sum."""
    a, b, c = (torch.randn(width, width, device=DEVICE) for _ in range(3))
    for _ in range(steps):
        with record_function("matmul+add"):
            torch.matmul(a, b) + c
        each_step()


def train_conv(steps, each_step):
    model = ConvNet().to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for _ in range(steps):
        x = torch.randn(2, 3, 64, 64, device=DEVICE)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), torch.zeros(2, dtype=torch.long, device=DEVICE))
        loss.backward()
        optimizer.step()
        each_step()


def train_transformer(steps, each_step):
    layer = nn.TransformerEncoderLayer(32, 4, dim_feedforward=64, batch_first=True).to(DEVICE)
    optimizer = torch.optim.AdamW(layer.parameters())
    for _ in range(steps):
        x = torch.randn(4, 16, 32, device=DEVICE)
        optimizer.zero_grad()
        layer(x).square().mean().backward()
        optimizer.step()
        each_step()


def corners(steps, each_step):
    """What decides between two readings of the rules."""
    x = torch.randn(8, 8, requires_grad=True)
    for _ in range(steps):
        with record_function("same"), record_function("same"), record_function("same"):
            x + 1  # three of one name: counts once
        with record_function("same"):
            with record_function("same"):
                x + 1
            with record_function("same"):
                x + 1  # two children of the name: all three count
        with record_function("aten::add"):
            torch.add(x, 1)  # an annotation of an operator's name: a row of its own
        with record_function("51" * 25 + "5"):
            x * 2
        with record_function("52" * 26):
            x * 2
        with record_function("_ZN6lacuna5traceEi"):  # names are demangled
            x * 2
        with record_function("f"), record_function("PKc"):  # not f, but PKc
            torch.cat([x, x.t()])  # a list of tensors
        torch.stack([torch.mm(x, x), x]).sum().backward()
        x.grad = None
        each_step()


def threads(steps, each_step):
    """Two threads at once: what one does takes nothing from the self time of the other."""
    x = torch.randn(8, 8)

    def work():
        with record_function("in a thread"):
            torch.mm(x, x)

    for _ in range(steps):
        with record_function("around a thread"):
            x - 1
            thread = threading.Thread(target=work)
            thread.start()
            x + 1
            thread.join()
        each_step()


def loose_memory(steps, each_step):
    """Memory that no operator takes or gives back has a row of its own."""
    for _ in range(steps):
        x = torch.empty(4096)
        torch.UntypedStorage(65536)
        y = x + 1
        del x
        with record_function("frees"):
            del y
        torch.nn.functional.relu(torch.ones(3), inplace=True)
        each_step()
    # Without a schedule nothing ends it before the profiler stops: torch calls it asynchronous.
    KEPT.append(record_function("still open"))  # it would end when collected
    KEPT[-1].__enter__()
    torch.ones(5)


def unicode(steps, each_step):
    """Kineto writes a name that is not ASCII as "unknown": the file cannot tell."""
    for _ in range(steps):
        with record_function("größer"):
            torch.ones(1)
        with record_function("größte"):
            torch.ones(1)
        each_step()


@torch.jit.script
def scripted(x, w):
    y = torch.mm(x, w)
    return torch.relu(y) + x


def jit(steps, each_step):
    """TorchScript operators carry a call stack whatever the profiler's options; so does autograd."""
    x = torch.randn(16, 16, requires_grad=True)
    w = torch.randn(16, 16, requires_grad=True)
    for _ in range(steps):
        scripted(x, w).sum().backward()
        each_step()


VERBOSE = _ExperimentalConfig(verbose=True)  # stacks in the table
THREADS = _ExperimentalConfig(verbose=True, profile_all_threads=True)
EXPERIMENTAL = {id(VERBOSE): "verbose", id(THREADS): "verbose, all threads"}

# name -> (program, arguments of profile(), steps recorded; None: all, without a schedule)
CASES = {
    "torch_cpu_mlp": (train, dict(record_shapes=True), 4),
    "torch_cpu_mlp_stack": (train, dict(record_shapes=True, with_stack=True, with_modules=True), 2),
    "torch_cpu_mlp_memory": (train, dict(record_shapes=True, profile_memory=True), 4),
    "torch_cpu_matmul_64": (lambda n, s: matmul_add(n, s, 64), dict(), 20),
    "torch_cpu_matmul_1024": (lambda n, s: matmul_add(n, s, 1024), dict(record_shapes=True), 3),
    "torch_cpu_mlp_verbose": (train, dict(record_shapes=True, with_stack=True, experimental_config=VERBOSE), 1),
    "torch_cpu_conv": (train_conv, dict(record_shapes=True, profile_memory=True), 2),
    "torch_cpu_transformer": (train_transformer, dict(record_shapes=True, with_stack=True), 1),
    "torch_cpu_corners": (corners, dict(record_shapes=True, with_stack=True, profile_memory=True,
                                        experimental_config=VERBOSE), 2),
    "torch_cpu_threads": (threads, dict(experimental_config=THREADS), 2),
    "torch_cpu_loose_memory": (loose_memory, dict(profile_memory=True, acc_events=False), None),
    "torch_cpu_unicode": (unicode, dict(), 1),
    "torch_cpu_jit": (jit, dict(with_stack=True, record_shapes=True), 2),
}

# The forms of the table that are kept, per kind of case
PLAIN = [
    "key_averages().table()",
    "key_averages().table(sort_by='self_cpu_time_total')",
    "key_averages().table(sort_by='cpu_time_total', row_limit=10)",
]
SHAPES = ["key_averages(group_by_input_shape=True).table(sort_by='self_cpu_time_total')"]
STACKS = ["key_averages(group_by_stack_n=3).table(sort_by='self_cpu_time_total', row_limit=20)"]
MORE = [
    "key_averages().table(sort_by='count', top_level_events_only=True)",
    "key_averages().table(sort_by='cpu_time', row_limit=-1, max_name_column_width=20, header='a header')",
    "key_averages().table(sort_by='cpu_time_total', time_unit='ms', row_limit=5, max_name_column_width=None)",
]
WIDE = [
    "key_averages(group_by_input_shape=True).table(sort_by='cpu_time_total', max_shapes_column_width=30)",
    "key_averages(group_by_input_shape=True, group_by_stack_n=2)"
    ".table(sort_by='cpu_time_total', max_src_column_width=24)",
    "key_averages(group_by_stack_n=5).table()",
    "key_averages(include_python_functions=True).table(sort_by='cpu_time_total', row_limit=30)",
]
MEMORY = ["key_averages().table(sort_by='self_cpu_memory_usage')"]
FIRST_CASES = ("torch_cpu_mlp", "torch_cpu_mlp_stack", "torch_cpu_mlp_memory")


def forms_of(name, arguments):
    forms = PLAIN + SHAPES + (STACKS if arguments.get("with_stack") else [])
    if name not in FIRST_CASES:
        forms += MORE + (WIDE if arguments.get("with_stack") else [])
        forms += MEMORY if arguments.get("profile_memory") else []
    return forms


def table(profiler, form):
    return eval(f"profiler.{form}", {"profiler": profiler})  # pylint: disable=eval-used


def write_packed(path, text):
    with open(path, "wb") as file:
        with gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            packed.write(text)


def record(name, program, arguments, steps, folder):
    warmup = 0 if steps is None else 2
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if DEVICE == "cuda" else [])
    torch.manual_seed(0)
    torch.set_num_threads(1)
    plan = None if steps is None else schedule(wait=0, warmup=warmup, active=steps, repeat=1)
    with profile(activities=activities, schedule=plan, **{"acc_events": True, **arguments}) as profiler:
        program(warmup + (steps or 2), profiler.step if plan else lambda: None)
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "trace.json")
        profiler.export_chrome_trace(path)
        text = pathlib.Path(path).read_bytes()
    # The name of the scratch file and of this machine are nobody's business.
    text = text.replace(path.encode(), f"{name}.pt.trace.json".encode())
    text = re.sub(rb'("host_name": )"[^"]*"', rb'\1"host"', text)
    write_packed(folder / f"{name}.pt.trace.json.gz", text)
    shown = {key: EXPERIMENTAL.get(id(value), value) for key, value in arguments.items()}
    lines = [f"torch {torch.__version__}, Python {platform.python_version()}, profile({shown}), {steps or "all"} steps\n"]
    for form in forms_of(name, arguments):
        lines.append(f"\n==== {form}\n{table(profiler, form)}\n")
    write_packed(folder / f"{name}.key_averages.txt.gz", "".join(lines).encode())
    print(name, len(text), "bytes of JSON")


def main():
    words = sys.argv[1:]
    folder = pathlib.Path(words.pop(0)) if words and words[0] not in CASES else HERE.parent / "fixtures"
    folder.mkdir(parents=True, exist_ok=True)
    for name in words or CASES:
        record(name, *CASES[name], folder)


if __name__ == "__main__":
    main()
