#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// A replay of a CUDA graph whose nodes are not all in the file.
struct PartialReplay {
  SliceId launch;
  std::uint32_t missing = 0;  ///< nodes that other replays of the graph have, but this one lacks
  std::uint32_t nodes = 0;    ///< total nodes of those replays
};

/// Finds incomplete replays by comparing the names of their nodes, in order of their starts: files have no ids of
/// graphs. A replay is incomplete if its names are those of another one of eight or more nodes, with some left out but
/// at least half of them present, if that one occurs at least three times, and if nothing else looks like it: profilers
/// lose records now and then, while a smaller graph would be replayed repeatedly. Ascending by launch. O(n log n) in
/// the nodes of graphs; plus, for each replay that occurs once, the nodes of those that occur often.
std::vector<PartialReplay> find_partial_replays(const Trace& trace);

}  // namespace lacuna
