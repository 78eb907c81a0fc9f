#!/usr/bin/env python3
"""A job whose traces are not open, in the real window: a folder of digests fills the window with its job page; a click on
a straggler opens exactly the two ranks that prove it, on one clock; the job is compared with another; closing leaves
what was there before."""

import json
import os
import subprocess
import tempfile

from job_page_test import RANKS, STEP_US, span_of, trace
from window_driver import PROGRAM, Display, Failure, Window, check, skip_unless_possible, visible_ns


def make_job(folder, is_late=True):
    os.makedirs(os.path.join(folder, "digests"))
    for rank in range(RANKS):
        path = os.path.join(folder, f"rank{rank}.json")
        with open(path, "w") as file:
            json.dump(trace(rank, is_late), file)
        subprocess.run([PROGRAM, "digest", path, "-o", os.path.join(folder, "digests", f"rank{rank}.digest")], check=True)


def choose(window, path):
    window.wait(lambda s: s["fileBrowserOpen"], "no dialog")
    window.press("path")
    window.key("ctrl+a")
    window.type(path + "/")
    window.wait(lambda s: s["browser"]["folder"] == path, "the folder is not listed")
    window.key("ctrl+Return")
    window.wait(lambda s: not s["fileBrowserOpen"], "Ctrl+Enter does not take the folder")


def a_folder_of_digests_is_a_job(window, slow, well):
    window.wait(lambda s: s["job"]["ranks"] == RANKS, "the digests are no job")
    state = window.wait(lambda s: "job_map" in s["places"], "the window does not show the job")
    check(not state["hasTrace"], "a trace is open")
    check("clock_collectives" not in state["places"], "clocks of files that are not open")


def a_click_opens_the_ranks_that_prove_it(window, slow, well):
    window.press("first_straggler")
    state = window.wait(lambda s: s["hasTrace"] and not s["loading"] and s["selection"]["kind"] == "slice",
                        "the evidence is not shown")
    check(len(state["paths"]) == 2 and state["paths"][0] == os.path.join(slow, "rank3.json"), f"opened {state['paths']}")
    check(visible_ns(window.settled()) < 10 * STEP_US * 1000, "the evidence is not brought into view")
    check(state["selection"]["name"] == "gemm", f"{state['selection']['name']} is selected")
    check(state["clocks"] == 2, "the ranks do not lie on one clock")
    check(abs(span_of(state) - 3 * STEP_US * 1000) < 300_000, f"they lie {span_of(state)} ns apart in all")
    check(state["page"] == "job" and state["job"]["ranks"] == RANKS, "the job is gone")
    # Again: nothing is loaded, since both are open.
    window.key("F5")
    window.wait(lambda s: s["selection"]["kind"] != "slice" and s["job"]["ranks"] == RANKS and not s["loading"],
                "reloading forgets the job")
    paths = state["paths"]
    window.key("Escape", "Home")
    window.press("first_straggler")
    state = window.wait(lambda s: s["selection"]["kind"] == "slice", "a second click shows nothing")
    check(state["paths"] == paths, "other files were opened")


def it_is_compared_with_another(window, slow, well):
    window.press("compare_job")
    choose(window, os.path.join(well, "digests"))
    state = window.wait(lambda s: s["job"]["compared"] == RANKS and "job_comparison" in s["places"], "no comparison")
    check(state["job"]["ranks"] == RANKS, "the job itself is gone")
    window.press("job_shows_map")
    window.wait(lambda s: "job_map" in s["places"], "the map does not come back")
    window.press("job_shows_comparison")
    window.press("close_other_job")
    window.wait(lambda s: s["job"]["compared"] == -1, "B does not go")


def closing_leaves_the_traces(window, slow, well):
    window.press("close_job")
    state = window.wait(lambda s: s["job"]["files"] == [] and s["job"]["ranks"] == 2, "not the job of the open traces")
    check(state["hasTrace"], "the traces went, too")
    window.key("ctrl+w")
    window.wait(lambda s: not s["hasTrace"], "Ctrl+W does not close")


def a_job_of_traces_and_one_of_nothing(window, slow, well):
    window.key("ctrl+alt+o")
    choose(window, slow)
    window.wait(lambda s: s["job"]["ranks"] == RANKS and not s["hasTrace"], "traces are no job")
    window.key("ctrl+w")
    window.wait(lambda s: s["job"]["files"] == [], "Ctrl+W does not close the job")
    empty = os.path.join(slow, "empty")
    os.makedirs(empty)
    window.key("ctrl+alt+o")
    choose(window, empty)
    window.wait(lambda s: "no traces" in s["job"]["error"], "nothing is said of an empty folder")


def a_trace_that_went_is_named(window, slow, well):
    window.key("ctrl+alt+o")
    choose(window, os.path.join(slow, "digests"))
    window.wait(lambda s: s["job"]["ranks"] == RANKS, "no job")
    os.rename(os.path.join(slow, "rank3.json"), os.path.join(slow, "elsewhere.json"))
    window.press("first_straggler")
    state = window.wait(lambda s: s["error"] != "", "nothing is said")
    check("rank3.json" in state["error"], state["error"])
    window.key("Escape")


def main():
    skip_unless_possible()
    display = Display()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        slow, well = os.path.join(folder, "slow"), os.path.join(folder, "well")
        make_job(slow)
        make_job(well, is_late=False)
        window = Window(display, [os.path.join(slow, "digests")])
        for test in (a_folder_of_digests_is_a_job, a_click_opens_the_ranks_that_prove_it, it_is_compared_with_another,
                     closing_leaves_the_traces, a_job_of_traces_and_one_of_nothing, a_trace_that_went_is_named):
            try:
                test(window, slow, well)
                print(f"ok     {test.__name__}", flush=True)
            except (Failure, KeyError) as error:
                print(f"FAILED {test.__name__}: {error!r}", flush=True)
                failed += 1
                break
        window.kill() if failed else check(window.close() == 0, "exit status")
    display.close()
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
