#!/usr/bin/env python3
"""Tracks: filter, hide, pin, reorder, group, heights, remembered layout; the minimap."""

import glob
import os

from window_driver import DEMO, check, opened_twice, run, skip_unless_possible, visible_ns


def header(state, title, pinned=False, kind="track"):
    found = [h for h in state["tracks"]["headers"]
             if (h["title"] == title or h["title"].startswith(title + " \u00b7")) and h["pinned"] == pinned and h["kind"] == kind]
    check(found, f"no header {title!r} (pinned: {pinned})")
    return found[0]


def middle(h):
    return (h["y0"] + h["y1"]) / 2


def titles(state, pinned=False, kind="track"):
    return [h["title"] for h in state["tracks"]["headers"] if h["pinned"] == pinned and h["kind"] == kind]


def menu(window, y, item):
    window.click(60, y, button=3)
    window.press(item)
    return window.settled()


def start_over(window):
    window.key("Escape", "Home")
    return window.settled()


def gpu_tracks(state):
    """The titles of the first process, which is a GPU."""
    names = []
    for h in sorted(state["tracks"]["headers"], key=lambda h: h["y0"]):
        if h["pinned"]:
            continue
        if h["kind"] == "process" and names:
            break
        if h["kind"] == "track" and not h["pinned"]:
            names.append(h["title"])
    return names


def the_filter_shows_what_matches(window):
    state = start_over(window)
    name = gpu_tracks(state)[0]
    window.press("track_filter")
    window.type(name + "$")
    state = window.wait(lambda s: s["tracks"]["filtered"] > 0, "the filter left nothing out")
    state = window.settled()
    check(all(name.lower() in t.lower() for t in titles(state)), f"other tracks are shown: {titles(state)}")
    window.key("ctrl+a")
    window.type("(")
    state = window.wait(lambda s: s["tracks"]["filterError"] != "", "a bad expression says nothing")
    check(state["tracks"]["filtered"] == 0, "a bad expression hides tracks")
    window.key("ctrl+a", "BackSpace", "Escape")
    window.wait(lambda s: s["tracks"]["filter"] == "" and s["tracks"]["filterError"] == "",
                "the filter was not cleared")


def hidden_tracks_come_back(window):
    state = start_over(window)
    name = gpu_tracks(state)[0]
    count = len(titles(state))
    menu(window, middle(header(state, name)), "menu_hide")
    state = window.wait(lambda s: s["tracks"]["hidden"] == 1, "the track was not hidden")
    check(name not in gpu_tracks(state), "a hidden track is still shown")
    window.press("tracks_hidden")
    window.press("show_all_tracks")
    window.wait(lambda s: s["tracks"]["hidden"] == 0 and len(titles(s)) >= count,
                "the hidden track did not come back")
    window.key("Escape")


def pins_stay_on_top_and_move(window):
    state = start_over(window)
    first, second = gpu_tracks(state)[:2]
    menu(window, middle(header(state, first)), "menu_pin")
    state = window.wait(lambda s: s["tracks"]["pins"] == 1, "the track was not pinned")
    menu(window, middle(header(window.settled(), second)), "menu_pin")
    state = window.wait(lambda s: s["tracks"]["pins"] == 2, "the second track was not pinned")
    state = window.settled()
    check(titles(state, True)[0].startswith(first), f"pins: {titles(state, True)}")
    # Scrolling leaves them where they are.
    y = header(state, first, True)["y0"]
    window.wheel(state["view"]["tracks"]["x"] + 300, state["view"]["tracks"]["y"] + 100, -3)
    check(header(window.settled(), first, True)["y0"] == y, "a pinned track scrolled away")
    window.key("Home")
    state = window.settled()
    # The first below the second.
    window.drag(60, middle(header(state, first, True)), 60, header(state, second, True)["y1"] - 2)
    state = window.wait(lambda s: titles(s, True) and titles(s, True)[0].startswith(second),
                        "dragging did not move the pin")
    menu(window, middle(header(window.settled(), first, True)), "menu_pin")
    menu(window, middle(header(window.settled(), second, True)), "menu_pin")
    window.wait(lambda s: s["tracks"]["pins"] == 0, "the tracks were not unpinned")


def tracks_are_dragged_into_order(window):
    window.wheel(600, 300, 20)
    state = start_over(window)
    before = gpu_tracks(state)
    window.drag(60, middle(header(state, before[1])), 60, header(state, before[0])["y0"] + 2)
    state = window.wait(lambda s: gpu_tracks(s)[:2] == [before[1], before[0]],
                        "dragging a title did not move the track")
    menu(window, middle(header(window.settled(), before[0])), "order_reset")
    window.wait(lambda s: gpu_tracks(s) == before, "the order of the trace did not come back")


def grouping_and_heights(window):
    state = start_over(window)
    window.press("track_grouping")
    window.press("group_device")
    state = window.wait(lambda s: titles(s, kind="group"), "no group has a band")
    check(titles(state, kind="group")[0].startswith("GPU"), f"groups: {titles(state, kind='group')}")
    window.key("Escape")
    window.press("track_grouping")
    window.press("group_process")
    state = window.wait(lambda s: not titles(s, kind="group"), "the groups did not go")
    window.key("Escape")
    state = window.settled()


def the_minimap_goes_there(window):
    state = start_over(window)
    tracks = state["view"]["tracks"]
    window.move(tracks["x"] + tracks["width"] * 0.5, tracks["y"] + 50)
    window.wheel(tracks["x"] + tracks["width"] * 0.5, tracks["y"] + 50, 12, "ctrl")
    state = window.settled()
    width = visible_ns(state)
    check(width < (state["span"]["endNs"] - state["span"]["beginNs"]) / 2, "not zoomed in")
    y = state["places"]["minimap"][1]
    whole = state["span"]["endNs"] - state["span"]["beginNs"]

    def middle_of(s):
        camera = s["view"]["camera"]
        return ((camera["beginNs"] + camera["endNs"]) / 2 - s["span"]["beginNs"]) / whole

    window.click(tracks["x"] + tracks["width"] * 0.8, y)
    state = window.settled()
    check(abs(middle_of(state) - 0.8) < 0.02, f"a click led to {middle_of(state):.2f} of the trace")
    check(abs(visible_ns(state) / width - 1) < 0.01, "a click on the minimap zoomed")
    window.drag(tracks["x"] + tracks["width"] * 0.8, y, tracks["x"] + tracks["width"] * 0.4, y)
    state = window.settled()
    check(abs(middle_of(state) - 0.4) < 0.02, f"dragging led to {middle_of(state):.2f} of the trace")
    window.wheel(tracks["x"] + tracks["width"] * 0.4, y, -3)
    check(visible_ns(window.settled()) > width * 1.3, "the wheel over the minimap did not zoom out")


def the_gpu_title_follows_the_view(window):
    state = start_over(window)
    gpu = [h for h in state["tracks"]["headers"] if h["kind"] == "process"][0]
    check("busy" in gpu["detail"], f"the title of the GPU says {gpu['detail']!r}")
    tracks = state["view"]["tracks"]
    window.wheel(tracks["x"] + tracks["width"] * 0.3, tracks["y"] + 50, 8, "ctrl")
    state = window.settled()
    now = [h for h in state["tracks"]["headers"] if h["kind"] == "process"][0]
    check(now["detail"] != gpu["detail"], "zooming did not change how busy the GPU is in view")


def arrange(window):
    names = gpu_tracks(window.state())
    menu(window, middle(header(window.state(), names[0])), "menu_pin")
    menu(window, middle(header(window.settled(), names[1])), "menu_hide")
    window.wait(lambda s: s["tracks"]["pins"] == 1 and s["tracks"]["hidden"] == 1, "not arranged")
    return names


def the_layout_is_remembered(window, names):
    files = glob.glob(os.path.join(window.environment["XDG_STATE_HOME"], "lacuna", "traces", "*.json"))
    check(len(files) == 1, f"side-cars: {files}")
    check(os.stat(files[0]).st_mode & 0o777 == 0o600, "the side-car is readable by others")
    state = window.wait(lambda s: s["tracks"]["pins"] == 1 and s["tracks"]["hidden"] == 1,
                        "the layout was not remembered")
    check(titles(state, True)[0].startswith(names[0]), "another track is pinned")
    check(names[1] not in gpu_tracks(state), "another track is hidden")


if __name__ == "__main__":
    skip_unless_possible()
    opened_twice(arrange, the_layout_is_remembered)
    print("ok     the_layout_is_remembered", flush=True)
    run([the_filter_shows_what_matches, hidden_tracks_come_back, pins_stay_on_top_and_move,
         tracks_are_dragged_into_order, grouping_and_heights, the_minimap_goes_there,
         the_gpu_title_follows_the_view], [DEMO])
