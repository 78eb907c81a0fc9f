#include "model/calls/call_excerpt.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "model/base/stable_sort.h"

namespace lacuna {
namespace {

/// The frames of the most time, ascending. None takes more than the one around it, which thus is among them, too.
std::vector<std::uint32_t> frames_of_most_time(const CallTree& tree, std::size_t most) {
  std::vector<std::uint32_t> frames(tree.nodes.size());
  std::iota(frames.begin(), frames.end(), 0u);
  if (frames.size() <= most) return frames;
  sort_stably(frames, std::ranges::greater{}, [&](std::uint32_t n) { return tree.nodes[n].total; });
  frames.resize(most);
  std::ranges::sort(frames);
  return frames;
}

}  // namespace

bool has_text(CallKind kind) {
  return kind == CallKind::kSlices || kind == CallKind::kModules;
}

CallExcerpt excerpt_calls(const Trace& trace, const CallTree& tree, std::size_t most) {
  CallExcerpt excerpt;
  excerpt.frame_count = tree.nodes.size();
  std::unordered_map<std::uint32_t, std::uint32_t> name_numbers;
  std::vector<std::uint32_t> number_of(tree.nodes.size());
  for (const std::uint32_t n : frames_of_most_time(tree, most)) {
    number_of[n] = static_cast<std::uint32_t>(excerpt.tree.nodes.size());
    CallNode& node = excerpt.tree.nodes.emplace_back(tree.nodes[n]);
    excerpt.longest.push_back(node.longest.valid() ? trace.span(node.longest) : TimeSpan{});
    node.longest.index = kNoIndex;
    if (node.key.category.value >= trace.categories().size()) node.key.category = {};
    node.first_child = node.child_count = 0;
    if (has_text(node.key.kind)) {
      const auto [number, is_new] =
          name_numbers.try_emplace(node.key.name.value, static_cast<std::uint32_t>(excerpt.names.size()));
      if (is_new) excerpt.names.emplace_back(trace.text(node.key.name));
      node.key.name.value = number->second;
    }
    if (n == 0) continue;
    node.parent = number_of[node.parent];
    CallNode& around = excerpt.tree.nodes[node.parent];
    if (around.child_count++ == 0) around.first_child = number_of[n];
  }
  return excerpt;
}

bool is_sound(const CallExcerpt& excerpt) {
  const std::vector<CallNode>& nodes = excerpt.tree.nodes;
  if (excerpt.longest.size() != nodes.size() || excerpt.frame_count < nodes.size()) return false;
  std::size_t found = 1;  // as root or as a child
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const CallNode& node = nodes[n];
    if (node.key.kind == CallKind::kCause && node.key.name.value >= kGapCauseCount) return false;
    if (has_text(node.key.kind) && node.key.name.value >= excerpt.names.size()) return false;
    if (n == 0 ? node.parent != 0 : node.parent >= n) return false;
    if (node.child_count == 0) continue;
    if (node.first_child <= n || node.first_child >= nodes.size() || node.child_count > nodes.size() - node.first_child)
      return false;
    for (std::size_t child = node.first_child; child < node.first_child + node.child_count; ++child)
      if (nodes[child].parent != n) return false;
    found += node.child_count;
  }
  return nodes.empty() || found == nodes.size();
}

}  // namespace lacuna
