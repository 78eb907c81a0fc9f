#include "model/statistics/growing_percentiles.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lacuna {
namespace {

// So many are merged with each trace; more of them are merged with all others, which is rare then.
constexpr std::size_t kManyFresh = 1024;
constexpr std::size_t kFreshPart = 8;

std::uint64_t key_of(StringId name, CategoryId category) {
  return std::uint64_t{name.value} << 32 | category.value;
}

void merge_durations(std::vector<Nanos>& to, const std::vector<Nanos>& from) {
  if (from.empty()) return;
  const auto middle = static_cast<std::ptrdiff_t>(to.size());
  to.insert(to.end(), from.begin(), from.end());
  std::inplace_merge(to.begin(), to.begin() + middle, to.end());
}

std::uint64_t count_until(const std::vector<Nanos>& sorted, Nanos value) {
  return static_cast<std::uint64_t>(std::ranges::upper_bound(sorted, value) - sorted.begin());
}

}  // namespace

void GrowingPercentiles::Durations::take_news() {
  std::ranges::sort(news);
  merge_durations(fresh, news);
  news.clear();
  std::ranges::sort(open);
  if (fresh.size() < kManyFresh + sealed.size() / kFreshPart) return;
  merge_durations(sealed, fresh);
  fresh.clear();
}

Nanos GrowingPercentiles::Durations::at(std::uint64_t rank, Nanos least, Nanos most) const {
  while (least < most) {
    // Durations are never negative.
    const Nanos middle = least + (most - least) / 2;
    const std::uint64_t below = count_until(sealed, middle) + count_until(fresh, middle) + count_until(open, middle);
    if (below >= rank) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return least;
}

/// Whether places of slices were given up: then what was counted is no longer there.
bool GrowingPercentiles::has_lost(const Trace& trace) const {
  std::size_t found = 0;
  for (const Lane& lane : trace.lanes()) {
    const auto known = lanes_.find({lane.track, lane.nest, lane.depth});
    if (known == lanes_.end()) continue;
    ++found;
    if (known->second.generation != lane.generation || known->second.counted > lane.sealed) return true;
  }
  return found != lanes_.size();
}

void GrowingPercentiles::count(const Trace& trace) {
  std::array<std::pair<std::uint64_t, std::uint32_t>, 256> guesses;  // places of some names, not to look each one up
  guesses.fill({~std::uint64_t{0}, 0});
  const auto place_of = [&](StringId name, CategoryId category) -> Durations& {
    const std::uint64_t key = key_of(name, category);
    auto& [guessed, place] = guesses[(name.value ^ std::uint32_t{category.value} << 5) % guesses.size()];
    if (guessed != key) {
      const auto [it, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(durations_.size()));
      if (is_new) durations_.emplace_back();
      guessed = key;
      place = it->second;
    }
    return durations_[place];
  };
  for (const Lane& lane : trace.lanes()) {
    std::uint32_t i = 0;
    if (lane.sealed > 0) {
      OfLane& known = lanes_[{lane.track, lane.nest, lane.depth}];
      known.generation = lane.generation;
      for (i = known.counted; i < lane.sealed; ++i)
        place_of(lane.name(i), lane.category(i)).news.push_back(lane.duration(i));
      known.counted = lane.sealed;
    }
    for (; i < lane.size(); ++i) place_of(lane.name(i), lane.category(i)).open.push_back(lane.duration(i));
  }
}

void GrowingPercentiles::update(const Trace& trace, std::span<StatisticsRow> rows) {
  if (has_lost(trace)) *this = {};
  for (Durations& durations : durations_) durations.open.clear();
  count(trace);
  for (Durations& durations : durations_) durations.take_news();
  for (StatisticsRow& row : rows) {
    const auto found = index_.find(key_of(row.name, row.category));
    if (found == index_.end() || row.count == 0) continue;
    const Durations& durations = durations_[found->second];
    const auto rank = [&](std::uint64_t percent) { return (row.count * percent + 99) / 100; };  // nearest
    row.p50 = durations.at(rank(50), row.min, row.max);
    row.p99 = durations.at(rank(99), row.p50, row.max);
  }
}

}  // namespace lacuna
