#!/usr/bin/env python3
"""What a kernel's name means stands in the details; GPU work is coloured by class, with a legend, until told otherwise."""

from window_driver import DEMO, check, run


def start_over(window):
    window.key("Escape", "Home")
    return window.settled()


def first_kernel(window):
    """A kernel on the screen that is wide enough to be clicked."""
    state = start_over(window)
    tracks = state["view"]["tracks"]
    for _ in range(14):
        for s in state["visibleSlices"]:
            if s["activity"] and s["x1"] - s["x0"] >= 20 and "Mem" not in s["name"] and s["y1"] < tracks["y"] + tracks["height"]:
                return s
        window.wheel(tracks["x"] + tracks["width"] / 2, tracks["y"] + 60, 3, "ctrl")
        state = window.settled()
    check(False, "no kernel came into view")


def a_kernel_says_what_it_is(window):
    kernel = first_kernel(window)
    window.click((kernel["x0"] + kernel["x1"]) / 2, (kernel["y0"] + kernel["y1"]) / 2)
    state = window.wait(lambda s: s["selection"]["kind"] == "slice", "the click selected nothing")
    check(state["selection"]["name"] == kernel["name"], "another slice was selected")
    state = window.settled()
    check(state["detailsTitle"] == kernel["name"], f"the details are about {state['detailsTitle']}")
    check(state["kernelSentence"].endswith("."), f"nothing is said of {kernel['name']}: {state['kernelSentence']!r}")
    window.key("Escape")
    check(window.settled()["kernelSentence"] == "", "a sentence stays although nothing is selected")


def colours_by_class_have_a_legend(window):
    state = start_over(window)
    check(not state["colourByClass"] and state["legendClasses"] == 0, "a legend without colours by class")
    before = {s["name"]: s["fill"] for s in state["visibleSlices"] if s["activity"]}
    others = {s["name"]: s["fill"] for s in state["visibleSlices"] if not s["activity"]}
    window.key("shift+k")
    state = window.wait(lambda s: s["colourByClass"] and s["legendClasses"] > 0, "no legend")
    after = {s["name"]: s["fill"] for s in state["visibleSlices"] if s["activity"]}
    check(before != after, "no slice changed its colour")
    check(len(set(after.values())) <= state["legendClasses"], "there are more colours than classes in the legend")
    check(others == {s["name"]: s["fill"] for s in state["visibleSlices"] if not s["activity"]},
          "slices of the CPU changed their colours")
    window.key("shift+k")
    state = window.wait(lambda s: not s["colourByClass"], "the key does not lead back")
    check(before == {s["name"]: s["fill"] for s in state["visibleSlices"] if s["activity"]}, "the colours did not come back")


if __name__ == "__main__":
    run([a_kernel_says_what_it_is, colours_by_class_have_a_legend], [DEMO])
