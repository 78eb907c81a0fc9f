#include "app/web/wire/fill_matcher.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace lacuna {
namespace {

/// Of so many the shift is asked.
constexpr std::size_t kAsked = 600;
/// One that has more of its kind says little about where it came from.
constexpr std::ptrdiff_t kMostAlike = 4;

auto kind_of(const WireFill& fill) {
  return std::tuple(fill.y, fill.height, fill.colour);
}

bool is_like(const WireFill& before, const WireFill& now, std::int32_t shift, int tolerance) {
  return kind_of(before) == kind_of(now) && std::abs(std::int64_t{now.width} - before.width) <= tolerance &&
         std::abs(std::int64_t{now.x} - shift - before.x) <= tolerance;
}

}  // namespace

void FillMatcher::sort(const std::vector<WireFill>& before) {
  order_.resize(before.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(kind_of(before[a]), before[a].x, a) < std::tuple(kind_of(before[b]), before[b].x, b);
  });
}

std::int32_t FillMatcher::most_frequent_shift(const std::vector<WireFill>& before,
                                              const std::vector<WireFill>& now) const {
  std::unordered_map<std::int32_t, int> votes;
  std::int32_t best = 0;
  int most = 0;
  const std::size_t step = std::max<std::size_t>(1, now.size() / kAsked);
  for (std::size_t i = 0; i < now.size(); i += step) {
    const auto first =
        std::ranges::lower_bound(order_, kind_of(now[i]), {}, [&](auto b) { return kind_of(before[b]); });
    const auto last = std::ranges::upper_bound(order_, kind_of(now[i]), {}, [&](auto b) { return kind_of(before[b]); });
    if (last - first > kMostAlike) continue;
    for (auto at = first; at != last; ++at) {
      if (before[*at].width != now[i].width || before[*at].x == now[i].x) continue;
      const std::int32_t shift = now[i].x - before[*at].x;
      if (const int count = ++votes[shift]; count > most) {
        most = count;
        best = shift;
      }
    }
  }
  return best;
}

std::size_t FillMatcher::find(const std::vector<WireFill>& before, const WireFill& fill, std::int32_t shift,
                              int tolerance) const {
  const std::int64_t from = std::int64_t{fill.x} - shift - tolerance;
  auto at = std::ranges::lower_bound(order_, std::tuple(kind_of(fill), from), {}, [&](std::uint32_t b) {
    return std::tuple(kind_of(before[b]), std::int64_t{before[b].x});
  });
  for (; at != order_.end() && kind_of(before[*at]) == kind_of(fill) && before[*at].x <= from + 2 * tolerance; ++at)
    if (is_like(before[*at], fill, shift, tolerance)) return *at;
  return before.size();
}

void FillMatcher::match(const std::vector<WireFill>& before, const std::vector<WireFill>& now) {
  runs_.clear();
  shift_ = 0;
  if (!before.empty()) {
    sort(before);
    shift_ = most_frequent_shift(before, now);
  }
  struct Way {
    Source source;
    std::int32_t shift;
    int tolerance;
  };
  const Way ways[] = {{Source::kShifted, shift_, 1}, {Source::kSame, 0, 0}};
  for (const WireFill& fill : now) {
    // On from where the last one was, if that goes.
    if (!runs_.empty() && runs_.back().source != Source::kNew) {
      Run& run = runs_.back();
      const Way& way = ways[run.source == Source::kShifted ? 0 : 1];
      const std::size_t next = run.first + run.count;
      if (next < before.size() && is_like(before[next], fill, way.shift, way.tolerance)) {
        ++run.count;
        continue;
      }
    }
    Run found{Source::kNew, 1, 0};
    for (const Way& way : ways) {
      if (before.empty() || (way.source == Source::kShifted && shift_ == 0)) continue;
      const std::size_t at = find(before, fill, way.shift, way.tolerance);
      if (at == before.size()) continue;
      found = {way.source, 1, at};
      break;
    }
    if (found.source == Source::kNew && !runs_.empty() && runs_.back().source == Source::kNew)
      ++runs_.back().count;
    else
      runs_.push_back(found);
  }
}

}  // namespace lacuna
