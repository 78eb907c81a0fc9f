#!/usr/bin/env python3
"""The first minute: the start page offers an example trace, a tour of five hints explains it, and never
comes back by itself. Then the Python frames go out of the way, on a real trace where there is one."""

import json
import os
import subprocess
import sys
import time

from window_driver import SHARED, Display, Failure, Window, check, skip_unless_possible

OWLV2 = os.path.join(SHARED, "tracelens_h100_owlv2_large.json.gz")


def the_tour(window):
    window.press("start_example")
    state = window.wait(lambda s: s["hasTrace"] and s["tour"] == 1, "no tour began", 30)
    check(state["selection"]["kind"] == "gap", f"the first hint is about no gap: {state['selection']}")
    window.press("tour_next")
    window.wait(lambda s: s["tour"] == 2, "Next leads nowhere")
    window.key("Return")
    gap = window.wait(lambda s: s["tour"] == 3, "Enter leads nowhere")["selection"]
    time.sleep(0.2)
    check(window.settled()["tour"] == 3, "the tour goes on by itself")
    window.key("n")  # what the hint asks for
    state = window.wait(lambda s: s["tour"] == 4 and s["page"] == "gaps", "N does not go on to the operators")
    check(state["selection"] != gap, "N went nowhere")
    window.press("tour_back")
    window.wait(lambda s: s["tour"] == 3, "Back leads nowhere")
    window.key("Return", "Return")
    window.wait(lambda s: s["tour"] == 5 and s["page"] == "report", "the last hint does not come")
    window.press("tour_next")
    window.wait(lambda s: s["tour"] == 0, "Done does not end it")


def never_again(window):
    window.key("ctrl+w")
    window.wait(lambda s: not s["hasTrace"], "the trace does not close")
    window.press("start_example")
    window.wait(lambda s: s["hasTrace"] and not s["loading"], "the example does not open again")
    check(window.settled()["tour"] == 0, "the tour came a second time")
    window.key("ctrl+shift+p")
    window.wait(lambda s: s["omnibox"]["focused"], "no palette")
    window.type("Example trace, with a tour")
    window.wait(lambda s: s["omnibox"]["chosen"].endswith("Example trace, with a tour"), "the palette does not find it")
    window.key("Return")
    window.wait(lambda s: s["tour"] == 1, "Help does not start the tour again")
    window.key("Escape")
    window.wait(lambda s: s["tour"] == 0, "Esc does not skip the tour")
    check(window.settled()["hasTrace"], "Esc did more than skip the tour")


def is_remembered(window):
    with open(window.settings_file) as file:
        check(json.load(file)["tourSeen"] is True, "the tour is not remembered")


def hides_python(window):
    """Shift+X on a frame hides them all, the rows close up, Ctrl+Z brings them back; then the menu's way,
    and the trace opened again still hides them."""
    before = window.loaded()
    check(before["hiddenSlices"]["count"] == 0, "something is hidden from the start")
    tracks = before["view"]["tracks"]
    frame = next(s for s in before["visibleSlices"]
                 if ".py(" in s["name"] and s["y1"] < tracks["y"] + tracks["height"])
    x, y = (max(frame["x0"], tracks["x"]) + 40, (frame["y0"] + frame["y1"]) / 2)
    window.click(x, y)
    window.wait(lambda s: s["selection"]["kind"] == "slice", "no frame selected")
    window.key("shift+x")
    state = window.wait(lambda s: s["hiddenSlices"]["count"] > 10_000, "Shift+X hides nothing")
    check(state["hiddenSlices"]["categories"] == ["python_function"], state["hiddenSlices"])
    check(state["contentHeight"] < before["contentHeight"] - 300, "the rows do not close up")
    names = [s["name"] for s in window.settled()["visibleSlices"]]
    check(not any(".py(" in n for n in names), f"frames are drawn still: {names}")
    check(any(n.startswith("aten::") or n.startswith("cuda") for n in names), f"no operators: {names}")
    window.key("ctrl+z")
    state = window.wait(lambda s: s["hiddenSlices"]["count"] == 0, "Ctrl+Z brings nothing back")
    check(state["contentHeight"] == before["contentHeight"], "the rows are not as before")
    window.click(x, y, button=3)
    window.press("menu hide_category")
    window.wait(lambda s: s["hiddenSlices"]["count"] > 10_000, "the menu hides nothing")
    window.key("ctrl+r")
    window.settled(30)
    window.wait(lambda s: s["hiddenSlices"]["count"] > 10_000, "reloading shows them again", 30)
    window.press("slices_hidden")
    window.press("shown_again python_function")
    window.wait(lambda s: s["hiddenSlices"]["count"] == 0, "the chip brings nothing back")


def keeps_the_gpu(window):
    """Scrolled far down, the GPU's stream is still there; the statistics begin with work, not with names of stretches or with frames that wait."""
    window.key("Escape", "Escape", "Page_Down")
    state = window.wait(lambda s: s["keptTracks"] == 1, "the GPU's stream went out of view")
    check(state["view"]["scrollY"] > 100, "nothing scrolled")
    check(state["drawnGaps"] + state["pinnedGaps"] > 0, "its gaps are not drawn")
    window.key("Page_Up", "Page_Up")
    window.wait(lambda s: s["keptTracks"] == 0 and s["view"]["scrollY"] == 0, "it stays twice")
    window.key("ctrl+1")
    first = window.wait(lambda s: s["page"] == "statistics", "no statistics")["statistics"]
    check("annotation" not in first["firstCategory"] and not first["firstName"].endswith("wait"),
          f"the statistics begin with {first}")


def run(tests, arguments):
    display = Display()
    window = None
    failed = False
    try:
        window = Window(display, arguments)
        for test in tests:
            began = time.monotonic()
            test(window)
            print(f"ok     {test.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
    except (Failure, KeyError, StopIteration, subprocess.TimeoutExpired) as error:
        print(f"FAILED {error!r}", flush=True)
        failed = True
    finally:
        if window is not None:
            window.kill()
        display.close()
    return failed


def main():
    skip_unless_possible()
    failed = run([the_tour, never_again, is_remembered], [])
    if os.path.exists(OWLV2):
        failed = run([hides_python, keeps_the_gpu], [OWLV2]) or failed
    else:
        print(f"skipped: hiding Python frames, no {OWLV2}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
