#include "model/index/busy_index.h"

#include <algorithm>

#include "model/base/parallel.h"

namespace lacuna {

GapRow::GapRow(const SharedVector<Gap>& gaps) {
  starts_.reserve(gaps.size());
  durations_.reserve(gaps.size());
  for (const Gap& gap : gaps) {
    starts_.push_back(gap.start);
    durations_.push_back(saturating_sub(gap.end, gap.start));
    longest_.append(size() - 1, durations_.back(), durations_.data());
  }
}

std::uint32_t GapRow::first_starting_from(Nanos t, std::uint32_t hint) const {
  const auto found = std::lower_bound(starts_.begin() + hint, starts_.end(), t);
  return static_cast<std::uint32_t>(found - starts_.begin());
}

std::uint32_t GapRow::first_visible_from(Nanos t) const {
  const std::uint32_t next = first_starting_from(t);
  return next > 0 && end(next - 1) > t ? next - 1 : next;
}

StreamBusyIndex::StreamBusyIndex(const StreamActivity& activity)
    : window_{activity.first_start, activity.last_end}, gaps_(activity.gaps), folds_(gaps_) {
  if (activity.events == 0) window_ = TimeSpan::nothing();
  idle_before_.reserve(gaps_.size());
  Nanos idle = 0;
  for (std::uint32_t i = 0; i < gaps_.size(); ++i) {
    idle_before_.push_back(idle);
    idle = saturating_add(idle, gaps_.duration(i));
  }
}

std::vector<StreamBusyIndex> StreamBusyIndex::build(std::span<const StreamActivity> streams, unsigned threads) {
  std::vector<StreamBusyIndex> out(streams.size());
  parallel_for(streams.size(), threads, [&](std::size_t i) { out[i] = StreamBusyIndex(streams[i]); });
  return out;
}

Nanos StreamBusyIndex::idle_before(Nanos t) const {
  const std::uint32_t next = gaps_.first_starting_from(t);
  if (next == 0) return 0;
  const std::uint32_t last = next - 1;
  return saturating_add(idle_before_[last], std::min(gaps_.duration(last), saturating_sub(t, gaps_.start(last))));
}

Nanos StreamBusyIndex::idle_in(TimeSpan range) const {
  const TimeSpan inside = range.intersect(window_);
  return inside.empty() ? 0 : idle_before(inside.end) - idle_before(inside.begin);
}

Nanos StreamBusyIndex::busy_in(TimeSpan range) const {
  const TimeSpan inside = range.intersect(window_);
  return saturating_sub(inside.duration(), idle_in(range));
}

double StreamBusyIndex::busy_share(TimeSpan range) const {
  const Nanos length = range.intersect(window_).duration();
  return length == 0 ? -1.0 : static_cast<double>(busy_in(range)) / static_cast<double>(length);
}

}  // namespace lacuna
