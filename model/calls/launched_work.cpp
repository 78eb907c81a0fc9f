#include "model/calls/launched_work.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "model/base/cancel.h"
#include "model/causes/known_names.h"
#include "model/trace/nearest_above.h"

namespace lacuna {
namespace {

constexpr int kMostCoveringLevels = 8;

/// First index of `lane` whose parent is not before `parent`. Rows below the outermost have a parent
/// each, in ascending order.
std::uint32_t first_child_from(const Lane& lane, std::uint32_t parent) {
  std::uint32_t low = 0;
  std::uint32_t high = lane.size();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (lane.parent(middle) < parent) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Calls visit(links) for the launches that are `slice` or lie below it, a row at a time; `links` is a
/// part of Links::launches().
template <class Visit>
void for_each_launch_below(const Trace& trace, SliceId slice, Visit&& visit) {
  const LinkTable<LaunchLink>& links = trace.links().launches();
  const Track& track = trace.track_of(slice);
  if (track.kind == TrackKind::kGpuStream) return;
  const std::uint32_t nest = trace.lane(slice).nest;
  const std::uint32_t end_of_track = track.first_lane.value + track.lane_count;
  std::uint32_t first = slice.index;
  std::uint32_t last = slice.index + 1;
  for (std::uint32_t row = slice.lane.value; first < last;) {
    const Lane& lane = trace.lane(LaneId{row});
    if (lane.has_ids()) {
      const auto begin = links.lower_bound(SliceId{LaneId{row}, first}, &LaunchLink::launch);
      const auto end = links.lower_bound(SliceId{LaneId{row}, last}, &LaunchLink::launch);
      if (begin != end) visit(LinkTable<LaunchLink>::Range(begin, end));
    }
    if (++row >= end_of_track || trace.lane(LaneId{row}).nest != nest) return;
    const Lane& below = trace.lane(LaneId{row});
    first = first_child_from(below, first);
    last = first_child_from(below, last);
  }
}

bool starts_before(const Trace& trace, SliceId a, SliceId b) {
  if (!b.valid()) return true;
  const Nanos start_a = trace.span(a).begin;
  const Nanos start_b = trace.span(b).begin;
  return start_a != start_b ? start_a < start_b : a < b;
}

/// Rows by (name, category).
class WorkRows {
 public:
  explicit WorkRows(const Trace& trace) : trace_(trace) {}

  /// An activity that took `time`; `slice` has the name that it counts for.
  void add(SliceId slice, Nanos time) {
    const StringId name = trace_.lane(slice).name(slice.index);
    const CategoryId category = trace_.lane(slice).category(slice.index);
    const std::uint64_t key = std::uint64_t{name.value} << 32 | category.value;
    const auto [found, is_new] = index_.try_emplace(key, rows_.size());
    if (is_new) rows_.push_back({.name = name, .category = category});
    WorkRow& row = rows_[found->second];
    ++row.count;
    row.time = saturating_add(row.time, time);
    if (starts_before(trace_, slice, row.first)) row.first = slice;
  }

  std::vector<WorkRow> take() {
    std::ranges::sort(rows_, [this](const WorkRow& a, const WorkRow& b) {
      if (a.time != b.time) return a.time > b.time;
      if (a.count != b.count) return a.count > b.count;
      return trace_.text(a.name) < trace_.text(b.name);
    });
    return std::move(rows_);
  }

 private:
  const Trace& trace_;
  std::vector<WorkRow> rows_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
};

/// A slice that lasts no time is in a range like any other that touches it.
bool touches_range(TimeSpan span, TimeSpan range) {
  return span.begin < range.end && (span.end > range.begin || span.begin >= range.begin);
}

}  // namespace

LaunchedWork work_launched_by(const Trace& trace, std::span<const SliceId> places, TimeSpan range,
                              const std::atomic<bool>* cancel) {
  LaunchedWork work;
  const LinkTable<LaunchLink>& all = trace.links().launches();
  // Places may lie inside each other. One alone cannot.
  std::vector<bool> is_counted(places.size() > 1 ? all.size() : 0);
  WorkRows rows(trace);
  // One that calls itself is covered by the call around it; is_counted takes care of the rest.
  std::vector<SliceId> sorted(places.begin(), places.end());
  std::ranges::sort(sorted);
  const auto is_covered = [&](SliceId place) {
    for (int k = 0; k < kMostCoveringLevels; ++k) {
      place = trace.parent(place);
      if (!place.valid()) return false;
      if (std::ranges::binary_search(sorted, place)) return true;
    }
    return false;
  };
  for (const SliceId place : sorted) {
    if (is_cancelled(cancel)) break;
    if (sorted.size() > 1 && is_covered(place)) continue;
    for_each_launch_below(trace, place, [&](LinkTable<LaunchLink>::Range links) {
      auto at = static_cast<std::size_t>(links.begin() - all.begin());
      for (auto next = links.begin(); next != links.end(); ++next, ++at) {
        const LaunchLink& link = *next;
        if (!is_counted.empty()) {
          if (is_counted[at]) continue;
          is_counted[at] = true;
        }
        const TimeSpan span = trace.span(link.activity);
        if (!touches_range(span, range)) continue;
        const Nanos time = span.intersect(range).duration();
        rows.add(link.activity, time);
        ++work.count;
        work.time = saturating_add(work.time, time);
        if (starts_before(trace, link.activity, work.first)) work.first = link.activity;
      }
    });
  }
  work.kernels = rows.take();
  return work;
}

LaunchedTotals::LaunchedTotals(const Trace& trace, const GraphOrigins* graphs, TimeSpan replays)
    : begins_(trace.lanes().size(), kNothing) {
  for (const Track& track : trace.tracks()) {
    const std::span<const Lane> lanes = trace.lanes_of(track);
    if (track.kind == TrackKind::kGpuStream || std::ranges::none_of(lanes, &Lane::has_ids)) continue;
    for (std::uint32_t k = 0; k < track.lane_count; ++k) {
      begins_[track.first_lane.value + k] = totals_.size();
      totals_.resize(totals_.size() + lanes[k].size());
    }
  }
  const auto add = [](Total& to, const Total& what) {
    to.count += what.count;
    to.time = saturating_add(to.time, what.time);
    to.replays = std::max(to.replays, what.replays);
  };
  for (const LaunchLink& link : trace.links().launches())
    if (const std::size_t begin = begins_[link.launch.lane.value]; begin != kNothing)
      add(totals_[begin + link.launch.index], {1, trace.span(link.activity).duration(), 0});
  for (const GraphOrigins::Entry& node : graphs == nullptr ? std::vector<GraphOrigins::Entry>{} : graphs->entries()) {
    if (!node.captured_by.valid() || begins_[node.captured_by.lane.value] == kNothing) continue;
    if (!replays.contains(trace.span(trace.links().launch_of(node.activity)).begin)) continue;
    Total& call = totals_[begins_[node.captured_by.lane.value] + node.captured_by.index];
    add(call, {1, trace.span(node.activity).duration(), call.replays + 1});
  }
  // Those inside of others lie in later rows.
  for (std::uint32_t l = static_cast<std::uint32_t>(begins_.size()); l-- > 1;) {
    const Lane& lane = trace.lanes()[l];
    for (std::uint32_t i = 0; i < lane.size() && begins_[l] != kNothing; ++i)
      if (const SliceId parent = trace.parent({LaneId{l}, i}); parent.valid())
        add(totals_[begins_[l - 1] + parent.index], totals_[begins_[l] + i]);
  }
}

LaunchedTotals::Total LaunchedTotals::of(SliceId slice) const {
  const std::size_t begin = begins_[slice.lane.value];
  return begin == kNothing ? Total{} : totals_[begin + slice.index];
}

SliceId first_work_of(const Trace& trace, SliceId slice) {
  SliceId first;
  for_each_launch_below(trace, slice, [&](LinkTable<LaunchLink>::Range links) {
    for (const LaunchLink& link : links)
      if (starts_before(trace, link.activity, first)) first = link.activity;
  });
  return first;
}

LaunchSites launch_sites_of(const Trace& trace, std::span<const SliceId> places, TimeSpan range,
                            const std::atomic<bool>* cancel, const GraphOrigins* graphs) {
  LaunchSites sites;
  WorkRows operators(trace), modules(trace), frames(trace);
  NameMemo is_builtin(trace.strings(), is_builtin_frame);
  NameMemo is_module(trace.strings(), is_module_frame);
  NameMemo is_annotation(trace.strings(), is_annotation_name);
  NearestAbove operators_above(trace), modules_above(trace), frames_above(trace);
  const auto name_of = [&](SliceId s) { return trace.lane(s).name(s.index); };
  const auto is_frame = [&](SliceId s) {
    return trace.category_class(s) == CategoryClass::kPythonFunction && !is_builtin(name_of(s));
  };
  CancelCheck gives_up(cancel);
  for (const SliceId place : places) {
    if (gives_up()) break;
    if (!is_gpu_activity(trace.category_class(place)) || !touches_range(trace.span(place), range)) continue;
    ++sites.count;
    SliceId launch = trace.links().launch_of(place);
    if (graphs != nullptr && graphs->contains(place)) {
      const SliceId captured = graphs->captured_by(place);
      if (captured.valid())
        launch = captured;
      else if (graphs->annotation(place).empty())
        ++sites.unattributed;
    }
    if (!launch.valid()) {
      ++sites.unlinked;
      continue;
    }
    const Nanos time = trace.span(place).intersect(range).duration();
    SliceId in_operator = operators_above.of(launch, [&](SliceId s) {
      return trace.category_class(s) == CategoryClass::kCpuOperator && !is_annotation(name_of(s));
    });
    const SliceId in_module = modules_above.of(launch, [&](SliceId s) { return is_frame(s) && is_module(name_of(s)); });
    const SliceId in_frame = frames_above.of(launch, [&](SliceId s) { return is_frame(s) && !is_module(name_of(s)); });
    if (!in_operator.valid()) in_operator = launch;
    operators.add(in_operator, time);
    if (in_module.valid()) modules.add(in_module, time);
    if (in_frame.valid()) frames.add(in_frame, time);
  }
  sites.operators = operators.take();
  sites.modules = modules.take();
  sites.frames = frames.take();
  return sites;
}

std::vector<SliceId> stack_above(const Trace& trace, SliceId slice, const GraphOrigins* graphs) {
  std::vector<SliceId> stack;
  if (graphs != nullptr) stack = graphs->captured_in(trace, slice);
  const bool is_gpu = trace.track_of(slice).kind == TrackKind::kGpuStream;
  for (SliceId s = is_gpu ? trace.links().launch_of(slice) : trace.parent(slice); s.valid(); s = trace.parent(s))
    stack.push_back(s);
  return stack;
}

bool is_module_frame(std::string_view name) {
  return name.starts_with("nn.Module: ");
}

}  // namespace lacuna
