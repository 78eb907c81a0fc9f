#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// The quantity measured in each step.
enum class SampleKind : std::uint8_t {
  kStep,         ///< its length, as in lacuna report (MeasuredStep::length)
  kBusy,         ///< busy time of its GPUs, added up
  kIdle,         ///< idle time of its GPUs, added up
  kCause,        ///< the part of kIdle with one cause: cause_key()
  kBlamed,       ///< idle time that the CPU caused, by what it was doing: charge_operators()
  kClass,        ///< GPU time of one class of kernels: kernel_class_key()
  kModule,       ///< GPU time launched inside of one nn.Module
  kOperator,     ///< … by one operator in one module, "aten::mm in Linear_0"
  kKernel,       ///< GPU time of kernels with one name
  kCpu,          ///< what the time was spent on (cpu_kind_key()); like the next one, only if no GPU did anything
  kCpuOperator,  ///< self time of an operator on the CPU
  kActivities,   ///< number of kernels, copies and sets: not a time
};
/// Returns "step", "busy", "idle", "cause", "blamed", "class", "module", "operator", "kernel", "cpu", "cpuOperator" or
/// "activities".
std::string_view sample_kind_key(SampleKind kind);

/// The measurements of each measured step of one file, by kind and name: one value per step, in ns, 0 if it has none.
struct StepSamples {
  using Key = std::pair<SampleKind, std::string>;
  std::string path;
  std::size_t steps = 0;
  bool has_steps = false;  ///< false: the measured window counts as the only step
  std::map<Key, std::vector<double>> values;
};

/// Measures the steps (steps/measured_steps.h) of a file without the warm-up. Work counts in the steps in which it
/// runs. Names are as from name_across_traces(). Reads only, any thread. O(n log n).
StepSamples sample_steps(const Trace& trace, SourceId source);

}  // namespace lacuna
