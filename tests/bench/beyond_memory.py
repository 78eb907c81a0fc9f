#!/usr/bin/env python3
"""By hand: a trace larger than the memory that is allowed, against the same without a limit.

    tests/bench/beyond_memory.py LACUNA TRACE [--part 0.133] [--how cgroup|data|variable] [--rounds 1]

LACUNA is a release build, TRACE large (5 GB, say). The limit is PART of the trace's size: 0.133 is 4 GB for 30 GB. It
is set by a control group made for the purpose (version 2 or 1, needs root; processes that take more are killed), by
ulimit -d, or by $LACUNA_MEMORY. For each question: seconds without and with it, what the group held at most, and
whether the answers are the same to the byte.
"""

import argparse
import hashlib
import os
import pathlib
import resource
import subprocess
import sys
import time

QUESTIONS = (["info", "--json"], ["stats", "--json"], ["gaps", "--json"], ["gaps", "--causes", "--json"])


class ControlGroup:
    """A group below our own, with a limit on memory."""

    def __init__(self, limit):
        lines = [line.split(":", 2) for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines()]
        legacy = next((path for _, controllers, path in lines if controllers == "memory"), None)
        self.is_legacy = legacy is not None
        root = pathlib.Path("/sys/fs/cgroup") / ("memory" if self.is_legacy else "")
        path = legacy if self.is_legacy else next(path for _, controllers, path in lines if not controllers)
        self.folder = root / path.lstrip("/") / f"lacuna_bench_{os.getpid()}"
        self.folder.mkdir()
        (self.folder / ("memory.limit_in_bytes" if self.is_legacy else "memory.max")).write_text(str(limit))

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def peak(self):
        return int((self.folder / ("memory.max_usage_in_bytes" if self.is_legacy else "memory.peak")).read_text())

    def remove(self):
        self.folder.rmdir()


def ask(lacuna, trace, question, before=None, **settings):
    """Seconds, CPU seconds and a hash of what came, or of nothing when it failed."""
    digest = hashlib.sha256()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    program = subprocess.Popen([lacuna, question[0], trace, *question[1:], "--no-cache"], stdout=subprocess.PIPE,
                               preexec_fn=before, env=dict(os.environ, **settings))
    while block := program.stdout.read(1 << 20):
        digest.update(block)
    status = program.wait()
    seconds = time.monotonic() - begin
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return seconds, cpu, digest.hexdigest() if status == 0 else f"failed with {status}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lacuna")
    parser.add_argument("trace")
    parser.add_argument("--part", type=float, default=4 / 30)
    parser.add_argument("--how", choices=("cgroup", "data", "variable"), default="cgroup")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    size = os.path.getsize(options.trace)
    limit = int(size * options.part)
    group = ControlGroup(limit) if options.how == "cgroup" else None
    before = group.enter if group else None
    if options.how == "data":
        before = lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    settings = {"LACUNA_MEMORY": str(limit)} if options.how == "variable" else {}
    print(f"{size / 1e9:.2f} GB of JSON, {limit / 1e6:.0f} MB allowed ({options.how})")
    print("| question | s (CPU s) | with the limit | group's peak MB | the same |")
    wrong = 0
    try:
        for question in [q for q in QUESTIONS for _ in range(options.rounds)]:
            free = ask(options.lacuna, options.trace, question)
            limited = ask(options.lacuna, options.trace, question, before, **settings)
            same = free[2] == limited[2]
            wrong += not same
            peak = f"{group.peak() / 1e6:.0f}" if group else "-"
            print(f"| {' '.join(question)} | {free[0]:.1f} ({free[1]:.1f}) | {limited[0]:.1f} ({limited[1]:.1f}) | {peak} "
                  f"| {'yes' if same else limited[2]} |", flush=True)
    finally:
        if group:
            group.remove()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
