#!/usr/bin/env python3
"""Commands of somebody who means no good, or is unlucky: hosts that are commands, transports that never answer or never
stop talking, signals before a line is there, a terminal on which ssh asks for a passphrase, values that are no numbers.
Everything ends, says what it is, and leaves nothing behind."""
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import tempfile
import termios
import time
import unittest

from remote_support import LACUNA, Machine, why_no_sshd
from waiting import wait_until

FOREVER = "4321"  # seconds that the transports of these tests sleep


def sleepers(mark):
    """Processes that are still there of a transport with this mark."""
    return subprocess.run(["pgrep", "-f", "^sleep " + mark], capture_output=True, text=True).stdout.split()


def children_of(pid):
    return subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()


def is_asleep(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].startswith("S")


class IllMeant(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lacuna-ill-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name in ("home", "tmp", "bin"):
            (self.folder / name).mkdir()
        (self.folder / "run").mkdir(mode=0o700)
        (self.folder / "bin/lacuna").symlink_to(LACUNA)
        self.env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.env.update(HOME=str(self.folder / "home"), TMPDIR=str(self.folder / "tmp"),
                        XDG_RUNTIME_DIR=str(self.folder / "run"), XDG_CACHE_HOME=str(self.folder / "cache"))
        self.mark = f"{FOREVER}.{os.getpid()}"

    def start(self, *words, **more):
        process = subprocess.Popen([LACUNA, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   stdin=subprocess.DEVNULL, env=self.env, cwd=self.folder, **more)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def lacuna(self, *words, code=1, timeout=60):
        process = self.start(*words)
        out, said = process.communicate(timeout=timeout)
        self.assertEqual(process.returncode, code, out + said)
        return out + said

    def test_hosts_that_are_commands(self):
        # What ssh would make of it is told by one that only says that it was called.
        (self.folder / "bin/ssh").write_text(f"#!/bin/sh\ntouch {self.folder}/called\n")
        (self.folder / "bin/ssh").chmod(0o755)
        self.env["PATH"] = f"{self.folder}/bin:{self.env['PATH']}"
        mine = f"touch${{IFS}}{self.folder}/mine"
        for host, words in ((f"-oProxyCommand={mine}", "does not begin with -"),
                            (f"me@-oProxyCommand={mine}", "has no $"), ("me@-oProxyCommand=x", "does not begin with -"),
                            (f"$({mine})", "has no $"), (f"`{mine}`", "has no `"), (f"x;{mine}", "has no ;"),
                            ("x|sh", "has no |"), ("a'b", "has no '"), ("a b", "has no blanks"), ("a\rb", "has no blanks"), ("a\x1b[1mb", "has no blanks"), ("", "needs a value")):
            with self.subTest(host=host):
                self.assertIn(words, self.lacuna("--on", host, "jobs", code=1 if host else 2))
        for words, said in ((("jobs", "--", "--on", "box"), "--on goes before the --"),
                            (("jobs", "--", "--no-fetch"), "--no-fetch goes before the --"),
                            (("jobs", "--", "x"), "lacuna jobs takes no 'x'"),
                            (("x", "env"), "lacuna env takes no 'x'")):
            self.assertIn(said, self.lacuna(*words, code=2))
        self.assertIn("--on is given twice", self.lacuna("--on", "a", "--on", "b", "jobs", code=2))
        self.assertIn("--transport is given twice",
                      self.lacuna("--transport", "true", "jobs", "--transport=ssh", code=2))
        self.assertIn("a, b: two hosts", self.lacuna("--on", "b", "install-on", "a", "--yes"))
        self.assertFalse((self.folder / "called").exists())
        self.lacuna("--on", "user@fe80::1%eth0", "jobs")  # may be one
        self.assertTrue((self.folder / "called").exists())
        self.assertFalse((self.folder / "mine").exists())

    def test_stopped_before_the_line_is_there(self):
        silent = f"sh -c 'sleep {self.mark}' x"
        begun = f"sh -c 'printf \"\\0LacunaRemote\\n\\0\\0\"; sleep {self.mark}' x"
        for transport, words in ((silent, ["jobs"]), (begun, ["stats", "a.json"]), (silent, ["doctor"]),
                                 (silent, ["screenshot", "a.json", "-o", "a.png"])):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest(transport=transport, words=words, signal=number):
                    process = self.start("--transport", transport, *words)
                    wait_until(lambda: sleepers(self.mark), "the transport")
                    wait_until(lambda: is_asleep(process.pid), "a program that waits")
                    process.send_signal(number)
                    _, said = process.communicate()  # not ended, it would wait for the transport
                    self.assertEqual(process.returncode, 1, said)
                    self.assertTrue("cancelled" in said or "no window" in said or "without graphics" in said, said)
                    self.assertEqual(sleepers(self.mark), [])

    def test_a_transport_that_talks_without_end(self):
        """What it says is not waited for: with its standard error full, it would carry nothing."""
        there = f"env HOME={self.folder}/home PATH={self.folder}/bin:{os.environ['PATH']}"
        loud = f"sh -c 'head -c 3000000 /dev/zero | tr \"\\\\0\" y >&2; exec {there} \"$@\"' there"
        self.lacuna("--transport", loud, "jobs", code=0, timeout=40)
        # And while it answers.
        talks = f"sh -c '(head -c 300000 /dev/zero; sleep 2; head -c 3000000 /dev/zero) | tr \"\\\\0\" y >&2 & exec {there} \"$@\"' x"
        self.lacuna("--transport", talks, "jobs", code=0, timeout=40)

    def test_install_on_leaves_nothing_here(self):
        silent = f"sh -c 'exec sleep {self.mark}' x"

        def packing():
            return list((self.folder / "tmp").iterdir())

        for phase in ("packing", "sending"):
            with self.subTest(phase=phase):
                process = self.start("--transport", silent, "install-on", "--yes")
                wait_until(packing if phase == "packing" else lambda: sleepers(self.mark), phase)
                process.send_signal(signal.SIGINT)
                _, said = process.communicate()
                self.assertEqual(process.returncode, 1, said)
                self.assertIn("it was stopped", said)
                self.assertEqual(packing(), [])
        for one in sleepers(self.mark):
            os.kill(int(one), signal.SIGKILL)
        # Asked, and killed: nothing is there that could stay.
        there, here = pty.openpty()
        process = subprocess.Popen([LACUNA, "--transport", silent, "install-on"], stdin=here, stderr=subprocess.PIPE,
                                   env=self.env, cwd=self.folder)
        os.close(here)
        said = b""
        while b"[y/N]" not in said:
            said += os.read(process.stderr.fileno(), 4096)
        process.kill()
        process.wait()
        process.stderr.close()
        os.close(there)
        self.assertEqual(packing(), [])

    def test_what_killed_recordings_leave_goes_with_the_next(self):
        def folders():
            return {p.name for p in (self.folder / "run").glob("lacuna-*")}

        def record():
            before = folders()
            process = self.start("record", "-q", "-o", f"r{len(started)}.json", "--", "sleep", "20")
            started.append(process)
            wait_until(lambda: folders() - before, "its folder")
            wait_until(lambda: children_of(process.pid), "its program")
            return process, folders() - before

        started = []
        killed, left = record()
        living, stays = record()
        target = children_of(killed.pid)
        for pid in (killed.pid, *map(int, target)):
            os.kill(pid, signal.SIGKILL)
        killed.communicate()
        self.assertEqual(folders(), left | stays)
        second, new = record()
        self.assertEqual(folders(), left | stays | new)  # so young it may be that of a recorder that is about to listen
        for name in left:
            os.utime(self.folder / "run" / name, (time.time() - 120,) * 2)
        third, newest = record()
        self.assertEqual(folders(), stays | new | newest)
        for process in (living, second, third):
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=30)[1]
            self.assertNotIn("said nothing", said)  # nobody knocked
        self.assertEqual(folders(), set())

    def test_values_that_are_no_numbers(self):
        for words in (["request", "1", "--wait"], ["record", "--delay"], ["record", "--duration"],
                      ["record", "--step-every"], ["calls", "a.json", "--min-percent"]):
            for value in ("nan", "-nan", "inf"):
                with self.subTest(words=words, value=value):
                    self.assertIn(f"'{value}' is not a number", self.lacuna(*words, value, "--", "true", code=2))

    def test_words_of_attach(self):
        for word in ("0", "-1", "99999999999999"):
            self.assertIn(f"{word}: neither a process nor a recording", self.lacuna("attach", word))
            self.assertIn(f"{word}: there is no such process", self.lacuna("attach", word, "-o", "a.json"))
        early = self.start("record", "-q", "--dormant", "--", "sleep", "60")
        wait_until(lambda: b"sleep" in pathlib.Path(f"/proc/{early.pid}/cmdline").read_bytes()[:6], "the program")
        said = self.lacuna("attach", early.pid)
        self.assertIn("was started to be dormant, and is not: it has used neither NVTX, CUDA nor torch yet", said)
        early.kill()
        early.communicate()


    def test_an_output_that_is_no_file(self):
        """A pipe is written to as a device is, by whatever name it has; what is no file at all is said."""
        for name in ("/dev/stdout", "/proc/self/fd/1"):
            out = self.lacuna("record", "-q", "--no-states", "--no-metrics", "-o", name, "--", "true", code=0)
            self.assertIn('"traceEvents"', out)
        (self.folder / "dangling").symlink_to("/nowhere/x")
        self.assertIn("dangling: a link that leads nowhere", self.lacuna("record", "-o", "dangling", "--", "true"))

    def test_words_of_attach_there(self):
        """What needs no window does not ask for one."""
        self.assertIn("the line broke", self.lacuna("--transport", "false", "attach", "0", "-o", "a.json"))


@unittest.skipIf(why_no_sshd(), why_no_sshd())
class OnATerminal(unittest.TestCase):
    """ssh asks for the passphrase of a key, as it does for a password or whether a host is known."""

    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.close)
        subprocess.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "sesame", "-f", self.machine.folder / "user_key"],
                       check=True, stdout=subprocess.DEVNULL)

    def at_terminal(self, line, typed, seconds=30):
        """What a shell on a terminal of its own shows of a line, and whether the terminal shows what is typed afterwards."""
        environment = self.machine.environment()
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.machine.folder / "here")
            os.execvpe("bash", ["bash", "--norc", "-i", "-c", line + "; echo ended=$?; sleep 1"], environment)
        shown, end, is_typed, echoes = "", time.monotonic() + seconds, False, None
        while time.monotonic() < end and "ended=" not in shown:
            if not select.select([terminal], [], [], 0.2)[0]:
                continue
            try:
                shown += os.read(terminal, 4096).decode(errors="replace")
            except OSError:
                break
            if "passphrase for key" in shown and not is_typed:
                is_typed = True
                wait_until(lambda: not termios.tcgetattr(terminal)[3] & termios.ECHO, "a terminal that shows no keys")
                os.write(terminal, typed)
        if "ended=" in shown:
            echoes = bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
        return shown, echoes

    def test_a_passphrase(self):
        shown, _ = self.at_terminal(f"{LACUNA} --on box doctor", b"sesame\n")
        self.assertIn("box answers", shown)
        self.assertIn("ended=0", shown)

    def test_ctrl_c_where_it_is_asked(self):
        for line in (f"{LACUNA} --on box jobs", f"{LACUNA} --on box doctor"):
            shown, echoes = self.at_terminal(line, b"\x03")
            self.assertIn("box: cancelled", shown)
            self.assertIn("ended=1", shown)
            self.assertTrue(echoes, "the terminal is left without echo")

    def test_ctrl_c_goes_there(self):
        """Once the line is there it is passed on, and ends the command there, not the line."""
        line = f"{LACUNA} --on box record -o r.json -- sleep 60"
        environment = self.machine.environment()
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.machine.folder / "here")
            os.execvpe("bash", ["bash", "--norc", "-i", "-c", line + "; echo ended=$?; sleep 1"], environment)
        shown, end, typed = "", time.monotonic() + 60, set()
        while time.monotonic() < end and "ended=" not in shown:
            if not select.select([terminal], [], [], 0.2)[0]:
                continue
            shown += os.read(terminal, 4096).decode(errors="replace")
            for word, keys in (("passphrase for key", b"sesame\n"), ("recording", b"\x03")):
                if word in shown and word not in typed:
                    typed.add(word)
                    # What is typed before a passphrase is read is thrown away.
                    wait_until(lambda: word == "recording" or not termios.tcgetattr(terminal)[3] & termios.ECHO,
                               "a terminal that does not show it")
                    os.write(terminal, keys)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
        self.assertIn("ended=130", shown)  # the command's: killed by SIGINT
        self.assertIn("r.json", shown.split("recording", 1)[1])
        self.assertTrue((self.machine.home / "r.json").exists(), shown)

    def test_a_terminal_that_others_use(self):
        shown, _ = self.at_terminal(f"{LACUNA} --on box jobs & wait $!", b"")
        self.assertIn("box: it was stopped, as it asks for something on a terminal that is not ours now", shown)
        self.assertIn("ended=1", shown)


if __name__ == "__main__":
    unittest.main(verbosity=2)
