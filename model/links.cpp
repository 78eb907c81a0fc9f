#include "model/links.h"

#include <algorithm>
#include <numeric>

namespace lacuna {

SliceId Links::launch_of(SliceId activity) const {
  const auto found = std::ranges::lower_bound(by_activity_, activity, {}, &LaunchLink::activity);
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

void Links::set_launches(std::vector<LaunchLink> links) {
  by_launch_ = std::move(links);
  by_activity_ = by_launch_;
  std::ranges::sort(by_launch_, [](const LaunchLink& a, const LaunchLink& b) {
    return a.launch != b.launch ? a.launch < b.launch : a.activity < b.activity;
  });
  if (!std::ranges::is_sorted(by_activity_, {}, &LaunchLink::activity))
    std::ranges::sort(by_activity_, {}, &LaunchLink::activity);
  linked = by_launch_.size();
}

void Links::set_flows(std::vector<FlowArrow> arrows) {
  flows_ = std::move(arrows);
  std::ranges::stable_sort(flows_, [](const FlowArrow& a, const FlowArrow& b) {
    return a.from != b.from ? a.from < b.from : a.to_time < b.to_time;
  });
  flows_by_to_.resize(flows_.size());
  std::iota(flows_by_to_.begin(), flows_by_to_.end(), 0u);
  std::ranges::stable_sort(flows_by_to_, {}, [this](std::uint32_t i) { return flows_[i].to; });
}

std::size_t Links::memory_bytes() const {
  return (by_launch_.capacity() + by_activity_.capacity()) * sizeof(LaunchLink) +
         flows_.capacity() * sizeof(FlowArrow) + flows_by_to_.capacity() * sizeof(std::uint32_t);
}

}  // namespace lacuna
