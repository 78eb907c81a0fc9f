#include "model/trace/extremes_index.h"

#include <cmath>

#include "model/base/level_of_detail.h"

namespace lacuna {
namespace {

/// Whether value `a` is to be preferred to `b`.
struct Greater {
  bool operator()(double a, double b) const { return a > b || (std::isnan(b) && !std::isnan(a)); }
};
struct Less {
  bool operator()(double a, double b) const { return a < b || (std::isnan(b) && !std::isnan(a)); }
};

}  // namespace

template <class Wins>
void ExtremesIndex::extend(Levels& levels, std::span<const double> values, Wins wins) {
  std::size_t below = values.size();  // entries of the level below
  for (std::size_t level = 0; below >= kFanout; ++level) {
    if (level == levels.size()) levels.emplace_back();
    const auto entry = [&](std::size_t k) { return level == 0 ? static_cast<std::uint32_t>(k) : levels[level - 1][k]; };
    for (std::size_t block = levels[level].size(); block < below / kFanout; ++block) {
      std::uint32_t best = entry(block * kFanout);
      for (std::size_t k = 1; k < kFanout; ++k) {
        const std::uint32_t candidate = entry(block * kFanout + k);
        if (wins(values[candidate], values[best])) best = candidate;
      }
      levels[level].push_back(best);
    }
    below = levels[level].size();
  }
}

template <class Wins>
std::uint32_t ExtremesIndex::find(const Levels& levels, std::uint32_t first, std::uint32_t last,
                                  std::span<const double> values, Wins wins) {
  std::uint32_t best = first;
  climb_levels<kFanout>(
      levels, levels.size(), first, last,
      [&](std::size_t level) { return static_cast<std::uint32_t>(levels[level].size()); },
      [&](std::uint32_t candidate) {
        if (wins(values[candidate], values[best]) || (candidate < best && !wins(values[best], values[candidate])))
          best = candidate;
      });
  return best;
}

void ExtremesIndex::extend(std::span<const double> values) {
  extend(greatest_, values, Greater{});
  extend(least_, values, Less{});
}

std::uint32_t ExtremesIndex::greatest(std::uint32_t first, std::uint32_t last, std::span<const double> values) const {
  return find(greatest_, first, last, values, Greater{});
}

std::uint32_t ExtremesIndex::least(std::uint32_t first, std::uint32_t last, std::span<const double> values) const {
  return find(least_, first, last, values, Less{});
}

}  // namespace lacuna
