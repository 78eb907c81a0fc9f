"""Runs of one program, from the shared bench's simulator (gen_verdict.py): the same layers and kernels, other noise.

The simulator draws the program and its noise from one seed. Here `program` says what the program is, `noise` what
differs from one run to the next, and `plant` what is slower in it.
"""
import argparse
import contextlib
import importlib.util
import io
import os
import pathlib
import random
import types

SHARED = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"]) / ".." / "shared" / "bench" / "gen_verdict.py"


def simulator():
    """The shared module, or None where it is not there."""
    if not SHARED.exists():
        return None
    spec = importlib.util.spec_from_file_location("gen_verdict", SHARED)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _PlanThenNoise(random.Random):
    """Draws the layers from one seed, and what follows them from another."""

    def __init__(self, plan, noise):
        super().__init__(plan)
        self._noise, self._left = random.Random(noise), None

    def randrange(self, *bounds):
        if self._left is None:
            layers = super().randrange(*bounds)
            self._left = 15 * layers  # five operators a layer, three numbers each
            return layers
        if self._left == 0:
            return self._noise.randrange(*bounds)
        self._left -= 1
        return super().randrange(*bounds)

    def random(self):
        return self._noise.random() if self._left == 0 else super().random()


class Plant:
    """What makes a run slower: GPU work that takes `factor` times as long, or `cpu_ns` more before each step's work."""

    def __init__(self, factor=1.0, cpu_ns=0, kernels=None):
        self.factor, self.cpu_ns, self.kernels = factor, cpu_ns, kernels


def simulate(gen, kind, program, noise, steps, held_back=True, plant=Plant()):
    """(simulation, windows of its steps)"""

    class Sim(gen.Sim):
        fresh = True

        def put(self, name, cat, stream, ns, *rest, **more):
            slower = cat == "kernel" and (plant.kernels is None or plant.kernels in name)
            return super().put(name, cat, stream, int(ns * plant.factor) if slower else ns, *rest, **more)

        def op(self, name, kernel, *rest, **more):
            if plant.cpu_ns and name == self.first_name():
                self.t += plant.cpu_ns
            return super().op(name, kernel, *rest, **more)

        def first_name(self):
            return "aten::linear"

    drawn = types.SimpleNamespace(Random=lambda seed: _PlanThenNoise(program, noise) if seed == "plan" else random.Random(seed))

    class Seed(int):
        """noise; + 1 asks for the plan."""

        def __add__(self, other):
            return "plan" if other == 1 else int(self) + other

    old = gen.random, gen.Sim
    gen.random, gen.Sim = drawn, Sim
    try:
        return gen.run(kind, Seed(noise), steps, held_back, False, True)
    finally:
        gen.random, gen.Sim = old


def write(gen, path, simulation, windows, seed):
    with contextlib.redirect_stdout(io.StringIO()):
        gen.write(argparse.Namespace(out=str(path), seed=seed), simulation, windows)


def step_of(simulation, windows):
    """Time a step, the GPU's work included."""
    return (max(windows[-1][1], max(end for _, end in simulation.gpu)) - windows[0][0]) / len(windows)


def planted(gen, kind, program, steps, part, held_back, on_cpu):
    """The Plant that makes this program's steps longer by `part`; None where that kind of it cannot."""

    def step(plant):
        return step_of(*simulate(gen, kind, program, 12345, steps, held_back, plant))

    def at(x):
        return Plant(cpu_ns=int(x * 1000)) if on_cpu else Plant(factor=1 + x / 1000)

    wanted, low, high = step(Plant()) * (1 + part), 0, 1
    while step(at(high)) < wanted:
        low, high = high, high * 2
        if high > 1 << 24:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if step(at(middle)) < wanted else (low, middle)
    return at(high)
