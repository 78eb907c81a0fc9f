#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/calls/call_tree.h"

namespace lacuna {

/// A call tree under construction: frames are found by parent and key, and accumulate times.
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

  /// Returns the child of `parent` with that key, created if missing. About 10 ns.
  std::uint32_t child(std::uint32_t parent, CallKey key);
  /// Stores `slice` as the longest of its frame, if it is.
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
  /// Returns the bottom-up tree: frames by their own time, and below them their callers: up to kMostCallers, fewer once
  /// there are kMostInverted nodes (each frame of a deep stack would have all others as callers); callers beyond
  /// that are cut off. The total times are the same either way.
  CallPaths inverted() const;
  /// Sums, sorts and packs the tree. `inclusive_counts`: counts of a parent include its children's. Frames
  /// with neither time nor count are left out.
  CallTree finish(const Trace& trace, bool inclusive_counts) const;

 private:
  void grow();
  std::size_t slot_of(std::uint32_t parent, CallKey key) const;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> slots_;  // node + 1, 0 = free; a power of two in size, at most half used
};

/// What build_call_tree() packs, while it is still to be added to: top-down, with what began first.
CallPaths build_call_paths(const Trace& trace, const CallTreeOptions& options);

}  // namespace lacuna
