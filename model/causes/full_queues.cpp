#include "model/causes/full_queues.h"

#include <algorithm>
#include <iterator>

#include "model/causes/launch_delay.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

constexpr auto kFull = static_cast<std::size_t>(kFullQueue);

/// Takes `gone` from an ascending table and puts `come` into it. Returns the first index that may differ.
std::size_t replace_in(std::vector<Nanos>& table, std::vector<Nanos>& gone, std::vector<Nanos>& come) {
  std::ranges::sort(gone);
  std::ranges::sort(come);
  if (gone.empty() && come.empty()) return table.size();
  const Nanos from = std::min(gone.empty() ? kMaxNanos : gone.front(), come.empty() ? kMaxNanos : come.front());
  const auto first = std::ranges::lower_bound(table, from);
  const auto index = static_cast<std::size_t>(first - table.begin());
  std::vector<Nanos> left, tail;
  std::set_difference(first, table.end(), gone.begin(), gone.end(), std::back_inserter(left));
  std::ranges::merge(left, come, std::back_inserter(tail));
  table.resize(index);
  table.insert(table.end(), tail.begin(), tail.end());
  return index;
}

}  // namespace

Nanos FullQueues::Queue::change(std::vector<Nanos> launches, std::vector<Nanos> starts,
                                std::vector<Nanos> open_launches, std::vector<Nanos> open_starts) {
  launches.insert(launches.end(), open_launches.begin(), open_launches.end());
  starts.insert(starts.end(), open_starts.begin(), open_starts.end());
  const std::size_t launch = replace_in(launched, open_launched, launches);
  const std::size_t start = replace_in(started, open_started, starts);
  open_launched = std::move(open_launches);
  open_started = std::move(open_starts);
  // Full spans of launches before this one are what they were.
  const std::size_t from = std::min(launch, start + kFull - 1);
  Nanos since = kMaxNanos;
  while (!full.empty() && full.back().last >= from) {
    if (full.back().first >= from) {
      since = std::min(since, launched.size() > full.back().first ? launched[full.back().first] : kMinNanos);
      full.pop_back();
      continue;
    }
    since = std::min(since, from < launched.size() ? launched[from] : kMinNanos);
    full.back().last = from - 1;
  }
  for (std::size_t k = std::max(from, kFull - 1); k < launched.size(); ++k) {
    if (started[k + 1 - kFull] <= launched[k]) continue;
    since = std::min(since, launched[k]);
    if (!full.empty() && full.back().last + 1 == k && launched[k] <= started[k - kFull]) {
      full.back().last = k;
    } else {
      full.push_back({k, k});
    }
  }
  return since;
}

Nanos FullQueues::update(const Trace& trace, const LaneGrowth& growth) {
  struct News {
    std::vector<Nanos> launched, started, open_launched, open_started;
  };
  std::map<std::tuple<SourceId, StringId, StringId>, News> news;
  const auto key_of = [&](const Track& track) {
    return std::tuple(trace.process(track.process).source, track.device, track.stream);
  };
  const Links& links = trace.links();
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream)) {
    News& of_stream = news[key_of(track)];
    Links::Hint hint;
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      const LaneId id{track.first_lane.value + k};
      const Lane& lane = trace.lane(id);
      for (std::uint32_t i = growth.first_new(id); i < lane.size(); ++i) {
        if (!is_gpu_activity(trace.category_class(lane.category(i)))) continue;
        const SliceId work{id, i};
        const SliceId launch = links.launch_of(work, hint);
        if (!launch.valid()) continue;
        const Nanos launched = trace.span(launch).begin;
        const std::pair own(lane.start(i), work);
        const auto activities = links.activities_of(launch);
        const bool is_first = activities.size() == 1 || std::ranges::none_of(activities, [&](const LaunchLink& link) {
                                return std::pair(trace.span(link.activity).begin, link.activity) < own &&
                                       key_of(trace.track_of(link.activity)) == key_of(track);
                              });
        if (!is_first || own.first < launched) continue;
        const bool is_open = i >= growth.ended(id);
        (is_open ? of_stream.open_launched : of_stream.launched).push_back(launched);
        (is_open ? of_stream.open_started : of_stream.started).push_back(own.first);
      }
    }
  }
  Nanos since = kMaxNanos;
  for (auto& [key, of_stream] : news)
    since = std::min(since, queues_[key].change(std::move(of_stream.launched), std::move(of_stream.started),
                                                std::move(of_stream.open_launched), std::move(of_stream.open_started)));
  return since;
}

std::vector<TimeSpan> FullQueues::of_device(SourceId source, StringId device) const {
  std::vector<TimeSpan> spans;
  for (const auto& [key, queue] : queues_) {
    if (std::get<0>(key) != source || std::get<1>(key) != device) continue;
    for (const Full& full : queue.full)
      spans.push_back({queue.launched[full.first], queue.started[full.last + 1 - kFull]});
  }
  return spans;
}

}  // namespace lacuna
