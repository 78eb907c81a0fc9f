#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// A leading step counts as warm-up while it lasts longer than this many times the median of all
/// steps after it (150 %) …
inline constexpr double kWarmUpFactor = 1.5;
/// … and at least this many steps are left to be measured.
inline constexpr std::size_t kWarmUpRest = 2;

/// A step as a report sees it.
struct ReportStep {
  SliceId annotation;
  StringId name = kEmptyString;
  TimeSpan span;
  bool is_warm_up = false;
  Nanos rest_median = 0;  ///< what a warm-up step was compared with: median of the steps after it
};

/// The steps of one file, and the part of it that a report is about.
///
///     steps    [ 5: warm-up ][ 6 ][ 7 ][ 8 ]       window = from the first measured step's
///     window                 |<----------->|       start to the last one's end
///
/// Without steps the window is from the first to the last operator, annotation, runtime call or
/// GPU activity; Python frames and the profiler's own rows do not count, unless there is nothing but frames
/// and other slices of threads.
struct ReportSteps {
  SourceId source;
  std::vector<ReportStep> steps;  ///< ascending, warm-up included
  std::size_t warm_up_count = 0;  ///< leading ones that are left out
  TimeSpan window = TimeSpan::nothing();

  bool has_steps() const { return !steps.empty(); }
  /// The median length of the measured steps; 0 without any.
  Nanos median() const;
};

/// The steps as find_step_marks() has them, with what is warm-up.
/// Reads only, any thread. O(slices of the threads of `source`).
ReportSteps find_report_steps(const Trace& trace, SourceId source);

/// Median of `values`: the lower of the two in the middle; 0 for none.
Nanos lower_median(std::vector<Nanos> values);

}  // namespace lacuna
