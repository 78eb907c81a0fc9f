#include "model/holders/holder_areas.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "model/base/seeded_hash.h"
#include "model/base/stable_sort.h"

namespace lacuna {
namespace {

/// Calls change(moment, piece, begins) in the order of time, ends before begins.
template <class Change>
void sweep(const MemoryTable& table, Change&& change) {
  std::vector<std::uint32_t> ends;
  for (std::uint32_t p = 0; p < table.pieces.size(); ++p)
    if (table.pieces[p].end != MemoryPiece::kNever) ends.push_back(p);
  std::ranges::stable_sort(ends, {}, [&](std::uint32_t p) { return table.pieces[p].end; });
  std::size_t next = 0;
  for (std::uint32_t p = 0; p < table.pieces.size(); ++p) {
    for (; next < ends.size() && table.pieces[ends[next]].end <= table.pieces[p].begin; ++next)
      change(table.pieces[ends[next]].end, ends[next], false);
    change(table.pieces[p].begin, p, true);
  }
  for (; next < ends.size(); ++next) change(table.pieces[ends[next]].end, ends[next], false);
}

}  // namespace

std::uint64_t HolderArea::at(std::uint32_t moment) const {
  const auto after = std::ranges::upper_bound(moments, moment);
  return after == moments.begin() ? 0 : bytes[static_cast<std::size_t>(after - moments.begin()) - 1];
}

HolderAreas make_holder_areas(const MemoryHistory& history, HolderGroup by, std::size_t most) {
  HolderAreas result;
  result.by = by;
  if (history.fill_areas(result)) return result;
  std::vector<std::string> names;
  const std::vector<std::uint32_t> group_of = history.groups(by, names);
  std::vector<std::uint64_t> now(names.size());
  std::vector<std::uint64_t> peak(names.size());
  sweep(history.table, [&](std::uint32_t, std::uint32_t p, bool begins) {
    const std::uint32_t group = group_of[p];
    now[group] += begins ? history.table.pieces[p].bytes : 0 - history.table.pieces[p].bytes;
    peak[group] = std::max(peak[group], now[group]);
  });
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0u);
  sort_stably(order, std::ranges::greater(), [&](std::uint32_t group) { return peak[group]; });
  const std::size_t alone = order.size() > most + 1 ? most : order.size();
  result.others = order.size() - alone;
  std::vector<std::uint32_t> area_of_group(names.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    area_of_group[order[i]] = static_cast<std::uint32_t>(std::min(i, alone));
  for (std::size_t i = 0; i < alone; ++i) result.areas.push_back({.name = names[order[i]]});
  if (result.others > 0) result.areas.push_back({.name = fmt::format("{} others", result.others)});
  result.area_of.resize(group_of.size());
  for (std::size_t p = 0; p < group_of.size(); ++p) result.area_of[p] = area_of_group[group_of[p]];
  std::vector<std::uint64_t> held(result.areas.size());
  sweep(history.table, [&](std::uint32_t moment, std::uint32_t p, bool begins) {
    HolderArea& area = result.areas[result.area_of[p]];
    std::uint64_t& bytes = held[result.area_of[p]];
    bytes += begins ? history.table.pieces[p].bytes : 0 - history.table.pieces[p].bytes;
    area.most = std::max(area.most, bytes);
    if (!area.moments.empty() && area.moments.back() == moment) {
      area.bytes.back() = bytes;
    } else {
      area.moments.push_back(moment);
      area.bytes.push_back(bytes);
    }
  });
  return result;
}

ByteTree make_byte_tree(const MemoryHistory& history, std::uint32_t moment, const std::uint32_t* before) {
  ByteTree tree;
  tree.has_before = before != nullptr;
  tree.nodes.push_back({.name = history.name});
  std::vector<std::unordered_map<std::string, std::uint32_t, SeededHash>> children(1);
  for (const MemoryPiece& piece : history.table.pieces) {
    const bool is_now = piece.is_held(moment);
    const bool was = before != nullptr && piece.is_held(*before);
    if (!is_now && !was) continue;
    std::vector<std::string> stack = history.stack(piece);
    if (stack.empty()) stack.emplace_back("(stack not recorded)");
    std::uint32_t node = 0;
    const auto add = [&] {
      tree.nodes[node].bytes += is_now ? piece.bytes : 0;
      tree.nodes[node].before += was ? piece.bytes : 0;
    };
    add();
    for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
      const auto [found, is_new] = children[node].try_emplace(*frame, static_cast<std::uint32_t>(tree.nodes.size()));
      const std::uint32_t child = found->second;
      if (is_new) {
        tree.nodes[node].children.push_back(child);
        tree.nodes.push_back({.name = *frame, .parent = node, .depth = tree.nodes[node].depth + 1});
        children.emplace_back();
      }
      node = child;
      add();
    }
  }
  for (ByteNode& node : tree.nodes)
    sort_stably(node.children, std::ranges::greater(), [&](std::uint32_t c) { return tree.nodes[c].larger(); });
  return tree;
}

}  // namespace lacuna
