#!/usr/bin/env python3
"""Two traces of different days side by side: the open one stays where it was, and a pair of kernels is shown below each
other."""

import os

from window_driver import SHARED, SKIPPED, Window, check, run_apart

A = os.path.join(SHARED, "tracelens_h100_qwen1.5_0.5b.json.gz")
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
        offset = window.settled()["compare"]["offsetNs"]
        window.press("diff_structure")
        places = window.settled()["compare"]["places"]
        check(places > 2, "the structure is not shown")
        window.press("open Everything")
        window.wait(lambda s: s["compare"]["places"] == 1, "the place does not close")
        window.press("open Everything")
        window.wait(lambda s: s["compare"]["places"] == places, "the place does not open")
        window.press("place aten::mm")
        window.wait(lambda s: s["compare"]["offsetNs"] != offset, "the place is not shown below each other")
        check(window.close() == 0, "exit status")
    finally:
        window.kill()


if __name__ == "__main__":
    if not os.path.exists(A) or not os.path.exists(B):
        print("skipped: the traces are not here")
        raise SystemExit(SKIPPED)
    run_apart([traces_of_different_days])
