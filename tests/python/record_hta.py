"""Prints the rows of hta_test.py from Holistic Trace Analysis. Run by hand:

    python3 -m venv /tmp/hta && /tmp/hta/bin/pip install HolisticTraceAnalysis==0.5.0
    /tmp/hta/bin/python tests/python/record_hta.py ../shared/traces
"""
import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis  # noqa: E402

FILES = (
    "hta_v100_ddp_rank1_trace_diff_test.json.gz",
    "hta_v100_ns_resolution.pt.trace.json.gz",
    "kineto_v100_resnet50_legacy.pt.trace.json.gz",
    "tracelens_b200_eager.json.gz",
    "tracelens_h100_owlv2_large.json.gz",
    "tracelens_h100_qwen1.5_0.5b.json.gz",
    "tracelens_mi300x_normalization.json.gz",
    "tracelens_mi300x_sglang_decode_hipgraph.json.gz",
    *(f"param_v100_dlrm_8rank/worker{i}_step_12.pt.trace.json.gz" for i in range(8)),
    "quirks/hta__sampled_rank-0.json.gz",
    "quirks/hta__cuda_event_sync_multi_stream_event_sync_trace.json.gz",
    "quirks/hta__end_to_end_simple_add_output_overlaid_critical_path_trace.json.gz",
)
CLASSES = ("host_wait", "kernel_wait", "other")


def rows_of(path, last):
    analysis = TraceAnalysis(trace_files={0: path}, trace_dir="", include_last_profiler_step=last)
    idle, stats = analysis.get_idle_time_breakdown(
        ranks=[0], visualize=False, show_idle_interval_stats=True)
    counts = {(int(s), c): int(n) for c, s, n in zip(stats.index, stats["stream"], stats["count"])}
    table = {}
    for stream, name, time in zip(idle["stream"], idle["idle_category"], idle["idle_time"]):
        table.setdefault(int(stream), {})[name] = (float(time), counts[int(stream), name])
    return table


def number(x):
    return str(int(x)) if x == int(x) else repr(x)


for file in FILES:
    default = rows_of(f"{sys.argv[1]}/{file}", False)
    for last, table in ((False, default), (True, rows_of(f"{sys.argv[1]}/{file}", True))):
        if last and table == default:
            continue
        for stream in sorted(table):
            cells = [table[stream].get(c, (0, 0)) for c in CLASSES]
            times = ", ".join(number(time) for time, _ in cells)
            gaps = ", ".join(str(n) for _, n in cells)
            print(f'    ("{file}", {last}, {stream}, [{times}], [{gaps}]),')
