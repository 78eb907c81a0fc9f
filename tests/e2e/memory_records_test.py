#!/usr/bin/env python3
"""Memory of a trace's own [memory] records beside a file of export_memory_timeline, in the real window: allocations
below their operators, what was live when one was made, the eight categories."""

import json
import os
import tempfile

from window_driver import check, run

KIB = 1024


def trace():
    """Three steps; each operator keeps 64 KiB until the end of its step, 100 us after the last of six."""
    events, total = [], 0

    def record(ts, size, address):
        nonlocal total
        total += size
        events.append({"ph": "i", "s": "t", "name": "[memory]", "cat": "cpu_instant_event", "pid": 1, "tid": 1, "ts": ts,
                       "args": {"Bytes": size, "Device Type": 1, "Device Id": 0, "Addr": address, "Total Allocated": total,
                                "Total Reserved": 2048 * KIB}})
    for step in range(3):
        start = 1000 * step
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1,
                       "ts": start, "dur": 900})
        for i in range(6):
            at = start + 100 * i + 10
            events.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": at, "dur": 80})
            record(at + 5, 64 * KIB, 4096 * (1 + i))
        for i in range(6):
            record(start + 800 + i, -64 * KIB, 4096 * (1 + i))
    return {"traceEvents": events}


def nothing_is_drawn_unasked(window):
    state = window.settled()
    check(not state["drawsAllocations"] and state["allocationMarks"]["count"] == 0, state["allocationMarks"])


def the_page_draws_allocations_below_operators(window):
    window.key("ctrl+m")
    state = window.wait(lambda s: s["page"] == "memory" and s["allocationMarks"]["count"] == 18,
                        "no allocations below the operators")
    check(state["memory"]["devices"] == 2 and state["memory"]["peakBytes"] == 6 * 64 * KIB, state["memory"])
    check(state["queues"] == 2, "no lanes of allocated and reserved bytes")


def the_command_hides_and_shows_them(window):
    window.key("ctrl+shift+m")
    window.wait(lambda s: not s["drawsAllocations"] and s["allocationMarks"]["count"] == 0, "they stay")
    window.key("ctrl+shift+m")
    window.wait(lambda s: s["allocationMarks"]["count"] == 18, "they do not come back")


def a_click_on_one_shows_what_was_live(window):
    window.key("Home")
    state = window.settled()
    x, y, _ = state["allocationMarks"]["widest"]
    tracks = state["view"]["tracks"]
    window.click(tracks["x"] + x, tracks["y"] + y)
    state = window.wait(lambda s: s["memory"]["chosen"] and s["memory"]["piece"], "the click chose nothing")
    check(0 < state["memory"]["activeBytes"] <= 6 * 64 * KIB, state["memory"])
    window.press("memory_follow")


def groups_of_the_records(window):
    for place in ("memory_by_operator", "memory_allocations", "memory_flames", "memory_holders"):
        window.press(place)
        window.wait(lambda s: not s["memory"]["computing"], f"{place} goes on computing")


def the_timeline_file_has_its_categories(window):
    window.press("memory_device")
    window.wait(lambda s: s["places"].get("memory_device 1"), "the list of devices did not open")
    window.press("memory_device 1")
    state = window.wait(lambda s: s["memory"]["pieces"] is False, "the second device is not the memory timeline")
    state = window.wait(lambda s: s["memory"].get("areas") == 8, "no eight categories")
    check(state["memory"]["peakBytes"] == 300, state["memory"])
    window.press("copy")
    window.press("copy_csv")
    state = window.wait(lambda s: s["copied"].startswith("Size (B),Own peak (B),Category"), "nothing was copied")
    check("200,200,activation" in state["copied"] and state["copied"].count("\r\n") == 9, state["copied"])


FOLDER = tempfile.TemporaryDirectory()
if __name__ == "__main__":
    first, second = os.path.join(FOLDER.name, "trace.json"), os.path.join(FOLDER.name, "timeline.json")
    with open(first, "w", encoding="utf-8") as file:
        json.dump(trace(), file)
    with open(second, "w", encoding="utf-8") as file:
        json.dump([[1000, 2000, 2500], [[0, 100] + [0] * 7, [0, 100, 0, 0, 0, 200, 0, 0, 0], [0, 100] + [0] * 7]], file)
    run([nothing_is_drawn_unasked, the_page_draws_allocations_below_operators, the_command_hides_and_shows_them,
         a_click_on_one_shows_what_was_live, groups_of_the_records, the_timeline_file_has_its_categories], [first, second])
