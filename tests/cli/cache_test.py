"""Traces that were opened before: the same answers from the cache as from the file, to the byte."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LACUNA = os.environ["LACUNA_BIN"]
QUESTIONS = (["info", "--json"], ["stats", "--json"], ["gaps", "--json"], ["report", "--json"],
             ["calls", "--json"])


def write_trace(path, events=40000):
    """More than what is too small to keep."""
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"baseTimeNanoseconds": 5, "distributedInfo": {"rank": 2, "world_size": 4}, "traceEvents": [\n')
        rows = []
        for i in range(events // 4):
            at = 100 * i
            rows.append({"ph": "X", "name": f"aten::op{i % 50}", "cat": "cpu_op", "ts": at, "dur": 90, "pid": 1,
                         "tid": 1, "args": {"External id": i + 1, "padding": "x" * 100}})
            rows.append({"ph": "X", "name": "cudaLaunchKernel", "cat": "cuda_runtime", "ts": at + 5, "dur": 10, "pid": 1,
                         "tid": 1, "args": {"correlation": i + 1, "External id": i + 1, "padding": "x" * 100}})
            rows.append({"ph": "X", "name": f"gemm{i % 20}", "cat": "kernel", "ts": at + 20, "dur": 40 + i % 30,
                         "pid": 0, "tid": 7, "args": {"correlation": i + 1, "device": 0, "stream": 7,
                                                      "padding": "x" * 100}})
            rows.append({"ph": "C", "name": "memory", "ts": at, "pid": 1, "args": {"bytes": i % 977}})
        out.write(",\n".join(map(json.dumps, rows)))
        out.write("\n]}\n")


class Cache(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        root = pathlib.Path(self.folder.name)
        self.trace = str(root / "a.json")
        write_trace(self.trace)
        self.kept = root / "cache" / "lacuna" / "traces"
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(root / "cache"))

    def run_program(self, *arguments):
        r = subprocess.run([LACUNA, *arguments], env=self.environment, capture_output=True, text=True, timeout=250)
        self.assertEqual(r.returncode, 0, r.stderr)
        return r.stdout

    def look(self, *arguments):
        """Opens the trace as the window does."""
        self.run_program("screenshot", self.trace, "-o", self.trace + ".png", *arguments)

    def answers(self, *arguments):
        return [self.run_program(q[0], self.trace, *q[1:], *arguments) for q in QUESTIONS]

    def test_doctor_makes_no_folder(self):
        self.assertIn(str(self.kept), self.run_program("doctor"))
        self.assertFalse(self.kept.parent.exists())

    def test_the_same_answers(self):
        anew = self.answers("--no-cache")
        self.assertFalse(self.kept.exists())
        self.look("--no-cache")
        self.assertFalse(self.kept.exists(), "--no-cache keeps nothing")
        self.look()
        files = list(self.kept.iterdir())
        self.assertEqual(len(files), 1, files)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["a.json", "a.json.png", "cache"])
        used = files[0].stat().st_mtime_ns
        self.assertEqual(self.answers(), anew)
        self.assertGreater(files[0].stat().st_mtime_ns, used, "the answers came out of it")
        self.look()
        self.assertIn("1 in " + str(self.kept), self.run_program("doctor"))

        # Whatever is wrong with it, the answers stay.
        whole = files[0].read_bytes()
        for damaged in (whole[:-1], whole[:len(whole) // 2], b"", whole[:999] + b"?" + whole[1000:]):
            files[0].write_bytes(damaged)
            self.assertEqual(self.answers(), anew)
        self.look()
        self.assertEqual(files[0].read_bytes()[:len(whole)], whole, "it was made again")

        # Another trace under the same name, as long and as old.
        stat = os.stat(self.trace)
        text = pathlib.Path(self.trace).read_text(encoding="utf-8")
        pathlib.Path(self.trace).write_text(text.replace("aten::op", "aten::OP"), encoding="utf-8")
        os.utime(self.trace, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        self.assertIn("aten::OP", self.answers()[1])


if __name__ == "__main__":
    tried = subprocess.run([LACUNA, "screenshot", "/nonexistent.json", "-o", "/nonexistent.png"], capture_output=True,
                           text=True, check=False)
    if "built without graphics" in tried.stderr:
        print("skipped: a program without a window keeps nothing")
        sys.exit(77)
    unittest.main()
