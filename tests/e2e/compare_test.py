#!/usr/bin/env python3
"""Two traces of different days side by side: the open one stays where it was, and a pair of kernels is shown below each
other; and both as one tree, whose places open and lead to slices of both."""

import os

from window_driver import SHARED, Window, check, run_apart

A = os.path.join(SHARED, "tracelens_h100_qwen1.5_0.5b.json.gz")
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures")
B = os.path.join(SHARED, "tracelens_b200_eager.json.gz")


def traces_of_different_days(display):
    window = Window(display, [A])
    try:
        window.loaded()
        before = window.settled()["view"]["camera"]
        window.key("ctrl+shift+o")
        window.wait(lambda s: s["fileBrowserOpen"], "no box for the other trace")
        window.settled()
        window.type(B)
        window.key("Return")
        window.wait(lambda s: s["compare"]["hasOther"] and s["compare"]["rows"] > 0, "nothing is compared")
        state = window.settled()
        check(state["view"]["camera"] == before, "the open trace moved away")
        offset = state["compare"]["offsetNs"]
        window.press("diff_kernels")
        window.settled()
        window.press("pair aten::mm")
        window.wait(lambda s: s["compare"]["selected"] and s["selection"]["kind"] == "slice"
                    and s["compare"]["offsetNs"] != offset, "the pair is not shown below each other")
        check(window.settled()["compare"]["locked"], "the timelines come apart")
        check(window.close() == 0, "exit status")
    finally:
        window.kill()


def eager_and_compiled_code_as_one_tree(display):
    window = Window(display, [os.path.join(FIXTURES, "structure_eager.json.gz")])
    try:
        window.loaded()
        window.key("ctrl+shift+o")
        window.wait(lambda s: s["fileBrowserOpen"], "no box for the other trace")
        window.settled()
        window.type(os.path.join(FIXTURES, "structure_compiled.json.gz"))
        window.key("Return")
        window.wait(lambda s: s["compare"]["hasOther"] and s["compare"]["rows"] > 0, "nothing is compared")
        window.press("diff_structure")
        window.wait(lambda s: "open Everything" in s["places"], "the structure is not shown")
        places = window.settled()["compare"]["places"]
        check(places > 10, "the places that differ most are not open")
        window.press("open Everything")
        window.wait(lambda s: s["compare"]["places"] == 1, "the place does not close")
        window.press("open Everything")
        window.wait(lambda s: s["compare"]["places"] == places, "the place does not open")
        offset = window.settled()["compare"]["offsetNs"]
        window.press("place aten::addmm")
        state = window.wait(lambda s: s["compare"]["offsetNs"] != offset, "the place is not shown below each other")
        check(state["selection"]["kind"] == "slice" and state["detailsTitle"] == "aten::addmm", "A's slice is not chosen")
        check(state["compare"]["selected"], "B's slice is not chosen")
        check(window.close() == 0, "exit status")
    finally:
        window.kill()


if __name__ == "__main__":
    tests = [eager_and_compiled_code_as_one_tree]
    if os.path.exists(A) and os.path.exists(B):
        tests.append(traces_of_different_days)
    else:
        print("skipped: the traces of different days are not here")
    run_apart(tests)
