#!/usr/bin/env python3
"""The critical path and the page "What if" in the real window, with real keys: Shift+C draws the path of the whole
trace, of a step and of a dragged range, its rows lead to their places, and chosen changes are predicted."""

from window_driver import DEMO, check, run


def path_of(window, wall, what):
    return window.wait(lambda s: s["path"]["rows"] and s["path"].get("wallNs") == wall
                       and not s["path"]["computing"], f"no critical path of {what}")


def path_span(window):
    state = window.settled()
    return state["span"]["endNs"] - state["span"]["beginNs"]


def shift_c_draws_the_path(window):
    state = window.settled()
    span = state["span"]["endNs"] - state["span"]["beginNs"]
    check(state["path"]["bars"] == 0 and not state["path"]["drawn"], "a path is drawn unasked")
    window.key("shift+c")
    state = path_of(window, span, "the whole trace")
    check(state["page"] == "path", "Shift+C does not show the page")
    check(state["path"]["sumNs"] == span, "the rows do not add up to the wall time")
    state = window.wait(lambda s: s["path"]["hasSlack"], "no slack")
    check(state["path"]["bars"] > 0, "no path on the timeline")
    check(state["path"]["dimmed"] > 0, "nothing is dimmed")


def it_follows_the_selection(window):
    span = path_span(window)
    window.key("greater")
    state = window.wait(lambda s: s["area"], "> selects no step")
    step = state["area"]["endNs"] - state["area"]["beginNs"]
    state = path_of(window, step, "a step")
    check(state["path"]["sumNs"] == step, "the rows of a step do not add up to it")
    tracks = state["view"]["tracks"]
    y = tracks["y"] + tracks["height"] * 0.7
    window.drag(tracks["x"] + tracks["width"] * 0.3, y, tracks["x"] + tracks["width"] * 0.6, y)
    state = window.wait(lambda s: s["area"] and s["area"]["endNs"] - s["area"]["beginNs"] != step, "no range by drag")
    state = window.settled()  # the whole drag
    path_of(window, state["area"]["endNs"] - state["area"]["beginNs"], "a dragged range")
    window.key("Escape", "Escape")
    path_of(window, span, "the whole trace again")


def rows_lead_to_places(window):
    window.press("path_first_row")
    state = window.wait(lambda s: s["selection"]["kind"] == "slice", "a row selects no slice")
    check(state["selection"]["name"] == state["path"]["firstName"], "a row leads to another name")
    check(state["path"]["drawn"], "going there ends the drawing")
    window.press("path_flames")
    state = window.wait(lambda s: s["page"] == "calls" and s["calls"]["nodes"] > 1 and not s["calls"]["computing"]
                        and s["calls"].get("totalNs") == s["path"]["wallNs"], "no flame graph of the path")
    window.key("shift+c")
    state = window.wait(lambda s: not s["path"]["drawn"] and s["path"]["bars"] == 0, "Shift+C does not end it")


def changes_are_predicted(window):
    window.key("Escape", "Escape", "ctrl+shift+p")
    window.type("What if")
    window.key("Return")
    state = window.wait(lambda s: s["page"] == "what-if" and s["whatIf"]["ranking"] > 1, "no ranking")
    what = state["whatIf"]
    check(abs(what["replayedNs"] - what["measuredNs"]) <= what["measuredNs"] / 100, "an unchanged replay is off")
    window.press("what_if_first")
    state = window.wait(lambda s: s["whatIf"].get("predictedWith") == 1 and not s["whatIf"]["computing"],
                        "a click predicts nothing")
    what = state["whatIf"]
    check(what["replayedNs"] - what["predictedNs"] == what["firstGainNs"],
          "the ranking's gain is not what choosing it gives")
    window.press("what_if_second")
    window.wait(lambda s: s["whatIf"].get("predictedWith") == 2, "two changes do not apply together")
    window.press("what_if_remove")
    window.wait(lambda s: len(s["whatIf"]["changes"]) == 1, "a change is not taken back")
    window.press("what_if_name")
    window.type("no such kernel")
    window.key("Return")
    state = window.wait(lambda s: "no such kernel" in s["whatIf"].get("error", ""), "a wrong name is not said")


def changes(state):
    return state["whatIf"]["changes"]


def what_if_from_the_place(window):
    # Of a row of the statistics, with a slider there.
    window.key("Escape", "Escape", "ctrl+1")
    window.wait(lambda s: s["page"] == "statistics", "no statistics")
    x, y = window.settled()["places"]["first_row"]
    window.click(x, y, button=3)
    window.press("what_if_item")
    state = window.wait(lambda s: s["page"] == "what-if" and len(changes(s)) == 1, "the row asks nothing")
    check(changes(state)[0].endswith("=0.5"), f"it does not take half its time: {changes(state)}")
    predicted = window.wait(lambda s: s["whatIf"].get("predictedWith") == 1 and not s["whatIf"]["computing"],
                            "nothing is predicted")["whatIf"]["predictedNs"]
    x, y = window.settled()["places"]["what_if_slider"]
    window.drag(x - 20, y, x - 45, y)
    state = window.wait(lambda s: len(changes(s)) == 1 and not changes(s)[0].endswith("=0.5")
                        and not s["whatIf"]["computing"] and s["whatIf"]["predictedNs"] < predicted,
                        "the slider changes nothing")
    window.press("what_if_remove")
    window.wait(lambda s: not changes(s), "it is not taken back")
    # Of the cause of gaps.
    window.key("c")
    window.wait(lambda s: s["causes"].get("causes", 0) > 0, "no causes")
    x, y = window.settled()["places"]["first_cause"]
    window.click(x, y, button=3)
    window.press("what_if_item")
    state = window.wait(lambda s: s["page"] == "what-if" and len(changes(s)) == 1, "the cause asks nothing")
    check(changes(state)[0].startswith("--no-cause "), f"it is not about a cause: {changes(state)}")
    window.press("what_if_remove")
    window.wait(lambda s: not changes(s), "it is not taken back")


def part_of_a_name_is_enough(window):
    window.press("what_if_name")
    window.type("GRAD")
    window.wait(lambda s: s["places"].get("what_if_found"), "no names are offered")
    window.key("Return")
    state = window.wait(lambda s: len(changes(s)) == 1, "the part is not completed")
    check("grad" in changes(state)[0] and "GRAD" not in changes(state)[0], f"it is not the name: {changes(state)}")
    window.wait(lambda s: s["whatIf"].get("predictedWith") == 1 and not s["whatIf"].get("error"), "it is not predicted")
    window.press("what_if_remove")
    window.wait(lambda s: not changes(s), "it is not taken back")
    # By the mouse.
    window.press("what_if_name")
    window.key("ctrl+a")
    window.type("rad")
    window.press("what_if_found")
    window.press("what_if_add")
    window.wait(lambda s: len(changes(s)) == 1 and "grad" in changes(s)[0].lower() and "=rad" not in changes(s)[0],
                "a click completes nothing")
    window.press("what_if_remove")
    window.wait(lambda s: not changes(s), "it is not taken back")


if __name__ == "__main__":
    run([shift_c_draws_the_path, it_follows_the_selection, rows_lead_to_places,
         what_if_from_the_place, part_of_a_name_is_enough, changes_are_predicted], [DEMO])
