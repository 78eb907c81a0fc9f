#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/trace/step_marks.h"

namespace lacuna {

/// A step by its number.
struct Step {
  std::int64_t number = 0;
  TimeSpan span;  ///< of its mark; of several files: of all of them
  bool operator==(const Step&) const = default;
};

/// The steps of all files, ascending by number. O(slices of CPU threads).
std::vector<Step> find_steps(const Trace& trace);

/// "12" or "12..15" (also "12-15", "12:15"), in any order and with spaces around; nothing when it is no such thing.
struct StepNumbers {
  std::int64_t first = 0;
  std::int64_t last = 0;  ///< inclusive, >= first
};
std::optional<StepNumbers> parse_step_numbers(std::string_view text);

/// First and last index in `steps` of those that exist in such a range of numbers; nothing when there is none or
/// the text is no such thing.
struct StepRange {
  std::size_t first = 0;
  std::size_t last = 0;  ///< inclusive
  bool operator==(const StepRange&) const = default;
};
std::optional<StepRange> parse_step_range(const std::vector<Step>& steps, std::string_view text);

/// The time from the start of the first to the end of the last; they may be given in any order.
TimeSpan span_of(const std::vector<Step>& steps, StepRange range);
/// The steps whose span_of is exactly this; nothing otherwise.
std::optional<StepRange> steps_of(const std::vector<Step>& steps, TimeSpan span);

}  // namespace lacuna
