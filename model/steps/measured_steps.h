#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/steps/steps.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A leading step counts as warm-up while it lasts longer, without the profiler's own work, than this many times the
/// median of all steps after it (150 %), and longer than the longest of these by more than they differ …
inline constexpr double kWarmUpFactor = 1.5;
/// … and at least this many steps are left to be measured.
inline constexpr std::size_t kWarmUpRest = 2;
/// Without GPU work, this many steps after it are measured, however long they take: programs import and compile in
/// their first step, which a longer run hardly notices.
inline constexpr std::size_t kSteadySteps = 10;
/// A last step that holds no operator and no call and takes less than this part (1/10) of the median of those before it
/// is the stub that stop() leaves behind.
inline constexpr Nanos kStubShare = 10;

/// One step of the profiled program, with the GPU work that it owns: all that calls of any thread launched while its
/// annotation was open.
///
///     CPU    [ step 5 ][ step 6 ][ step 7 ]
///     GPU      ####5####  ######6###### #####7#####
///     paced  [    5    ][      6      ][    7     ]
struct MeasuredStep {
  SliceId annotation;
  StringId name = kEmptyString;
  std::optional<std::int64_t> number;   ///< StepMark::number
  TimeSpan span;                        ///< of its annotation, on the CPU
  TimeSpan work = TimeSpan::nothing();  ///< from the first start to the last end of its GPU work
  std::uint64_t launches = 0;           ///< calls that started it
  /// From when it began, or the step before it had ended if that is later, to when its annotation and its work had
  /// ended: so steps whose work overlaps on the GPU are paced by the GPU, as TensorBoard's plugin counts them.
  TimeSpan paced;
  bool is_warm_up = false;
  Nanos rest_median = 0;  ///< what a warm-up step was compared with: median length of the steps after it

  /// How long the step took: steps that follow each other add up.
  Nanos length() const { return paced.duration(); }
};

/// What is measured of one file: its steps, and the stretch of time that holds them with all that they launched. This
/// is the one definition of the measured window: first view, header, report, comparison, what-if, critical path and
/// jobs go by it.
///
///     steps    [ 5: warm-up ][ 6 ][ 7 ][ 8 ]          window = from the first measured step's begin (paced)
///     window                 |<---------------->|     to the last one's end, its GPU work included
///
/// Without steps the window is from the first to the last operator, annotation, runtime call or GPU activity; Python
/// frames and the profiler's own rows do not count, unless there is nothing but frames and other slices of threads.
struct MeasuredSteps {
  SourceId source;
  StepsFrom from = StepsFrom::kProfiler;
  std::vector<MeasuredStep> steps;  ///< ascending, warm-up included, stubs not
  std::vector<StringId> stubs;      ///< names of steps that hold nothing and are left out
  std::size_t warm_up_count = 0;    ///< leading ones that are left out
  /// Leading steps look like warm-up, but take more time than all others together: they are what the trace is about
  /// (but kSteadySteps).
  std::size_t kept_warm_up = 0;
  TimeSpan window = TimeSpan::nothing();

  bool has_steps() const { return !steps.empty(); }
  /// The median length of the measured steps; 0 without any.
  Nanos median() const;
  /// "the whole recording", "ProfilerStep#3 to ProfilerStep#5 (3 steps)": what the window holds.
  std::string window_name(const Trace& trace) const;
};

/// The steps as find_step_marks() has them, with what is warm-up: of inference servers none, as their steps differ by
/// what requests there are. `leave_out_warm_up`: false measures all of them.
/// Reads only, any thread. O(slices of the threads of `source` + launches log steps).
MeasuredSteps find_measured_steps(const Trace& trace, SourceId source, bool leave_out_warm_up = true);

/// Those of find_steps(), each with all that it launched: its span is MeasuredStep::paced, of a stub that of its mark.
/// span_of() them is what the window's steps and a critical path of steps go by; tables by --steps go by the marks.
/// Reads only, any thread. O(slices of CPU threads + launches log steps).
std::vector<Step> find_step_windows(const Trace& trace);

/// From the first to the last slice of a thread or stream that is work of the program: operators, annotations, runtime
/// calls, GPU activity. Without `work_only` also frames and what else is not the profiler's own. nothing() where none.
TimeSpan span_of_work(const Trace& trace, const Track& track, bool work_only);

}  // namespace lacuna
