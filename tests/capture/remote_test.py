#!/usr/bin/env python3
"""`lacuna --on HOST`: commands that run there, files that are fetched, a line that breaks, and a hostile peer at either end.
With a real sshd of the test's own."""
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import unittest

from remote_support import LACUNA, Machine, why_no_sshd
from waiting import wait_until

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(LACUNA).resolve().parent.parent
DEMO_TRACE = ROOT / "assets/demo.trace.json.gz"
DEMO = BUILD / "capture" / "lacuna-demo"
# A program without a window draws nothing of what it fetched and watches no recording.
HAS_WINDOW = "\n  live " in subprocess.run([LACUNA, "--help"], capture_output=True, text=True).stdout
needs_window = unittest.skipUnless(HAS_WINDOW, "lacuna was built without a window")
PREAMBLE = b"\0LacunaRemote\n"
(HELLO, REFUSAL, BEAT, REQUEST, CANCEL, SIGNAL, STOP, ANSWER, DATA, OUT, ERR, TEXT, STATE, DONE, FAILED) = range(1, 16)


def frame(kind, request=0, payload=b""):
    return struct.pack("<IHHI", len(payload), kind, 0, request) + payload


def number(value):
    return struct.pack("<Q", value)


def text(value):
    raw = value if isinstance(value, bytes) else value.encode()
    return number(len(raw)) + raw


def hello(version=2):
    return PREAMBLE + frame(HELLO, 0, number(version) + text("lacuna test"))


def here(*arguments, **more):
    return subprocess.run([LACUNA, *map(str, arguments)], capture_output=True, text=True, timeout=120, **more)


# A far side that answers requests: what it answers is to follow.
SERVES = """
def read_frame():
    head = sys.stdin.buffer.read(12)
    if len(head) < 12: sys.exit(0)
    length, kind, _, request = struct.unpack('<IHHI', head)
    return kind, request, sys.stdin.buffer.read(length)
sys.stdin.buffer.read(len(PREAMBLE))
say(hello())
while True:
    kind, request, payload = read_frame()
    if kind != REQUEST: continue
"""


class ByTransport(unittest.TestCase):
    """Without ssh: any command may be the line."""

    def setUp(self):
        import tempfile
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lacuna-remote-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "lacuna").symlink_to(LACUNA)
        (self.folder / "home").mkdir()
        (self.folder / "run").mkdir(mode=0o700)
        self.env = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"), XDG_RUNTIME_DIR=str(self.folder / "run"))
        self.transport = f"env HOME={self.folder}/home PATH={self.folder}/bin:{os.environ['PATH']}"

    def on(self, *arguments, transport=None, timeout=60):
        return subprocess.run([LACUNA, "--on", "box", "--transport", transport or self.transport, *map(str, arguments)],
                              capture_output=True, text=True, timeout=timeout, env=self.env)

    def test_a_shell_as_transport(self):
        shutil.copy(DEMO_TRACE, self.folder / "home" / "a.json.gz")
        wanted = here("stats", "a.json.gz", cwd=self.folder / "home")
        got = self.on("stats", "a.json.gz", transport=f"sh -c 'exec {self.transport} \"$@\"' there")
        self.assertEqual((got.returncode, got.stdout, got.stderr), (0, wanted.stdout, ""))
        # A login script that talks does no harm.
        got = self.on("stats", "a.json.gz", transport=f"sh -c 'echo Welcome; exec {self.transport} \"$@\"' there")
        self.assertEqual((got.returncode, got.stdout), (0, wanted.stdout))

    def test_standard_input_is_refused_with_words(self):
        # Written before the start: what comes later is not seen in time, and said when the command has ended.
        reading, writing = os.pipe()
        os.write(writing, b"print(1)")
        os.close(writing)
        done = subprocess.run([LACUNA, "--transport", self.transport, "record", "-o", "r.json", "--", "cat"], stdin=reading,
                              capture_output=True, text=True, timeout=60, env=self.env)
        os.close(reading)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard input does not go to another machine, and there is something in it", done.stderr)
        done = subprocess.run([LACUNA, "--transport", self.transport, "record", "-o", "r.json", "--", "python3", "-"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=self.env)
        self.assertIn('which "-" would read', done.stderr)
        self.assertFalse((self.folder / "home/r.json").exists())
        done = subprocess.run([LACUNA, "--transport", self.transport, "record", "-q", "-o", "r.json", "--", "cat"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("standard input", done.stderr)
        # A pipe that is empty at the start: the far side writes into it once the line stands.
        reading, writing = os.pipe()
        transport = f"sh -c 'echo late >&{writing}; exec {self.transport} \"$@\"' there"
        done = subprocess.run([LACUNA, "--transport", transport, "record", "-q", "-o", "r.json", "--", "true"], stdin=reading,
                              pass_fds=[writing], capture_output=True, text=True, timeout=60, env=self.env)
        os.close(reading)
        os.close(writing)
        self.assertIn("what came on it was not read", done.stderr)

    def test_nothing_is_started_for_a_window_that_cannot_open(self):
        marker = self.folder / "started"
        self.env = {k: v for k, v in self.env.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        for words in (("live", "--", "touch", marker), ("a.json",), ("attach",)):
            got = self.on(*words)
            self.assertEqual(got.returncode, 1)
            self.assertRegex(got.stderr, "no display|without a window")
        got = self.on()
        self.assertEqual(got.returncode, 1)
        self.assertIn("say what to do there", got.stderr)
        self.assertFalse(marker.exists())

    def hostile(self, script):
        """Runs against a far side that is a Python script; its standard input and output are the line."""
        path = self.folder / "hostile.py"
        path.write_text("import sys, time, struct\nout = sys.stdout.buffer\n"
                        "def say(b):\n    out.write(b); out.flush()\n"
                        f"sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
                        "from remote_test import *\n" + script)
        return f"{sys.executable} -B {path}"

    def test_hostile_far_sides(self):
        for script, words in (
                ("say(b'garbage ' * 100)", "the line broke (what came instead: "),
                ("say(b'This account is closed.\\n')", "the line broke (what came instead: This account is closed.)"),
                ("say(b'x' * 200000)", "not from Lacuna"),
                ("say(hello(3))\nsys.stdin.buffer.read()", "version 3"),
                ("say(hello() + struct.pack('<IHHI', 0x7fffffff, 8, 0, 1))\nsys.stdin.buffer.read()", "2147483647 bytes"),
                ("say(hello() + frame(77, 1, b'x'))\nsys.stdin.buffer.read()", "kind 77"),
                ("say(hello() + frame(ANSWER, 1, b'x' * 50) + frame(DONE, 1))\nsys.stdin.buffer.read()", "malformed"),
                ("say(hello() + frame(DONE, 1, b''))\nsys.stdin.buffer.read()", "can be read"),
                ("say(hello()[:20])", "the line broke"),
                ("say(hello() + frame(REFUSAL, 0, b'go away'))\nsys.stdin.buffer.read()", "go away"),
                ("sys.stderr.write('lacuna: unknown word serve\\n')\nsys.exit(2)", "too old for this"),
                ("sys.stderr.write('Permission denied (publickey).\\n')\nsys.exit(255)", "Permission denied (publickey)")):
            with self.subTest(script=script):
                done = self.on("screenshot", "/x/a.json", "-o", self.folder / "a.png", transport=self.hostile(script))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(words, done.stderr)
                self.assertFalse((self.folder / "a.png").exists())

    def test_files_of_a_hostile_far_side(self):
        """Neither the name, nor the size, nor the bytes are believed."""
        serve = SERVES + """    verb, = struct.unpack('<Q', payload[:8])
    if verb == 3:
        say(frame(ANSWER, request, text(NAME) + number(SIZE) + number(5) + number(7)) + frame(DONE, request))
    else:
        for piece in DATA_PIECES: say(frame(DATA, request, piece))
        say(frame(DONE, request, number(SUM)))
"""
        zstd = subprocess.run(["sh", "-c", "head -c 3000000 /dev/zero | zstd -q -c"], capture_output=True).stdout \
            if shutil.which("zstd") else b"\x28\xb5\x2f\xfd"
        for name, size, pieces, total, words in (
                ("'/x/../../../../evil.json'", 4, "[b'not zstd']", 0, "malformed"),
                ("'relative.json'", 4, "[]", 0, "malformed"),
                ("'/x/a.json'", 4, "[]", 0, "checksum"),
                ("'/x/a.json'", 1 << 61, "[]", 0, "do not fit"),
                ("'/x/a.json'", 1 << 63, "[]", 0, "malformed"),
                ("'/x/a.json'", 100, f"[{zstd!r}]", 0, "malformed")):
            with self.subTest(name=name, size=size):
                script = f"NAME = {name}\nSIZE = {size}\nDATA_PIECES = {pieces}\nSUM = {total}\n" + serve
                done = self.on("screenshot", "/x/a.json", "-o", self.folder / "a.png", transport=self.hostile(script))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(words, done.stderr)
        cache = self.folder / "cache"
        files = [p.relative_to(cache) for p in cache.rglob("*") if p.is_file() and "mesa" not in str(p)]
        self.assertTrue(all(p.name == "part" and p.parts[:2] == ("lacuna", "remote") for p in files), files)

    @needs_window
    def test_recordings_of_a_hostile_far_side(self):
        serve = SERVES + """    for k, p in FRAMES: say(frame(k, request, p))
"""
        self.env["DISPLAY"] = ":nowhere"
        for frames, words in (("[(ANSWER, number(1) + text(b'garbage') + text('x'))]", "not a recording of this version"),
                              ("[(ANSWER, number(7))]", "malformed"),
                              ("[(DATA, b'garbage')]", "malformed"),
                              ("[(STATE, b'garbage')]", "malformed"),
                              ("[(LIST, b'')]", "kind 99"),
                              ("[(DONE, number(1))]", "has ended already")):
            with self.subTest(frames=frames):
                done = self.on("attach", transport=self.hostile(f"LIST = 99\nFRAMES = {frames}\n" + serve))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(words, done.stderr)
        left = [p for p in (self.folder / "run").rglob("*") if p.is_socket()]
        self.assertEqual(left, [])

    def serve(self, sent, requests=0):
        """What a far side answers to these bytes, and how it ends. The line is closed once so many requests have ended."""
        process = subprocess.Popen([LACUNA, "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.env)
        frames, ended = [], 0
        try:
            process.stdin.write(sent)
            process.stdin.flush()
        except BrokenPipeError:
            pass
        self.assertEqual(process.stdout.read(len(PREAMBLE)), PREAMBLE)
        while True:
            if ended == requests and not process.stdin.closed:
                try:
                    process.stdin.close()
                except BrokenPipeError:
                    pass
            head = process.stdout.read(12)
            if not head:
                break
            length, kind, _, request = struct.unpack("<IHHI", head)
            frames.append((kind, request, process.stdout.read(length)))
            ended += kind in (DONE, FAILED)
        said = process.stderr.read().decode()
        process.stdout.close()
        process.stderr.close()
        return process.wait(20), frames, said

    def test_hostile_window_sides(self):
        for sent, words in ((b"GET / HTTP/1.0\r\n\r\n", b"not from Lacuna"),
                            (hello(99), b"version 99"),
                            (PREAMBLE + frame(REQUEST, 1, b""), b"hello"),
                            (hello() + struct.pack("<IHHI", 0xffffffff, REQUEST, 0, 1), b"4294967295 bytes"),
                            (hello() + frame(OUT, 1, b"x"), b"not for a far side"),
                            (hello() + frame(99, 1, b"x"), b"kind 99"),
                            (hello() + frame(REQUEST, 0, b""), b"without a number")):
            with self.subTest(sent=sent):
                code, frames, _ = self.serve(sent)
                self.assertEqual(frames[0][0], HELLO)
                self.assertEqual(frames[-1][0], REFUSAL)
                self.assertIn(words, frames[-1][2])
                self.assertEqual(code, 1)
        generator = random.Random(5)
        for _ in range(20):  # whatever comes, it ends, and says hello first
            noise = bytes(generator.randrange(256) for _ in range(generator.randrange(300)))
            self.assertIn(self.serve(hello() + noise)[0], (0, 1))

    def test_requests_that_make_no_sense_fail_and_the_line_stays(self):
        requests = [number(99), b"", number(1) + number(1 << 40), number(2), number(3) + number(0),
                    number(4) + text("relative") + number(1) * 4, number(5) + number(0), number(6) + b"x",
                    number(7), number(7) + text("another build") + number(1) * 2 + text("/etc/passwd") + number(1) * 8,
                    number(7) + text("x") + number(1) + number(1 << 40), number(2) + text("/no/such/folder"), number(3) + number(1) + text("/no/such.json")]
        sent = hello() + b"".join(frame(REQUEST, i + 1, r) for i, r in enumerate(requests))
        code, frames, said = self.serve(sent, len(requests))
        failed = [f[1] for f in frames if f[0] == FAILED]
        self.assertEqual((sorted(failed), code, said), (list(range(1, len(requests) + 1)), 0, ""))
        # Bounded: those beyond the sixteenth that wait are turned away, the others answered in order.
        sent = hello() + b"".join(frame(REQUEST, i + 1, number(2) + text("/")) for i in range(40))
        _, frames, _ = self.serve(sent, 40)
        answered = [f[1] for f in frames if f[0] == DONE]
        refused = [f[1] for f in frames if f[0] == FAILED]
        self.assertEqual(sorted(answered + refused), list(range(1, 41)))
        self.assertEqual(answered, sorted(answered))
        self.assertGreater(len(refused), 0)

    def test_a_cancelled_command_ends_there(self):
        process = subprocess.Popen([LACUNA, "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.env)
        ours = f"86400.{os.getpid()}"  # seconds: as good as for ever
        words = ["record", "-o", str(self.folder / "c.json"), "--", "sleep", ours]
        payload = number(1) + number(len(words)) + b"".join(map(text, words)) + number(0)
        process.stdin.write(hello() + frame(REQUEST, 1, payload))
        process.stdin.flush()
        wait_until(lambda: subprocess.run(["pgrep", "-f", "^sleep " + ours], capture_output=True).returncode == 0, "the program")
        process.stdin.write(frame(CANCEL, 1) + frame(REQUEST, 2, number(2) + text("/")))
        process.stdin.close()
        out = process.stdout.read()
        process.stdout.close()
        process.wait()
        self.assertIn(frame(FAILED, 1)[4:6], out)
        left = subprocess.run(["pgrep", "-f", f"{self.folder}/c.json|^sleep {ours}"], capture_output=True, text=True).stdout
        self.assertEqual(left, "")


@unittest.skipIf(why_no_sshd(), why_no_sshd())
class BySsh(unittest.TestCase):
    def machine(self, **more):
        machine = Machine(**more)
        self.addCleanup(machine.close)
        return machine

    def cached(self, machine):
        return sorted(p for p in (machine.folder / "here/cache/lacuna/remote").rglob("*") if p.is_file())

    def test_commands_run_there(self):
        machine = self.machine()
        shutil.copy(DEMO_TRACE, machine.home / "a.json.gz")
        for command in (("info", "--json", "a.json.gz"), ("report", "a.json.gz"), ("gaps", "a.json.gz", "--causes")):
            wanted = here(*command, cwd=machine.home)
            got = machine.lacuna(*command)
            self.assertEqual((got.returncode, got.stdout), (wanted.returncode, wanted.stdout), got.stderr)
        got = machine.lacuna("stats", "nothing.json")
        self.assertEqual((got.returncode, got.stdout), (1, ""))
        self.assertIn("nothing.json", got.stderr)
        self.assertEqual(machine.lacuna("record", "-q", "-o", "r.json", "--", "sh", "-c", "exit 7").returncode, 7)
        got = machine.lacuna("doctor")
        self.assertIn("box answers", got.stdout)
        self.assertIn(str(machine.home / "run"), got.stdout)
        got = subprocess.run([LACUNA, "doctor", "--on", "box"], capture_output=True, text=True, env=machine.environment())
        self.assertIn("box answers", got.stdout)
        self.assertEqual(machine.lacuna("jobs").returncode, 0)
        self.assertEqual(self.cached(machine), [])

    def test_ctrl_c_ends_a_recording_there(self):
        machine = self.machine()
        process = subprocess.Popen([LACUNA, "--on", "box", "record", "-o", "r.json", "--", DEMO, "100000"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=machine.environment())
        line = process.stderr.readline()
        self.assertIn("recording", line)
        # What the program writes is kept back until it ends.
        wait_until(lambda: b"training step" in (machine.home / "r.json").read_bytes(), "a step")
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, said)
        self.assertIn("slices of 1 process in r.json", said)
        self.assertIn("training step", out)
        self.assertTrue((machine.home / "r.json").exists())

    def test_a_recording_there_is_saved_when_the_line_breaks(self):
        machine = self.machine()
        process = subprocess.Popen([LACUNA, "--on", "box", "record", "-o", "r.json", "--", DEMO, "100000"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=machine.environment())
        self.assertIn("recording", process.stderr.readline())
        ssh, = subprocess.run(["pgrep", "-P", str(process.pid), "ssh"], capture_output=True, text=True).stdout.split()
        os.kill(int(ssh), signal.SIGKILL)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("the line broke", said)
        self.assertIn("the program there is ended; what was recorded is saved into box:r.json", said)
        wait_until((machine.home / "r.json").exists, "the recording")
        self.assertEqual(subprocess.run([LACUNA, "info", machine.home / "r.json"], capture_output=True).returncode, 0)

    def test_lacuna_is_missing_there_and_is_installed(self):
        machine = self.machine(has_lacuna=False)
        got = machine.lacuna("jobs")
        self.assertEqual(got.returncode, 1)
        self.assertIn("lacuna install-on box", got.stderr)
        refused = machine.lacuna("install-on", "box", on=(), stdin=subprocess.DEVNULL)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("nothing was copied", refused.stderr)
        self.assertFalse((machine.home / ".data").exists())
        for _ in range(2):  # the second time in place of the first
            done = machine.lacuna("install-on", "box", "--yes", on=(), timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            there = pathlib.Path(done.stdout.strip())
            self.assertEqual(there, machine.home / ".data/lacuna/there/bin/lacuna")
        # It runs from there with what was copied, and nothing of this build.
        libraries = subprocess.run(["ldd", there], capture_output=True, text=True).stdout
        self.assertIn(f"{there.parent}/../lib/lacuna/libs/libfmt", libraries)
        self.assertNotIn("not found", libraries)
        got = machine.lacuna("doctor")
        self.assertIn(str(there.parent.parent / "lib/lacuna/liblacuna_collector.so"), got.stdout)
        got = machine.lacuna("record", "-q", "-o", "r.json", "--", DEMO, "2")
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertIn("training step", (machine.home / "r.json").read_text())
        self.assertEqual(sorted(p.name for p in (machine.home / ".data/lacuna/there").iterdir()), ["bin", "lib"])
        # A way there that takes everything, and does nothing.
        done = machine.lacuna("install-on", "--yes", on=("--transport", "sh -c 'cat > /dev/null' sh"), timeout=300)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("it was sent, but lacuna does not answer there", done.stderr)

    @needs_window
    def test_a_trace_is_fetched_once(self):
        machine = self.machine()
        trace = machine.home / "run1.json.gz"
        shutil.copy(DEMO_TRACE, trace)
        done = machine.lacuna("screenshot", "run1.json.gz", "-o", "a.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        file, = self.cached(machine)
        self.assertEqual(file.name, "box:run1.json.gz")
        self.assertEqual(file.read_bytes(), trace.read_bytes())
        for folder in (file.parent, file.parent.parent):
            self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        first = file.stat()
        machine.lacuna("screenshot", "run1.json.gz", "-o", "a.png")
        again, = self.cached(machine)
        self.assertEqual((again.stat().st_ino, again.stat().st_mtime_ns), (first.st_ino, first.st_mtime_ns))
        told = machine.lacuna("doctor", on=()).stdout
        self.assertRegex(told, r"fetched traces 1 in .*/here/cache/lacuna/remote, which take 219 KiB of at most")
        # Another file of that name is another.
        os.utime(trace, (1, 1))
        machine.lacuna("screenshot", "run1.json.gz", "-o", "a.png")
        self.assertEqual(len(self.cached(machine)), 2)
        # A folder: all that is in it.
        (machine.home / "ranks").mkdir()
        for rank in range(3):
            shutil.copy(DEMO_TRACE, machine.home / "ranks" / f"rank{rank}.json.gz")
        done = machine.lacuna("screenshot", "ranks", "-o", "a.png")
        self.assertEqual((done.returncode, len(self.cached(machine))), (0, 5), done.stderr)
        done = machine.lacuna("screenshot", "nothing.json", "-o", "a.png")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing.json", done.stderr)

    def large(self, machine, name="large.json"):
        """Of 12 MB of a trace that does not compress well, so that the line has something to carry."""
        generator = random.Random(3)
        with open(machine.home / name, "w") as out:
            out.write('{"traceEvents": [\n')
            out.write(",\n".join(
                f'{{"ph":"X","pid":1,"tid":1,"ts":{i * 10},"dur":5,"name":"n{generator.getrandbits(400):x}"}}'
                for i in range(80_000)))
            out.write("]}\n")
        return machine.home / name

    @needs_window
    def test_a_fetch_goes_on_where_the_line_broke(self):
        machine = self.machine(through=True)
        trace = self.large(machine)
        proxy = machine.proxy
        proxy.cut_after = 3_000_000
        proxy.bytes_a_second = 3_000_000  # on a full machine megabytes wait in the sockets else, which the cut takes along
        done = machine.lacuna("screenshot", "large.json", "-o", "a.png", timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("trying again", done.stderr)
        self.assertEqual(proxy.connections, 2)
        file, = self.cached(machine)
        self.assertEqual(file.read_bytes(), trace.read_bytes())
        fetched = proxy.passed
        # What was here at the break was not sent again: as much in all as without one, and a little.
        shutil.rmtree(machine.folder / "here/cache/lacuna/remote")
        proxy.passed = 0
        machine.lacuna("screenshot", "large.json", "-o", "a.png", timeout=200)
        self.assertLess(fetched, proxy.passed * 1.15 + 300_000)
        self.assertLess(proxy.passed, trace.stat().st_size)  # packed on the way

    @needs_window
    def test_a_fetch_that_was_ended_is_gone_on_with(self):
        machine = self.machine(through=True)
        trace = self.large(machine)
        machine.proxy.bytes_a_second = 1_500_000
        machine.proxy.delay = 0.05
        process = subprocess.Popen([LACUNA, "--on", "box", "screenshot", "large.json", "-o", "a.png"], text=True,
                                   stderr=subprocess.PIPE, env=machine.environment(), cwd=machine.folder / "here")
        part = wait_until(lambda: next((p for p in self.cached(machine) if p.stat().st_size >= 2_000_000), None), "a part")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 1)
        had = part.stat().st_size
        self.assertTrue(2_000_000 <= had < trace.stat().st_size, had)
        machine.proxy.bytes_a_second = 0
        machine.proxy.passed = 0
        done = machine.lacuna("screenshot", "large.json", "-o", "a.png", timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        file, = self.cached(machine)
        self.assertEqual(file.read_bytes(), trace.read_bytes())
        self.assertLess(machine.proxy.passed, (trace.stat().st_size - had) * 0.9 + 300_000)
        # What lies here and is not what is there is noticed, and fetched anew.
        damaged = file.with_name("part")
        file.rename(damaged)
        with open(damaged, "r+b") as out:
            out.truncate(had)
            out.write(b"!")
        done = machine.lacuna("screenshot", "large.json", "-o", "a.png", timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(file.read_bytes(), trace.read_bytes())

    def test_a_machine_that_is_gone(self):
        machine = self.machine()
        machine.process.terminate()
        machine.process.wait(10)
        done = machine.lacuna("info", "a.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Connection refused", done.stderr)


if __name__ == "__main__":
    unittest.main()
