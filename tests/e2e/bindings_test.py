#!/usr/bin/env python3
"""Every key of every command, pressed in the real window. The list is the program's own
(`lacuna --list-keys`): a command without a case here fails the test, and so does a case whose key
does not do what it should. Commands without a key are run from the palette."""

import os
import re
import subprocess
import sys
import tempfile
import time

from window_driver import (DEMO, PROGRAM, Display, Failure, Window, check, run_from_palette,
                           skip_unless_possible, time_at, visible_ns)

KEYS = {"?": "question", "/": "slash", "[": "bracketleft", "]": "bracketright", ".": "period",
        ",": "comma", "+": "plus", "-": "minus", "=": "equal", ">": "greater", "<": "less",
        ":": "colon", ";": "semicolon", "Esc": "Escape", "Enter": "Return", "PageUp": "Page_Up",
        "PageDown": "Page_Down", "Backspace": "BackSpace", "Space": "space"}


def xdotool_name(key):
    """"Ctrl+Shift+P" as xdotool writes it."""
    modifiers = []
    while (match := re.match(r"(Ctrl|Shift|Alt)\+(?=.)", key)):
        modifiers.append(match.group(1).lower())
        key = key[match.end():]
    name = KEYS.get(key, key.lower() if len(key) == 1 else key)
    return "+".join(modifiers + [name])


def list_commands():
    """{id: (keys, name)} as the program lists them."""
    with tempfile.TemporaryDirectory() as folder:
        listed = subprocess.run([PROGRAM, "--list-keys"], capture_output=True, text=True, check=True,
                                env=dict(os.environ, XDG_CONFIG_HOME=folder)).stdout
    commands = {}
    for line in listed.splitlines():
        identifier, keys, name = re.split(r"\s{2,}", line, maxsplit=2)
        commands[identifier] = ([] if keys == "none" else keys.split(" or "), name)
    return commands


# What has to be so before the key is pressed. Each gives the state.

def nothing(window):
    window.key("Escape", "Escape")
    return window.settled()


def whole_view(window):
    """Nothing selected, the steps in view, scrolled to the top."""
    window.key("Escape", "Escape", "Home")
    state = window.settled()
    if abs(visible_ns(state) / (state["home"]["endNs"] - state["home"]["beginNs"]) - 1) > 0.1:
        window.key("Home")
        state = window.settled()
    while state["view"]["scrollY"] > 0:
        window.key("Page_Up", "Page_Up")
        state = window.settled()
    return state


def zoomed(window):
    window.key("Escape", "Escape")
    zoom_to(window, 20_000_000)
    return window.settled()


def zoom_to(window, span_ns):
    """At most so much time in view."""
    state = window.settled()
    for _ in range(40):
        if visible_ns(state) <= span_ns:
            return
        window.key("plus", "plus")
        state = window.settled()
    raise Failure("+ does not zoom in")


def a_slice(window, name=None, activity=None, least=12):
    """A slice selected, by a click."""
    state = whole_view(window)
    tracks = state["view"]["tracks"]
    for _ in range(10):
        for s in state["visibleSlices"]:
            if (s["y0"] >= tracks["y"] and s["y1"] <= tracks["y"] + tracks["height"]
                    and s["x1"] - s["x0"] >= least and (activity is None or s["activity"] == activity)
                    and (name is None or re.search(name, s["name"]))):
                window.click((max(s["x0"], tracks["x"]) + min(s["x1"], tracks["x"] + tracks["width"])) / 2,
                             (s["y0"] + s["y1"]) / 2)
                return window.wait(lambda now: now["selection"]["kind"] == "slice",
                                   "a click selected no slice")
        window.wheel(tracks["x"] + tracks["width"] * 0.8, tracks["y"] + 60, 3, "ctrl")
        state = window.settled()
    raise Failure(f"no slice {name or ''} to select")


def a_kernel(window):
    """Not the last of its stream."""
    a_slice(window, activity=True)
    window.key("comma", "comma")
    return window.settled()


def a_launch(window):
    a_kernel(window)
    window.key("bracketleft")
    return window.settled()


def an_inner_slice(window):
    state = a_launch(window)
    check(state["selection"]["kind"] == "slice", "no launch")
    return state


def an_outer_slice(window):
    a_launch(window)
    window.key("Up")
    return window.settled()


def a_gap(window):
    whole_view(window)
    window.key("n", "n")
    state = window.settled()
    check(state["selection"]["kind"] == "gap", "N selected no gap")
    return state


def a_highlight(window):
    nothing(window)
    window.key("ctrl+1")
    window.press("first_row")
    window.move(5, 5)
    return window.wait(lambda s: s["occurrences"]["count"] > 1, "nothing is highlighted")


def a_step(window):
    whole_view(window)
    window.key("greater", "greater", "greater")
    state = window.settled()
    check(state["area"], "> selected no step")
    return state


def gaps_page(window):
    nothing(window)
    window.key("ctrl+2")
    return window.wait(lambda s: s["page"] == "gaps", "Ctrl+2 shows no gaps")


def statistics_page(window):
    nothing(window)
    window.key("ctrl+1")
    return window.wait(lambda s: s["page"] == "statistics", "Ctrl+1 shows no statistics")


def a_zoomed_flame(window):
    window.key("Escape", "ctrl+8")
    window.wait(lambda s: s["page"] == "calls" and s["calls"]["nodes"] > 3 and s["places"].get("flame"),
                "Ctrl+8 shows no flame graph")
    before = window.settled()["calls"]["zoomed"]
    window.click(*window.state()["places"]["flame"], repeat=2)
    return window.wait(lambda s: s["calls"]["zoomed"] != before, "a double click on a frame does not zoom")


def scrolled_down(window):
    whole_view(window)
    window.key("Page_Down")
    return window.settled()


def a_comparison(window):
    state = nothing(window)
    if not state["compare"]["hasOther"]:
        window.key("ctrl+shift+o")
        window.wait(lambda s: s["fileBrowserOpen"], "no dialog")
        window.press("path")
        window.key("ctrl+a")
        window.type(DEMO)
        window.key("Return")
        window.wait(lambda s: s["compare"]["hasOther"] and not s["compare"]["loading"],
                    "the second trace did not load", 30)
    return window.settled()


def a_marker(window):
    a_slice(window)
    window.key("shift+m")
    window.probe()
    window.key("Return")  # out of its note
    window.probe()
    return window.wait(lambda s: s["markers"] and s["chosenMarker"], "Shift+M added no marker")


def drop_markers(window):
    """And back to the start."""
    while window.state()["markers"]:
        window.press(f"delete {window.state()['markers'][0]['number']}")
        window.settled()
    window.key("Escape", "ctrl+1")


def one_timeline(window):
    """No split: room for the tracks."""
    if window.settled()["compare"]["split"]:
        window.key("ctrl+shift+s")


def a_hidden_track(window):
    state = whole_view(window)
    track = min((h for h in state["tracks"]["headers"] if h["kind"] == "track"), key=lambda h: h["y0"])
    window.click(60, (track["y0"] + track["y1"]) / 2, button=3)
    window.press("menu_hide")
    return window.wait(lambda s: s["tracks"]["hidden"] == 1, "no track was hidden")


def hidden_slices(window):
    a_slice(window)
    window.key("x")
    return window.wait(lambda s: s["hiddenSlices"]["count"] > 0, "X hid nothing")


def show_slices(window):
    run_from_palette(window, "Show all hidden slices")
    window.wait(lambda s: s["hiddenSlices"]["count"] == 0, "hidden slices did not come back")


# What the key has done: a function of the states before and after.

def moved(before, after):
    return before["view"]["camera"] != after["view"]["camera"]


def begin(state):
    return state["view"]["camera"]["beginNs"]


def toggles(key):
    return lambda before, after: before[key] != after[key]


def selected_otherwise(before, after):
    return after["selection"]["kind"] != "none" and after["selection"] != before["selection"]


def later(before, after):
    return (selected_otherwise(before, after)
            and after["selection"]["beginNs"] >= before["selection"]["beginNs"])


def earlier(before, after):
    return (selected_otherwise(before, after)
            and after["selection"]["beginNs"] <= before["selection"]["beginNs"])


def shows(page, **also):
    return lambda before, after: (after["page"] == page and after["drawerOpen"]
                                  and all(after[k] == v for k, v in also.items()))


def hides(what):
    return lambda before, after: (after["hiddenSlices"]["count"] > 0
                                  and len(after["hiddenSlices"][what]) == 1)


def close_box(window):
    window.key("Escape")
    window.wait(lambda s: not s["omnibox"]["focused"] and not s["fileBrowserOpen"]
                and not s["shortcutsOpen"] and not s["filterFocused"], "Esc closed nothing")


class Case:
    """`prepare(window)` gives the state before; `effect(before, after)` says whether it worked;
    `restore(window)` puts back what later cases need."""

    def __init__(self, prepare, effect, restore=None, hold=False):
        self.prepare, self.effect, self.restore, self.hold = prepare, effect, restore, hold


def again(key):
    return lambda window: window.key(key)


CASES = {
    "open": Case(nothing, lambda b, a: a["fileBrowserOpen"], close_box),
    "open_job": Case(nothing, lambda b, a: a["fileBrowserOpen"] and "job" in a["browser"]["title"], close_box),
    "compare": Case(nothing, lambda b, a: a["fileBrowserOpen"], close_box),
    "reload": Case(a_slice, lambda b, a: a["hasTrace"] and not a["loading"]
                   and a["selection"]["kind"] == "none"),
    "copy_name": Case(a_slice, lambda b, a: a["copied"] == a["selection"]["name"]),
    "copy_row": Case(a_slice, lambda b, a: f"Name: {a['selection']['name']}\n" in a["copied"]
                     and "Duration: " in a["copied"]),
    "copy_args": Case(a_kernel, lambda b, a: "stream: " in a["copied"] and "{" not in a["copied"]),
    "copy_args_json": Case(a_kernel, lambda b, a: '"stream": ' in a["copied"]
                           and '"ph"' not in a["copied"]),
    "copy_json": Case(a_slice, lambda b, a: '"name"' in a["copied"]
                      and a["selection"]["name"] in a["copied"]),
    "select_all": Case(whole_view, lambda b, a: a["area"] == a["view"]["camera"]),
    "selection_to_range": Case(a_slice, lambda b, a: a["area"] and a["area"]["beginNs"]
                               == a["selection"]["beginNs"]),
    "deselect": Case(a_slice, lambda b, a: a["selection"]["kind"] == "none"),
    "filter": Case(nothing, lambda b, a: a["filterFocused"], close_box),
    "zoom_in_key": Case(whole_view, lambda b, a: visible_ns(a) < visible_ns(b), hold=True),
    "zoom_out_key": Case(zoomed, lambda b, a: visible_ns(a) > visible_ns(b), hold=True),
    "pan_left_key": Case(zoomed, lambda b, a: begin(a) < begin(b), hold=True),
    "pan_right_key": Case(zoomed, lambda b, a: begin(a) > begin(b), hold=True),
    "focus": Case(a_slice, moved),
    "fit": Case(zoomed, lambda b, a: visible_ns(a) > visible_ns(b) * 2),
    "zoom_in": Case(whole_view, lambda b, a: visible_ns(a) < visible_ns(b)),
    "zoom_out": Case(zoomed, lambda b, a: visible_ns(a) > visible_ns(b)),
    "page_down": Case(whole_view, lambda b, a: a["view"]["scrollY"] > b["view"]["scrollY"]),
    "page_up": Case(scrolled_down, lambda b, a: a["view"]["scrollY"] < b["view"]["scrollY"]),
    "gaps_shown": Case(nothing, lambda b, a: a["view"]["gapsShown"] != b["view"]["gapsShown"],
                       again("g")),
    "queue_depth": Case(nothing, toggles("queues"), again("shift+q")),
    "allocations": Case(nothing, toggles("drawsAllocations"), again("ctrl+shift+m")),
    "all_flows": Case(zoomed, lambda b, a: a["view"]["allFlows"] != b["view"]["allFlows"],
                      again("shift+f")),
    "gpu_first": Case(nothing, toggles("gpuFirst"),
                      lambda w: run_from_palette(w, "GPUs above CPU processes")),
    "squeeze_frames": Case(nothing, toggles("squeezeFrames"),
                           lambda w: run_from_palette(w, "Outer Python frames in one row")),
    "gpu_stays": Case(nothing, toggles("gpuStays"),
                      lambda w: run_from_palette(w, "GPU streams stay in view while tracks scroll")),
    "colour_by_class": Case(nothing, toggles("colourByClass"), again("shift+k")),
    "headline": Case(nothing, toggles("headline"), again("shift+h")),
    "hide_name": Case(a_slice, hides("names"), show_slices),
    "hide_category": Case(a_slice, hides("categories"), show_slices),
    "undo_hiding": Case(hidden_slices, lambda b, a: a["hiddenSlices"]["count"] == 0),
    "show_hidden_slices": Case(hidden_slices, lambda b, a: a["hiddenSlices"]["count"] == 0),
    "collapse_all": Case(nothing, lambda b, a: a["view"]["contentHeight"]
                         != b["view"]["contentHeight"], again("shift+e")),
    "drawer": Case(nothing, toggles("drawerOpen"), again("q")),
    "maximise_drawer": Case(nothing, toggles("drawerMaximised"), again("alt+q")),
    "page_statistics": Case(gaps_page, shows("statistics")),
    "torch_table": Case(statistics_page, toggles("torchTable"), again("t")),
    "page_gaps": Case(statistics_page, shows("gaps")),
    "gap_list": Case(statistics_page, shows("gaps", gapsView="list")),
    "gap_causes": Case(statistics_page, shows("gaps", gapsView="causes")),
    "gap_operators": Case(statistics_page, shows("gaps", gapsView="operators")),
    "dead_windows": Case(statistics_page, shows("gaps", gapsView="dead")),
    "idle_figures": Case(statistics_page, lambda b, a: a["idleOpen"], again("Escape")),
    "page_report": Case(statistics_page, shows("report")),
    "report_right": Case(statistics_page, lambda b, a: a["reportRight"] and a["reportOpen"],
                         lambda w: run_from_palette(w, "Report at the right, full height")),
    "page_job": Case(statistics_page, shows("job"), again("ctrl+1")),
    "page_query": Case(statistics_page, lambda b, a: a["page"] == "query" and a["sql"]["editing"],
                       lambda window: window.key("Escape", "ctrl+1")),
    "page_memory": Case(statistics_page, shows("memory"), again("ctrl+1")),
    "page_calls": Case(statistics_page, shows("calls"), again("ctrl+1")),
    "critical_path": Case(statistics_page, lambda b, a: a["path"]["drawn"] and a["page"] == "path"
                          and a["path"]["bars"] > 0, lambda w: w.key("shift+c", "ctrl+1")),
    "page_path": Case(statistics_page, shows("path"), again("ctrl+1")),
    "what_if_selection": Case(a_slice, lambda b, a: a["page"] == "what-if" and len(a["whatIf"]["changes"]) == 1,
                              again("ctrl+1")),
    "page_what_if": Case(statistics_page, shows("what-if"), again("ctrl+1")),
    "page_roofline": Case(statistics_page, shows("roofline"), again("ctrl+1")),
    "calls_zoom_out": Case(a_zoomed_flame, lambda b, a: a["calls"]["zoomed"] != b["calls"]["zoomed"], again("ctrl+1")),
    "page_compare": Case(statistics_page, shows("compare")),
    "split": Case(a_comparison, lambda b, a: a["compare"]["split"] != b["compare"]["split"],
                  one_timeline),
    "page_import": Case(statistics_page, shows("import"), again("ctrl+1")),
    "export_range": Case(nothing, lambda b, a: a["exportOpen"], again("Escape")),
    "save_picture": Case(nothing, lambda b, a: a["exportOpen"], again("Escape")),
    "share": Case(nothing, lambda b, a: a["exportOpen"], again("Escape")),
    "import_notes": Case(nothing, lambda b, a: a["fileBrowserOpen"] and a["browser"]["title"] == "Import notes", again("Escape")),
    "export_notes": Case(a_marker, lambda b, a: a["exportOpen"], lambda w: (w.key("Escape"), drop_markers(w))),
    "hide_short_gaps": Case(whole_view, lambda b, a: a["hidesShortGaps"] != b["hidesShortGaps"]
                            and a["drawnGaps"] < b["drawnGaps"], again("shift+g")),
    "fold_time": Case(nothing, lambda b, a: a["foldsTime"] != b["foldsTime"], again("shift+z")),
    "page_markers": Case(statistics_page, shows("markers"), again("ctrl+1")),
    "pin_track": Case(a_slice, lambda b, a: a["tracks"]["pins"] == b["tracks"]["pins"] + 1,
                      again("shift+t")),
    "show_all_tracks": Case(a_hidden_track, lambda b, a: a["tracks"]["hidden"] == 0),
    "mark": Case(a_slice, lambda b, a: a["temporary"]
                 and a["temporary"]["beginNs"] == a["selection"]["beginNs"], again("m")),
    "add_marker": Case(a_slice, lambda b, a: len(a["markers"]) == 1 and a["page"] == "markers"
                       and a["markers"][0]["beginNs"] == a["selection"]["beginNs"], drop_markers),
    "remove_marker": Case(a_marker, lambda b, a: len(a["markers"]) == len(b["markers"]) - 1,
                          again("ctrl+1")),
    "unit_absolute": Case(nothing, lambda b, a: a["timeUnit"] == 1
                          and a["viewText"] != b["viewText"]),
    "unit_marker": Case(a_marker, lambda b, a: a["timeUnit"] == 2, drop_markers),
    "unit_steps": Case(nothing, lambda b, a: a["timeUnit"] == 3 and "step" in a["viewText"]),
    "clock_raw": Case(nothing, lambda b, a: a["clocks"] == 0),  # one file: nothing to line up
    "clock_collectives": Case(nothing, lambda b, a: a["clocks"] == 0 and not a["error"]),
    "clock_files": Case(nothing, lambda b, a: a["clocks"] == 0),
    "unit_start": Case(nothing, lambda b, a: a["timeUnit"] == 0),
    "larger": Case(nothing, lambda b, a: a["uiScale"] > b["uiScale"], again("ctrl+0")),
    "smaller": Case(nothing, lambda b, a: a["uiScale"] < b["uiScale"], again("ctrl+0")),
    "normal_size": Case(lambda w: (w.key("ctrl+equal"), w.settled())[1],
                        lambda b, a: a["uiScale"] == 1 != b["uiScale"]),
    "light_theme": Case(nothing, toggles("lightTheme"), again("ctrl+shift+l")),
    "fullscreen": Case(nothing, toggles("fullscreen"), again("F11")),
    "search": Case(nothing, lambda b, a: a["omnibox"]["focused"]
                   and a["omnibox"]["mode"] == "search", close_box),
    "find_track": Case(nothing, lambda b, a: a["omnibox"]["focused"] and a["omnibox"]["rows"] > 3
                       and a["omnibox"]["mode"] == "tracks", close_box),
    "view_back": Case(a_gap, lambda b, a: a["view"]["historyAt"] == b["view"]["historyAt"] - 1
                      and moved(b, a)),
    "view_forward": Case(lambda w: (a_gap(w), w.key("alt+Left"), w.settled())[2],
                         lambda b, a: a["view"]["historyAt"] == b["view"]["historyAt"] + 1
                         and moved(b, a)),
    "next_gap": Case(a_gap, later),
    "previous_gap": Case(a_gap, earlier),
    "longest_gap": Case(nothing, lambda b, a: a["selection"]["kind"] == "gap"),
    "steps": Case(nothing, lambda b, a: "step_0" in a["places"], again("Escape")),
    "steps_from": Case(nothing, lambda b, a: "steps_pattern" in a["places"], again("Escape")),
    "next_step": Case(a_step, lambda b, a: a["area"]["beginNs"] > b["area"]["beginNs"]),
    "previous_step": Case(a_step, lambda b, a: a["area"]["beginNs"] < b["area"]["beginNs"]),
    "next_slice": Case(a_kernel, later),
    "previous_slice": Case(lambda w: (a_kernel(w), w.key("period"), w.settled())[2], earlier),
    "parent": Case(an_inner_slice, selected_otherwise),
    "child": Case(an_outer_slice, selected_otherwise),
    "link_forward": Case(a_launch, later),
    "link_back": Case(a_kernel, earlier),
    "next_link": Case(a_launch, lambda b, a: a["view"]["focusedLink"]),
    "previous_link": Case(a_launch, lambda b, a: a["view"]["focusedLink"]),
    "highlight_name": Case(a_kernel, lambda b, a: a["occurrences"]["count"] > 0),
    "next_occurrence": Case(a_highlight, lambda b, a: a["occurrences"]["current"] >= 0),
    "previous_occurrence": Case(a_highlight, lambda b, a: a["occurrences"]["current"] >= 0),
    "palette": Case(nothing, lambda b, a: a["omnibox"]["focused"]
                    and a["omnibox"]["mode"] == "commands" and a["omnibox"]["rows"] > 50, close_box),
    "shortcuts": Case(nothing, toggles("shortcutsOpen"), close_box),
    "menus": Case(nothing, lambda b, a: a["menu"] == 0, again("Escape")),
    "glossary": Case(nothing, toggles("glossaryOpen"), again("Escape")),
    "about": Case(nothing, toggles("aboutOpen"), again("Escape")),
    "tour": Case(nothing, lambda b, a: a["hasTrace"] and a["tour"] == 1, again("Escape")),
    "launch": Case(nothing, lambda b, a: a["live"]["dialog"], again("Escape")),
    "running_jobs": Case(nothing, lambda b, a: a["live"]["jobsDialog"], again("Escape")),
    "attach": Case(nothing, lambda b, a: a["live"]["attachDialog"], again("Escape")),
    "connect": Case(nothing, lambda b, a: a["live"]["connectDialog"], again("Escape")),
    "close": Case(nothing, lambda b, a: not a["hasTrace"]),
}

# These need a recording: live_test.py presses their keys.
LIVE = ("save", "stop", "relaunch", "follow", "pause", "page_console")


# The mouse.

def point(state, x=0.5, y=0.5):
    tracks = state["view"]["tracks"]
    return tracks["x"] + tracks["width"] * x, tracks["y"] + tracks["height"] * y


def mouse_select(window):
    state = a_slice(window)
    check(state["selection"]["kind"] == "slice", "no slice")


def mouse_menu(window):
    state = whole_view(window)
    target = next(s for s in state["visibleSlices"] if s["y0"] > state["view"]["tracks"]["y"])
    window.click((target["x0"] + target["x1"]) / 2, (target["y0"] + target["y1"]) / 2, 3)
    window.press("menu copy_name")
    window.wait(lambda s: s["copied"] == target["name"], "the menu did not copy the name")


def mouse_zoom_to(window):
    state = whole_view(window)
    target = state["visibleSlices"][0]
    window.click((target["x0"] + target["x1"]) / 2, (target["y0"] + target["y1"]) / 2, repeat=2)
    after = window.settled()
    check(after["selection"].get("name") == target["name"], "nothing is selected")
    check(moved(state, after), "the view did not move")


def mouse_range(window):
    state = whole_view(window)
    x, y = point(state, 0.3)
    window.drag(x, y, x + 100, y)
    check(window.settled()["area"], "no range")


def mouse_move_track(window):
    whole_view(window)
    window.key("q")  # room for the tracks
    state = window.settled()

    def tracks(s):
        headers = [h for h in s["tracks"]["headers"] if not h["pinned"]]
        headers.sort(key=lambda h: h["y0"])
        return [h for h in headers if h["kind"] == "track"]

    first, second = tracks(state)[:2]
    window.drag(60, (second["y0"] + second["y1"]) / 2, 60, first["y0"] + 2)
    window.wait(lambda s: tracks(s)[0]["title"] == second["title"], "the track was not moved")
    window.click(60, (first["y0"] + first["y1"]) / 2, button=3)
    window.press("order_reset")
    window.wait(lambda s: tracks(s)[0]["title"] == first["title"], "the order did not come back")
    window.key("q")


def mouse_minimap(window):
    whole_view(window)
    window.key("plus", "plus", "plus", "plus")
    state = window.settled()
    tracks = state["view"]["tracks"]
    window.click(tracks["x"] + tracks["width"] * 0.7, state["places"]["minimap"][1])
    check(moved(state, window.settled()), "a click on the minimap went nowhere")


def mouse_pan(window):
    for button, modifier in ((1, "shift"), (3, None)):
        state = zoomed(window)
        x, y = point(state)
        window.drag(x, y, x + 120, y, button, modifier)
        after = window.settled()
        check(begin(after) < begin(state) and not after["area"], f"button {button} did not pan")


def mouse_zoom_range(window):
    state = whole_view(window)
    x, y = point(state, 0.4)
    window.drag(x, y, x + 120, y, 2)
    check(visible_ns(window.settled()) < visible_ns(state) / 2, "did not zoom")


def mouse_zoom(window):
    state = whole_view(window)
    window.wheel(*point(state), 2, "ctrl")
    check(visible_ns(window.settled()) < visible_ns(state), "did not zoom")


def mouse_scroll(window):
    state = whole_view(window)
    window.wheel(*point(state), -2)
    check(window.settled()["view"]["scrollY"] > state["view"]["scrollY"], "did not scroll")


def mouse_pan_wheel(window):
    state = zoomed(window)
    window.wheel(*point(state), -2, "shift")
    check(begin(window.settled()) > begin(state), "did not pan")


def mouse_collapse(window):
    state = whole_view(window)
    for _ in range(2):
        height = state["view"]["contentHeight"]
        window.click(20, state["view"]["tracks"]["y"] + 12)
        state = window.settled()
        check(state["view"]["contentHeight"] != height, "nothing collapsed or expanded")


def mouse_count(window):
    state = whole_view(window)
    window.click(60, state["view"]["tracks"]["y"] + 45, 3)
    window.press("count_only")
    window.wait(lambda s: s["countedTracks"] == 1, "no track is counted alone")
    window.key("Escape")


def mouse_columns(window):
    statistics_page(window)
    x, y = window.settled()["places"]["header Name"]
    window.click(x, y, 3)
    window.probe()
    window.key("Escape")


def mouse_row(window):
    statistics_page(window)
    before = window.settled()
    window.click(*before["places"]["first_row"], repeat=2)
    name = before["statistics"]["firstName"]
    window.wait(lambda s: s["selection"].get("name") == name, "a double click on a row leads to no place")


def mouse_row_menu(window):
    statistics_page(window)
    before = window.settled()
    window.click(*before["places"]["first_row"], button=3)
    window.press("row_copy_name")
    window.wait(lambda s: s["copied"] == before["statistics"]["firstName"], "the menu of a row does not copy its name")


MOUSE = {name: value for name, value in list(globals().items()) if name.startswith("mouse_")}


def run_case(window, case, key, name):
    before = case.prepare(window)
    if key is None:
        run_from_palette(window, name)
    elif case.hold:
        tracks = before["view"]["tracks"]
        window.move(tracks["x"] + tracks["width"] / 2, tracks["y"] + tracks["height"] / 2)
        before = window.settled()
        if key.startswith("shift+"):
            window.xdotool("keydown", "shift")
        window.hold(key.split("+")[-1], 0.15)
        if key.startswith("shift+"):
            window.xdotool("keyup", "shift")
    elif key.startswith("Mouse"):
        window.xdotool("click", "8" if key == "MouseBack" else "9")
    else:
        window.key(key)
    window.wait(lambda after: case.effect(before, after), f"{key or 'the palette'} has no effect")
    if case.restore:
        case.restore(window)


def main():
    skip_unless_possible()
    commands = list_commands()
    missing = [i for i in commands if i not in CASES and i not in MOUSE and i not in LIVE and i != "quit"]
    unknown = [i for i in [*CASES, *MOUSE, *LIVE] if i not in commands]
    failed = [f"{i} has no case" for i in missing] + [f"the case {i} has no command" for i in unknown]
    only = sys.argv[1:]
    order = [i for i in commands if i not in ("close", "quit", *LIVE)] + ["close", "quit"]
    display = Display(1400, 900)
    window = Window(display, [DEMO])
    try:
        window.loaded()
        for identifier in order:
            if identifier in missing or (only and identifier not in only):
                continue
            keys, name = commands[identifier]
            for key in [None] if identifier in MOUSE else keys or [None]:
                began = time.monotonic()
                what = f"{identifier} ({key or ('mouse' if identifier in MOUSE else 'palette')})"
                try:
                    if identifier in MOUSE:
                        MOUSE[identifier](window)
                    elif identifier == "quit":
                        check(window.close() == 0, "the program did not end well")
                    else:
                        run_case(window, CASES[identifier], key and xdotool_name(key), name)
                    print(f"ok     {what} {time.monotonic() - began:.1f} s", flush=True)
                except (Failure, KeyError, subprocess.TimeoutExpired) as error:
                    print(f"FAILED {what}: {error!r}", flush=True)
                    failed.append(what)
                    if window.process.poll() is not None:
                        raise Failure("the program ended") from error
                    window.key("Escape", "Escape", "Escape")
    except Failure as error:
        failed.append(str(error))
    finally:
        window.kill()
        display.close()
    for what in failed:
        print("FAILED", what)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
