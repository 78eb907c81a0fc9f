#!/usr/bin/env python3
"""The SQL page: from the search box, completion, rows that lead to the timeline, errors, history."""
import subprocess
import sys

import window_driver as driver
from window_driver import DEMO, check, run


def to_page(window):
    window.key("Escape", "ctrl+9")
    return window.wait(lambda s: s["page"] == "query" and s["sql"]["editing"], "Ctrl+9 does not open the editor")


def write(window, sql):
    to_page(window)
    window.key("ctrl+a", "Delete")
    window.type(sql)
    window.wait(lambda s: s["sql"]["text"] == sql, f"{sql!r} is not what the editor has")


def answer(window, sql):
    write(window, sql)
    before = window.state()["sql"]["answers"]
    window.key("ctrl+Return")
    return window.wait(lambda s: s["sql"]["answers"] > before and not s["sql"]["computing"], f"no answer to {sql!r}")["sql"]


def a_colon_in_the_search_box_opens_it(window):
    window.key("Escape", "ctrl+1", "slash")
    window.wait(lambda s: s["omnibox"]["focused"], "/ does not lead to the box")
    window.type(":")
    state = window.wait(lambda s: s["page"] == "query" and s["sql"]["editing"], "':' does not open the editor")
    check(state["omnibox"]["text"] == "", f"the box keeps {state['omnibox']['text']!r}")


def tab_completes_tables_and_columns(window):
    to_page(window)
    window.key("ctrl+a", "Delete")
    window.type("select cau")
    window.key("Tab")
    window.wait(lambda s: s["sql"]["text"] == "select cause", "Tab did not complete the column")


def rows_are_counted_and_lead_to_the_timeline(window):
    said = answer(window, "select name, id, ts from slice where category = 'kernel' order by dur desc limit 5")
    check(said["rows"] == 5 and said["error"] == "", said)
    x, y = window.settled()["places"]["first_sql_row"]
    window.click(x - 60, y)  # between the borders of columns
    state = window.wait(lambda s: s["selection"]["kind"] == "slice", "a click on a row selects nothing")
    check(state["selection"]["name"] == said["first"], f"{state['selection']['name']!r} is not {said['first']!r}")


def columns_sort(window):
    said = answer(window, "select id, dur from slice where dur > 0 order by dur limit 50")
    window.press("header dur")
    window.wait(lambda s: s["sql"]["first"] != said["first"], "a click on the header does not sort")


def errors_are_at_their_place(window):
    said = answer(window, "select nme from slice")
    check(said["error"] == "no such column: nme" and said["errorOffset"] == 7, said)


def history_has_what_was_run(window):
    answer(window, "select 41 + 1")
    write(window, "x")
    window.press("sql_History")
    window.settled()
    window.press("sql_History_first")
    window.wait(lambda s: s["sql"]["text"] == "select 41 + 1", "the history does not bring the query back")
    window.key("Escape")


def copies_as_csv(window):
    answer(window, "select 1 as a, 'x' as b")
    window.press("copy")
    window.settled()
    window.press("copy_csv")
    window.wait(lambda s: s["copied"] == "a,b\r\n1,x\r\n", "the rows are not copied")


def rows_become_a_track_that_leads_to_slices_and_goes_again(window):
    said = answer(window, "select name, id, ts, dur from slice where category = 'kernel' order by dur desc limit 1")
    window.press("sql_as_track")
    state = window.wait(lambda s: s["sql"]["onTimeline"], "no track on the timeline")
    track, = state["sql"]["onTimeline"]
    check(track["items"] == 1 and not track["marks"] and track["title"].startswith("select name, id"), track)
    x, y = state["places"]["first_sql_row"]
    window.click(x - 60, y)  # it is in the middle of the view now
    window.wait(lambda s: s["selection"]["kind"] == "slice", "a click on the row selects nothing")
    answer(window, "select 1 as a")  # another answer: the track stays
    window.key("Escape", "Escape", "Escape")
    window.wait(lambda s: s["selection"]["kind"] != "slice", "Esc keeps the selection")
    window.settled()
    window.press("result_rows")
    state = window.wait(lambda s: s["selection"]["kind"] == "slice", "a click on the track selects nothing")
    check(state["selection"]["name"] == said["first"], state["selection"])
    window.press("result_remove")
    window.wait(lambda s: not s["sql"]["onTimeline"], "the cross does not remove it")


def rows_become_marks_and_are_cleared(window):
    answer(window, "select ts, name from slice where category = 'cuda_runtime'")
    window.press("sql_as_marks")
    state = window.wait(lambda s: s["sql"]["onTimeline"], "no marks on the timeline")
    check(state["sql"]["onTimeline"][0]["marks"], state["sql"]["onTimeline"])
    window.press("sql_clear")
    window.wait(lambda s: not s["sql"]["onTimeline"], "clear does not remove them")


def a_plot_of_two_columns(window):
    answer(window, "select ts, dur from slice where category = 'kernel'")
    window.press("sql_plot")
    state = window.wait(lambda s: s["sql"]["plot"] and "sql_points" in s["places"], "no plot")
    answer(window, "select name, sum(dur) as total from slice group by name order by total desc")
    window.wait(lambda s: "sql_bars" in s["places"], "no bars of a column of texts")
    window.press("sql_table")
    window.wait(lambda s: not s["sql"]["plot"] and "first_sql_row" in s["places"], "the table does not come back")


def a_long_query_is_cancelled(window):
    write(window, "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n")
    window.key("ctrl+Return")
    window.wait(lambda s: s["sql"]["computing"], "it does not run")
    window.press("sql_cancel")
    window.wait(lambda s: not s["sql"]["computing"] and s["sql"]["cancelled"], "it is not cancelled")


ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select "


def an_aggregate_that_never_ends_is_cancelled(window):
    for what in ("group_concat(i)", "sum(i)"):
        write(window, f"{ENDLESS}{what} from n")
        window.key("ctrl+Return")
        window.wait(lambda s: s["sql"]["computing"], "it does not run")
        window.press("sql_cancel")
        window.wait(lambda s: not s["sql"]["computing"] and s["sql"]["cancelled"], f"{what} is not cancelled")
    check(answer(window, "select 7 as a")["rows"] == 1, "no answer after it")


def the_next_query_ends_one_that_runs(window):
    write(window, f"{ENDLESS}sum(i) from n")
    window.key("ctrl+Return")
    window.wait(lambda s: s["sql"]["computing"], "it does not run")
    write(window, "select 1 as a union all select 2")
    window.key("ctrl+Return")
    window.wait(lambda s: not s["sql"]["computing"] and s["sql"]["rows"] == 2, "the second does not come")


def another_trace_ends_one_that_runs(window):
    write(window, f"{ENDLESS}sum(i) from n")
    window.key("ctrl+Return")
    window.wait(lambda s: s["sql"]["computing"], "it does not run")
    window.key("Escape", "ctrl+r")  # reads the file again
    window.wait(lambda s: not s["sql"]["computing"] and s["hasTrace"] and not s["loading"], "it runs on")
    check(answer(window, "select count(*) from slice")["rows"] == 1, "no answer of the new trace")


def paste(window, length):
    """What the clipboard has becomes the text. On a starved machine a held Ctrl+V may repeat: then once more."""
    for is_last in (False, False, True):
        to_page(window)
        window.key("ctrl+a", "Delete", "ctrl+v")
        try:
            window.wait(lambda s: len(s["sql"]["text"]) == length, "it is not pasted")
            return
        except driver.Failure:
            text = window.settled()["sql"]["text"]
            print(f"       {len(text)} characters are there instead of {length}: {text[:40]!r}", flush=True)
            if is_last:
                raise


def long_lines_are_shown_around_the_place(window):
    """A megabyte from the clipboard, which is that of a program of its own."""
    owner = ("import sys, tkinter; r = tkinter.Tk(); r.withdraw(); r.clipboard_append(eval(sys.argv[1])); r.update(); "
             "print(1, flush=True); r.mainloop()")
    if subprocess.run([sys.executable, "-c", "import tkinter"], capture_output=True).returncode != 0:
        return print("       without tkinter nothing is pasted")
    for text in ("'(' * 300000", "'\\'' * 999999", "'select ' + ', '.join('1 as c%d' % i for i in range(1900))",
                 "'select 3 /* ' + 'x' * 1000000 + ' */'"):
        clipboard = subprocess.Popen([sys.executable, "-c", owner, text], env=window.environment, stdout=subprocess.PIPE)
        try:
            clipboard.stdout.readline()
            paste(window, len(eval(text)))
            before = window.state()["sql"]["answers"]
            window.key("ctrl+Return")
            said = window.wait(lambda s: s["sql"]["answers"] > before and not s["sql"]["computing"], "no answer")["sql"]
            check(said["rows"] == 1 or 0 < len(said["error"]) < 400, said["error"][:500])
            window.settled()
        finally:
            clipboard.kill()
            clipboard.wait()
            clipboard.stdout.close()


def escape_keeps_what_was_typed(window):
    write(window, "select 1234")
    window.key("Escape")
    state = window.wait(lambda s: not s["sql"]["editing"], "Esc does not leave the editor")
    check(state["sql"]["text"] == "select 1234", f"Esc left {state['sql']['text']!r}")


def the_window_closes_while_one_runs(window):
    """run() closes it, and wants an exit status of 0 within 10 s."""
    write(window, f"{ENDLESS}group_concat(i) from n")
    window.key("ctrl+Return")
    window.wait(lambda s: s["sql"]["computing"], "it does not run")
    window.key("Escape")


if __name__ == "__main__":
    run([a_colon_in_the_search_box_opens_it, tab_completes_tables_and_columns, rows_are_counted_and_lead_to_the_timeline,
         columns_sort, errors_are_at_their_place, history_has_what_was_run, copies_as_csv, escape_keeps_what_was_typed,
         rows_become_a_track_that_leads_to_slices_and_goes_again, rows_become_marks_and_are_cleared, a_plot_of_two_columns,
         a_long_query_is_cancelled, an_aggregate_that_never_ends_is_cancelled, the_next_query_ends_one_that_runs,
         another_trace_ends_one_that_runs, long_lines_are_shown_around_the_place, the_window_closes_while_one_runs], [DEMO])
