#include "model/trace/lane_growth.h"

#include <algorithm>

namespace lacuna {
namespace {

/// How many slices of the lane ended at `time` or before, of which `hint` are known to.
std::uint32_t ended_until(const Lane& lane, Nanos time, std::uint32_t hint) {
  const auto ends_until = [&](std::uint32_t i) { return lane.end(i) <= time; };
  std::uint32_t step = 1;
  std::uint32_t low = hint;
  while (low < lane.size() && ends_until(low)) {
    hint = low + 1;
    low = lane.size() - low > step ? low + step : lane.size();
    step *= 2;
  }
  std::uint32_t high = std::min(low, lane.size());
  while (hint < high) {
    const std::uint32_t middle = hint + (high - hint) / 2;
    if (ends_until(middle)) {
      hint = middle + 1;
    } else {
      high = middle;
    }
  }
  return hint;
}

}  // namespace

LaneGrowth::News LaneGrowth::update(const Trace& trace, Nanos horizon) {
  News news;
  const auto lanes = trace.lanes();
  std::vector<LaneId> moved(moved_.size());
  std::size_t found = 0;
  for (std::uint32_t l = 0; l < lanes.size() && !news.starts_over; ++l) {
    const Lane& lane = lanes[l];
    if (!looks_at(trace.track(lane.track))) continue;
    const auto it = known_.find({lane.track, lane.nest, lane.depth});
    const Known known = it == known_.end() ? Known{} : it->second;
    if (it != known_.end()) {
      ++found;
      moved[known.lane.value] = LaneId{l};
      news.has_moved = news.has_moved || known.lane.value != l;
    }
    const bool has_all = known.ended <= lane.size() && (known.ended == 0 || lane.end(known.ended - 1) <= horizon_);
    if (!has_all || (known.ended < lane.size() && lane.end(known.ended) <= horizon_)) {
      news.starts_over = true;
      break;
    }
    const Nanos next = known.ended < lane.size() ? lane.start(known.ended) : kMaxNanos;
    if (next < horizon_ && next != known.open_since) news.since = std::min(news.since, next);
    if (known.open_since != kMaxNanos && next != known.open_since) news.since = std::min(news.since, known.open_since);
  }
  if (news.starts_over || found != known_.size()) {
    news = {.starts_over = true};
    known_.clear();
  }
  horizon_ = std::max(horizon_, horizon);
  lanes_.assign(lanes.size(), {});
  for (std::uint32_t l = 0; l < lanes.size(); ++l) {
    const Lane& lane = lanes[l];
    if (!looks_at(trace.track(lane.track))) continue;
    Known& known = known_[{lane.track, lane.nest, lane.depth}];
    lanes_[l].first_new = known.ended;
    known.ended = lanes_[l].ended = ended_until(lane, horizon_, known.ended);
    const bool is_open = known.ended < lane.size() && lane.start(known.ended) < horizon_;
    known.open_since = is_open ? lane.start(known.ended) : kMaxNanos;
    known.lane = LaneId{l};
  }
  moved_ = std::move(moved);
  moved_.resize(lanes.size());
  if (!news.has_moved)
    for (std::uint32_t l = 0; l < lanes.size(); ++l) moved_[l] = LaneId{l};
  return news;
}

}  // namespace lacuna
