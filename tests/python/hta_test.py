#!/usr/bin/env python3
"""lacuna.hta against what Holistic Trace Analysis said: recorded numbers of real traces, where they lie, and small ones.
Runs under pytest where it is installed."""
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["LACUNA_SOURCE_DIR"])
if not os.environ.get("LACUNA_INSTALLED"):  # set: the installed package is tested
    sys.path.insert(0, str(SOURCE / "app/python"))
from lacuna import LacunaError, hta  # noqa: E402

TRACES = SOURCE.parent / "shared" / "traces"
SAMPLES = SOURCE.parent / "shared" / "samples" / "critical_path"
DLRM = TRACES / "param_v100_dlrm_8rank"

try:
    import pytest

    Skipped = pytest.skip.Exception
except ImportError:
    class Skipped(Exception):
        pass

# (file, include_last_step, stream, microseconds and gaps of host_wait, kernel_wait and other). Recorded with
# HolisticTraceAnalysis 0.5.0 from PyPI (with pandas 3.1.1 and numpy 2.4.6, and again with pandas 2.2.3; 0.6.1 from its
# repository gives the same for the first file):
#   python tests/python/record_hta.py ../shared/traces > rows
# Those for include_last_step are left out where they equal the others.
RECORDED = [
    ("hta_v100_ddp_rank1_trace_diff_test.json.gz", False, 7, [2960, 42372, 41756], [14, 12068, 22]),
    ("hta_v100_ddp_rank1_trace_diff_test.json.gz", False, 14, [520794, 1087, 14536], [66, 160, 13]),
    ("hta_v100_ddp_rank1_trace_diff_test.json.gz", False, 15, [348483, 138, 38936], [22, 19, 8]),
    ("hta_v100_ddp_rank1_trace_diff_test.json.gz", False, 16, [422925, 829, 0], [4, 115, 0]),
    ("hta_v100_ddp_rank1_trace_diff_test.json.gz", True, 7, [2960, 51853, 48809], [14, 14486, 25]),
    ("hta_v100_ddp_rank1_trace_diff_test.json.gz", True, 14, [684265, 1299, 15297], [80, 192, 15]),
    ("hta_v100_ddp_rank1_trace_diff_test.json.gz", True, 15, [413501, 169, 51125], [26, 24, 9]),
    ("hta_v100_ddp_rank1_trace_diff_test.json.gz", True, 16, [521074, 982, 0], [5, 138, 0]),
    ("hta_v100_ns_resolution.pt.trace.json.gz", False, 7, [1709, 8404, 0], [90, 4785, 0]),
    ("hta_v100_ns_resolution.pt.trace.json.gz", True, 7, [1709, 10434, 0], [90, 6004, 0]),
    ("kineto_v100_resnet50_legacy.pt.trace.json.gz", False, 7, [318934, 8529, 0], [1243, 6336, 0]),
    ("kineto_v100_resnet50_legacy.pt.trace.json.gz", True, 7, [382676, 10243, 0], [1488, 7607, 0]),
    ("tracelens_b200_eager.json.gz", False, 7, [73166, 566, 0], [711, 217, 0]),
    ("tracelens_h100_owlv2_large.json.gz", False, 7, [504953, 11727, 0], [156, 5008, 0]),
    ("tracelens_h100_qwen1.5_0.5b.json.gz", False, 7, [1543, 4145, 0], [32, 1674, 0]),
    ("tracelens_mi300x_normalization.json.gz", False, 0, [1067764, 159, 0], [125, 47, 0]),
    ("tracelens_mi300x_sglang_decode_hipgraph.json.gz", False, 2, [465582, 0, 0], [1, 0, 0]),
    ("tracelens_mi300x_sglang_decode_hipgraph.json.gz", False, 3, [405, 558, 275], [5, 549, 1]),
    ("param_v100_dlrm_8rank/worker0_step_12.pt.trace.json.gz", False, 7, [11448, 123, 0], [169, 55, 0]),
    ("param_v100_dlrm_8rank/worker0_step_12.pt.trace.json.gz", False, 22, [145, 0, 0], [4, 0, 0]),
    ("param_v100_dlrm_8rank/worker0_step_12.pt.trace.json.gz", False, 24, [5906, 18, 0], [19, 3, 0]),
    ("param_v100_dlrm_8rank/worker0_step_12.pt.trace.json.gz", False, 84, [4740, 3, 0], [5, 2, 0]),
    ("param_v100_dlrm_8rank/worker1_step_12.pt.trace.json.gz", False, 7, [17449, 115, 0], [234, 55, 0]),
    ("param_v100_dlrm_8rank/worker1_step_12.pt.trace.json.gz", False, 22, [154, 0, 0], [4, 0, 0]),
    ("param_v100_dlrm_8rank/worker1_step_12.pt.trace.json.gz", False, 24, [11382, 12, 0], [20, 2, 0]),
    ("param_v100_dlrm_8rank/worker1_step_12.pt.trace.json.gz", False, 84, [4688, 3, 0], [5, 2, 0]),
    ("param_v100_dlrm_8rank/worker2_step_12.pt.trace.json.gz", False, 7, [9777, 105, 0], [176, 49, 0]),
    ("param_v100_dlrm_8rank/worker2_step_12.pt.trace.json.gz", False, 22, [142, 0, 0], [4, 0, 0]),
    ("param_v100_dlrm_8rank/worker2_step_12.pt.trace.json.gz", False, 24, [4270, 23, 0], [19, 3, 0]),
    ("param_v100_dlrm_8rank/worker2_step_12.pt.trace.json.gz", False, 84, [5423, 1, 0], [6, 1, 0]),
    ("param_v100_dlrm_8rank/worker3_step_12.pt.trace.json.gz", False, 7, [17548, 109, 0], [243, 57, 0]),
    ("param_v100_dlrm_8rank/worker3_step_12.pt.trace.json.gz", False, 22, [187, 0, 0], [4, 0, 0]),
    ("param_v100_dlrm_8rank/worker3_step_12.pt.trace.json.gz", False, 24, [10146, 5, 0], [21, 1, 0]),
    ("param_v100_dlrm_8rank/worker3_step_12.pt.trace.json.gz", False, 84, [4746, 3, 0], [5, 2, 0]),
    ("param_v100_dlrm_8rank/worker4_step_12.pt.trace.json.gz", False, 7, [14956, 113, 0], [203, 33, 0]),
    ("param_v100_dlrm_8rank/worker4_step_12.pt.trace.json.gz", False, 22, [151, 0, 0], [4, 0, 0]),
    ("param_v100_dlrm_8rank/worker4_step_12.pt.trace.json.gz", False, 24, [8613, 18, 0], [19, 3, 0]),
    ("param_v100_dlrm_8rank/worker4_step_12.pt.trace.json.gz", False, 84, [6691, 2, 0], [6, 1, 0]),
    ("param_v100_dlrm_8rank/worker5_step_12.pt.trace.json.gz", False, 7, [14874, 76, 0], [204, 20, 0]),
    ("param_v100_dlrm_8rank/worker5_step_12.pt.trace.json.gz", False, 22, [148, 0, 0], [4, 0, 0]),
    ("param_v100_dlrm_8rank/worker5_step_12.pt.trace.json.gz", False, 24, [8419, 13, 0], [20, 2, 0]),
    ("param_v100_dlrm_8rank/worker5_step_12.pt.trace.json.gz", False, 84, [6821, 1, 0], [6, 1, 0]),
    ("param_v100_dlrm_8rank/worker6_step_12.pt.trace.json.gz", False, 7, [9850, 100, 0], [178, 47, 0]),
    ("param_v100_dlrm_8rank/worker6_step_12.pt.trace.json.gz", False, 22, [140, 0, 0], [4, 0, 0]),
    ("param_v100_dlrm_8rank/worker6_step_12.pt.trace.json.gz", False, 24, [4261, 16, 0], [19, 3, 0]),
    ("param_v100_dlrm_8rank/worker6_step_12.pt.trace.json.gz", False, 84, [5346, 9, 0], [5, 2, 0]),
    ("param_v100_dlrm_8rank/worker7_step_12.pt.trace.json.gz", False, 7, [9405, 98, 0], [184, 41, 0]),
    ("param_v100_dlrm_8rank/worker7_step_12.pt.trace.json.gz", False, 22, [141, 0, 0], [4, 0, 0]),
    ("param_v100_dlrm_8rank/worker7_step_12.pt.trace.json.gz", False, 24, [3936, 12, 0], [20, 2, 0]),
    ("param_v100_dlrm_8rank/worker7_step_12.pt.trace.json.gz", False, 84, [6658, 0, 0], [7, 0, 0]),
    ("quirks/hta__sampled_rank-0.json.gz", False, 7, [213825, 1985, 261740], [82, 196, 247]),
    ("quirks/hta__sampled_rank-0.json.gz", False, 23, [596037, 70, 34], [52, 9, 1]),
    ("quirks/hta__sampled_rank-0.json.gz", False, 25, [0, 9, 47865], [0, 1, 6]),
    ("quirks/hta__sampled_rank-0.json.gz", False, 84, [148934, 6, 0], [2, 1, 0]),
    ("quirks/hta__sampled_rank-0.json.gz", False, 203, [0, 0, 0], [0, 0, 0]),
    ("quirks/hta__sampled_rank-0.json.gz", True, 7, [397917, 3765, 598335], [175, 390, 486]),
    ("quirks/hta__sampled_rank-0.json.gz", True, 23, [1214793, 160, 34], [101, 23, 1]),
    ("quirks/hta__sampled_rank-0.json.gz", True, 25, [560120, 35, 100413], [1, 3, 11]),
    ("quirks/hta__sampled_rank-0.json.gz", True, 84, [794901, 6, 3142], [5, 1, 1]),
    ("quirks/hta__sampled_rank-0.json.gz", True, 203, [558073, 0, 0], [1, 0, 0]),
    ("quirks/hta__cuda_event_sync_multi_stream_event_sync_trace.json.gz", False, 20, [32, 0, 0], [1, 0, 0]),
    ("quirks/hta__cuda_event_sync_multi_stream_event_sync_trace.json.gz", False, 24, [0, 15, 0], [0, 1, 0]),
    ("quirks/hta__cuda_event_sync_multi_stream_event_sync_trace.json.gz", False, 28, [0, 15, 0], [0, 1, 0]),
    ("quirks/hta__end_to_end_simple_add_output_overlaid_critical_path_trace.json.gz", False, 7, [15976739, 91, 0], [51, 39, 0]),
    ("quirks/hta__end_to_end_simple_add_output_overlaid_critical_path_trace.json.gz", False, 20, [13582776, 8, 0], [4, 2, 0]),
]


def entry(name, category, pid, tid, ts, duration, **args):
    return {"ph": "X", "name": name, "cat": category, "pid": pid, "tid": tid, "ts": ts, "dur": duration, "args": args}


def launched(correlation, call_ts, ts, duration, stream=7):
    """A call of 1 us and the kernel that it launched."""
    return [entry("cudaLaunchKernel", "cuda_runtime", 1, 11, call_ts, 1, correlation=correlation),
            entry(f"kernel {correlation}", "kernel", 0, stream, ts, duration, stream=stream, correlation=correlation)]


def step(number, ts, duration):
    return entry(f"ProfilerStep#{number}", "user_annotation", 1, 11, ts, duration)


METADATA = {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "python"}}


def written(folder, *entries):
    path = folder / "trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [METADATA, *entries]}))
    return path


def idle(path, **options):
    """By stream and category: idle time and gaps."""
    rows = hta.idle_time_breakdown(path, **options)
    return {(row["stream"], row["idle_category"]): (row["idle_time"], row["gaps"]) for row in rows}


def of_one_stream(path, **options):
    times = idle(path, **options)
    assert len(times) == 3, times
    return [times[7, category] for category in ("host_wait", "kernel_wait", "other")]


def refused(error, function, *args, **options):
    try:
        function(*args, **options)
    except error as said:
        return str(said)
    raise AssertionError(f"{function.__name__} of {options} is no {error.__name__}")


def test_host_wait_kernel_wait_below_the_threshold_other_from_it_on(tmp_path):
    path = written(tmp_path, *launched(1, 0, 10, 10), *launched(2, 21, 25, 5),  # 5 us, launched late
                   *launched(3, 30, 59, 1), *launched(4, 32, 90, 10))  # 29 us, not later, and 30 us
    assert of_one_stream(path) == [(5, 1), (29, 1), (30, 1)]
    assert of_one_stream(path, consecutive_kernel_delay_us=31) == [(5, 1), (59, 2), (0, 0)]
    assert [row["idle_time_ratio"] for row in hta.idle_time_breakdown(path)] == [5 / 64, 29 / 64, 30 / 64]


def test_the_previous_row_counts_not_the_latest_end_and_gaps_can_be_negative(tmp_path):
    path = written(tmp_path, *launched(1, 0, 10, 90), *launched(2, 2, 20, 10), *launched(3, 4, 110, 10))
    assert of_one_stream(path) == [(0, 0), (-80, 1), (80, 1)]


def test_a_fraction_rounds_starts_up_and_ends_down(tmp_path):
    fractions = written(tmp_path, *launched(1, 0, 10.1, 10.8), *launched(2, 1, 30.1, 9.9))
    assert of_one_stream(fractions) == [(0, 0), (11, 1), (0, 0)]  # 31 - 20, not 9.2
    only_of_durations = written(tmp_path, *launched(1, 0, 10, 10.75), *launched(2, 1, 30, 10))
    assert of_one_stream(only_of_durations) == [(0, 0), (9.25, 1), (0, 0)]
    no_ts = {"ph": "M", "name": "thread_name", "pid": 1, "tid": 11, "args": {}}
    with_an_entry_without_ts = written(tmp_path, no_ts, *launched(1, 0, 10, 10.75), *launched(2, 1, 30, 10))
    assert of_one_stream(with_an_entry_without_ts) == [(0, 0), (10, 1), (0, 0)]


def test_with_two_steps_the_last_ones_work_and_work_without_a_launch_do_not_count(tmp_path):
    def steps(begin, *more):
        return [step(1, begin, 100), step(2, begin + 100, 100), *launched(1, begin + 10, begin + 20, 10),
                *launched(2, begin + 12, begin + 40, 10), *launched(3, begin + 100, begin + 150, 10),
                *launched(4, begin + 200, begin + 210, 10), *launched(5, begin + 203, begin + 230, 10), *more]

    path = written(tmp_path, *steps(0, entry("unlinked", "kernel", 0, 7, 60, 10, stream=7, correlation=6)))
    assert of_one_stream(path) == [(0, 0), (10, 1), (0, 0)]
    assert of_one_stream(path, include_last_step=True) == [(150, 2), (10, 1), (0, 0)]  # not the fifth
    # HTA lets a trace begin at 0, but not the ends of its steps.
    assert of_one_stream(written(tmp_path, *steps(1000)), include_last_step=True) == [(150, 2), (20, 2), (0, 0)]


def test_a_missing_launch_is_the_first_event_of_the_file(tmp_path):
    path = tmp_path / "trace.json"
    first = entry("first in the file", "cpu_op", 1, 11, 35, 5)
    rest = [*launched(1, 1, 10, 10)] + [entry(n, "kernel", 0, 7, ts, duration, stream=7, correlation=c)
                                        for n, ts, duration, c in (("b", 30, 2, 2), ("c", 50, 5, 3))]
    path.write_text(json.dumps({"traceEvents": [first, *rest]}))
    assert of_one_stream(path) == [(28, 2), (0, 0), (0, 0)]  # 35 lies after 20 and after 32, so both gaps
    path.write_text(json.dumps({"traceEvents": [METADATA, first, *rest]}))
    assert of_one_stream(path) == [(0, 0), (28, 2), (0, 0)]  # which is no event


def test_of_several_launches_with_one_correlation_the_last_counts(tmp_path):
    again = entry("cudaLaunchKernel", "cuda_runtime", 1, 11, 25, 1, correlation=2)
    path = written(tmp_path, *launched(1, 0, 10, 10), *launched(2, 5, 30, 5))
    assert of_one_stream(path) == [(0, 0), (10, 1), (0, 0)]
    path = written(tmp_path, *launched(1, 0, 10, 10), *launched(2, 5, 30, 5), again)
    assert of_one_stream(path) == [(10, 1), (0, 0), (0, 0)]


def test_what_is_no_trace_is_said(tmp_path):
    for text in ("[1]", "{}", '{"traceEvents": {}}', '{"traceEvents": ["a"]}', "{", "", "\x1f\x8b"):
        (tmp_path / "none.json").write_bytes(text.encode("latin-1"))
        refused((ValueError, EOFError), hta.idle_time_breakdown, tmp_path / "none.json")
    assert hta.idle_time_breakdown(written(tmp_path, entry("aten::add", "cpu_op", 1, 11, 0, 5))) == []


def test_idle_time_is_htas_on_shared_traces():
    if not TRACES.exists():
        raise Skipped(f"no {TRACES}")
    seen = {}
    for file, include_last_step, stream, times, gaps in RECORDED:
        if (file, include_last_step) not in seen:
            seen[file, include_last_step] = idle(TRACES / file, include_last_step=include_last_step)
        said = [seen[file, include_last_step][stream, category] for category in ("host_wait", "kernel_wait", "other")]
        assert said == list(zip(times, gaps)), (file, include_last_step, stream, said)


def two_streams(folder, calls="cuda_runtime"):
    """Two operators that launch to two streams; the second stream waits for an event, and the CPU for the second stream."""
    def call(name, ts, duration, correlation):
        return entry(name, calls, 1, 11, ts, duration, correlation=correlation)

    return written(
        folder, step(1, 0, 500), entry("aten::mm", "cpu_op", 1, 11, 10, 60), call("cudaLaunchKernel", 20, 10, 101),
        entry("void gemm<float>(int)", "kernel", 0, 7, 35, 100, stream=7, device=0, correlation=101),
        call("cudaEventRecord", 40, 5, 102), call("cudaStreamWaitEvent", 50, 5, 103),
        entry("Stream Wait Event", "cuda_sync", 0, 20, 51, 3, stream=20, device=0, correlation=103, wait_on_stream=7,
              wait_on_cuda_event_record_corr_id=102),
        entry("aten::add", "cpu_op", 1, 11, 80, 60), call("cudaLaunchKernel", 90, 10, 104),
        entry("ncclKernel_AllReduce", "kernel", 0, 20, 137, 200, stream=20, device=0, correlation=104),
        call("cudaStreamSynchronize", 200, 140, 105),
        entry("Stream Sync", "cuda_sync", 0, 20, 201, 137, stream=20, device=0, correlation=105))


def test_the_path_goes_through_launches_events_and_synchronisations(tmp_path):
    # HolisticTraceAnalysis 0.5.0 with pandas 2.2.3 says so of that file, as all that is expected here of small ones.
    path = hta.critical_path(two_streams(tmp_path))
    assert path == {
        "annotation": "ProfilerStep", "instance": 0, "nodes": 6, "edges": 5, "events": 4, "graph_nodes": 18,
        "graph_edges": 18, "total_us": 325,
        "by_bound": {"": 0, "cpu_bound": 10, "gpu_communication_bound": 200, "gpu_compute_bound": 100,
                     "gpu_kernel_launch_overhead": 15},
        "by_type": {"critical_path_kernel_launch_delay": 15, "critical_path_operator": 310, "critical_path_sync_dependency": 0},
        "by_name": {"ncclKernel_AllReduce": 200, "gemm": 100, "aten::mm": 10}}
    assert list(path["by_name"]) == ["ncclKernel_AllReduce", "gemm", "aten::mm"]
    assert path == hta.critical_path(two_streams(tmp_path, "cuda_driver"))


def test_a_weight_of_minus_1_and_less_is_0_for_the_search(tmp_path):
    path = written(tmp_path, step(1, 0, 500), entry("aten::mm", "cpu_op", 1, 11, 4, 10), *launched(1, 5, 10, 100),
                   *launched(2, 7, 50, 55))  # the second kernel begins and ends within the first
    assert hta.critical_path(path)["by_type"] == {
        "critical_path_kernel_kernel_delay": -60, "critical_path_operator": 155}


def test_what_has_no_path_is_said(tmp_path):
    path = two_streams(tmp_path)
    assert "table has 0" in refused(ValueError, hta.critical_path, path, annotation="nothing like it")
    assert "table has 1" in refused(ValueError, hta.critical_path, path, instance=1)
    assert "no path" in refused(LacunaError, hta.critical_path, written(tmp_path, step(1, 0, 500)))


def test_names_are_shortened():
    assert hta.shorten_name("void at::native::vec<4, float, F<int>>(int, T)") == "at::native::vec"
    assert hta.shorten_name("Memcpy DtoH (Device -> Pageable)") == "Memcpy DtoH (Device -> Pageable)"
    assert hta.shorten_name("aten::mm") == "aten::mm"
    assert hta.shorten_name("a->b(c)") == "ab"
    assert hta.shorten_name(")x>(y") == "(y"


def test_the_path_is_htas_on_shared_traces():
    for name, file in (("hta_simple_add", SAMPLES / "hta_simple_add.json.gz"),
                       *((f"dlrm_worker{i}", DLRM / f"worker{i}_step_12.pt.trace.json.gz") for i in (0, 1, 5))):
        answer = SAMPLES / f"{name}.ref.json"
        if not answer.exists() or not file.exists():
            raise Skipped(f"no {file}")
        expected = json.loads(answer.read_text())
        path = hta.critical_path(file, expected["annotation"], expected["instance"])
        for key in ("nodes", "edges", "events", "graph_nodes", "graph_edges", "total_us", "by_bound", "by_type"):
            assert path[key] == expected[key], (name, key, path[key], expected[key])
        for top, time in expected["top"].items():
            assert path["by_name"][top] == time, (name, top)


def test_the_command_writes_json(tmp_path):
    def said(*words):
        text, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(errors):
            status = hta.main([str(word) for word in words])
        return status, text.getvalue(), errors.getvalue()

    path = two_streams(tmp_path)
    status, text, _ = said("critical-path", path, "--annotation", "aten::", "--instance", "1")
    assert status == 0 and json.loads(text) == hta.critical_path(path, "aten::", 1)
    status, text, _ = said("idle", path, "--consecutive-kernel-delay-us", "5", "--include-last-step")
    assert status == 0 and json.loads(text) == hta.idle_time_breakdown(path, 5, True)
    status, text, errors = said("idle", tmp_path / "missing.json")
    assert (status, text) == (1, "") and "missing.json" in errors


def run_plainly():
    status = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(pathlib.Path(folder)) if test.__code__.co_argcount else test()
                print(f"ok       {name}")
            except Skipped as why:
                print(f"skipped  {name}: {why}")
            except Exception:
                import traceback

                status = 1
                print(f"FAILED   {name}")
                traceback.print_exc()
    return status


if __name__ == "__main__":
    if "pytest" in sys.modules:
        sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-rs", __file__]))
    sys.exit(run_plainly())
