#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/query/trace_tables.h"

namespace lacuna {

/// Perfetto's counters of anomalies in the events.
enum class ReplayStat : std::uint8_t {
  kTokenizerFailure,
  kParserFailure,
  kDisplayTimeUnit,
  kMisplacedEnd,
  kDropOverlapping,
  kSpillOverlapping,
  kNegativeDuration,
  kTooDeep,
  kFlowDuplicate,
  kFlowNoSlice,
  kFlowStepWithoutStart,
  kFlowEndWithoutStart,
  kFlowInvalidId,
  kFlowWithoutDirection,
  kCount
};

/// Nests slices on their tracks, by Perfetto's rules: intervals are half-open, instants nest in instants of
/// the same time, and a begun slice stays open until its end event.
class SliceReplay {
 public:
  struct Overlap {
    Nanos start = 0;
    Nanos end = 0;
    std::uint32_t conflicting = 0;  ///< slice index
  };

  explicit SliceReplay(TraceTables& tables) : tables_(tables) {}

  std::optional<std::uint32_t> begin(Nanos ts, std::uint32_t track, StringId category, StringId name) {
    return start(ts, TraceTables::kUnfinished, track, category, name, nullptr);
  }
  std::optional<std::uint32_t> complete(Nanos ts, Nanos dur, std::uint32_t track, StringId category, StringId name,
                                        std::optional<Overlap>* overlap = nullptr);
  std::optional<std::uint32_t> end(Nanos ts, std::uint32_t track, StringId category, StringId name);
  /// Returns the last slice pushed on the track, whether ended or not.
  std::optional<std::uint32_t> top(std::uint32_t track) const;

  std::uint64_t misplaced_ends = 0;
  std::uint64_t negative_durations = 0;
  std::uint64_t too_deep = 0;
  std::uint64_t dropped = 0;

 private:
  using Stack = std::vector<std::uint32_t>;
  std::optional<std::uint32_t> start(Nanos ts, Nanos dur, std::uint32_t track, StringId category, StringId name,
                                     std::optional<Overlap>* overlap);
  bool close(Stack& stack, Nanos ts, Nanos dur, std::optional<Overlap>* overlap);
  Stack& stack_of(std::uint32_t track);

  TraceTables& tables_;
  std::vector<Stack> stacks_;  // by track
};

}  // namespace lacuna
