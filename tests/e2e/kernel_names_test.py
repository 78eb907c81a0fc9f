#!/usr/bin/env python3
"""What a kernel's name means stands in the details; GPU work is coloured by class, with a legend, until told otherwise."""

from window_driver import DEMO, check, run


def start_over(window):
    window.key("Escape", "Home")
    return window.settled()


def find(window, words):
    """Selects the first slice found and zooms in on it."""
    start_over(window)
    window.key("slash")
    window.settled()
    window.type(words)
    window.settled()
    window.key("Return")
    window.wait(lambda s: s["selection"]["kind"] == "slice", f"nothing found for {words}")
    window.key("Escape")
    state = window.settled()
    if state["selection"]["kind"] == "slice":
        window.key("f")
    return window.settled()


def a_kernel_says_what_it_is(window):
    state = find(window, "cunn_SoftMaxForward cat:kernel")
    check("SoftMax" in state["selection"].get("name", ""), f"selected {state['selection']}")
    check(state["detailsTitle"] == state["selection"]["name"], f"the details are about {state['detailsTitle']}")
    check(state["kernelSentence"].endswith("softmax in fp32, of PyTorch (ATen)."), state["kernelSentence"])
    window.key("Escape", "Escape")
    check(window.settled()["kernelSentence"] == "", "a sentence stays although nothing is selected")


def colours_by_class_have_a_legend(window):
    state = find(window, "cunn_SoftMaxForward cat:kernel")
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
