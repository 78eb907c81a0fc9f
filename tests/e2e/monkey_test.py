#!/usr/bin/env python3
"""Random keys, clicks, drags, wheels and text in the real window, keys among them that GLFW does not know:
monkey_test.py [SECONDS [SEED [ARGUMENTS OF THE PROGRAM...]]]. After each batch the window must still answer a key, and at
the end it must come to rest. The same seed sends the same events."""

import os
import random
import shutil
import sys
import tempfile
import time

from window_driver import (DEMO, HEIGHT, WIDTH, Display, Failure, Window, skip_unless_possible)

# Multimedia keys, keys of other layouts and characters that xdotool gives a key of their own.
UNKNOWN = ["XF86AudioRaiseVolume", "XF86AudioMute", "XF86MonBrightnessUp", "Henkan", "Muhenkan", "Hangul", "Linefeed",
           "dead_acute", "ISO_Level3_Shift", "Multi_key", "XF86Back", "Eacute", "ssharp", "U4E2D"]
KNOWN = [*"abcdefghijklmnopqrstuvwxyz0123456789", "slash", "comma", "period", "bracketleft", "bracketright", "greater",
         "less", "question", "Return", "Tab", "Escape", "BackSpace", "Delete", "Left", "Right", "Up", "Down", "Home",
         "End", "Prior", "Next", "space", *(f"F{i}" for i in range(1, 13) if i != 9), "KP_Enter", "KP_5", "Pause",
         "Menu", "Super_L", "Print"]
TEXTS = ["gemm cat:kernel", "dur:>1ms", "(((", "%s%n", "..", "~/", "\u00e4\u4e2d"]


def event(rng):
    kind, x, y = rng.random(), rng.randrange(WIDTH), rng.randrange(HEIGHT)
    if kind < .35:
        keys = [m for m in ("ctrl", "shift", "alt") if rng.random() < .18] + [rng.choice(KNOWN)]
        return [] if keys == ["ctrl", "q"] else ["key " + "+".join(keys)]
    if kind < .42:
        return ["key " + rng.choice(UNKNOWN)]
    if kind < .47:  # held over other keys, let go in the wrong order
        first, second = rng.choice(UNKNOWN[:7]), rng.choice("wasd")
        return [f"keydown {first}", f"keydown {second}", f"keyup {first}", "sleep 0.05", f"keyup {second}"]
    if kind < .67:
        return [f"mousemove {x} {y}", f"click {rng.choice([1, 1, 1, 1, 2, 3, 8, 9])}"]
    if kind < .85:
        steps = [f"mousemove {min(WIDTH - 1, max(0, x + rng.randrange(-400, 400)))} "
                 f"{min(HEIGHT - 1, max(0, y + rng.randrange(-300, 300)))}" for _ in range(3)]
        return [f"mousemove {x} {y}", f"mousedown {rng.choice([1, 1, 3])}", *steps, "mouseup 1", "mouseup 3"]
    if kind < .95:
        return [f"mousemove {x} {y}", f"click --repeat {rng.randrange(1, 9)} --delay 5 {rng.choice([4, 5])}"]
    return [f"type --delay 2 {rng.choice(TEXTS)!r}"]


def comes_to_rest(window):
    if (window.state().get("live") or {}).get("running"):
        return
    time.sleep(0.7)
    for attempt in range(8):  # something may still be computed
        before = window.cpu_seconds()
        time.sleep(0.5)
        used = window.cpu_seconds() - before
        if used < 0.05:
            return
    raise Failure(f"{used:.2f} s of CPU in half a second without events")


def unknown_keys_are_taken(window):
    for name in UNKNOWN:
        window.key(name)
    window.xdotool("keydown", "XF86AudioMute", "keydown", "Henkan", "keyup", "XF86AudioMute", "keyup", "Henkan")
    window.type("\u4e2d")
    window.probe()
    comes_to_rest(window)


def anything_goes(window, seconds, rng):
    script = os.path.join(window.folder, "batch")
    end = time.monotonic() + seconds
    batches = 0
    while time.monotonic() < end:
        batch = [line for _ in range(rng.randrange(5, 20)) for line in event(rng)]
        with open(script, "w", encoding="utf-8") as file:
            file.write("\n".join(batch) + "\n")
        try:
            window.xdotool(script)
            if window.process.poll() == 0:
                return  # the menu has an entry for that
            window.probe()
        except Failure:
            print("the last batch:\n  " + "\n  ".join(batch), flush=True)
            raise
        batches += 1
    print(f"       {batches} batches", flush=True)
    window.key("Escape", "Escape", "Escape")
    comes_to_rest(window)


def main():
    skip_unless_possible()
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    places = [("as asked", sys.argv[3:])] if len(sys.argv) > 3 else [("start page", []), ("a trace", [DEMO])]
    display = Display()
    failed = False
    home = tempfile.mkdtemp(prefix="lacuna_monkey_")
    try:
        for name, arguments in places:
            window = Window(display, arguments, environment={"HOME": home})  # for programs launched by chance
            try:
                if arguments[:1] == ["live"]:
                    window.wait(lambda s: s["hasTrace"], "nothing is recorded", 30)
                elif arguments:
                    window.loaded()
                window.probe()
                began = time.monotonic()
                unknown_keys_are_taken(window)
                anything_goes(window, seconds, random.Random(seed))
                print(f"ok     {name} ({time.monotonic() - began:.1f} s, seed {seed})", flush=True)
            except Failure as error:
                print(f"FAILED {name}, seed {seed}: {error}\n{window.output()[-2000:]}", flush=True)
                failed = True
            finally:
                window.kill()
    finally:
        display.close()
        shutil.rmtree(home, ignore_errors=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
