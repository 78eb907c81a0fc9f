#!/usr/bin/env python3
"""What recording costs a PyTorch loop of small operators, by hand:

    LACUNA_BIN=… LACUNA_TORCH_PYTHON=… tests/bench/torch_bench.py [ROUNDS]

CPU time of the loop in the process itself, each kind in a process of its own, in turns, ROUNDS times (default: 5);
medians, and how much they are above plain: Lacuna, with and without what it sees from outside, torch.profiler, and
Lacuna with a schedule that skips the steps.
NVTX: collector_bench.py.
"""
import os
import statistics
import subprocess
import sys
import tempfile

LACUNA, PYTHON = os.environ["LACUNA_BIN"], os.environ.get("LACUNA_TORCH_PYTHON", sys.executable)

LOOP = """
import sys, time, torch
torch.set_num_threads(1)
net = torch.nn.Sequential(*[m for _ in range(11) for m in (torch.nn.Linear(16, 16), torch.nn.ReLU())])
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, foreach=False)
x = torch.ones(8, 16)
def run(steps):
    start = time.process_time()
    for _ in range(steps):
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()
    return (time.process_time() - start) / steps * 1e6
run(100)
if sys.argv[1] == "profiler":
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        run(20)
        print("result", run(200))
else:
    print("result", run(400))
"""

def result(program, argument, options=None):
    with tempfile.TemporaryDirectory() as folder:
        command = [PYTHON, "-c", program, argument]
        if options is not None:
            command = [LACUNA, "record", "-o", os.path.join(folder, "out.json.gz"), *options, "--", *command]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        if "DROPPED" in done.stderr or "records dropped" in done.stderr:
            print("records were dropped")
        return next(float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("result"))


def turns(title, unit, rounds, kinds):
    """kinds: name -> arguments of result(); the first is what the others are compared with."""
    found = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, arguments in kinds.items():
            found[name].append(result(*arguments))
    plain = statistics.median(found[next(iter(kinds))])
    print(f"{title}, medians of {rounds} rounds in turns")
    for name, values in found.items():
        median = statistics.median(values)
        print(f"  {name:<28} {median:9.1f} {unit}  {median - plain:+9.1f} {unit}  {100 * (median / plain - 1):+6.1f} %"
              f"   {min(values):.1f} to {max(values):.1f}")


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    inside = ["--no-stacks", "--no-states"]
    skip = [*inside, "--wait", "1000000", "--active", "1"]
    turns("a step of some 730 operators", "us", rounds, {
        "plain": (LOOP, "plain"), "lacuna record": (LOOP, "plain", []), "lacuna, operators only": (LOOP, "plain", inside),
        "torch.profiler": (LOOP, "profiler"), "lacuna, steps skipped": (LOOP, "plain", skip)})


if __name__ == "__main__":
    main()
