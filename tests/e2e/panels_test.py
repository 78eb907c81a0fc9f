#!/usr/bin/env python3
"""Selecting, ranges, stepping, tables, the shortcut sheet, sizes of the panels."""

import json

from window_driver import DEMO, check, run, time_at, visible_ns


def start_over(window):
    window.key("Escape", "Home")
    state = window.settled()
    window.move(5, 5)
    return state


def widest(state, activity=None, least=30):
    """A slice on the screen that is wide enough to be clicked."""
    tracks = state["view"]["tracks"]
    for s in state["visibleSlices"]:
        inside = s["y0"] >= tracks["y"] and s["y1"] <= tracks["y"] + tracks["height"]
        if inside and s["x1"] - s["x0"] >= least and (activity is None or s["activity"] == activity):
            return s
    return None


def middle(rectangle):
    return (rectangle["x0"] + rectangle["x1"]) / 2, (rectangle["y0"] + rectangle["y1"]) / 2


def a_click_selects_and_shows_details(window):
    state = start_over(window)
    target = widest(state)
    check(target is not None, "no slice is wide enough to be clicked")
    window.click(*middle(target))
    state = window.wait(lambda s: s["selection"]["kind"] == "slice", "the click selected nothing")
    check(state["selection"]["name"] == target["name"],
          f"selected {state['selection']['name']!r} instead of {target['name']!r}")
    state = window.settled()
    check(state["argumentError"] == "", f"args: {state['argumentError']}")
    check(state["hovered"] == target["name"], "the slice under the mouse is not the hovered one")


def a_kernel_shows_its_args(window):
    state = start_over(window)
    gpu = None
    x = state["view"]["tracks"]["x"] + state["view"]["tracks"]["width"] / 2
    for _ in range(12):
        gpu = widest(state, activity=True, least=20)
        if gpu:
            break
        window.wheel(x, state["view"]["tracks"]["y"] + 60, 3, "ctrl")
        state = window.settled()
    check(gpu is not None, "no kernel came into view")
    window.click(*middle(gpu))
    state = window.wait(lambda s: s["selection"].get("name") == gpu["name"],
                        "the click did not select the kernel")
    window.wait(lambda s: s["arguments"] > 0, "the details show no args")
    window.key("bracketleft")
    state = window.settled()
    check("aunch" in state["selection"]["name"] or "cu" in state["selection"]["name"],
          f"[ led to {state['selection']['name']!r}, not to a launch")
    window.key("bracketright")
    check(window.settled()["selection"]["name"] == gpu["name"], "] did not lead back to the kernel")


def stepping_on_the_track(window):
    state = window.state()
    first = state["selection"]
    # The one selected may be the last or the first of its track.
    there, back = "period", "comma"
    window.key(there)
    second = window.settled()["selection"]
    if second == first:
        there, back = back, there
        window.key(there)
        second = window.settled()["selection"]
    later = second["beginNs"] >= first["beginNs"]
    check(second["track"] == first["track"] and second != first and later == (there == "period"),
          f"{there} led from {first} to {second}")
    window.key(back)
    check(window.settled()["selection"] == first, f"{back} did not lead back")


def f_focuses_and_fits(window):
    state = start_over(window)
    whole = visible_ns(state)
    target = widest(state, least=60)
    window.click(*middle(target))
    window.wait(lambda s: s["selection"]["kind"] == "slice", "nothing selected")
    window.key("f")
    state = window.settled()
    span = state["selection"]["endNs"] - state["selection"]["beginNs"]
    check(span < visible_ns(state) < 2 * max(span, 1000), "F did not zoom to the selection")
    window.key("f")
    check(visible_ns(window.settled()) >= whole * 0.99, "the second F did not show everything")


def a_double_click_zooms(window):
    state = start_over(window)
    target = widest(state, least=60)
    window.click(*middle(target), repeat=2)
    state = window.settled()
    check(state["selection"].get("name") == target["name"], "the double click selected nothing")
    span = state["selection"]["endNs"] - state["selection"]["beginNs"]
    check(visible_ns(state) < 2 * max(span, 1000), "the double click did not zoom")


def a_drag_selects_a_range(window):
    state = start_over(window)
    tracks = state["view"]["tracks"]
    x, y = tracks["x"] + tracks["width"] * 0.3, tracks["y"] + tracks["height"] * 0.6
    begin, end = time_at(state, x), time_at(state, x + 120)
    before = state["statistics"]
    window.drag(x, y, x + 120, y, modifier="alt")  # exactly there, not to an edge nearby
    state = window.settled()
    check(state["area"] is not None, "the drag selected no range")
    slack = 3 * state["view"]["nsPerPx"]
    check(abs(state["area"]["beginNs"] - begin) < slack and abs(state["area"]["endNs"] - end) < slack,
          "the range is not what was dragged over")
    after = state["statistics"]
    check(after["version"] != before["version"] and after["events"] < before["events"],
          "the statistics did not follow the range")
    # An edge can be moved.
    window.drag(x + 120, y, x + 200, y, modifier="alt")
    wider = window.settled()
    check(abs(wider["area"]["beginNs"] - state["area"]["beginNs"]) < slack
          and wider["area"]["endNs"] > state["area"]["endNs"] + 20 * slack,
          "dragging the edge did not move it")
    window.key("Escape")
    state = window.settled()
    check(state["area"] is None and state["statistics"]["events"] == before["events"],
          "Esc did not bring the whole trace back")


def n_walks_through_the_gaps(window):
    state = start_over(window)
    check(state["gaps"]["rows"] >= 3, "the trace has too few gaps for this test")
    starts = []
    for _ in range(3):
        window.key("n")
        state = window.settled()
        check(state["selection"]["kind"] == "gap", "N selected no gap")
        selection = state["selection"]
        starts.append(selection["beginNs"])
        camera = state["view"]["camera"]
        check(camera["beginNs"] < selection["endNs"] and selection["beginNs"] < camera["endNs"],
              "the gap is not in view")
        length = selection["endNs"] - selection["beginNs"]
        check(length >= state["gaps"]["minNs"], "the gap is shorter than those listed")
    check(starts == sorted(starts) and len(set(starts)) == 3, f"N does not go forward: {starts}")
    window.key("shift+n")
    check(window.settled()["selection"]["beginNs"] == starts[1], "Shift+N did not go back")
    window.key("shift+l")
    state = window.settled()
    window.key("ctrl+2")
    window.wait(lambda s: s["page"] == "gaps", "Ctrl+2 did not open the gaps")
    check(state["selection"]["kind"] == "gap", "Shift+L selected no gap")
    window.key("ctrl+1")


def the_filter_narrows_the_table(window):
    start_over(window)
    window.key("ctrl+1")
    rows = window.settled()["statistics"]["rows"]
    window.key("ctrl+shift+f")
    window.wait(lambda s: s["filterFocused"], "Ctrl+Shift+F did not put the cursor into the filter")
    window.type("launch")
    state = window.wait(lambda s: s["statistics"]["filter"] == "launch", "the filter got no text")
    state = window.settled()
    check(0 < state["statistics"]["rows"] < rows, "the filter did not narrow the table")
    check("launch" in state["statistics"]["firstName"].lower(), "a row does not match the filter")
    window.type("zzz")
    window.wait(lambda s: s["statistics"]["rows"] == 0, "nonsense still finds rows")
    window.key("ctrl+a", "BackSpace", "Escape")
    window.wait(lambda s: s["statistics"]["rows"] == rows, "an empty filter does not show all")


def a_row_highlights_and_steps(window):
    state = start_over(window)
    window.press("first_row")
    state = window.settled()
    count = state["occurrences"]["count"]
    check(count > 0, "a click on a row highlighted nothing")
    window.move(5, 5)
    window.key("Return")
    state = window.settled()
    first = state["occurrences"]["current"]
    check(state["selection"]["kind"] == "slice" and first >= 0, "Enter went to no slice")
    window.key("Return")
    state = window.settled()
    check(state["occurrences"]["current"] == (first + 1) % count, "Enter did not go on")
    window.key("shift+Return")
    check(window.settled()["occurrences"]["current"] == first, "Shift+Enter did not go back")
    window.key("Escape")
    check(window.settled()["occurrences"]["count"] == 0, "Esc did not end the highlighting")


def a_chosen_row_fills_the_details_and_has_a_menu(window):
    state = start_over(window)
    name, rows = state["statistics"]["firstName"], state["statistics"]["rows"]
    # Another slice is selected: the row counts, once it is chosen.
    other = next(s for s in state["visibleSlices"] if s["name"] != name and s["x1"] - s["x0"] > 20
                 and s["y1"] < state["view"]["tracks"]["y"] + state["view"]["tracks"]["height"])
    window.click(*middle(other))
    window.wait(lambda s: s["detailsTitle"] == other["name"], "no details of a slice")
    window.press("first_row")
    state = window.settled()
    check(state["detailsTitle"] == name, f"the details are about {state['detailsTitle']}, not {name}")
    window.key("Escape")
    before = window.settled()
    window.click(*before["places"]["first_row"], repeat=2)
    state = window.settled()
    check(state["selection"]["kind"] == "slice" and state["selection"]["name"] == name, "a double click goes nowhere")
    check(visible_ns(state) < visible_ns(before), "a double click does not zoom")
    window.key("Escape", "Home")
    place = window.settled()["places"]["first_row"]
    window.click(*place, button=3)
    window.press("row_copy_name")
    window.wait(lambda s: s["copied"] == name, "the name was not copied")
    window.click(*place, button=3)
    window.press("row_next")
    state = window.settled()
    check(state["occurrences"]["current"] >= 0 and state["selection"]["name"] == name, "the menu leads to no place")
    window.key("Escape")
    window.click(*place, button=3)
    window.press("row_filter")
    window.wait(lambda s: s["statistics"]["filter"] == name, "the menu does not filter")
    window.wait(lambda s: 0 < s["statistics"]["rows"] < rows, f"the filter {name!r} hides nothing of {rows}")
    # A filter without a match says so, and offers a way out.
    window.key("ctrl+shift+f")
    window.wait(lambda s: s["filterFocused"], "no cursor in the filter")
    window.key("ctrl+a")
    window.type("qqzz")
    window.wait(lambda s: s["statistics"]["rows"] == 0, "something matches")
    window.press("clear_filter")
    window.wait(lambda s: s["statistics"]["rows"] == rows and s["statistics"]["filter"] == "",
                "the filter was not cleared")


def menus_are_grouped(window):
    start_over(window)
    window.press("menu View")
    window.press("submenu Times")
    window.press("item unit_steps")
    window.wait(lambda s: s["timeUnit"] == 3, "the entry of the submenu did not run")
    window.press("menu View")
    window.press("submenu Times")
    window.press("item unit_start")
    window.wait(lambda s: s["timeUnit"] == 0, "the entry of the submenu did not run")


def idle_figures_lead_to_each_other(window):
    start_over(window)
    window.key("ctrl+2")
    window.press("gaps_list")
    state = window.settled()
    gaps = state["gaps"]
    check(gaps["leftOut"] > 0, "the demo has short gaps")
    header = next(h for h in state["tracks"]["headers"] if " idle" in h["detail"])
    window.press("gaps_idle")
    window.wait(lambda s: s["idleOpen"], "a click on the page's figure explains nothing")
    state = window.wait(lambda s: s["idleFiguresNs"][2] > 0, "no figure of the report")
    title, page, report = state["idleFiguresNs"]
    check(page != title and title == report > 0, f"figures {title}, {page}, {report} of {header['detail']}")
    window.press("idle_to_report")
    window.wait(lambda s: s["page"] == "report" and not s["idleOpen"], "the figure does not lead to the report")
    window.settled()
    window.press("section summary")
    window.settled()
    window.press("report_idle_figures")
    window.wait(lambda s: s["idleOpen"] and s["idleFiguresNs"][2] == report, "the report's figure leads nowhere")
    window.press("idle_to_gaps")
    window.wait(lambda s: s["page"] == "gaps" and not s["idleOpen"], "the figure does not lead to the gaps page")
    window.press("idle_title")
    window.wait(lambda s: s["idleOpen"], "the figure of the title leads nowhere")
    window.key("Escape")
    window.wait(lambda s: not s["idleOpen"], "Esc does not close the figures")
    # What is left out can be counted.
    window.press("gaps_list")
    window.press("gaps_count_all")
    window.wait(lambda s: s["gaps"]["minNs"] == 0, "the short gaps are not counted")
    window.wait(lambda s: s["gaps"]["idleNs"] == gaps["idleNs"] + gaps["leftOutNs"], f"the parts of {gaps} do not add up")
    window.key("ctrl+1")
    window.settled()


def a_header_sorts(window):
    state = start_over(window)
    column = state["statistics"]["column"]
    window.press("header Name")
    state = window.settled()
    check(state["statistics"]["column"] != column, "a click on a header did not sort by it")
    check(state["statistics"]["column"] == 0, "the first column is not the name")
    descending = state["statistics"]["descending"]
    window.press("header Name")
    check(window.settled()["statistics"]["descending"] != descending, "a second click did not turn it")


def the_sheet_and_the_drawer(window):
    start_over(window)
    window.key("question")
    window.wait(lambda s: s["shortcutsOpen"], "? did not open the sheet")
    window.key("Escape")
    window.wait(lambda s: not s["shortcutsOpen"], "Esc did not close the sheet")
    # A key that is tried while the sheet is open is seen to do something; arrows scroll it.
    for key, opened in (("ctrl+j", "jobsDialog"), ("ctrl+shift+j", "attachDialog"), ("ctrl+3", None), ("w", None)):
        window.key("question")
        window.wait(lambda s: s["shortcutsOpen"], "? did not open the sheet")
        window.key("Down", "Next", "End")
        state = window.settled()
        check(state["shortcutsOpen"] and state["sheetScrolled"] > 0, "keys do not scroll the sheet")
        window.key("Home")
        window.wait(lambda s: s["sheetScrolled"] == 0, "Home does not lead to the top of the sheet")
        window.key(key)
        window.wait(lambda s: not s["shortcutsOpen"], f"the sheet hides what {key} did")
        if opened:
            window.wait(lambda s: s["live"][opened], f"{key} opened nothing")
            window.key("Escape")
            window.wait(lambda s: not s["live"][opened], f"Esc did not close what {key} opened")
    start_over(window)
    window.key("q")
    window.wait(lambda s: not s["drawerOpen"], "Q did not close the drawer")
    window.key("q")
    window.wait(lambda s: s["drawerOpen"], "Q did not open the drawer")
    window.key("ctrl+3")
    window.wait(lambda s: s["page"] == "report", "Ctrl+3 did not open the report")
    window.key("ctrl+1")
    window.wait(lambda s: s["page"] == "statistics", "Ctrl+1 did not open the statistics")


def splitters_follow_the_mouse(window):
    before = start_over(window)["parts"]
    moves = {"drawer_splitter": ("drawer", 0, -80), "details_splitter": ("details", -90, 0),
             "header_splitter": ("headerPx", 50, 0)}
    for place, (part, dx, dy) in moves.items():
        x, y = window.state()["places"][place]
        window.drag(x, y, x + dx, y + dy)
        after = window.settled()
        check(after["parts"][part] > before[part] * 1.02, f"{place} did not follow the mouse: {after['parts']}")
        moved_x, moved_y = after["places"][place]
        if part == "drawer":
            check(abs(moved_y - (y + dy)) < 3, f"{place} is not where it was dropped: {moved_y}")
        elif part == "details":
            check(abs(moved_x - (x + dx)) < 3, f"{place} is not where it was dropped: {moved_x}")

    # Moved and let go within one frame: the border still goes there, to the last pixel.
    for dy in (30, -30, 30, -30):
        x, y = window.state()["places"]["drawer_splitter"]
        window.move(x, y)
        window.probe()
        window.xdotool("mousedown", "1")
        window.probe()
        window.xdotool("mousemove", str(round(x)), str(round(y + dy)), "mouseup", "1")
        went_to = window.settled()["places"]["drawer_splitter"][1]
        check(abs(went_to - (y + dy)) < 3, f"let go at once, it went from {y} to {went_to}, not by {dy}")

    def kept(s):
        with open(window.settings_file) as file:
            settings = json.load(file)
        sizes = {"drawer": settings["drawerPart"], "details": settings["detailsPart"],
                 "headerPx": settings["headerPx"]}
        return all(abs(sizes[part] - s["parts"][part]) < 0.001 for part in sizes)

    window.wait(kept, "the sizes are not in the settings file")
    for place in moves:
        window.click(*window.state()["places"][place], repeat=2)
        window.settled()
    check(window.state()["parts"] == before, f"a double click did not reset them: {window.state()['parts']}")


def the_drawer_covers_the_timeline_and_goes(window):
    state = start_over(window)
    below = state["places"]["drawer_close"][1]
    window.key("alt+q")
    state = window.wait(lambda s: s["drawerMaximised"] and s["places"]["drawer_close"][1] < 100, "Alt+Q did not maximise it")
    window.press("drawer_maximise")
    window.wait(lambda s: not s["drawerMaximised"] and s["places"]["drawer_close"][1] == below, "the button did not restore it")
    window.press("drawer_maximise")
    window.wait(lambda s: s["drawerMaximised"], "the button did not maximise it")
    window.key("alt+q")
    window.wait(lambda s: not s["drawerMaximised"], "Alt+Q did not restore it")
    window.press("drawer_close")
    window.wait(lambda s: not s["drawerOpen"], "the button did not close it")
    window.key("q")
    window.wait(lambda s: s["drawerOpen"], "Q did not open the drawer")


def looks(window):
    window.key("ctrl+shift+l")
    window.wait(lambda s: s["lightTheme"], "Ctrl+L did not change the theme")
    window.key("ctrl+shift+l")
    window.wait(lambda s: not s["lightTheme"], "Ctrl+L did not change the theme back")
    window.key("ctrl+plus")
    window.wait(lambda s: s["uiScale"] > 1, "Ctrl++ did not enlarge the text")
    window.key("ctrl+0")
    window.wait(lambda s: s["uiScale"] == 1, "Ctrl+0 did not set the size back")


if __name__ == "__main__":
    run([a_click_selects_and_shows_details, a_kernel_shows_its_args, stepping_on_the_track,
         f_focuses_and_fits, a_double_click_zooms, a_drag_selects_a_range, n_walks_through_the_gaps,
         the_filter_narrows_the_table, a_row_highlights_and_steps,
         a_chosen_row_fills_the_details_and_has_a_menu, menus_are_grouped, idle_figures_lead_to_each_other, a_header_sorts,
         the_sheet_and_the_drawer, splitters_follow_the_mouse, the_drawer_covers_the_timeline_and_goes, looks],
        [DEMO])
