#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// What marks the steps of a file; the first that a file has counts.
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

/// Whether slices of this category may mark steps; the name decides, too (is_profiler_step).
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

/// A step by its number.
struct Step {
  std::int64_t number = 0;
  TimeSpan span;  ///< of its mark; of several files: of all of them
  bool operator==(const Step&) const = default;
};

/// The steps of all files, ascending by number. O(slices of CPU threads).
std::vector<Step> find_steps(const Trace& trace);

/// "12" or "12..15" (also "12-15", "12:15"), in any order and with spaces around; nothing when it is no such thing.
struct StepNumbers {
  std::int64_t first = 0;
  std::int64_t last = 0;  ///< inclusive, >= first
};
std::optional<StepNumbers> parse_step_numbers(std::string_view text);

/// First and last index in `steps` of those that exist in such a range of numbers; nothing when there is none or
/// the text is no such thing.
struct StepRange {
  std::size_t first = 0;
  std::size_t last = 0;  ///< inclusive
  bool operator==(const StepRange&) const = default;
};
std::optional<StepRange> parse_step_range(const std::vector<Step>& steps, std::string_view text);

/// The time from the start of the first to the end of the last; they may be given in any order.
TimeSpan span_of(const std::vector<Step>& steps, StepRange range);
/// The steps whose span_of is exactly this; nothing otherwise.
std::optional<StepRange> steps_of(const std::vector<Step>& steps, TimeSpan span);

}  // namespace lacuna
