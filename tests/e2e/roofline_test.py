#!/usr/bin/env python3
"""The roofline page in the real window: by key and palette, a click on a row and on a dot leads to the longest call,
columns sort, it follows the selected range, and a trace without shapes says so."""
import json
import os
import tempfile

from window_driver import Window, check, run_apart

GPU = "NVIDIA H100 80GB HBM3"


def write_trace(path, with_shapes=True):
    """Three operators: compute-bound, memory-bound, too small; 100 ms apart."""
    events = []
    calls = [("aten::mul", 8192, "float", 500), ("aten::mm", 8192, "c10::BFloat16", 2000), ("aten::add", 32, "float", 5)]
    for i, (name, size, dtype, gpu_us) in enumerate(calls):
        ts = 1000 + 100_000 * i
        events += [
            {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": 60,
             "args": {"Input Dims": [[size, size]] * 2, "Input type": [dtype] * 2, "Concrete Inputs": ["", ""],
                      "Input Strides": [[], []]} if with_shapes else {}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": ts + 5, "dur": 5,
             "args": {"correlation": i + 1}},
            {"ph": "X", "cat": "kernel", "name": "gpu_work", "pid": 0, "tid": 7, "ts": ts + 20, "dur": gpu_us,
             "args": {"correlation": i + 1, "device": 0, "stream": 7}}]
    with open(path, "w") as file:
        json.dump({"deviceProperties": [{"id": 0, "name": GPU}], "traceEvents": events}, file)


def rows_of(window, count, what):
    return window.wait(lambda s: s["page"] == "roofline" and s["roofline"]["rows"] == count
                       and not s["roofline"]["computing"], what)


def a_key_and_the_palette_show_it(window):
    window.key("Escape", "ctrl+1", "shift+r")
    state = rows_of(window, 3, "Shift+R does not show the roofline")
    roofline = state["roofline"]
    check(roofline["dots"] == 3 and roofline["roofs"] == 2 and roofline["error"] == "", roofline)
    check(roofline["first"] == {"row": 0, "operator": "aten::mm", "gpuTimeNs": 2_000_000, "bound": "compute"}, roofline)
    check(any(GPU in text for text in window.settled()["seen"]), "the GPU is not named")
    window.key("ctrl+1", "ctrl+shift+p")
    window.type("arithmetic intensity")
    window.key("Return")
    rows_of(window, 3, "the palette does not find it by another program's word")


def a_row_leads_to_its_longest_call(window):
    window.press("roofline_first_row")
    state = window.wait(lambda s: s["selection"]["kind"] == "slice", "a click on a row selects nothing")
    check(state["selection"]["name"] == "aten::mm", state["selection"])
    check(state["roofline"]["chosen"] == 0, "the row is not marked")
    window.key("Escape")


def a_dot_leads_there_too(window):
    window.press("roofline_first_row")
    window.press("header Of roof")
    window.wait(lambda s: s["roofline"]["first"]["operator"] != "aten::add", "a click on the header does not sort")
    window.press("header Of roof")
    state = window.wait(lambda s: s["roofline"]["first"]["operator"] == "aten::add", "another click does not turn it round")
    window.press("roofline_first_row")
    window.wait(lambda s: s["selection"]["name"] == "aten::add", "the row does not lead to its call")
    window.press("roofline_first_dot")
    state = window.wait(lambda s: s["selection"]["name"] == "aten::mm", "a click on a dot does not lead to its call")
    check(state["roofline"]["chosen"] == 0, "the dot is not marked")
    window.key("Escape")


def it_is_copied(window):
    window.press("copy")
    window.press("copy_csv")
    state = window.wait(lambda s: s["copied"].startswith("operator,inputDims,gpuTimeNs"), "nothing is copied")
    lines = state["copied"].splitlines()
    check(len(lines) == 4, lines)
    check(any(line.startswith("aten::mm,") and ",2000000," in line for line in lines), lines)


def it_follows_the_range(window):
    window.key("Escape", "Escape")
    window.press("roofline_first_row")
    window.key("r")
    window.wait(lambda s: s["area"], "R selects no range")
    rows_of(window, 1, "the page does not follow the range")
    window.key("Escape", "Escape")
    rows_of(window, 3, "the page does not come back to the trace")


def with_window(display, with_shapes, use, **size):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "calls.json")
        write_trace(path, with_shapes)
        window = Window(display, [path], **size)
        try:
            window.loaded()
            use(window)
            check(window.close() == 0, "the window does not end well")
        finally:
            window.kill()


def a_trace_with_shapes(display):
    def use(window):
        a_key_and_the_palette_show_it(window)
        a_row_leads_to_its_longest_call(window)
        a_dot_leads_there_too(window)
        it_is_copied(window)
        it_follows_the_range(window)
    with_window(display, True, use)


def a_trace_without_shapes_says_so(display):
    def use(window):
        window.key("shift+r")
        window.wait(lambda s: s["page"] == "roofline" and any("record_shapes=True" in text for text in s["seen"]),
                    "nothing says what is missing")
    with_window(display, False, use)


def a_small_window_shows_rows(display):
    def use(window):
        window.key("shift+r")
        rows_of(window, 3, "Shift+R does not show the roofline")
        a_row_leads_to_its_longest_call(window)
    with_window(display, True, use, width=760, height=520)


if __name__ == "__main__":
    run_apart([a_trace_with_shapes, a_small_window_shows_rows, a_trace_without_shapes_says_so])
