#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/steps/steps.h"

namespace lacuna {

/// A kind of slices that can define the steps of a trace.
struct StepChoice {
  StepsFrom from = StepsFrom::kPattern;
  std::string steps_from;  ///< Trace::steps_from() for this choice; empty: the default
  std::string name;        ///< for people: "ProfilerStep#N", "engine annotations", "'iteration *'"
  std::size_t count = 0;   ///< number of steps, in the file that has the most
  bool is_used = false;

  bool operator==(const StepChoice&) const = default;
};

/// At least this many annotations or NVTX ranges of one name on one thread are offered as steps …
inline constexpr std::size_t kLeastRepeated = 3;
/// … and at most this many names, those that cover the most time first.
inline constexpr std::size_t kMostRepeated = 6;

/// Returns the choices of steps, the one in use first: ProfilerSteps, those of
/// inference servers, numbered annotations, and repeated annotations, with * for the number in their names. Empty
/// if nothing repeats. Read-only, any thread. O(slices of CPU threads).
std::vector<StepChoice> find_step_choices(const Trace& trace);

/// Lists choices in one line: "ProfilerStep#N (4); also 'forward' (12)"; empty without choices.
std::string step_choices_line(const std::vector<StepChoice>& choices);

/// For a trace without the steps that Trace::steps_from() asks for: "nothing is called 'epoch *'; steps could be
/// ProfilerStep#N (4), 'forward' (12)". O(slices of CPU threads).
std::string without_asked_steps(const Trace& trace);

}  // namespace lacuna
