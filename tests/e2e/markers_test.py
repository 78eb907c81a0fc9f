#!/usr/bin/env python3
"""Markers with notes that come back, selections of time and tracks, snapping."""

import json
import subprocess

from window_driver import DEMO, PROGRAM, check, opened_twice, run, skip_unless_possible, time_at


def start_over(window):
    window.key("Escape", "Home")
    return window.settled()


def a_wide_slice(state, least=60):
    tracks = state["view"]["tracks"]
    for s in state["visibleSlices"]:
        if (s["y0"] >= tracks["y"] and s["y1"] <= tracks["y"] + tracks["height"]
                and s["x1"] - s["x0"] >= least and s["x0"] > tracks["x"] + 20
                and s["x1"] < tracks["x"] + tracks["width"] - 20):
            return s
    raise AssertionError("no slice is wide enough")


def markers_are_listed_chosen_and_deleted(window):
    state = start_over(window)
    target = a_wide_slice(state)
    window.click((target["x0"] + target["x1"]) / 2, (target["y0"] + target["y1"]) / 2)
    window.wait(lambda s: s["selection"]["kind"] == "slice", "nothing selected")
    window.key("shift+m")
    state = window.wait(lambda s: len(s["markers"]) == 1 and s["page"] == "markers", "no marker")
    number = state["markers"][0]["number"]
    check(state["markers"][0]["beginNs"] == state["selection"]["beginNs"], "not the selected span")
    check(state["markers"][0]["on"] == "slice", "not on the slice")
    window.probe()  # the cursor is in the note already
    window.type("look here")
    window.wait(lambda s: s["markers"][0]["note"] == "look here", "the note was not taken")
    window.key("Return")  # Esc would take the text back
    start_over(window)
    window.key("minus", "minus")
    window.settled()
    before = window.settled()["view"]["camera"]
    for _ in range(12):
        window.key("plus")
    window.settled()
    window.press(f"marker {number}")
    state = window.settled()
    marker, camera = state["markers"][0], state["view"]["camera"]
    check(camera["beginNs"] < marker["endNs"] and marker["beginNs"] < camera["endNs"],
          "a click in the list did not go there")
    check(camera != before, "the view did not move")
    check(state["selection"]["kind"] == "slice", "a click in the list did not select the slice")
    window.press("copy_notes")
    window.settled()
    window.press(f"delete {number}")
    window.wait(lambda s: not s["markers"], "the marker was not deleted")
    window.press("paste_notes")
    state = window.wait(lambda s: len(s["markers"]) == 1, "the copied notes were not pasted")
    check((state["markers"][0]["note"], state["markers"][0]["on"]) == ("look here", "slice"), "another note")
    window.press(f"delete {state['markers'][0]['number']}")
    window.wait(lambda s: not s["markers"], "the marker was not deleted")
    window.key("ctrl+1")


def a_moment_under_the_mouse(window):
    state = start_over(window)
    tracks = state["view"]["tracks"]
    x = tracks["x"] + tracks["width"] * 0.4
    window.move(x, tracks["y"] + 40)
    state = window.settled()
    window.key("shift+m")
    marker = window.wait(lambda s: len(s["markers"]) == 1, "no marker")["markers"][0]
    check(marker["beginNs"] == marker["endNs"], "not a moment")
    check(abs(marker["beginNs"] - time_at(state, x)) <= 2 * state["view"]["nsPerPx"], "not at the mouse")
    # On the ruler it can be clicked.
    window.key("ctrl+1")
    window.wait(lambda s: s["page"] == "statistics", "no statistics")
    window.click(x, state["places"]["minimap"][1] + 30)
    window.wait(lambda s: s["page"] == "markers" and s["chosenMarker"] == marker["number"],
                "a click on its flag did not choose the marker")
    window.key("Delete")
    window.wait(lambda s: not s["markers"], "Delete did not remove it")
    window.key("ctrl+1")


def m_shows_a_span_for_the_time_being(window):
    state = start_over(window)
    tracks = state["view"]["tracks"]
    x, y = tracks["x"] + tracks["width"] * 0.3, tracks["y"] + tracks["height"] * 0.5
    window.drag(x, y, x + 100, y)
    area = window.settled()["area"]
    window.key("m")
    state = window.wait(lambda s: s["temporary"] == area, "M shows no span")
    window.key("Escape")
    check(window.settled()["temporary"] == area, "Esc took the span away")
    window.key("m")
    window.wait(lambda s: s["temporary"] is None, "M with nothing selected did not let go")


def a_drag_sticks_to_edges(window):
    state = start_over(window)
    target = a_wide_slice(state)
    y = (target["y0"] + target["y1"]) / 2
    window.drag(target["x0"] + 4, y, target["x1"] - 4, y)
    state = window.settled()
    window.click((target["x0"] + target["x1"]) / 2, y)
    selection = window.wait(lambda s: s["selection"]["kind"] == "slice", "nothing selected")["selection"]
    check(state["area"]["beginNs"] == selection["beginNs"] and state["area"]["endNs"] == selection["endNs"],
          f"{state['area']} is not the slice {selection}")


def a_drag_selects_tracks(window):
    state = start_over(window)
    headers = sorted((h for h in state["tracks"]["headers"] if h["kind"] == "track"),
                     key=lambda h: h["y0"])
    tracks = state["view"]["tracks"]
    x = tracks["x"] + tracks["width"] * 0.2
    window.drag(x, headers[0]["y0"] + 4, x + 300, headers[1]["y0"] + 6)
    state = window.settled()
    check(state["countedTracks"] == 2, f"{state['countedTracks']} tracks are selected instead of 2")
    events = state["statistics"]["events"]
    # The box of the second one takes it out; once more, and it is back.
    window.click(14, headers[1]["y0"] + 14)
    state = window.wait(lambda s: s["countedTracks"] == 1, "the box did not take the track out")
    check(window.settled()["statistics"]["events"] < events, "the statistics did not follow")
    window.click(14, headers[1]["y0"] + 14)
    window.wait(lambda s: s["countedTracks"] == 2, "the box did not take the track in again")
    check(window.settled()["statistics"]["events"] == events, "not the same as before")
    # From the ruler: every track.
    before = window.settled()["area"]
    y = state["places"]["minimap"][1] + 30
    window.drag(x + 60, y, x + 240, y)
    state = window.settled()
    check(state["area"] and state["area"] != before and state["countedTracks"] == 0,
          "a drag on the ruler does not select all tracks")
    window.key("Escape")
    check(window.settled()["countedTracks"] == 0, "Esc keeps the tracks")


def the_command_line_adds_a_note_to_an_open_window(window):
    start_over(window)
    window.key("shift+m")
    window.wait(lambda s: len(s["markers"]) == 1, "no marker")
    environment = dict(window.environment)

    def lacuna_notes(*words):
        return json.loads(subprocess.run([PROGRAM, "notes", DEMO, "--json", *words], env=environment, check=True,
                                         capture_output=True, text=True).stdout)["notes"]

    window.wait(lambda s: len(lacuna_notes()) == 1, "the window's note is not written")
    check(len(lacuna_notes("--add", "from outside", "--steps", "3..3")) == 2, "not added")
    step = iter(range(10_000))

    def seen(state):
        window.move(600 + next(step) % 50, 300)  # somebody uses it
        return sorted(m["note"] for m in state["markers"]) == ["", "from outside"]

    state = window.wait(seen, "the window does not take it over")
    for marker in state["markers"]:
        window.press(f"delete {marker['number']}")
    window.wait(lambda s: not s["markers"] and not lacuna_notes(), "what is deleted is deleted there, too")


def mark_and_note(window):
    state = window.state()
    target = a_wide_slice(state)
    window.click((target["x0"] + target["x1"]) / 2, (target["y0"] + target["y1"]) / 2)
    window.wait(lambda s: s["selection"]["kind"] == "slice", "nothing selected")
    window.key("shift+m")
    number = window.wait(lambda s: s["markers"], "no marker")["markers"][0]["number"]
    window.press(f"note {number}")
    window.type("again")
    state = window.wait(lambda s: s["markers"][0]["note"] == "again", "no note")
    window.key("Return")
    return state["markers"][0]


def the_marker_is_back(window, made):
    found = window.wait(lambda s: s["markers"], "the marker did not come back")["markers"][0]
    check(found["note"] == "again" and found["beginNs"] == made["beginNs"], f"another marker came back: {found}")


if __name__ == "__main__":
    skip_unless_possible()
    opened_twice(mark_and_note, the_marker_is_back)
    print("ok     markers come back", flush=True)
    run([the_command_line_adds_a_note_to_an_open_window, markers_are_listed_chosen_and_deleted, a_moment_under_the_mouse,
         m_shows_a_span_for_the_time_being, a_drag_sticks_to_edges, a_drag_selects_tracks], [DEMO])
