#!/usr/bin/env python3
"""A running job on the start page and in its dialog: a trace of it is taken and opened; one that cannot be had is told
of. The job is a stand-in that speaks Kineto's protocol (tests/capture/kineto_peer.py)."""

import os
import shutil
import subprocess
import sys
import tempfile

import window_driver as driver
from window_driver import ROOT, Display, Failure, Window, check, skip_unless_possible

PEER = os.path.join(ROOT, "tests", "capture", "kineto_peer.py")


def start_job(environment, *arguments):
    job = subprocess.Popen([sys.executable, "-B", PEER, "--seconds", "200", *arguments], stdout=subprocess.PIPE, text=True,
                           env=dict(environment, KINETO_USE_DAEMON="1"))
    check(job.stdout.readline() == "ready\n", "the stand-in does not start")
    return job


def taken_and_opened(window, job):
    window.wait(lambda s: s["live"]["jobs"] == [job.pid], "the start page does not show the job")
    window.press("start_jobs")
    window.wait(lambda s: s["live"]["jobsDialog"], "no dialog")
    window.press("jobs_take")
    window.wait(lambda s: s["live"]["takingTraces"], "nothing is taken")
    state = window.wait(lambda s: s["hasTrace"] and not s["loading"], "no trace came", 40)
    check(not state["live"]["jobsDialog"], "the dialog stays before the trace")
    folders = [f for f in os.listdir(window.folder) if f.startswith("lacuna-")]
    check(len(folders) == 1, f"one folder: {folders}")
    check(os.listdir(os.path.join(window.folder, folders[0])) == [f"pid{job.pid}.json"], "not the trace's name")


def told_of(window, busy):
    """By keys alone: one job answers, the other is busy; it is told of, and what came can be opened."""
    window.key("ctrl+w")
    window.wait(lambda s: not s["hasTrace"], "the trace does not close")
    window.key("ctrl+j")
    window.wait(lambda s: s["live"]["jobsDialog"] and busy.pid in s["live"]["jobs"], "no dialog", 20)
    window.key("Return")
    window.wait(lambda s: s["live"]["takingTraces"], "Enter takes nothing")
    window.key("Escape")
    window.wait(lambda s: not s["live"]["jobsDialog"], "Esc does not close it")
    state = window.wait(lambda s: s["live"]["jobsDialog"] and not s["live"]["takingTraces"],
                        "it does not come back with what is wrong", 60)
    check(not state["hasTrace"], "a part is opened without a word")
    window.press("jobs_open")
    window.wait(lambda s: s["hasTrace"] and not s["live"]["jobsDialog"], "what came does not open")


def main():
    skip_unless_possible()
    folder = tempfile.mkdtemp(prefix="lacuna_jobs_")
    environment = dict(os.environ, KINETO_IPC_SOCKET_DIR=os.path.join(folder, "s"),
                       KINETO_ONDEMAND_TRACE_DIR=os.path.join(folder, "t"))
    for name in ("s", "t"):
        os.mkdir(os.path.join(folder, name))
    display, jobs, window = Display(), [], None
    try:
        jobs.append(start_job(environment))
        window = Window(display, environment={k: environment[k] for k in ("KINETO_IPC_SOCKET_DIR",)})
        taken_and_opened(window, jobs[0])
        jobs.append(start_job(environment, "--how=busy"))
        told_of(window, jobs[1])
    except Failure as failure:
        print("failed:", failure)
        return 1
    finally:
        if window:
            window.close()
        for job in jobs:
            job.kill()
            job.wait()
        display.close()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
