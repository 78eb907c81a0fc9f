#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "model/base/ids.h"
#include "model/base/page_memory.h"
#include "model/base/time.h"
#include "model/trace/lane_ranges.h"
#include "model/trace/link_table.h"

namespace lacuna {

/// A runtime or driver call and a GPU activity with the same correlation.
/// One launch may have many activities (CUDA/HIP graphs); an activity has at most one launch.
struct LaunchLink {
  SliceId launch;
  SliceId activity;
};

/// All launch links of a trace, in both orders.
struct LaunchLinks {
  PageVector<LaunchLink> by_launch;
  PageVector<LaunchLink> by_activity;
  std::uint64_t gpu_activities = 0;  ///< kernels, copies and sets in the trace, linked or not
};

/// One arrow of a flow: from a start or step to the next step or finish of the same (category, id).
struct FlowArrow {
  SliceId from;
  SliceId to;
  Nanos from_time = 0;
  Nanos to_time = 0;
  CategoryId category;
  std::uint32_t unused = 0;  ///< explicit padding: the cache stores arrows as in memory, equal ones as equal bytes
};
static_assert(std::has_unique_object_representations_v<FlowArrow>);

/// The arrows that end at a slice, ordered by their origin. Refers to its links.
class ArrowsTo {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = FlowArrow;
    using difference_type = std::ptrdiff_t;
    using pointer = const FlowArrow*;
    using reference = const FlowArrow&;
    Iterator() = default;
    Iterator(const ArrowsTo& arrows, std::size_t at) : arrows_(&arrows), at_(at) {}
    reference operator*() const { return (*arrows_)[at_]; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return std::exchange(*this, Iterator(*arrows_, at_ + 1)); }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const ArrowsTo* arrows_ = nullptr;
    std::size_t at_ = 0;
  };
  ArrowsTo(const LinkTable<FlowArrow>& flows, std::span<const std::uint32_t> indices)
      : flows_(&flows), indices_(indices) {}
  explicit ArrowsTo(LinkTable<FlowArrow>::Range arrows) : arrows_(arrows) {}

  std::size_t size() const { return flows_ != nullptr ? indices_.size() : arrows_.size(); }
  bool empty() const { return size() == 0; }
  const FlowArrow& operator[](std::size_t i) const { return flows_ != nullptr ? (*flows_)[indices_[i]] : arrows_[i]; }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  const LinkTable<FlowArrow>* flows_ = nullptr;  // null: the arrows are those of arrows_
  std::span<const std::uint32_t> indices_;
  LinkTable<FlowArrow>::Range arrows_;
};

/// The links between slices. Built once by TraceBuilder; immutable, any thread may read.
/// Lookups are O(log n).
class Links {
 public:
  /// Returns the launch of a GPU activity, or an invalid id if it is not in the file.
  SliceId launch_of(SliceId activity) const;
  /// Remembers where the last activity was found, to speed up the lookup of a neighbour.
  using Hint = LinkTable<LaunchLink>::Iterator;
  /// Like launch_of(), for callers that look up one activity after the other: O(1) for a neighbour. `hint` (initially
  /// default) must be of these links.
  SliceId launch_of(SliceId activity, Hint& hint) const;
  /// Returns the GPU activities that `launch` started, ordered by id.
  LinkTable<LaunchLink>::Range activities_of(SliceId launch) const;
  /// Like activities_of(), for callers that look up one launch after the other; needs a hint of its own.
  LinkTable<LaunchLink>::Range activities_of(SliceId launch, Hint& hint) const;
  /// All launch links, ordered by launch.
  const LinkTable<LaunchLink>& launches() const { return by_launch_; }
  /// All launch links, ordered by activity: for walks over lanes.
  const LinkTable<LaunchLink>& by_activity() const { return by_activity_; }
  LinkTable<FlowArrow>::Range flows_from(SliceId slice) const;
  /// Returns the arrows that end at `slice`.
  ArrowsTo flows_to(SliceId slice) const;
  /// All arrows, ordered by their origin.
  const LinkTable<FlowArrow>& flows() const { return flows_; }

  std::uint64_t gpu_activities = 0;  ///< kernels, copies and sets in the trace
  std::uint64_t linked = 0;          ///< … whose launch is in the file
  std::uint64_t unlinked() const { return gpu_activities - linked; }

  // For TraceBuilder: takes the tables in any order and sorts those that are not sorted yet.
  void set_launches(LaunchLinks links);
  void set_flows(PageVector<FlowArrow> arrows);
  void set_flows(std::vector<PageVector<FlowArrow>> parts);
  std::size_t memory_bytes() const;
  /// Whether `a` comes before `b` in flows().
  static bool is_before_from(const FlowArrow& a, const FlowArrow& b) {
    return std::tie(a.from, a.to_time, a.to, a.from_time, a.category) <
           std::tie(b.from, b.to_time, b.to, b.from_time, b.category);
  }
  /// Whether `a` comes before `b` in flows_to().
  static bool is_before_to(const FlowArrow& a, const FlowArrow& b) {
    return a.to != b.to ? a.to < b.to : is_before_from(a, b);
  }

 private:
  friend class GrowingLinks;
  friend class TraceCodec;
  /// Returns a copy with one part per table.
  Links in_one_part() const;
  /// Call once the launch tables are set, in one part each: speeds up searches in them.
  void index_lanes();
  /// Returns the first entry of by_activity_ (by_launch_) that is not before `slice`.
  LinkTable<LaunchLink>::Iterator first_activity(SliceId slice) const;
  LinkTable<LaunchLink>::Iterator first_launch(SliceId slice) const;
  LinkTable<LaunchLink>::Range activities_from(Hint first, SliceId launch) const;

  LinkTable<LaunchLink> by_launch_;
  LinkTable<LaunchLink> by_activity_;
  LaneRanges launching_lanes_;  // ranges of by_launch_
  LaneRanges activity_lanes_;   // ranges of by_activity_
  LinkTable<FlowArrow> flows_;  // ordered by from
  // One of these is used:
  PageVector<std::uint32_t> flows_by_to_;  // indices in flows_
  LinkTable<FlowArrow> arrows_by_to_;      // during a recording: the same arrows
};

}  // namespace lacuna
