#include "model/kernels/part_finder.h"

#include <algorithm>

#include "model/base/ascii.h"

namespace lacuna {

std::uint8_t PartFinder::symbol(char c) {
  if (is_ascii_letter(c)) return static_cast<std::uint8_t>(to_lower(c) - 'a');
  if (is_digit(c)) return static_cast<std::uint8_t>(26 + c - '0');
  return c == '_' ? 36 : c == ':' ? 37 : c == '<' ? 38 : kOther;
}

PartFinder::PartFinder(std::span<const std::string_view> parts) : nodes_(1) {
  const auto child = [&](std::uint16_t node, std::uint8_t s) {
    if (nodes_[node].next[s] == 0) {
      nodes_[node].next[s] = static_cast<std::uint16_t>(nodes_.size());
      nodes_.emplace_back();
    }
    return nodes_[node].next[s];
  };
  for (std::size_t p = 0; p < parts.size(); ++p) {
    std::uint16_t node = 0;
    for (std::size_t i = 0; i < parts[p].size(); ++i) {
      const char c = parts[p][i];
      const bool is_begin = c == '^' && i == 0;
      const bool is_end = c == '$' && i + 1 == parts[p].size();
      node = child(node, is_begin ? kBegin : is_end ? kEnd : symbol(c));
    }
    if (nodes_[node].part == 0) nodes_[node].part = static_cast<std::uint16_t>(p + 1);
  }
  // Breadth first: where a character leads that no part goes on with is where the longest proper end of what was read
  // leads, which is known by then.
  std::vector<std::uint16_t> fallback(nodes_.size(), 0), queue;
  for (const std::uint16_t next : nodes_[0].next)
    if (next != 0) queue.push_back(next);
  for (std::size_t q = 0; q < queue.size(); ++q) {
    const std::uint16_t at = queue[q];
    const std::uint16_t back = fallback[at];
    if (nodes_[at].part == 0) nodes_[at].part = nodes_[back].part;
    for (std::size_t s = 0; s < kSymbols; ++s) {
      std::uint16_t& next = nodes_[at].next[s];
      if (next == 0) {
        next = nodes_[back].next[s];
      } else {
        fallback[next] = nodes_[back].next[s];
        queue.push_back(next);
      }
    }
  }
}

std::size_t PartFinder::first(std::string_view text) const {
  std::uint16_t node = nodes_[0].next[kBegin];
  std::size_t found = kNone;
  const auto step = [&](std::uint8_t s) {
    node = nodes_[node].next[s];
    if (nodes_[node].part != 0) found = std::min<std::size_t>(found, nodes_[node].part - 1u);
  };
  for (const char c : text) step(symbol(c));
  step(kEnd);
  return found;
}

}  // namespace lacuna
