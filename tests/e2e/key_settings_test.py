#!/usr/bin/env python3
"""Keys given to commands in the settings file, the palette, and settings that make no sense."""

import json
import time

from window_driver import DEMO, Failure, Window, check, run_apart

KEYS = {"drawer": ["F8", "Ctrl+J"], "page_gaps": "F7", "focus": [], "zoom_in_key": ["I"],
        "longest_gap": ["N"]}


def keys_are_as_the_settings_say(display):
    window = Window(display, [DEMO], settings={"keys": KEYS})
    try:
        state = window.loaded()
        check(state["settingsWarnings"] == [], f"warnings: {state['settingsWarnings']}")
        for key in ("F8", "ctrl+j"):
            before = window.settled()["drawerOpen"]
            window.key(key)
            window.wait(lambda s: s["drawerOpen"] != before, f"{key} does nothing")
        window.key("F7")
        window.wait(lambda s: s["page"] == "gaps", "F7 does not show the gaps")
        window.key("n")
        window.wait(lambda s: s["selection"]["kind"] == "gap", "N does not go to the longest gap")
        camera = window.settled()["view"]["camera"]
        window.key("f", "q", "ctrl+2")  # keys that were taken away
        state = window.settled()
        check(state["view"]["camera"] == camera and state["drawerOpen"], "an old key still works")
        tracks = state["view"]["tracks"]
        window.move(tracks["x"] + 200, tracks["y"] + 100)
        window.hold("w", 0.15)
        check(window.settled()["view"]["camera"] == camera, "W still zooms")
        window.hold("i", 0.15)
        check(window.settled()["view"]["camera"] != camera, "I does not zoom")
        check(window.close() == 0, "the program did not end well")
    finally:
        window.kill()


def nonsense_is_named_and_kept(display):
    keys = {"fokus": ["F"], "fit": ["Ctrl+Nonsense"], "drawer": ["X"], "reload": ["X"]}
    window = Window(display, [DEMO], settings={"keys": keys})
    kept = None
    try:
        warnings = " ".join(window.loaded()["settingsWarnings"])
        for word in ("fokus", "Ctrl+Nonsense", "drawer", "reload"):
            check(word in warnings, f"nothing said of {word}: {warnings}")
        window.press("settings_dismiss")
        window.key("ctrl+shift+l")
        window.wait(lambda s: s["lightTheme"], "no light theme")
        window.key("ctrl+q")
        window.process.wait(10)
        with open(window.settings_file) as file:
            kept = json.load(file)
        check(kept["theme"] == "light", "the settings were not saved")
        check(kept["keys"] == keys, f"the keys were not kept: {kept['keys']}")
    finally:
        window.kill()


def broken_settings_are_left_alone(display):
    text = '{"theme": "light",\n "keys": {"focus": ["F",]}\n}'
    window = Window(display, [DEMO], settings=text)
    try:
        warnings = window.loaded()["settingsWarnings"]
        check(len(warnings) == 1 and "line 2" in warnings[0], f"warnings: {warnings}")
        window.key("ctrl+shift+l", "ctrl+q")
        window.process.wait(10)
        with open(window.settings_file) as file:
            check(file.read() == text, "the broken settings were written over")
    finally:
        window.kill()


def the_palette_finds_commands(display):
    window = Window(display, [DEMO])
    try:
        window.loaded()
        window.key("ctrl+shift+p")
        window.wait(lambda s: s["omnibox"]["mode"] == "commands" and s["omnibox"]["rows"] > 50,
                    "Ctrl+Shift+P shows no commands")
        window.type("nxgp")
        window.wait(lambda s: "Next gap" in s["omnibox"]["chosen"], "nxgp does not find the next gap")
        window.key("Return")
        state = window.wait(lambda s: s["selection"]["kind"] == "gap", "Enter did not run it")
        check(not state["omnibox"]["focused"], "the palette stays open")
        window.wait(lambda s: s["omnibox"]["text"] == "", "the text stays in the box")
        # ">" in the box does the same; Esc leaves; a disabled command does nothing.
        window.press("omnibox")
        window.type(">theme")
        window.wait(lambda s: "Light theme" in s["omnibox"]["chosen"], "> finds no commands")
        window.key("Down", "Up", "Return")
        window.wait(lambda s: s["lightTheme"], "the theme did not change")
        window.key("ctrl+shift+p")
        window.type("qqqqq")
        # No command fits; what is left is to search the trace for it.
        window.wait(lambda s: s["omnibox"]["rows"] == 1 and "qqqqq" in s["omnibox"]["chosen"], "nonsense finds commands")
        window.key("Escape")
        window.wait(lambda s: not s["omnibox"]["focused"], "Esc does not leave the palette")
        window.key("q")
        window.wait(lambda s: not s["drawerOpen"], "keys do not work afterwards")
        check(window.close() == 0, "the program did not end well")
    finally:
        window.kill()


def input_that_waits_is_not_painted_one_by_one(display):
    """A hand that is faster than the frames: forty keys are not forty pictures one after the other."""
    window = Window(display, [DEMO], environment={"LACUNA_TEST_STATE_ON_PROBE": "1"})
    try:
        while True:  # the state is only written after F9
            window.probe(60)
            before = window.state()
            if before.get("hasTrace") and not before["loading"] and not before["statistics"]["computing"]:
                break
        keys = ["q", "h", "g"] * 21  # one key again and again would be a repeating one
        window.xdotool("key", "--delay", "1", *keys)
        window.probe(60)
        after = window.state()
        check(after["drawerOpen"] != before["drawerOpen"], "a press was lost")
        painted = after["frames"] - before["frames"]
        check(painted < len(keys), f"{painted} frames for {len(keys)} keys")
    finally:
        window.kill()


def a_held_shortcut_types_nothing(display):
    """L repeats when Ctrl was let go first: not into the field that Ctrl+L opened."""
    window = Window(display)
    try:
        window.xdotool("keydown", "ctrl", "keydown", "l", "keyup", "ctrl")
        before = window.wait(lambda s: s["live"]["dialog"], "Ctrl+L opens no dialog")["live"]["command"]
        check(before.endswith("demo"), f"the command is {before}")
        time.sleep(1.5)
        window.xdotool("keyup", "l")
        window.key("Tab", "shift+Tab")
        window.probe()
        check(window.state()["live"]["command"] == before, f"typed: {window.state()['live']['command']}")
        window.xdotool("keydown", "x")
        window.wait(lambda s: s["live"]["command"].startswith("xxx"), "a held key does not repeat in the field")
        window.xdotool("keyup", "x")
    finally:
        window.kill()


if __name__ == "__main__":
    run_apart((keys_are_as_the_settings_say, nonsense_is_named_and_kept, broken_settings_are_left_alone,
               the_palette_finds_commands, input_that_waits_is_not_painted_one_by_one, a_held_shortcut_types_nothing))
