#!/usr/bin/env python3
"""Runs the real program: exit codes, messages, JSON and CSV, damaged input.

    LACUNA_BIN=build/dev/app/lacuna tests/cli/program_test.py [-v] [TestClass.test_name]

Every input is made here or lies in tests/fixtures, so it needs neither network nor other traces.
"""
import csv
import functools
import gzip
import io
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LACUNA = os.environ.get("LACUNA_BIN", "")
DEMO = ROOT / "assets" / "demo.trace.json.gz"
TORCH = ROOT / "tests" / "fixtures" / "torch_cpu_mlp.pt.trace.json.gz"
COMMANDS = ("info", "stats", "gaps")

GOOD = b'{"ph":"X","name":"good","pid":1,"tid":1,"ts":1,"dur":2}'


def lacuna(*arguments, **options):
    words = tuple(map(str, arguments))
    if not options and all(word in (str(DEMO), str(TORCH)) or not word.startswith("/") for word in words):
        return answer_of(words)
    return run(words, **options)


def run(words, **options):
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run([LACUNA, *words], capture_output=True, timeout=120, env=environment, **options)


@functools.cache
def answer_of(words):
    """Of files that stay as they are: many tests ask the same, and with sanitizers each start takes long."""
    return run(words)


class ReportCheckTest(unittest.TestCase):
    def test_a_report_is_checked_and_nothing_is_written(self):
        done = lacuna("report", DEMO, "--check")
        self.assertEqual((done.returncode, done.stdout), (0, b"nothing in the report contradicts itself\n"), done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.txt"
            path.write_text("mine")
            for more in (["--json"], ["--html"], ["-o", path]):
                self.assertEqual(lacuna("report", DEMO, "--check", *more).returncode, 2, more)
            self.assertEqual(path.read_text(), "mine")


class BriefTest(unittest.TestCase):
    """The commands of report --brief are of one file each, and show the place that is meant."""

    def test_commands_of_several_files_are_those_of_each_alone(self):
        work = [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 100 + at, "dur": 10,
                 "args": {"device": 0, "stream": 7}} for at in (0, 30)]
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / name for name in ("a.json", "b\n'.json")]
            for path, base in zip(paths, (0, 5_000_000)):
                path.write_text(json.dumps({"baseTimeNanoseconds": base, "traceEvents": work}))
            places = [[place["command"] for place in brief["places"]]
                      for brief in json.loads(lacuna("report", "--brief", "--json", *paths).stdout)["briefs"]]
            self.assertTrue(places[0] and places[1])
            for path, commands in zip(paths, places):
                alone = json.loads(lacuna("report", "--brief", "--json", path).stdout)["briefs"][0]["places"]
                self.assertEqual(commands, [place["command"] for place in alone])
                words = subprocess.run(["bash", "-c", f"printf '%s\\0' {commands[0]}"], capture_output=True).stdout
                self.assertEqual(words.decode().split("\0")[:3], ["lacuna", "stats", str(path)])


class WordsTest(unittest.TestCase):
    """What is said where a trace has little, or an option means something else than the trace has."""

    @staticmethod
    def work(*kernels, **more):
        return {"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": at, "dur": dur,
                                 "args": {"device": 0, "stream": 7, **more}} for at, dur in kernels]}

    def answer(self, command, trace, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.json"
            path.write_text(json.dumps(trace))
            done = lacuna(command, path, *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout.decode(), done.stderr.decode()

    def test_steps_that_nothing_is_called(self):
        said = "nothing is called 'iteration *'; steps could be ProfilerStep#N (12), "
        report = " ".join(lacuna("report", DEMO, "--steps-from", "iteration *").stdout.decode().split())
        self.assertIn(f"There are no numbers per step: {said}", report)
        self.assertIn(said, lacuna("stats", DEMO, "--steps-from", "iteration *", "--steps", "3").stderr.decode())

    def test_a_range_that_could_mean_two_times_is_explained(self):
        asked = [lacuna("stats", DEMO, "--json", *words) for words in (
            ("--from-us", "56000", "--to-us", "58400"), ("--from-us=+56000", "--to-us=+58400"),
            ("--from-us", "61000", "--to-us", "63400"))]
        self.assertIn(b"--from-us is taken for a ts of the file, 51.0 ms after its start; with a plus", asked[0].stderr)
        self.assertEqual(asked[1].stderr, b"")
        self.assertEqual(asked[1].stdout, asked[2].stdout)
        self.assertNotEqual(asked[0].stdout, asked[1].stdout)
        begin = json.loads(lacuna("info", TORCH, "--json").stdout)["startNs"]
        early = lacuna("stats", TORCH, "--json", f"--from-us={begin // 1000 - 1}", f"--to-us={begin // 1000 + 10**6}")
        self.assertEqual(early.stdout, lacuna("stats", TORCH, "--json", f"--to-us={begin // 1000 + 10**6}").stdout)
        self.assertGreater(json.loads(early.stdout)["rowCount"], 0)

    def test_stacks_of_more_frames_than_are_written(self):
        slices = [{"ph": "X", "name": f"f{n}", "pid": 1, "tid": 1, "ts": n, "dur": 10_000 - 2 * n} for n in range(2_500)]
        folded, said = self.answer("calls", {"traceEvents": slices}, "--folded")
        lines = folded.splitlines()
        self.assertEqual(len(lines), 2_001)
        self.assertTrue(all(line.count(";") <= 2_000 for line in lines))
        self.assertIn(";f1999;[500 more frames] ", folded)
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in lines), 10_000_000)
        self.assertIn("[N more frames]: 500", said)

    def test_idle_time_is_that_of_gaps(self):
        gaps = json.loads(lacuna("gaps", DEMO, "--by-operator", "--whole", "--json").stdout)
        calls = json.loads(lacuna("calls", DEMO, "--by", "idle", "--json").stdout)
        self.assertEqual(calls["totalNs"], sum(row["lostNs"] for row in gaps["rows"]) + gaps["notChargedNs"])
        self.assertIn(b"--by-operator --whole", lacuna("calls", DEMO, "--by", "idle").stdout)

    def test_one_kernel_and_none_that_takes_time(self):
        self.assertIn("- 1 kernel of 1 name;", self.answer("report", self.work((100, 10)))[0])
        report = self.answer("report", self.work((100, 0)))[0]
        self.assertIn("What was measured took no time: ", " ".join(report.split()))
        self.assertNotIn("compute-bound", report)

    def test_a_rate_has_all_its_digits(self):
        trace = self.work((0, 400), (500, 10), bytes=4_000_000_000)
        trace["traceEvents"][0].update(cat="gpu_memcpy", name="Memcpy DtoD (Device -> Device)")
        self.assertIn("10000 GB/s", self.answer("report", trace)[0])


class UnfilledTest(unittest.TestCase):
    """Kernels of time 0 and duration 0, as profilers leave records that they did not fill."""

    @staticmethod
    def info(*kernel_times, after=1_600_000_000_000_000):
        work = [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": after + at, "dur": 10,
                 "args": {"device": 0, "stream": 7}} for at in (0, 30)]
        work += [{**work[0], "ts": at, "dur": 0} for at in kernel_times]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.json"
            path.write_text(json.dumps({"traceEvents": work, "deviceProperties": [{"id": 0, "name": ""}]}))
            return lacuna("info", path).stdout.decode(), json.loads(lacuna("info", path, "--json").stdout)

    def test_the_span_leaves_them_out_and_says_so(self):
        text, facts = self.info(0, 0)
        self.assertIn("40.0 µs; without 2 GPU activities of time 0 and duration 0, which the profiler did not fill", text)
        self.assertIn("GPU 0      model unknown, 2 activities, busy 50.0 % of 40.0 µs", text)
        self.assertEqual((facts["spanNs"], facts["endNs"] - facts["startNs"], facts["unfilled"]), (40_000, 40_000, 2))
        self.assertEqual((facts["devices"][0]["windowNs"], facts["streams"][0]["windowNs"]), (40_000, 40_000))

    def test_an_activity_that_only_begins_at_0_counts(self):
        text, facts = self.info(0, after=20)
        self.assertNotIn("without", text)
        self.assertEqual((facts["spanNs"], facts["unfilled"]), (60_000, 0))


class KernelTest(unittest.TestCase):
    def test_a_kernels_name_is_read(self):
        name = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn"
        done = lacuna("kernel", name, "nobody_knows", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        known, unknown = json.loads(done.stdout)["kernels"]
        self.assertEqual(known["class"], "gemm")
        self.assertEqual(known["facts"]["Tile"], "128x64")
        self.assertIn("bf16 matrix product on tensor cores (16x8x16), tile 128x64, 4 stages of 64, A transposed",
                      known["sentence"])
        self.assertEqual((unknown["class"], unknown["sentence"], unknown["facts"]), ("other", None, {}))
        text = lacuna("kernel", "\x1b[31mevil").stdout.decode()
        self.assertNotIn("\x1b", text)
        self.assertIn("No grammar knows this name.", text)
        self.assertEqual(lacuna("kernel").returncode, 2)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, content, name="trace.json"):
        path = pathlib.Path(self.folder.name) / name
        path.write_bytes(content)
        return path

    def json(self, command, *arguments):
        """The JSON that a command writes; it must succeed and write nothing but JSON."""
        done = lacuna(command, *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout.decode("utf-8"))

    def report(self, path):
        return {line["finding"]: line for line in self.json("info", path)["report"]}

    def fails(self, done, code, *words):
        text = done.stderr.decode()
        self.assertEqual(done.returncode, code, text)
        self.assertEqual(done.stdout, b"")
        self.assertTrue(text.startswith("lacuna: "), text)
        for word in words:
            self.assertIn(word, text)


class Usage(Case):
    def test_version(self):
        done = lacuna("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout.decode(), r"^lacuna \d+\.\d+\.\d+\n$")

    def test_help_explains_every_command_and_option(self):
        done = lacuna("--help-all")
        self.assertEqual(done.returncode, 0)
        text = done.stdout.decode()
        for word in ("info", "stats", "gaps", "screenshot", "--json", "--csv", "--sort-by", "--limit", "--stream",
                     "--min-us", "--kernels-only", "--skip-category", "--max-bytes", "--output", "--size", "--from-us", "--to-us", "--select",
                     "spanNs", "rows[]", "selfNs", "streams[]", "durationNs", "gpuActivities", "report[]"):
            self.assertIn(word, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 120)
        self.assertIn(lacuna("gaps", "--help").stdout.decode().strip().splitlines()[-1], text)

    def test_help_begins_with_a_page_of_commands_by_task(self):
        page = lacuna("--help").stdout.decode().splitlines()
        self.assertLessEqual(len(page), 60)
        self.assertLessEqual(max(map(len, page)), 120)
        listed = re.findall(r"^  ([a-z-]+)", "\n".join(page[:page.index("Options:")]), re.MULTILINE)
        self.assertEqual(listed[:2], ["report", "gaps"])
        for command in listed:
            self.assertIn(f"\nUsage: lacuna {command} ", lacuna(command, "--help").stdout.decode())
        everything = lacuna("--help-all").stdout.decode()
        self.assertEqual([c for c in listed if f"\nlacuna {c} ---" not in everything], [])

    def test_an_answer_never_replaces_its_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "a.json.gz"
            trace.write_bytes(TORCH.read_bytes())
            for arguments in (["report", trace], ["report", trace, "--html"], ["job", folder], ["digest", trace]):
                self.assertEqual(lacuna(*arguments, "-o", trace).returncode, 1, arguments)
                self.assertEqual(trace.read_bytes(), TORCH.read_bytes(), arguments)
            same = pathlib.Path(folder) / "same.png"
            same.symlink_to(trace)
            for arguments in (["screenshot", trace], ["screenshot", DEMO, "--compare", trace]):
                done = lacuna(*arguments, "-o", same)
                self.assertEqual(trace.read_bytes(), TORCH.read_bytes(), arguments)
                if b"LACUNA_GUI=OFF" not in done.stderr:
                    self.fails(done, 1, "is the file that was read, so it was not replaced")

    def test_what_was_there_stays_where_an_answer_has_no_room(self):
        def allow_little():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

        with tempfile.TemporaryDirectory() as folder:
            old = pathlib.Path(folder) / "old"
            was = b"\x89PNG\r\n\x1a\n what was there"  # a screenshot replaces no other file
            for arguments in (["screenshot", DEMO, "--size", "400x300"], ["report", DEMO, "--html"], ["job", DEMO]):
                old.write_bytes(was)
                done = subprocess.run([LACUNA, *map(str, arguments), "-o", old], capture_output=True, timeout=60,
                                      preexec_fn=allow_little)
                if b"LACUNA_GUI=OFF" not in done.stderr:
                    self.fails(done, 1, "old", "File too large")
                self.assertEqual(old.read_bytes(), was, arguments)
                self.assertEqual([file.name for file in pathlib.Path(folder).iterdir()], ["old"], arguments)

    def test_wrong_usage_is_2(self):
        for arguments in (["info"], ["stats"], ["gaps"], ["screenshot", DEMO], ["stats", DEMO, "--sort-by", "size"],
                          ["stats", DEMO, "--limit", "many"], ["stats", DEMO, "--limit", "-1"],
                          ["stats", DEMO, "--json", "--csv"], ["info", DEMO, "--csv"], ["gaps", DEMO, "--stream", "7"],
                          ["gaps", DEMO, "--min-us", "-1"], ["gaps", DEMO, "--min-us", "x"], ["--nonsense"],
                          ["info", "--nonsense", DEMO], [DEMO, "info", DEMO],
                          ["screenshot", DEMO, "-o", "x.png", "--size", "big"],
                          ["screenshot", DEMO, "-o", "x.png", "--from-us", "1"]):
            with self.subTest(arguments=arguments):
                self.fails(lacuna(*arguments), 2, "lacuna --help")

    def test_no_display_names_what_works_without(self):
        self.fails(lacuna(DEMO), 1, "lacuna report|gaps|stats|info TRACE")
        self.fails(lacuna(), 1, "lacuna report|gaps|stats|info TRACE")

    def test_explain_knows_columns_causes_and_words(self):
        for asked, said in (("launch delay", "Launch delay ("), ("Kernel Spacing", "kernel spacing (cause of a gap)"),
                            ("OUTSIDE_STEPS", "outside any step (cause of a gap)"), ("dormant", "dormant (glossary)"),
                            ("ALL", "unknown (cause of a gap)")):
            with self.subTest(asked=asked):
                done = lacuna("stats", "--explain", asked)
                self.assertEqual(done.returncode, 0)
                self.assertIn(said, done.stdout.decode())
        self.fails(lacuna("stats", "--explain", "no such"), 2, "'no such' is neither a column")

    def test_a_misspelt_command_opens_no_window(self):
        self.fails(lacuna("inof", DEMO), 1, "inof: no such file", "command")

    def test_unknown_stream_lists_those_there_are(self):
        self.fails(lacuna("gaps", DEMO, "--stream", "0:99"), 1, "no stream 0:99", "0:7, 0:20")


class Answers(Case):
    def test_json_of_every_command_has_its_keys(self):
        info = self.json("info", DEMO)
        for key in ("events", "phases", "categories", "spanNs", "devices", "report", "processes", "threads",
                    "streams", "rank", "baseTimeNs", "gpuModel", "format", "fileBytes", "jsonBytes"):
            self.assertIn(key, info)
        self.assertEqual(info["events"], sum(info["phases"].values()))
        self.assertEqual(info["events"], sum(info["categories"].values()))
        self.assertEqual(info["fileBytes"], DEMO.stat().st_size)
        self.assertEqual(info["jsonBytes"], len(gzip.open(DEMO).read()))
        self.assertEqual(info["gpuModel"], "Synthetic H100-like GPU")

        row = self.json("stats", DEMO)["rows"][0]
        self.assertEqual(list(row), ["name", "category", "count", "totalNs", "selfNs", "avgNs", "minNs", "maxNs",
                                     "sharePercent", "sampled"])

        gaps = self.json("gaps", DEMO)
        self.assertEqual(gaps["links"], {"gpuActivities": 2454, "linked": 2454, "unlinked": 0})
        for stream in gaps["streams"]:
            for key in ("device", "stream", "events", "firstStartNs", "lastEndNs", "windowNs", "busyNs", "idleNs"):
                self.assertIn(key, stream)
            self.assertEqual(stream["windowNs"], stream["busyNs"] + stream["idleNs"])
            self.assertEqual(stream["idleNs"], sum(gap["durationNs"] for gap in stream["gaps"]))
            durations = [gap["durationNs"] for gap in stream["gaps"]]
            self.assertEqual(durations, sorted(durations, reverse=True))
            for key in ("startNs", "endNs", "durationNs", "before", "after", "launch"):
                self.assertIn(key, stream["gaps"][0])

    def test_every_key_is_explained(self):
        path = self.file(b'{"deviceProperties":[{"id":0,"name":"G"}],"traceEvents":[' + GOOD + b""",
            {"ph":"C","name":"c","pid":1,"ts":1,"args":{"v":1}}, {"ph":"?","ts":1},
            {"ph":"X","name":"l","cat":"cuda_runtime","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":5}},
            {"ph":"X","name":"k","cat":"kernel","pid":0,"tid":7,"ts":1,"dur":1},
            {"ph":"X","name":"k","cat":"kernel","pid":0,"tid":7,"ts":5,"dur":1,"args":{"correlation":5}}]}""")

        def keys_of(value):
            if isinstance(value, list):
                return set().union(*map(keys_of, value))
            if not isinstance(value, dict):
                return set()
            data = ("phases", "categories", "metadata")  # their keys come from the trace
            return set(value).union(*(keys_of(v) for k, v in value.items() if k not in data))

        for command in (*COMMANDS, "report", "calls"):
            text = lacuna("schema", command, "--explain").stdout.decode()
            keys = keys_of(self.json(command, path)) | keys_of(self.json(command, DEMO)) | keys_of(self.json(command, TORCH))
            self.assertGreater(len(keys), 5)
            self.assertEqual([key for key in sorted(keys) if key not in text], [], command)

    def test_options_of_gaps(self):
        whole = self.json("gaps", DEMO)["streams"]
        one = self.json("gaps", DEMO, "--stream", "0:20")["streams"]
        self.assertEqual(one, [whole[1]])
        cut = self.json("gaps", DEMO, "--limit", "3", "--min-us", "100.5")["streams"]
        self.assertEqual(cut[0]["gaps"], whole[0]["gaps"][:3])
        self.assertEqual(cut[1]["gaps"], [])
        kernels = self.json("gaps", DEMO, "--kernels-only")["streams"]
        self.assertEqual([s["stream"] for s in kernels], ["7"])
        self.assertLess(kernels[0]["busyNs"], whole[0]["busyNs"])

    def test_csv_and_json_say_the_same(self):
        rows = self.json("stats", DEMO, "--sort-by", "total")["rows"]
        done = lacuna("stats", DEMO, "--csv", "--sort-by", "total")
        table = list(csv.DictReader(io.StringIO(done.stdout.decode())))
        self.assertEqual(len(table), len(rows))
        for line, row in zip(table, rows):
            self.assertEqual(line["name"], row["name"])
            self.assertEqual(int(line["total_ns"]), row["totalNs"])
            self.assertEqual(int(line["self_ns"]), row["selfNs"])
            self.assertEqual(float(line["share_percent"]), row["sharePercent"])
        totals = [row["totalNs"] for row in rows]
        self.assertEqual(totals, sorted(totals, reverse=True))

    def test_text_is_narrow_and_complete(self):
        for command in COMMANDS:
            for path in (DEMO, TORCH):
                done = lacuna(command, path)
                self.assertEqual(done.returncode, 0)
                self.assertEqual(done.stderr, b"")
                lines = done.stdout.decode().splitlines()
                self.assertTrue(lines)
                self.assertLessEqual(max(map(len, lines)), 120, max(lines, key=len))

    def test_threads_do_not_change_the_answer(self):
        for command in COMMANDS:
            self.assertEqual(self.json(command, DEMO, "--threads", "1"), self.json(command, DEMO, "--threads", "3"))

    def test_several_traces(self):
        both = self.json("info", DEMO, TORCH)
        one, other = self.json("info", DEMO), self.json("info", TORCH)
        self.assertEqual(both["events"], one["events"] + other["events"])
        self.assertEqual([f["path"] for f in both["files"]], [str(DEMO), str(TORCH)])
        self.assertEqual(self.json("gaps", DEMO, DEMO)["links"]["linked"], 2 * 2454)

    def test_a_reader_that_goes_away_is_no_error(self):
        for arguments in (["gaps", DEMO, "--json"], ["stats", DEMO, "--csv"], ["info", DEMO]):
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run([LACUNA, *map(str, arguments)], stdout=write, stderr=subprocess.PIPE, timeout=60)
            os.close(write)
            self.assertEqual((done.returncode, done.stderr), (0, b""))

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_pipe_that_nobody_writes_is_said_to_be_waited_for(self):
        pipe = pathlib.Path(self.folder.name) / "trace.pipe"
        os.mkfifo(pipe)
        for path in (pipe, pipe.with_name("*.pipe")):
            with subprocess.Popen([LACUNA, "info", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                said = process.stderr.readline()
                with open(pipe, "wb") as writer:
                    writer.write(b"[" + GOOD + b"]")
                self.assertIn(b"trace.pipe", process.stdout.read())
                self.assertEqual(said.decode(), f"lacuna: waiting until something is written into {pipe}\n")
            self.assertEqual(process.returncode, 0)

    def test_a_working_directory_that_is_not_there_is_named(self):
        self.fails(lacuna("record", "--cwd", "/not/there", "-o", pathlib.Path(self.folder.name) / "out.json", "--", "true"),
                   1, "/not/there: no such working directory")

    def test_a_pipe_is_read_once(self):
        """What looks at its first bytes must not take them from who reads it."""
        text = gzip.decompress(DEMO.read_bytes())
        pipe = pathlib.Path(self.folder.name) / "once.pipe"
        digest = pathlib.Path(self.folder.name) / "once.digest"
        os.mkfifo(pipe)
        for arguments, word in ((["job", pipe], b"1 rank,"), (["memory", pipe], b"144 records"),
                                (["digest", pipe, "-o", digest], b""), (["memory", pipe, DEMO], b"144 records")):
            with self.subTest(arguments=arguments):
                with subprocess.Popen([LACUNA, *map(str, arguments)], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE) as process:
                    said = process.stderr.readline()
                    with open(pipe, "wb") as writer:
                        writer.write(text)
                    out, error = process.communicate(timeout=60)
                self.assertEqual(said.decode(), f"lacuna: waiting until something is written into {pipe}\n")
                self.assertEqual((process.returncode, error), (0, b""))
                self.assertIn(word, out)
        self.assertGreater(digest.stat().st_size, 8)

    def test_no_digest_is_looked_for_in_an_output_that_is_a_pipe(self):
        pipe = pathlib.Path(self.folder.name) / "out.pipe"
        os.mkfifo(pipe)
        self.fails(lacuna("digest", DEMO, "-o", pipe), 1, "is not a digest, so it was not replaced")

    @unittest.skipUnless(os.path.exists("/dev/zero"), "needs /dev/zero")
    def test_what_never_ends_and_is_no_pickle_is_refused_at_once(self):
        self.fails(lacuna("hang", "/dev/zero"), 1, "/dev/zero", "byte 0", "is refused")

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([LACUNA, "info", DEMO], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output", done.stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_words_that_cannot_be_written_end_nothing(self):
        for arguments in (["info", "/not/there"], ["stats", DEMO, "--no-such-option"]):
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                done = subprocess.run([LACUNA, *map(str, arguments)], stdout=full, stderr=full, timeout=60)
                self.assertGreaterEqual(done.returncode, 0, "ended by a signal")


class Loading(Case):
    """What every command that loads takes: categories to skip, several files, limits."""

    def trace(self, name, ts, head="", category="cpu_op"):
        return self.file(b'{%s"traceEvents":[{"ph":"X","cat":"%s","name":"op","pid":1,"tid":1,"ts":%s,"dur":2},'
                         b'{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":%s,"dur":2}]}'
                         % (head.encode(), category.encode(), ts, ts), name)

    def test_times_in_nanoseconds(self):
        # Unix time in ns: beyond what microseconds can mean, so that nothing is shown unless asked for.
        path = self.trace("ns.json", b"1700000000000000000")
        def findings(*options):
            return {line["finding"] for line in self.json("info", path, *options)["report"]}
        self.assertIn("timestamp_invalid", findings())
        self.assertNotIn("timestamp_invalid", findings("--times-ns"))
        rows = self.json("stats", path, "--times-ns")["rows"]
        self.assertEqual({row["totalNs"] for row in rows}, {2})

    def test_skipped_categories(self):
        all_events = self.json("info", DEMO)
        for arguments in (["--skip-category", "python_function,cpu_op"],
                          ["--skip-category", "python_function", "--skip-category", "cpu_op"]):
            info = self.json("info", DEMO, *arguments)
            skipped = info["files"][0]["skipped"]
            self.assertEqual(set(skipped), {"python_function", "cpu_op"})
            for category, count in skipped.items():
                self.assertEqual(count, all_events["categories"][category])
                self.assertNotIn(category, info["categories"])
            self.assertEqual(info["events"], all_events["events"] - sum(skipped.values()))
            report = {line["finding"]: line["count"] for line in info["report"]}
            self.assertEqual(report["skipped_on_request"], sum(skipped.values()))
        text = lacuna("info", DEMO, "--skip-category", "cpu_op").stdout.decode()
        self.assertRegex(text, r"Skipped +[\d,]+ events of category cpu_op, as asked")
        names = {row["category"] for row in self.json("stats", DEMO, "--skip-category", "cpu_op")["rows"]}
        self.assertNotIn("cpu_op", names)

    def test_several_files_a_folder_and_a_pattern(self):
        base = '"baseTimeNanoseconds":%d,"distributedInfo":{"rank":%d,"world_size":2},'
        self.trace("rank1.json", b"7", base % (1_500_000, 1))
        self.trace("rank0.json", b"5", base % (1_000_000, 0))
        self.file(b'{"no": "trace"}', "facts.json")
        folder = pathlib.Path(self.folder.name)
        for arguments in ([folder / "rank0.json", folder / "rank1.json"], [folder], [str(folder) + "/*.json"]):
            with self.subTest(arguments=arguments):
                info = self.json("info", *arguments)
                self.assertEqual([f["label"] for f in info["files"]], ["rank 0", "rank 1"])
                self.assertEqual([f["shiftNs"] for f in info["files"]], [0, 500_000])
                self.assertEqual(info["alignment"], "baseTime")
                self.assertEqual({p["name"] for p in info["processes"]},
                                 {"rank 0 · process 1", "rank 1 · process 1", "rank 0 · GPU 0", "rank 1 · GPU 0"})
                gaps = self.json("gaps", *arguments)
                self.assertEqual([(s["file"], s["firstStartNs"]) for s in gaps["streams"]], [(0, 5_000), (1, 507_000)])
        text = lacuna("info", folder).stdout.decode()
        self.assertIn("Aligned    by their baseTimeNanoseconds; times shifted by 500000 ns", text)
        self.assertIn("file of the folder or pattern left out: not a trace", text)
        self.assertIn("rank 1: Device 0, stream 7", lacuna("gaps", folder).stdout.decode())
        self.fails(lacuna("info", folder / "none*"), 1, "no file matches this pattern")
        alone = self.json("info", folder / "rank1.json")
        self.assertEqual((alone["alignment"], alone["files"][0]["label"], alone["files"][0]["shiftNs"]), (None, None, 0))

    def test_a_limit_of_decompressed_bytes_that_can_be_raised(self):
        bomb = self.file(gzip.compress(b"[" + b" " * 20_000_000 + GOOD + b"]"), "bomb.json.gz")
        self.fails(lacuna("info", bomb, "--max-bytes", "10M"), 1, "more than 10.0 MiB after decompression", "--max-bytes")
        self.assertEqual(lacuna("info", bomb, "--max-bytes", "30M").returncode, 0)
        for size in ("0", "-1", "x", "10Q", "10MM"):
            self.fails(lacuna("info", bomb, "--max-bytes", size), 2, "is not a size")

    def test_too_little_memory_is_an_error_not_a_death(self):
        def with_limit(arguments, limit):
            return subprocess.run(
                [LACUNA, *map(str, arguments)], capture_output=True, timeout=120,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        if "sanitize" in os.environ.get("LACUNA_BIN", "") or b"__asan_init" in pathlib.Path(LACUNA).read_bytes():
            self.skipTest("sanitizers reserve address space")
        bomb = self.file(gzip.compress(b"[" + b" " * 700_000_000 + GOOD + b"]", 1), "bomb.json.gz")
        done = with_limit(["info", bomb, "--threads", "1"], 512 << 20)
        self.fails(done, 1, "not enough memory", "bomb.json.gz")
        many = self.file(b"[" + b",".join([GOOD] * 2_000_000) + b"]", "many.json")
        for megabytes in (96, 160, 220, 300, 400):
            done = with_limit(["info", many, "--threads", "1"], megabytes << 20)
            with self.subTest(megabytes=megabytes):
                self.assertIn(done.returncode, (0, 1, 127), done.stderr)
                if done.returncode == 1:
                    self.fails(done, 1, "memory")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_under_every_output(self):
        for arguments in (["info", DEMO], ["info", DEMO, "--json"], ["stats", DEMO, "--csv"], ["gaps", DEMO, "--json"],
                          ["--help"], ["stats", DEMO, "--table", "torch"]):
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                done = subprocess.run([LACUNA, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, timeout=60)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"standard output", done.stderr)
        for arguments in (["report", DEMO], ["job", DEMO]):
            self.fails(lacuna(*arguments, "-o", "/dev/full"), 1, "/dev/full", "No space left on device")
        done = lacuna("screenshot", DEMO, "-o", "/dev/full")
        if b"LACUNA_GUI=OFF" not in done.stderr:
            self.fails(done, 1, "/dev/full", "No space left on device")
            self.assertTrue(pathlib.Path("/dev/full").is_char_device())


class NothingToShow(Case):
    """Errors: status 1 and one line "lacuna: FILE: cause" for every command."""

    def check(self, path, *words):
        for command in COMMANDS:
            with self.subTest(command=command):
                done = lacuna(command, path)
                self.fails(done, 1, str(path), *words)
                self.assertEqual(len(done.stderr.decode().splitlines()), 1)

    def test_missing_file(self):
        self.check(pathlib.Path(self.folder.name) / "none.json", "no such file")

    def test_directory(self):
        self.check(pathlib.Path(self.folder.name), "directory")

    def test_empty_file(self):
        self.check(self.file(b""), "empty")

    def test_only_blanks(self):
        self.check(self.file(b" \n\t "))

    def test_empty_gzip(self):
        self.check(self.file(gzip.compress(b""), "e.json.gz"), "no data")

    def test_binary_junk(self):
        self.check(self.file(bytes(range(256)) * 20))

    def test_html(self):
        self.check(self.file(b"<!DOCTYPE html><html><body>404</body></html>"))

    def test_other_json(self):
        self.check(self.file(b'{"a": 1, "b": [1, 2]}'))
        self.check(self.file(b'"text"'))
        self.check(self.file(b"42"))

    def test_png(self):
        self.check(self.file(b"\x89PNG\r\n\x1a\n" + bytes(100)))

    def test_gzip_of_junk(self):
        self.check(self.file(gzip.compress(b"\x00\x01\x02 no json"), "j.json.gz"))

    def test_damaged_gzip_header(self):
        self.check(self.file(b"\x1f\x8b\x08\xff\xff\xff", "d.json.gz"))

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_unreadable(self):
        path = self.file(b"[]")
        path.chmod(0)
        self.check(path, "ermission")


class Damaged(Case):
    """Partial loads: status 0, what is readable is there, and the damage is counted and told."""

    def check(self, content, finding, names, name="trace.json", severity=None):
        path = self.file(content, name)
        report = self.report(path)
        self.assertIn(finding, report)
        self.assertGreaterEqual(report[finding]["count"], 1)
        done = lacuna("stats", path, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({row["name"] for row in json.loads(done.stdout)["rows"]}, set(names))
        told = done.stderr.decode()
        if severity is not None:
            self.assertEqual(report[finding]["severity"], severity)
        if report[finding]["severity"] == "info":
            self.assertEqual(told, "")
        else:
            self.assertIn("lacuna: warning: ", told)
            self.assertIn(report[finding]["meaning"], told)
            self.assertIn(report[finding]["meaning"], lacuna("info", path).stdout.decode())
        return report[finding]

    def test_truncated_json(self):
        line = self.check(b'{"traceEvents":[' + GOOD + b',{"ph":"X","name":"cut off', "unterminated", ["good"],
                          severity="data_loss")
        self.assertGreaterEqual(line["firstOffset"], 16)

    def test_truncated_gzip(self):
        whole = gzip.compress(b"[" + b",".join([GOOD] * 50000) + b"]", mtime=0)
        self.check(whole[:len(whole) // 2], "truncated_compression", ["good"], "t.json.gz", "data_loss")

    def test_truncated_real_trace(self):
        path = self.file(DEMO.read_bytes()[:100_000], "t.json.gz")
        info = self.json("info", path)
        self.assertGreater(info["events"], 1000)
        self.assertLess(info["events"], 16771)
        self.assertIn("truncated_compression", {line["finding"] for line in info["report"]})

    def test_a_list_may_end_without_its_bracket(self):
        path = self.file(b"[" + GOOD + b",\n")
        self.assertEqual(self.json("info", path)["events"], 1)
        self.assertEqual(lacuna("stats", path).stderr, b"")

    def test_nan_and_infinity(self):
        self.check(b'[' + GOOD + b',{"ph":"X","name":"nan","pid":1,"tid":1,"ts":5,"dur":NaN},'
                   b'{"ph":"C","name":"c","pid":1,"ts":5,"args":{"v":-Infinity}}]',
                   "non_finite_number", ["good", "nan"])

    def test_duplicate_keys(self):
        self.check(b'[{"ph":"X","name":"first","name":"last","pid":1,"tid":1,"ts":1,"dur":2}]', "duplicate_key", ["last"])

    def test_invalid_utf8(self):
        self.check(b'[{"ph":"X","name":"bad \xff\xfe name","pid":1,"tid":1,"ts":1,"dur":2}]', "invalid_utf8",
                   ["bad \ufffd\ufffd name"])

    def test_control_characters(self):
        self.check(b'[{"ph":"X","name":"a\nb\x01","pid":1,"tid":1,"ts":1,"dur":2}]', "control_character", ["a\nb\x01"])

    def test_names_cannot_steer_the_terminal(self):
        path = self.file(b'[{"ph":"X","name":"a\\u001b[31mred","pid":1,"tid":1,"ts":1,"dur":2}]')
        for command in COMMANDS:
            self.assertNotIn(b"\x1b", lacuna(command, path).stdout)

    def test_raw_quotes_in_names(self):
        self.check(b'[{"ph":"X","name":"k<"a">","pid":1,"tid":1,"ts":1,"dur":2},' + GOOD + b']', "raw_quote",
                   ['k<"a">', "good"])

    def test_bad_escapes(self):
        self.check(rb'[{"ph":"X","name":"C:\windows\q","pid":1,"tid":1,"ts":1,"dur":2}]', "bad_escape",
                   [r"C:\windows\q"])

    def test_junk_between_events(self):
        self.check(b"[" + GOOD + b", @#!, " + GOOD + b"]", "junk_skipped", ["good"], severity="data_loss")

    def test_missing_and_negative_durations(self):
        self.check(b'[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1}]', "duration_missing", ["a"])
        self.check(b'[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":-5}]', "negative_duration", ["a"])

    def test_missing_ts(self):
        self.check(b"[" + GOOD + b',{"ph":"X","name":"lost","pid":1,"tid":1}]', "timestamp_missing", ["good"],
                   severity="data_loss")

    def test_unknown_phase(self):
        line = self.check(b"[" + GOOD + b',{"ph":"?","name":"lost","pid":1,"tid":1,"ts":1}]', "unknown_phase",
                          ["good"], severity="data_loss")
        self.assertEqual(line["example"], "?")

    def test_byte_order_mark_and_trailing_comma(self):
        self.check(b"\xef\xbb\xbf[" + GOOD + b",]", "byte_order_mark", ["good"], severity="info")
        self.check(b"[" + GOOD + b",]", "trailing_comma", ["good"], severity="info")

    def test_huge_numbers(self):
        path = self.file(b'[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1e300,"dur":2},' + GOOD +
                         b',{"ph":"X","name":"b","pid":1,"tid":1,"ts":1,"dur":99999999999999999999999}]')
        for command in COMMANDS:
            self.assertEqual(lacuna(command, path).returncode, 0)

    def test_deep_nesting(self):
        path = self.file(b'[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2,"args":{"x":' + b"[" * 100_000 +
                         b"]" * 100_000 + b"}}," + GOOD + b"]")
        for command in COMMANDS:
            self.assertIn(lacuna(command, path).returncode, (0, 1))


if __name__ == "__main__":
    if not LACUNA:
        sys.exit("set LACUNA_BIN to the program to test")
    unittest.main()
