#!/usr/bin/env python3
"""The report at the right, at full height: docked by its button, remembered by the next window, closed and opened
there, and put back below the timeline by the palette."""

import os

from window_driver import DEMO, HEIGHT, WIDTH, Window, check, run_apart


def tracks_px(state):
    return state["view"]["tracks"]["width"]


def docks_and_comes_back(display):
    windows = [Window(display, [DEMO])]
    try:
        window = windows[0]
        below = window.loaded()
        check(below["page"] == "report" and not below["reportRight"], "a new trace opens on a report elsewhere")
        window.press("report_dock")
        window.wait(lambda s: s["reportRight"] and s["reportOpen"] and s["page"] != "report",
                    "the report is not beside the pages")
        state = window.settled()
        check(tracks_px(below) - tracks_px(state) > 0.25 * WIDTH, "the timeline leaves no room for it")
        # Names of the statistics have room beside it: their column does not go.
        window.key("ctrl+1")
        there = window.wait(lambda s: s["places"].get("header Category") and s["places"].get("header Name"),
                            "no names in the statistics")["places"]
        check(there["header Category"][0] - there["header Name"][0] > 90, f"names are squeezed: {there['header Name']}")
        x, y = state["places"]["report_close"]
        check(x > 0.9 * WIDTH and y < 0.25 * HEIGHT, f"it does not reach up: {x}, {y}")

        # The drawer keeps the other pages, and neither closes the other.
        window.key("ctrl+2")
        window.wait(lambda s: s["page"] == "gaps" and s["reportOpen"], "the drawer shows no other page")

        # Rules are folded: unfolded, they take room above the steps.
        def fold_of_steps(s):
            return s["places"]["measured steps"][1]

        window.press("report_contents")
        window.press("section advice")
        window.settled()
        folded = fold_of_steps(window.settled())
        window.press("measured advice")
        window.wait(lambda s: fold_of_steps(s) > folded + 10, "the rules do not unfold")
        window.press("measured advice")
        window.wait(lambda s: fold_of_steps(s) == folded, "the rules do not fold")
        window.press("report_contents")
        window.press("section memory")
        window.key("Escape", "q")
        window.wait(lambda s: not s["drawerOpen"], "the drawer does not close")
        check(tracks_px(window.settled()) == tracks_px(state), "the report went with the drawer")
        window.press("report_close")
        window.wait(lambda s: tracks_px(s) == tracks_px(below), "the report does not close")
        window.key("ctrl+3")
        window.wait(lambda s: tracks_px(s) == tracks_px(state) and not s["drawerOpen"],
                    "the report does not open where it stands")

        x, y = window.state()["places"]["report_splitter"]
        window.drag(x, y, x - 100, y)
        window.wait(lambda s: tracks_px(s) < tracks_px(state) - 50, "its border does not move")
        state = window.settled()
        window.key("ctrl+q")
        window.process.wait(10)

        windows.append(Window(display, [DEMO], environment={
            "XDG_CONFIG_HOME": os.path.dirname(os.path.dirname(window.settings_file))}))
        window = windows[1]
        window.loaded()
        again = window.wait(lambda s: s["reportRight"] and "report_close" in s["places"], "it is forgotten")
        check(tracks_px(again) == tracks_px(state), "its width is forgotten")
        check(again["page"] != "report", "the report is shown twice")

        window.key("ctrl+shift+p")
        window.wait(lambda s: s["omnibox"]["focused"], "no palette")
        window.type("dock report")
        window.wait(lambda s: s["omnibox"]["chosen"].endswith("Report at the right, full height"),
                    "the palette does not find it")
        window.key("Return")
        window.wait(lambda s: not s["reportRight"] and s["page"] == "report" and tracks_px(s) == tracks_px(below),
                    "the report is not back below the timeline")
        check(window.close() == 0, "exit status")
    finally:
        for window in windows:
            window.kill()


def leaves_room_for_the_tabs(display):
    window = Window(display, [DEMO], width=500)
    try:
        places = window.loaded()["places"]
        check("report_dock" not in places and "drawer_close" in places, "the button lies over the tabs")
        check(window.close() == 0, "exit status")
    finally:
        window.kill()


if __name__ == "__main__":
    run_apart([docks_and_comes_back, leaves_room_for_the_tabs])
