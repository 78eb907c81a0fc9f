#!/usr/bin/env python3
"""What leaves the window as a file: a range as a trace, the view as a picture. Folded time, gaps."""

import gzip
import json
import os
import struct
import zipfile

from window_driver import DEMO, Display, Window, check, run, visible_ns


def start_over(window):
    window.key("Escape", "Escape", "Home")
    return window.settled()


def save_as(window, key, path):
    window.key(key)
    window.wait(lambda s: s["exportOpen"], f"{key} opened no dialog")
    window.press("export_path")
    window.key("ctrl+a")
    window.type(path)
    window.key("Return")
    return window.wait(lambda s: s["notice"].startswith("Wrote"), f"{path} was not written", 30)


def the_range_becomes_a_trace(window):
    state = start_over(window)
    tracks = state["view"]["tracks"]
    x, y = tracks["x"] + tracks["width"] * 0.4, state["places"]["minimap"][1] + 30
    window.drag(x, y, x + 150, y)
    state = window.settled()
    check(state["area"], "no range")
    path = os.path.join(window.folder, "part.json.gz")
    save_as(window, "ctrl+e", path)
    with gzip.open(path, "rt") as file:
        part = json.load(file)
    with gzip.open(DEMO, "rt") as file:
        whole = json.load(file)
    begin, end = state["area"]["beginNs"], state["area"]["endNs"]

    def inside(trace):
        found = []
        for e in trace["traceEvents"]:
            if e.get("ph") == "X":
                ts, dur = round(e["ts"] * 1000), round(e.get("dur", 0) * 1000)
                if (ts + dur > begin and ts < end) or (dur == 0 and begin <= ts < end):
                    found.append(json.dumps(e, sort_keys=True))
        return sorted(found)

    check(len(inside(part)) > 10, "next to nothing was exported")
    check(inside(part) == inside(whole), "the slices are not those of the range")
    check(len(part["traceEvents"]) < len(whole["traceEvents"]), "everything was exported")
    window.key("Escape")


def a_finding_opens_to_the_same_view(window):
    state = start_over(window)
    tracks = state["view"]["tracks"]
    x = tracks["x"] + tracks["width"] * 0.4
    window.drag(x, state["places"]["minimap"][1] + 30, x + 150, state["places"]["minimap"][1] + 30)
    window.key("shift+m")
    window.wait(lambda s: len(s["markers"]) == 1, "no marker")
    window.probe()
    window.type("look at this")
    window.key("Return", "ctrl+9")
    window.wait(lambda s: s["sql"]["editing"], "no editor")
    window.key("ctrl+a")
    window.type("SELECT 40 + 2 AS answer")
    window.press("sql_save")
    window.key("ctrl+2")
    state = window.wait(lambda s: s["page"] == "gaps", "no page")
    path = os.path.join(window.folder, "a.lacuna")
    save_as(window, "ctrl+alt+e", path)
    check(not os.path.exists(path + ".view"), "the view was left behind")
    with zipfile.ZipFile(path) as archive:
        check({"trace.json.gz", "view.state", "queries.sql", "report.md", "report.html"} <= set(archive.namelist()),
              archive.namelist())
    display = Display()
    other = Window(display, [path])
    try:
        other.loaded()
        found = other.wait(lambda s: s["markers"], "the note did not come with it")
        check([(m["note"], m["on"]) for m in found["markers"]] == [("look at this", "range")], found["markers"])
        check(found["area"] == state["area"], f"{found['area']} is not the range {state['area']}")
        seen, home = state["view"]["camera"], found["home"]
        check(all(abs(home[k] - seen[k]) <= 2 * state["view"]["nsPerPx"] for k in ("beginNs", "endNs")),
              f"{home} is not what was in view, {seen}")
        check(other.settled()["page"] == "gaps", f"the page {found['page']} is not the one that was open")
        other.key("ctrl+9")
        other.press("sql_Of the finding")
        other.press("sql_Of the finding_first")
        other.wait(lambda s: s["sql"]["text"] == "SELECT 40 + 2 AS answer", "the query is not offered")
    finally:
        other.kill()
        display.close()
    window.key("Escape")


def from_the_palette(window, name):
    window.key("Escape", "ctrl+shift+p")
    window.wait(lambda s: s["omnibox"]["focused"], "no palette")
    window.type(name)
    window.wait(lambda s: name in s["omnibox"]["chosen"], f"the palette does not find {name!r}")
    window.key("Return")


def notes_go_through_the_dialogs(window):
    """Behind the finding: one note is there."""
    start_over(window)
    path, letter = os.path.join(window.folder, "mine.json"), os.path.join(window.folder, "letter.json")
    with open(letter, "w") as file:
        file.write("[1]")
    from_the_palette(window, "Export all notes")
    window.wait(lambda s: s["exportOpen"], "no dialog")
    window.press("export_path")
    window.key("ctrl+a")
    window.type(letter)
    window.key("Return")
    state = window.settled()
    check(open(letter).read() == "[1]", "a file without notes was replaced")
    check(state["exportOpen"], f"the dialog wrote something else: {state['notice']} {state['error']} {os.listdir(window.folder)}")
    window.press("export_path")
    window.key("ctrl+a")
    window.type(path)
    window.key("Return")
    window.wait(lambda s: s["notice"].startswith("Wrote 1 note to mine.json"), "the notes were not written")
    with open(path) as file:
        notes = json.load(file)
    check([n["note"] for n in notes["markers"]] == ["look at this"], notes)
    notes["markers"].append({"beginNs": 5, "endNs": 5, "note": "of a colleague"})
    notes["markers"].append("no note")
    with open(path, "w") as file:
        json.dump(notes, file)
    for chosen, reached, message in (
            (path, lambda s: s["notice"] == "Took over 1 note; 1 passed over" and len(s["markers"]) == 2, "not taken over"),
            (letter, lambda s: "holds no notes" in s["error"], "what holds no notes must be said")):
        from_the_palette(window, "Import notes")
        window.wait(lambda s: s["fileBrowserOpen"] and s["browser"]["title"] == "Import notes", "no dialog")
        window.key("ctrl+a")
        window.type(chosen)
        window.key("Return")
        window.wait(reached, message)
    window.key("Escape", "Escape")
    window.wait(lambda s: s["error"] == "", "the error stays")


def the_view_becomes_a_picture(window):
    start_over(window)
    path = os.path.join(window.folder, "view.png")
    save_as(window, "ctrl+shift+e", path)
    with open(path, "rb") as file:
        head = file.read(24)
    check(head[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG")
    width, height = struct.unpack(">II", head[16:24])
    check(width == 1280 and 200 < height < 800, f"the picture has {width}x{height} pixels")
    window.key("Escape")
    check(window.settled()["notice"] == "", "Esc left the notice")


def short_gaps_are_hidden(window):
    start_over(window)
    window.key("ctrl+2")
    state = window.wait(lambda s: s["page"] == "gaps", "no gaps page")
    drawn = window.settled()["drawnGaps"]
    window.press("least")
    window.press("gap_threshold")  # its middle: 0.3 ms
    state = window.wait(lambda s: s["gaps"]["minNs"] > 100_000, "the slider moved nothing")
    check(state["drawnGaps"] >= drawn, "gaps were hidden before anybody asked")
    window.press("gap_hide_short")
    window.wait(lambda s: s["hidesShortGaps"] and s["drawnGaps"] < drawn, "short gaps are still drawn")
    window.press("gap_hide_short")
    window.wait(lambda s: not s["hidesShortGaps"], "they did not come back")
    window.key("Escape", "ctrl+1")


def time_folds_where_nothing_runs(window):
    state = start_over(window)
    whole = visible_ns(state)
    # Only the GPU streams: they idle for long stretches together.
    window.press("track_filter")
    window.type("stream 7 .*[)]$")
    window.wait(lambda s: s["tracks"]["filtered"] > 0, "the filter left nothing out")
    window.key("Return")
    window.move(600, 700)
    window.settled()  # keys are commands again
    window.key("shift+z")
    state = window.wait(lambda s: s["foldsTime"] and s["timeFolds"] > 0, "nothing was folded")
    state = window.settled()
    check(state["timeFolded"] > 0, "no time was removed")
    check(abs(visible_ns(state) / whole - 1) < 0.05, "the view does not show the same time")
    scale = state["view"]["nsPerPx"]
    window.key("shift+z")
    state = window.wait(lambda s: not s["foldsTime"] and s["timeFolds"] == 0, "did not unfold")
    check(state["view"]["nsPerPx"] > scale, "unfolded time takes no more room")
    window.press("tracks_hidden")
    window.press("show_all_tracks")
    window.wait(lambda s: s["tracks"]["filtered"] == 0, "the filter did not end")
    window.key("Escape")


if __name__ == "__main__":
    run([the_range_becomes_a_trace, a_finding_opens_to_the_same_view, notes_go_through_the_dialogs, the_view_becomes_a_picture, short_gaps_are_hidden,
         time_folds_where_nothing_runs], [DEMO])
