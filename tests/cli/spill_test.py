"""A trace that does not fit in the memory that is allowed opens, with the same answers to the byte."""
import json
import os
import pathlib
import resource
import sqlite3
import subprocess
import tempfile
import time
import unittest

LACUNA = os.environ["LACUNA_BIN"]
QUESTIONS = (["info", "--json"], ["stats", "--json"], ["gaps", "--json"], ["gaps", "--causes", "--json"],
             ["query", "SELECT name, COUNT(*), SUM(dur) FROM slice GROUP BY name ORDER BY name"])
ALLOWED = "104M"  # the program itself, the reserve that it keeps, and little more
MANY_THREADS = 40


def write_trace(path, events=160_000):
    """A trace with many threads, streams, flows, counters, begins and ends: 45 MB."""
    padding = "x" * 130
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"traceEvents": [\n')
        for i in range(events // 5):
            at, tid = 100 * i, i % MANY_THREADS
            rows = [
                {"ph": "X", "name": f"aten::op{i % 50}", "cat": "cpu_op", "ts": at, "dur": 90 + i % 7000, "pid": 1, "tid": tid,
                 "args": {"External id": i + 1, "padding": padding}},
                {"ph": "X", "name": "cudaLaunchKernel", "cat": "cuda_runtime", "ts": at + 5, "dur": 10, "pid": 1,
                 "tid": tid, "args": {"correlation": i + 1, "External id": i + 1, "padding": padding}},
                {"ph": "X", "name": f"gemm{i % 20}", "cat": "kernel", "ts": at + 20, "dur": 40 + i % 30, "pid": 0,
                 "tid": 7 + i % 2, "args": {"correlation": i + 1, "device": 0, "stream": 7 + i % 2,
                                            "padding": padding}},
                {"ph": "s", "id": i, "name": "ac2g", "cat": "ac2g", "ts": at + 5, "pid": 1, "tid": tid},
                {"ph": "f", "id": i, "name": "ac2g", "cat": "ac2g", "ts": at + 20, "pid": 0, "tid": 7 + i % 2,
                 "bp": "e"},
                {"ph": "B" if i % 4 < 2 else "E", "name": "phase", "ts": at, "pid": 1, "tid": "phases"},
                {"ph": "C", "name": "memory", "ts": at, "pid": 1, "args": {"bytes": i % 977, "padding": padding}},
            ]
            out.write("".join(("," if i or k else "") + json.dumps(row) + "\n" for k, row in enumerate(rows)))
        out.write("]}\n")


class Spill(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(dir=os.environ.get("XDG_CACHE_HOME"))
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.root = pathlib.Path(cls.scratch.name)
        cls.trace = cls.root / "large.json"
        write_trace(cls.trace)
        cls.expected = [cls.run_program(q[0], cls.trace, *q[1:]).stdout for q in QUESTIONS]

    @classmethod
    def run_program(cls, *arguments, **settings):
        before = settings.pop("before", None)
        environment = dict(os.environ, XDG_CACHE_HOME=str(cls.root / "cache"), **settings)
        return subprocess.run([LACUNA, *map(str, arguments)], env=environment, capture_output=True, text=True,
                              timeout=250, preexec_fn=before)

    def files_on_disk(self, *arguments, **settings):
        """Runs the program, and says which nameless files of the cache it had mapped meanwhile."""
        environment = dict(os.environ, XDG_CACHE_HOME=str(self.root / "cache"), **settings)
        program = subprocess.Popen([LACUNA, *map(str, arguments)], env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        found = set()
        while program.poll() is None:
            try:
                lines = pathlib.Path(f"/proc/{program.pid}/maps").read_text().splitlines()
            except OSError:
                break
            found.update(line.split(None, 5)[5] for line in lines if str(self.root / "cache") in line)
            try:
                program.wait(0.002)
            except subprocess.TimeoutExpired:
                pass
        program.communicate()
        return found

    def test_the_same_answers(self):
        for question, expected in zip(QUESTIONS, self.expected):
            done = self.run_program(question[0], self.trace, *question[1:], LACUNA_MEMORY=ALLOWED)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout == expected, question)  # too long to be shown
        self.assertEqual([p for p in (self.root / "cache").rglob("*") if p.is_file()], [], "nothing stays")

    def test_tables_lie_on_disk_only_where_memory_does_not_suffice(self):
        self.assertEqual(self.files_on_disk("info", self.trace), set())
        mapped = self.files_on_disk("info", self.trace, LACUNA_MEMORY=ALLOWED)
        self.assertEqual(len(mapped), 1, mapped)
        self.assertTrue(mapped.pop().endswith("(deleted)"))

    def test_compressed_traces(self):
        packed = self.root / "large.json.gz"
        with open(packed, "wb") as out:
            subprocess.run(["gzip", "-1", "-c", self.trace], stdout=out, check=True)
        expected = self.run_program("stats", packed, "--json").stdout
        done = self.run_program("stats", packed, "--json", LACUNA_MEMORY="130M")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout == expected)
        self.assertEqual(len(self.files_on_disk("stats", packed, "--json", LACUNA_MEMORY="130M")), 1)

    def test_an_export_whose_events_are_larger_than_memory(self):
        export = self.root / "large.sqlite"
        with sqlite3.connect(export) as file:
            file.executescript("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
                               "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,"
                               " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, shortName INTEGER);")
            file.execute("INSERT INTO StringIds VALUES(1, ?)", ("kernel" * 10,))
            file.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, 0, ?, ?, 0, 1)",
                             ((100 * i, 100 * i + 60, i % 4, i) for i in range(300_000)))  # 80 MB of JSON
        expected = self.run_program("stats", export, "--json").stdout
        done = self.run_program("stats", export, "--json", LACUNA_MEMORY="130M")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout == expected)

    def test_a_size_that_is_none_is_told(self):
        for text in ("much", "-4G", "4X"):
            done = self.run_program("info", self.trace, LACUNA_MEMORY=text)
            self.assertEqual(done.returncode, 1, text)
            self.assertIn("LACUNA_MEMORY", done.stderr)

    def test_without_room_on_disk_there_are_words(self):
        few = 4 << 20
        done = self.run_program("info", self.trace, LACUNA_MEMORY=ALLOWED,
                                before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (few, few)))
        self.assertEqual(done.returncode, 1, done.returncode)
        self.assertIn("there is no room for the rest", done.stderr)
        self.assertIn(str(self.root / "cache" / "lacuna"), done.stderr)

    def test_tables_that_somebody_cuts_end_the_program_with_words(self):
        folder = self.root / "cache" / "lacuna"
        environment = dict(os.environ, XDG_CACHE_HOME=str(self.root / "cache"), LACUNA_MEMORY=ALLOWED)
        program = subprocess.Popen([LACUNA, "info", str(self.trace)], env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        while program.poll() is None:
            for file in pathlib.Path(f"/proc/{program.pid}/fd").glob("*"):
                try:
                    if os.readlink(file).startswith(str(folder)) and file.stat().st_size > 8 << 20:
                        os.truncate(file, 0)
                except OSError:  # it was closed, or the program ended
                    pass
            time.sleep(0.002)
        error = program.communicate()[1]
        self.assertEqual(program.returncode, 1, error)
        self.assertRegex(error, f"^lacuna: tables on disk in {folder} was cut to [0-9]+ bytes while it was read at byte "
                                "[0-9]+\n$")

    def test_a_limit_of_the_address_space_is_told(self):
        done = self.run_program("info", self.trace, LACUNA_MEMORY="1M",
                                before=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
        self.assertEqual(done.returncode, 1)
        self.assertIn("the address space is limited (ulimit -v)", done.stderr)


if __name__ == "__main__":
    if os.environ.get("LACUNA_SANITIZED"):
        raise SystemExit(77)  # sanitizers take memory of their own
    unittest.main()
