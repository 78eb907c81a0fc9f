#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/steps/steps.h"

namespace lacuna {

/// Something that the steps of a trace can be told by.
struct StepChoice {
  StepsFrom from = StepsFrom::kPattern;
  std::string steps_from;  ///< what Trace::steps_from() is then; empty: it is what is found unasked
  std::string name;        ///< for people: "ProfilerStep#N", "engine annotations", "'iteration *'"
  std::size_t count = 0;   ///< steps, of the file that has most of them
  bool is_used = false;

  bool operator==(const StepChoice&) const = default;
};

/// So many annotations or NVTX ranges of one name on one thread are offered as steps …
inline constexpr std::size_t kLeastRepeated = 3;
/// … and so many names at most, those that cover most time first.
inline constexpr std::size_t kMostRepeated = 6;

/// What the steps are told by, first what is used, and what else they could be told by: ProfilerSteps, those of
/// inference servers, numbered annotations, and annotations that repeat, with * for the number in their names. Empty
/// where nothing repeats. Reads only, any thread. O(slices of CPU threads).
std::vector<StepChoice> find_step_choices(const Trace& trace);

/// "ProfilerStep#N (4); also 'forward' (12)": those of find_step_choices(), in one line; empty without any.
std::string step_choices_line(const std::vector<StepChoice>& choices);

}  // namespace lacuna
