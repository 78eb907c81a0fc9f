#!/usr/bin/env python3
"""torch.profiler's table, causes of gaps and their rankings, queue depth, steps, counted tracks."""

import os

from window_driver import DEMO, check, opened_twice, run, skip_unless_possible


def start_over(window):
    window.key("Escape", "Home")
    state = window.settled()
    window.move(5, 5)
    return state


def torch_table_follows_the_range(window):
    start_over(window)
    window.key("t")
    state = window.wait(lambda s: s["torchTable"] and s["torch"]["rows"] > 0,
                        "T did not open torch.profiler's table")
    whole = window.settled()["torch"]
    check(whole["error"] == "", whole["error"])
    window.key("greater")
    state = window.settled()
    check(state["area"] is not None, "> selected no step")
    check(0 < state["torch"]["rows"] <= whole["rows"], "the table of one step is not a part of all")
    window.key("Escape")
    check(window.settled()["torch"]["rows"] == whole["rows"], "Esc did not bring the whole back")


def torch_table_sorts_and_groups(window):
    start_over(window)
    before = window.settled()["torch"]
    window.press("header Self CPU")
    state = window.settled()
    check(state["torch"]["sort"] != before["sort"], "a click on a header did not sort")
    window.press("time_union")
    state = window.wait(lambda s: s["torch"]["covered"], "Union did not switch")
    window.press("time_sum")
    window.wait(lambda s: not s["torch"]["covered"], "Sum did not switch back")
    window.press("torch_options")
    window.press("by_shape")
    window.wait(lambda s: s["torch"]["byShape"], "no grouping by shape")
    state = window.settled()
    check(state["torch"]["rows"] >= before["rows"], "grouping by shape lost rows")
    window.press("by_shape")
    window.wait(lambda s: not s["torch"]["byShape"], "grouping by shape does not end")
    window.key("Escape")
    window.settled()
    window.press("first_torch_row")
    state = window.settled()
    check(state["occurrences"]["count"] > 0, "a row of torch's table leads nowhere")
    window.key("Escape")


def tables_are_copied(window):
    start_over(window)
    window.press("copy")
    window.press("copy_text")
    state = window.wait(lambda s: "Self CPU %" in s["copied"] and "-----" in s["copied"],
                        "no text of torch's table")
    window.press("copy")
    window.press("copy_csv")
    state = window.wait(lambda s: s["copied"].startswith("Name,Self CPU %"), "no CSV of torch's table")
    window.press("table_slices")
    window.wait(lambda s: not s["torchTable"], "Slices did not switch back")
    window.press("copy")
    window.press("copy_csv")
    state = window.wait(lambda s: s["copied"].startswith("Name,Category,Count,Total (ns)"),
                        "no CSV of the statistics")
    check(len(state["copied"].splitlines()) > 3, "the CSV has no rows")


def groups_lead_to_slices(window):
    start_over(window)
    window.key("ctrl+1")
    window.press("table_groups")
    window.press("first_group_row")
    state = window.settled()
    check(state["selection"]["kind"] == "slice", "a group leads to no slice")
    window.press("copy")
    window.press("copy_csv")
    window.wait(lambda s: s["copied"].startswith("Group,Category,count,totalNs"), "no CSV of groups")
    window.press("table_slices")
    window.key("Escape")


def causes_rank_and_lead(window):
    start_over(window)
    window.key("c")
    window.wait(lambda s: s["page"] == "gaps" and s["gapsView"] == "causes", "C opened no ranking")
    state = window.wait(lambda s: s["causes"]["known"] and s["causes"]["causes"] > 0, "no causes")
    window.press("first_cause")
    state = window.settled()
    check(state["causes"]["route"] > 0, "a click on a cause chose no places")
    check(state["selection"]["kind"] == "gap", "a click on a cause led to no gap")
    check("selected" in state["causes"], "the gap has no cause")
    cause = state["causes"]["selected"]
    window.key("Escape")
    state = window.settled()
    check(state["causes"]["route"] == 0, "Esc did not let go of the places")
    window.press("first_cause")
    for _ in range(3):
        window.key("n")
        state = window.settled()
        check(state["causes"]["selected"] == cause, "N left the chosen cause")
    window.key("Escape")


def operators_rank_and_lead(window):
    start_over(window)
    window.key("o")
    window.wait(lambda s: s["gapsView"] == "operators", "O opened no ranking")
    state = window.wait(lambda s: s["causes"].get("operators", 0) > 0, "no operators")
    places = state["causes"]["firstPlaces"]
    window.press("first_operator")
    state = window.settled()
    check(state["causes"]["route"] == places, "the row does not lead to its places")
    check(state["selection"]["kind"] == "gap", "the row led to no gap")
    first = state["selection"]
    if places > 1:
        window.press("second_place")
        state = window.settled()
        check(state["selection"] != first and state["selection"]["kind"] == "gap",
              "a click on a place went nowhere")
        where = state["causes"]["routeAt"]
        step = "n" if where + 1 < places else "shift+n"
        window.key(step)
        state = window.settled()
        check(abs(state["causes"]["routeAt"] - where) == 1, "N does not walk through the places")
    window.press("copy")
    window.press("copy_csv")
    window.wait(lambda s: s["copied"].startswith("Operator,Lost (ns)"), "no CSV of the ranking")
    window.key("Escape")


def dead_windows_lead(window):
    start_over(window)
    window.press("gaps_dead")
    window.wait(lambda s: s["gapsView"] == "dead", "no dead windows")
    window.press("first_instance")
    state = window.settled()
    check(state["selection"]["kind"] == "slice", "a dead window led nowhere")
    window.press("gaps_list")
    window.key("ctrl+1")
    window.wait(lambda s: s["page"] == "statistics", "Ctrl+1 did not lead back")


def queues_show_and_hide(window):
    state = start_over(window)
    height = state["view"]["contentHeight"]
    window.key("shift+q")
    state = window.wait(lambda s: s["queues"] > 0, "Shift+Q showed no queue depth")
    check(state["view"]["contentHeight"] > height, "the queue has no room")
    window.key("shift+q")
    state = window.wait(lambda s: s["queues"] == 0, "Shift+Q did not hide it")
    check(state["view"]["contentHeight"] == height, "the queue left room behind")


def a_histogram_parts_the_durations(window):
    start_over(window)
    window.key("ctrl+1")
    window.press("table_slices")
    window.press("first_row")
    state = window.settled()
    check(state["histogram"]["bins"] > 0, "the chosen row has no histogram")
    count = state["occurrences"]["count"]
    window.press("histogram")
    state = window.settled()
    if state["histogram"]["restricted"]:  # the bin in the middle may be empty
        check(0 < state["occurrences"]["count"] <= count, "a bin has no slices")
        window.wheel(*state["places"]["histogram"], -30)  # it lies below what is said of the slice
        window.settled()
        window.press("histogram_all")
        state = window.settled()
    check(state["occurrences"]["count"] == count, "All does not bring back all slices")
    window.key("Escape")
    check(window.settled()["histogram"]["bins"] == 0, "Esc did not end the histogram")


def steps_are_selected(window):
    state = start_over(window)
    check(state["steps"] > 1, "the demo has no steps")
    window.key("ctrl+g")
    window.press("step_1")
    state = window.settled()
    second = state["area"]
    check(second is not None, "a click on a step selected nothing")
    window.key("Escape")
    check(window.settled()["area"] == second, "Esc did more than close the list")
    window.key("less")
    state = window.settled()
    check(state["area"] is not None and state["area"]["endNs"] <= second["beginNs"] + 1000,
          "< did not go to the step before")
    window.key("Escape")
    check(window.settled()["area"] is None, "Esc did not end the range")


def steps_are_told_by_another_name(window):
    state = start_over(window)
    camera, steps = state["view"]["camera"], state["steps"]
    check(state["stepsFrom"] == "", f"the demo's steps are from {state['stepsFrom']}")
    window.key("ctrl+shift+g")
    window.press("steps_from_4")
    window.wait(lambda s: s["stepsFrom"] == "forward", "the fifth of the names offered is not what the steps are from")
    check(window.settled()["view"]["camera"] == camera, "the view did not stay")
    window.key("ctrl+shift+g")
    window.wait(lambda s: s["places"].get("steps_pattern"), "no field for another name")
    window.type("forward*")
    window.key("Return")
    window.wait(lambda s: s["stepsFrom"] == "forward*" and s["steps"] == steps, "a name that is typed is not taken")
    window.key("ctrl+shift+g")
    window.press("steps_as_found")
    window.wait(lambda s: s["stepsFrom"] == "" and s["steps"] == steps, "the steps are not those found unasked")


def choose_steps(window):
    window.key("ctrl+shift+g")
    window.press("steps_from_4")
    return window.wait(lambda s: s["stepsFrom"] == "forward", "the steps are not from the name chosen")["steps"]


def the_steps_are_remembered(window, steps):
    window.wait(lambda s: s["stepsFrom"] == "forward" and s["steps"] == steps, "what steps are is not remembered")


def only_one_track_counts(window):
    state = start_over(window)
    rows = state["statistics"]["rows"]
    tracks = state["view"]["tracks"]
    target = next(s for s in state["visibleSlices"] if not s["activity"])
    window.click(tracks["x"] - 120, (target["y0"] + target["y1"]) / 2, button=3)
    window.press("count_only")
    state = window.settled()
    check(state["countedTracks"] == 1, "the menu of the title did not choose the track")
    check(0 < state["statistics"]["rows"] < rows, "the statistics still count all tracks")
    window.key("Escape")
    state = window.settled()
    check(state["countedTracks"] == 0 and state["statistics"]["rows"] == rows,
          "Esc did not bring all tracks back")


def the_report_leads_to_its_evidence(window):
    start_over(window)
    window.key("ctrl+3")
    window.wait(lambda s: s["page"] == "report" and s["report"] > 0, "Ctrl+3 opened no report")
    window.settled()
    # Its cards lead to the timeline, to a part of their picture, and to what is said about them below.
    window.press("card_show steps")
    state = window.settled()
    check(state["selection"].get("name", "").startswith("ProfilerStep#"), f"no step but {state['selection']}")
    camera = state["view"]["camera"]
    window.press("card_picture summary")
    state = window.settled()
    check(state["view"]["camera"] != camera, "a part of a picture leads nowhere")
    window.press("card summary")
    window.settled()
    window.press("first_evidence")
    state = window.settled()
    check(state["selection"]["kind"] == "slice" or state["area"] is not None,
          "a sentence of the report leads nowhere")
    window.press("section advice")
    window.press("copy")
    window.press("copy_text")
    window.wait(lambda s: len(s["copied"]) > 200, "the report was not copied")
    window.key("Escape")


def operators_lead_to_kernels(window):
    start_over(window)
    window.key("slash")
    window.type("aten::linear")
    window.key("Return", "Escape")
    state = window.wait(lambda s: s["selection"].get("name") == "aten::linear" and s["sliceWork"]["count"] > 0,
                        "the details of aten::linear know no kernels")
    check(state["sliceWork"]["timeNs"] > 0, "the kernels of aten::linear take no time")
    window.key("bracketright")
    state = window.wait(lambda s: s["selection"].get("name") != "aten::linear", "] does not lead to its first kernel")
    check(state["selection"]["beginNs"] > 0 and "aten" not in state["selection"]["name"].split("<")[0].split("::")[0],
          f"] led to {state['selection']['name']!r}")
    window.key("bracketleft")
    window.wait(lambda s: "aunch" in s["selection"].get("name", ""), "[ does not lead to the launch")
    start_over(window)
    window.key("ctrl+1")
    window.wait(lambda s: s["page"] == "statistics", "Ctrl+1 shows no statistics")
    window.settled()
    window.press("table_slices")
    window.key("ctrl+shift+f")
    window.type("aten::addmm")
    window.wait(lambda s: s["statistics"].get("firstName") == "aten::addmm", "the filter does not find aten::addmm")
    window.press("first_row")
    window.wait(lambda s: s["rowWork"]["count"] + s["rowWork"].get("activities", 0) > 0,
                "the details of a chosen row know no GPU work")
    window.key("ctrl+shift+f", "ctrl+a", "BackSpace")
    window.wait(lambda s: s["statistics"]["filter"] == "", "the filter does not end")
    window.press("table_slices")


def calls_as_flames_and_table(window):
    start_over(window)
    window.key("k")
    state = window.wait(lambda s: s["page"] == "calls" and s["calls"]["nodes"] > 10, "K shows no calls")
    whole = state["calls"]["totalNs"]
    window.press("flame")
    frame = window.wait(lambda s: s["calls"]["chosen"] != "", "a click chooses no frame")["calls"]["chosen"]
    window.press("calls_places")
    state = window.wait(lambda s: s["occurrences"]["count"] > 0 and s["selection"]["kind"] == "slice",
                        "a frame does not lead back to the timeline")
    check(frame.split("#")[0] in state["selection"]["name"], f"{frame!r} led to {state['selection']['name']!r}")
    window.press("calls_gpu")
    state = window.wait(lambda s: s["calls"]["metric"] == 1 and s["calls"]["totalNs"] not in (0, whole),
                        "no call tree by GPU time")
    check(state["calls"]["totalNs"] == state["statistics"]["gpuTotalNs"], "the root is not the statistics' GPU time")
    window.press("calls_bottom_up")
    state = window.settled()
    check(state["calls"]["totalNs"] == state["statistics"]["gpuTotalNs"], "bottom-up has another root")
    window.press("calls_idle")
    window.wait(lambda s: s["calls"]["metric"] == 2 and s["calls"]["totalNs"] > 0, "no call tree by idle time")
    window.press("calls_cpu")
    window.press("calls_top_down")
    window.press("calls_table")
    rows = window.settled()["calls"]["rows"]
    window.press("calls_search")
    window.type("addmm")
    state = window.wait(lambda s: s["calls"]["found"] > 0, "the search finds no frame")
    check(state["calls"]["rows"] != rows, "the table does not follow the search")
    window.key("ctrl+a", "BackSpace")
    window.wait(lambda s: s["calls"]["found"] == 0, "the search does not end")
    window.press("calls_flames")
    window.settled()
    window.key("Escape", "greater")
    # Both are computed in the background, each in its own time.
    window.wait(lambda s: s["area"] is not None and 0 < s["calls"]["totalNs"] < whole
                and s["calls"]["totalNs"] == s["statistics"]["cpuSelfNs"],
                "the root of the call tree does not become the selected step's CPU time")
    window.key("Escape", "ctrl+1")
    window.settled()


def two_traces_are_compared(window):
    state = start_over(window)
    own = state["view"]["tracks"]["height"]
    window.key("ctrl+shift+o")
    window.wait(lambda s: s["fileBrowserOpen"], "Ctrl+Shift+O opened no dialog")
    window.press("path")
    window.key("ctrl+a")
    window.type(DEMO)
    window.key("Return")
    window.wait(lambda s: s["compare"]["hasOther"], "the other trace did not load")
    state = window.wait(lambda s: s["compare"]["rows"] > 0, "no comparison")
    state = window.settled()
    check(state["page"] == "compare", "the comparison is not shown")
    check(state["compare"]["split"] and state["view"]["tracks"]["height"] < own,
          "the timeline is not split")
    check(state["compare"]["camera"] == state["view"]["camera"], "a trace and itself are not aligned")
    # Each half says which trace it is.
    tracks, places = state["view"]["tracks"], state["places"]
    check(places["split_A"][1] < tracks["y"] < tracks["y"] + tracks["height"] <= places["split_B"][1],
          "the halves are not labelled")
    check(os.path.basename(DEMO) == state["compare"]["titleA"] == state["compare"]["titleB"], "the labels have no names")
    tracks = state["view"]["tracks"]
    window.wheel(tracks["x"] + 200, tracks["y"] + 20, 4, "ctrl")
    state = window.settled()
    check(state["compare"]["nsPerPx"] == state["view"]["nsPerPx"], "B does not follow A's zoom")
    check(state["compare"]["camera"] == state["view"]["camera"], "B does not follow A")
    window.press("first_diff")
    state = window.settled()
    check(state["selection"]["kind"] == "slice" and state["compare"]["selected"],
          "a row leads nowhere")
    window.press("locked")
    window.wait(lambda s: not s["compare"]["locked"], "the views do not unlock")
    # B lies below A; dragging it moves B alone.
    y = tracks["y"] + tracks["height"] + 90
    before = window.settled()
    window.drag(tracks["x"] + 300, y, tracks["x"] + 360, y, button=3)
    state = window.settled()
    check(state["view"]["camera"] == before["view"]["camera"], "A moved although unlocked")
    check(state["compare"]["camera"] != before["compare"]["camera"], "B did not move")
    offset = state["compare"]["offsetNs"]
    check(offset != 0, "the offset was not taken over")
    window.press("locked")
    window.wait(lambda s: s["compare"]["locked"], "the views do not lock again")
    window.drag(tracks["x"] + 300, y, tracks["x"] + 360, y, button=3)
    state = window.settled()
    check(state["view"]["camera"] != before["view"]["camera"], "A does not follow B")
    check(abs(state["compare"]["camera"]["beginNs"] - state["view"]["camera"]["beginNs"] - offset) <= 1,
          "locked views lost their offset")
    window.press("close_other")
    window.wait(lambda s: not s["compare"]["hasOther"], "B does not close")
    window.key("ctrl+1")
    window.settled()


if __name__ == "__main__":
    skip_unless_possible()
    opened_twice(choose_steps, the_steps_are_remembered)
    print("ok     the_steps_are_remembered", flush=True)
    run([torch_table_follows_the_range, torch_table_sorts_and_groups, tables_are_copied, groups_lead_to_slices,
         causes_rank_and_lead, operators_rank_and_lead, dead_windows_lead, queues_show_and_hide,
         a_histogram_parts_the_durations, steps_are_selected, steps_are_told_by_another_name, only_one_track_counts, the_report_leads_to_its_evidence,
         operators_lead_to_kernels, calls_as_flames_and_table,
         two_traces_are_compared], [DEMO])
