#include "model/trace/links.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "model/base/radix_sort.h"

namespace lacuna {

void Links::index_lanes() {
  constexpr std::size_t kMostRows = 0xffffffff;
  if (!by_launch_.is_in_one_part() || !by_activity_.is_in_one_part() || by_launch_.size() > kMostRows) return;
  launching_lanes_ = LaneRanges(by_launch_.only_part(), &LaunchLink::launch);
  activity_lanes_ = LaneRanges(by_activity_.only_part(), &LaunchLink::activity);
}

LinkTable<LaunchLink>::Iterator Links::first_activity(SliceId slice) const {
  if (activity_lanes_.empty()) return by_activity_.lower_bound(slice, &LaunchLink::activity);
  return by_activity_.at(activity_lanes_.lower_bound(by_activity_.only_part(), slice, &LaunchLink::activity));
}

LinkTable<LaunchLink>::Iterator Links::first_launch(SliceId slice) const {
  if (launching_lanes_.empty()) return by_launch_.lower_bound(slice, &LaunchLink::launch);
  return by_launch_.at(launching_lanes_.lower_bound(by_launch_.only_part(), slice, &LaunchLink::launch));
}

SliceId Links::launch_of(SliceId activity) const {
  const auto found = first_activity(activity);
  return found != by_activity_.end() && found->activity == activity ? found->launch : SliceId{};
}

namespace {

/// Moves `hint` to the first link of `table` whose `member` is not before `slice`: by a few steps from where it is, or
/// by `search`.
template <class Search>
void follow(const LinkTable<LaunchLink>& table, SliceId LaunchLink::*member, SliceId slice, Links::Hint& hint,
            Search&& search) {
  constexpr int kNear = 8;
  const auto end = table.end();
  const auto is_before = [&](const Links::Hint& at) { return (*at).*member < slice; };
  if (hint != Links::Hint() && hint != end && !is_before(hint)) {
    if (hint == table.begin() || is_before(std::prev(hint))) return;
    hint = search();
  } else if (hint == Links::Hint() || hint == end) {
    hint = search();
  } else {
    for (int i = 0; i < kNear && hint != end && is_before(hint); ++i) ++hint;
    if (hint != end && is_before(hint)) hint = search();
  }
}

}  // namespace

SliceId Links::launch_of(SliceId activity, Hint& hint) const {
  follow(by_activity_, &LaunchLink::activity, activity, hint, [&] { return first_activity(activity); });
  return hint != by_activity_.end() && hint->activity == activity ? hint->launch : SliceId{};
}

LinkTable<LaunchLink>::Range Links::activities_of(SliceId launch) const {
  return activities_from(first_launch(launch), launch);
}

LinkTable<LaunchLink>::Range Links::activities_of(SliceId launch, Hint& hint) const {
  follow(by_launch_, &LaunchLink::launch, launch, hint, [&] { return first_launch(launch); });
  return activities_from(hint, launch);
}

LinkTable<LaunchLink>::Range Links::activities_from(Hint first, SliceId launch) const {
  auto last = first;  // there are few, but in graphs
  while (last != by_launch_.end() && last->launch == launch && last - first < 8) ++last;
  if (last - first >= 8) last = by_launch_.first_that([&](const LaunchLink& link) { return launch < link.launch; });
  return {first, last};
}

LinkTable<FlowArrow>::Range Links::flows_from(SliceId slice) const {
  return {flows_.lower_bound(slice, &FlowArrow::from),
          flows_.first_that([&](const FlowArrow& arrow) { return slice < arrow.from; })};
}

ArrowsTo Links::flows_to(SliceId slice) const {
  if (!arrows_by_to_.empty())
    return ArrowsTo({arrows_by_to_.lower_bound(slice, &FlowArrow::to),
                     arrows_by_to_.first_that([&](const FlowArrow& arrow) { return slice < arrow.to; })});
  // Iterator pairs, not ranges::equal_range: clang 14 cannot use libstdc++ 12's subrange.
  const auto to = [this](std::uint32_t i) { return flows_[i].to; };
  const auto first = std::ranges::lower_bound(flows_by_to_, slice, {}, to);
  return {flows_, {first, std::ranges::upper_bound(first, flows_by_to_.end(), slice, {}, to)}};
}

void Links::set_launches(LaunchLinks links) {
  gpu_activities = links.gpu_activities;
  const auto by_launch = [](const LaunchLink& a, const LaunchLink& b) {
    return a.launch != b.launch ? a.launch < b.launch : a.activity < b.activity;
  };
  if (!std::ranges::is_sorted(links.by_launch, by_launch)) std::ranges::sort(links.by_launch, by_launch);
  if (!std::ranges::is_sorted(links.by_activity, {}, &LaunchLink::activity))
    std::ranges::sort(links.by_activity, {}, &LaunchLink::activity);
  linked = links.by_launch.size();
  by_launch_ = LinkTable(std::move(links.by_launch));
  by_activity_ = LinkTable(std::move(links.by_activity));
  index_lanes();
}

namespace {

/// The arrows of all parts by the lane that they come from; else in the order in which they are given.
PageVector<FlowArrow> join_by_lane_of_from(std::vector<PageVector<FlowArrow>> parts) {
  std::vector<std::size_t> at;  // by lane: where the next one belongs
  for (const PageVector<FlowArrow>& part : parts) {
    for (const FlowArrow& arrow : part) {
      if (at.size() <= arrow.from.lane.value + std::size_t{1}) at.resize(arrow.from.lane.value + std::size_t{2});
      ++at[arrow.from.lane.value + 1];
    }
  }
  for (std::size_t lane = 1; lane < at.size(); ++lane) at[lane] += at[lane - 1];
  PageVector<FlowArrow> joined(at.empty() ? 0 : at.back());
  for (PageVector<FlowArrow>& part : parts) {
    for (const FlowArrow& arrow : part) joined[at[arrow.from.lane.value]++] = arrow;
    part = {};
  }
  return joined;
}

/// The arrows by one of their ends.
PageVector<SortKey> sorted_keys(std::span<const FlowArrow> arrows, SliceId FlowArrow::*end) {
  PageVector<SortKey> keys;
  PageVector<SortKey> scratch;
  keys.reserve(arrows.size());
  for (std::uint32_t i = 0; i < arrows.size(); ++i) {
    const SliceId slice = arrows[i].*end;
    keys.push_back({std::uint64_t{slice.lane.value} << 32 | slice.index, i});
  }
  radix_sort(keys, scratch);
  return keys;
}

void sort_by_from(std::span<FlowArrow> arrows) {
  if (std::ranges::is_sorted(arrows, Links::is_before_from)) return;
  const PageVector<SortKey> keys = sorted_keys(arrows, &FlowArrow::from);
  PageVector<FlowArrow> sorted;
  sorted.reserve(arrows.size());
  for (const SortKey& k : keys) sorted.push_back(arrows[k.index]);
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::find_if(first, sorted.end(), [&](const FlowArrow& a) { return a.from != first->from; });
    if (last - first > 1) std::sort(first, last, Links::is_before_from);
    first = last;
  }
  std::ranges::copy(sorted, arrows.begin());
}

/// Indices of `flows` in the order of what they point to, where arrows to one lane come in that order. False: not so.
bool sort_by_lane_of_to(const PageVector<FlowArrow>& flows, PageVector<std::uint32_t>& indices) {
  std::vector<std::uint32_t> at;  // by lane: where the next one belongs
  for (const FlowArrow& arrow : flows) {
    if (at.size() <= arrow.to.lane.value + std::size_t{1}) at.resize(arrow.to.lane.value + std::size_t{2});
    ++at[arrow.to.lane.value + 1];
  }
  for (std::size_t lane = 1; lane < at.size(); ++lane) at[lane] += at[lane - 1];
  indices.resize(flows.size());
  for (std::uint32_t i = 0; i < flows.size(); ++i) indices[at[flows[i].to.lane.value]++] = i;
  return std::ranges::is_sorted(indices, {}, [&](std::uint32_t i) { return flows[i].to; });
}

}  // namespace

void Links::set_flows(std::vector<PageVector<FlowArrow>> parts) {
  set_flows(join_by_lane_of_from(std::move(parts)));
}

void Links::set_flows(PageVector<FlowArrow> arrows) {
  // Arrows of one lane mostly lie together, and of most lanes in order: launches. Only those of the others are sorted.
  const auto lane_of = [](const FlowArrow& a) { return a.from.lane; };
  const bool has_lanes_in_order = std::ranges::is_sorted(arrows, {}, lane_of);
  for (auto first = arrows.begin(); first != arrows.end();) {
    const auto last = has_lanes_in_order ? std::ranges::upper_bound(first, arrows.end(), first->from.lane, {}, lane_of)
                                         : arrows.end();
    sort_by_from({first, last});
    first = last;
  }
  arrows_by_to_ = {};
  if (!sort_by_lane_of_to(arrows, flows_by_to_)) {
    const PageVector<SortKey> keys = sorted_keys(arrows, &FlowArrow::to);
    flows_by_to_.clear();
    flows_by_to_.reserve(keys.size());
    for (const SortKey& k : keys) flows_by_to_.push_back(k.index);
  }
  flows_ = LinkTable(std::move(arrows));
}

Links Links::in_one_part() const {
  Links made;
  LaunchLinks launches;
  launches.gpu_activities = gpu_activities;
  launches.by_launch.assign(by_launch_.begin(), by_launch_.end());
  launches.by_activity.assign(by_activity_.begin(), by_activity_.end());
  made.set_launches(std::move(launches));
  made.set_flows(PageVector<FlowArrow>(flows_.begin(), flows_.end()));
  return made;
}

std::size_t Links::memory_bytes() const {
  return by_launch_.memory_bytes() + by_activity_.memory_bytes() + flows_.memory_bytes() +
         arrows_by_to_.memory_bytes() + flows_by_to_.capacity() * sizeof(std::uint32_t);
}

}  // namespace lacuna
