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

/// What of a step is measured.
enum class SampleKind : std::uint8_t {
  kStep,         ///< its length, as in lacuna report (MeasuredStep::length)
  kBusy,         ///< time in which its GPUs did something, added up
  kIdle,         ///< … nothing
  kCause,        ///< of that the part with one cause: cause_key()
  kBlamed,       ///< idle time that the CPU caused, by what it was doing: charge_operators()
  kClass,        ///< GPU time of one class of kernels: kernel_class_key()
  kModule,       ///< … launched inside of one nn.Module
  kOperator,     ///< … by one operator in one module, "aten::mm in Linear_0"
  kKernel,       ///< … of one name
  kCpu,          ///< what the time was spent on (cpu_kind_key()); only where no GPU did anything, as the next one
  kCpuOperator,  ///< time in an operator itself, on the CPU
  kActivities,   ///< how many kernels, copies and sets: no time
};
/// "step", "busy", "idle", "cause", "blamed", "class", "module", "operator", "kernel", "cpu", "cpuOperator",
/// "activities".
std::string_view sample_kind_key(SampleKind kind);

/// What each measured step of one file took, by kind and name: a value a step, in ns, 0 where it has none.
struct StepSamples {
  using Key = std::pair<SampleKind, std::string>;
  std::string path;
  std::size_t steps = 0;
  bool has_steps = false;  ///< false: the measured window is the only one
  std::map<Key, std::vector<double>> values;
};

/// The measured steps (steps/measured_steps.h) of a file, warm-up left out. Work counts in the steps in which it runs.
/// Names are those of name_across_traces(). Reads only, any thread. O(n log n).
StepSamples sample_steps(const Trace& trace, SourceId source);

}  // namespace lacuna
