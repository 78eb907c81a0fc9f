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

/// A runtime or driver call and a GPU activity that carry the same correlation.
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
  std::uint32_t unused = 0;  ///< no padding: the cache stores arrows as they lie in memory, equal ones as equal bytes
};
static_assert(std::has_unique_object_representations_v<FlowArrow>);

/// The arrows that end at a slice, in the order of where they come from. Refers to its links.
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
  const LinkTable<FlowArrow>* flows_ = nullptr;  // null: they are those of arrows_
  std::span<const std::uint32_t> indices_;
  LinkTable<FlowArrow>::Range arrows_;
};

/// What ties slices together. Built once by TraceBuilder; immutable, any thread may read.
/// Lookups are O(log n).
class Links {
 public:
  /// The launch of a GPU activity, or an invalid id when it is not in the file.
  SliceId launch_of(SliceId activity) const;
  /// Remembers where the last activity was found, so that a neighbour is found at once.
  using Hint = LinkTable<LaunchLink>::Iterator;
  /// The same, for callers that ask for one activity after the other: O(1) for a neighbour. `hint` (none at first)
  /// is of these links.
  SliceId launch_of(SliceId activity, Hint& hint) const;
  /// The GPU activities that `launch` started, in order of their ids.
  LinkTable<LaunchLink>::Range activities_of(SliceId launch) const;
  /// The same, for callers that ask for one launch after the other; takes a hint of its own.
  LinkTable<LaunchLink>::Range activities_of(SliceId launch, Hint& hint) const;
  /// All of them, in the order of their launches.
  const LinkTable<LaunchLink>& launches() const { return by_launch_; }
  /// All of them, in the order of what was launched: for walks over lanes.
  const LinkTable<LaunchLink>& by_activity() const { return by_activity_; }
  LinkTable<FlowArrow>::Range flows_from(SliceId slice) const;
  /// Arrows that end at `slice`.
  ArrowsTo flows_to(SliceId slice) const;
  /// All of them, in the order of where they come from.
  const LinkTable<FlowArrow>& flows() const { return flows_; }

  std::uint64_t gpu_activities = 0;  ///< kernels, copies and sets in the trace
  std::uint64_t linked = 0;          ///< … whose launch is in the file
  std::uint64_t unlinked() const { return gpu_activities - linked; }

  // For TraceBuilder: takes the tables in any order and sorts what is not sorted yet.
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
  /// The same, in one part each.
  Links in_one_part() const;
  /// To be called when the tables of launches are there, in one part each: they are searched faster then.
  void index_lanes();
  /// The first of by_activity_ (by_launch_) that is not before `slice`.
  LinkTable<LaunchLink>::Iterator first_activity(SliceId slice) const;
  LinkTable<LaunchLink>::Iterator first_launch(SliceId slice) const;
  LinkTable<LaunchLink>::Range activities_from(Hint first, SliceId launch) const;

  LinkTable<LaunchLink> by_launch_;
  LinkTable<LaunchLink> by_activity_;
  LaneRanges launching_lanes_;  // of by_launch_
  LaneRanges activity_lanes_;   // of by_activity_
  LinkTable<FlowArrow> flows_;  // by from
  // One of them:
  PageVector<std::uint32_t> flows_by_to_;  // indices in flows_
  LinkTable<FlowArrow> arrows_by_to_;      // of a recording under way: the same arrows
};

}  // namespace lacuna
