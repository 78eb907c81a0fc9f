#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/trace.h"

namespace lacuna {

/// A replay of a CUDA graph of which the file lacks nodes.
struct PartialReplay {
  SliceId launch;
  std::uint32_t missing = 0;  ///< nodes that other replays of the graph have
  std::uint32_t nodes = 0;    ///< that they have in all
};

/// Replays are compared by the names of their nodes, in the order in which they started: a file tells no graph by its
/// number. One lacks nodes if its names are those of another replay, of eight or more, with some left out, half of them
/// or more are there, that other one occurs at least three times, and nothing else looks like it: profilers lose
/// records now and then, while a smaller graph would be replayed again and again. Ascending by launch. O(n log n) in
/// the nodes of graphs, and for each replay that occurs once, the nodes of those that occur often.
std::vector<PartialReplay> find_partial_replays(const Trace& trace);

}  // namespace lacuna
