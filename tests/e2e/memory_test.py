#!/usr/bin/env python3
"""The memory page in the real window: a snapshot made by Python's own pickle, with another to compare with, and
dumps of the flight recorder beside them."""

import os
import pickle
import tempfile

from window_driver import HEIGHT, check, run, visible_ns

KIB = 1024
BASE = 0x7F0000000000
HOLDERS, ALLOCATIONS, SEGMENTS, ALLOCATOR, FRAGMENTATION, FLAMES, FINDINGS, COMPARE, CHECKPOINTING = range(9)


def frame(name, line):
    return {"name": name, "filename": "/home/me/train.py", "line": line}


def snapshot(extra):
    """A step of 3 ms: weights that stay, activations that come and go, a request that failed. `extra`: KiB of the
    weights."""
    time = 1_750_000_000_000_000
    events, blocks = [], []
    weights, forward = [frame("make_weights", 10), frame("main", 1)], [frame("forward", 20), frame("main", 2)]

    def add(action, address, size, at, frames):
        events.append({"action": action, "addr": address, "size": size, "stream": 0, "time_us": time + at,
                       "frames": frames})
    add("segment_alloc", BASE, 4096 * KIB, 0, weights)
    add("alloc", BASE, extra * KIB, 10, weights)
    blocks.append({"address": BASE, "size": extra * KIB, "requested_size": extra * KIB, "state": "active_allocated",
                   "frames": weights})
    for i in range(6):
        add("alloc", BASE + (1024 + 256 * i) * KIB, 200 * KIB, 100 + 100 * i, forward)
    for i in range(6):
        address = BASE + (1024 + 256 * i) * KIB
        add("free_requested", address, 200 * KIB, 1000 + 300 * i, forward)
        add("free_completed", address, 200 * KIB, 1100 + 300 * i, forward)
    add("oom", 1 << 20, 1 << 30, 2900, forward)
    blocks.append({"address": BASE + extra * KIB, "size": (4096 - extra) * KIB, "state": "inactive", "frames": []})
    segment = {"device": 0, "address": BASE, "total_size": 4096 * KIB, "allocated_size": extra * KIB,
               "active_size": extra * KIB, "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0),
               "is_expandable": False, "frames": [], "blocks": blocks}
    return {"segments": [segment], "device_traces": [events], "allocator_settings": {}, "external_annotations": []}


def dump(rank, states):
    entries = [{"record_id": i, "pg_id": 0, "process_group": ("0", "default_pg"), "collective_seq_id": i + 1,
                "p2p_seq_id": 0, "op_id": i + 1, "profiling_name": "nccl:all_reduce", "time_created_ns": i + 1,
                "input_sizes": [[10]], "output_sizes": [[10]], "input_dtypes": ["Float"], "output_dtypes": ["Float"],
                "state": state, "time_discovered_started_ns": None, "time_discovered_completed_ns": None,
                "retired": state == "completed", "timeout_ms": 1000, "is_p2p": False,
                "frames": [frame("reduce", 30)]} for i, state in enumerate(states)]
    return {"version": "2.10", "entries": entries,
            "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}}}


def show(window, place, what=None):
    window.press(place)
    return window.wait(lambda s: not s["memory"]["computing"] and what in (None, s["memory"]["shows"]),
                       f"{place} is not shown, or goes on computing")


def the_page_shows_the_peak(window):
    window.key("ctrl+m")
    state = window.wait(lambda s: s["page"] == "memory" and s["memory"].get("live") == 7, "Ctrl+M showed no memory")
    check(state["memory"]["activeBytes"] == (900 + 6 * 200) * KIB == state["memory"]["peakBytes"], state["memory"])
    check(state["memory"]["shows"] == HOLDERS and state["memory"]["areas"] >= 2, state["memory"])


def memory_is_the_main_picture(window):
    state = window.settled()
    check(state["view"]["tracks"]["height"] < 0.2 * HEIGHT, "the timeline has the room")
    check(state["headlineText"] == "", "a verdict on nothing stands above it")
    # A report has nothing to say of it: it does not stand at the right, wherever it stands for other files.
    window.key("ctrl+shift+p")
    window.wait(lambda s: s["omnibox"]["focused"], "no palette")
    window.type("dock report")
    window.key("Return")
    window.wait(lambda s: s["reportRight"], "the command does nothing")
    check(window.settled()["view"]["tracks"]["width"] == state["view"]["tracks"]["width"], "an empty report stands there")
    window.key("ctrl+3")
    window.wait(lambda s: s["page"] == "report", "the report is nowhere")
    window.key("ctrl+m")
    window.wait(lambda s: s["page"] == "memory", "memory does not come back")


def checkpointing_by_module(window):
    state = show(window, "memory_checkpointing")
    check(state["memory"]["shows"] == CHECKPOINTING, "no checkpointing")
    window.wait(lambda s: s["places"].get("memory_activations"), "nothing is said of activations")
    show(window, "memory_holders")


def a_click_chooses_a_moment(window):
    window.key("Home")
    window.settled()
    place = window.wait(lambda s: s["places"]["memory_chart"], "no chart")["places"]["memory_chart"]
    window.click(place[0] + 90, place[1])
    state = window.wait(lambda s: s["memory"]["chosen"], "the click chose no moment")
    check(state["memory"]["activeBytes"] < state["memory"]["peakBytes"], "it is still the peak")
    state = window.wait(lambda s: s["memory"]["liveMoment"] == s["memory"]["moment"], "the table did not follow")
    moment = state["memory"]["moment"]
    window.press("memory_back")
    window.wait(lambda s: s["memory"]["moment"] == moment - 1, "back did not step")
    window.press("memory_forth")
    window.wait(lambda s: s["memory"]["moment"] == moment, "forth did not step")
    window.press("memory_peak")
    window.wait(lambda s: s["memory"]["live"] == 7, "the peak of all is not there")
    window.press("memory_follow")
    window.wait(lambda s: not s["memory"]["chosen"], "it does not follow again")


def it_follows_zoom_and_selection(window):
    whole = visible_ns(window.settled())
    for _ in range(3):
        place = window.state()["places"]["memory_chart"]
        window.wheel(place[0] + 80, place[1], 2, "ctrl")
    state = window.settled()
    check(visible_ns(state) < whole / 2, "Ctrl+wheel on the chart did not zoom the timeline")
    check(state["memory"]["activeBytes"] < state["memory"]["peakBytes"], "the peak in view is still that of all")
    window.key("Home")
    state = window.settled()
    tracks = state["view"]["tracks"]
    x, y = tracks["x"] + tracks["width"] * 0.93, tracks["y"] + tracks["height"] * 0.5
    window.drag(x, y, x + 40, y, modifier="alt")
    state = window.wait(lambda s: s["area"] and s["memory"]["activeBytes"] < s["memory"]["peakBytes"],
                        "it does not follow the selected range")
    window.key("Escape")
    window.wait(lambda s: s["memory"]["activeBytes"] == s["memory"]["peakBytes"], "it stays with the range")


def a_row_has_a_stack_and_a_place(window):
    window.press("memory_first_row")
    window.wait(lambda s: s["memory"]["piece"], "the row was not chosen")
    x, y = window.state()["places"]["memory_first_row"]
    window.click(x, y, repeat=2)
    state = window.settled()
    check(state["area"] is not None, "the double click led nowhere")
    window.key("Escape", "Home")
    window.press("header Size")
    window.settled()
    window.press("memory_first_area")
    window.wait(lambda s: s["memory"]["area"], "the legend chose nothing")
    window.press("memory_first_area")
    window.wait(lambda s: not s["memory"]["area"], "the legend keeps its choice")


def a_table_is_copied(window):
    window.press("memory_peak")
    window.settled()
    window.press("copy")
    window.press("copy_csv")
    state = window.wait(lambda s: s["copied"].startswith("Size (B),Allocated by"), "nothing was copied")
    check(state["copied"].count("\r\n") == 8 and "make_weights" in state["copied"], state["copied"])


def groups_and_views(window):
    window.press("memory_by_frame")
    state = window.wait(lambda s: s["memory"]["by"] == 3 and s["memory"]["areas"] == 2, "no areas by frame")
    show(window, "memory_allocations", ALLOCATIONS)
    show(window, "memory_segments", SEGMENTS)
    show(window, "memory_allocator")
    state = window.wait(lambda s: s["memory"].get("segments") == 1, "the allocator has no segment")
    check(state["memory"]["shows"] == ALLOCATOR, "no allocator")
    show(window, "memory_fragmentation")
    show(window, "memory_flames")
    state = window.wait(lambda s: s["memory"].get("frames", 0) >= 4, "no flames")
    window.press("memory_base")
    show(window, "memory_findings")
    window.press("memory_oom")
    state = window.wait(lambda s: s["memory"]["shows"] == HOLDERS and s["memory"]["chosen"], "the link led nowhere")
    window.press("memory_follow")


def a_second_snapshot_is_compared(window):
    window.press("memory_compare")
    window.wait(lambda s: s["memory"]["shows"] == COMPARE, "no comparison")
    window.key("ctrl+shift+o")
    window.wait(lambda s: s["fileBrowserOpen"], "no dialog")
    window.press("path")
    window.key("ctrl+a")
    window.type(os.path.join(FOLDER.name, "b.pickle"))
    window.key("Return")
    window.wait(lambda s: s["compare"]["hasOther"] and not s["compare"]["loading"],
                "the second snapshot did not open", 20)
    window.settled()
    window.key("ctrl+m")
    window.wait(lambda s: s["places"]["memory_first_change"], "no change is listed", 20)


def the_job_page_tells_of_hangs(window):
    window.key("ctrl+shift+p")
    window.wait(lambda s: s["omnibox"]["focused"], "no palette")
    window.type("Job: the ranks")
    window.key("Return")
    window.wait(lambda s: s["page"] == "job" and s["places"]["job_hang"], "the job page says nothing of the dumps")


FOLDER = tempfile.TemporaryDirectory()
if __name__ == "__main__":
    for name, value in (("a.pickle", snapshot(900)), ("b.pickle", snapshot(700)),
                        ("nccl_trace_rank_0", dump(0, ["completed", "started"])),
                        ("nccl_trace_rank_1", dump(1, ["completed"]))):
        with open(os.path.join(FOLDER.name, name), "wb") as file:
            pickle.dump(value, file, 4)
    run([the_page_shows_the_peak, memory_is_the_main_picture, checkpointing_by_module, a_click_chooses_a_moment, it_follows_zoom_and_selection,
         a_row_has_a_stack_and_a_place, a_table_is_copied, groups_and_views, a_second_snapshot_is_compared,
         the_job_page_tells_of_hangs], [os.path.join(FOLDER.name, "a.pickle")])
