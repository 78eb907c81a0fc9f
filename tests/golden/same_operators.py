"""Compares what Lacuna and torch.profiler wrote of one and the same run: operators, nesting, arguments, arrows."""
import json
import subprocess

# What both write of an operator.
SAME_ARGUMENTS = ("Sequence number", "Fwd thread id", "Input Dims", "Input type", "Concrete Inputs")


def absolute(trace, us):
    return trace["baseTimeNanoseconds"] + round(us * 1000)


def operators_of(trace):
    """What torch recorded, in order of start."""
    return sorted((e for e in trace["traceEvents"] if e["ph"] == "X" and "External id" in e.get("args", {})
                   and e.get("cat") in ("cpu_op", "user_annotation")),
                  key=lambda e: (e["tid"], e["ts"], -e["dur"]))


def paths(events):
    """Of each event the names around it."""
    around, result = [], []
    for e in events:
        while around and (around[-1][0] != e["tid"] or around[-1][1] <= e["ts"]):
            around.pop()
        around.append((e["tid"], e["ts"] + e["dur"], e["name"]))
        result.append([name for _, _, name in around])
    return result


def forward_backward(events, trace):
    """The arrows from forward to backward operators, as pairs of places in `events`."""
    place = {}
    for i, e in enumerate(events):
        place.setdefault((e["tid"], round(e["ts"] * 1000)), i)
    ends = {}
    for e in trace["traceEvents"]:
        if e["ph"] in ("s", "f") and e["cat"] == "fwdbwd":
            ends.setdefault(e["id"], {})[e["ph"]] = place.get((e["tid"], round(e["ts"] * 1000)))
    return sorted((pair["s"], pair["f"]) for pair in ends.values() if pair["s"] is not None)


def check_same(case, ours, theirs):
    """`case`: a TestCase. Returns when, in ns since 1970, the first and the last of the operators in both begin."""
    wanted = operators_of(theirs)
    first = min(absolute(theirs, e["ts"]) for e in wanted)
    last = max(absolute(theirs, e["ts"] + e["dur"]) for e in wanted)
    # Ours lie around torch.profiler's, whose first one begins late: it prepares itself.
    got = [e for e in operators_of(ours) if absolute(ours, e["ts"] + e["dur"]) >= first and absolute(ours, e["ts"]) <= last]
    begin, end = absolute(ours, got[0]["ts"]), last + 1
    case.assertEqual([e["name"] for e in got], [e["name"] for e in wanted])
    case.assertGreater(len(got), 150)
    case.assertEqual(paths(got), paths(wanted))
    for a, b in zip(got, wanted):
        for key in SAME_ARGUMENTS:
            case.assertEqual(a["args"].get(key), b["args"].get(key), (a["name"], key))
    case.assertEqual(len({e["args"]["External id"] for e in got}), len(got))
    arrows = forward_backward(got, ours)
    case.assertEqual(arrows, forward_backward(wanted, theirs))
    case.assertGreater(len(arrows), 10)
    indices = {(e["name"], e["args"]["sort_index"]) for e in ours["traceEvents"]
               if e["ph"] == "M" and e["name"].endswith("_sort_index")}
    case.assertLessEqual({("process_sort_index", got[0]["pid"]), ("thread_sort_index", got[0]["tid"])}, indices)
    return begin, end


def table_of(lacuna, path, trace=None, span=None):
    """Rows of torch's table: name -> count. Without our own steps, which torch.profiler has only where a program
    calls its step()."""
    options = []
    if span is not None:
        first = min(absolute(trace, e["ts"]) for e in trace["traceEvents"] if e["ph"] != "M")
        options = ["--from-us", str((span[0] - first) / 1000), "--to-us", str((span[1] - first) / 1000)]
    done = subprocess.run([lacuna, "stats", "--table", "torch", "--json", *options, path], capture_output=True,
                          text=True, check=True)
    return {row["name"]: row["count"] for row in json.loads(done.stdout)["rows"]
            if not row["name"].startswith("ProfilerStep")}
