#include "model/trace/links.h"

#include <algorithm>
#include <tuple>

#include "model/base/radix_sort.h"

namespace lacuna {

SliceId Links::launch_of(SliceId activity) const {
  const auto found = std::ranges::lower_bound(by_activity_, activity, {}, &LaunchLink::activity);
  return found != by_activity_.end() && found->activity == activity ? found->launch : SliceId{};
}

SliceId Links::launch_of(SliceId activity, std::size_t& hint) const {
  const auto begin = by_activity_.begin();
  const std::size_t size = by_activity_.size();
  const auto is_before = [&](std::size_t i) { return by_activity_[i].activity < activity; };
  std::size_t low = 0;
  std::size_t high = std::min(hint, size);
  if (high < size && is_before(high)) {  // gallop
    low = high;
    for (std::size_t step = 1; high < size && is_before(high); step *= 2) {
      low = high + 1;
      high = std::min(size, high + step);
    }
  } else {
    high = std::min(size, high + 1);
  }
  const auto found =
      std::ranges::lower_bound(begin + static_cast<std::ptrdiff_t>(low), begin + static_cast<std::ptrdiff_t>(high),
                               activity, {}, &LaunchLink::activity);
  hint = static_cast<std::size_t>(found - begin);
  return found != by_activity_.end() && found->activity == activity ? found->launch : SliceId{};
}

// Iterator pairs, not ranges::equal_range: clang 14 cannot use libstdc++ 12's subrange.
std::span<const LaunchLink> Links::activities_of(SliceId launch) const {
  const auto first = std::ranges::lower_bound(by_launch_, launch, {}, &LaunchLink::launch);
  return {first, std::ranges::upper_bound(first, by_launch_.end(), launch, {}, &LaunchLink::launch)};
}

std::span<const FlowArrow> Links::flows_from(SliceId slice) const {
  const auto first = std::ranges::lower_bound(flows_, slice, {}, &FlowArrow::from);
  return {first, std::ranges::upper_bound(first, flows_.end(), slice, {}, &FlowArrow::from)};
}

std::span<const std::uint32_t> Links::flows_to(SliceId slice) const {
  const auto to = [this](std::uint32_t i) { return flows_[i].to; };
  const auto first = std::ranges::lower_bound(flows_by_to_, slice, {}, to);
  return {first, std::ranges::upper_bound(first, flows_by_to_.end(), slice, {}, to)};
}

void Links::set_launches(LaunchLinks links) {
  by_launch_ = std::move(links.by_launch);
  by_activity_ = std::move(links.by_activity);
  gpu_activities = links.gpu_activities;
  const auto by_launch = [](const LaunchLink& a, const LaunchLink& b) {
    return a.launch != b.launch ? a.launch < b.launch : a.activity < b.activity;
  };
  if (!std::ranges::is_sorted(by_launch_, by_launch)) std::ranges::sort(by_launch_, by_launch);
  if (!std::ranges::is_sorted(by_activity_, {}, &LaunchLink::activity))
    std::ranges::sort(by_activity_, {}, &LaunchLink::activity);
  linked = by_launch_.size();
}

namespace {

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

void Links::set_flows(PageVector<FlowArrow> arrows) {
  const auto key = [](SliceId slice) { return std::uint64_t{slice.lane.value} << 32 | slice.index; };
  PageVector<SortKey> keys;
  PageVector<SortKey> scratch;
  const auto sort_by = [&](auto end_of) {
    keys.clear();
    keys.reserve(arrows.size());
    for (std::uint32_t i = 0; i < arrows.size(); ++i) keys.push_back({key(end_of(arrows[i])), i});
    radix_sort(keys, scratch);
  };
  const auto is_before = [](const FlowArrow& a, const FlowArrow& b) {
    return std::tie(a.from, a.to_time, a.to, a.from_time, a.category) <
           std::tie(b.from, b.to_time, b.to, b.from_time, b.category);
  };
  flows_.clear();
  if (!std::ranges::is_sorted(arrows, is_before)) {
    sort_by([](const FlowArrow& a) { return a.from; });
    flows_.reserve(arrows.size());
    for (const SortKey& k : keys) flows_.push_back(arrows[k.index]);
    for (auto first = flows_.begin(); first != flows_.end();) {
      const auto last = std::find_if(first, flows_.end(), [&](const FlowArrow& a) { return a.from != first->from; });
      if (last - first > 1) std::sort(first, last, is_before);
      first = last;
    }
    arrows.swap(flows_);
  }
  arrows.swap(flows_);
  if (sort_by_lane_of_to(flows_, flows_by_to_)) return;
  arrows.swap(flows_);
  sort_by([](const FlowArrow& a) { return a.to; });
  arrows.swap(flows_);
  flows_by_to_.clear();
  flows_by_to_.reserve(keys.size());
  for (const SortKey& k : keys) flows_by_to_.push_back(k.index);
}

std::size_t Links::memory_bytes() const {
  return (by_launch_.capacity() + by_activity_.capacity()) * sizeof(LaunchLink) +
         flows_.capacity() * sizeof(FlowArrow) + flows_by_to_.capacity() * sizeof(std::uint32_t);
}

}  // namespace lacuna
