#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/base/time.h"

namespace lacuna {

/// The expected results for one file of the shared folder's quirks/: malformed or unusual on purpose.
///
/// The numbers were not produced by this program. They come from reading the files by the rules of
/// the Trace Event format and, where it is unspecific, of chrome://tracing and Perfetto (see the
/// comments below, in model/build/pairing.h, nesting.h, launch_linking.h and flow_linking.h), with a
/// throw-away script for the large ones.
struct QuirkExpectation {
  std::string_view file;
  std::string_view phases;  ///< every phase with its number of events, sorted
  std::uint64_t slices;
  std::uint64_t rows;      ///< lanes of all tracks: depth of nesting and crossing
  std::uint64_t instants;  ///< events of phase i, I and R, and steps of async events
  std::uint64_t samples;   ///< counter values
  std::uint64_t linked;    ///< GPU activities with a launch
  std::uint64_t arrows;    ///< flow arrows
  TimeSpan span;
  std::string_view findings;  ///< the whole report, sorted by key
};

inline constexpr std::array<QuirkExpectation, 64> kQuirks{{
    // top-level list; ts are strings, dur has up to 17 decimals; 274 of 276 tasks have an arrow from a call
    {"ascend__trace_view.json.gz",
     "M32 X2212 f713 s713",
     2212,
     24,
     0,
     0,
     274,
     713,
     {1704161511420289011, 1704161511434422441},
     "gpu_activity_unlinked=2 sub_nanosecond_rounded=513"},
    // S/T/F and b; ids are global: "E" begins in process 2 and ends in process 3
    {"catapult__async_begin_end.json",
     "B3 E3 F10 S11 T7 b1",
     15,
     12,
     7,
     0,
     0,
     0,
     {0, 900000},
     "unmatched_async_begin=3 unmatched_async_end=1"},
    // ids reused, starts and finishes without each other, flows outside of slices
    {"catapult__flow.json.gz",
     "B1625 E1622 M18 f886 s866",
     1625,
     15,
     0,
     0,
     0,
     618,
     {1496637340355000, 1496645929645000},
     "flow_finish_without_start=22 flow_start_without_finish=275 flow_without_slice=246 unmatched_begin=3"},
    // a finish without bp binds to the next slice; s, t, f make a chain of two arrows
    {"catapult__flow_simple.json", "X5 f2 s2 t1", 5, 5, 0, 0, 0, 3, {0, 3731000}, ""},
    // displayTimeUnit ns; ts with 6 decimals
    {"catapult__fuchsia_trace.json.gz",
     "B66373 C671 E66373 b302 e302 f540 i45 n327 s540 t1620",
     66675,
     37,
     372,
     1612,
     0,
     2160,
     {2191104876155, 1124617548340669},
     "sub_nanosecond_rounded=108018"},
    // nothing but an object snapshot: loads, and reports what is not shown
    {"catapult__gpu_state_trace.json", "O1", 0, 0, 0, 0, 0, 0, {0, 0}, "phase_not_shown=1"},
    // two instances of one counter, told apart by id
    {"catapult__instance_counters.json", "B2 C8 E2", 2, 1, 0, 8, 0, 0, {9524000, 9631000}, ""},
    // scopes: thread, process and global
    {"catapult__instant_events.json", "i5", 0, 0, 5, 0, 0, 0, {510075891653000, 510075964350000}, ""},
    // unclosed begins last until the end of the trace
    {"catapult__main_thread_has_unclosed_slices.json.gz",
     "B1684 E1680 M22",
     1684,
     35,
     0,
     0,
     0,
     0,
     {714007690251000, 714012742060000},
     "unmatched_begin=4"},
    // fractions of a microsecond without sub-ns digits
    {"catapult__nanoseconds.json", "B8 E8", 8, 1, 0, 0, 0, 0, {0, 3021}, ""},
    // an unmatched begin; an end of another name closes the innermost; the last end finds nothing open
    {"catapult__nestable_async.json",
     "b9 e9 n2",
     9,
     8,
     2,
     0,
     0,
     0,
     {10000, 200000},
     "end_name_mismatch=1 unmatched_async_begin=1 unmatched_async_end=1"},
    // as above, with traceAnnotations beside it
    {"catapult__nestable_async_annotation.json",
     "b9 e9 n2",
     9,
     8,
     2,
     0,
     0,
     0,
     {10000, 200000},
     "end_name_mismatch=1 unmatched_async_begin=1 unmatched_async_end=1"},
    // an end named "Asub" closes a begin with a longer name; P is counted; global instants need no tid
    {"catapult__simple_trace.json",
     "B8 C5 E8 I6 M3 P3 X4",
     12,
     4,
     6,
     5,
     0,
     0,
     {818000, 880000},
     "end_name_mismatch=1 phase_not_shown=3 pid_or_tid_missing=1"},
    // gzip whose name does not end in .json.gz; a list
    {"catapult__simple_trace_gz.gz",
     "B8 C5 E8 I4 M3 P3 X4",
     12,
     4,
     4,
     5,
     0,
     0,
     {818000, 870000},
     "end_name_mismatch=1 phase_not_shown=3"},
    // an end without a name closes the innermost
    {"catapult__tall_trace.json", "B18 E18 M3", 18, 17, 0, 0, 0, 0, {826000, 848000}, ""},
    // metadata and one snapshot: nothing has a time
    {"catapult__trace-with-bad-world-bounds.json", "M9 O1", 0, 0, 0, 0, 0, 0, {0, 0}, "phase_not_shown=1"},
    // epoch-like ts with 4 to 6 decimals; 27 rows deep
    {"catapult__traceviewify.json.gz",
     "B656 E656",
     1291,
     55,
     0,
     0,
     0,
     0,
     {36755557500000, 36759983200000},
     "sub_nanosecond_rounded=1290"},
    {"catapult__trivial_trace.json", "B2 E2", 2, 1, 0, 0, 0, 0, {9524000, 9631000}, ""},
    // X, B/E, S/T/F, N/D mixed
    {"catapult__x_event_trace.json.gz",
     "B442 C42 D2 E442 F53 M9 N2 S53 T124 X2799 i59",
     3294,
     19,
     183,
     42,
     0,
     0,
     {172187584349000, 172189236844000},
     "phase_not_shown=4"},
    // hand-made: no metadata at all
    {"hta__backward_thread.json", "X7", 7, 7, 0, 0, 1, 0, {1666149715033200000, 1666149715446651000}, ""},
    // cuda_sync slices stay on threads
    {"hta__cuda_event_sync_multi_stream_event_sync_trace.json.gz",
     "M40 X57 f42 i2 s8",
     57,
     9,
     2,
     0,
     6,
     8,
     {1712867402305721000, 1712867402368330000},
     "flow_finish_without_start=34"},
    // critical_path flows share ids with ac2g; key is (cat, id)
    {"hta__end_to_end_simple_add_output_overlaid_critical_path_trace.json.gz",
     "M38 X838 f507 i2 s347",
     838,
     15,
     2,
     0,
     98,
     331,
     {1694039968933321000, 1694040010536061000},
     "flow_finish_without_start=176 flow_start_without_finish=16 launch_without_activity=2"},
    // no GPU
    {"hta__rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz",
     "M12 X16 i2",
     16,
     4,
     2,
     0,
     0,
     0,
     {1212075525586016, 1212076832503044},
     ""},
    // sampled: 5 streams, no flows
    {"hta__sampled_rank-0.json.gz",
     "M44 X4811",
     4811,
     25,
     0,
     0,
     1204,
     0,
     {1682725897226747000, 1682725900594091000},
     ""},
    // B/E that cross
    {"ibm_aiu__allreduce_tp4.json",
     "B28 E28",
     28,
     23,
     0,
     0,
     0,
     0,
     {2097962447132759, 2097962449285464},
     "crossing_slices=7"},
    // an end before its begin (CaseTSRev1): one unmatched each; cases 4, 5, 6, 8 cross
    {"ibm_aiu__basic_event_test_cases.json",
     "B21 E21 X3",
     24,
     8,
     0,
     0,
     0,
     0,
     {1000, 190000},
     "crossing_slices=6 unmatched_begin=1 unmatched_end=1"},
    // row names without events
    {"ibm_aiu__meta_events_only.json", "M4", 0, 0, 0, 0, 0, 0, {0, 0}, ""},
    {"ibm_aiu__sample_flex_3062_job_4.json", "B17 E17", 17, 2, 0, 0, 0, 0, {1475000719617232, 1475000731380489}, ""},
    // one launch, three flow finishes
    {"kineto__after_fix_trace.json",
     "M60 X9 f3 i2 s1",
     9,
     5,
     2,
     0,
     1,
     1,
     {88511388202755, 88511388203055},
     "flow_finish_without_start=2"},
    {"kineto__before_fix_trace.json",
     "M60 X9 f3 i2 s1",
     9,
     5,
     2,
     0,
     1,
     1,
     {88437691101719, 88437691102019},
     "flow_finish_without_start=2"},
    // counters without tid; 2021 categories
    {"kineto__gpu_metrics_expected.json",
     "C78 M20 X254 f32 i2 s32",
     254,
     14,
     2,
     78,
     32,
     32,
     {1621401187223005000, 1621401187237108000},
     ""},
    // flows by bind_id, one of them with a step; an instant with dur
    {"perfetto__flow_events_json_v2.json", "B1 E1 X5 i1", 6, 5, 1, 0, 0, 4, {0, 4330000}, ""},
    {"speedscope__Trace-20230603T221323.json",
     "I97 M28 N1 O2 P17 R13 X2456 b234 e234 f13 s13",
     2690,
     41,
     110,
     0,
     0,
     13,
     {9632361274000, 9632675772000},
     "metadata_not_understood=6 phase_not_shown=20"},
    // B/E and X of equal span nest by file order
    {"speedscope__bex-interaction.json", "B6 E6 X6", 12, 2, 0, 0, 0, 0, {0, 52000}, ""},
    {"speedscope__end-event-with-empty-stack.json", "B1 E2", 1, 1, 0, 0, 0, 0, {0, 1000}, "unmatched_end=1"},
    // "A" ends under the open "B", which lasts to the end and crosses
    {"speedscope__end-non-top-of-stack.json",
     "B2 E1 X1",
     3,
     2,
     0,
     0,
     0,
     0,
     {0, 11000},
     "crossing_slices=1 unmatched_begin=1"},
    {"speedscope__event-reordering-name-match.json", "B2 E2 X1", 3, 3, 0, 0, 0, 0, {0, 10000}, ""},
    {"speedscope__hermes-multiple-frames.json", "B4 E4", 4, 3, 0, 0, 0, 0, {0, 14000}, ""},
    // crossing X: both drawn, on two rows
    {"speedscope__invalid-x-nesting.json", "X2", 2, 2, 0, 0, 0, 0, {0, 15000}, "crossing_slices=1"},
    {"speedscope__matching-x.json", "X5", 5, 3, 0, 0, 0, 0, {0, 10000}, ""},
    {"speedscope__mismatched-args.json", "B1 E1", 1, 1, 0, 0, 0, 0, {0, 10000}, ""},
    // the end closes the open slice, as in chrome://tracing
    {"speedscope__mismatched-name.json", "B1 E1", 1, 1, 0, 0, 0, 0, {0, 10000}, "end_name_mismatch=1"},
    // ts are strings
    {"speedscope__multi-thread-with-samples.json", "M2 X2", 8, 6, 0, 0, 0, 0, {11550183666000, 11552192663000}, ""},
    {"speedscope__multiprocess.json", "M9 X8", 8, 8, 0, 0, 0, 0, {0, 1000}, ""},
    {"speedscope__must-retain-original-order.json", "B7 E7", 7, 3, 0, 0, 0, 0, {0, 10000}, ""},
    {"speedscope__not-enough-end-events.json", "B2 X1", 3, 3, 0, 0, 0, 0, {0, 11000}, "unmatched_begin=2"},
    {"speedscope__only-begin-events.json", "B3", 3, 2, 0, 0, 0, 0, {0, 2000}, "unmatched_begin=3"},
    {"speedscope__out-of-order-unbalanced-name.json", "B2 E2", 2, 2, 0, 0, 0, 0, {0, 10000}, "crossing_slices=1"},
    // B/E out of order are sorted by time
    {"speedscope__out-of-order.json", "B3 E3", 3, 3, 0, 0, 0, 0, {0, 10000}, ""},
    {"speedscope__simple-hermes.json", "B2 E2", 2, 2, 0, 0, 0, 0, {0, 14000}, ""},
    // an X without name and dur
    {"speedscope__simple-object.json", "B2 E2 X1", 3, 3, 0, 0, 0, 0, {0, 14000}, "duration_missing=1 name_missing=1"},
    // no closing ], and a trailing comma
    {"speedscope__simple-partial-trailing-comma.json",
     "B2 E2 X2",
     4,
     3,
     0,
     0,
     0,
     0,
     {0, 14000},
     "duration_missing=1 trailing_comma=1"},
    {"speedscope__simple-partial-whitespace.json",
     "B2 E2 X2",
     4,
     3,
     0,
     0,
     0,
     0,
     {0, 14000},
     "duration_missing=1 trailing_comma=1"},
    // the closing ] of a list is optional: nothing to report
    {"speedscope__simple-partial.json", "B2 E2 X2", 4, 3, 0, 0, 0, 0, {0, 14000}, "duration_missing=1"},
    // only names and samples
    // each sample's frames last until the next sample; the last ones for the median of these
    {"speedscope__simple-with-samples.json", "M2", 5, 3, 0, 0, 0, 0, {11552125241000, 11552200556000}, ""},
    // "tdur" is no dur
    {"speedscope__simple.json", "B2 E2 X2", 4, 3, 0, 0, 0, 0, {0, 14000}, "duration_missing=1"},
    {"speedscope__simultaneous-anonymous-calls.json", "B6 E6", 6, 4, 0, 0, 0, 0, {0, 5000}, ""},
    // ends of unknown names at 5 close what is open; later ends find nothing
    {"speedscope__too-many-end-events.json",
     "B2 E4",
     2,
     2,
     0,
     0,
     0,
     0,
     {0, 5000},
     "end_name_mismatch=2 unmatched_end=2"},
    {"speedscope__unbalanced-args.json", "B2 E2", 2, 2, 0, 0, 0, 0, {0, 10000}, ""},
    // ends by name make crossing slices
    {"speedscope__unbalanced-name.json", "B2 E2", 2, 2, 0, 0, 0, 0, {0, 10000}, "crossing_slices=1"},
    {"speedscope__x-events-matching-end.json", "X9", 9, 3, 0, 0, 0, 0, {0, 20000}, ""},
    {"speedscope__x-events-matching-start.json", "X9", 9, 3, 0, 0, 0, 0, {0, 20000}, ""},
    // "E C" precedes "B C" at the same ts: closes "A", so "E A" closes "C"
    {"speedscope__zero-duration-events.json", "B3 E3 X1", 4, 2, 0, 0, 0, 0, {0, 10000}, "end_name_mismatch=2"},
    // HIP; flow starts are missing
    {"tracelens__torch_compile_triton.json.gz",
     "M58 X115 f58 i2 s13",
     115,
     9,
     2,
     0,
     12,
     12,
     {3603029046038437, 3603029059322061},
     "flow_finish_without_start=46 flow_start_without_finish=1"},
}};

}  // namespace lacuna
