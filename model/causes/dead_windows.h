#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace/step_marks.h"
#include "model/trace/trace.h"

namespace lacuna {

// Dead windows: the time inside a record_function annotation before anything happens in it. The
// first step's 228 µs against 5 µs in the others is start-up work that no operator accounts for.

/// A window is an outlier when its group has kDeadWindowMinGroup instances or more, and it is
/// longer than the third quartile by kDeadWindowFactor times the distance of the quartiles (Tukey's
/// "far out", Exploratory Data Analysis, 1977), and at least kDeadWindowExcessNs above the median.
/// Quartiles, because groups with two habits are common (a collective that finds the GPU busy or
/// idle) and neither is an outlier then; the floor keeps 3 µs against 1 µs from being marked.
inline constexpr std::size_t kDeadWindowMinGroup = 3;
inline constexpr Nanos kDeadWindowFactor = 3;
inline constexpr Nanos kDeadWindowExcessNs = 20'000;

/// One annotation and what is dead in it.
struct DeadWindow {
  SliceId annotation;
  /// The first operator, runtime call or annotation on its thread that starts inside it; Python
  /// frames do not count, since entering record_function is one itself. Invalid: nothing started.
  SliceId first_child;
  Nanos dead = 0;  ///< up to first_child; the whole annotation when there is none
  /// The first activity of the first call inside it (same thread) that started GPU work. Invalid
  /// when nothing was launched or the activity is not in the file.
  SliceId first_activity;
  Nanos dead_on_gpu = 0;  ///< from the annotation's start to that activity's start; 0 if invalid
  bool is_outlier = false;
  bool is_outlier_on_gpu = false;
};

/// Annotations of one name; all steps (step_marks.h) are one group.
struct DeadWindowGroup {
  StringId name = kEmptyString;  ///< of the first instance
  bool is_step = false;
  StepsFrom from = StepsFrom::kProfiler;  ///< of steps: what marks them
  std::vector<DeadWindow> instances;      ///< ascending by time within a file
  Nanos total = 0;                        ///< sum of `dead`
  Nanos median = 0;
  Nanos longest = 0;
  Nanos median_on_gpu = 0;     ///< of the instances that have a first_activity
  std::uint64_t outliers = 0;  ///< instances marked in either way

  /// "forward"; of steps "ProfilerStep#*", "steps (engine annotation)" or the pattern that the user gave.
  std::string label(const Trace& trace) const;
};

/// Groups with the most dead time first. Reads only; any thread. O(n) plus O(log n) an annotation.
std::vector<DeadWindowGroup> find_dead_windows(const Trace& trace);

}  // namespace lacuna
