#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// What defines the steps of a file; the first that a file has is used.
enum class StepsFrom : std::uint8_t {
  kPattern,   ///< Trace::steps_from(), given by the user
  kProfiler,  ///< "ProfilerStep#N": torch.profiler's step(), and Lacuna's recorder
  kEngine,    ///< steps of inference servers: parse_engine_step()
  kNumbered,  ///< three or more annotations "train 5", "iteration_6", "step 7" …: JAX, Megatron, NVTX ranges
};

/// The mark of one step of the profiled program: an annotation or operator on a CPU thread. Its projections on GPU
/// streams have the same name and are not marks. This is the only definition of a step: reports, tables, --steps and
/// the window use it.
struct StepMark {
  SliceId slice;
  StringId name = kEmptyString;
  TimeSpan span;
  /// N of "ProfilerStep#N", nothing if it is not a number; for all others consecutive numbers from 0 on.
  std::optional<std::int64_t> number;
  StepsFrom from = StepsFrom::kProfiler;
};

/// Whether slices of this category can be marks, if their name fits (is_profiler_step).
bool may_mark_step(CategoryClass category);
/// Whether the name is like "train 5", "Iteration_6", "step#7", "[pl][profile]run_training_batch": see kNumbered.
bool is_numbered_step(std::string_view name);
/// Returns N of "ProfilerStep#N"; nothing if it is not a number.
std::optional<std::int64_t> number_of_step(std::string_view name);

/// Returns the steps of one file: those of the thread with the most (of equals the first), ascending by start. Of
/// nested steps the outermost counts, except for ProfilerSteps. Read-only, any thread. O(slices of its CPU threads).
std::vector<StepMark> find_step_marks(const Trace& trace, SourceId source);
/// Like find_step_marks(), for one kind, whatever other kinds the file has.
std::vector<StepMark> find_step_marks(const Trace& trace, SourceId source, StepsFrom from);

/// Whether find_step_marks() may use other names than "ProfilerStep#N". O(strings).
bool has_other_steps(const Trace& trace);
/// Returns "ProfilerStep", "engine annotation", "numbered annotation" or "pattern". The first three can be used as the
/// pattern, Trace::steps_from().
std::string_view steps_from_key(StepsFrom from);
/// Returns the kind requested by Trace::steps_from(): the one with that key, else kPattern. Nothing: the default.
std::optional<StepsFrom> wanted_steps(const Trace& trace);

}  // namespace lacuna
