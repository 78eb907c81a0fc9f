#include "model/busy_index.h"

#include <algorithm>

namespace lacuna {

StreamBusyIndex::StreamBusyIndex(const StreamActivity& activity)
    : window_{activity.first_start, activity.last_end} {
  if (activity.events == 0) window_ = TimeSpan::nothing();
  const std::size_t count = activity.gaps.size();
  starts_.reserve(count);
  durations_.reserve(count);
  idle_before_.reserve(count);
  Nanos idle = 0;
  for (const Gap& gap : activity.gaps) {
    starts_.push_back(gap.start);
    durations_.push_back(saturating_sub(gap.end, gap.start));
    idle_before_.push_back(idle);
    idle = saturating_add(idle, durations_.back());
    longest_.append(gap_count() - 1, durations_.back(), durations_.data());
  }
}

std::vector<StreamBusyIndex> StreamBusyIndex::build(std::span<const StreamActivity> streams) {
  return {streams.begin(), streams.end()};
}

Nanos StreamBusyIndex::idle_before(Nanos t) const {
  const std::uint32_t next = first_gap_starting_from(t);
  if (next == 0) return 0;
  const std::uint32_t last = next - 1;
  return saturating_add(idle_before_[last], std::min(durations_[last], saturating_sub(t, starts_[last])));
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

std::uint32_t StreamBusyIndex::first_gap_ending_after(Nanos t) const {
  // Gaps do not overlap: at most the one before the first that starts later can reach beyond t.
  const std::uint32_t next = first_gap_starting_from(t);
  if (next > 0 && saturating_add(starts_[next - 1], durations_[next - 1]) > t) return next - 1;
  return next;
}

std::uint32_t StreamBusyIndex::first_gap_starting_from(Nanos t) const {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(starts_, t) - starts_.begin());
}

}  // namespace lacuna
