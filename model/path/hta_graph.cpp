#include "model/path/hta_graph.h"

#include <algorithm>

namespace lacuna {
namespace {

/// From here on HTA sees a negative weight and takes 0 for it.
constexpr Nanos kLeastNegativeNs = -1000;

}  // namespace

std::uint32_t HtaGraph::local(std::uint32_t node) {
  const auto [found, is_new] = local_of_.try_emplace(node, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return found->second;
}

HtaEdge& HtaGraph::add(std::uint32_t from, std::uint32_t to, Nanos weight, HtaEdgeType type) {
  local(from);
  local(to);
  const std::uint64_t key = std::uint64_t{from} << 32 | to;
  const auto [found, is_new] = edge_of_.try_emplace(key, static_cast<std::uint32_t>(edges_.size()));
  if (is_new) edges_.push_back({.from = from, .to = to});
  HtaEdge& edge = edges_[found->second];
  edge.weight = weight;
  edge.type = type;
  return edge;
}

Result<std::vector<std::uint32_t>> HtaGraph::longest_path() const {
  const std::size_t count = nodes_.size();
  // Edges by their ends, in the order in which they were added.
  std::vector<std::uint32_t> out_at(count + 1, 0);
  std::vector<std::uint32_t> in_at(count + 1, 0);
  std::vector<std::uint32_t> from(edges_.size());
  std::vector<std::uint32_t> to(edges_.size());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    from[e] = local_of_.at(edges_[e].from);
    to[e] = local_of_.at(edges_[e].to);
    ++out_at[from[e] + 1];
    ++in_at[to[e] + 1];
  }
  for (std::size_t n = 0; n < count; ++n) {
    out_at[n + 1] += out_at[n];
    in_at[n + 1] += in_at[n];
  }
  std::vector<std::uint32_t> out(edges_.size());
  std::vector<std::uint32_t> in(edges_.size());
  {
    std::vector<std::uint32_t> next_out(out_at.begin(), out_at.end() - 1);
    std::vector<std::uint32_t> next_in(in_at.begin(), in_at.end() - 1);
    for (std::uint32_t e = 0; e < edges_.size(); ++e) {
      out[next_out[from[e]]++] = e;
      in[next_in[to[e]]++] = e;
    }
  }

  std::vector<std::uint32_t> waiting(count);
  std::vector<std::uint32_t> order;  // networkx's topological order: a generation after the other
  order.reserve(count);
  for (std::uint32_t n = 0; n < count; ++n) {
    waiting[n] = in_at[n + 1] - in_at[n];
    if (waiting[n] == 0) order.push_back(n);
  }
  for (std::size_t k = 0; k < order.size(); ++k)
    for (std::uint32_t i = out_at[order[k]]; i < out_at[order[k] + 1]; ++i)
      if (--waiting[to[out[i]]] == 0) order.push_back(to[out[i]]);
  if (order.size() < count) return fail(ErrorCode::kUnsupported, "HTA's graph of this trace has a cycle");

  constexpr std::uint32_t kNone = kNoIndex;
  std::vector<Nanos> distance(count, 0);
  std::vector<std::uint32_t> best(count, kNone);  // the edge by which a node is reached
  std::uint32_t last = kNone;
  for (const std::uint32_t n : order) {
    for (std::uint32_t i = in_at[n]; i < in_at[n + 1]; ++i) {
      const HtaEdge& edge = edges_[in[i]];
      const Nanos there = distance[from[in[i]]] + (edge.weight <= kLeastNegativeNs ? 0 : edge.weight);
      if (i == in_at[n] || there > distance[n]) {
        distance[n] = there;
        best[n] = in[i];
      }
    }
    if (distance[n] < 0) {
      distance[n] = 0;
      best[n] = kNone;
    }
    if (last == kNone || distance[n] > distance[last]) last = n;
  }
  std::vector<std::uint32_t> path;
  for (std::uint32_t n = last; n != kNone && best[n] != kNone; n = from[best[n]]) path.push_back(best[n]);
  std::ranges::reverse(path);
  return path;
}

}  // namespace lacuna
