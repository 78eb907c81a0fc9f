#!/usr/bin/env python3
"""Whatever can be pressed, pressed: each place that the window names, on each page and with each kind of thing chosen."""

from window_driver import DEMO, check, run, visible_ns

PAGES = ["ctrl+1", "ctrl+2", "ctrl+3", "ctrl+5", "ctrl+7", "ctrl+8", "ctrl+9", "ctrl+m"]
# Menus have a test of their own (bindings_test.py).
LEFT_ALONE = ("menu ",)
# They move the others.
LAST = ("drawer_", "report_dock", "details_splitter", "header_splitter")


def come_back(window):
    """Closes what is open, and shows the whole trace."""
    window.key("Escape", "Escape", "Escape")
    state = window.settled()
    if not state["drawerOpen"]:
        window.key("q")
    if state["drawerMaximised"]:
        window.key("alt+q")
    window.key("Home")
    window.move(5, 5)
    return window.settled()


def search(window, text):
    window.key("slash")
    window.wait(lambda s: s["omnibox"]["focused"], "the search is not ready")
    window.type(text)
    window.key("Return")
    state = window.settled()
    window.key("Tab")
    return state


def choose_nothing(window):
    pass


def choose_operator(window):
    """One that launched work, whose details list it."""
    search(window, "aten::linear cat:cpu_op")
    window.wait(lambda s: s["selection"]["kind"] == "slice" and s["sliceWork"]["count"] > 0, "no operator with work")


def choose_kernel(window):
    search(window, "gemm cat:kernel")
    window.wait(lambda s: s["selection"]["kind"] == "slice", "no kernel is chosen")


def choose_gap(window):
    window.key("n")
    window.wait(lambda s: s["selection"]["kind"] == "gap", "no gap is chosen")


def choose_range(window):
    state = window.state()
    tracks = state["view"]["tracks"]
    x, y = tracks["x"] + tracks["width"] * 0.3, tracks["y"] + tracks["height"] * 0.6
    window.drag(x, y, x + 200, y, modifier="alt")
    window.wait(lambda s: s["area"] is not None, "no range is chosen")


def choose_row(window):
    window.key("ctrl+1")
    window.press("first_row")
    window.wait(lambda s: s["occurrences"]["count"] > 0, "no row is chosen")


def press_new(window, page, choose, pressed):
    """Presses what was not pressed before. Whenever that moved, goes back to where all of it was to be seen."""
    seen = {}
    while True:
        now = window.state()["places"]
        left = sorted((name for name in seen if name not in pressed), key=lambda name: (name.startswith(LAST), name))
        if seen and not left:
            return
        name = left[0] if left else None
        if name is None or now.get(name) != seen[name]:
            come_back(window)
            window.key(page)
            choose(window)
            now = window.settled()["places"]
            if not seen:
                seen = {place: at for place, at in now.items() if not place.startswith(LEFT_ALONE)}
                continue
        pressed.add(name)  # also if it is not to be seen again
        if name not in now:
            continue
        window.click(*now[name])
        try:
            window.probe()
        except Exception:
            print(f"pressed last: {name}, on page {page}, after {choose.__name__}", flush=True)
            raise


def all_that_can_be_pressed_is_borne(window):
    pressed = set()
    for choose in (choose_operator, choose_kernel, choose_gap, choose_range, choose_row):
        press_new(window, "ctrl+1", choose, pressed)
    for page in PAGES:
        press_new(window, page, choose_nothing, pressed)
    for name in ("first_work", "stack_second", "row_next_place", "first_row", "flame"):
        check(name in pressed, f"{name} was never to be seen")
    print(f"{len(pressed)} places")
    check(visible_ns(come_back(window)) > 0, "the timeline is gone")


run([all_that_can_be_pressed_is_borne], [DEMO])
