#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/holders/memory_history.h"

namespace lacuna {

/// The bytes that one group holds over time: `bytes[i]` from moments[i] on.
struct HolderArea {
  std::string name;
  std::uint64_t most = 0;  ///< bytes at its own peak
  std::vector<std::uint32_t> moments = {};
  std::vector<std::uint64_t> bytes = {};

  std::uint64_t at(std::uint32_t moment) const;
};

/// The groups with the highest peaks, each alone; all others together.
struct HolderAreas {
  HolderGroup by = HolderGroup::kCategory;
  std::vector<HolderArea> areas;       ///< descending by `most`; the area of the others, if any, last
  std::vector<std::uint32_t> area_of;  ///< by piece
  std::size_t others = 0;              ///< number of groups in the last area; 0: there is no such area
};

/// Maximum number of areas drawn separately.
inline constexpr std::size_t kMostAreas = 11;

/// Sums up the pieces of each group. O(pieces log pieces).
HolderAreas make_holder_areas(const MemoryHistory& history, HolderGroup by, std::size_t most = kMostAreas);

/// A stack frame with the bytes held below it, at two moments.
struct ByteNode {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t before = 0;  ///< at the moment of comparison
  std::uint32_t parent = 0;
  std::uint32_t depth = 0;
  std::vector<std::uint32_t> children = {};  ///< most bytes first

  std::int64_t change() const { return static_cast<std::int64_t>(bytes - before); }
  std::uint64_t larger() const { return bytes > before ? bytes : before; }
};

/// The allocators of the memory held at a moment, outermost frame first; nodes[0] is the total.
struct ByteTree {
  std::vector<ByteNode> nodes;
  bool has_before = false;
};

/// With `before`, nodes also hold the bytes of that moment; memory held at both counts in both.
ByteTree make_byte_tree(const MemoryHistory& history, std::uint32_t moment, const std::uint32_t* before = nullptr);

}  // namespace lacuna
