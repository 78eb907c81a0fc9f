#!/usr/bin/env python3
"""Runs `lacuna query` and its --stdio with what nobody should ask for: odd options, endless queries, odd requests.

    LACUNA_BIN=build/dev/app/lacuna tests/cli/query_test.py [-v] [TestClass.test_name]
"""
import json
import os
import subprocess
import unittest

from program_test import DEMO, LACUNA, TORCH, Case, lacuna

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT "


class Steps(Case):
    def test_an_endless_query_is_given_up(self):
        for options in ([], ["--json"], ["--csv"], ["--arrow"], ["--limit", "1"]):
            done = lacuna("query", DEMO, ENDLESS + "SUM(x) FROM n", "--steps", "1000000", *options)
            self.assertEqual(done.returncode, 1, options)
            self.assertIn(b"line 1, column 1: the query has not ended after 1 million steps: --steps N allows more, "
                          b"--steps 0 any number", done.stderr)

    def test_what_ends_by_itself_is_not(self):
        done = lacuna("query", DEMO, ENDLESS + "x FROM n LIMIT 100000", "--steps", "0", "--csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count(b"\n"), 100001)
        for bad in ("-1", "x", "1.5", "99999999999999999999"):
            for option in ("--steps", "--limit"):
                self.assertEqual(lacuna("query", DEMO, "SELECT 1", option, bad).returncode, 2, bad)

    def test_a_value_that_grows_too_long(self):
        done = lacuna("query", DEMO, ENDLESS.replace("FROM n)", "FROM n LIMIT 300)") +
                      "group_concat(hex(zeroblob(1000000))) FROM n")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"a value of the query is longer than 512 MiB", done.stderr)


class Files(Case):
    def test_what_is_no_query(self):
        folder = self.file(b"").parent
        for path, words in ((folder, "a folder where the file of the query should be"),
                            ("/dev/zero", "the query is longer than 4 MiB"),
                            (folder / "nosuch", "the file of the query cannot be read"),
                            (self.file(b"SELECT 1 \0 FROM nosuch", "nul.sql"), "column 10: a NUL byte in the query"),
                            (self.file(b"", "empty.sql"), "there is no statement in the query")):
            done = lacuna("query", DEMO, "-f", path)
            self.fails(done, 1, words)

    def test_a_function_that_calls_itself_is_named_once(self):
        done = lacuna("query", DEMO, "CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT f($x); SELECT f(1)")
        self.fails(done, 1, "in f: f calls itself too deeply")
        self.assertEqual(done.stderr.count(b"in f: "), 1)

    def test_options_that_do_not_go_together(self):
        for one, other in (("--json", "--csv"), ("--json", "--arrow"), ("--csv", "--arrow"), ("--stdio", "--json"),
                           ("--stdio", "--csv"), ("--stdio", "--arrow")):
            self.assertEqual(lacuna("query", DEMO, "SELECT 1", one, other).returncode, 2, (one, other))


class Tables(Case):
    def test_bytes_of_memory_do_not_leak_into_files(self):
        """Every byte of an Arrow file is the trace's, also those between its parts: malloc fills memory with either byte."""
        made = []
        for fill in ("1", "200"):
            folder = self.file(b"").parent / fill
            done = subprocess.run([LACUNA, "export", DEMO, "--arrow", folder], capture_output=True,
                                  env={**os.environ, "MALLOC_PERTURB_": fill})
            self.assertEqual(done.returncode, 0, done.stderr)
            made.append({path.name: path.read_bytes() for path in folder.iterdir()})
        self.assertEqual(made[0].keys(), made[1].keys())
        self.assertEqual([name for name, data in made[0].items() if data != made[1][name]], [])


class Requests(Case):
    """--stdio: each line an answer, and the next one is answered all the same."""

    def ask(self, *lines, options=(), trace=DEMO):
        text = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
        done = subprocess.run([LACUNA, "query", "--stdio", str(trace), *options], input=text, capture_output=True,
                              timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        answers, rest = [], done.stdout
        while rest:
            line, _, rest = rest.partition(b"\n")
            said = json.loads(line)
            if "kind" in said:
                data = b""
                while size := int.from_bytes(rest[:4], "little"):
                    data, rest = data + rest[4:4 + size], rest[4 + size:]
                line, _, rest = rest[4:].partition(b"\n")
                said |= json.loads(line) | {"data": data}
            answers.append(said)
        self.assertTrue(answers[0]["ready"])
        return answers[1:]

    def test_a_value_of_the_wrong_type_is_named(self):
        wrong = [({"sql": 5}, '"sql" is a text, not 5'),
                 ({"sql": "SELECT 1", "limit": "ten"}, '"limit" is a whole number from 0 on, not "ten"'),
                 ({"sql": "SELECT 1", "limit": -1}, '"limit" is a whole number from 0 on, not -1'),
                 ({"sql": "SELECT 1", "limit": 1.5}, '"limit" is a whole number from 0 on, not 1.5'),
                 ({"sql": "SELECT 1", "steps": None}, '"steps" is a whole number from 0 on, not null'),
                 ({"sql": "SELECT 1", "rows": 1}, 'a request for SQL knows no "rows": it has sql, limit, steps'),
                 ({"table": ["slices"]}, '"table" is a text, not ["slices"]'),
                 ({"table": "slices", "limit": 3}, 'a request for a table knows no "limit": it has table'),
                 ({"table": "no\u00fc" * 30}, "there is no table no\u00fc"),
                 ({"report": []}, '"report" is an object, not []'),
                 ({"report": {"table": 1}}, '"table" is a text, not 1'),
                 ({"torch": {"sort_by": 1}}, '"sort_by" is a text, not 1'),
                 ({"torch": {"group_by_stack_n": "2"}}, '"group_by_stack_n" is a whole number from 0 on, not "2"'),
                 ({"torch": {"top_level_events_only": 1}}, '"top_level_events_only" is true or false, not 1'),
                 ({"torch": {"group": True}}, 'torch knows no "group"'),
                 ({"stats": 1}, '"stats" is an object, not 1'),
                 ({"sql": ["x" * 1000]}, '"sql" is a text, not ["xxxx')]
        answers = self.ask(*(request for request, _ in wrong), {"sql": "SELECT 1 AS one"})
        for (request, words), answer in zip(wrong, answers):
            self.assertTrue(answer["error"].startswith(words), (request, answer))
            self.assertLess(len(answer["error"]), 200)
            self.assertNotIn("json.exception", answer["error"])
        self.assertEqual(answers[-1]["rows"], 1)

    def test_lines_that_are_no_request(self):
        lines = [b"", b"{", b"[]", b"null", b"5", b"\xff\xfe", b"\0", b'{"sql": "\xff"}', b"{}", b'{"quit": 1}',
                 b"[" * 100000, b'{"a":' * 50000, b"x" * (9 << 20), b'{"sql":"' + b"x" * (9 << 20) + b'"}']
        answers = self.ask(*lines, {"sql": "SELECT 1"})
        self.assertEqual(len(answers), len(lines) + 1)
        for line, answer in zip(lines, answers):
            self.assertIn("error", answer, line[:40])
        self.assertEqual(answers[-1]["rows"], 1)

    def test_steps(self):
        answers = self.ask({"sql": ENDLESS + "SUM(x) FROM n", "steps": 500000}, {"sql": ENDLESS + "SUM(x) FROM n"},
                           {"sql": "SELECT 1"}, options=("--steps", "1000000"))
        self.assertIn("has not ended after 500000 steps", answers[0]["error"])
        self.assertIn("has not ended after 1 million steps", answers[1]["error"])
        self.assertEqual(answers[2]["rows"], 1)

    def test_every_table_of_a_cpu_trace(self):
        names = ("slices", "gaps", "launches", "kernels", "operators", "steps", "streams", "counters", "flows", "tracks",
                 "threads", "processes", "args")
        for name, answer in zip(names, self.ask(*({"table": name} for name in names), trace=TORCH)):
            self.assertIn("rows", answer, name)


if __name__ == "__main__":
    unittest.main()
