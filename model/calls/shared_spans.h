#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/calls/call_walk.h"

namespace lacuna {

/// As walk.for_each() of each of `spans`, ascending by begin, of which many may overlap, as where one thread launches
/// for many GPUs: visit(TimeSpan, SliceId, std::uint64_t times). A part that lies whole in several of them is visited
/// once with their number, so that all costs O(parts + spans log parts). The order is any.
template <class Visit>
void for_each_shared(InnermostWalk& walk, std::span<const TimeSpan> spans, Visit&& visit) {
  std::vector<std::pair<TimeSpan, SliceId>> parts;
  std::vector<std::int64_t> change;  // of the number of spans in which a part lies whole, against the part before
  while (!spans.empty()) {
    TimeSpan all = spans.front();
    std::size_t count = 1;
    while (count < spans.size() && spans[count].begin < all.end) all = all.unite(spans[count++]);
    const auto together = spans.first(count);
    spans = spans.subspan(count);
    if (count == 1) {
      walk.for_each(all, [&](TimeSpan part, SliceId slice) { visit(part, slice, std::uint64_t{1}); });
      continue;
    }
    parts.clear();
    walk.for_each(all, [&](TimeSpan part, SliceId slice) { parts.emplace_back(part, slice); });
    change.assign(parts.size() + 1, 0);
    const auto part_at = [&](Nanos t) {
      const auto after = std::ranges::upper_bound(parts, t, {}, [](const auto& part) { return part.first.begin; });
      return static_cast<std::size_t>(after - parts.begin()) - 1;
    };
    for (const TimeSpan span : together) {
      if (span.empty()) continue;
      const std::size_t first = part_at(span.begin);
      const std::size_t last = part_at(span.end - 1);
      visit(parts[first].first.intersect(span), parts[first].second, std::uint64_t{1});
      if (first == last) continue;
      visit(parts[last].first.intersect(span), parts[last].second, std::uint64_t{1});
      ++change[first + 1];
      --change[last];
    }
    std::int64_t times = 0;
    for (std::size_t p = 0; p < parts.size(); ++p)
      if ((times += change[p]) > 0) visit(parts[p].first, parts[p].second, static_cast<std::uint64_t>(times));
  }
}

}  // namespace lacuna
