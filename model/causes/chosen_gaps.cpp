#include "model/causes/chosen_gaps.h"

namespace lacuna {

ChosenGaps choose_gaps(std::span<const CausedGaps> sets, Nanos shortest, TimeSpan range) {
  ChosenGaps chosen;
  for (const CausedGaps& from : sets) {
    CausedGaps& set = chosen.sets.emplace_back();
    std::vector<std::uint32_t>& numbers = chosen.numbers.emplace_back();
    set.source = from.source;
    set.device = from.device;
    set.stream = from.stream;
    set.is_device = from.is_device;
    for (std::uint32_t g = 0; g < from.gaps.size(); ++g) {
      const Gap& gap = from.gaps[g];
      if (!TimeSpan{gap.start, gap.end}.overlaps(range)) continue;
      GapSum& sum = gap.duration() < shortest    ? chosen.left_out
                    : g >= from.diagnoses.size() ? chosen.not_yet
                                                 : chosen.counted;
      sum.add(gap.duration());
      if (&sum != &chosen.counted) continue;
      set.gaps.push_back(gap);
      set.diagnoses.push_back(from.diagnoses[g]);
      numbers.push_back(g);
    }
  }
  return chosen;
}

}  // namespace lacuna
