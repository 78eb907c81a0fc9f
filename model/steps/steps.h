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
  TimeSpan span;  ///< of its mark; with several files: of all of them
  bool operator==(const Step&) const = default;
};

/// Returns the steps of all files, ascending by number. O(slices of CPU threads).
std::vector<Step> find_steps(const Trace& trace);

/// Parses "12" or "12..15" (also "12-15", "12:15"), in any order, with spaces allowed; nothing if it has another form.
struct StepNumbers {
  std::int64_t first = 0;
  std::int64_t last = 0;  ///< inclusive, >= first
};
std::optional<StepNumbers> parse_step_numbers(std::string_view text);

/// First and last index in `steps` of the existing steps in such a range of numbers; nothing if there is none or
/// the text does not parse.
struct StepRange {
  std::size_t first = 0;
  std::size_t last = 0;  ///< inclusive
  bool operator==(const StepRange&) const = default;
};
std::optional<StepRange> parse_step_range(const std::vector<Step>& steps, std::string_view text);

/// Returns the span from the start of the first to the end of the last step; `steps` may be in any order.
TimeSpan span_of(const std::vector<Step>& steps, StepRange range);
/// Returns the steps whose span_of() is exactly `span`; nothing if there are none.
std::optional<StepRange> steps_of(const std::vector<Step>& steps, TimeSpan span);

}  // namespace lacuna
