#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace/step_marks.h"
#include "model/trace/trace.h"

namespace lacuna {

// Dead windows: the time inside a record_function annotation before anything happens in it. For example, the
// first step's 228 µs against 5 µs in other steps is start-up work that no operator accounts for.

/// A window is an outlier if its group has kDeadWindowMinGroup instances or more, it is
/// longer than the third quartile by kDeadWindowFactor times the interquartile range (Tukey's
/// "far out", Exploratory Data Analysis, 1977), and at least kDeadWindowExcessNs above the median.
/// Quartiles are used because bimodal groups are common (a collective that finds the GPU busy or
/// idle), in which neither mode is an outlier; the minimum keeps 3 µs against 1 µs from being marked.
inline constexpr std::size_t kDeadWindowMinGroup = 3;
inline constexpr Nanos kDeadWindowFactor = 3;
inline constexpr Nanos kDeadWindowExcessNs = 20'000;

/// One annotation and its dead time.
struct DeadWindow {
  SliceId annotation;
  /// The first operator, runtime call or annotation on its thread that starts inside it; Python
  /// frames do not count, since entering record_function is one itself. Invalid: nothing started.
  SliceId first_child;
  Nanos dead = 0;  ///< time until first_child; the whole annotation if there is none
  /// The first activity of the first call inside it (same thread) that started GPU work. Invalid
  /// if nothing was launched or the activity is not in the file.
  SliceId first_activity;
  Nanos dead_on_gpu = 0;  ///< from the annotation's start to first_activity's start; 0 if that is invalid
  bool is_outlier = false;
  bool is_outlier_on_gpu = false;
};

/// Annotations with the same name; all steps (step_marks.h) are one group.
struct DeadWindowGroup {
  StringId name = kEmptyString;  ///< of the first instance
  bool is_step = false;
  StepsFrom from = StepsFrom::kProfiler;  ///< of steps: what marks them
  std::vector<DeadWindow> instances;      ///< ascending by time within a file
  Nanos total = 0;                        ///< sum of `dead`
  Nanos median = 0;
  Nanos longest = 0;
  Nanos median_on_gpu = 0;     ///< over instances with a first_activity
  std::uint64_t outliers = 0;  ///< instances marked as outliers on the CPU or the GPU

  /// "forward"; of steps "ProfilerStep#*", "steps (engine annotation)" or the pattern that the user gave.
  std::string label(const Trace& trace) const;
};

/// Returns the groups, most dead time first. Reads only; any thread. O(n) plus O(log n) per annotation.
std::vector<DeadWindowGroup> find_dead_windows(const Trace& trace);

}  // namespace lacuna
