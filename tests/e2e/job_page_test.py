#!/usr/bin/env python3
"""The job page in the real window: four ranks on two hosts whose clocks differ. Its buttons line the ranks up by the
ends of their collectives, by nothing, and by what the files say; its rows go under hosts and groups; a click on the
map shows the step."""

import json
import os
import tempfile

from window_driver import check, run

RANKS = 4
CLOCK_US = [0, 0, 5000, 5000]  # what the second host's clock is ahead
STEP_US = 1000


def kernel(name, stream, start, end, args=None):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": start, "dur": end - start,
            "args": {"device": 0, "stream": stream, **(args or {})}}


def trace(rank, is_late=True):
    """Three steps, each ending with a collective of all and begun by one of two ranks; rank 3 may be late to all."""
    host = rank // 2
    behind = host if is_late else 0
    events = []
    for step in range(3):
        begin = step * STEP_US
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1,
                       "ts": begin, "dur": STEP_US - 10})
        work = begin + (700 if rank == 3 and is_late else 100)
        events.append(kernel("gemm", 7, begin + 5, work))
        for name, group, ranks, start, end in (
                ("tp", host + 1, [2 * host, 2 * host + 1], work, begin + (720 if behind else 120)),
                ("dp", 0, list(range(RANKS)), begin + (730 if behind else 130), begin + 800)):
            events.append(kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, start, end, {
                "Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1000, "Out msg nelems": 1000,
                "Group size": len(ranks), "Process Group Name": str(group), "Process Group Description": name,
                "Process Group Ranks": str(ranks)}))
    for event in events:
        event["ts"] += CLOCK_US[rank] + 10 * rank  # each file begins where its own profiler began
    return {"baseTimeNanoseconds": 1_750_000_000_000_000_000 - 10_000 * rank, "hostname": f"host{host}",
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": RANKS}, "traceEvents": events}


def span_of(state):
    return state["span"]["endNs"] - state["span"]["beginNs"]


def clocks_are_chosen(window):
    window.key("Escape", "ctrl+shift+p")
    window.type("Job: the ranks")
    window.key("Return")
    state = window.wait(lambda s: s["page"] == "job" and "clock_collectives" in s["places"], "no job page")
    check(state["clocks"] == 0, "clocks are not as the files say at first")
    apart = span_of(state)
    check(abs(apart - (3 * STEP_US + 5000) * 1000) < 300_000, f"the files lie {apart} ns in all")
    window.press("clock_collectives")
    state = window.wait(lambda s: s["clocks"] == 2 and not s["loading"], "no clocks by collectives")
    check(abs(span_of(state) - 3 * STEP_US * 1000) < 300_000, f"lined up they lie {span_of(state)} ns in all")
    check(state["page"] == "job", "another page is shown")
    window.press("clock_raw")
    state = window.wait(lambda s: s["clocks"] == 1 and not s["loading"], "no raw clocks")
    check(abs(span_of(state) - apart - 30_000) <= 1000, "raw times are not those of the files")
    window.press("clock_files")
    state = window.wait(lambda s: s["clocks"] == 0 and not s["loading"], "the files' clocks do not come back")
    check(span_of(state) == apart, "the files lie elsewhere")


def rows_go_under_groups(window):
    for place in ("job_by_tp", "job_by_host", "job_by_value", "job_by_rank"):
        window.wait(lambda s, place=place: place in s["places"], f"no button {place}")
        window.press(place)
    window.press("first_straggler")
    window.wait(lambda s: s["selection"]["kind"] == "slice", "the straggler's evidence is not shown")
    window.press("job_map")
    window.settled()


def main():
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for rank in range(RANKS):
            paths.append(os.path.join(folder, f"rank{rank}.json"))
            with open(paths[-1], "w") as file:
                json.dump(trace(rank), file)
        run([clocks_are_chosen, rows_go_under_groups], paths)


if __name__ == "__main__":
    main()
