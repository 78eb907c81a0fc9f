#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "model/calls/call_frames.h"
#include "model/causes/cause_ranking.h"
#include "model/trace/trace.h"

namespace lacuna {

/// What a call tree adds up.
enum class CallMetric : std::uint8_t {
  kCpuTime,   ///< self time of slices on CPU threads: the root is Statistics::cpu_self
  kGpuTime,   ///< durations of GPU work, by what launched it: the root is Statistics::gpu_total
  kIdleTime,  ///< idle time of GPUs, by what the CPU did meanwhile: the root is that of all gaps given
  kPath,      ///< time of a critical path, by what was around it: the root is that of all charges given
  kSamples,   ///< self time of sampled frames, an estimate: the root is Statistics::sampled_self
};

/// One frame of a call tree, with the frames around it: all slices with the same path share it.
struct CallNode {
  CallKey key;
  std::uint32_t parent = 0;       ///< index; of the root: itself
  std::uint32_t first_child = 0;  ///< children lie side by side, most time first
  std::uint32_t child_count = 0;
  Nanos total = 0;  ///< self and that of all below
  Nanos self = 0;   ///< bottom-up: of what nothing else calls
  /// CPU time and samples top-down: slices of the frame. Else: slices, activities or charges counted in `total`.
  std::uint64_t count = 0;
  /// The longest of these slices (bottom-up: of the innermost frame's); invalid where there is none.
  SliceId longest{};
};

/// Slices of a trace merged by what is around them. nodes[0] is the root, and there always is one.
///
/// Top-down, children are what a frame calls; bottom-up, the first level has every frame with its own
/// time and children are who calls it. Either way totals of children and self make the parent's total.
struct CallTree {
  std::vector<CallNode> nodes;  ///< parents before their children

  const CallNode& root() const { return nodes.front(); }
  std::span<const CallNode> children(const CallNode& node) const {
    return std::span(nodes).subspan(node.first_child, node.child_count);
  }
  std::uint32_t index_of(const CallNode& node) const { return static_cast<std::uint32_t>(&node - nodes.data()); }
  /// Keys from below the root to the node.
  std::vector<CallKey> path_to(std::uint32_t node) const;
  /// The node at the end of a path, or of as much of it as there is.
  std::uint32_t follow(std::span<const CallKey> path) const;
};

/// Time to be charged to a slice and what is around it; of GPU work to what launched it, too.
struct CallCharge {
  SliceId slice;  ///< invalid: nothing was recorded
  Nanos time = 0;
};

struct CallTreeOptions {
  CallMetric metric = CallMetric::kCpuTime;
  bool bottom_up = false;
  bool hides_python = false;  ///< Python frames but nn.Modules: their time counts for what is around them
  /// Times are clipped to it. Not for idle time: there the caller chooses the gaps.
  TimeSpan range = TimeSpan::everything();
  /// Only these tracks; empty = all. GPU time: work on the streams among them; where there are none, work
  /// launched by the threads among them. Idle time: charges to the threads among them, if there are no
  /// streams (the caller chooses the gaps of streams).
  std::vector<TrackId> tracks{};
  /// Only what happens in these slices (CPU slices: in them and below; GPU work: itself), ascending;
  /// empty = everything. Top-down they are the first level, bottom-up everything below counts as theirs.
  /// Slices inside each other count once.
  std::vector<SliceId> places{};
  std::span<const CausedGaps> gaps{};     ///< of kIdleTime
  std::span<const CallCharge> charges{};  ///< of kPath
  unsigned threads = 1;
  const std::atomic<bool>* cancel = nullptr;  ///< when set, what is there by then is returned
};

/// Builds the tree. Reads only; any thread may call. CPU time: O(slices in range); GPU time: O(activities
/// in range); idle time: O(gaps * rows of the threads + slices in the gaps). Bottom-up adds the depth of
/// the tree for each of its nodes. Memory: about 90 bytes a node, and 4 bytes for each slice of two rows.
CallTree build_call_tree(const Trace& trace, const CallTreeOptions& options);

/// The slices of a node's frame (bottom-up: of the frame whose callers it shows), ascending by id: the way
/// back to the timeline. Of frames that stand for no slices: none. O(slices + those of the name * depth).
std::vector<SliceId> find_call_places(const Trace& trace, const CallTreeOptions& options, const CallTree& tree,
                                      std::uint32_t node);

}  // namespace lacuna
