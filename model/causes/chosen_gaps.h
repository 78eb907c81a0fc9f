#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/causes/cause_ranking.h"

namespace lacuna {

/// Count and total time of some gaps.
struct GapSum {
  Nanos time = 0;
  std::uint64_t gaps = 0;
  void add(Nanos duration) {
    time = saturating_add(time, duration);
    ++gaps;
  }
  bool operator==(const GapSum&) const = default;
};

/// The gaps that a ranking counts.
struct ChosenGaps {
  std::vector<CausedGaps> sets;                     ///< like those given, with their chosen gaps alone
  std::vector<std::vector<std::uint32_t>> numbers;  ///< of each set and gap: its index in the set given
  GapSum counted;
  GapSum left_out;  ///< too short
  GapSum not_yet;   ///< without a diagnosis so far, in a running recording
};

/// Returns the gaps of `shortest` or more that overlap `range`. O(gaps).
ChosenGaps choose_gaps(std::span<const CausedGaps> sets, Nanos shortest, TimeSpan range);

}  // namespace lacuna
