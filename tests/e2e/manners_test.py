#!/usr/bin/env python3
"""How the window behaves where people from other programs expect it: which page a trace opens on, what can be selected,
menus by keyboard, tooltips that stay below sheets, right clicks, names in the palette."""

import gzip
import json
import os
import tempfile

from window_driver import DEMO, ROOT, Window, check, run_apart

SNAPSHOT = os.path.join(ROOT, "..", "shared", "samples", "memory", "ctx128_forward.pickle")


def trace_file(folder, name, events):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        json.dump({"traceEvents": events}, file)
    return path


def event(name, ts, dur, cat="cpu_op", **args):
    return {"ph": "X", "name": name, "cat": cat, "ts": ts, "dur": dur, "pid": 1, "tid": 1, "args": args}


def opened(display, paths, look, **more):
    window = Window(display, paths, **more)
    try:
        window.loaded()
        look(window)
        check(window.close() == 0, "exit status")
    finally:
        window.kill()


def a_new_trace_opens_on_its_report(display):
    def look(window):
        check(window.state()["page"] == "report", f"it opens on {window.state()['page']}")
        window.key("ctrl+2")
        window.wait(lambda s: s["page"] == "gaps", "no gaps")
        window.key("F5")  # the same trace: the page stays
        window.loaded()
        check(window.state()["page"] == "gaps", "reloading leads to another page")
    opened(display, [DEMO], look)


def a_snapshot_opens_on_its_memory(display):
    if not os.path.exists(SNAPSHOT):
        print("skipped: no snapshot in the shared folder")
        return
    opened(display, [SNAPSHOT], lambda w: w.wait(lambda s: s["page"] == "memory", "a snapshot opens on another page"))


def pages_stand_in_groups(display):
    def look(window):
        for group, page in [("What", "statistics"), ("Memory", "memory"), ("SQL", "query"), ("Why", "report")]:
            window.press(f"group {group}")
            window.wait(lambda s: s["page"] == page, f"{group} does not lead to {page}")
        window.press("page Idle GPU")
        window.wait(lambda s: s["page"] == "gaps", "no gaps page")
        window.press("group What")
        window.wait(lambda s: s["page"] == "statistics", "no statistics")
        window.press("group Why")
        window.wait(lambda s: s["page"] == "gaps", "the group forgot its page")
        check("page Ranks" not in window.state()["places"], "ranks of a trace that has none")
    opened(display, [DEMO], look)


def instants_are_selected_and_tell_their_args(display):
    with tempfile.TemporaryDirectory() as folder:
        instant = {"ph": "i", "s": "t", "name": "[memory]", "cat": "cpu_instant_event", "ts": 40, "pid": 1, "tid": 1,
                   "args": {"Bytes": 2097152, "Total Allocated": 4194304, "Device Type": 1}}
        path = trace_file(folder, "instant.json", [event("outer", 0, 100), instant])

        def look(window):
            state = window.state()
            check(len(state["instants"]) == 1, f"{state['instants']} instants are drawn")
            window.click(*state["instants"][0])
            state = window.wait(lambda s: s["selection"]["kind"] == "instant", "a click selects no instant")
            check(state["selection"]["name"] == "[memory]" and state["detailsTitle"] == "[memory]", state["selection"])
            window.wait(lambda s: s["arguments"] == 3, "its args are not shown")
            window.key("alt+c")
            window.wait(lambda s: "Name: [memory]" in s["copied"], "its facts are not copied")
            window.key("Escape")
            window.wait(lambda s: s["selection"]["kind"] == "none", "Esc keeps it")
        opened(display, [path], look)


def tooltips_stay_below_sheets(display):
    def look(window):
        state = window.settled()
        target = state["visibleSlices"][0]
        window.move((target["x0"] + target["x1"]) / 2, (target["y0"] + target["y1"]) / 2)
        window.wait(lambda s: s["tooltip"], "a slice is not explained")
        for key in ("question", "ctrl+shift+p"):
            window.key(key)
            window.wait(lambda s: (s["shortcutsOpen"] or s["omnibox"]["list"]) and not s["tooltip"],
                        f"the tooltip of what lies below stays over what {key} opens")
            window.key("Escape")
            window.wait(lambda s: not s["shortcutsOpen"] and not s["omnibox"]["list"], "it stays open")
        window.wait(lambda s: s["tooltip"], "the tooltip does not come back")
    opened(display, [DEMO], look)


def menus_by_keyboard(display):
    def look(window):
        window.key("F10")
        window.wait(lambda s: s["menu"] == 0, "F10 opens no menu")
        window.key("Right")
        window.wait(lambda s: s["menu"] == 1, "Right does not lead to the next menu")
        window.key("Tab", "Tab")
        window.wait(lambda s: s["menu"] == 3, "Tab does not lead to the next menu")
        window.key("Left", "Left", "Left")
        window.wait(lambda s: s["menu"] == 0, "Left does not lead back")
        window.key("Escape")
        window.wait(lambda s: s["menu"] == -1, "Esc keeps the menu")
        window.xdotool("keydown", "alt")
        window.xdotool("keyup", "alt")
        window.wait(lambda s: s["menu"] == 0, "Alt alone opens no menu")
        window.key("Left")  # Help, the last one
        window.wait(lambda s: s["menu"] == 4, "Left does not go round")
        before = window.settled()["view"]["camera"]
        window.key("Down")  # its second entry: the sheet of keys
        window.probe()
        window.key("Return")
        window.wait(lambda s: s["shortcutsOpen"] and s["menu"] == -1, "Enter runs nothing")
        window.key("Escape")
        check(window.settled()["view"]["camera"] == before, "keys of the menu moved the view")
        # Alt with another key is that key's.
        window.key("alt+q")
        state = window.wait(lambda s: s["drawerMaximised"], "Alt+Q does nothing")
        check(state["menu"] == -1, "Alt+Q opens a menu")
        window.key("alt+q", "w")
        window.settled()
        check(window.state()["view"]["camera"] != before, "keys do nothing afterwards")
    opened(display, [DEMO], look)


def escape_leaves_the_editor_and_keeps_the_query(display):
    def look(window):
        window.key("ctrl+9")
        window.wait(lambda s: s["sql"]["editing"], "no editor")
        window.type("select 1")
        window.wait(lambda s: s["sql"]["text"] == "select 1", "nothing was typed")
        window.key("Escape")
        state = window.wait(lambda s: not s["sql"]["editing"], "Esc does not leave the editor")
        check(state["sql"]["text"] == "select 1", "Esc takes the query back")
        camera = window.settled()["view"]["camera"]
        window.key("w")
        check(window.settled()["view"]["camera"] != camera, "keys do nothing afterwards")
    opened(display, [DEMO], look)


def a_press_that_ends_elsewhere_collapses_nothing(display):
    def look(window):
        state = window.settled()
        header = next(h for h in state["tracks"]["headers"] if h["kind"] == "process")
        x, y = 100, (header["y0"] + header["y1"]) / 2
        # On the title, then over the timeline at the same height, where a drag of a title would not count.
        window.drag(x, y, state["view"]["tracks"]["x"] + 300, y + 2)
        state = window.settled()
        check(not any(h["collapsed"] for h in state["tracks"]["headers"] if h["kind"] == "process"),
              "letting go elsewhere collapsed the process")
        window.click(x, y)
        window.wait(lambda s: any(h["collapsed"] for h in s["tracks"]["headers"] if h["kind"] == "process"),
                    "a click collapses nothing")
    opened(display, [DEMO], look)


def a_picture_has_no_mouse_in_it(display):
    def look(window):
        pictures = []
        for x, y in [(700, 200), (500, 350)]:
            path = os.path.join(window.folder, f"{x}.png")
            window.key("ctrl+shift+e")
            window.wait(lambda s: s["exportOpen"], "no dialog")
            window.press("export_path")
            window.key("ctrl+a")
            window.type(path)
            window.move(x, y)
            window.key("Return")
            window.wait(lambda s: s["notice"].startswith("Wrote"), "no picture", 30)
            window.key("Escape")
            with open(path, "rb") as file:
                pictures.append(file.read())
            window.move(5, 5)
            window.settled()
        check(pictures[0] == pictures[1], "where the mouse is shows in the picture")
    opened(display, [DEMO], look)


def the_dialog_shows_databases(display):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("nsys.sqlite", "fr_0.pkl", "nccl_trace_rank_0", "TRACE.JSON", "notes.txt"):
            with open(os.path.join(folder, name), "w") as file:
                file.write("{}")
        window = Window(display, [DEMO])
        try:
            window.loaded()
            window.key("ctrl+o")
            window.wait(lambda s: s["fileBrowserOpen"], "no dialog")
            window.type(folder + "/")
            window.wait(lambda s: s["browser"]["rows"] == 4, "not what can be opened is listed")
        finally:
            window.kill()


def the_palette_knows_other_words(display):
    def look(window):
        for typed, wanted in [("dark", "Light theme"), ("zoom", "Zoom"), ("diff", "Compare with"),
                              ("flamegraph", "Calls"), ("bookmark", "arker")]:
            window.key("ctrl+shift+p")
            window.wait(lambda s: s["omnibox"]["mode"] == "commands" and s["omnibox"]["rows"] > 50, "no palette")
            window.type(typed)
            window.wait(lambda s: s["omnibox"]["text"] == typed and wanted in s["omnibox"]["chosen"],
                        f"{typed} does not find {wanted}")
            window.key("Escape")
            window.wait(lambda s: not s["omnibox"]["focused"], "Esc does not leave the palette")
        # A kernel's name is searched for.
        window.key("ctrl+shift+p")
        window.wait(lambda s: s["omnibox"]["rows"] > 50, "no palette")
        window.type("sm90_xmma")
        window.wait(lambda s: "Search the trace" in s["omnibox"]["chosen"], "a kernel's name leads nowhere")
        window.key("Return")
        window.wait(lambda s: s["search"]["text"] == "sm90_xmma" and s["search"]["found"] > 0, "it is not searched for")
    opened(display, [DEMO], look)


def right_clicks_on_ruler_and_causes(display):
    def look(window):
        state = window.settled()
        tracks = state["view"]["tracks"]
        window.click(tracks["x"] + 400, tracks["y"] - 30, button=3)
        window.press("ruler add_marker")
        window.wait(lambda s: len(s["markers"]) == 1 and s["page"] == "markers", "no marker was added")
        window.key("Escape", "Escape", "c")
        state = window.wait(lambda s: s["gapsView"] == "causes" and s["places"]["first_cause"], "no causes")
        window.click(*state["places"]["first_cause"], button=3)
        window.press("cause longest")
        window.wait(lambda s: s["selection"]["kind"] == "gap" and s["causes"]["route"] > 0, "no gap of the cause")
    opened(display, [DEMO], look)


def exports_go_where_one_may_write(display):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "other.trace.json.gz")
        with gzip.open(DEMO) as demo, gzip.open(path, "wb") as copy:
            copy.write(demo.read())
        if os.geteuid() == 0:
            os.chown(folder, 12345, 12345)
        else:
            os.chmod(folder, 0o555)
        try:
            def look(window):
                window.key("ctrl+e")
                window.wait(lambda s: s["exportOpen"], "no dialog")
                window.press("export_save")
                window.wait(lambda s: s["notice"].startswith("Wrote"), "nothing was written", 30)
                check(os.listdir(folder) == ["other.trace.json.gz"], "it was written into a folder of somebody else's")
                check([f for f in os.listdir(window.folder) if f.endswith("-range.trace.json.gz")],
                      "nor is it where the program was started")
            opened(display, [path], look)
        finally:
            os.chmod(folder, 0o755)
            if os.geteuid() == 0:
                os.chown(folder, 0, 0)


if __name__ == "__main__":
    run_apart([a_new_trace_opens_on_its_report, a_snapshot_opens_on_its_memory, pages_stand_in_groups,
               instants_are_selected_and_tell_their_args, tooltips_stay_below_sheets, menus_by_keyboard,
               escape_leaves_the_editor_and_keeps_the_query, a_press_that_ends_elsewhere_collapses_nothing,
               a_picture_has_no_mouse_in_it, the_dialog_shows_databases, the_palette_knows_other_words,
               right_clicks_on_ruler_and_causes, exports_go_where_one_may_write])
