#include "model/path/path_marks.h"

#include <algorithm>
#include <utility>

namespace lacuna {

std::vector<PathMarks::Mark> PathMarks::of(const CriticalPath& path) {
  std::vector<Mark> marks;
  marks.reserve(path.parts.size());
  for (const PathPart& part : path.parts) marks.push_back({part.span, part.slice, part.kind != PathKind::kSlice});
  return marks;
}

PathMarks::PathMarks(const Trace& trace, std::vector<Mark> marks) : in_order_(std::move(marks)) {
  first_of_lane_.assign(trace.lanes().size() + 1, 0);
  for (const Mark& mark : in_order_)
    if (mark.slice.valid()) ++first_of_lane_[mark.slice.lane.value + 1];
  for (std::size_t l = 1; l < first_of_lane_.size(); ++l) first_of_lane_[l] += first_of_lane_[l - 1];
  by_lane_.resize(first_of_lane_.back());
  std::vector<std::uint32_t> next(first_of_lane_.begin(), first_of_lane_.end() - 1);
  for (const Mark& mark : in_order_)
    if (mark.slice.valid()) by_lane_[next[mark.slice.lane.value]++] = mark;
}

std::span<const PathMarks::Mark> PathMarks::on_lane(LaneId lane) const {
  if (lane.value + std::size_t{1} >= first_of_lane_.size()) return {};
  return std::span(by_lane_).subspan(first_of_lane_[lane.value],
                                     first_of_lane_[lane.value + 1] - first_of_lane_[lane.value]);
}

bool PathMarks::runs_through(LaneId lane, TimeSpan span) const {
  const std::span<const Mark> marks = on_lane(lane);
  auto at = std::ranges::upper_bound(marks, span.begin, {}, [](const Mark& m) { return m.span.end; });
  // A wait in this lane's row is not in the slice before it.
  while (at != marks.end() && at->is_wait && at->span.begin < span.end) ++at;
  return at != marks.end() && at->span.begin < span.end;
}

}  // namespace lacuna
