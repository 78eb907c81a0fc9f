#!/usr/bin/env python3
"""The questions of a beginner, each answered in the real window within three actions from an opened trace: the words of
the answer are in sight. docs/questions.md has the same walks for people; both speak of the same questions."""

import os
import re
import subprocess
import sys
import tempfile

from window_driver import DEMO, ROOT, SHARED, Display, Failure, Window, check, run_apart

SAMPLES = os.path.join(SHARED, "..", "samples")
GENERATOR = os.path.join(SHARED, "..", "bench", "gen_verdict.py")
MOST_ACTIONS = 3

COLD = os.path.join(SAMPLES, "verdicts", "64_bf16_cold_eager.json")
COMPILED = os.path.join(SAMPLES, "kernels", "torch_compile_triton.json.gz")
QWEN = os.path.join(SHARED, "tracelens_h100_qwen1.5_0.5b.json.gz")
B200 = os.path.join(SHARED, "tracelens_b200_eager.json.gz")
OWL = os.path.join(SHARED, "tracelens_h100_owlv2_large.json.gz")
RESNET = os.path.join(SHARED, "kineto_v100_resnet50_legacy.pt.trace.json.gz")
MEMORY = os.path.join(SAMPLES, "memory", "ctx128_fullstep.pickle")


# Actions. A search is one: /, the words, Enter.
def find(words):
    def act(window):
        window.key("slash")
        window.settled()
        window.type(words)
        window.settled()
        window.key("Return")
        window.wait(lambda s: s["selection"]["kind"] == "slice", f"nothing is found for {words}")
    return act


def scroll_details(notches):
    """Turns the wheel over the details, at the right."""
    return lambda window: window.wheel(1400, 700, -notches)


def key(name):
    return lambda window: window.key(name)


def filter_rows(words):
    def act(window):
        window.key("ctrl+shift+f")
        window.wait(lambda s: s["filterFocused"], "no filter")
        window.type(words)
    return act


def press(place):
    return lambda window: window.press(place)


def compare_with(trace):
    """Compares with another trace: opens the box and types its path."""
    def act(window):
        path = trace(window.folder) if callable(trace) else trace
        window.key("ctrl+shift+o")
        window.wait(lambda s: s["fileBrowserOpen"], "no box for the other trace")
        window.settled()
        window.type(path)
        window.key("Return")
        window.wait(lambda s: s["compare"]["hasOther"] and not s["compare"]["loading"], "nothing is compared")
    return act


def planted(kind, *options):
    """A trace with a known bottleneck."""
    def make(folder):
        path = os.path.join(folder, kind + "".join(options) + ".json")
        subprocess.run([sys.executable, GENERATOR, path, "--kind", kind, *options], check=True, capture_output=True)
        return path
    return make


# Number in docs/questions.md; what is opened; what is done; what must then be in sight.
QUESTIONS = [
    (1, [COLD], [], [r"GPU 0 is idle for 99\.2 %: launch-bound", r"quite sure", r"overhead-bound"]),
    (2, [COLD], [find("matmul_add")], [r"228 µs pass in it before the first operator or call begins", r"dead window"]),
    (3, [COLD], [find("cat:kernel"), scroll_details(6)], [r"Launched by", r"launch latency|held up .* of which the profiler took"]),
    (4, [QWEN], [find("cudaDeviceSynchronize")], [r"called it", r"waited until"]),
    (5, [COLD], [find("cat:kernel"), scroll_details(9)], [r"Stack above its launch", r"Operator"]),
    (6, [DEMO], [find("cunn_SoftMaxForward cat:kernel")], [r"softmax in fp32, of PyTorch"]),
    (7, [QWEN], [compare_with(B200), press("diff_kernels"), press("pair aten::mm")],
     [r"Not the same kernel\. Different: .*tile", r"Tile ≠ 128x128 192x8"]),
    (8, [QWEN], [find("aten::addmm")], [r"The bias is (not )?fused"]),
    (9, [COMPILED], [find("Torch-Compiled")], [r"code that torch\.compile has compiled", r"the compiled graph takes",
                                              r"AOTAutograd's prologue"]),
    (10, [RESNET], [find("cudaOccupancy")], [r"how many blocks of a kernel fit", r"starts nothing"]),
    (11, [QWEN], [key("ctrl+1"), press("table_groups"), filter_rows("addmm")], [r"8944"]),
    (12, [QWEN], [find("aten::addmm")], [r"FLOP a byte", r"limits it", r"of the peak"]),
    (13, [QWEN], [find("aten::scaled_dot_product_attention")], [r"The FlashAttention backend computed it in BFloat16"]),
    (13, [OWL], [find("nn.Module: Owlv2Attention")], [r"No fused attention ran in it"]),
    (14, [RESNET], [find("cat:kernel sgemm")], [r"% occupancy is"]),
    (15, [QWEN], [press("section kernelClasses")], [r"GEMM", r"attention"]),
    (16, [planted("item_sync")], [], [r"aten::item|synchronisation"]),
    (17, [planted("item_sync")], [compare_with(planted("item_sync", "--without")), press("diff_summary")],
     [r"Median step"]),
    (18, [MEMORY], [], [r"[Pp]eak", r"GiB|MiB"]),
    (19, [QWEN], [find("nn.Module: Qwen2Model_0"), scroll_details(3)], [r"GPU work launched inside it", r"activities"]),
    (20, [OWL], [find("nn.Module: Owlv2Attention")], [r"of its .* GPU activities cop"]),
]


def in_sight(window):
    return " ".join(" ".join(window.settled()["seen"]).split())


def is_there(trace):
    return callable(trace) and os.path.exists(GENERATOR) or not callable(trace) and os.path.exists(trace)


def walk(display, number, traces, actions, words):
    check(len(actions) <= MOST_ACTIONS, f"question {number} takes {len(actions)} actions")
    with tempfile.TemporaryDirectory() as folder:
        paths = [trace(folder) if callable(trace) else trace for trace in traces]
        window = Window(display, paths, width=1600, height=900)
        try:
            window.loaded()
            window.settled()
            for act in actions:
                act(window)
                window.settled()
            try:
                window.wait(lambda s: all(re.search(w, " ".join(" ".join(s["seen"]).split())) for w in words), "", 30)
            except Failure:
                seen = in_sight(window)
                missing = [w for w in words if not re.search(w, seen)]
                raise Failure(f"{missing} not in sight: {seen[-3000:]}")
            check(window.close() == 0, "exit status")
        finally:
            window.kill()


def all_questions(display):
    skipped = []
    failures = []
    for number, traces, actions, words in QUESTIONS:
        if not all(is_there(trace) for trace in traces):
            skipped.append(number)
            continue
        try:
            walk(display, number, traces, actions, words)
            print(f"ok     question {number}", flush=True)
        except (Failure, KeyError) as error:
            failures.append(f"question {number}: {error}")
    if skipped:
        print(f"skipped: the traces of questions {skipped} are not here")
    check(not failures, "\n".join(failures))


def the_manual_has_the_same_questions(_):
    with open(os.path.join(ROOT, "docs", "questions.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| (\d+) \|", file.read(), re.MULTILINE)
    check([int(row) for row in rows] == sorted({number for number, *_ in QUESTIONS}), f"the manual has rows {rows}")


if __name__ == "__main__":
    run_apart([the_manual_has_the_same_questions, all_questions])
