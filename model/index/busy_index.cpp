#include "model/index/busy_index.h"

#include <algorithm>

#include "model/base/parallel.h"

namespace lacuna {

void GapRow::grow(const SharedVector<Gap>& gaps, std::size_t kept) {
  constexpr std::size_t kFanout = LongestIndex::kFanout;
  gaps_ = gaps;
  std::size_t blocks = kept;
  for (SharedVector<std::uint32_t>& level : longest_) level.shorten(blocks /= kFanout);
  const Durations durations{gaps_};
  for (std::size_t i = kept; i < gaps_.size(); ++i) {
    std::size_t count = i + 1;
    for (std::size_t level = 0; count % kFanout == 0; ++level, count /= kFanout) {
      const auto entry = [&](std::size_t k) {
        return level == 0 ? static_cast<std::uint32_t>(k) : longest_[level - 1][k];
      };
      std::uint32_t best = entry(count - kFanout);
      for (std::size_t k = count - kFanout + 1; k < count; ++k)
        if (durations[entry(k)] > durations[best]) best = entry(k);
      if (level == longest_.size()) longest_.emplace_back();
      longest_[level].push_back(best);
    }
  }
}

std::uint32_t GapRow::first_starting_from(Nanos t, std::uint32_t hint) const {
  const auto found = std::lower_bound(gaps_.begin() + hint, gaps_.end(), t,
                                      [](const Gap& gap, Nanos time) { return gap.start < time; });
  return static_cast<std::uint32_t>(found - gaps_.begin());
}

std::uint32_t GapRow::first_visible_from(Nanos t) const {
  const std::uint32_t next = first_starting_from(t);
  return next > 0 && end(next - 1) > t ? next - 1 : next;
}

StreamBusyIndex::StreamBusyIndex(const StreamActivity& activity) {
  take(activity, 0);
  if (activity.track.valid()) folds_ = FoldIndex(gaps_);
}

void StreamBusyIndex::grow(const StreamActivity& activity, std::size_t kept) {
  take(activity, kept);
  if (!activity.track.valid()) return;
  FoldIndex::extend(gaps_, static_cast<std::uint32_t>(kept), parts_);
  folds_ = FoldIndex(gaps_, parts_);
}

void StreamBusyIndex::take(const StreamActivity& activity, std::size_t kept) {
  window_ = activity.events == 0 ? TimeSpan::nothing() : TimeSpan{activity.first_start, activity.last_end};
  gaps_.grow(activity.gaps, kept);
  idle_before_.shorten(kept);
  Nanos idle =
      kept == 0 ? 0 : saturating_add(idle_before_.back(), gaps_.duration(static_cast<std::uint32_t>(kept - 1)));
  for (auto i = static_cast<std::uint32_t>(kept); i < gaps_.size(); ++i) {
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
