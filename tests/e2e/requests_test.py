#!/usr/bin/env python3
"""Requests to a server in the real window: rows with queue, prefill and decode above the trace's time, by --requests and by
a file beside the trace; none where the trace does not tell when it was recorded."""
import os
import tempfile

from window_driver import ROOT, Window, check, run_apart

FIXTURES = os.path.join(ROOT, "tests", "fixtures", "requests")


def rows_of(state):
    return sorted(h["title"] for h in state["tracks"]["headers"] if h["title"].startswith("request row"))


def with_window(display, files, words, use):
    """`files`: by the names that they get, what they are copies of, and what is taken out of them."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (source, without) in files.items():
            with open(os.path.join(FIXTURES, source)) as file:
                text = file.read()
            check(without in text, f"{source} has no {without}")
            with open(os.path.join(folder, name), "w") as file:
                file.write(text.replace(without, "") if without else text)
        window = Window(display, [os.path.join(folder, word) if word in files else word for word in words])
        try:
            window.loaded()
            use(window, folder)
            check(window.close() == 0, "the window does not end well")
        finally:
            window.kill()


def those_asked_for_are_rows(display):
    def use(window, folder):
        state = window.settled()
        check(rows_of(state) == ["request row 1", "request row 2"], rows_of(state))
        window.key("slash")
        window.type("prefill")
        window.key("Return")
        state = window.wait(lambda s: s["selection"]["kind"] == "slice", "the search selects nothing")
        check(state["selection"]["name"] == "prefill", state["selection"])
        spans = os.path.join(folder, "spans.json")
        with open(spans) as file:
            text = file.read()
        with open(spans, "w") as file:  # one of them was years ago
            file.write(text.replace("1700000000000500000", "1600000000000500000").replace("1700000000007200000",
                                                                                          "1600000000007200000"))
        window.key("Escape", "Escape", "ctrl+r")
        window.wait(lambda s: rows_of(s) == ["request row 1"], "opened anew, the trace has other requests")
        # They were asked for beside this trace, not beside the next.
        window.key("ctrl+o")
        window.wait(lambda s: s["fileBrowserOpen"], "Ctrl+O opened no dialog")
        window.press("path")
        window.key("ctrl+a")
        window.type(os.path.join(folder, "next.json"))
        window.key("Return")
        window.wait(lambda s: s["hasTrace"] and not s["loading"] and s["paths"][0].endswith("next.json"),
                    "the next trace does not open")
        check(rows_of(window.settled()) == [], "requests of the trace before are beside the next one")
    with_window(display, {"run.json": ("vllm.trace.json", ""), "next.json": ("vllm.trace.json", ""),
                          "spans.json": ("vllm.trace.otel.json", "")}, ["run.json", "--requests", "spans.json"], use)


def those_beside_the_trace_are_found(display):
    def use(window, folder):
        check(len(rows_of(window.settled())) == 2, "the file beside the trace was not found")
    with_window(display, {"run.json": ("vllm.trace.json", ""), "requests.json": ("vllm.trace.otel.json", "")},
                ["run.json"], use)


def without_a_clock_there_are_none(display):
    def use(window, folder):
        check(rows_of(window.settled()) == [], "requests have a place on a clock that nobody knows")
    with_window(display, {"run.json": ("vllm.trace.json", '"baseTimeNanoseconds":1700000000000000000,'),
                          "requests.json": ("vllm.trace.otel.json", "")}, ["run.json"], use)


if __name__ == "__main__":
    run_apart([those_asked_for_are_rows, those_beside_the_trace_are_found, without_a_clock_there_are_none])
