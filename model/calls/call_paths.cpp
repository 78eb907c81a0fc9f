#include "model/calls/call_paths.h"

#include <algorithm>
#include <string>

namespace lacuna {
namespace {

constexpr std::size_t kFirstSlots = 1024;

}  // namespace

CallPaths::CallPaths() : slots_(kFirstSlots) {
  nodes_.push_back({CallKey::of(CallKind::kRoot), kRoot, 0, 0, -1, {}});
}

std::size_t CallPaths::slot_of(std::uint32_t parent, CallKey key) const {
  std::uint64_t hash = key.packed() * 0x9E3779B97F4A7C15ull ^ (std::uint64_t{parent} + 1) * 0xC2B2AE3D27D4EB4Full;
  hash ^= hash >> 29;
  std::size_t slot = static_cast<std::size_t>(hash) & (slots_.size() - 1);
  while (slots_[slot] != 0) {
    const Node& node = nodes_[slots_[slot] - 1];
    if (node.parent == parent && node.key == key) break;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

std::uint32_t CallPaths::child(std::uint32_t parent, CallKey key) {
  const std::size_t slot = slot_of(parent, key);
  if (slots_[slot] != 0) return slots_[slot] - 1;
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({key, parent, 0, 0, -1, {}});
  slots_[slot] = index + 1;
  if (nodes_.size() * 2 > slots_.size()) grow();
  return index;
}

void CallPaths::grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (std::uint32_t n = 1; n < nodes_.size(); ++n) slots_[slot_of(nodes_[n].parent, nodes_[n].key)] = n + 1;
}

void CallPaths::add(const CallPaths& other) {
  std::vector<std::uint32_t> own(other.nodes_.size(), kRoot);
  for (std::uint32_t n = 0; n < other.nodes_.size(); ++n) {
    const Node& from = other.nodes_[n];
    if (n != kRoot) own[n] = child(own[from.parent], from.key);
    Node& to = nodes_[own[n]];
    to.self = saturating_add(to.self, from.self);
    to.count += from.count;
    if (from.longest.valid()) note_longest(own[n], from.longest, from.longest_time);
    note_first(own[n], from.first);
  }
}

CallPaths CallPaths::inverted() const {
  CallPaths result;
  for (std::uint32_t n = 1; n < nodes_.size(); ++n) {
    const Node& from = nodes_[n];
    if (from.self == 0 && from.count == 0) continue;
    std::uint32_t to = kRoot;
    std::size_t callers = 0;
    for (std::uint32_t frame = n; frame != kRoot && callers <= kMostCallers; frame = nodes_[frame].parent, ++callers) {
      if (callers > 0 && result.nodes_.size() > kMostInverted) break;
      to = result.child(to, nodes_[frame].key);
      if (from.longest.valid()) result.note_longest(to, from.longest, from.longest_time);
    }
    result[to].self = saturating_add(result[to].self, from.self);
    result[to].count += from.count;
  }
  result[kRoot].self = nodes_[kRoot].self;
  result[kRoot].count = nodes_[kRoot].count;
  return result;
}

CallTree CallPaths::finish(const Trace& trace, bool inclusive_counts) const {
  struct Sum {
    Nanos total;
    std::uint64_t count;
    bool is_kept;
  };
  std::vector<Sum> sums(nodes_.size());
  std::vector<std::vector<std::uint32_t>> children(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    sums[n] = {nodes_[n].self, nodes_[n].count, n == kRoot || nodes_[n].self != 0 || nodes_[n].count > 0};
  for (std::size_t n = nodes_.size(); n-- > 1;) {
    if (!sums[n].is_kept) continue;
    Sum& parent = sums[nodes_[n].parent];
    parent.total = saturating_add(parent.total, sums[n].total);
    if (inclusive_counts) parent.count += sums[n].count;
    parent.is_kept = true;
    children[nodes_[n].parent].push_back(static_cast<std::uint32_t>(n));
  }
  const auto label = [&](std::uint32_t n) { return call_label(trace, nodes_[n].key); };
  CallTree tree;
  std::vector<std::uint32_t> from{kRoot};  // of each node of the tree
  tree.nodes.push_back({});
  for (std::size_t at = 0; at < from.size(); ++at) {
    const Node& node = nodes_[from[at]];
    std::vector<std::uint32_t>& below = children[from[at]];
    std::ranges::sort(below, [&](std::uint32_t a, std::uint32_t b) {
      if (sums[a].total != sums[b].total) return sums[a].total > sums[b].total;
      if (sums[a].count != sums[b].count) return sums[a].count > sums[b].count;
      const std::string label_a = label(a), label_b = label(b);
      return label_a != label_b ? label_a < label_b : nodes_[a].key.packed() < nodes_[b].key.packed();
    });
    CallNode& to = tree.nodes[at];
    to.key = node.key;
    to.first_child = static_cast<std::uint32_t>(from.size());
    to.child_count = static_cast<std::uint32_t>(below.size());
    to.total = sums[from[at]].total;
    to.self = node.self;
    to.count = sums[from[at]].count;
    to.longest = node.longest;
    for (const std::uint32_t n : below) {
      from.push_back(n);
      tree.nodes.push_back({});
      tree.nodes.back().parent = static_cast<std::uint32_t>(at);
    }
    below.clear();
    below.shrink_to_fit();
  }
  return tree;
}

}  // namespace lacuna
