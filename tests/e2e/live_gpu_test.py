"""A recording of a GPU (a stand-in for CUPTI) in the window: gaps have causes while it runs."""

import os

import window_driver as driver
from window_driver import check

TARGETS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(driver.PROGRAM))), "tests", "capture", "targets")
STAND_INS = {"LD_LIBRARY_PATH": os.path.join(TARGETS, "fake13") + ":" + os.path.join(TARGETS, "fakecuda"),
             "FAKE_DRIVER_VERSION": "13000"}


def gaps_have_causes_while_it_runs(window):
    # From the first gaps on, and of more of them as it goes on.
    first = window.wait(lambda s: s.get("causes", {}).get("judged", 0) > 20, "no gap has a cause")
    check(first["live"]["running"] and first["causes"]["growing"], "causes must come while it runs")
    window.wait(lambda s: s["live"]["running"] and s["causes"].get("judged", 0) > first["causes"]["judged"] + 50,
                "no more causes come")
    told = window.wait(lambda s: s["live"]["running"] and s["headlineText"].startswith("Last ") and
                       ": GPU 0 is " in s["headlineText"], "the headline does not speak of the newest")["headlineText"]
    window.wait(lambda s: s["live"]["running"] and s["headlineText"].startswith("Last ") and s["headlineText"] != told,
                "the headline does not follow")
    # The page of causes adds them up, and goes on doing so.
    window.key("c")
    ranked = window.wait(lambda s: s["live"]["running"] and s["causes"].get("causes", 0) > 0, "lost time is not ranked")
    window.wait(lambda s: s["live"]["running"] and s["causes"].get("idleNs", 0) > ranked["causes"]["idleNs"],
                "the ranking does not go on")
    # A gap keeps its cause, and stays selected when newer documents come.
    window.key("n")
    chosen = window.wait(lambda s: s["causes"].get("selected"), "the gap has no cause")
    slices = chosen["slices"]
    window.wait(lambda s: s["slices"] > slices + 60, "it does not grow")
    state = window.state()
    check(state["live"]["running"], "the program ended too early for this test")
    check(state["causes"].get("selected") == chosen["causes"]["selected"], "the gap is not selected any more")


def ends_with_causes_of_all_gaps(window):
    window.key("ctrl+period")
    window.wait(lambda s: s["live"]["recording"] and not s["live"]["running"], "the recording does not end", 60)
    state = window.settled()
    check(not state["causes"]["growing"], "causes of the whole recording must take over")
    check(state["causes"]["judged"] > 100, "gaps have lost their causes")
    window.wait(lambda s: s["headlineText"].startswith("GPU 0 is "), "the headline is not about the whole recording")


def run_live(window):
    gaps_have_causes_while_it_runs(window)
    ends_with_causes_of_all_gaps(window)


def main():
    driver.skip_unless_possible()
    if not os.path.exists(os.path.join(TARGETS, "fake13")):
        print("skipped: the stand-in for CUPTI was not built")
        raise SystemExit(77)
    display = driver.Display()
    window = driver.Window(display, ["live", "--", os.path.join(TARGETS, "cuda_target"), "rate", "20000", "200"],
                           environment=STAND_INS)
    try:
        run_live(window)
    finally:
        window.kill()
        display.close()


if __name__ == "__main__":
    main()
