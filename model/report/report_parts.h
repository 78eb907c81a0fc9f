#pragma once

#include "model/causes/cause_index.h"
#include "model/report/report.h"

namespace lacuna {

// The parts of compute_report(). Each fills its own members of the report, so that they may run at
// the same time once `source`, `steps` and `window` are set.

/// Is the track one of the file `source`?
inline bool belongs(const Trace& trace, const Track& track, SourceId source) {
  return trace.process(track.process).source == source;
}

/// kernels, copies, kernel, arguments_error.
void report_kernels(const Trace& trace, unsigned threads, Report& report);
/// roofline; use and devices must be there. Reads the args of operators where a GPU is busy.
void report_roofline(const Trace& trace, unsigned threads, Report& report);
/// operators, operator_self_cpu.
void report_operators(const Trace& trace, Report& report);
/// launch.
void report_launches(const Trace& trace, Report& report);
/// missing, but for has_shapes, has_memory and has_occupancy.
void report_missing(const Trace& trace, Report& report);
/// allocation_calls and the like, code_loading, profiler.
void report_interruptions(const Trace& trace, Report& report);
/// devices, but for what they say of time use and verdict. `index` is of the trace.
void report_devices(const Trace& trace, Report& report, const CauseIndex& index);
/// cpu.process and cpu.thread, where the file has no GPU activity; before the parts, which look at it.
void choose_cpu_process(const Trace& trace, Report& report);
/// The rest of cpu (by_step must have the steps).
void report_cpu(const Trace& trace, Report& report);
/// The verdict on a process without a GPU: what takes half of its time or more.
Bound judge_cpu(const CpuReport& cpu);
/// The verdict on a program seen from outside: what its leading thread did for half of the window or more.
Bound judge_program(const ProgramReport& program, Nanos window);
/// The verdict on one GPU, from its time use and its idle time: its work where that fills kBusyEnough of the time, else
/// the cause that most of the idle time has.
GpuVerdict judge_device(const DeviceReport& device);
/// The verdicts on all GPUs (their use must be there), and the one that the report gives.
void judge_all(Report& report);
/// The files of which reports are made: those with slices, without what stands around ranks. Ascending.
std::vector<SourceId> reported_sources(const Trace& trace);
/// How far the verdict on the busiest GPU can be trusted; devices and missing must be there.
Confidence judge_confidence(const Report& report);

}  // namespace lacuna
