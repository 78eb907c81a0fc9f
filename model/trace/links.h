#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "model/base/ids.h"
#include "model/base/page_memory.h"
#include "model/base/time.h"

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

/// What ties slices together. Built once by TraceBuilder; immutable, any thread may read.
/// Lookups are O(log n).
class Links {
 public:
  /// The launch of a GPU activity, or an invalid id when it is not in the file.
  SliceId launch_of(SliceId activity) const;
  /// Same for who asks for one activity after the other: `hint` (0 at first) is where the last one was found, and the
  /// cost O(log of the distance) from there.
  SliceId launch_of(SliceId activity, std::size_t& hint) const;
  /// The GPU activities that `launch` started, in order of their ids.
  std::span<const LaunchLink> activities_of(SliceId launch) const;
  /// All of them, in the order of their launches.
  std::span<const LaunchLink> launches() const { return by_launch_; }
  /// All of them, in the order of what was launched: for walks over lanes.
  std::span<const LaunchLink> by_activity() const { return by_activity_; }
  std::span<const FlowArrow> flows_from(SliceId slice) const;
  /// Arrows that end at `slice`; the indices lie in flows().
  std::span<const std::uint32_t> flows_to(SliceId slice) const;
  std::span<const FlowArrow> flows() const { return flows_; }

  std::uint64_t gpu_activities = 0;  ///< kernels, copies and sets in the trace
  std::uint64_t linked = 0;          ///< … whose launch is in the file
  std::uint64_t unlinked() const { return gpu_activities - linked; }

  // For TraceBuilder: takes the tables in any order and sorts what is not sorted yet.
  void set_launches(LaunchLinks links);
  void set_flows(PageVector<FlowArrow> arrows);
  std::size_t memory_bytes() const;

 private:
  friend class TraceCodec;
  PageVector<LaunchLink> by_launch_;
  PageVector<LaunchLink> by_activity_;
  PageVector<FlowArrow> flows_;  // by from
  PageVector<std::uint32_t> flows_by_to_;
};

}  // namespace lacuna
