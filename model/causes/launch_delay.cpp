#include "model/causes/launch_delay.h"

#include <algorithm>
#include <unordered_map>

#include "model/base/natural_order.h"
#include "model/base/quantiles.h"
#include "model/base/stable_sort.h"
#include "model/causes/interval_set.h"
#include "model/causes/known_names.h"
#include "model/trace/tracks_of.h"

namespace lacuna {

std::vector<LaunchGroup> launch_groups(const Trace& trace) {
  std::vector<LaunchGroup> groups;
  const auto& links = trace.links().launches();
  for (std::size_t begin = 0; begin < links.size();) {
    LaunchGroup group;
    group.launch = links[begin].launch;
    std::size_t end = begin;
    Nanos first_start = kMaxNanos;
    for (; end < links.size() && links[end].launch == group.launch; ++end) {
      const TimeSpan span = trace.span(links[end].activity);
      if (!group.first_activity.valid() || span.begin < first_start) {
        group.first_activity = links[end].activity;
        first_start = span.begin;
      }
    }
    const TimeSpan call = trace.span(group.launch);
    group.activities = static_cast<std::uint32_t>(end - begin);
    group.delay = std::max<Nanos>(0, saturating_sub(first_start, call.end));
    group.since_start = std::max<Nanos>(0, saturating_sub(first_start, call.begin));
    group.cpu_time = call.duration();
    group.gpu_time = trace.span(group.first_activity).duration();
    group.of_graph = is_graph_launch(trace.name(group.launch));
    if (group.activities > 1) {
      std::vector<TimeSpan> spans;
      for (std::size_t i = begin; i < end; ++i) spans.push_back(trace.span(links[i].activity));
      group.gpu_time = IntervalSet(std::move(spans)).covered(TimeSpan::everything());
    }
    groups.push_back(group);
    begin = end;
  }
  const auto source = [&](const LaunchGroup& g) { return trace.process(trace.track_of(g.launch).process).source; };
  merge_runs(groups, [&](const LaunchGroup& a, const LaunchGroup& b) {
    if (source(a) != source(b)) return source(a) < source(b);
    return trace.span(a.launch).begin < trace.span(b.launch).begin;
  });
  return groups;
}

std::vector<LaunchDelayRow> summarise_launches(const Trace& trace, const std::vector<LaunchGroup>& groups) {
  std::vector<LaunchDelayRow> rows;
  std::vector<std::vector<Nanos>> delays;
  std::unordered_map<std::uint64_t, std::uint32_t> index;
  for (const LaunchGroup& group : groups) {
    const SliceId named = group.is_graph() ? group.launch : group.first_activity;
    const StringId name = trace.lane(named).name(named.index);
    const std::uint64_t key = std::uint64_t{name.value} << 1 | (group.is_graph() ? 1u : 0u);
    const auto [found, is_new] = index.try_emplace(key, static_cast<std::uint32_t>(rows.size()));
    if (is_new) {
      rows.emplace_back();
      rows.back().name = name;
      rows.back().is_graph = group.is_graph();
      delays.emplace_back();
    }
    LaunchDelayRow& row = rows[found->second];
    if (row.launches++ == 0 || group.delay > row.delay_max) {
      row.delay_max = group.delay;
      row.slowest = group;
    }
    row.activities += group.activities;
    row.short_ones += group.is_short();
    row.gpu_time = saturating_add(row.gpu_time, group.gpu_time);
    row.cpu_time = saturating_add(row.cpu_time, group.cpu_time);
    row.delay = saturating_add(row.delay, group.delay);
    delays[found->second].push_back(group.delay);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r].delay_p50 = nearest_rank(std::span(delays[r]), 50);
    rows[r].delay_p99 = nearest_rank(std::span(delays[r]), 99);
  }
  sort_stably(rows, [](const LaunchDelayRow& a, const LaunchDelayRow& b) {
    return a.short_ones != b.short_ones ? a.short_ones > b.short_ones : a.launches > b.launches;
  });
  return rows;
}

std::vector<QueueDepth> queue_depths(const Trace& trace) {
  struct Change {
    Nanos time;
    int by;
  };
  std::vector<QueueDepth> queues;
  std::vector<std::vector<Change>> changes;
  // A stream may be spread over several tracks.
  std::vector<std::uint32_t> queue_of(trace.tracks().size());
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream)) {
    const SourceId source = trace.process(track.process).source;
    auto found = std::ranges::find_if(queues, [&](const QueueDepth& q) {
      return q.source == source && q.device == track.device && q.stream == track.stream;
    });
    if (found == queues.end()) {
      found = queues.emplace(found);
      found->source = source;
      found->device = track.device;
      found->stream = track.stream;
      found->track = track.id;
      changes.emplace_back();
    }
    queue_of[track.id.value] = static_cast<std::uint32_t>(found - queues.begin());
  }

  const auto& links = trace.links().launches();
  std::vector<std::pair<std::uint32_t, Nanos>> first_starts;  // of one launch: (queue, start)
  for (std::size_t begin = 0; begin < links.size();) {
    const SliceId launch = links[begin].launch;
    first_starts.clear();
    std::size_t end = begin;
    for (; end < links.size() && links[end].launch == launch; ++end) {
      const std::uint32_t queue = queue_of[trace.lane(links[end].activity).track.value];
      const Nanos start = trace.span(links[end].activity).begin;
      const auto known = std::ranges::find(first_starts, queue, &std::pair<std::uint32_t, Nanos>::first);
      if (known == first_starts.end()) {
        first_starts.emplace_back(queue, start);
      } else {
        known->second = std::min(known->second, start);
      }
    }
    const Nanos launched = trace.span(launch).begin;
    for (const auto& [queue, start] : first_starts) {
      if (start < launched) continue;
      ++queues[queue].launches;
      changes[queue].push_back({launched, +1});
      changes[queue].push_back({start, -1});
    }
    begin = end;
  }

  for (std::size_t q = 0; q < queues.size(); ++q) {
    std::ranges::sort(changes[q], {}, &Change::time);
    CounterSeries& series = queues[q].depth;
    double depth = 0;
    for (std::size_t i = 0; i < changes[q].size();) {
      const Nanos time = changes[q][i].time;
      const double before = depth;
      for (; i < changes[q].size() && changes[q][i].time == time; ++i) depth += changes[q][i].by;
      if (depth == before && !series.times.empty()) continue;
      series.times.push_back(time);
      series.values.push_back(depth);
      series.max = std::max(series.max, depth);
    }
    series.extremes.extend(series.values);
  }
  std::erase_if(queues, [](const QueueDepth& q) { return q.launches == 0; });
  std::ranges::stable_sort(queues, [&](const QueueDepth& a, const QueueDepth& b) {
    if (a.source != b.source) return a.source < b.source;
    if (a.device != b.device) return natural_less(trace.text(a.device), trace.text(b.device));
    return natural_less(trace.text(a.stream), trace.text(b.stream));
  });
  return queues;
}

}  // namespace lacuna
