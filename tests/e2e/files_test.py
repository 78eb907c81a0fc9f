#!/usr/bin/env python3
"""Opening files: by argument, several, broken ones, cancelling, recent files, the open dialog."""

import glob
import gzip
import json
import os
import pickle
import sys
import time

from window_driver import (DEMO, SHARED, Display, Failure, Window, brief, check, skip_unless_possible,
                           visible_ns)


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def events(count):
    return [{"ph": "X", "name": f"op {i % 50}", "cat": "cpu_op", "pid": 1, "tid": i % 4,
             "ts": i * 10, "dur": 9, "args": {"External id": i}} for i in range(count)]


def a_broken_file_shows_an_error_and_the_window_lives(display, folder):
    broken = write(folder, "broken.json", b"this is no trace")
    window = Window(display, [broken])
    try:
        state = window.wait(lambda s: s["error"], "no error is shown")
        check("broken.json" in state["error"], f"the error does not name the file: {state['error']}")
        check(not state["hasTrace"], "there is a trace all the same")
        window.key("Escape")
        window.wait(lambda s: not s["error"], "Esc did not close the error")
        # The program goes on: the open dialog takes a path.
        window.key("ctrl+o")
        window.wait(lambda s: s["fileBrowserOpen"], "Ctrl+O opened no dialog")
        window.press("path")
        window.key("ctrl+a")
        window.type(DEMO)
        window.key("Return")
        state = window.loaded()
        check(state["paths"] == [DEMO], "the dialog opened another file")
        check(state["recent"][:1] == [DEMO], "the file is not among the recent ones")
        # A second broken file leaves the first trace open.
        check(window.close() == 0, "the program did not end well")
    finally:
        window.kill()


def an_empty_file_and_a_folder(display, folder):
    for path in (write(folder, "empty.json", b""), folder):
        window = Window(display, [path])
        try:
            state = window.wait(lambda s: s["error"], f"no error for {path}")
            check(os.path.basename(path) in state["error"], f"{state['error']!r} does not name {path}")
        finally:
            window.kill()


def a_truncated_file_opens_with_a_warning(display, folder):
    whole = json.dumps({"traceEvents": events(200)}).encode()
    path = write(folder, "cut.json", whole[:len(whole) // 2])
    window = Window(display, [path])
    try:
        state = window.loaded()
        check(50 < state["slices"] < 200, f"{state['slices']} slices of the half file")
        check(not state["error"], f"an error instead of a warning: {state['error']}")
        check(window.close() == 0, "the program did not end well")
    finally:
        window.kill()


def several_files_side_by_side(display, folder):
    one = write(folder, "one.json", json.dumps(events(10)).encode())
    two = write(folder, "two.json.gz", gzip.compress(json.dumps({"traceEvents": events(20)}).encode()))
    window = Window(display, [one, two])
    try:
        state = window.loaded()
        check(state["paths"] == [one, two] and state["slices"] == 30, brief(state))
    finally:
        window.kill()


def names_with_ids_and_formats_are_harmless(display, folder):
    names = ["%s%s%n", "a##b", "###", "##", "", "line\nbreak", "\u00e4\u4e2d\U0001f600", "x" * 5000]
    trace = [{"ph": "X", "name": name, "cat": "%d##", "pid": "p##%s", "tid": "t###%n", "ts": i * 100,
              "dur": 90, "args": {name or "key": name}} for i, name in enumerate(names)]
    path = write(folder, "names ##%s.json", json.dumps(trace).encode())
    window = Window(display, [path])
    try:
        state = window.loaded()
        check(state["slices"] == len(names), brief(state))
        for slice_ in state["visibleSlices"]:
            window.click((slice_["x0"] + slice_["x1"]) / 2, (slice_["y0"] + slice_["y1"]) / 2)
            window.wait(lambda s: s["selection"].get("name") == slice_["name"],
                        f"cannot select {slice_['name'][:20]!r}")
        for page in ("ctrl+2", "ctrl+3", "ctrl+1"):
            window.key(page)
        window.settled()
        check(window.close() == 0, "the program did not end well")
    finally:
        window.kill()


def sampled_stacks_are_estimates_and_have_flames(display, folder):
    frames = [{"ph": "X", "name": name, "cat": "python_sample", "pid": 1, "tid": 2_000_000_001, "ts": begin, "dur": dur}
              for name, begin, dur in (("main (a.py:1)", 0, 3000), ("parse (a.py:5)", 0, 1000))]
    window = Window(display, [write(folder, "sampled.json", json.dumps(frames).encode())])
    try:
        window.loaded()
        window.key("ctrl+1")
        window.press("copy")
        window.press("copy_text")
        text = window.wait(lambda s: s["copied"].startswith("Name"), "no text of the table")["copied"]
        check("~3.00 ms" in text and "~2.00 ms" in text, f"nothing marks the estimates:\n{text}")
        window.key("k")
        state = window.wait(lambda s: s["page"] == "calls" and s["calls"]["nodes"] > 0, "no calls")
        check(state["calls"]["totalNs"] == 3_000_000 and state["calls"]["nodes"] == 3, f"no flames of the samples: {state['calls']}")
    finally:
        window.kill()


def write_large(folder, members):
    """Much to read, quickly written: a compressed block of events, repeated as a member of its own."""
    block = json.dumps(events(20000))[1:-1].encode()
    member = gzip.compress(b"," + block, 1)
    path = os.path.join(folder, "large.json.gz")
    with open(path, "wb") as file:
        file.write(gzip.compress(b"[" + block, 1))
        for _ in range(members):
            file.write(member)
        file.write(gzip.compress(b"]"))
    return path


def lanes_fill_while_loading(display, folder):
    path = write_large(folder, 300)
    window = Window(display, [path])
    try:
        state = window.wait(lambda s: s["previewing"] and s["hasTrace"], "nothing is shown while it loads")
        part = state["slices"]
        check(0 < part < 301 * 20000, f"no part of the trace: {part}")
        window.xdotool("keydown", "w")  # for as long as it takes: a loaded machine has few frames
        zoomed = window.wait(lambda s: visible_ns(s) < 0.8 * visible_ns(state), "it cannot be zoomed while it loads")
        window.xdotool("keyup", "w")
        check(zoomed["loading"], "the load was over before the zoom: the test proves nothing")
        # The view moves no more; the rest comes in behind it.
        window.probe()
        before = window.wait(lambda s: not s["animating"], "the zoom does not end")
        state = window.wait(lambda s: not s["loading"], "it does not finish", 60)
        check(state["slices"] == 301 * 20000, f"not all slices: {state['slices']}")
        check(abs(visible_ns(state) - visible_ns(before)) < 0.01 * visible_ns(before), "the view jumped")
        check(window.close() == 0, "the program did not end well")
    finally:
        window.kill()
        os.unlink(path)


def times_in_nanoseconds_are_offered(display, folder):
    slices = [{"ph": "X", "name": "op", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 1_700_000_000_000_000_000 + i * 100,
               "dur": 50} for i in range(20)]
    window = Window(display, [write(folder, "ns.json", json.dumps({"traceEvents": slices}).encode())])
    try:
        window.wait(lambda s: s["hasTrace"] and s["places"].get("times_ns"), "nothing is offered")
        window.press("times_ns")
        window.wait(lambda s: s["hasTrace"] and s["slices"] == 20 and not s["loading"], "they are not read as ns")
        check(window.close() == 0, "exit status")
    finally:
        window.kill()


def a_time_that_is_no_number_is_no_nanoseconds(display, folder):
    slices = [{"ph": "X", "name": "op", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": ts, "dur": 5} for ts in (0, 10, "abc")]
    window = Window(display, [write(folder, "abc.json", json.dumps({"traceEvents": slices}).encode())])
    try:
        window.loaded()
        state = window.settled()
        check("times_ns" not in state["places"], "nanoseconds are offered")
        check(window.close() == 0, "exit status")
    finally:
        window.kill()


def a_snapshot_opens_on_the_gpu_where_memory_ran_out(display, folder):
    def history(device):
        return [{"action": action, "addr": 4096, "size": size, "stream": 0, "time_us": at, "frames": []}
                for action, size, at in (("alloc", 1024 << device, 1), ("oom", 1 << 30, 2))[:1 + device]]

    segments = [{"device": device, "address": 4096, "total_size": 1 << 20, "stream": 0, "segment_type": "small",
                 "blocks": [{"address": 4096, "size": 1024 << device, "state": "active_allocated"}]} for device in (0, 1)]
    window = Window(display, [write(folder, "two.pickle", pickle.dumps({"segments": segments, "device_traces": [history(0), history(1)]}, 4))])
    try:
        window.wait(lambda s: s["memory"].get("activeBytes") == 2048, "it opens on another GPU")
        check(window.close() == 0, "exit status")
    finally:
        window.kill()


def loading_can_be_cancelled(display, folder):
    path = write_large(folder, 400)
    window = Window(display, [path])
    try:
        window.wait(lambda s: s["previewing"], "nothing is shown while it loads")
        window.probe()  # the card with the button has moved to its corner
        window.press("cancel")
        state = window.wait(lambda s: not s["loading"], "cancelling did not end the load")
        check(not state["hasTrace"] and not state["error"], f"not cancelled: {brief(state)}")
        check(window.close() == 0, "the program did not end well")
    finally:
        window.kill()
        os.unlink(path)


def reloading_and_recent_files(display, folder):
    window = Window(display, [DEMO])
    try:
        window.loaded()
        window.key("ctrl+r")
        window.settled()
        state = window.loaded()
        check(state["recent"] == [DEMO], f"recent files: {state['recent']}")
        window.key("ctrl+w")
        window.wait(lambda s: not s["hasTrace"], "Ctrl+W did not close the trace")
        settings = os.path.join(window.folder, "config", "lacuna", "settings.json")
        with open(settings) as file:
            check(json.load(file)["recent"] == [DEMO], "the settings do not remember the file")
        check(window.close() == 0, "the program did not end well")
    finally:
        window.kill()


def the_dialog_needs_no_mouse(display, folder):
    home = os.path.join(folder, "home")
    os.makedirs(os.path.join(home, "sub"))
    trace = json.dumps(events(10)).encode()
    old, new = write(home, "old.json", trace), write(home, "anew.json", trace)
    inner = write(os.path.join(home, "sub"), "inner.json", trace)
    os.utime(old, (time.time() - 5000,) * 2)
    window = Window(display, [old], environment={"HOME": home})

    def browser(condition, message):
        return window.wait(lambda s: s["fileBrowserOpen"] and condition(s["browser"]), message)["browser"]

    try:
        window.loaded()
        window.key("ctrl+o")
        window.wait(lambda s: s["fileBrowserOpen"], "Ctrl+O opened no dialog")
        window.key("Escape")
        window.wait(lambda s: not s["fileBrowserOpen"], "Esc does not close it")
        window.key("ctrl+o")
        first = browser(lambda b: b["chosen"], "Ctrl+O opened no dialog")
        check(first["chosen"] == "anew.json" and first["folder"] == home and first["title"] == "Open trace",
              f"it does not start with the newest trace: {first}")
        window.probe()
        window.key("Down")
        browser(lambda b: b["chosen"] == "old.json", "Down does not choose")
        window.key("Up", "Up")
        browser(lambda b: b["chosen"] == "sub", "Up does not choose")
        window.key("Prior", "Next")
        browser(lambda b: b["chosen"] == "old.json", "Page Down does not go to the end")
        window.key("Prior", "Return")
        browser(lambda b: b["folder"] == home + "/sub" and b["chosen"] == "inner.json", "Enter does not open the folder")
        window.key("alt+Up")
        browser(lambda b: b["folder"] == home and b["chosen"] == "sub", "Alt+Up does not lead to the folder above")
        window.key("Return")
        browser(lambda b: b["folder"] == home + "/sub", "Enter does not lead back")
        window.key("BackSpace")
        browser(lambda b: b["folder"] == home and b["chosen"] == "sub", "Backspace does not lead back")
        window.type("OL")
        browser(lambda b: b["chosen"] == "old.json" and b["rows"] == 1, "typing does not narrow the list")
        window.key("BackSpace", "BackSpace")
        browser(lambda b: b["typed"] == "" and b["folder"] == home and b["rows"] == 3, "Backspace does not delete")
        window.type("~/s")
        window.key("Tab")
        browser(lambda b: b["typed"] == "~/sub/" and b["folder"] == home + "/sub", "Tab does not complete")
        window.type("zz")
        window.key("Return")
        browser(lambda b: "sub/zz" in b["problem"], "nothing says that there is no such file")
        window.key("BackSpace", "BackSpace", "Return")
        browser(lambda b: b["typed"] == "" and b["folder"] == home + "/sub", "Enter does not go to what was typed")
        window.key("Return")
        state = window.wait(lambda s: s["hasTrace"] and s["paths"] == [inner], "Enter opened another file")
        window.key("ctrl+shift+o")
        browser(lambda b: b["title"] == "Compare inner.json with", "the title does not say what the file is for")
        window.probe()
        window.type("../an")
        window.key("Return")
        state = window.wait(lambda s: not s["fileBrowserOpen"] and s["compare"]["hasOther"], "nothing is compared")
        check(state["paths"] == [inner], "it was opened instead")
        # B was of this trace: another one in its place is compared with nothing.
        window.key("ctrl+o")
        browser(lambda b: b["title"] != "Compare inner.json with", "the browser stays what it was")
        window.type("../old.json")
        window.key("Return")
        window.wait(lambda s: s["paths"] == [os.path.join(home, "old.json")] and not s["compare"]["hasOther"],
                    "the trace opened is compared with what the one before was")
    finally:
        window.kill()


def real_traces_open(display, folder):
    found = sorted(glob.glob(os.path.join(SHARED, "*.json.gz")))
    for path in found[:2]:
        window = Window(display, [path])
        try:
            state = window.loaded()
            check(state["slices"] > 1000, brief(state))
            check(len(state["visibleSlices"]) > 0, "nothing to be seen")
            window.key("n")
            window.settled()
        finally:
            window.kill()


if __name__ == "__main__":
    skip_unless_possible()
    import tempfile
    failed = False
    display = Display()
    try:
        with tempfile.TemporaryDirectory(prefix="lacuna_files_") as folder:
            for test in (a_broken_file_shows_an_error_and_the_window_lives, an_empty_file_and_a_folder,
                         a_truncated_file_opens_with_a_warning, several_files_side_by_side,
                         names_with_ids_and_formats_are_harmless, lanes_fill_while_loading,
                         loading_can_be_cancelled, times_in_nanoseconds_are_offered,
                         a_time_that_is_no_number_is_no_nanoseconds, a_snapshot_opens_on_the_gpu_where_memory_ran_out,
                         reloading_and_recent_files, the_dialog_needs_no_mouse,
                         sampled_stacks_are_estimates_and_have_flames, real_traces_open):
                began = time.monotonic()
                try:
                    test(display, folder)
                    print(f"ok     {test.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
                except (Failure, KeyError) as error:
                    print(f"FAILED {test.__name__}: {error!r}", flush=True)
                    failed = True
    finally:
        display.close()
    sys.exit(1 if failed else 0)
