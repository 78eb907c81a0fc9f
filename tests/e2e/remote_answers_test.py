"""Of a trace that is seen from another machine, statistics, gaps with their causes and what is known of a slice come from
there, before the trace is here, or without it ever coming (--no-fetch). Against what `lacuna stats|gaps` say of the file
itself. With a real sshd of the test's own, and a slow line."""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import types

import memory_records_test
import roofline_test
import there_test as there
import window_driver as driver
from window_driver import check

SLOW = 150_000  # bytes a second
KEPT = 100_000  # bytes on the line within which nothing of a file of many is fetched


def look(window, name):
    """A picture, for whoever wants to see it."""
    if "LACUNA_LOOK" in os.environ:
        time.sleep(0.5)
        subprocess.run(["import", "-window", "root", f"{os.environ['LACUNA_LOOK']}/{name}.png"], env=window.environment)


def answer(path, *words):
    done = subprocess.run([there.LACUNA, *words, "--json", path], capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, done.stderr)
    return json.loads(done.stdout)


def kept_files(machine):
    return [str(p) for p in (machine.folder / "here" / "cache" / "lacuna" / "remote").glob("*/*")]


def told(window, condition, what, seconds=90):
    state = window.wait(lambda s: s.get("thinned") and condition(s), what, seconds)
    check(not state["there"]["isFetched"] and state["there"]["fetched"] == 0, "nothing is fetched")
    return state


def numbers_come_from_there(display):
    machine, window = there.Machine(through=True), None
    try:
        path = there.trace_there(machine, 150_000)
        machine.proxy.bytes_a_second = SLOW
        machine.proxy.delay = 0.05
        window = driver.window_on(machine, display, "--on", "box", "big.json", "--no-fetch")
        state = told(window, lambda s: s["statistics"]["rows"] > 0 and s["answers"]["isAnswered"], "no statistics come")
        stats = answer(path, "stats")
        rows = {row["name"]: row for row in stats["rows"]}
        check(state["statistics"]["rows"] == len(rows), f"{state['statistics']} {len(rows)}")
        check(state["statistics"]["events"] == sum(row["count"] for row in rows.values()), "all slices are counted")
        first = state["statistics"]["firstName"]
        check(state["statistics"]["firstTotalNs"] == rows[first]["totalNs"], f"{state['statistics']} {rows[first]}")

        # Gaps with their causes, of all streams, the longest first.
        window.key("ctrl+2")
        state = told(window, lambda s: s["answers"]["hasGaps"], "no gaps come")
        gaps = [gap for stream in answer(path, "gaps", "--min-us", "10", "--limit", "0")["streams"] for gap in stream["gaps"]]
        gaps.sort(key=lambda gap: -gap["durationNs"])
        came = state["answers"]["gaps"]
        check(len(came) == 500 and state["answers"]["gapsLeftOut"] == len(gaps) - 500,
              f"{len(came)} and {state['answers']['gapsLeftOut']} of {len(gaps)}")
        check([gap["durationNs"] for gap in came] == [gap["durationNs"] for gap in gaps[:500]], "the longest, in order")
        check(came[0]["cause"] == gaps[0]["cause"] and came[0]["why"] == gaps[0]["why"], f"{came[0]} {gaps[0]}")
        look(window, "gaps")
        # One of them is gone to, selected as soon as it is seen, and explained.
        window.press("first_remote_gap")
        state = told(window, lambda s: s["selection"]["kind"] == "gap" and s["answers"].get("gap"), "the gap is not selected")
        check(state["answers"]["gap"] == came[0]["why"], f"{state['answers']['gap']}")
        look(window, "gap")

        # The range that it makes: its statistics come from there.
        before = state["statistics"]["version"]
        window.key("r")
        state = told(window, lambda s: s["area"] and s["answers"]["isAnswered"] and s["statistics"]["version"] != before,
                     "no statistics of the range come")
        check(state["statistics"]["cpuSelfNs"] < stats["cpuSelfNs"], f"{state['statistics']}")
        window.key("Escape")
        told(window, lambda s: not s["area"] and s["answers"]["isAnswered"] and s["statistics"]["cpuSelfNs"] == stats["cpuSelfNs"],
             "the whole trace's do not come again")

        # The headline and the report of all of it, and the headline of a range: as `lacuna report` says them.
        told(window, lambda s: s["headlineText"], "no headline comes")
        window.press("headline_why")
        whole = told(window, lambda s: s["places"].get("first_evidence"), "no report comes")["headlineText"]
        check(whole + "." == answer(path, "report", "--brief")["briefs"][0]["answer"], whole)
        look(window, "report")
        window.press("first_evidence")
        told(window, lambda s: s["area"] or s["selection"]["kind"] != "none", "its evidence leads nowhere")
        window.key("Escape", "Escape")
        window.key("ctrl+2")
        told(window, lambda s: not s["area"] and s["answers"]["hasGaps"], "no gaps come again")
        window.press("first_remote_gap")
        told(window, lambda s: s["selection"]["kind"] == "gap", "the gap is not selected")
        window.key("r")
        told(window, lambda s: s["area"] and s["headlineText"].startswith("Range of"),
             "no headline of the range comes")
        look(window, "range headline")
        window.key("Escape", "Escape")
        told(window, lambda s: not s["area"] and s["headlineText"] == whole, "that of the whole trace does not come again")

        # Groups and torch's table are computed there, of the whole trace and of a range.
        window.key("ctrl+1")
        window.press("table_groups")
        told(window, lambda s: s["places"].get("first_group_row"), "no groups come")
        look(window, "groups")
        window.press("first_group_row")
        told(window, lambda s: s["selection"]["kind"] == "slice", "the longest slice of a group is not selected")
        window.key("r")
        window.press("table_torch")
        told(window, lambda s: s["area"] and 0 < s["torch"]["rows"] < 10, "no table of torch's of a range comes")
        window.key("Escape", "Escape")
        table = answer(path, "stats", "--table", "torch")
        state = told(window, lambda s: not s["area"] and s["torch"]["rows"] == len(table["rows"]), "that of the whole trace does not come")
        check(state["torch"]["firstCount"] == max(table["rows"], key=lambda row: row["selfDeviceNs"])["count"], f"{state['torch']}")
        look(window, "torch")
        window.press("table_slices")
        window.key("ctrl+2")
        told(window, lambda s: s["answers"]["hasGaps"] and s["places"].get("first_remote_gap"), "no gaps come again")

        # A slice: its arguments and links, which are gone to, too.
        window.press("first_remote_gap")
        told(window, lambda s: s["selection"]["kind"] == "gap", "the gap is not selected")
        window.key("Right")
        state = told(window, lambda s: s["selection"]["kind"] == "slice" and s["arguments"] > 0, "no arguments come")
        check(state["arguments"] == 3 and not state["argumentError"], f"{state['arguments']} {state['argumentError']}")
        check(state["selection"]["name"].startswith("gemm") and state["answers"]["links"] == ["cudaLaunchKernel"],
              f"{state['selection']} {state['answers']['links']}")
        look(window, "slice")
        window.press("first_remote_link")
        # Until its own links come, those of the kernel may be told.
        told(window, lambda s: s["selection"].get("name") == "cudaLaunchKernel" and s["arguments"] > 0
             and s["answers"]["links"][0].startswith("gemm"), "the launch is not selected, or its links do not come")

        # N walks through all gaps of the least length in time, over all streams, also those that no list has.
        window.key("Escape", "Escape", "Home", "Home")
        gaps = sorted((gap["startNs"], gap["durationNs"]) for gap in gaps)
        window.key("shift+l")
        state = told(window, lambda s: s["selection"]["kind"] == "gap", "the longest gap is not selected")
        first = [b for b, d in gaps].index(state["selection"]["beginNs"])
        window.key("n")
        begin = gaps[first + 1][0]
        state = told(window, lambda s: s["selection"].get("beginNs") == begin, "N does not go to the next gap in time")
        window.key("shift+n")
        begin = gaps[first][0]
        told(window, lambda s: s["selection"].get("beginNs") == begin, "Shift+N does not go back")

        # Idle time by cause and by operator, and dead windows: as the command line has them of gaps of any length.
        window.key("Escape", "Escape", "ctrl+2")
        window.press("gaps_causes")
        state = told(window, lambda s: s["places"].get("first_remote_row") and "idle" in s["answers"], "no causes come")
        check(state["answers"]["idle"]["rows"] and state["answers"]["idle"]["what"] == 0, f"{state['answers']}")
        look(window, "causes")
        window.press("first_remote_row")
        told(window, lambda s: s["selection"]["kind"] == "gap", "the longest gap of a cause is not selected")
        window.key("Escape")
        window.press("gaps_operators")
        told(window, lambda s: s["answers"].get("idle", {}).get("what") == 1, "no operators come")
        told(window, lambda s: s["places"].get("gaps_count_all"), "shorter gaps cannot be counted")
        window.press("gaps_count_all")
        window.press("gaps_causes")
        causes = answer(path, "gaps", "--causes", "--whole")["devices"][0]
        state = told(window, lambda s: s["answers"].get("idle", {}).get("ns") == causes["idleNs"], "not all idle time is told")
        check(len(state["answers"]["idle"]["rows"]) == len(causes["causes"]), f"{state['answers']['idle']} {causes}")
        window.press("gaps_dead")
        told(window, lambda s: s["answers"].get("idle", {}).get("what") == 2, "no dead windows come")
        look(window, "dead windows")
        window.press("gaps_list")

        # A picture has too few gaps to be compared with what is told.
        told(window, lambda s: s["answers"]["hasGaps"] and s["places"].get("first_remote_gap"), "no gaps come again")
        window.press("gaps_idle_figures")
        told(window, lambda s: s["idleOpen"] and s["places"].get("idle_waits"), "figures of a picture are given for those of the trace")
        look(window, "idle figures")
        window.key("Escape")

        # The critical path, whose rows lead to their slices, and what changes would gain: as the command line has them.
        window.key("shift+c")
        state = told(window, lambda s: s["path"]["rows"] > 0 and s["places"].get("path_first_row"), "no path comes")
        path_there = answer(path, "critical-path")
        check(state["path"]["drawn"] and state["path"]["bars"] == 0, "the path is drawn through a part of the trace")
        check(state["path"]["wallNs"] == state["path"]["sumNs"] == path_there["wallNs"] and state["path"]["hasSlack"],
              f"{state['path']} {path_there['wallNs']}")
        times = collections.Counter()
        for part in path_there["parts"]:
            times[part["name"], part["category"], part["lane"]] += part["durationNs"]
        (first, _), (second, _) = times.most_common(2)
        check(state["path"]["firstName"] == first[0] == "(nothing recorded)", f"{state['path']} {first}")
        look(window, "path")
        window.press("path_second_row")
        told(window, lambda s: s["selection"].get("name") == second[0], "the part is not selected")
        window.key("Escape", "shift+c")
        driver.run_from_palette(window, "What if: what would gain most")
        state = told(window, lambda s: s["whatIf"]["ranking"] > 0 and s["places"].get("what_if_first"), "no ranking comes")
        gains = answer(path, "what-if")
        check(state["whatIf"]["firstGainNs"] == gains["ranking"][0]["gainNs"] and
              state["whatIf"]["replayedNs"] == gains["replayedNs"], f"{state['whatIf']} {gains}")
        window.press("what_if_first")
        state = told(window, lambda s: s["whatIf"].get("predictedWith") == 1 and not s["whatIf"]["computing"],
                     "no prediction comes")
        check(state["whatIf"]["predictedNs"] == state["whatIf"]["replayedNs"] - gains["ranking"][0]["gainNs"],
              f"{state['whatIf']}")
        look(window, "what if")

        # Calls, by their own time and by that of the path.
        window.key("ctrl+8")
        tree = answer(path, "calls")
        state = told(window, lambda s: s["calls"]["nodes"] > 1 and not s["calls"]["computing"], "no calls come")
        check(state["calls"]["totalNs"] == tree["totalNs"] and state["calls"]["nodes"] == tree["frameCount"],
              f"{state['calls']} {tree['totalNs']} {tree['frameCount']}")
        look(window, "calls")
        window.press("flame")
        window.press("calls_longest")
        told(window, lambda s: s["selection"]["kind"] == "slice", "the longest slice of a frame is not selected")
        window.key("Escape")
        for place, metric, total in (("calls_idle", 2, answer(path, "calls", "--by", "idle")["totalNs"]),
                                     ("calls_path", 3, path_there["wallNs"])):
            window.press(place)
            told(window, lambda s: s["calls"]["metric"] == metric and not s["calls"]["computing"]
                 and s["calls"]["totalNs"] == total, f"nothing comes of {place}")
        window.press("calls_cpu")

        # SQL runs there; a row leads to its slice, an error is told, and a view is there for the next query.
        def query(text, came):
            before = window.state()["sql"]["answers"]
            window.press("sql_editor")
            window.key("ctrl+a", "Delete")
            window.type(text)
            window.key("ctrl+Return")
            return told(window, lambda s: s["sql"]["answers"] > before and not s["sql"]["computing"] and came(s["sql"]),
                        f"no answer to {text}")
        window.key("ctrl+9")
        window.wait(lambda s: s["places"].get("sql_editor"), "no SQL page")
        query("select nothing", lambda sql: "nothing" in sql["error"])
        query("create view late as select * from slice order by ts desc limit 3", lambda sql: not sql["error"])
        query("select id, ts, name from late", lambda sql: sql["rows"] == 3)
        window.press("first_sql_row")
        told(window, lambda s: s["selection"]["kind"] == "slice", "the slice of a row is not selected")
        query("select count(*) from slice", lambda sql: sql["first"] == str(there.info(path)["slices"]))
        look(window, "sql")
        window.key("Escape", "Escape", "ctrl+2")
        told(window, lambda s: s["answers"]["gaps"], "no gaps come again")
        window.press("first_remote_gap")  # what was chosen one Escape let go of, or the editor took both
        told(window, lambda s: s["selection"]["kind"] == "gap", "the gap is not selected")

        # A line that breaks: what is asked then is answered when it is back.
        machine.proxy.cut()
        told(window, lambda s: "trying again" in s["there"]["words"] or s["there"]["words"].startswith("Asking"),
             "a broken line must be told", 20)
        window.key("r")
        told(window, lambda s: s["area"] and s["answers"]["isAnswered"], "no statistics after the break")
        window.key("Escape", "Escape")
        check(not kept_files(machine), f"{kept_files(machine)}")

        # Somebody looks only, and nothing moves: no frames are drawn for it.
        told(window, lambda s: s["answers"]["isWhole"] and not s["there"]["asking"], "it does not come to rest")
        before = window.cpu_seconds()
        time.sleep(1)
        check(window.cpu_seconds() - before < 0.4, f"{window.cpu_seconds() - before:.2f} s of CPU in 1 s of nothing")

        # It is fetched all the same, paused, and gone on with.
        window.press("hold_fetch")
        window.wait(lambda s: s["there"]["fetched"] > 300_000, "nothing is fetched")
        window.press("hold_fetch")
        state = window.wait(lambda s: "paused" in s["there"]["fetchWords"], "it is not paused")
        window.hold("w", 0.3)  # what is looked at comes meanwhile
        window.wait(lambda s: not s["there"]["asking"] and s["there"]["pictures"] > state["there"]["pictures"],
                    "no picture comes while it is paused", 90)
        before = window.state()["there"]["fetched"]
        check(before < state["there"]["total"] / 2, "it was paused")
        passed = machine.proxy.passed
        time.sleep(1.5)
        now = window.state()["there"]["fetched"]
        check(now == before and machine.proxy.passed - passed < KEPT, f"{now - before} bytes came, on the line "
              f"{machine.proxy.passed - passed}")
        machine.proxy.bytes_a_second = 0
        window.press("hold_fetch")
        state = window.wait(lambda s: not s["loading"] and not s["thinned"], "it is not gone on with", 90)
        check(state["slices"] == there.info(path)["slices"], "all slices")
        check([name for name in kept_files(machine) if name.endswith("big.json")], "it is kept")
    finally:
        if window:
            window.kill()
        machine.close()


def memory_comes_from_there(display):
    """Of a trace with [memory] records: the peak, its holders, what was live then, and the slice that allocated it."""
    machine, window = there.Machine(), None
    try:
        (machine.home / "memory.json").write_text(json.dumps(memory_records_test.trace()))
        window = driver.window_on(machine, display, "--on", "box", "memory.json", "--no-fetch")
        told(window, lambda s: s["answers"]["isAnswered"], "no statistics come")
        window.key("ctrl+m")
        state = told(window, lambda s: s["memory"].get("live") and s["memory"].get("areas") and s["places"].get("memory_first_row"),
                     "no memory comes")
        check(state["memory"]["devices"] == 1 and state["memory"]["peakBytes"] == 6 * 64 * memory_records_test.KIB
              and state["memory"]["live"] == 6, f"{state['memory']}")
        look(window, "memory")
        told(window, lambda s: s["allocationMarks"]["count"] > 0, "no allocation is drawn below its operator")
        window.press("memory_first_row")
        told(window, lambda s: s["memory"]["piece"] and s["places"].get("memory_go_begin"), "no stack of an allocation")
        window.press("memory_go_begin")
        told(window, lambda s: s["selection"].get("name") == "aten::mm", "the operator that allocated is not selected")
        look(window, "memory slice")
        window.press("memory_flames")
        told(window, lambda s: s["memory"].get("frames", 0) > 1, "no flames")
        check(not window.state()["error"], "an error")
    finally:
        if window:
            window.kill()
        machine.close()


def work_comes_from_there(display):
    """The roofline: its rows, and the longest call of one, which is gone to. A path of few parts is drawn."""
    machine, window = there.Machine(), None
    try:
        path = machine.home / "shapes.json"
        roofline_test.write_trace(path)
        window = driver.window_on(machine, display, "--on", "box", "shapes.json", "--no-fetch")
        told(window, lambda s: s["answers"]["isAnswered"], "no statistics come")
        window.key("shift+r")
        state = told(window, lambda s: s["roofline"]["rows"] > 0 and s["places"].get("roofline_first_row"), "no roofline comes")
        rows = [row for row in answer(path, "roofline")["rows"] if not row["aroundOthers"]]
        first = {key: rows[0][key] for key in ("operator", "gpuTimeNs", "bound")}
        check(state["roofline"]["rows"] == len(rows) and state["roofline"]["first"] == {"row": 0, **first},
              f"{state['roofline']} {first}")
        check(state["roofline"]["dots"] == 3 and state["roofline"]["roofs"] == 2, f"{state['roofline']}")
        look(window, "roofline")
        window.press("roofline_first_row")
        told(window, lambda s: s["selection"].get("name") == first["operator"], "its longest call is not selected")
        window.key("Escape", "shift+c")
        told(window, lambda s: s["path"]["drawn"] and s["path"]["bars"] > 0, "a short path is not drawn through the lanes")
        look(window, "short path")
    finally:
        if window:
            window.kill()
        machine.close()


def the_trace_changes_there(display):
    """What is read there already is told; arguments of a file that changed are an error with words; what cannot be seen
    again after a break is said."""
    machine, window = there.Machine(through=True), None
    try:
        path = there.trace_there(machine, 20_000)
        window = driver.window_on(machine, display, "--on", "box", "--no-fetch", "big.json")
        told(window, lambda s: s["answers"]["isAnswered"], "no statistics come")
        window.key("ctrl+2")
        told(window, lambda s: s["answers"]["hasGaps"], "no gaps come")
        window.press("first_remote_gap")
        told(window, lambda s: s["selection"]["kind"] == "gap", "the gap is not selected")
        data = path.read_bytes()
        path.write_bytes(data[:len(data) // 2])
        window.key("Right")
        state = told(window, lambda s: s["selection"]["kind"] == "slice" and s["argumentError"], "no error comes")
        check("changed" in state["argumentError"], state["argumentError"])
        check(state["answers"]["links"], "links are known all the same")
        path.unlink()
        machine.proxy.cut()
        state = told(window, lambda s: "What was seen stays: " in s["there"]["words"] and "gone or has changed" in s["there"]["words"], "it must be said", 30)
        check(not state["error"] and state["statistics"]["rows"] > 0, "what was seen stays")
        # Panels that wait for an answer say why there is none, and a step says it, too.
        told(window, lambda s: "box no longer answers" in s["there"]["whyNoAnswer"], "panels do not say why")
        window.key("n")
        window.wait(lambda s: "box no longer answers" in s["notice"], "N does nothing, and says nothing")
        window.key("r", "ctrl+1")
        look(window, "gone statistics")
        window.key("ctrl+2")
        window.wait(lambda s: s["area"] and s["places"].get("why_no_answer"), "the list of gaps waits for nobody")
        window.key("Escape")
        look(window, "gone")
        window.press("cancel")
        window.wait(lambda s: not s["hasTrace"] and not s["loading"], "it does not close")
    finally:
        if window:
            window.kill()
        machine.close()


def names_left_out_are_counted(display):
    """Of 1,200 names 1,000 come, and the page says that there are more."""
    machine, window = there.Machine(), None
    try:
        events = [{"ph": "X", "cat": "cpu_op", "name": f"op{i % 1200:04}", "pid": 1, "tid": 1, "ts": i * 10, "dur": 9}
                  for i in range(60_000)]
        (machine.home / "names.json").write_text(json.dumps({"traceEvents": events}))
        window = driver.window_on(machine, display, "--on", "box", "names.json", "--no-fetch")
        state = told(window, lambda s: s["statistics"]["rows"] > 0 and s["answers"]["isAnswered"], "no statistics come")
        check(state["statistics"]["rows"] == 1000 and state["answers"]["rowsLeftOut"] == 200, f"{state['answers']}")
        window.key("ctrl+1")
        window.wait(lambda s: s["places"].get("rows_left_out"), "the page says nothing of the other 200")
        look(window, "names")
    finally:
        if window:
            window.kill()
        machine.close()


def cut_in_pictures(display):
    """The line is cut while the first picture comes, at its end, in one of a zoom, in the list of gaps and at the end of a zoom: all come
    when it is back, by themselves."""
    folder, window = pathlib.Path(tempfile.mkdtemp(prefix="lacuna-cut-")), None
    try:
        for name in ("bin", "home"):
            (folder / name).mkdir()
        (folder / "run").mkdir(mode=0o700)
        (folder / "bin/lacuna").symlink_to(there.LACUNA)
        home = types.SimpleNamespace(home=folder / "home")
        there.trace_there(home, 30_000)
        rules = folder / "rules"

        def cut(*more):
            (folder / "new").write_text(json.dumps(more))
            os.rename(folder / "new", rules)

        answer, data, done = 8, 9, 14
        cut({"kind": data, "at": "middle"}, {"kind": done, "at": "before"})
        transport = (f"{sys.executable} -B {there.SOURCE}/tests/capture/cut_line.py {rules} env HOME={folder}/home "
                     f"XDG_CACHE_HOME={folder}/home/.cache PATH={folder}/bin:{os.environ['PATH']}")
        window = driver.Window(display, ["--on", "box", "--transport", transport, "big.json", "--no-fetch"], environment={
            "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "XDG_RUNTIME_DIR": str(folder / "run")})
        state = told(window, lambda s: s["statistics"]["rows"] > 0 and s["answers"]["isAnswered"], "no picture comes")
        check(json.loads(rules.read_text()) == [], f"it was not cut: {rules.read_text()}")
        for rule, what in (({"kind": data, "at": "middle"}, lambda: window.hold("w", 0.3)),
                           ({"kind": answer, "at": "middle"}, lambda: window.key("ctrl+2")),
                           ({"kind": done, "at": "before"}, lambda: window.hold("w", 0.6))):
            cut(rule)
            before = state["there"]["pictures"]
            what()
            state = window.wait(lambda s: json.loads(rules.read_text()) == [] and s["there"]["pictures"] > before and
                                not s["there"]["asking"] and s["answers"]["isAnswered"] and not s["there"]["whyNoAnswer"],
                                f"nothing comes after a cut: {rule}", 30)
        check(not state["error"], state["error"])
        window.wait(lambda s: len(s["answers"]["gaps"]) == 500, "the list of gaps never comes", 30)
    finally:
        if window:
            window.kill()
        shutil.rmtree(folder, ignore_errors=True)


def two_windows_on_one_trace(display):
    """The second is shown what it looks at while the first has the fetch, and goes on with that when the first goes."""
    machine, windows = there.Machine(through=True), []
    try:
        path = there.trace_there(machine, 150_000)
        machine.proxy.bytes_a_second = SLOW
        windows.append(driver.window_on(machine, display, "--on", "box", "big.json"))
        windows[0].wait(lambda s: s["thinned"] and s["there"]["fetched"] > 0, "the first shows nothing", 40)
        windows[0].press("hold_fetch")
        windows[0].wait(lambda s: "paused" in s["there"]["fetchWords"], "it is not paused")
        machine.proxy.bytes_a_second = 0
        windows.append(driver.window_on(machine, display, "--on", "box", "big.json"))
        state = windows[1].wait(lambda s: s["thinned"] and s["answers"]["isAnswered"], "the second shows nothing", 90)
        check("another lacuna fetches it" in state["there"]["words"], state["there"]["words"])
        windows[0].kill()  # and the second goes on where it was
        state = windows[1].wait(lambda s: not s["loading"] and not s["thinned"], "all of it never comes", 90)
        check(state["slices"] == there.info(path)["slices"], "all slices")
        check(len(kept_files(machine)) == 1, f"{kept_files(machine)}")
    finally:
        for window in windows:
            window.kill()
        machine.close()


if __name__ == "__main__":
    if there.why_no_sshd():
        print("skipped: " + there.why_no_sshd())
        sys.exit(77)
    driver.run_apart((numbers_come_from_there, memory_comes_from_there, work_comes_from_there, the_trace_changes_there, names_left_out_are_counted, cut_in_pictures,
                      two_windows_on_one_trace))
