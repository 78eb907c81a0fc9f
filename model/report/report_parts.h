#pragma once

#include "model/causes/cause_index.h"
#include "model/report/report.h"

namespace lacuna {

// The parts of compute_report(). Each fills its own members of the report, so that they can run
// concurrently once `source`, `steps` and `window` are set.

/// Whether the track belongs to the file `source`.
inline bool belongs(const Trace& trace, const Track& track, SourceId source) {
  return trace.process(track.process).source == source;
}

/// Fills kernels, copies, kernel, arguments_error.
void report_kernels(const Trace& trace, unsigned threads, Report& report);
/// Fills roofline; needs use and devices. Reads the args of operators if a GPU is busy.
void report_roofline(const Trace& trace, unsigned threads, Report& report);
/// Fills operators, operator_self_cpu.
void report_operators(const Trace& trace, Report& report);
/// Fills launch.
void report_launches(const Trace& trace, Report& report);
/// Fills missing, except has_shapes, has_memory and has_occupancy.
void report_missing(const Trace& trace, Report& report);
/// Fills allocation_calls and related members, code_loading, profiler.
void report_interruptions(const Trace& trace, Report& report);
/// Fills devices, except time use and verdict. `index` must be of the trace.
void report_devices(const Trace& trace, Report& report, const CauseIndex& index);
/// Fills cpu.process and cpu.thread, if the file has no GPU activity; runs before the parts, which use it.
void choose_cpu_process(const Trace& trace, Report& report);
/// Fills the rest of cpu (by_step must be filled).
void report_cpu(const Trace& trace, Report& report);
/// Returns the verdict on a process without a GPU: what takes at least half of its time.
Bound judge_cpu(const CpuReport& cpu);
/// Returns the verdict on a program seen from outside: what its leading thread did for at least half of the window.
Bound judge_program(const ProgramReport& program, Nanos window);
/// Returns the verdict on one GPU, from its time use and idle time: its work if that fills kBusyEnough of the time,
/// else the cause of most of the idle time.
GpuVerdict judge_device(const DeviceReport& device);
/// Fills the verdicts on all GPUs (needs their use), and the report's own.
void judge_all(Report& report);
/// Returns the files that get reports: those with slices, except those with data around ranks. Ascending.
std::vector<SourceId> reported_sources(const Trace& trace);
/// Fills the confidence in the verdict on each GPU, and the report's own; needs devices and missing.
void judge_confidence(Report& report);

}  // namespace lacuna
