#!/usr/bin/env python3
"""`lacuna web` shows recordings while they are made: one that another lacuna makes here (attach), a command on another
machine, one that runs there. The first window opens before a page is there; its state is what the program dumps."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from remote_support import LACUNA, Machine, why_no_sshd  # noqa: E402

from waiting import wait_until  # noqa: E402

SPINS = [sys.executable, "-c", "import time\nwhile True: time.sleep(0.001)"]


def check(condition, message):
    if not condition:
        sys.exit(f"failed: {message}")


@contextlib.contextmanager
def served(environment, *words):
    """A server of `lacuna web`. Gives what asks for the state of its window; {}: it has none yet."""
    with tempfile.TemporaryDirectory() as folder:
        state_file = pathlib.Path(folder, "state.json")
        with open(pathlib.Path(folder, "log"), "w+") as log, subprocess.Popen(
                [LACUNA, "web", *words], env={**environment, "LACUNA_TEST_STATE": str(state_file)}, stdout=subprocess.PIPE,
                stderr=log, text=True) as server:
            try:
                if not server.stdout.readline().startswith("http://"):
                    log.seek(0)
                    check(False, f"{words}: {log.read()}")

                def state():
                    with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
                        return json.loads(state_file.read_text())
                    return {}

                yield state
            finally:
                server.send_signal(signal.SIGTERM)
                server.wait(20)


def watched(state):
    """What is shown of the recording, once it grows."""
    first = wait_until(lambda: (now := state()).get("hasTrace") and now["live"]["running"] and now, "the recording")
    return wait_until(lambda: (now := state()).get("slices", 0) > first["slices"] and now, "what it records now")


def of_this_machine(folder):
    environment = dict(os.environ, XDG_RUNTIME_DIR=str(folder), XDG_STATE_HOME=str(folder), XDG_CONFIG_HOME=str(folder))
    with subprocess.Popen([LACUNA, "record", "-q", "-o", folder / "r.json", "--live", folder / "s", "--", *SPINS],
                          env=environment) as recorder:
        try:
            wait_until((folder / "s").exists, "the recording's socket")
            with served(environment, "attach", str(folder / "s")) as state:
                live = watched(state)["live"]
                check(not live["own"], "it is another's recording")
            check(recorder.poll() is None, "the recording goes on without the page")
        finally:
            recorder.send_signal(signal.SIGINT)
            recorder.wait(30)
    done = subprocess.run([LACUNA, "web", "attach", "no-such-name"], env=environment, capture_output=True, text=True)
    check(done.returncode != 0 and "no-such-name" in done.stderr, f"a recording that is not there: {done.stderr}")
    done = subprocess.run([LACUNA, "web", "attach", str(os.getpid())], env=environment, capture_output=True, text=True)
    check(done.returncode != 0 and "From outside" in done.stderr, f"a process that is not dormant: {done.stderr}")


def of_another_machine():
    machine = Machine()
    try:
        environment = machine.environment()
        with served(environment, "--on", "box", "--port", "8790", "live", "--keep-seconds", "60", "--", *SPINS) as state:
            live = watched(state)["live"]
            check(live["place"] == "box" and not live["own"], f"it is recorded there: {live}")
        check(list(machine.home.glob("*.json*")), "the trace lies there")
        done = machine.lacuna("web", "--no-fetch", "live", "--", *SPINS)
        check(done.returncode != 0 and "--no-fetch" in done.stderr, f"{done.stderr}")
    finally:
        machine.close()


def main():
    done = subprocess.run([LACUNA, "web", "--idle-exit", "1s"], capture_output=True, text=True)
    if "built without a window" in done.stderr:
        print("skipped: this lacuna has no window")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        of_this_machine(pathlib.Path(folder))
    if why_no_sshd():
        print(f"skipped: {why_no_sshd()}")
        return 77
    of_another_machine()
    print("recordings here and there are shown while they are made")
    return 0


if __name__ == "__main__":
    sys.exit(main())
