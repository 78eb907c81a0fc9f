#include "model/calls/call_walk.h"

#include <algorithm>

namespace lacuna {

GraphOrigins origins_for_calls(const Trace& trace, const CallTreeOptions& options) {
  if (options.metric != CallMetric::kGpuTime && options.metric != CallMetric::kPath) return {};
  auto found = GraphOrigins::find(trace, options.threads, options.cancel);
  return found ? std::move(*found) : GraphOrigins{};
}

CallWalk::CallWalk(const Trace& trace, const CallTreeOptions& options, std::span<const SliceId> cpu_places,
                   CallPaths& paths, CallMemo& memo)
    : trace_(trace),
      paths_(paths),
      memo_(memo),
      chosen_(cpu_places),
      is_limited_(!cpu_places.empty()),
      collapses_(is_limited_ && options.bottom_up),
      walk_(++memo.walks_) {}

bool CallWalk::is_chosen(SliceId slice) const {
  return std::ranges::binary_search(chosen_, slice);
}

CallPlace CallWalk::step(const CallPlace& around, const Lane& lane, std::uint32_t index, bool is_chosen) {
  const bool is_inside = around.is_inside || is_chosen;
  if (collapses_ && around.is_inside) return {around.node, true, false};
  CallKey key;
  switch (memo_.frames_.of(lane, index, key)) {
    case CallFrames::What::kRecording:
      return {CallPlace::kNobody, is_inside, false};
    case CallFrames::What::kHidden: {
      if (is_chosen && is_limited_) break;  // who asks for a frame gets to see it
      const std::uint32_t node = anchor(around.node);
      if (node != CallPaths::kRoot) return {node, is_inside, false};
      if (python_ == CallPlace::kNobody) python_ = paths_.child(CallPaths::kRoot, CallKey::of(CallKind::kHiddenPython));
      return {python_, is_inside, true};
    }
    case CallFrames::What::kShown:
      break;
  }
  // Outside of the places, callers matter only where the tree shows callers.
  if (is_limited_ && !collapses_ && !around.is_inside)
    return {is_chosen ? paths_.child(CallPaths::kRoot, key) : CallPaths::kRoot, is_inside, is_chosen};
  return {paths_.child(anchor(around.node), key), is_inside, true};
}

CallPlace CallWalk::place_of(SliceId slice) {
  pending_.clear();
  CallPlace place = outermost();
  for (SliceId s = slice; s.valid(); s = trace_.parent(s)) {
    const CallMemo::Known& known = memo_.known_[s.lane.value];
    if (known.walk == walk_ && known.index == s.index) {
      place = known.place;
      break;
    }
    pending_.push_back(s);
  }
  for (std::size_t i = pending_.size(); i-- > 0;) {
    const SliceId s = pending_[i];
    place = step(place, trace_.lane(s), s.index, is_limited_ && is_chosen(s));
    memo_.known_[s.lane.value] = {s.index, walk_, place};
  }
  return place;
}

std::uint32_t CallWalk::below(const CallPlace& place, CallKey key) {
  if (collapses_ && place.is_inside) return place.node == CallPlace::kNobody ? CallPaths::kRoot : place.node;
  return paths_.child(anchor(place.node), key);
}

void InnermostWalk::walk_whole() {
  whole_ = thread_.span.unite(trace_.span());
  is_whole_ = true;
  const auto keep = [this](TimeSpan span, SliceId slice) { parts_.push_back({span, slice}); };
  walk_nest(0, whole_, keep);
}

std::uint32_t InnermostWalk::first_after(std::uint32_t row, Nanos t) {
  const Lane& own = lane(row);
  std::uint32_t& hint = hints_[row];
  // Slices of a row do not overlap: the one before the first that starts after `t` is all that may reach it.
  if (hint > own.size() || (hint > 0 && own.end(hint - 1) > t)) hint = 0;
  std::uint32_t i = own.first_starting_from(t, hint);
  if (i > 0 && own.end(i - 1) > t) --i;
  hint = i;
  return i;
}

void for_each_shared(InnermostWalk& walk, std::span<const TimeSpan> spans,
                     const std::function<void(TimeSpan, SliceId, std::uint64_t)>& visit) {
  std::vector<std::pair<TimeSpan, SliceId>> parts;
  std::vector<std::int64_t> change;  // of the number of spans in which a part lies whole, against the part before
  while (!spans.empty()) {
    TimeSpan all = spans.front();
    std::size_t count = 1;
    while (count < spans.size() && spans[count].begin < all.end) all = all.unite(spans[count++]);
    const auto together = spans.first(count);
    spans = spans.subspan(count);
    if (count == 1) {
      walk.for_each(all, [&](TimeSpan part, SliceId slice) { visit(part, slice, 1); });
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
      visit(parts[first].first.intersect(span), parts[first].second, 1);
      if (first == last) continue;
      visit(parts[last].first.intersect(span), parts[last].second, 1);
      ++change[first + 1];
      --change[last];
    }
    std::int64_t times = 0;
    for (std::size_t p = 0; p < parts.size(); ++p)
      if ((times += change[p]) > 0) visit(parts[p].first, parts[p].second, static_cast<std::uint64_t>(times));
  }
}

}  // namespace lacuna
