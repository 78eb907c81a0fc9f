#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "model/calls/call_frames.h"
#include "model/causes/cause_ranking.h"
#include "model/trace/trace.h"

namespace lacuna {

/// The metric that a call tree sums up.
enum class CallMetric : std::uint8_t {
  kCpuTime,   ///< self time of slices on CPU threads: the root is Statistics::cpu_self
  kGpuTime,   ///< durations of GPU work, by launching frames: the root is Statistics::gpu_total
  kIdleTime,  ///< idle time of GPUs, by concurrent CPU frames: the root is that of all gaps given
  kPath,      ///< time on a critical path, by enclosing frames: the root is that of all charges given
  kSamples,   ///< self time of sampled frames, an estimate: the root is Statistics::sampled_self
};

/// One frame of a call tree, below its callers: all slices with the same path share it.
struct CallNode {
  CallKey key;
  std::uint32_t parent = 0;       ///< index; the root's is its own
  std::uint32_t first_child = 0;  ///< children are adjacent, most time first
  std::uint32_t child_count = 0;
  Nanos total = 0;  ///< self time and that of all descendants
  Nanos self = 0;   ///< bottom-up: the part that has no further caller
  /// CPU time and samples, top-down: slices of the frame. Else: slices, activities or charges counted in `total`.
  std::uint64_t count = 0;
  /// The longest of these slices (bottom-up: of the innermost frame's); invalid when there is none.
  SliceId longest{};
};

/// Slices of a trace merged by their call paths. nodes[0] is the root, which always exists.
///
/// Top-down, children are what a frame calls; bottom-up, the first level has every frame with its self
/// time, and children are its callers. Either way a parent's total is its self time and its children's totals.
struct CallTree {
  std::vector<CallNode> nodes;  ///< parents before children

  const CallNode& root() const { return nodes.front(); }
  std::span<const CallNode> children(const CallNode& node) const {
    return std::span(nodes).subspan(node.first_child, node.child_count);
  }
  std::uint32_t index_of(const CallNode& node) const { return static_cast<std::uint32_t>(&node - nodes.data()); }
  /// Returns the keys from below the root to the node.
  std::vector<CallKey> path_to(std::uint32_t node) const;
  /// Returns the node at the end of a path, or of its longest existing prefix.
  std::uint32_t follow(std::span<const CallKey> path) const;
};

/// Time charged to a slice and the frames around it; for GPU work also to its launch.
struct CallCharge {
  SliceId slice;  ///< invalid: nothing was recorded
  Nanos time = 0;
};

struct CallTreeOptions {
  CallMetric metric = CallMetric::kCpuTime;
  bool bottom_up = false;
  bool hides_python = false;  ///< hides Python frames except nn.Modules: their time counts for the frames around them
  /// Times are clipped to it. Not for idle time, where the caller chooses the gaps.
  TimeSpan range = TimeSpan::everything();
  /// Only these tracks; empty = all. GPU time: work on the streams among them; without streams, work
  /// launched by the threads among them. Idle time: charges to the threads among them, if there are no
  /// streams (the caller chooses the gaps of streams).
  std::vector<TrackId> tracks{};
  /// Only events within these slices (CPU slices: inside or below them; GPU work: the slice itself), ascending;
  /// empty = everything. Top-down they are the first level, bottom-up everything below counts as theirs.
  /// Nested ones count once.
  std::vector<SliceId> places{};
  std::span<const CausedGaps> gaps{};     ///< for kIdleTime
  std::span<const CallCharge> charges{};  ///< for kPath
  unsigned threads = 1;
  const std::atomic<bool>* cancel = nullptr;  ///< when set, returns what is done by then
};

/// Builds the tree. Reads only; any thread may call. CPU time: O(slices in range); GPU time: O(activities
/// in range); idle time: O(gaps * rows of the threads + slices in the gaps). Bottom-up adds the depth of
/// the tree for each of its nodes. Memory: about 90 bytes a node, and 4 bytes for each slice of two rows.
CallTree build_call_tree(const Trace& trace, const CallTreeOptions& options);

/// Returns the slices of a node's frame (bottom-up: of the frame whose callers it shows), ascending by id: links a node
/// to the timeline. None for frames without slices. O(slices + those of the name * depth).
std::vector<SliceId> find_call_places(const Trace& trace, const CallTreeOptions& options, const CallTree& tree,
                                      std::uint32_t node);

}  // namespace lacuna
