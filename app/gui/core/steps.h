#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// One step of the profiled program, as torch.profiler's step() marks it.
struct Step {
  std::int64_t number = 0;
  TimeSpan span;  ///< of "ProfilerStep#number" on CPU threads; of several files: of all of them
  bool operator==(const Step&) const = default;
};

/// Ascending by number. O(slices of CPU threads).
std::vector<Step> find_steps(const Trace& trace);

/// "12" or "12..15" (also "12-15", "12:15"): first and last index in `steps` of those that exist in
/// that range of numbers; nothing when there is none or the text is no such thing.
struct StepRange {
  std::size_t first = 0;
  std::size_t last = 0;  ///< inclusive
  bool operator==(const StepRange&) const = default;
};
std::optional<StepRange> parse_step_range(const std::vector<Step>& steps, std::string_view text);

/// From the start of the first to the end of the last; first and last may be given in any order.
TimeSpan span_of(const std::vector<Step>& steps, StepRange range);
/// The steps whose span_of is exactly this; nothing otherwise.
std::optional<StepRange> steps_of(const std::vector<Step>& steps, TimeSpan span);

}  // namespace lacuna
