#!/usr/bin/env python3
"""The box in the title bar: searching slices, stepping, tracks; and the way back."""

from window_driver import DEMO, check, run, visible_ns


def start_over(window):
    window.key("Escape", "Escape", "Home")
    window.move(5, 300)
    return window.settled()


def search(window, text):
    window.key("slash")
    window.wait(lambda s: s["omnibox"]["focused"], "/ does not put the cursor into the box")
    window.type(text)
    return window.wait(lambda s: s["search"]["text"] == text and not s["search"]["computing"]
                       and s["search"]["found"] >= 0, f"nothing is found for {text!r}")


def a_search_counts_marks_and_steps(window):
    start_over(window)
    state = search(window, "gemm cat:kernel")
    count = state["search"]["count"]
    check(count == state["search"]["found"] > 10, f"{count} counted, {state['search']['found']} found")
    state = window.wait(lambda s: s["view"]["matchTicks"] > 5, "no ticks in the ruler")
    check(state["omnibox"]["list"], "no list while typing")
    starts = []
    for i in range(3):
        window.key("Return")
        state = window.wait(lambda s: s["search"]["current"] == i + starts_at(starts, s),
                            "Enter does not step")
        if not starts:
            first = state["search"]["current"]
            starts.append(first)
        check("gemm" in state["selection"]["name"].lower(), f"stepped to {state['selection']}")
        check(state["omnibox"]["focused"], "Enter leaves the box")
        check(not state["omnibox"]["list"], "the list covers what Enter stepped to")
        state = window.settled()
    window.key("shift+Return")
    window.wait(lambda s: s["search"]["current"] == starts[0] + 1, "Shift+Enter does not step back")
    # Typing goes on behind the text.
    window.type(" zzz")
    window.wait(lambda s: s["search"]["text"] == "gemm cat:kernel zzz" and s["search"]["count"] == 0,
                "typing after Enter does not go on")
    state = window.wait(lambda s: s["omnibox"]["list"] and "No slice" in s["omnibox"]["message"],
                        "nothing says that nothing was found")
    window.probe()
    check(state["places"]["omnibox_message"][1] > state["places"]["omnibox"][1], "the message is not in the list")
    window.key("Return")
    check(window.settled()["omnibox"]["list"], "Enter hides that nothing was found")
    window.key("Escape")
    state = window.wait(lambda s: s["search"]["text"] == "" and not s["omnibox"]["focused"],
                        "Esc does not clear the search")
    state = window.settled()
    check(state["view"]["matchTicks"] == 0 and state["omnibox"]["text"] == "", "something stays marked")


def starts_at(starts, state):
    return starts[0] if starts else state["search"]["current"] if state["search"]["current"] >= 0 else -9


def a_search_goes_on_without_the_box(window):
    start_over(window)
    search(window, "gemm")
    window.key("Return")
    window.wait(lambda s: s["search"]["current"] >= 0, "Enter does not step")
    tracks = window.settled()["view"]["tracks"]
    window.click(tracks["x"] + tracks["width"] * 0.05, tracks["y"] - 12)  # somewhere else
    state = window.wait(lambda s: not s["omnibox"]["focused"], "the box keeps the cursor")
    check(state["search"]["text"] == "gemm", "the search is gone")
    window.settled()
    window.key("Return")
    window.wait(lambda s: s["search"]["current"] >= 0 and s["selection"]["kind"] == "slice",
                "Enter does not step outside the box")
    window.key("Escape")
    window.wait(lambda s: s["search"]["text"] == "" and s["omnibox"]["text"] == "",
                "Esc does not clear the search outside the box")


def args_are_searched(window):
    start_over(window)
    state = search(window, "cat:memcpy arg:stream=20")
    check(0 < state["search"]["found"] < 100, f"{state['search']['found']} with stream 20")
    window.key("Return")
    state = window.wait(lambda s: s["selection"]["kind"] == "slice", "Enter does not step")
    window.key("ctrl+a")
    window.type("cat:memcpy stream:20 gpu:0")
    again = window.wait(lambda s: s["search"]["text"] == "cat:memcpy stream:20 gpu:0" and s["search"]["found"] >= 0
                        and not s["search"]["computing"], "nothing is found")
    check(again["search"]["found"] == state["search"]["found"], "args and tracks disagree")
    window.key("ctrl+a")
    window.type("dur:20")
    window.wait(lambda s: s["search"]["problems"] and s["search"]["count"] == 0, "nonsense is not named")
    window.key("Escape")


def a_name_of_the_list(window):
    start_over(window)
    search(window, "gemm")
    window.wait(lambda s: s["omnibox"]["rows"] > 0, "no names are listed")
    window.key("Down")
    name = window.wait(lambda s: s["omnibox"]["chosen"], "Down chooses nothing")["omnibox"]["chosen"]
    window.key("Return")
    state = window.wait(lambda s: s["search"]["text"] == f'"{name}"' and s["search"]["found"] > 0
                        and s["search"]["current"] >= 0, "Enter does not go to a slice of the chosen name")
    check(state["selection"]["name"] == name, f"stepped to {state['selection']}")
    check(not window.settled()["omnibox"]["list"], "the list covers it")
    window.key("Down")
    window.wait(lambda s: s["omnibox"]["list"], "Down does not bring the list back")
    window.key("Escape")


def tracks_are_found(window):
    height = start_over(window)["view"]["contentHeight"]
    window.key("shift+e")
    collapsed = window.settled()["view"]["contentHeight"]
    check(collapsed < height, "nothing is collapsed")
    window.key("ctrl+p")
    window.type("autograd")
    window.wait(lambda s: "autograd" in s["omnibox"]["chosen"], "no track is found")
    window.key("Return")
    state = window.settled()
    check(not state["omnibox"]["focused"] and state["search"]["text"] == "", "the box stays open")
    check(state["view"]["contentHeight"] > collapsed, "the track is not expanded")
    window.key("shift+e")
    check(window.settled()["view"]["contentHeight"] == height, "the tracks do not come back")


def the_command_of_that_name_comes_first(window):
    start_over(window)
    window.key("ctrl+shift+p")
    window.wait(lambda s: s["omnibox"]["focused"], "no palette")
    window.type("open")
    window.wait(lambda s: s["omnibox"]["chosen"] == "File: Open…", "another command comes before Open")
    window.key("Escape", "Escape")


def a_name_lights_up_while_the_mouse_rests(window):
    state = start_over(window)
    target = next(s for s in state["visibleSlices"] if s["y0"] > state["view"]["tracks"]["y"])
    x, y = (target["x0"] + target["x1"]) / 2, (target["y0"] + target["y1"]) / 2
    window.move(x, y)
    window.wait(lambda s: s["hovered"] == target["name"] and s["view"]["litName"] == target["name"],
                "slices of the name do not light up")
    # A mouse that moves on over the same slice does not make them flicker.
    for step in range(1, 5):
        window.move(x + step, y)
        window.probe()
        check(window.state()["view"]["litName"] == target["name"], "they go out while the mouse moves on the slice")
    window.move(5, 300)
    window.wait(lambda s: s["view"]["litName"] == "", "they stay lit when the mouse is gone")


def flows_of_all_slices(window):
    state = start_over(window)
    tracks = state["view"]["tracks"]
    window.wheel(tracks["x"] + tracks["width"] * 0.8, tracks["y"] + 60, 16, "ctrl")
    check(window.settled()["view"]["arrows"] == 0, "arrows without a selected slice")
    window.key("shift+f")
    window.wait(lambda s: s["view"]["arrows"] > 1, "no arrows of all slices")
    window.key("shift+f")
    window.wait(lambda s: s["view"]["arrows"] == 0, "the arrows stay")


def back_and_forward(window):
    state = start_over(window)
    window.key("n")
    window.settled()
    window.key("f")
    gap = window.settled()["view"]["camera"]
    window.key("Home")
    home = window.settled()["view"]["camera"]
    check(gap != home, "F does not zoom to the gap")
    window.key("alt+Left")
    check(window.settled()["view"]["camera"] == gap, "Alt+Left did not lead back")
    window.xdotool("click", "8")
    check(window.settled()["view"]["camera"] != gap, "the mouse's button did not lead back")
    window.xdotool("click", "9")
    check(window.settled()["view"]["camera"] == gap, "the mouse's button did not lead forward")
    window.key("alt+Right")
    check(window.settled()["view"]["camera"] == home, "Alt+Right did not lead forward")
    # A movement with the wheel is one place.
    size = window.state()["view"]["historySize"]
    tracks = window.state()["view"]["tracks"]
    window.wheel(tracks["x"] + 300, tracks["y"] + 100, 4, "ctrl")
    state = window.settled()
    check(state["view"]["historySize"] == size + 1, "four notches are not one movement")
    window.key("alt+Left")
    check(window.settled()["view"]["camera"] == home, "Alt+Left did not undo the wheel")


if __name__ == "__main__":
    run([a_search_counts_marks_and_steps, a_search_goes_on_without_the_box, args_are_searched,
         a_name_of_the_list, tracks_are_found, the_command_of_that_name_comes_first,
         a_name_lights_up_while_the_mouse_rests,
         flows_of_all_slices, back_and_forward], [DEMO])
