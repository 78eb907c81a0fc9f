#!/usr/bin/env python3
"""The line above the timeline follows the range, the steps and Escape; of several GPUs it names the worst one, and a
click on another's bar goes there."""

import os

from window_driver import DEMO, SHARED, Window, check, run_apart


def follows_the_range(display):
    window = Window(display, [DEMO])
    try:
        window.loaded()
        whole = window.wait(lambda s: s["headlineText"].startswith("GPU 0 is "), "no headline")["headlineText"]
        # Steps, one after the other.
        window.key("greater")
        first = window.wait(lambda s: s["headlineText"].startswith("Step "), "it is not about the step")["headlineText"]
        window.key("greater")
        window.wait(lambda s: s["headlineText"].startswith("Step ") and s["headlineText"][:7] != first[:7],
                    "it does not follow the step")
        # A range that is dragged on the ruler.
        tracks = window.settled()["view"]["tracks"]
        y = tracks["y"] - 10
        window.drag(tracks["x"] + 100, y, tracks["x"] + 300, y)
        area = window.wait(lambda s: s["headlineText"].startswith("Range of "), "it is not about the range")
        check(area["area"] is not None, "there is no range")
        window.key("Escape")
        window.wait(lambda s: s["headlineText"] == whole, "it does not come back to the measured time")
        check(window.close() == 0, "exit status")
    finally:
        window.kill()


def names_the_worst_gpu(display):
    traces = os.path.join(SHARED, "param_v100_dlrm_8rank")
    if not os.path.isdir(traces):
        print("skipped: no traces of several ranks")
        return
    window = Window(display, [traces])
    try:
        window.loaded()
        worst = window.wait(lambda s: "the most of 8 GPUs" in s["headlineText"], "the worst one is not named", 60)
        window.settled()
        window.press("headline_gpu_1")
        window.wait(lambda s: s["headlineText"].startswith("rank 1 "), "it is not about the GPU that was clicked")
        check(not worst["headlineText"].startswith("rank 1 "), "the test clicks another one")
        check(window.close() == 0, "exit status")
    finally:
        window.kill()


if __name__ == "__main__":
    run_apart([follows_the_range, names_the_worst_gpu])
