#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/calls/call_tree.h"

namespace lacuna {

/// A call tree while it grows: frames are found by their parent and key, and times are added to them.
/// Parents come before their children. Not thread-safe.
class CallPaths {
 public:
  struct Node {
    CallKey key;
    std::uint32_t parent = 0;
    Nanos self = 0;
    std::uint64_t count = 0;
    Nanos longest_time = -1;
    SliceId longest;
    Nanos first = kMaxNanos;  ///< when the first of its slices began, where that is noted
  };
  static constexpr std::uint32_t kRoot = 0;
  static constexpr std::size_t kMostCallers = 256;
  static constexpr std::size_t kMostInverted = 4'000'000;

  CallPaths();

  /// The child of `parent` with that key, made when it is not there. About 10 ns.
  std::uint32_t child(std::uint32_t parent, CallKey key);
  /// Remembers `slice` as the longest of its frame, if it is.
  void note_longest(std::uint32_t node, SliceId slice, Nanos duration) {
    Node& n = nodes_[node];
    if (duration < n.longest_time || (duration == n.longest_time && !(slice < n.longest))) return;
    n.longest_time = duration;
    n.longest = slice;
  }
  void note_first(std::uint32_t node, Nanos begin) { nodes_[node].first = std::min(nodes_[node].first, begin); }
  Node& operator[](std::uint32_t node) { return nodes_[node]; }
  const std::vector<Node>& nodes() const { return nodes_; }
  /// Adds the times of another tree.
  void add(const CallPaths& other);
  /// The same times by the frame that took them, and then by who called it: kMostCallers of them, fewer once
  /// there are kMostInverted nodes (each frame of a deep stack would have all of the others as callers); what
  /// is left out calls nobody any more. The times are those of the tree either way.
  CallPaths inverted() const;
  /// Sums, sorts and packs. `inclusive_counts`: counts of children are part of their parent's. Frames
  /// without time and count are left out.
  CallTree finish(const Trace& trace, bool inclusive_counts) const;

 private:
  void grow();
  std::size_t slot_of(std::uint32_t parent, CallKey key) const;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> slots_;  // node + 1, 0 = free; a power of two of them, at most half used
};

/// What build_call_tree() packs, while it is still to be added to: top-down, with what began first.
CallPaths build_call_paths(const Trace& trace, const CallTreeOptions& options);

}  // namespace lacuna
