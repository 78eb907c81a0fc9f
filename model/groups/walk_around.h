#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// A call, and the time of the GPU work that belongs to it.
struct TimedLaunch {
  SliceId launch;
  Nanos time = 0;
};

/// Walks over the launches and all slices around them, however deeply nested, each once: enter(SliceId) comes before
/// what lies inside it, leave(SliceId, Nanos) after that, with the time of the launches at and inside it added up.
/// O(launches * log launches + slices around them + lanes).
template <class Enter, class Leave>
void walk_around(const Trace& trace, std::vector<TimedLaunch> launches, Enter&& enter, Leave&& leave) {
  std::vector<std::uint32_t> outermost(trace.lanes().size(), 0);  // row of the nest, by row
  for (std::uint32_t l = 0; l < outermost.size(); ++l)
    outermost[l] = trace.lanes()[l].depth == 0 ? l : outermost[l - 1];
  const auto place = [&](const TimedLaunch& of) {
    return std::tuple(outermost[of.launch.lane.value], trace.span(of.launch).begin, of.launch);
  };
  std::ranges::sort(launches, {}, place);

  std::vector<TimedLaunch> open;  // from the outermost one in, each in the row below that of the one before
  const auto close_until = [&](std::size_t left) {
    while (open.size() > left) {
      const TimedLaunch inner = open.back();
      open.pop_back();
      leave(inner.launch, inner.time);
      if (!open.empty()) open.back().time = saturating_add(open.back().time, inner.time);
    }
  };
  std::vector<SliceId> path;
  for (const TimedLaunch& next : launches) {
    path.clear();
    std::size_t left = 0;  // of the open ones, those around it
    for (SliceId slice = next.launch; slice.valid(); slice = trace.parent(slice)) {
      const std::size_t depth = open.empty() ? 0 : slice.lane.value - open.front().launch.lane.value;
      if (depth < open.size() && open[depth].launch == slice) {
        left = depth + 1;
        break;
      }
      path.push_back(slice);
    }
    close_until(left);
    for (; !path.empty(); path.pop_back()) {
      enter(path.back());
      open.push_back({path.back(), 0});
    }
    open.back().time = saturating_add(open.back().time, next.time);
  }
  close_until(0);
}

}  // namespace lacuna
