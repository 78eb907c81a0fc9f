#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// What the steps of a file are told by; the first that a file has counts.
enum class StepsFrom : std::uint8_t {
  kPattern,   ///< Trace::steps_from(), which the user gave
  kProfiler,  ///< "ProfilerStep#N": torch.profiler's step(), and Lacuna's recorder
  kEngine,    ///< those of inference servers: parse_engine_step()
  kNumbered,  ///< three or more annotations "train 5", "iteration_6", "step 7" …: JAX, Megatron, NVTX ranges
};

/// The mark of one step of the profiled program: an annotation or operator on a CPU thread. Its projections on GPU
/// streams have the same name and are no marks. This is the one definition of a step: reports, tables, --steps and the
/// window go by it.
struct StepMark {
  SliceId slice;
  StringId name = kEmptyString;
  TimeSpan span;
  /// Of "ProfilerStep#N", nothing where that is no number; of all others as they follow each other, from 0 on.
  std::optional<std::int64_t> number;
  StepsFrom from = StepsFrom::kProfiler;
};

/// What its mark is besides its name (is_profiler_step).
bool may_mark_step(CategoryClass category);
/// "train 5", "Iteration_6", "step#7", "[pl][profile]run_training_batch": StepsFrom::kNumbered.
bool is_numbered_step(std::string_view name);
/// N of "ProfilerStep#N"; nothing where that is no number.
std::optional<std::int64_t> number_of_step(std::string_view name);

/// The steps of one file: those of the thread that has the most (of equals the first), ascending by start. Of steps
/// inside of others the outermost counts, but of ProfilerSteps. Reads only, any thread. O(slices of its CPU threads).
std::vector<StepMark> find_step_marks(const Trace& trace, SourceId source);
/// The same of this kind alone, whatever else the file has.
std::vector<StepMark> find_step_marks(const Trace& trace, SourceId source, StepsFrom from);

/// True where what find_step_marks() goes by need not be "ProfilerStep#N". O(strings).
bool has_other_steps(const Trace& trace);
/// "ProfilerStep", "engine annotation", "numbered annotation", "pattern". The first three can stand in the place of a
/// pattern, Trace::steps_from().
std::string_view steps_from_key(StepsFrom from);
/// The kind that Trace::steps_from() asks for: that of its key, else kPattern. Nothing: as found.
std::optional<StepsFrom> wanted_steps(const Trace& trace);

}  // namespace lacuna
