"""Helpers of the capture tests: runs `lacuna record` on a target and reads what it wrote."""
import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
LACUNA = os.environ.get("LACUNA_BIN", "")
SANITIZED = bool(os.environ.get("LACUNA_SANITIZED"))  # everything is several times slower
TARGETS = pathlib.Path(os.environ.get("LACUNA_TARGETS", ""))


def clean_environment(**more):
    """Ours, without what an outer capture or a desktop would add."""
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("LACUNA_SOCKET", "LACUNA_CAPTURE", "NVTX_", "CUDA_INJECTION"))}
    environment.update(more)
    return environment


def load(path):
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file)


# Of what is captured inside these tests count every event: nothing is looked at from outside.
ONLY_INSIDE = ("--no-stacks", "--no-states", "--no-metrics")


class Recording:
    def __init__(self, path, done):
        self.path = path
        self.done = done
        self.stderr = done.stderr  # of a Popen: its pipe
        self.trace = load(path)
        self.events = self.trace["traceEvents"]

    def slices(self, name=None, **fields):
        return [e for e in self.events if e["ph"] == "X" and (name is None or e["name"] == name)
                and all(e.get(k) == v for k, v in fields.items())]

    def names(self, phase="X"):
        return collections.Counter(e["name"] for e in self.events if e["ph"] == phase)

    def metadata(self, kind):
        key = "labels" if kind == "process_labels" else "name"
        return {(e["pid"], e["tid"]): e["args"][key] for e in self.events if e["ph"] == "M" and e["name"] == kind}


def nested(slices):
    """Every two slices of a thread are apart or one inside the other."""
    open_ends = []
    for e in sorted(slices, key=lambda e: (e["ts"], -e["dur"])):
        start, end = round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        if open_ends and end > open_ends[-1]:
            return False
        open_ends.append(end)
    return True


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lacuna-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def target(self, name="nvtx_target"):
        path = TARGETS / name
        if not path.exists():
            self.skipTest(f"{name} is not built here")
        return path

    def record(self, *command, options=(), output="out.json", code=0, environment=None, timeout=120, look=False):
        path = self.folder / output
        options = [*options, *(() if look else ONLY_INSIDE)]
        done = subprocess.run([LACUNA, "record", "-o", path, *options, "--", *map(str, command)], text=True,
                              capture_output=True, timeout=timeout,
                              env=clean_environment(**(environment or {})))
        self.assertEqual(done.returncode, code, done.stderr)
        return Recording(path, done)

    def info(self, path):
        done = subprocess.run([LACUNA, "info", "--json", path], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class FakeCudaCase(Case):
    """A target that uses the stand-ins for libcuda and libcupti; subclasses say of which MAJOR version."""
    MAJOR = None

    def setUp(self):
        super().setUp()
        self.cupti = TARGETS / f"fake{self.MAJOR}"
        if not self.cupti.exists():
            self.skipTest("built without CUPTI's headers: no fake libraries")

    def record_cuda(self, target, *arguments, options=(), **environment):
        environment["FAKE_DRIVER_VERSION"] = f"{self.MAJOR}000"
        environment["LD_LIBRARY_PATH"] = f"{self.cupti}:{TARGETS / 'fakecuda'}"
        return self.record(self.target(target), *arguments, options=options, environment=environment)
