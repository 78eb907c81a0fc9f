#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/base/result.h"
#include "model/base/time.h"

namespace lacuna {

/// HTA's kinds of edges (CPEdgeType).
enum class HtaEdgeType : std::uint8_t { kOperator, kDependency, kLaunchDelay, kKernelKernelDelay, kSync };

/// One edge of HTA's graph. The caller assigns the node numbers.
struct HtaEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Nanos weight = 0;
  HtaEdgeType type = HtaEdgeType::kOperator;
  std::uint32_t row = 0;  ///< the event to which it is attributed; 0: none
};

/// A graph with at most one edge from a node to another. The insertion order of edges decides between
/// paths of equal length, as in networkx's DiGraph.
class HtaGraph {
 public:
  /// Adds an edge; an existing one keeps its place and its attribution, the rest is replaced.
  HtaEdge& add(std::uint32_t from, std::uint32_t to, Nanos weight, HtaEdgeType type);
  const std::vector<HtaEdge>& edges() const { return edges_; }
  std::vector<HtaEdge>& edges() { return edges_; }
  std::size_t node_count() const { return nodes_.size(); }
  /// Like networkx's dag_longest_path() with negative weights counted as 0: returns the indices of its edges, in order.
  /// Errors: kUnsupported if the graph has a cycle. O(nodes + edges).
  Result<std::vector<std::uint32_t>> longest_path() const;

 private:
  std::uint32_t local(std::uint32_t node);

  std::vector<HtaEdge> edges_;
  std::vector<std::uint32_t> nodes_;                           // in the order of their appearance
  std::unordered_map<std::uint32_t, std::uint32_t> local_of_;  // index in nodes_
  std::unordered_map<std::uint64_t, std::uint32_t> edge_of_;   // by (from, to)
};

}  // namespace lacuna
