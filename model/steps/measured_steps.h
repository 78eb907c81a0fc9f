#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/steps/steps.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A leading step counts as warm-up if it lasts longer, without the profiler's own work, than this many times the
/// median of all steps after it (150 %), and exceeds the longest of these by more than their spread …
inline constexpr double kWarmUpFactor = 1.5;
/// … and if at least this many steps are left to measure.
inline constexpr std::size_t kWarmUpRest = 2;
/// Without GPU work, if this many steps follow, they are measured, however long they take: programs import and compile
/// in their first step, which hardly matters in a longer run.
inline constexpr std::size_t kSteadySteps = 10;
/// A last step without operators and calls that takes less than this fraction (1/10) of the median of those before it
/// is the stub that the profiler's stop() leaves.
inline constexpr Nanos kStubShare = 10;

/// One step of the profiled program, with the GPU work that it owns: everything launched by any thread while its
/// annotation was open.
///
///     CPU    [ step 5 ][ step 6 ][ step 7 ]
///     GPU      ####5####  ######6###### #####7#####
///     paced  [    5    ][      6      ][    7     ]
struct MeasuredStep {
  SliceId annotation;
  StringId name = kEmptyString;
  std::optional<std::int64_t> number;   ///< StepMark::number
  TimeSpan span;                        ///< its annotation, on the CPU
  TimeSpan work = TimeSpan::nothing();  ///< from the first start to the last end of its GPU work
  std::uint64_t launches = 0;           ///< number of calls that started the work
  /// From its begin, or the end of the previous step's if later, to the end of its annotation and its
  /// work: so steps whose work overlaps on the GPU are paced by the GPU, as in TensorBoard's plugin.
  TimeSpan paced;
  bool is_warm_up = false;
  Nanos rest_median = 0;  ///< reference of a warm-up step: median length of the steps after it

  /// The duration of the step: consecutive steps add up.
  Nanos length() const { return paced.duration(); }
};

/// The measurement of one file: its steps, and the window that holds them with all work that they launched. This
/// is the only definition of the measured window: first view, header, report, comparison, what-if, critical path and
/// jobs use it.
///
///     steps    [ 5: warm-up ][ 6 ][ 7 ][ 8 ]          window = from the first measured step's begin (paced)
///     window                 |<---------------->|     to the last one's end, its GPU work included
///
/// Without steps the window is from the first to the last operator, annotation, runtime call or GPU activity; Python
/// frames and the profiler's own rows count only if there is nothing but frames and other slices of threads.
struct MeasuredSteps {
  SourceId source;
  StepsFrom from = StepsFrom::kProfiler;
  std::vector<MeasuredStep> steps;  ///< ascending, including warm-up, without stubs
  std::vector<StringId> stubs;      ///< names of empty steps that are left out
  std::size_t warm_up_count = 0;    ///< number of leading steps that are left out
  /// Number of leading steps that look like warm-up, but take more time than all others together: the trace is about
  /// them (but see kSteadySteps).
  std::size_t kept_warm_up = 0;
  TimeSpan window = TimeSpan::nothing();

  bool has_steps() const { return !steps.empty(); }
  /// The median length of the measured steps; 0 if there are none.
  Nanos median() const;
  /// Describes the window: "the whole recording", "ProfilerStep#3 to ProfilerStep#5 (3 steps)".
  std::string window_name(const Trace& trace) const;
};

/// Returns the steps of find_step_marks(), marking warm-up; inference servers have none, as their steps differ with
/// their requests. `leave_out_warm_up`: false measures all of them.
/// Read-only, any thread. O(slices of the threads of `source` + launches log steps).
MeasuredSteps find_measured_steps(const Trace& trace, SourceId source, bool leave_out_warm_up = true);

/// Returns the steps of find_steps(), each with all work that it launched: its span is MeasuredStep::paced, for a stub
/// that of its mark. Use their span_of() for windows and critical paths of steps; tables by --steps use the marks.
/// Read-only, any thread. O(slices of CPU threads + launches log steps).
std::vector<Step> find_step_windows(const Trace& trace);

/// Returns the span from the first to the last slice of a thread or stream that is work of the program: operators,
/// annotations, runtime calls, GPU activity. Without `work_only`, also all else but the profiler's own. Else nothing().
TimeSpan span_of_work(const Trace& trace, const Track& track, bool work_only);

}  // namespace lacuna
